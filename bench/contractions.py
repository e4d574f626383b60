#!/usr/bin/env python3
"""Contractions: how good predictions are after each stage of paper 002, and how fast the planner's choice is beside NumPy's einsum. Prints Markdown tables.

  bench/contractions.py ladder  --flopcast build/release/bin/flopcast [--n 100,200] [--blas openblas-serial] [--kernels gemv,ger,gemm]
  bench/contractions.py planner --flopcast build/release/bin/flopcast [--threads 1,2] [--cases CASES.csv]

ladder: mean |predicted - executed| / executed over the algorithms of abc=ai,ibc with i = 8 (the paper's figure 1b to 1f: 154, 26.3, 19.1, 14.7, 9.47 %), and how much longer the algorithm
predicted to be the fastest takes than the one that is.
planner: CASES.csv has lines name,"abc=bda,dc",a:312;b:312;c:24;d:312 (as the public TCCG suite is given); without it the paper's contractions are taken. einsum runs in this process with
optimize=True, alternating with the planner's runs; install NumPy with the BLAS to compare with. Run on an idle machine."""
import argparse
import csv
import json
import math
import os
import subprocess
import statistics
import sys
import time

STAGES = ["repeated", "distance", "prefetching", "failures", "first"]
PAPER = [("abc=ai,ibc", {"a": n, "b": n, "c": n, "i": 8}) for n in (100, 200, 400)] + [
    ("a=iaj,ji", {"a": n, "i": n, "j": n}) for n in (64, 400)] + [
    ("abc=ija,jbic", {"a": n, "b": n, "c": n, "i": k, "j": k}) for k in (8, 32) for n in (64, 128)]


def flopcast(options, arguments):
    finished = subprocess.run([options.flopcast, "contract", *arguments, "--quiet", "--json"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(finished.stdout)


def ladder(options):
    kernels = [word for kernel in options.kernels.split(",") for word in ("--kernel", kernel)]
    blas = ["--blas", options.blas] if options.blas else []
    print("| n | stage | average error | regret of the choice | micro-benchmarks | cost |\n|--:|:--|--:|--:|--:|--:|")
    for n in options.n.split(","):
        for stage in STAGES:
            made = flopcast(options, ["abc=ai,ibc", f"a=b=c={n}", "i=8", "--validate", "--stage", stage, *kernels, *blas])
            print(f"| {n} | {stage} | {100 * made['mean_error']:.1f} % | {100 * made['regret']:.1f} % | {made['cost']['benchmarks']} | {made['cost']['seconds']:.2f} s |", flush=True)


def cases(options):
    if not options.cases:
        return [(text, text, sizes) for text, sizes in PAPER]
    with open(options.cases, newline="", encoding="utf-8") as file:
        return [(row["name"], row["contraction"], {pair.split(":")[0]: int(pair.split(":")[1]) for pair in row["sizes"].split(";")})
                for row in csv.DictReader(file)]


def einsum_seconds(text, sizes, rounds=5):
    import numpy
    result, operands = text.split("=")
    a, b = operands.split(",")
    arrays = [numpy.asfortranarray(numpy.random.default_rng(1).standard_normal([sizes[x] for x in t])) for t in (a, b)]
    c = numpy.zeros([sizes[x] for x in result], order="F")
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        numpy.einsum(f"{a},{b}->{result}", *arrays, out=c, optimize=True)
        times.append(time.perf_counter() - begin)
    return times


def planner(options):
    for threads in options.threads.split(","):
        print(f"\n{threads} thread(s), GFLOP/s\n\n| case | planner | einsum | ratio |\n|:--|--:|--:|--:|")
        ratios = []
        for name, text, sizes in cases(options):
            flops = 2 * math.prod(sizes.values())
            words = [text, *(f"{index}={size}" for index, size in sizes.items()), "--run", "--threads", threads]
            before = einsum_seconds(text, sizes)
            ours = statistics.median(flopcast(options, words)["times"])
            theirs = statistics.median(before + einsum_seconds(text, sizes))
            ratios.append(theirs / ours)
            print(f"| {name} {' '.join(f'{i}={s}' for i, s in sizes.items())} | {flops / ours / 1e9:.1f} | {flops / theirs / 1e9:.1f} | {ratios[-1]:.2f} |", flush=True)
        print(f"\ngeometric mean of the ratio {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ladder", "planner"])
    parser.add_argument("--flopcast", default="build/release/bin/flopcast")
    parser.add_argument("--n", default="100,200")
    parser.add_argument("--blas", default="")
    parser.add_argument("--kernels", default="gemv,ger,gemm")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--cases", default="")
    options = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", options.threads.split(",")[0])
    {"ladder": ladder, "planner": planner}[options.what](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
