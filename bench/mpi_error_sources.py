#!/usr/bin/env python3
"""Finds the sources of the error of a tuned time. Configurations of a tuning subject are executed several times in full and selectively, in turns. For
each routine the program prints three figures in seconds: its part of the critical path of full executions, the distance between full executions,
and the error of the selective execution. The distance is the error of one full execution as a prediction of another; no prediction can be better. "rest" is computation outside of kernels, "idle" is
waiting on the path.

  bench/mpi_error_sources.py --flopcast build/release/bin/flopcast --subjects build/check/bin --spaces tile_cholesky [--ranks 2] [--limit 4] [--repetitions 3] [--policy local]

Run this on an idle machine."""
import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import mpi_launch
from mpi_launch import Launcher
from mpi_tuning import SPACES, settings_of, space_of


def parts(profile):
    """Returns the seconds along the path by routine, and the parts outside of kernels."""
    seconds = collections.Counter()
    for kernel in profile["kernels"]:
        seconds[kernel["routine"]] += kernel["along"]["seconds"]
    path = profile["path"]
    computation = sum(k["along"]["seconds"] for k in profile["kernels"] if k["kind"] != "communication")
    seconds["rest"] = path["computation_seconds"] - computation
    seconds["idle"] = path["idle_seconds"]
    return seconds


class Executions:
    """Starts a space's configurations; selective executions pass their knowledge of kernels on to the next one."""

    def __init__(self, launcher, space, options):
        self.launcher, self.space, self.options = launcher, space, options
        self.output = os.path.join(launcher.folder.name, "profile.json")

    def run(self, setting, policy, statistics_file=None):
        words = [word.format(**setting) for word in self.space["command"]]
        command = [*self.space["launcher"], self.launcher.flopcast, "mpi", "run", "--quiet", "--policy", policy, "--output", self.output]
        if policy != "full":
            command += ["--across-sizes", "--time-precision", self.options.time_precision]
        if statistics_file:
            command += ["--prior-profile", statistics_file]
        started = time.perf_counter()
        finished = subprocess.run([*command, "--", *words], env=self.launcher.environment_for(self.options.ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if finished.returncode != 0:
            print(f"{' '.join(command)}\nended with {finished.returncode}:\n{finished.stderr}", file=sys.stderr)
            return None
        with open(self.output) as file:
            return {**json.load(file), "launch_seconds": time.perf_counter() - started}


def tell(setting, full, selective, options):
    path = statistics.median(p["path"]["seconds"] for p in full)
    apart = statistics.median(abs(a["path"]["seconds"] / b["path"]["seconds"] - 1) for a in full for b in full if a is not b) if len(full) > 1 else float("nan")
    name = " ".join(f"{k}={v}" for k, v in setting.items())
    if selective is None:
        print(f"\n{name}: full path {path:.4f}, full executions apart {apart:.1%}; the selective one failed")
        return apart, None
    error = selective["path"]["seconds"] / path - 1
    executed = sum(k["executed"]["count"] for k in selective["kernels"])
    skipped = sum(k["skipped"] for k in selective["kernels"])
    full_elapsed = statistics.median(p["elapsed_seconds"] for p in full)
    print(f"\n{name}: full path {path:.4f}, full executions apart {apart:.1%}, selective {selective['path']['seconds']:.4f} ({error:+.1%}); "
          f"elapsed {full_elapsed:.3f} and {selective['elapsed_seconds']:.3f}, launched {statistics.median(p['launch_seconds'] for p in full):.3f} and {selective['launch_seconds']:.3f}; "
          f"executed {executed} of {executed + skipped}")
    told = [parts(p) for p in full]
    chosen = parts(selective)
    names = sorted(set().union(chosen, *told), key=lambda n: -abs(chosen[n] - statistics.median(t[n] for t in told)))
    for routine in names[: options.rows]:
        print(f"    {routine:16s} full {' '.join(f'{t[routine]:.4f}' for t in told)}  selective {chosen[routine]:.4f}  ({(chosen[routine] - statistics.median(t[routine] for t in told)) / path:+.1%} of the path)")
    return apart, error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mpi_launch.add_options(parser)
    parser.set_defaults(repetitions=3)
    parser.add_argument("--subjects", required=True, help="folder with the tuning subjects")
    parser.add_argument("--spaces", required=True, help="names of spaces, separated by commas")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--policy", default="local")
    parser.add_argument("--time-precision", default="0.1")
    parser.add_argument("--limit", type=int, default=4)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
    options = parser.parse_args()
    for name in options.spaces.split(","):
        print(f"\n{name}, {options.ranks} processes, policy {options.policy}")
        with Launcher(options) as launcher:
            space = space_of(SPACES / f"{name}.json", options, options.ranks)
            executions = Executions(launcher, space, options)
            learnt = None
            for setting in settings_of(space["parameters"]):
                full = [executions.run(setting, "full") for _ in range(options.repetitions - 1)]
                selective = executions.run(setting, options.policy, learnt)
                full.append(executions.run(setting, "full"))
                tell(setting, full, selective, options)
                if selective is not None:
                    learnt = os.path.join(launcher.folder.name, "learnt.json")
                    merge(learnt, selective)


def merge(file, profile):
    """Merges a selective execution's kernel times into `file` for the next one; the latest times of each kernel win."""
    known = json.load(open(file)) if os.path.exists(file) else {"schema": profile["schema"], "kernels": []}
    fresh = {k["kernel"]: {**k, "executed": k["in_context"], "where": profile["where"]} for k in profile["kernels"] if "in_context" in k}
    known["kernels"] = [k for k in known["kernels"] if k["kernel"] not in fresh] + list(fresh.values())
    with open(file, "w") as out:
        json.dump(known, out)


if __name__ == "__main__":
    main()
