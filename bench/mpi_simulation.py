#!/usr/bin/env python3
"""Measures the accuracy of simulations. The times that the subjects of examples/mpi print on 2 processes under SimGrid with kernels from models
(`flopcast mpi simulate`) are compared with those of real runs on 2 cores, in turns. `flopcast mpi describe` describes this machine. Prints ratios of medians,
followed by half the interquartile range of the paired ratios. A first simulation measures the kernels and doesn't count.

  bench/mpi_simulation.py --flopcast build/release/bin/flopcast --subjects build/check/bin [--mpi mpich] [--repetitions 7] [--only tile_qr] [--home FOLDER]

--home keeps the measurements of the machine and its kernels for the next run. Run this on an idle machine with two cores."""
import argparse
import os
import re
import statistics
import subprocess
import sys

import mpi_launch
from mpi_launch import Launcher, cell, ratio

REACH, GOAL = 0.12, 0.05
CASES = [("tile_cholesky", "--n 2000 --nb 100 --grid 2x1"), ("tile_cholesky", "--n 2000 --nb 200 --grid 1x2"),
         ("recursive_cholesky", "--n 2000 --nb 250 --grid 1x1x2"), ("recursive_cholesky", "--n 2000 --nb 125 --base-case everywhere --grid 1x1x2"),
         ("pipelined_qr", "--m 2000 --n 1000 --nb 50 --grid 2x1"), ("pipelined_qr", "--m 2000 --n 1000 --nb 100 --panel cholesky-qr2 --grid 2x1"),
         ("tile_qr", "--m 2000 --n 1000 --nb 100 --ib 20 --grid 2x1"), ("tile_qr", "--m 2000 --n 1000 --nb 200 --ib 40 --grid 1x2")]


def own_seconds(output):
    """Returns the seconds that the program prints; the last ones if the program was simulated several times."""
    return float(re.findall(r": ([0-9.]+) s$", output, re.MULTILINE)[-1])


class Simulator:
    def __init__(self, launcher, options):
        self.launcher, self.options = launcher, options

    def flopcast(self, *words):
        finished = subprocess.run([self.launcher.flopcast, "mpi", *words], env=self.launcher.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if finished.returncode != 0:
            sys.exit(f"flopcast mpi {' '.join(words)}\nended with {finished.returncode}:\n{finished.stderr}")
        return finished.stderr

    def seconds(self, subject, arguments):
        program = os.path.join(self.options.subjects, subject + "_smpi")
        return own_seconds(self.flopcast("simulate", "--ranks", "2", "--show-output", "--", program, *arguments))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mpi_launch.add_options(parser)
    parser.add_argument("--subjects", required=True, help="folder with the programs")
    parser.add_argument("--only", help="the only subject to simulate")
    parser.add_argument("--home", help="folder of flopcast's store (default: a new folder)")
    parser.set_defaults(repetitions=7, busy=True)
    options = parser.parse_args()
    print(f"{options.mpi}, 2 processes, {options.repetitions} repetitions\n")
    print("| subject | real | simulated / real |\n|---|--:|--:|")
    errors = []
    with Launcher(options) as launcher:
        if options.home:
            launcher.environment["FLOPCAST_HOME"] = options.home
        simulator = Simulator(launcher, options)
        simulator.flopcast("describe", "--mpi", options.mpi)
        for subject, text in CASES:
            if options.only not in (None, subject):
                continue
            arguments = text.split()
            real = lambda: own_seconds(launcher.run(2, [os.path.join(options.subjects, f"{subject}_{options.mpi}"), *arguments], cores="0,1")[0])
            simulator.seconds(subject, arguments)
            simulated, run = [], []
            for repetition in range(options.repetitions):
                run.append(real())
                simulated.append(simulator.seconds(subject, arguments))
            found = ratio(simulated, run)
            errors.append(abs(found[0] - 1))
            print(f"| {subject} {text} | {statistics.median(run) * 1e3:.1f} ms | {cell(found)} |", flush=True)
    print(f"\nerror: median {statistics.median(errors):.1%}, worst {max(errors):.1%}; reach {REACH:.0%}, goal {GOAL:.0%}")


if __name__ == "__main__":
    main()
