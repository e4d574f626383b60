#!/usr/bin/env python3
"""Measures what recording costs a program: a NumPy program that makes many small calls runs by itself and under `flopcast record`, in turns.
Prints a Markdown table of the ratios of the medians of the program's own time, followed by half the interquartile range of the paired ratios, and the
same for whole commands. Reach: 1.05; goal: 1.01.

  bench/recording_overhead.py --flopcast build/release/bin/flopcast [--calls 1000000] [--orders 4,16,64] [--repetitions 7]

Run this on an idle machine."""
import os
import statistics
import tempfile
import time

from mpi_launch import cell, own_seconds, ratio
from program_runs import NUMPY, argument_parser, environment_with_home, run

PROGRAM = """
import sys, time
import numpy as np
n, calls = int(sys.argv[1]), int(sys.argv[2])
a, b = np.random.default_rng(1).random((2, n, n))
c = np.empty_like(a)
begin = time.perf_counter()
for _ in range(calls):
    np.dot(a, b, out=c)
print("seconds", time.perf_counter() - begin)
"""


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--calls", type=int, default=1000000, help="calls of the smallest order; a larger order makes fewer calls, in the ratio of the orders")
    parser.add_argument("--orders", default="4,16,64")
    parser.add_argument("--repetitions", type=int, default=7)
    options = parser.parse_args()
    environment = {**environment_with_home(None, "recording"), "OPENBLAS_NUM_THREADS": "1"}
    orders = [int(n) for n in options.orders.split(",")]
    print("| program | plain | recorded / plain | whole commands |\n|:--|--:|--:|--:|", flush=True)
    for n in orders:
        calls = options.calls * orders[0] // n
        program = [NUMPY, "-c", PROGRAM, str(n), str(calls)]
        own, whole = {True: [], False: []}, {True: [], False: []}
        with tempfile.TemporaryDirectory(prefix="flopcast-recordings-") as folder:
            recorder = [options.flopcast, "record", "--quiet", "--output", os.path.join(folder, "recording"), "--"]
            for repetition in range(options.repetitions + 1):
                for recorded in (True, False) if repetition % 2 else (False, True):
                    begin = time.perf_counter()
                    output = run((recorder if recorded else []) + program, environment)
                    if repetition > 0:  # the first round warms up
                        whole[recorded].append(time.perf_counter() - begin)
                        own[recorded].append(own_seconds(output))
        cells = [cell(ratio(times[True], times[False])) for times in (own, whole)]
        print(f"| {calls} products of order {n} | {statistics.median(own[False]):.3f} s | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
