#!/usr/bin/env python3
"""Measures the cost of tracing an MPI program without skipping anything: 2 processes, with and without flopcast in turns. Prints ratios of the
medians of the program's own wall time, followed by half the interquartile range of the paired ratios. Reach: 1.5x per message, 5 % of programs;
goal: 1.2x, 1 %. HPCC runs if it is installed (Debian's package, for Open MPI).

  bench/mpi_overhead.py --flopcast build/release/bin/flopcast [--mpi mpich] [--messages 100000] [--repetitions 11] [--subjects build/check/bin]

--subjects is the folder with the tuning subjects, which are then measured too, by the time of the whole command. Run this on an idle machine with two
cores."""
import argparse
import os
import shutil
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


def hpcc_input(order):
    """Returns HPCC's input file for one problem of that order on a grid of 1 x 2 processes."""
    values = [("HPL.out", "file"), (8, "device"), (1, "problem sizes"), (order, "N"), (1, "block sizes"), (80, "NB"), (0, "PMAP"), (1, "grids"), (1, "P"), (2, "Q"),
              (16.0, "threshold"), (1, "PFACTs"), (2, "PFACT"), (1, "NBMINs"), (4, "NBMIN"), (1, "NDIVs"), (2, "NDIV"), (1, "RFACTs"), (1, "RFACT"),
              (1, "BCASTs"), (1, "BCAST"), (1, "DEPTHs"), (0, "DEPTH"), (2, "SWAP"), (64, "threshold of SWAP"), (0, "L1"), (0, "U"), (1, "equilibration"),
              (8, "alignment"), ("#", "separator"), (0, "problem sizes of PTRANS"), (1200, "N"), (0, "block sizes of PTRANS"), (40, "NB")]
    return "\n".join(["HPLinpack benchmark input file", "flopcast"] + [f"{value} {name}" for value, name in values]) + "\n"


def in_turns(launcher, repetitions, command, seconds_of, folder=None):
    """Returns the seconds with and without flopcast, computed by seconds_of(output, wall seconds)."""
    times = {True: [], False: []}
    for repetition in range(repetitions + 1):
        for traced in (True, False) if repetition % 2 else (False, True):
            output, _ = launcher.run(2, command, follow=["--clock", "wall"] if traced else None, folder=folder)
            if repetition > 0:  # the first round warms up
                times[traced].append(seconds_of(output, launcher.seconds))
    return times[True], times[False]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mpi_launch.add_options(parser)
    parser.add_argument("--messages", type=int, default=100000)
    parser.add_argument("--order", type=int, default=400)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--hpcc-order", type=int, default=2000)
    parser.add_argument("--subjects", help="folder with the tuning subjects")
    options = parser.parse_args()
    print(f"{options.mpi}, 2 processes, {options.repetitions} repetitions, wall clock\n")
    print("| what | with / without flopcast | reach | goal |\n|---|--:|--:|--:|")
    with Launcher(options) as launcher:
        program = launcher.compile()
        own = lambda output, _: own_seconds(output)
        traced, plain = in_turns(launcher, options.repetitions, [program, "messages", str(options.messages)], own)
        fastest = min(traced) / min(plain)  # two virtual cores may share a physical core in some runs and not in others
        print(f"| {options.messages} messages of 8 bytes | {cell(ratio(traced, plain))}, the fastest {fastest:.3f} | 1.5 | 1.2 |", flush=True)
        for order, steps in ((128, 20000), (512, 2000)):
            traced, plain = in_turns(launcher, options.repetitions, [program, "cg", str(order), str(steps)], own)
            print(f"| {steps} steps of CG, {order} x {order} points | {cell(ratio(traced, plain))} | 1.05 | 1.01 |", flush=True)
        traced, plain = in_turns(launcher, options.repetitions, [program, "work", str(options.order), str(options.steps)], own)
        print(f"| products of order {options.order} | {cell(ratio(traced, plain))} | 1.05 | 1.01 |")
        traced, plain = in_turns(launcher, options.repetitions, [program, "messages", "2"], lambda _, wall: wall)
        print(f"| a program that does nothing, whole command | {1000 * (statistics.median(traced) - statistics.median(plain)):.0f} ms more | | |", flush=True)
        if options.mpi == "openmpi" and shutil.which("hpcc"):
            with open(os.path.join(launcher.folder.name, "hpccinf.txt"), "w") as file:
                file.write(hpcc_input(options.hpcc_order))
            traced, plain = in_turns(launcher, options.repetitions, ["hpcc"], lambda _, wall: wall, launcher.folder.name)
            print(f"| HPCC of order {options.hpcc_order}, whole command | {cell(ratio(traced, plain))} | 1.05 | 1.01 |", flush=True)
        for name, arguments in SUBJECTS.items() if options.subjects else ():
            path = os.path.join(os.path.abspath(options.subjects), f"{name}_{options.mpi}")
            if os.path.exists(path):
                traced, plain = in_turns(launcher, options.repetitions, [path, *arguments], lambda _, wall: wall)
                print(f"| {name}, whole command | {cell(ratio(traced, plain))} | 1.05 | 1.01 |", flush=True)


if __name__ == "__main__":
    main()
