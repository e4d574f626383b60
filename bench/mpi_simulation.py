#!/usr/bin/env python3
"""Measures the accuracy of simulations. The times of the subjects of examples/mpi under SimGrid with kernels from models (`flopcast mpi simulate`) are
compared with those of real runs, in turns. With a core for each process, these are the times that the programs print. More processes than cores run
traced by the CPU clock, and the critical paths are compared; kernels meet the caches of one core's many processes there. `flopcast mpi describe` describes
this machine. Prints ratios of medians, followed by half the interquartile range of the paired ratios. A first simulation measures the kernels and doesn't
count.

  bench/mpi_simulation.py --flopcast build/release/bin/flopcast --subjects build/check/bin [--mpi mpich] [--ranks 2,4,16,64] [--repetitions 7]
                          [--only tile_qr] [--home FOLDER]

--home keeps the measurements of the machine and its kernels for the next run. Run this on an idle machine with two cores."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

import mpi_launch
from mpi_launch import Launcher, cell, ratio

REACH, GOAL = 0.12, 0.05
CASES = [("tile_cholesky", "--n 2000 --nb 100 --grid {tall}"), ("tile_cholesky", "--n 2000 --nb 200 --grid {wide}"),
         ("recursive_cholesky", "--n 2000 --nb 250 --grid {cube}"), ("recursive_cholesky", "--n 2000 --nb 125 --base-case everywhere --grid {cube}"),
         ("pipelined_qr", "--m 2000 --n 1000 --nb 50 --grid {tall}"), ("pipelined_qr", "--m 2000 --n 1000 --nb 100 --panel cholesky-qr2 --grid {tall}"),
         ("tile_qr", "--m 2000 --n 1000 --nb 100 --ib 20 --grid {tall}"), ("tile_qr", "--m 2000 --n 1000 --nb 200 --ib 40 --grid {wide}")]
GRIDS = {2: {"tall": "2x1", "wide": "1x2", "cube": "1x1x2"}, 4: {"tall": "2x2", "wide": "2x2", "cube": "2x2x1"}, 8: {"tall": "4x2", "wide": "2x4", "cube": "2x2x2"},
         16: {"tall": "4x4", "wide": "2x8", "cube": "4x4x1"}, 64: {"tall": "8x8", "wide": "4x16", "cube": "4x4x4"}}


def own_seconds(output):
    """Returns the seconds that the program prints; the last ones if the program was simulated several times."""
    return float(re.findall(r": ([0-9.]+) s$", output, re.MULTILINE)[-1])


class Subject:
    """A program with its arguments on a number of processes, as it runs and as it is simulated."""

    def __init__(self, launcher, options, name, arguments, ranks):
        self.launcher, self.options, self.name, self.arguments, self.ranks = launcher, options, name, arguments, ranks
        self.is_crowded = ranks > 2

    def program(self, mpi):
        return os.path.join(self.options.subjects, f"{self.name}_{mpi}")

    def real(self):
        command = [self.program(self.options.mpi), *self.arguments]
        output, profile = self.launcher.run(self.ranks, command, cores=None if self.is_crowded else "0,1", follow=["--clock", "cpu"] if self.is_crowded else None)
        return profile["path"]["seconds"] if self.is_crowded else own_seconds(output)

    def simulated(self):
        finished = flopcast(self.launcher, "simulate", "--ranks", str(self.ranks), "--cores-per-node", str(self.ranks), "--json", "--show-output", "--", self.program("smpi"), *self.arguments)
        return json.loads(finished.stdout)["simulations"][0]["path"]["seconds"] if self.is_crowded else own_seconds(finished.stderr)


def flopcast(launcher, *words):
    """Returns the finished command `flopcast mpi`."""
    finished = subprocess.run([launcher.flopcast, "mpi", *words], env=launcher.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        sys.exit(f"flopcast mpi {' '.join(words)}\nended with {finished.returncode}:\n{finished.stderr}")
    return finished


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mpi_launch.add_options(parser)
    parser.add_argument("--subjects", required=True, help="folder with the programs")
    parser.add_argument("--ranks", default="2", help=f"numbers of processes, of {', '.join(map(str, GRIDS))}")
    parser.add_argument("--only", help="the only subject to simulate")
    parser.add_argument("--home", help="folder of flopcast's store (default: a new folder)")
    parser.set_defaults(repetitions=7, busy=True)
    options = parser.parse_args()
    with Launcher(options) as launcher:
        if options.home:
            launcher.environment["FLOPCAST_HOME"] = options.home
        flopcast(launcher, "describe", "--mpi", options.mpi)
        for ranks in map(int, options.ranks.split(",")):
            print(f"{options.mpi}, {ranks} processes, {options.repetitions} repetitions\n\n| subject | real | simulated / real |\n|---|--:|--:|")
            errors = []
            for name, text in CASES:
                if options.only not in (None, name):
                    continue
                arguments = text.format(**GRIDS[ranks])
                subject = Subject(launcher, options, name, arguments.split(), ranks)
                subject.simulated()
                pairs = [(subject.real(), subject.simulated()) for _ in range(options.repetitions)]
                run, simulated = zip(*pairs)
                found = ratio(simulated, run)
                errors.append(abs(found[0] - 1))
                print(f"| {name} {arguments} | {statistics.median(run) * 1e3:.1f} ms | {cell(found)} |", flush=True)
            print(f"\nerror: median {statistics.median(errors):.1%}, worst {max(errors):.1%}; reach {REACH:.0%}, goal {GOAL:.0%}\n")


if __name__ == "__main__":
    main()
