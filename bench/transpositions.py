#!/usr/bin/env python3
"""Measures transpositions beside copies: the time of `flopcast.transpose(a, axes, out=c)` over that of the best copy of as many bytes, in turns.
Prints Markdown tables: per type and threads the geometric mean and the worst of random permutations, then the slowest ones. Reach: 1.1.

  PYTHONPATH=build/release/python bench/transpositions.py [--cases 60] [--seed 1] [--threads 1,2]
                                [--types float32,float64,complex64,complex128] [--elements 1e3:1e8] [--hptt PATH/libhptt.so]

Cases have 2 to 7 indices, none of which has the same neighbour before and after, and numbers of elements spread evenly by their logarithm. The best
copy is the faster one of NumPy's copy of contiguous memory and, for several threads, the same in as many parts. Run this on an idle machine."""
import argparse
import concurrent.futures
import ctypes
import statistics
import time

import numpy as np

import flopcast as fc

HPTT = {"float32": ("sTensorTranspose", ctypes.c_float), "float64": ("dTensorTranspose", ctypes.c_double)}


def random_case(random, lowest, highest):
    """Returns a shape and a permutation."""
    order = random.integers(2, 8)
    while True:
        axes = [int(x) for x in random.permutation(order)]
        if all(after != before + 1 for before, after in zip(axes, axes[1:])) and axes != list(range(order)):
            break
    elements = np.exp(random.uniform(np.log(lowest), np.log(highest)))
    shares = random.dirichlet(np.full(order, 3.0))
    return [max(2, round(float(elements**share))) for share in shares], axes


def compared(functions, rounds, long_enough=0.002):
    """Returns the times of each function, measured in turns."""
    counts = []
    for function in functions:
        function()
        begin = time.perf_counter()
        function()
        counts.append(max(1, int(long_enough / max(time.perf_counter() - begin, 1e-7))))
    times = [[] for _ in functions]
    for _ in range(rounds):
        for taken, function, count in zip(times, functions, counts):
            begin = time.perf_counter()
            for _ in range(count):
                function()
            taken.append((time.perf_counter() - begin) / count)
    return times


def copies(a, c, threads, pool):
    """Returns functions that copy as many bytes as `a` has: at once and, where threads may share the work, in parts."""
    source, target = a.reshape(-1), c.reshape(-1)
    ways = [lambda: np.copyto(target, source)]
    if threads > 1:
        parts = list(zip(np.array_split(target, threads), np.array_split(source, threads)))
        ways.append(lambda: list(pool.map(lambda part: np.copyto(*part), parts)))
    return ways


def hptt(library, a, axes, c, threads):
    name, scalar = HPTT[a.dtype.name]
    integers = ctypes.c_int * a.ndim
    arguments = (integers(*axes), ctypes.c_int(a.ndim), scalar(1), ctypes.c_void_p(a.ctypes.data), integers(*a.shape), None, scalar(0),
                 ctypes.c_void_p(c.ctypes.data), None, ctypes.c_int(threads), ctypes.c_int(1))
    return lambda: getattr(library, name)(*arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=60, help="random permutations of each type and number of threads")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--types", default="float32,float64,complex64,complex128")
    parser.add_argument("--elements", default="1e3:1e8", help="fewest and most elements")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slowest", type=int, default=12, help="how many slow cases are listed")
    parser.add_argument("--hptt", default="")
    options = parser.parse_args()
    fc.prepare()
    lowest, highest = (float(bound) for bound in options.elements.split(":"))
    library = ctypes.CDLL(options.hptt) if options.hptt else None
    slow = []
    print("| type | threads | time / copy, geometric mean | worst | over 1.1 | HPTT / copy | HPTT / ours |\n|:--|--:|--:|--:|--:|--:|--:|", flush=True)
    for threads in (int(count) for count in options.threads.split(",")):
        pool = concurrent.futures.ThreadPoolExecutor(threads)
        for dtype in options.types.split(","):
            random = np.random.default_rng(options.seed)
            ratios, theirs = [], []
            for _ in range(options.cases):
                shape, axes = random_case(random, lowest, highest)
                a = np.ones(shape, dtype)
                c = np.zeros([shape[axis] for axis in axes], dtype)
                plan = fc.plan("abcdefg"[: len(shape)] + "->" + "".join("abcdefg"[axis] for axis in axes), a, out=c, threads=threads)
                ways = [lambda: plan(a, out=c), *copies(a, c, threads, pool)]
                has_hptt = library is not None and dtype in HPTT
                if has_hptt:
                    ways.append(hptt(library, a, axes, c, threads))
                times = [statistics.median(column) for column in compared(ways, options.rounds)]
                copy = min(times[1 : len(times) - has_hptt])
                ratios.append(times[0] / copy)
                slow.append((ratios[-1], dtype, threads, shape, axes, times[0], 2 * a.nbytes / times[0]))
                if has_hptt:
                    theirs.append((times[-1] / copy, times[-1] / times[0]))
            others = [f"{statistics.geometric_mean(column):.2f}" for column in zip(*theirs)] or ["", ""]
            print(f"| {dtype} | {threads} | {statistics.geometric_mean(ratios):.2f} | {max(ratios):.2f} | {sum(ratio > 1.1 for ratio in ratios)} of "
                  f"{len(ratios)} | {others[0]} | {others[1]} |", flush=True)
    print("\n| slowest | type | threads | shape | axes | time | both arrays |\n|--:|:--|--:|:--|:--|--:|--:|")
    for ratio, dtype, threads, shape, axes, seconds, rate in sorted(slow, reverse=True)[: options.slowest]:
        print(f"| {ratio:.2f} | {dtype} | {threads} | {' '.join(map(str, shape))} | {' '.join(map(str, axes))} | {1e6 * seconds:.4g} us | {1e-9 * rate:.3g} GB/s |")


if __name__ == "__main__":
    main()
