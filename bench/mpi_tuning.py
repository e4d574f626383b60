#!/usr/bin/env python3
"""Measures the savings and the quality of tuning by selective execution. Every space is tuned with an empty store, again with the filled store, and
with everything executed before, between and after, all in the same kind of launches. Prints a Markdown table. "configurations" tells in how many
launches of the program. "speed-up" is the time that the programs measure (the factorisation), in full over selectively. The selective time includes the
full execution for the self-check, which a warm tuning remembers. "whole commands" is the same ratio for whole commands, with starting and making matrices.
Errors compare the predicted path with the median of the full executions' paths, by the clock that flopcast chooses (CPU time where processes
outnumber cores). "between full ones" is the error of one full execution as the prediction of another. "by a full tuning" is the distance from the
best of the configuration that a single tuning with everything executed chooses. Reach: 5x cold and 10x warm in the median, error 5 %, choice within
3 % of the best; goal: 7.1x at 2 % for every space, 20x warm, within 1 %.

  bench/mpi_tuning.py --flopcast build/release/bin/flopcast --subjects build/check/bin [--ranks 1,2,4] [--policies local,eager] [--spaces tile_cholesky] [--mpi mpich]
                      [--limit 6] [--set --n=1024] [--set --m=2048]

--limit reduces a space to that many configurations, spread evenly; --set replaces the value of an option in the programs' command lines. Run this on
an idle machine."""
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
    """Returns all grids of `ranks` processes, such as `4x1`."""
    extents = [e for e in itertools.product(range(1, ranks + 1), repeat=dimensions) if eval("*".join(map(str, e))) == ranks]
    return ["x".join(map(str, e)) for e in extents]


def recursive_grid(ranks):
    """Returns the grid of recursive_cholesky, whose layers are square."""
    return {1: "1x1x1", 2: "1x1x2", 4: "2x2x1"}[ranks]


def space_of(file, options, ranks):
    """Returns the space in `file` for `ranks` processes, with the programs in --subjects."""
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
    """Returns every combination of values."""
    return [dict(zip(parameters, values)) for values in itertools.product(*parameters.values())]


def thin(parameters, most):
    """Drops every second value of the longest parameter until there are at most `most` combinations."""
    while len(settings_of(parameters)) > most and max(map(len, parameters.values())) > 1:
        longest = max(parameters, key=lambda name: len(parameters[name]))
        parameters[longest] = parameters[longest][::2]


def tune(launcher, options, space, ranks, policy, *more, home=None):
    """Tunes the space and returns the tuning's document."""
    file = os.path.join(launcher.folder.name, "space.json")
    pathlib.Path(file).write_text(json.dumps(space))
    command = [launcher.flopcast, "mpi", "tune", file, "--json", "--quiet", "--policy", policy, "--time-precision", options.time_precision, "--min-coverage", "0", *more]
    environment = launcher.environment_for(ranks)
    if home:
        environment["FLOPCAST_HOME"] = home
    start = time.perf_counter()
    finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {finished.returncode}:\n{finished.stderr}")
    return {**json.loads(finished.stdout), "seconds": time.perf_counter() - start}


def tune_in_full(launcher, options, space, ranks):
    """Executes everything in the same launches; the results go to a separate store."""
    return tune(launcher, options, space, ranks, "full", home=os.path.join(launcher.folder.name, "full"))


def behind_in_full(rounds):
    """Returns how far the choice of a single full tuning is from the best according to the other rounds, as a mean over the rounds: the
    price of noise."""
    behind = []
    for judge in rounds:
        paths = [statistics.mean(c["predicted_seconds"] for c in each) for each in zip(*(r for r in rounds if r is not judge))]
        chosen = min(range(len(judge)), key=lambda i: judge[i]["predicted_seconds"])
        behind.append(paths[chosen] / min(paths) - 1)
    return statistics.mean(behind)


