#!/usr/bin/env python3
"""Measures the cost of following an MPI program without skipping anything: 2 processes, with and without flopcast in turns. Prints ratios of the
medians of the program's own wall time, followed by half the interquartile range of the paired ratios. Reach: 2x per message, 3 % of programs;
goal: 1.3x, 1 %.

  bench/mpi_overhead.py --flopcast build/release/bin/flopcast [--mpi mpich] [--messages 100000] [--repetitions 11] [--subjects build/check/bin]

--subjects is the folder with the tuning subjects, which are then measured too, by the time of the whole command. Run this on an idle machine with two
cores."""
import argparse
import os
import statistics

import mpi_launch
from mpi_launch import Launcher, cell, own_seconds, ratio

SUBJECTS = {  # each takes one or two seconds
    "recursive_cholesky": ["--n", "6144", "--nb", "256", "--grid", "1x1x2"],
    "tile_cholesky": ["--n", "8192", "--nb", "128", "--grid", "1x2"],
    "pipelined_qr": ["--m", "16384", "--n", "2048", "--nb", "64", "--grid", "2x1"],
    "tile_qr": ["--m", "16384", "--n", "2048", "--nb", "128", "--grid", "2x1"],
    "scalapack_cholesky": ["--n", "8192", "--nb", "64", "--grid", "1x2"],
    "scalapack_qr": ["--m", "8192", "--n", "4096", "--nb", "32", "--grid", "1x2"],
}


def in_turns(launcher, repetitions, command, seconds_of):
    """Returns the seconds with and without flopcast, computed by seconds_of(output, wall seconds)."""
    times = {True: [], False: []}
    for repetition in range(repetitions + 1):
        for followed in (True, False) if repetition % 2 else (False, True):
            output, _ = launcher.run(2, command, follow=["--clock", "wall"] if followed else None)
            if repetition > 0:  # the first round warms up
                times[followed].append(seconds_of(output, launcher.seconds))
    return times[True], times[False]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mpi_launch.add_options(parser)
    parser.add_argument("--messages", type=int, default=100000)
    parser.add_argument("--order", type=int, default=400)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--subjects", help="folder with the tuning subjects")
    options = parser.parse_args()
    print(f"{options.mpi}, 2 processes, {options.repetitions} repetitions, wall clock\n")
    print("| what | with / without flopcast | reach | goal |\n|---|--:|--:|--:|")
    with Launcher(options) as launcher:
        program = launcher.compile()
        own = lambda output, _: own_seconds(output)
        followed, plain = in_turns(launcher, options.repetitions, [program, "messages", str(options.messages)], own)
        fastest = min(followed) / min(plain)  # two virtual cores may share a physical core in some runs and not in others
        print(f"| {options.messages} messages of 8 bytes | {cell(ratio(followed, plain))}, the fastest {fastest:.3f} | 2 | 1.3 |", flush=True)
        followed, plain = in_turns(launcher, options.repetitions, [program, "work", str(options.order), str(options.steps)], own)
        print(f"| products of order {options.order} | {cell(ratio(followed, plain))} | 1.03 | 1.01 |")
        followed, plain = in_turns(launcher, options.repetitions, [program, "messages", "2"], lambda _, wall: wall)
        print(f"| a program that does nothing, whole command | {1000 * (statistics.median(followed) - statistics.median(plain)):.0f} ms more | | |", flush=True)
        for name, arguments in SUBJECTS.items() if options.subjects else ():
            path = os.path.join(os.path.abspath(options.subjects), f"{name}_{options.mpi}")
            if os.path.exists(path):
                followed, plain = in_turns(launcher, options.repetitions, [path, *arguments], lambda _, wall: wall)
                print(f"| {name}, whole command | {cell(ratio(followed, plain))} | 1.03 | 1.01 |", flush=True)


if __name__ == "__main__":
    main()
