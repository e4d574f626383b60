#!/usr/bin/env python3
"""How good are flopcast's orders of pairwise contractions beside those of opt_einsum and cotengra?

Every network is contracted along flopcast's order, along opt_einsum's best path ("optimal" for few operands, else dynamic programming, else
random greedy) and along the best path of cotengra's HyperOptimizer. flopcast's planner executes all of them, in turns. A ratio is the time
along another order over the time along flopcast's: above 1, flopcast's order is faster. Searching isn't part of the times, but is shown.

Usage: PYTHONPATH=build/release/python[:OPT_EINSUM:COTENGRA:AUTORAY] bench/networks.py [--threads N] [--effort E] [--names REGEX] [--seed N]
                                                                                       [--search SECONDS] [--max-bytes N]
opt_einsum and cotengra are skipped if Python doesn't find them. Prints a Markdown table, geometric means and the worst ratios.
"""

import argparse
import math
import random
import re
import statistics
import sys
import time

import numpy as np

import flopcast as fc


def letter(i):
    """Returns the i-th label. The block of Unicode has 20 000 letters."""
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] if i < 52 else chr(0x4E00 + i)


class Builder:
    """Collects tensors whose axes have names of any kind."""

    def __init__(self):
        self.sizes, self.operands = {}, []

    def add(self, *axes, **sizes):
        self.operands.append(axes)
        self.sizes.update(sizes)

    def network(self, output, sizes):
        letters = {axis: letter(i) for i, axis in enumerate(dict.fromkeys(axis for axes in self.operands for axis in axes))}
        text = ",".join("".join(letters[axis] for axis in axes) for axes in self.operands) + "->" + "".join(letters[axis] for axis in output)
        return text, {letters[axis]: sizes(axis) for axis in letters}


def chain(count, draw):
    """A product of matrices."""
    all_ = Builder()
    for i in range(count):
        all_.add(i, i + 1)
    return all_.network((0, count), lambda axis: draw.randint(20, 2000))


def mps(sites, bond, physical, operator=0):
    """The norm of a matrix product state, or the expectation of a matrix product operator of bond `operator`."""
    all_ = Builder()
    for side in ("ket", "bra"):
        for i in range(sites):
            bonds = [(side, j) for j in (i, i + 1) if 0 < j < sites]
            all_.add(*bonds, ("p", side if operator else "", i))
    for i in range(sites if operator else 0):
        all_.add(*[("o", j) for j in (i, i + 1) if 0 < j < sites], ("p", "ket", i), ("p", "bra", i))
    return all_.network((), lambda axis: physical if axis[0] == "p" else operator if axis[0] == "o" else bond)


def peps(rows, columns, bond, physical):
    """The norm of a projected entangled pair state, or a lattice without physical legs."""
    all_ = Builder()
    for side in ("ket", "bra") if physical else ("",):
        for i in range(rows):
            for j in range(columns):
                legs = [(side, "v", i, j)] * (i + 1 < rows) + [(side, "v", i - 1, j)] * (i > 0)
                legs += [(side, "h", i, j)] * (j + 1 < columns) + [(side, "h", i, j - 1)] * (j > 0)
                all_.add(*legs, *([("p", i, j)] if physical else []))
    return all_.network((), lambda axis: physical if axis[0] == "p" else bond)


def tensor_train(cores, rank, rows, columns, vectors):
    """A matrix in tensor train format times a vector of that format (vectors = 0) or times full vectors."""
    all_ = Builder()
    for i in range(cores):
        all_.add(*[("r", j) for j in (i, i + 1) if 0 < j < cores], ("m", i), ("n", i))
    if vectors:
        all_.add(*[("n", i) for i in range(cores)], ("v",))
    else:
        for i in range(cores):
            all_.add(*[("s", j) for j in (i, i + 1) if 0 < j < cores], ("n", i))
    output = [("m", i) for i in range(cores)] + ([("v",)] if vectors else [])
    sizes = {"r": rank, "s": rank, "m": rows, "n": columns, "v": vectors}
    return all_.network(output, lambda axis: sizes[axis[0]])


