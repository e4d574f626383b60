#!/usr/bin/env python3
"""How does flopcast.einsum compare with numpy.einsum(optimize=True) and numpy.dot?

Two questions, measured interleaved in one run:
- overhead: time of calls with tiny arrays whose plan is known, over that of numpy.dot with the same arrays
- speed: time of random contractions of two tensors, 3 to 8 indices, 10 to 10^9 products, over that of numpy.einsum(optimize=True)

Usage: PYTHONPATH=build/release/python bench/python_einsum.py [--cases N] [--seed N] [--max-products N]
Prints ratios: above 1, flopcast is faster.
"""

import argparse
import statistics
import time

import numpy as np

import flopcast as fc


def seconds_of(function, count):
    begin = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - begin) / count


def compared(functions, rounds=7, long_enough=0.003):
    """Returns the median time of each function, measured in turns."""
    counts = [max(1, int(long_enough / max(seconds_of(function, 1), 1e-7))) for function in functions]
    times = [[seconds_of(function, count) for function, count in zip(functions, counts)] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def random_contraction(random, max_products):
    """Returns subscripts and two operands."""
    while True:
        labels = list("abcdefgh"[: random.integers(3, 9)])
        roles = random.choice(["a", "b", "sum", "batch"], len(labels), p=[0.32, 0.32, 0.3, 0.06])
        sizes = {label: int(2 ** random.uniform(1, 9)) for label in labels}
        products = np.prod([float(size) for size in sizes.values()])
        terms = [[label for label, role in zip(labels, roles) if role in kinds] for kinds in (("a", "sum", "batch"), ("b", "sum", "batch"), ("a", "b", "batch"))]
        elements = [np.prod([float(sizes[label]) for label in term]) for term in terms]
        if 10 <= products <= max_products and max(elements) <= 3e7 and terms[0] and terms[1]:
            break
    terms = ["".join(random.permutation(term)) if term else "" for term in terms]
    operands = [random.standard_normal([sizes[label] for label in term]) for term in terms[:2]]
    return f"{terms[0]},{terms[1]}->{terms[2]}", operands


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1000, help="number of random contractions")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random contractions")
    parser.add_argument("--max-products", type=float, default=1e9, help="largest number of products of a contraction")
    options = parser.parse_args()
    fc.prepare()
    print("| tiny arrays | numpy.dot | flopcast.einsum | numpy.einsum | plan(a, b) |\n|---|--:|--:|--:|--:|")
    for n in (1, 2, 4):
        a = np.ones((n, n))
        plan = fc.plan("ij,jk->ik", a, a)
        fc.einsum("ij,jk->ik", a, a)
        times = compared([lambda: np.dot(a, a), lambda: fc.einsum("ij,jk->ik", a, a), lambda: np.einsum("ij,jk->ik", a, a), lambda: plan(a, a)], rounds=15)
        print(f"| {n} x {n} | " + " | ".join(f"{1e9 * value:.0f} ns" for value in times) + " |")
    random = np.random.default_rng(options.seed)
    ratios, lost = [], []
    for _ in range(options.cases):
        text, operands = random_contraction(random, options.max_products)
        fc.einsum(text, *operands)
        ours, theirs = compared([lambda: fc.einsum(text, *operands), lambda: np.einsum(text, *operands, optimize=True)], rounds=3)
        if theirs / ours < 0.95:  # a loss counts if a second measurement repeats it
            ours, theirs = compared([lambda: fc.einsum(text, *operands), lambda: np.einsum(text, *operands, optimize=True)])
        ratios.append(theirs / ours)
        if ratios[-1] < 0.95:
            lost.append((ratios[-1], text, [operand.shape for operand in operands], ours))
    mean = statistics.geometric_mean(ratios)
    print(f"\n{len(ratios)} contractions: {mean:.2f} times as fast as NumPy in the geometric mean, {min(ratios):.2f} to {max(ratios):.0f}; "
          f"{len(lost)} lost by over 5 %")
    for ratio, text, shapes, ours in sorted(lost)[:20]:
        print(f"lost: {ratio:.2f} {text} {shapes}, {1e6 * ours:.1f} us")


if __name__ == "__main__":
    main()
