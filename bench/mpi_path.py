#!/usr/bin/env python3
"""Measures the accuracy of critical paths without skipping anything. The first comparison is the length of the path against the wall time that the
program measures, in the same run and in runs without flopcast (2 processes on 2 cores). The second one is paths on fewer cores than processes against
paths on more cores (CPU clock and modelled messages where processes outnumber cores). Kernels take over a millisecond. Runs of one row take turns.
Prints ratios of medians, followed by half the interquartile range of the paired ratios. Reach and goal are distances from 1.

  bench/mpi_path.py --flopcast build/release/bin/flopcast [--mpi mpich] [--repetitions 11] [--order 400] [--steps 60]

Run this on an idle machine with two cores."""
import argparse

import mpi_launch
from mpi_launch import Launcher, cell, own_seconds, ratio


def path_seconds(profile):
    return profile["path"]["seconds"]


def rows(launcher, command):
    """Yields for each row its title, a function from the number of a repetition to its two times in seconds, reach and goal."""
    def followed(ranks, cores):
        return lambda: path_seconds(launcher.run(ranks, command, cores=cores, follow=[])[1])

    def in_turns(one, other):
        def measure(repetition):
            if repetition % 2:
                number = one()
                return number, other()
            number = other()
            return one(), number
        return measure

    def in_the_same_run(_):
        output, profile = launcher.run(2, command, cores="0,1", follow=[])
        return path_seconds(profile), own_seconds(output)

    own = lambda: own_seconds(launcher.run(2, command, cores="0,1")[0])
    yield "2 processes on 2 cores: path (wall) / the program's own time in the same run", in_the_same_run, 0.03, 0.01
    yield "the same / its own time in runs without flopcast", in_turns(followed(2, "0,1"), own), 0.03, 0.01
    yield "8 processes: path on 2 cores (CPU) / on 1 core (CPU)", in_turns(followed(8, "0,1"), followed(8, "0")), 0.10, 0.05
    yield "2 processes: path on 1 core (CPU) / on 2 cores (wall)", in_turns(followed(2, "0"), followed(2, "0,1")), 0.10, 0.05


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mpi_launch.add_options(parser)
    parser.add_argument("--order", type=int, default=400)
    parser.add_argument("--steps", type=int, default=60)
    options = parser.parse_args()
    print(f"{options.mpi}, products of order {options.order}, {options.repetitions} repetitions\n")
    print("| what | ratio | reach | goal |\n|---|--:|--:|--:|")
    with Launcher(options) as launcher:
        command = [launcher.compile(), "work", str(options.order), str(options.steps)]
        for what, measure, reach, goal in rows(launcher, command):
            numbers, others = zip(*(measure(repetition) for repetition in range(options.repetitions)))
            print(f"| {what} | {cell(ratio(numbers, others))} | {reach:.0%} | {goal:.0%} |")


if __name__ == "__main__":
    main()
