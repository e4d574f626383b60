#!/usr/bin/env python3
"""Compares `flopcast run --threads auto` with fixed numbers of threads: sweeps of eight routines from order 10 to 3000, and a program that mixes small
and large calls. The settings are interleaved in random order, in two races. A row has the better fixed number of both races, and the time with auto over
the time with it in each. A loss is confirmed where it shows in both races. Times are the least ones of a race, taken by the program itself.

  bench/thread_choice.py --flopcast build/release/bin/flopcast [--rounds 2] [--time-budget 120s] [--routines gemm,getrf] [--csv FILE]

Run this on an idle machine. Needs SciPy for Debian's Python."""
import csv
import json
import os
import random
import statistics
import sys

from program_runs import NUMPY, argument_parser, environment_with_home, run

PROGRAM = """
import json, sys, time
import numpy as np
from scipy.linalg import blas, lapack
random = np.random.default_rng(1)

def calls(n):
    a, b, c = (np.asfortranarray(random.standard_normal((n, n))) for _ in range(3))
    s = np.asfortranarray(a @ a.T + n * np.eye(n))
    t = np.asfortranarray(np.eye(n) + np.tril(a, -1) / (1000 * n))
    return {"gemm": lambda: blas.dgemm(1.0, a, b, beta=0.0, c=c, overwrite_c=1), "syrk": lambda: blas.dsyrk(1.0, a, beta=0.0, c=c, overwrite_c=1),
            "trsm": lambda: blas.dtrsm(1.0, t, b, lower=1, overwrite_b=1), "getrf": lambda: lapack.dgetrf(a), "potrf": lambda: lapack.dpotrf(s),
            "geqrf": lambda: lapack.dgeqrf(a, lwork=64 * n), "syevd": lambda: lapack.dsyevd(s), "gesdd": lambda: lapack.dgesdd(a)}

def least(call):
    call()
    times, end = [], time.perf_counter() + 0.15
    while len(times) < 3 or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)

seconds = {}
if sys.argv[1] == "mixed":
    small, large = calls(60), calls(1200)
    begin = time.perf_counter()
    for name in ("getrf", "potrf", "gemm"):
        for _ in range(3000):
            small[name]()
        large[name]()
    for _ in range(300):
        small["syevd"]()
    large["geqrf"]()
    seconds[0] = time.perf_counter() - begin
else:
    before, took = 1, 0
    for n in (10, 20, 40, 80, 150, 300, 600, 1200, 3000):
        if took * (n / before) ** 3 > 4:
            break
        before, took = n, least(calls(n)[sys.argv[1]])
        seconds[n] = took
print(json.dumps(seconds))
"""
ROUTINES = ["gemm", "trsm", "syrk", "getrf", "potrf", "geqrf", "syevd", "gesdd", "mixed"]


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=2, help="processes of each setting in a race")
    parser.add_argument("--time-budget", default="120s", help="for measuring the models beforehand")
    parser.add_argument("--routines", default=",".join(ROUTINES))
    parser.add_argument("--home", help="folder of flopcast's data; default: a new one")
    parser.add_argument("--csv", help="file for all rows")
    options = parser.parse_args()
    environment = environment_with_home(options.home, "threads")
    cores = len(os.sched_getaffinity(0))
    run([options.flopcast, "run", "--threads", "auto", "--quiet", "--time-budget", options.time_budget, "--", NUMPY, "-c", "import numpy; numpy.eye(9) @ numpy.eye(9)"], environment)
    settings = {str(number): ["--threads", str(number)] for number in sorted({1, cores})} | {"auto": ["--threads", "auto", "--time-budget", "0"]}
    rows, losses = [], 0
    print("| routine | n | best fixed | seconds | auto / best, race 1 | race 2 | all threads / auto |\n|:--|--:|--:|--:|--:|--:|--:|", flush=True)
    for routine in options.routines.split(","):
        races = [{}, {}]
        for race in races:
            for _ in range(options.rounds):
                for name in random.sample(sorted(settings), len(settings)):
                    text = run([options.flopcast, "run", "--quiet", *settings[name], "--", NUMPY, "-c", PROGRAM, routine], environment)
                    for n, seconds in json.loads(text).items():
                        race[n, name] = min(seconds, race.get((n, name), seconds))
        for n in sorted({int(n) for n, _ in races[0]}):
            taken = {name: [race[str(n), name] for race in races if (str(n), name) in race] for name in settings}
            if any(len(both) < 2 for both in taken.values()):
                continue
            best = min((name for name in settings if name != "auto"), key=lambda name: sum(taken[name]))
            ratios = [auto / fixed for auto, fixed in zip(taken["auto"], taken[best])]
            losses += min(ratios) > 1.02
            rows.append([routine, n, best, min(taken[best]), *ratios, sum(taken[str(cores)]) / sum(taken["auto"])])
            print(f"| {routine} | {n} | {best} | {min(taken[best]):.3g} | {ratios[0]:.3f} | {ratios[1]:.3f} | {rows[-1][-1]:.2f} |", flush=True)
    print(f"\n{losses} of {len(rows)} rows lose over 2 % in both races; all threads / auto: geometric mean {statistics.geometric_mean([row[-1] for row in rows]):.2f}, "
          f"median of the least losses {statistics.median(min(row[4:6]) for row in rows):.3f}")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["routine", "n", "best", "seconds", "race1", "race2", "all_over_auto"], *rows])


if __name__ == "__main__":
    sys.exit(main())
