#!/usr/bin/env python3
"""How often and at what cost searches find the best dgemm: `flopcast roofline study` over libraries and thread counts, and bandwidths and peaks against likwid-bench.

Answers: in what share of trials does the race find a shape within 2 % of the best, how much cheaper is it than paper 003's Default, and do our
bandwidths and peaks agree with likwid-bench's in the same hour? Run it on an idle machine; it goes on where it was interrupted, or where its time budget
was used up. Default needs no run: its time follows from its counts and one trial of Single.

  bench/roofline_reach.py build/release/bin/flopcast --blas openblas-serial,blis-serial --trials 20 --space reduced --techniques Single,C+I+Outer,race
  bench/roofline_reach.py build/release/bin/flopcast --likwid
"""

import argparse
import json
import math
import re
import shutil
import statistics
import subprocess
import sys

# Streams and ceilings, and what likwid-bench calls them; its triad has four arrays.
STREAMS = {"load": "load", "store": "store", "copy": "copy", "triad": "stream", "update": "update"}
PEAKS = {"AVX-512 double FMA": "peakflops_avx512_fma", "AVX2 double FMA": "peakflops_avx_fma", "AVX-512 single FMA": "peakflops_sp_avx512_fma",
         "AVX2 single FMA": "peakflops_sp_avx_fma"}


def run(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def default_seconds(found):
    """What paper 003's Default would take: ten invocations of 200 calls or 10 s for every shape, at the times that Single measured; None without Single.

    Its counts are fixed, so this needs no run of hours. A process costs what Single took beyond its two calls (one of them to warm up) per shape."""
    runs = [run for run in found["state"]["runs"] if run["technique"] == "Single" and run["complete"]]
    if not runs:
        return None
    shapes = found["shapes"]
    calls = [2.0 * math.prod(shapes[shape]) / rate for run in runs for shape, rate in run["finished"]]
    start = max(0.0, (sum(run["seconds"] for run in runs) - 2 * sum(calls)) / len(calls))
    return sum(10 * (start + call + call * min(200, math.ceil(10 / call))) for call in calls) / len(runs)


def study(options):
    print("| library | threads | technique | best | of the best | success | time | Default / it |")
    print("|:--|--:|:--|--:|--:|--:|--:|--:|")
    for library in options.blas.split(","):
        for threads in options.threads.split(","):
            budget = ["--time-budget", options.time_budget] if options.time_budget else []
            found = run(options.flopcast, "roofline", "study", "--blas", library, "--threads", threads, "--space", options.space,
                        "--trials", str(options.trials), "--techniques", options.techniques, *budget)
            default = default_seconds(found)
            if default:
                print(f"| {library} | {threads} | Default, computed | | | | {default:.0f} s | |")
            for row in found["rows"]:
                ratio = f"{default / row['seconds']:.1f}" if default else ""
                shape = "x".join(map(str, found["shapes"][row["leader"]]))
                succeeded = f"{round(row['success'] * row['trials'])} of {row['trials']}" if row["of_best"] else f"{row['trials']} not judged yet"
                print(f"| {library} | {threads} | {row['technique']} | {shape} | {row['of_best']:.3f} | {succeeded} "
                      f"| {row['seconds']:.1f} s | {ratio} |", flush=True)


def likwid_rate(test, bytes_, threads, ours):
    """What likwid-bench counts per second for a working set of so many bytes: the rate that a quarter of its short runs surpass, as flopcast's roofs are; None without that test.

    Its runs last about 20 ms at the rate `ours`; it takes whole seconds only, which on a shared machine are never undisturbed."""
    unit = "MFlops" if test.startswith("peakflops") else "MByte"
    passes = max(10, math.ceil(0.02 * ours / bytes_))
    rates = []
    for _ in range(4):
        command = ["likwid-bench", "-t", test, "-w", f"S0:{bytes_ // 1024}kB:{threads}", "-i", str(passes)]
        text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        rate = re.search(rf"{unit}/s:\s+([0-9.]+)", text)
        if not rate:
            return None
        rates.append(float(rate.group(1)) * 1e6)
    return upper_quartile(rates)


def upper_quartile(rates):
    return statistics.quantiles(rates, n=4, method="inclusive")[2]


def likwid_pairs(options):
    """(place, ours, theirs) of one measurement of either."""
    roofline = run(options.flopcast, "roofline", "--no-gemm", "--streams", ",".join(STREAMS))
    for roof in roofline["compute"]:
        if roof["name"] in PEAKS:
            ours = upper_quartile(roof["flops_per_second"]["samples"])
            theirs = likwid_rate(PEAKS[roof["name"]], 16384 * roof["threads"], roof["threads"], ours)
            yield ("registers", roof["name"], roof["threads"]), ours, theirs
    for roof in roofline["bandwidth"]:
        if not roof["nontemporal"]:
            ours = roof["bytes_per_second"]["attained"]
            tests = (STREAMS[roof["stream"]] + suffix for suffix in ("_avx512", "_avx", ""))
            theirs = next(filter(None, (likwid_rate(test, roof["working_set_bytes"], roof["threads"], ours) for test in tests)), None)
            yield (roof["level"], roof["stream"], roof["threads"]), ours, theirs


def compare_likwid(options):
    if shutil.which("likwid-bench") is None:
        sys.exit("likwid-bench is not installed (Debian: apt-get install likwid)")
    measured = {}
    for _ in range(options.rounds):
        for place, ours, theirs in likwid_pairs(options):
            if theirs:
                measured.setdefault(place, []).append((ours * 1e-9, theirs * 1e-9))
    print("| level | stream or ceiling | threads | flopcast | likwid-bench | ratio: median (range) | ratio of the best |\n|:--|:--|--:|--:|--:|--:|--:|")
    for (level, stream, threads), pairs in measured.items():
        ours, theirs = zip(*pairs)
        ratios = [pair[0] / pair[1] for pair in pairs]
        print(f"| {level} | {stream} | {threads} | {statistics.median(ours):.1f} | {statistics.median(theirs):.1f} "
              f"| {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | {max(ours) / max(theirs):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flopcast")
    parser.add_argument("--blas", default="openblas-serial")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--space", default="reduced")
    parser.add_argument("--trials", type=int, default=1)
    parser.add_argument("--techniques", default="Single,C+I+Outer,C+I+O+R,race,halving")
    parser.add_argument("--time-budget", help="of every library with every thread count; run it again to go on")
    parser.add_argument("--likwid", action="store_true", help="compare bandwidths and peaks instead")
    parser.add_argument("--rounds", type=int, default=3, help="of such a comparison, first ours, then theirs")
    options = parser.parse_args()
    compare_likwid(options) if options.likwid else study(options)


if __name__ == "__main__":
    main()