def row(tuned, full):
    """Returns eight figures of a tuning: the saving by the programs' times and by whole commands, median and worst error, and the share of full
    executions within the predicted intervals. The others are the distance between full executions, the distance of the chosen configuration from
    the best, and that of a full tuning's choice. `full` has one tuning per round; all figures but the share are medians over the rounds."""
    rounds = [each["configurations"] for each in full]
    paths = [statistics.median(c["predicted_seconds"] for c in each) for each in zip(*rounds)]
    elapsed = sum(statistics.median(c["elapsed_seconds"] for c in each) for each in zip(*rounds))
    configurations = tuned["configurations"]
    errors = sorted(abs(c["predicted_seconds"] / path - 1) for c, path in zip(configurations, paths))
    within = statistics.mean(abs(each["predicted_seconds"] - c["predicted_seconds"]) <= c["half_width_seconds"] for r in rounds for c, each in zip(configurations, r))
    apart = statistics.median(abs(a["predicted_seconds"] / b["predicted_seconds"] - 1) for each in zip(*rounds) for a in each for b in each if a is not b)
    chosen = paths[mpi_launch.chosen_of(configurations)]
    taken = sum(c["elapsed_seconds"] + c["self_check_seconds"] + (c["full_elapsed_seconds"] if c.get("finalist") else 0) for c in configurations)
    return (elapsed / taken, statistics.median(f["seconds"] for f in full) / tuned["seconds"], statistics.median(errors), errors[-1], within, apart,
            chosen / min(paths) - 1, behind_in_full(rounds))


def tell_details(tuned, full):
    """Prints for every configuration its full path, the errors of the predictions, and the elapsed seconds in full and selectively."""
    for i, each in enumerate(zip(*(f["configurations"] for f in full))):
        path = statistics.median(c["predicted_seconds"] for c in each)
        elapsed = statistics.median(c["elapsed_seconds"] for c in each)
        made = [(cold, t["configurations"][i]) for cold, t in tuned]
        text = "; ".join(f"{'cold' if cold else 'warm'} {c['predicted_seconds'] / path - 1:+.1%} {elapsed / c['elapsed_seconds']:.2f}x {c['executed_share']:.0%} executed" for cold, c in made)
        print(f"    {' '.join(made[0][1]['configuration'].values())}: path {path:.4f}, elapsed {elapsed:.4f}; {text}")


def add_space_options(parser, ranks):
    """Adds the options for the spaces and the tuning; `ranks` is the default number of processes."""
    mpi_launch.add_options(parser)
    parser.add_argument("--subjects", required=True, help="folder with the tuning subjects")
    parser.add_argument("--spaces", help="names of spaces, separated by commas (default: all of examples/mpi)")
    parser.add_argument("--ranks", default=ranks, type=type(ranks))
    parser.add_argument("--time-precision", default="0.1")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")


def names_of(options):
    """Returns the names of the selected spaces."""
    return options.spaces.split(",") if options.spaces else sorted(file.stem for file in SPACES.glob("*.json"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_space_options(parser, "1,2,4")
    parser.add_argument("--policies", default="local")
    parser.add_argument("--details", action="store_true", help="print every configuration")
    parser.add_argument("--option", action="append", default=[], help="option of flopcast mpi tune for the selective tunings")
    options = parser.parse_args()
    print("| subject | processes | policy | configurations | store | speed-up | whole commands | median error | worst | within | between full ones | chosen behind best | by a full tuning |\n"
          "|---|--:|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    saved = {True: [], False: []}
    for name, ranks, policy in itertools.product(names_of(options), map(int, options.ranks.split(",")), options.policies.split(",")):
        with Launcher(options) as launcher:
            space = space_of(SPACES / f"{name}.json", options, ranks)
            full = [tune_in_full(launcher, options, space, ranks)]
            tuned = []
            for cold in (True, False):
                tuned.append((cold, tune(launcher, options, space, ranks, policy, *(["--fresh"] if cold else []), *options.option)))
                full.append(tune_in_full(launcher, options, space, ranks))
            for cold, made in tuned:
                less, whole, median, worst, within, apart, behind, full_behind = row(made, full)
                saved[cold].append((less, whole, median, within))
                print(f"| {name} | {ranks} | {policy} | {len(made['configurations'])} in {made['launches']} | {'cold' if cold else 'warm'} | {less:.2f} | {whole:.2f} | {median:.1%} | {worst:.1%} | {within:.0%} "
                      f"| {apart:.1%} | {behind:.1%} | {full_behind:.1%} |", flush=True)
            if options.details:
                tell_details(tuned, full)
    for cold in (True, False):
        less, whole, median, within = (statistics.median(column) for column in zip(*saved[cold]))
        print(f"\n{'Cold' if cold else 'Warm'}, medians: {less:.2f} times faster, whole commands {whole:.2f} times faster, error {median:.1%}; {within:.0%} of full executions within the intervals")


if __name__ == "__main__":
    main()