def regular_graph(nodes, degree, size, draw, opened=0):
    """A random graph in which `degree` edges meet in every node. `opened` of its edges stay in the result."""
    while True:
        ends = [node for node in range(nodes) for _ in range(degree)]
        draw.shuffle(ends)
        edges = [tuple(sorted(pair)) for pair in zip(ends[::2], ends[1::2])]
        if len(set(edges)) == len(edges) and all(a != b for a, b in edges):
            break
    all_ = Builder()
    for node in range(nodes):
        all_.add(*[edge for edge in edges if node in edge], *([("open", node)] if node < opened else []))
    return all_.network([("open", node) for node in range(opened)], lambda axis: size)


def circuit(qubits, depth, draw):
    """An amplitude of a random circuit of two-qubit gates between neighbours."""
    all_, wires = Builder(), [(q, 0) for q in range(qubits)]
    for q in range(qubits):
        all_.add((q, 0))
    for layer in range(depth):
        for q in range(layer % 2, qubits - 1, 2):
            after = [(w[0], w[1] + 1) for w in wires[q : q + 2]]
            all_.add(*wires[q : q + 2], *after)
            wires[q : q + 2] = after
    for wire in wires:
        all_.add(wire)
    return all_.network((), lambda axis: 2)


def tree(operands, longest, draw):
    """A random tree of tensors with open legs."""
    all_, edges = Builder(), [(i, draw.randrange(i)) for i in range(1, operands)]
    opened = sorted(draw.sample(range(operands), 4))
    for node in range(operands):
        all_.add(*[edge for edge in edges if node in edge], *([("open", node)] if node in opened else []))
    return all_.network([("open", node) for node in opened], lambda axis: draw.randint(4, longest))


def written(text, **sizes):
    return text, {label: sizes[label] for label in sorted(set(text) - set(",->"))}


def networks(seed):
    """Returns (name, text, sizes) of all networks."""
    draw = random.Random(seed)
    o, v = 16, 60
    orbitals = dict.fromkeys("ijklmn", o) | dict.fromkeys("abcdef", v)
    basis = dict.fromkeys("ijkl", 44) | dict.fromkeys("pqrs", 40)
    found = [(f"chain of {count}", *chain(count, draw)) for count in (4, 6, 8, 10)]
    found += [
        ("MPS norm", *mps(10, 96, 4)), ("MPS norm, long", *mps(40, 64, 2)), ("MPO expectation", *mps(8, 48, 4, 6)), ("MPO expectation, wide", *mps(5, 96, 3, 12)),
        ("PEPS 3 x 3", *peps(3, 3, 5, 2)), ("PEPS 4 x 4", *peps(4, 4, 3, 2)), ("lattice 6 x 6", *peps(6, 6, 8, 0)), ("lattice 4 x 10", *peps(4, 10, 16, 0)),
        ("TT matrix, TT vector", *tensor_train(5, 12, 10, 10, 0)), ("TT matrix, vectors", *tensor_train(4, 16, 12, 12, 32)), ("TT matrix, long", *tensor_train(6, 8, 8, 8, 0)),
        ("attention, linear", *written("bqhd,bkhd,bkhv->bqhv", b=4, q=512, k=512, h=8, d=64, v=64)),
        ("attention, projected", *written("bqx,xd,yd,bky,bkz,zv->bqv", b=4, q=300, k=300, x=256, y=256, z=256, d=64, v=64)),
        ("low-rank adapters", *written("blx,xr,ry,yz->blz", b=8, l=512, x=512, r=8, y=512, z=512)),
        ("batched outer sums", *written("bgk,bkd,bk->bgd", b=64, g=8, k=4096, d=128)),
        ("CCSD ladder", *written("efmn,abef,mnij->abij", a=40, b=40, e=40, f=40, i=16, j=16, m=16, n=16)),
        ("CCSD rings", *written("mnef,aeim,bfjn->abij", **orbitals)), ("CCSD singles", *written("mnef,me,nf,ai,bj->abij", **orbitals)),
        ("CCSD T1 twice", *written("abef,ei,fj->abij", **orbitals)), ("CCSD doubles, singles", *written("mnef,abmn,ei,fj->abij", **orbitals)),
        ("MP2-like", *written("ijab,ijcd,acbd->", **orbitals)), ("AO to MO", *written("pi,qj,ijkl,rk,sl->pqrs", **basis)),
        ("tensor hypercontraction", *written("iP,sP,PQ,jQ,tQ,ti,sj->", i=100, j=100, s=40, t=40, P=600, Q=600)),
        ("density fitting exchange", *written("Pmn,mi,Pls,li->ns", P=300, m=100, n=100, l=100, s=100, i=30)),
        ("opt_einsum's README", *written("ea,fb,abcd,gc,hd->efgh", **dict.fromkeys("abcdefgh", 40))),
        ("opt_einsum's long one", *written("bdik,acaj,ikab,ajac,ikbd->", **dict.fromkeys("abcdijk", 20))),
        ("Khatri-Rao (MTTKRP)", *written("ijkl,jr,kr,lr->ir", i=70, j=70, k=70, l=70, r=32)), ("Tucker core", *written("ijkl,ia,jb,kc,ld->abcd", **dict.fromkeys("ijkl", 60), a=12, b=14, c=16, d=18)),
        ("bilinear form", *written("xi,ijk,yj,zk->xyz", x=200, y=150, z=100, i=60, j=70, k=80)),
    ]
    found += [(f"random graph of {nodes}, degree {degree}", *regular_graph(nodes, degree, size, draw, opened))
              for nodes, degree, size, opened in ((8, 3, 32, 2), (10, 3, 20, 2), (12, 4, 6, 1), (20, 3, 8, 0), (30, 3, 6, 0), (60, 3, 3, 2))]
    found += [(f"circuit, {qubits} qubits, depth {depth}", *circuit(qubits, depth, draw)) for qubits, depth in ((10, 10), (16, 8))]
    found += [(f"tree of {count}", *tree(count, 40, draw)) for count in (8, 14)]
    return found


