#!/usr/bin/env python3
"""What tuning by selective execution saves and how good it is: every space is tuned with full executions beside the selective ones (in turns, configuration by configuration), with an
empty store and again with what that has learnt. Prints a Markdown table: times are wall times between MPI_Init and MPI_Finalize, errors those of the predicted path against the full
execution's path, by the clock that flopcast chooses (CPU time where processes outnumber cores). Reach: 4x in the median, error 5 %, choice within 3 % of the best; goal: 7.1x at 2 %
on every one, 20x warm, within 1 %.

  bench/mpi_tuning.py --flopcast build/release/bin/flopcast --subjects build/check/bin [--ranks 1,2,4] [--policies local,eager] [--spaces tile_cholesky] [--mpi mpich]
                      [--limit 6] [--set --n=1024] [--set --m=2048]

--limit takes that many configurations of a space, spread evenly; --set replaces the value of an option in the programs' command lines. Run it on an idle machine."""
import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys

import mpi_launch
from mpi_launch import Launcher

SPACES = pathlib.Path(__file__).parent.parent / "examples" / "mpi"


def grids(ranks, dimensions):
    """All grids of `ranks` processes, `4x1`."""
    extents = [e for e in itertools.product(range(1, ranks + 1), repeat=dimensions) if eval("*".join(map(str, e))) == ranks]
    return ["x".join(map(str, e)) for e in extents]


def recursive_grid(ranks):
    """recursive_cholesky takes square layers."""
    return {1: "1x1x1", 2: "1x1x2", 4: "2x2x1"}[ranks]


def space_of(file, options, ranks):
    """The space in `file` for so many processes, with the programs in --subjects."""
    space = json.loads(file.read_text())
    program = pathlib.Path(space["command"][0]).name.rsplit("_", 1)[0] + "_" + options.mpi
    space["command"][0] = os.path.join(os.path.abspath(options.subjects), program)
    space["launcher"] = [f"mpirun.{options.mpi}", "-n", str(ranks)]
    if "grid" in space["parameters"]:
        space["parameters"]["grid"] = grids(ranks, 2)
    elif "--grid" in space["command"]:
        place = space["command"].index("--grid") + 1
        space["command"][place] = recursive_grid(ranks) if file.stem == "recursive_cholesky" else grids(ranks, 2)[len(grids(ranks, 2)) // 2]
    for setting in options.set:
        name, value = setting.split("=")
        if name in space["command"]:
            space["command"][space["command"].index(name) + 1] = value
    if options.limit:
        thin(space["parameters"], options.limit)
    return space


def settings_of(parameters):
    """Every combination of values."""
    return [dict(zip(parameters, values)) for values in itertools.product(*parameters.values())]


def thin(parameters, most):
    """Takes every other value of the longest parameter until there are at most so many combinations."""
    while len(settings_of(parameters)) > most and max(map(len, parameters.values())) > 1:
        longest = max(parameters, key=lambda name: len(parameters[name]))
        parameters[longest] = parameters[longest][::2]


def tune(launcher, options, space, ranks, policy, cold):
    file = os.path.join(launcher.folder.name, "space.json")
    pathlib.Path(file).write_text(json.dumps(space))
    command = [launcher.flopcast, "mpi", "tune", file, "--validate", "--json", "--quiet", "--policy", policy, "--tolerance", options.tolerance,
               "--least-coverage", "0"] + (["--cold"] if cold else [])
    finished = subprocess.run(command, env=launcher.environment_for(ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {finished.returncode}:\n{finished.stderr}")
    return json.loads(finished.stdout)["configurations"]


def row(configurations):
    """Saved, median and worst error, how far the chosen one is from the best."""
    full = sum(c["full_elapsed_seconds"] for c in configurations)
    selective = sum(c["elapsed_seconds"] for c in configurations)
    errors = sorted(abs(c["predicted_seconds"] / c["full_path_seconds"] - 1) for c in configurations)
    best = min(c["full_path_seconds"] for c in configurations)
    chosen = next(c for c in configurations if c["verdict"] == "chosen")
    return full / selective, statistics.median(errors), errors[-1], chosen["full_path_seconds"] / best - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mpi_launch.add_options(parser)
    parser.add_argument("--subjects", required=True, help="folder with the tuning subjects")
    parser.add_argument("--spaces", help="names, comma between (default: all of examples/mpi)")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--policies", default="local")
    parser.add_argument("--tolerance", default="0.1")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
    options = parser.parse_args()
    names = options.spaces.split(",") if options.spaces else sorted(file.stem for file in SPACES.glob("*.json"))
    print("| subject | processes | policy | store | times less | median error | worst | chosen behind best |\n|---|--:|---|---|--:|--:|--:|--:|")
    saved = {True: [], False: []}
    for name, ranks, policy in itertools.product(names, map(int, options.ranks.split(",")), options.policies.split(",")):
        with Launcher(options) as launcher:
            space = space_of(SPACES / f"{name}.json", options, ranks)
            for cold in (True, False):
                times, median, worst, behind = row(tune(launcher, options, space, ranks, policy, cold))
                saved[cold].append(times)
                print(f"| {name} | {ranks} | {policy} | {'cold' if cold else 'warm'} | {times:.2f} | {median:.1%} | {worst:.1%} | {behind:.1%} |", flush=True)
    print(f"\nIn the median {statistics.median(saved[True]):.2f} times less cold, {statistics.median(saved[False]):.2f} warm.")


if __name__ == "__main__":
    main()
