#!/usr/bin/env python3
"""How good are the orders of flopcast.PathOptimizer when NumPy executes them?

opt_einsum contracts each expression on NumPy's arrays along the paths of flopcast.PathOptimizer, along its own (optimal, dp, greedy,
random-greedy) and along that of cotengra's HyperOptimizer, in turns. Paths whose largest intermediate exceeds --max-bytes, and those that
took over ten times as long as the fastest one, are skipped after their first execution.

Usage: PYTHONPATH=build/release/python:OPT_EINSUM[:COTENGRA:AUTORAY] bench/numpy_paths.py [--names REGEX] [--rounds N] [--max-bytes N]

Prints the time along flopcast's order over that along the best known one: for the execution alone, and with the search of flopcast's order
by a call of opt_einsum.contract(..., optimize=PathOptimizer()). 1.00: flopcast's is the best known order.
"""

import argparse
import math
import re
import statistics
import time

import numpy as np
import opt_einsum

import flopcast as fc

EXPRESSIONS = {
    "hypercontraction": ("iP,sP,PQ,jQ,tQ,ti,sj->", dict(i=300, j=300, s=50, t=50, P=2000, Q=2000)),
    "attention": ("bgk,bkd,bk->bgd", dict(b=64, g=8, k=4096, d=128)),
    "chain": ("ij,jk,kl,lm->im", dict(i=500, j=30, k=700, l=40, m=600)),
    "CCSD singles": ("abef,ei,fj->abij", dict(a=40, b=40, e=40, f=40, i=12, j=12)),
    "batched vectors": ("bij,bjk,bk->bi", dict(b=50, i=80, j=80, k=80)),
    "bilinear form": ("ab,bc,c,a->", dict(a=700, b=900, c=600)),
    "Tucker": ("xyz,xa,yb,zc->abc", dict(x=60, y=60, z=60, a=20, b=20, c=20)),
    "Khatri-Rao": ("ijk,jr,kr->ir", dict(i=150, j=150, k=150, r=30)),
    "AO to MO": ("pi,qa,rj,sb,pqrs->iajb", dict(p=30, q=30, r=30, s=30, i=10, a=20, j=10, b=20)),
    "density fitting": ("Pab,Pcd,bd->ac", dict(P=200, a=40, b=40, c=40, d=40)),
    "MPS": ("ab,apc,bpd,cqe,dqf,ef->", dict(a=80, b=80, c=80, d=80, e=80, f=80, p=4, q=4)),
    "ring": ("ab,bc,cd,da->", dict(a=300, b=20, c=400, d=30)),
    "weighted products": ("ij,j,jk,k,kl->il", dict(i=400, j=300, k=500, l=200)),
    "batched chain": ("bij,bjk,bkl->bil", dict(b=30, i=60, j=10, k=70, l=20)),
}


def largest_bytes(info):
    return 8 * float(info.largest_intermediate)


def paths_of(text, arrays):
    """Returns the known paths by their names."""
    optimizers = {name: name for name in ("dp", "greedy", "random-greedy")}
    if len(arrays) <= 8:
        optimizers["optimal"] = "optimal"
    try:
        import cotengra

        optimizers["cotengra"] = cotengra.HyperOptimizer(methods=["greedy", "labels"], max_time=1, progbar=False, parallel=False)
    except ImportError:
        pass
    return {name: opt_einsum.contract_path(text, *arrays, optimize=optimizer) for name, optimizer in optimizers.items()}


def seconds_of(function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def compare(text, sizes, options):
    random = np.random.default_rng(1)
    terms = text.split("->")[0].split(",")
    arrays = [random.standard_normal([sizes[label] for label in term]) for term in terms]
    ours = opt_einsum.contract_path(text, *arrays, optimize=fc.PathOptimizer())[0]
    paths = {name: path for name, (path, info) in paths_of(text, arrays).items() if largest_bytes(info) <= options.max_bytes}
    calls = {"flopcast": lambda: opt_einsum.contract(text, *arrays, optimize=ours), "with search": lambda: opt_einsum.contract(text, *arrays, optimize=fc.PathOptimizer())}
    calls.update({name: lambda path=path: opt_einsum.contract(text, *arrays, optimize=path) for name, path in paths.items()})
    times = {name: [] for name in calls}
    for _ in range(options.rounds):
        for name, call in calls.items():
            best = min((min(some) for some in times.values() if some), default=math.inf)
            if not times[name] or min(times[name]) < 10 * best or name in ("flopcast", "with search"):
                times[name].append(seconds_of(call))
    return {name: statistics.median(some) for name, some in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", default="", help="regular expression of the expressions' names")
    parser.add_argument("--rounds", type=int, default=11, help="number of executions of each path")
    parser.add_argument("--max-bytes", type=float, default=4e9, help="largest intermediate of a path that is executed")
    options = parser.parse_args()
    print("| expression | best known | its time | flopcast / best | with search |\n|:--|:--|--:|--:|--:|")
    alone, searched = [], []
    for name, (text, sizes) in EXPRESSIONS.items():
        if not re.search(options.names, name):
            continue
        medians = compare(text, sizes, options)
        known = {who: seconds for who, seconds in medians.items() if who != "with search"}
        best = min(known, key=known.get)
        alone.append(medians["flopcast"] / known[best])
        searched.append(medians["with search"] / known[best])
        print(f"| {name} `{text}` | {best} | {1e3 * known[best]:.3g} ms | {alone[-1]:.2f} | {searched[-1]:.2f} |", flush=True)
    print(f"\nat worst {max(alone):.2f}, with the search {max(searched):.2f}; geometric means {math.exp(statistics.mean(map(math.log, alone))):.2f} and {math.exp(statistics.mean(map(math.log, searched))):.2f}")


if __name__ == "__main__":
    main()
