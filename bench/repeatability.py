#!/usr/bin/env python3
"""How far apart the medians of the same kernel calls are when they are sampled again and again, each time by a process of its own; several
programs (two builds of flopcast) take turns.

  bench/repeatability.py build/release/bin/flopcast [OTHER/flopcast ...] [--runs 12]

Prints by how much a median deviates from that of the same call over all runs: half of them, 90 % and 99 % deviate by less. Other programs on the
machine make the difference, which is what this is to show: all repetitions of 0.1 to 3 ms."""
import argparse
import json
import statistics
import subprocess
import time


def quantile(values, q):
    ordered = sorted(values)
    return ordered[round(q * (len(ordered) - 1))]


def sample(program, options):
    command = [program, "sample", "dgemm", "transa=N", "transb=T", "m=100:1500:100", "n=64", "k=200,800", "--repetitions", options.repetitions,
               "--blas", options.blas, "--no-store", "--quiet", "--json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)["samples"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--repetitions", default="7")
    parser.add_argument("--blas", default="openblas-serial")
    options = parser.parse_args()
    medians = [{} for _ in options.programs]
    discarded = [0] * len(options.programs)
    made = [0] * len(options.programs)
    seconds = [0.0] * len(options.programs)
    for run in range(options.runs):
        for at in sorted(range(len(options.programs)), reverse=run % 2 == 1):
            begin = time.monotonic()
            samples = sample(options.programs[at], options)
            seconds[at] += time.monotonic() - begin
            for one in samples:
                medians[at].setdefault(tuple(one["sizes"]), []).append(one["statistics"]["median"])
                made[at] += len(one["repetitions"])
                discarded[at] += sum(repetition["discarded"] for repetition in one["repetitions"])
    print("| program | deviation: median | 90 % | 99 % | repetitions discarded | seconds per run |")
    print("|---|--:|--:|--:|--:|--:|")
    for at, program in enumerate(options.programs):
        deviations = [abs(value / statistics.median(values) - 1) for values in medians[at].values() for value in values]
        shown = " | ".join(f"{100 * quantile(deviations, q):.1f} %" for q in (0.5, 0.9, 0.99))
        print(f"| {program} | {shown} | {100 * discarded[at] / made[at]:.0f} % | {seconds[at] / options.runs:.2f} |")


if __name__ == "__main__":
    main()
