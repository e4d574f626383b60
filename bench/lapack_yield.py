#!/usr/bin/env python3
"""Measures the quality of the block sizes of `flopcast tune lapack`: tunes every routine that queries ilaenv with an empty store, then runs the routine
with every block size, interleaved and drift-normalised. Prints a Markdown table of yields (best measured time / measured time of the chosen block size).
It also counts the decisions whose max regret held: the measured regret isn't larger, but for the difference between two measurements.

  bench/lapack_yield.py --flopcast build/release/bin/flopcast [--precision d] [--blas openblas-serial] [--n 300,800,1600] [--nb ...] [--time-budget 4min]

Validation takes far longer than tuning: by default it covers eight block sizes and three orders. With --keep FOLDER, Ctrl-C prints the results so
far, and the same command continues with the other routines. This takes a quarter of an hour and measures some 200 decisions:

  bench/lapack_yield.py --precision s --n 100,130,170,220,280,350,440,550 --nb 16,24,32,48,64,96,128 --time-budget 6min --repetitions 5

The error between block sizes (BlockSizeOptions::block_error) was fitted to the routines FITTED in double precision; the others count apart."""
import glob
import json
import os
import signal
import statistics
import subprocess
import sys

from program_runs import argument_parser, bold_if, environment_with_home

FITTED = ["geqrf", "potrf", "getrf", "gelqf", "sytrd", "gebrd", "trtri"]
REACH = {"median": 0.985, "worst": 0.95}


def yields(routine):
    return [d["validation"]["gain_kept"] for d in routine["decisions"] if "validation" in d]


def held(routine):
    """Returns for each validated decision whether its max regret held."""
    return [d["validation"]["regret"] <= d["regret"] + d["validation"]["repeatability"] for d in routine["decisions"] if "validation" in d]


def size_text(sizes):
    return str(sizes[0]) if len(set(sizes)) == 1 else "x".join(map(str, sizes))


def row(routine):
    values = yields(routine)
    median, worst = statistics.median(values), min(values)
    decisions = [d for d in routine["decisions"] if "validation" in d]
    at = min(decisions, key=lambda d: d["validation"]["gain_kept"])
    gains = [d["validation"]["default_seconds"] / d["validation"]["chosen_seconds"] - 1 for d in decisions if d["validation"]["default_seconds"] > 0]
    noise = statistics.median(d["validation"]["repeatability"] for d in decisions)
    return (f"| {routine['routine']} | {len(decisions)} | {bold_if(f'{100 * median:.1f}', median < REACH['median'])} | "
            f"{bold_if(f'{100 * worst:.1f}', worst < REACH['worst'])} | {size_text(at['sizes'])}: {at['chosen']['nb']}, {at['validation']['best']['nb']} | "
            f"{100 * statistics.median(gains):+.1f} / {100 * min(gains):+.1f} | {100 * noise:.1f} | {sum(held(routine))} of {len(held(routine))} | {routine['seconds']:.1f} s |")


def main():
    parser = argument_parser(__doc__, precision="d", blas="openblas-serial", threads="1", n="300,800,1600", nb="16,24,32,48,64,96,128,192",
                             time_budget="4min")
    parser.add_argument("--repetitions", default="7", help="repetitions of long runs; short runs are repeated more often; with three, yields of 90 to 95 %% may be noise")
    parser.add_argument("--keep", help="folder for the store, the tuning file and the JSON documents")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for flopcast, which prints its results so far
    environment = environment_with_home(options.keep, "lapack")
    home = environment["FLOPCAST_HOME"]
    command = [options.flopcast, "tune", "lapack", "--precisions", options.precision, "--blas", options.blas, "--threads", options.threads, "--n", options.n,
               "--nb", options.nb, "--time-budget", options.time_budget, "--repetitions", options.repetitions, "--validate", "--json", "--quiet",
               "--tuning", os.path.join(home, "tuning.json")]
    name = os.path.join(home, f"lapack-{options.precision}-{options.blas}-")
    with open(f"{name}{len(glob.glob(name + '*')):02}.json", "w", encoding="utf-8") as part:
        subprocess.run(command, env=environment, stdout=part, check=False)  # Ctrl-C ends the command after the current routine
    documents = [json.load(open(part, encoding="utf-8")) for part in sorted(glob.glob(name + "*")) if os.path.getsize(part) > 0]
    routines = [r for document in documents for r in document["routines"]]
    validated = [r for r in routines if yields(r)]
    print("Bold: short of \"reach\" (yield median 98.5 %, worst 95 %). Gain: measured, of the chosen block size over LAPACK's default.\n")
    print("| routine | sizes | yield: median % | worst % | worst at: chosen, best nb | gain: median / least % | split-half % | regret held | tuning |")
    print("|---|--:|--:|--:|---|--:|--:|--:|--:|")
    for routine in validated:
        print(row(routine))
    every = [y for r in validated for y in yields(r)]
    held_all = [h for r in validated for h in held(r)]
    bounds = [d["regret"] for r in validated for d in r["decisions"] if "validation" in d]
    print(f"| all | {len(every)} | {100 * statistics.median(every):.1f} | {100 * min(every):.1f} | | | | {sum(held_all)} of {len(held_all)} | |")
    others = [h for r in validated if r["routine"][1:].split(":")[0] not in FITTED for h in held(r)]
    print(f"\nmax regret held in {100 * statistics.mean(held_all):.1f} % of {len(held_all)} decisions about {len(validated)} routines; "
          f"its median is {100 * statistics.median(bounds):.1f} %. "
          f"Without the routines that it was fitted to: {sum(others)} of {len(others)}")
    for routine in routines:
        if not yields(routine) and routine["seconds"] > 0:
            print(f"\n{routine['routine']}: {routine['remark']}")
    if documents and documents[-1]["left_out"]:
        print(f"\nNot reached within the budget: {', '.join(documents[-1]['left_out'])}", file=sys.stderr)


if __name__ == "__main__":
    main()
