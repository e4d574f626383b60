#!/usr/bin/env python3
"""Measures the regret of `flopcast mpi advise` against an exhaustive search. Every configuration that it considered is executed in full,
in interleaved rounds. The median critical path of the advised one is compared with the least. Paths are wall time, or CPU time and modelled
messages where --ranks exceeds the cores. The last column is the time of the advice over that of one round of the search. An empty store is used.

  bench/mpi_advise.py --flopcast build/release/bin/flopcast --routines pdpotrf,pdgetrf --n 1500 --ranks 2 [--rounds 3] [--mpi mpich] [--time-budget 60s]

Run this on an idle machine."""
import argparse
import json
import os
import statistics
import subprocess
import time

from mpi_launch import Launcher, add_options, chosen_of


def advise(launcher, options, routine):
    """Returns the document of the advice and its time in seconds."""
    command = [launcher.flopcast, "mpi", "advise", routine, "--n", str(options.n), "--ranks", str(options.ranks), "--mpi", options.mpi,
               "--time-budget", options.time_budget, "--json", "--quiet"]
    start = time.perf_counter()
    answer = subprocess.run(command, env=launcher.environment, stdout=subprocess.PIPE, check=True)
    return json.loads(answer.stdout), time.perf_counter() - start


def path_of(launcher, options, routine, setting):
    """Returns the critical path in seconds of one execution in full."""
    rows, columns = map(int, setting["grid"].split("x"))
    threads = int(setting["threads"])
    crowded = options.ranks > len(os.sched_getaffinity(0)) and threads == 1
    component = os.path.join(os.path.dirname(os.path.dirname(launcher.flopcast)), "libexec", "flopcast", f"flopcast-scalapack-{options.mpi}")
    launcher.environment.update({"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads),
                                 "OMPI_MCA_hwloc_base_binding_policy": "none" if crowded or threads > 1 else "core"})
    _, profile = launcher.run(rows * columns, [component, f"libscalapack-{options.mpi}.so.2.2", routine, str(options.n), setting["nb"], setting["grid"]],
                              follow=["--clock", "cpu" if crowded else "auto"])
    return profile["path"]["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--routines", default="pdpotrf,pdgetrf,pdgeqrf,pdsyevd,pdgesvd")
    parser.add_argument("--n", type=int, default=1500)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--time-budget", default="120s")
    options = parser.parse_args()
    print("| routine | n | ranks | configurations | advised | best | regret | advice over search |\n|---|--:|--:|--:|---|---|--:|--:|")
    for routine in options.routines.split(","):
        with Launcher(options) as launcher:
            advice, seconds = advise(launcher, options, routine)
            settings = [each["configuration"] for each in advice["configurations"]]
            chosen = settings[chosen_of(advice["configurations"])]
            start = time.perf_counter()
            rounds = [[path_of(launcher, options, routine, each) for each in settings] for _ in range(options.rounds)]
            search = (time.perf_counter() - start) / options.rounds
            medians = [statistics.median(paths) for paths in zip(*rounds)]
            best = min(range(len(settings)), key=medians.__getitem__)
            name = lambda setting: f"{setting['grid']} nb={setting['nb']} threads={setting['threads']}"
            print(f"| {routine} | {options.n} | {options.ranks} | {len(settings)} | {name(chosen)} | {name(settings[best])} | "
                  f"{medians[settings.index(chosen)] / medians[best] - 1:.1%} | {seconds / search:.2f} |", flush=True)


if __name__ == "__main__":
    main()