def shapes_of(text, sizes):
    return [tuple(sizes[label] for label in term) for term in text.split("->")[0].split(",")]


def steps_of(text, path):
    """Returns the positions and the subscripts of each step of a path. The labels of an intermediate stand in the order in which they
    occur in its operands, as in opt_einsum."""
    inputs, output = text.split("->")
    terms, steps = inputs.split(","), []
    for number, pair in enumerate(path):
        taken = [terms[i] for i in sorted(pair, reverse=True)]
        rest = [term for i, term in enumerate(terms) if i not in pair]
        needed = set(output).union(*rest)
        kept = output if number + 1 == len(path) else "".join(label for label in dict.fromkeys("".join(taken)) if label in needed)
        steps.append((sorted(pair, reverse=True), ",".join(taken) + "->" + kept))
        terms = [*rest, kept]
    return steps


class AlongPath:
    """A network contracted along a path. The planner plans every step once. Results of steps are written to the same memory every time, as
    those of a plan for the whole network."""

    def __init__(self, text, path, arrays, options):
        self.steps = steps_of(text, path)
        self.arrays, self.options, self.plans, self.results = arrays, options, [], []

    def largest_bytes(self, sizes):
        """Returns the bytes of the largest intermediate."""
        return 8 * max(math.prod(sizes[label] for label in text.split("->")[1]) for _, text in self.steps)

    def __call__(self):
        arrays = list(self.arrays)
        for number, (pair, text) in enumerate(self.steps):
            taken = [arrays.pop(i) for i in pair]
            if number == len(self.plans):
                self.plans.append(fc.plan(text, *taken, threads=self.options.threads, effort=self.options.effort))
                self.results.append(np.asarray(self.plans[number](*taken)))
            self.plans[number](*taken, out=self.results[number])
            arrays.append(self.results[number])
        return arrays[0]


def opt_einsum_path(text, shapes):
    import opt_einsum

    how = "optimal" if len(shapes) <= 8 else "dp" if len(shapes) <= 20 else "random-greedy-128"
    return opt_einsum.contract_path(text, *shapes, shapes=True, optimize=how)[0]


def cotengra_path(text, shapes, seconds):
    import cotengra

    inputs, output = text.split("->")
    terms = [tuple(term) for term in inputs.split(",")]
    sizes = {label: size for term, shape in zip(terms, shapes) for label, size in zip(term, shape)}
    search = cotengra.HyperOptimizer(methods=["greedy", "labels"], optlib="random", max_repeats=200, max_time=seconds, parallel=False, progbar=False, reconf_opts={})
    return search.search(terms, tuple(output), sizes).get_path()


