#!/usr/bin/env python3
"""What tuning by selective execution saves and how good it is: every space is tuned with an empty store and again with what that has learnt, and executed in full before, between and
after. Prints a Markdown table: "times less" is the time that the programs measure (the factorisation), in full over selectively, "with start" that of whole commands; errors are those
of the predicted path against the median of the full executions' paths, by the clock that flopcast chooses (CPU time where processes outnumber cores), and "full ones apart" is by how
much one full execution is off if it predicts another. Reach: 4x in the median, error 5 %, choice within 3 % of the best; goal: 7.1x at 2 % on every one, 20x warm, within 1 %.

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
import time

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
    command = [launcher.flopcast, "mpi", "tune", file, "--json", "--quiet", "--policy", policy, "--tolerance", options.tolerance,
               "--least-coverage", "0"] + (["--cold"] if cold else [])
    finished = subprocess.run(command, env=launcher.environment_for(ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {finished.returncode}:\n{finished.stderr}")
    return json.loads(finished.stdout)["configurations"]


def execute_in_full(launcher, space, ranks):
    """Path, elapsed seconds and those of the whole command, of every configuration."""
    output = os.path.join(launcher.folder.name, "full.json")
    found = []
    for setting in settings_of(space["parameters"]):
        command = [*space["launcher"], launcher.flopcast, "mpi", "run", "--quiet", "--output", output, "--",
                   *(word.format(**setting) for word in space["command"])]
        start = time.perf_counter()
        subprocess.run(command, env=launcher.environment_for(ranks), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        launched = time.perf_counter() - start
        with open(output) as file:
            profile = json.load(file)
        found.append((profile["path"]["seconds"], profile["elapsed_seconds"], launched))
    return found


def row(configurations, full):
    """Saved, saved with starting programs, median and worst error, how far full executions lie apart, how far the chosen one is from the best. `full` has a list per round; all by
    medians over the rounds."""
    by_configuration = list(zip(*full))
    paths = [statistics.median(path for path, _, _ in each) for each in by_configuration]
    elapsed = sum(statistics.median(seconds for _, seconds, _ in each) for each in by_configuration)
    launched = sum(statistics.median(seconds for _, _, seconds in each) for each in by_configuration)
    errors = sorted(abs(c["predicted_seconds"] / path - 1) for c, path in zip(configurations, paths))
    apart = statistics.median(abs(a[0] / b[0] - 1) for each in by_configuration for a in each for b in each if a is not b)
    chosen = next(path for c, path in zip(configurations, paths) if c["verdict"] == "chosen")
    return (elapsed / sum(c["elapsed_seconds"] for c in configurations), launched / sum(c["launch_seconds"] for c in configurations), statistics.median(errors), errors[-1], apart,
            chosen / min(paths) - 1)


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
    print("| subject | processes | policy | store | times less | with start | median error | worst | full ones apart | chosen behind best |\n|---|--:|---|---|--:|--:|--:|--:|--:|--:|")
    saved = {True: [], False: []}
    for name, ranks, policy in itertools.product(names, map(int, options.ranks.split(",")), options.policies.split(",")):
        with Launcher(options) as launcher:
            space = space_of(SPACES / f"{name}.json", options, ranks)
            full = [execute_in_full(launcher, space, ranks)]
            tuned = []
            for cold in (True, False):
                tuned.append((cold, tune(launcher, options, space, ranks, policy, cold)))
                full.append(execute_in_full(launcher, space, ranks))
            for cold, configurations in tuned:
                less, with_start, median, worst, apart, behind = row(configurations, full)
                saved[cold].append(less)
                print(f"| {name} | {ranks} | {policy} | {'cold' if cold else 'warm'} | {less:.2f} | {with_start:.2f} | {median:.1%} | {worst:.1%} | {apart:.1%} | {behind:.1%} |", flush=True)
    print(f"\nIn the median {statistics.median(saved[True]):.2f} times less cold, {statistics.median(saved[False]):.2f} warm.")


if __name__ == "__main__":
    main()
