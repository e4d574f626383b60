#!/usr/bin/env python3
"""Measures the repeatability of medians: the same kernel calls are sampled again and again, each time by a new process. Several programs (such as two
builds of flopcast) take turns.

  bench/repeatability.py build/release/bin/flopcast [OTHER/flopcast ...] [--runs 12]

The deviation of a median is relative to the median of the same call's medians over all runs. The table gives the bounds that 50, 90 and 99 % of the
deviations stay below. The calls take 0.1 to 3 ms, so that disturbances of milliseconds by other programs count."""
import argparse
import json
import statistics
import subprocess
import time


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
        percentiles = statistics.quantiles(deviations, n=100, method="inclusive")
        shown = " | ".join(f"{100 * percentiles[p - 1]:.1f} %" for p in (50, 90, 99))
        print(f"| {program} | {shown} | {100 * discarded[at] / made[at]:.0f} % | {seconds[at] / options.runs:.2f} |")


if __name__ == "__main__":
    main()
