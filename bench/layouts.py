#!/usr/bin/env python3
"""Are the storage orders that `flopcast contract --layouts` chooses as fast as the best of all orders?

Each case is run in every order of the axes of its three tensors; the table compares the chosen and the written orders with the fastest.
Orders that come close to the fastest are run again in turns with the chosen one, so that a lucky moment doesn't count as the fastest.

Usage: PYTHONPATH=build/release/python bench/layouts.py
"""

import itertools
import statistics
import time

import numpy as np

import flopcast as fc

CASES = [
    ("ai,ibc->abc", dict(a=96, b=24, c=60, i=8)),
    ("ija,ijb->ab", dict(a=150, b=200, i=12, j=30)),
    ("abi,ic->abc", dict(a=20, b=300, c=40, i=5)),
    ("abk,ack->bc", dict(a=9, b=120, c=80, k=70)),
    ("kab,kc->kabc", dict(k=40, a=12, b=30, c=16)),
    ("ai,bi->ab", dict(a=500, b=700, i=20)),
]


def plan_of(subscripts, sizes):
    inputs, result = subscripts.split("->")
    shapes = [tuple(sizes[label] for label in labels) for labels in inputs.split(",")]
    plan = fc.plan(subscripts, *shapes, threads=1)
    operands = [np.random.rand(*shape) for shape in shapes]
    out = np.empty([sizes[label] for label in result])
    return lambda: plan(*operands, out=out)


def seconds_of(functions, rounds):
    """Returns the median time of each function, called in turns."""
    times = [[] for _ in functions]
    for _ in range(rounds):
        for function, column in zip(functions, times):
            begin = time.perf_counter()
            function()
            column.append(time.perf_counter() - begin)
    return [statistics.median(column) for column in times]


print("| contraction | orders | written / fastest | chosen / fastest | chosen |\n|---|--:|--:|--:|---|")
worst = 0.0
for text, sizes in CASES:
    inputs, result = text.split("->")
    tensors = inputs.split(",") + [result]
    chosen = [one.order for one in fc.contract_layouts([text], sizes, layouts=["A,B,C"]).tensors]
    orders = list(itertools.product(*(map("".join, itertools.permutations(labels)) for labels in tensors)))
    functions = [plan_of(f"{a},{b}->{c}", sizes) for a, b, c in orders]
    first = seconds_of(functions, 3)
    finalists = sorted(range(len(orders)), key=first.__getitem__)[:6] + [orders.index(tuple(chosen)), orders.index(tuple(tensors))]
    times = seconds_of([functions[i] for i in finalists], 31)
    fastest = min(times)
    worst = max(worst, times[-2] / fastest)
    print(f"| {text} | {len(orders)} | {times[-1] / fastest:.2f} | {times[-2] / fastest:.2f} | {','.join(chosen)} |", flush=True)
print(f"\nworst chosen / fastest: {worst:.2f}")