def timed(function):
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def compare(name, text, sizes, options):
    """Returns the seconds of searching and of contracting along each order."""
    shapes = shapes_of(text, sizes)
    random_numbers = np.random.default_rng(1)
    arrays = [np.asarray(random_numbers.standard_normal(shape) / math.sqrt(max(1, math.prod(shape)) ** 0.5)) for shape in shapes]  # numbers, too
    ways, searches = {}, {}
    searches["flopcast"], plan = timed(lambda: fc.plan(text, *arrays, threads=options.threads, effort=options.effort))
    result = np.asarray(plan(*arrays))
    ways["flopcast"] = lambda: plan(*arrays, out=result)
    for library, find in (("opt_einsum", lambda: opt_einsum_path(text, shapes)), ("cotengra", lambda: cotengra_path(text, shapes, options.search))):
        if library in options.libraries:
            searches[library], path = timed(find)
            along = AlongPath(text, path, arrays, options)
            if along.largest_bytes(sizes) <= options.max_bytes:
                ways[library] = along
    results = {way: np.asarray(run()) for way, run in ways.items()}  # plans, and touches memory
    scale = max(1e-300, float(np.max(np.abs(results["flopcast"]))))
    for way, result in results.items():
        if np.max(np.abs(result - results["flopcast"])) > 1e-6 * scale:
            print(f"{name}: the result along the order of {way} differs", file=sys.stderr)
    del results
    once = {way: timed(run)[0] for way, run in ways.items()}
    rounds = max(3, min(25, round(4 / sum(once.values()))))
    times = {way: [] for way in ways}
    for _ in range(rounds):
        for way, run in ways.items():
            times[way].append(timed(run)[0])
    return searches, {way: statistics.median(times[way]) if way in times else math.inf for way in searches}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1, help="threads of every contraction")
    parser.add_argument("--effort", default="measure", help="effort of every plan: estimate, microbench or measure")
    parser.add_argument("--max-bytes", type=float, default=4e9, help="paths with larger intermediates aren't executed: their time counts as infinite")
    parser.add_argument("--names", default="", help="regular expression of the networks' names")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random networks")
    parser.add_argument("--search", type=float, default=10, help="seconds that cotengra searches for a network")
    options = parser.parse_args()
    options.libraries = []
    for library in ("opt_einsum", "cotengra"):
        try:
            __import__(library)
            options.libraries.append(library)
        except ImportError as error:
            print(f"{library} is skipped: {error}", file=sys.stderr)
    fc.prepare()
    columns = ["flopcast", *options.libraries]
    print("| network | operands | " + " | ".join(f"{library}" for library in columns) + " | " + " | ".join(f"{library} / flopcast" for library in options.libraries)
          + " | searching |\n|:--|" + "--:|" * (2 * len(columns) + 1))
    ratios = {library: {} for library in options.libraries}
    for name, text, sizes in networks(options.seed):
        if not re.search(options.names, name):
            continue
        searches, seconds = compare(name, text, sizes, options)
        for library in options.libraries:
            ratios[library][name] = seconds[library] / seconds["flopcast"]
        print(f"| {name} | {text.count(',') + 1} | " + " | ".join(f"{1e3 * seconds[library]:.3g} ms" for library in columns) + " | "
              + " | ".join(f"{ratios[library][name]:.2f}" for library in options.libraries) + " | " + " / ".join(f"{searches[library]:.2g} s" for library in columns) + " |", flush=True)
    for library, found in ratios.items():
        executed = {name: ratio for name, ratio in found.items() if ratio < math.inf}
        if executed:
            worst = min(executed, key=executed.get)
            lost = sum(ratio < 1 / 1.1 for ratio in executed.values())
            print(f"\n{library}: flopcast's order is {statistics.geometric_mean(executed.values()):.2f} times as fast in geometric mean over {len(executed)} networks; "
                  f"over 10 % slower in {lost}; at worst {executed[worst]:.2f} ({worst}); {len(found) - len(executed)} paths of {library} don't fit into memory")
    return 0


if __name__ == "__main__":
    sys.exit(main())
