#!/usr/bin/env python3
"""What does the driver of LAPACK that `flopcast rank` chooses lose at sizes that were never run, and under another library?

Per job and library, the sizes of --n are sampled first, with an empty store; another library has models of its own, which need samples of their own.
Then the drivers are ranked by the models alone at the sizes of --held-out, and all of them are run, interleaved and drift-normalised. The regret is the
time of the chosen driver over that of the fastest, minus 1. Differences below the split-half difference of the measurements are noise.

  bench/driver_regret.py --flopcast build/release/bin/flopcast [--jobs eigh,svd] [--blas openblas-serial,blis-serial] [--n ...] [--held-out ...]

The short form takes a minute or two:

  bench/driver_regret.py --n 60,120,240 --held-out 90,170 --time-budget 5s --repetitions 3"""
import statistics
import sys

from program_runs import argument_parser, bold_if, environment_with_home
from ranking import REACH, inside_intervals, rank

# Sizes of each job: {n} stands for all orders of a list, {half} for their halves. Ranges of several sizes are combined.
SIZES = {
    "eigh": ["n={n}"],
    "svd": ["m={n}", "n={half}"],
    "lstsq": ["m={n}", "n={half}", "nrhs=4"],
    "solve": ["n={n}", "nrhs=8"],
    "inverse": ["n={n}", "nrhs=8"],
}


def words_of(job, orders):
    half = ",".join(str(int(n) // 2) for n in orders.split(","))
    return [word.format(n=orders, half=half) for word in SIZES[job]]


def spread(values):
    """Returns the median in percent, and in brackets the smallest and the largest."""
    return f"{100 * statistics.median(values):.1f} ({100 * min(values):.1f} to {100 * max(values):.1f})"


def details(job, blas, decisions):
    for d in decisions:
        validation = d["validation"]
        yield (f"| {job} | {blas} | {' x '.join(map(str, d['sizes']))} | {d['chosen']['variant']} | {validation['best']['variant']} | "
               f"{100 * validation['regret']:.1f} | {100 * validation['repeatability']:.1f} |")


def summary(job, blas, decisions):
    validations = [d["validation"] for d in decisions]
    regrets = [v["regret"] for v in validations]
    inside = [x for d in decisions for x in inside_intervals(d)]
    errors = [abs(run["error"]) for v in validations for run in v["measured"]]
    fastest = sum(d["chosen"]["variant"] == d["validation"]["best"]["variant"] for d in decisions)
    return (f"| {job} | {blas} | {len(decisions)} | {fastest} | {bold_if(spread(regrets), statistics.median(regrets) > REACH['regret_median'])} | "
            f"{spread(errors)} | {100 * sum(inside) / max(1, len(inside)):.0f} % | {100 * statistics.median(v['repeatability'] for v in validations):.1f} |")


def main():
    parser = argument_parser(__doc__, jobs=",".join(SIZES), blas="openblas-serial,blis-serial", n="100,200,400,800", held_out="150,300,600",
                             time_budget="60s", repetitions="5", threads="1")
    parser.add_argument("--keep", help="folder for the store")
    options = parser.parse_args()
    environment = environment_with_home(options.keep, "drivers")
    rows = []
    print("| job | BLAS | sizes | chosen | fastest | regret % | split-half % |\n|---|---|--:|---|---|--:|--:|")
    for blas in options.blas.split(","):
        for job in options.jobs.split(","):
            rank(options, job, blas, environment, words_of(job, options.n), ["--time-budget", options.time_budget])
            document = rank(options, job, blas, environment, words_of(job, options.held_out),
                            ["--time-budget", "0s", "--validate", "--repetitions", options.repetitions])
            decisions = document["places"][0]["decisions"]
            print("\n".join(details(job, blas, decisions)))
            rows.append(summary(job, blas, decisions))
            sys.stdout.flush()
    print("\nMedian, smallest and largest in percent; bold: the median regret is above 1 %.\n")
    print("| job | BLAS | decisions | fastest chosen | regret % | error of times % | 95 % intervals hold | split-half % |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
