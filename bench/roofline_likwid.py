#!/usr/bin/env python3
"""Compares the bandwidths and peaks of `flopcast roofline` with those of likwid-bench in the same hour. Run this on an idle machine.

  bench/roofline_likwid.py build/release/bin/flopcast --rounds 12
"""

import argparse
import json
import math
import re
import shutil
import statistics
import subprocess
import sys

# Names of streams and ceilings in likwid-bench; its triad, unlike "stream", has four arrays.
STREAMS = {"load": "load", "store": "store", "copy": "copy", "triad": "stream", "update": "update"}
PEAKS = {"AVX-512 double FMA": "peakflops_avx512_fma", "AVX2 double FMA": "peakflops_avx_fma", "AVX-512 single FMA": "peakflops_sp_avx512_fma",
         "AVX2 single FMA": "peakflops_sp_avx_fma"}


def run(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def likwid_rate(test, bytes_, threads, ours):
    """Returns likwid-bench's rate per second of one run of about 5 ms at the rate `ours`, with a working set of `bytes_`; None without that
    test."""
    unit = "MFlops" if test.startswith("peakflops") else "MByte"
    passes = max(4, math.ceil(0.005 * ours / bytes_))
    command = ["likwid-bench", "-t", test, "-w", f"S0:{bytes_ // 1024}kB:{threads}", "-i", str(passes)]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    rate = re.search(rf"{unit}/s:\s+([0-9.]+)", text)
    return float(rate.group(1)) * 1e6 if rate else None


def likwid_places(options):
    """Yields (place, flopcast's samples, rate of one run of likwid-bench) for all places, measured by both within a minute."""
    roofline = run(options.flopcast, "roofline", "--no-gemm", "--streams", ",".join(STREAMS))
    for roof in roofline["compute"]:
        if roof["name"] in PEAKS:
            ours = roof["flops_per_second"]["samples"]
            yield ("registers", roof["name"], roof["threads"]), ours, likwid_rate(PEAKS[roof["name"]], 16384 * roof["threads"], roof["threads"], max(ours))
    for roof in roofline["bandwidth"]:
        if not roof["nontemporal"]:
            ours = roof["bytes_per_second"]["samples"]
            tests = (STREAMS[roof["stream"]] + suffix for suffix in ("_avx512", "_avx", ""))
            theirs = next(filter(None, (likwid_rate(test, roof["working_set_bytes"], roof["threads"], max(ours)) for test in tests)), None)
            yield (roof["level"], roof["stream"], roof["threads"]), ours, theirs


def quartile(rates, which):
    return statistics.quantiles(rates, n=4, method="inclusive")[which - 1]


def compare_likwid(options):
    """Prints ratios of the upper quartiles (which roofs are), of the medians, and of the best. They differ where other programs use the
    cores in turns."""
    if shutil.which("likwid-bench") is None:
        sys.exit("likwid-bench is not installed (Debian: apt-get install likwid)")
    measured = {}
    for _ in range(options.rounds):
        for place, ours, theirs in likwid_places(options):
            if theirs:
                samples = measured.setdefault(place, ([], []))
                samples[0].extend(rate * 1e-9 for rate in ours)
                samples[1].append(theirs * 1e-9)
    print("| level | stream or ceiling | threads | flopcast | (quartiles) | likwid-bench | (quartiles) | ratio of upper quartiles | of medians | of best |\n"
          "|:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|")
    for (level, stream, threads), samples in measured.items():
        low, middle, high = ([quartile(rates, which) for rates in samples] for which in (1, 2, 3))
        best = [max(rates) for rates in samples]
        print(f"| {level} | {stream} | {threads} | {middle[0]:.1f} | {low[0]:.1f} to {high[0]:.1f} | {middle[1]:.1f} | {low[1]:.1f} to {high[1]:.1f} "
              f"| {high[0] / high[1]:.2f} | {middle[0] / middle[1]:.2f} | {best[0] / best[1]:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flopcast")
    parser.add_argument("--rounds", type=int, default=12, help="rounds of the comparison, of one minute each, two or more: all of flopcast's, then one likwid-bench run for each")
    options = parser.parse_args()
    compare_likwid(options)


if __name__ == "__main__":
    main()
