#!/usr/bin/env python3
"""Measures predictions of contractions, the choice among algorithms, and its speed beside other libraries. Prints Markdown tables. Run this on an idle machine.

  bench/contractions.py ladder  --flopcast build/release/bin/flopcast [--n 100,200] [--blas openblas-serial] [--kernels gemv,ger,gemm]
  bench/contractions.py regret  --flopcast build/release/bin/flopcast [--n 100,200] [--threads 1,2] [--blas openblas-pthread]
  bench/contractions.py cost    --flopcast build/release/bin/flopcast [--contractions "abc=ai,ibc:i=8"] [--n 1000] [--blas openblas-serial]
  bench/contractions.py choice  --flopcast build/release/bin/flopcast [--threads 1,2] [--cases CASES.csv] [--scale 0.5] [--names intensli] [--rounds 5]
  bench/contractions.py orders  --flopcast build/release/bin/flopcast [--threads 1,2] [--cases CASES.csv] [--scale 0.5] [--names intensli] [--blas openblas-serial]
  bench/contractions.py planner --flopcast build/release/bin/flopcast [--threads 1,2] [--cases CASES.csv] [--scale 0.5] [--efforts measure] [--blas blis-serial] [--names intensli]
                                [--tblis PATH/libtblis.so] [--hptt PATH/libhptt.so] [--finished FILE --time-limit 280]
                                [--random 60 --seed 1 --max-flops 1e11] [--repeat-losses]
  bench/contractions.py limit   --flopcast build/release/bin/flopcast [--threads 1,2] [--random 20 --seed 1 --max-flops 1e10] [--efforts measure] [--names permuted]

ladder: mean |predicted - executed| / executed over the algorithms of abc=ai,ibc with i = 8. Stages are those of Peise et al. 2015 (figures 1b to 1f: 154,
26.3, 19.1, 14.7, 9.47 %) and segments, flopcast's own method. The regret is how much longer the chosen algorithm takes than the fastest one.
regret: the same regret with segments, one line per contraction, median and worst at the end. The contractions are those of the paper or of
--contractions, such as "abcd=dbea,ec:e=8;abc=ai,ibc:i=32". As in the paper's plots, the algorithms are those of BLAS-2 and BLAS-3 for the first
contraction, and those of the highest level for the others. --all takes all algorithms.
cost: time of all algorithms divided by the time of predicting them. Predictions count in four ways. The first is that of figure 6 of Peise et al. 2015
(one run of each micro-benchmark, without preparation and repetitions). The others are one by one (from the command's start to its answer, median
per kernel), all in one ranking, and once more with known micro-benchmarks. The times of the algorithms are predicted.
choice: rate of the planner's choice by model and by micro-benchmarks, as a share of the best rate. The best is that of the planner's candidates by
execution, with a generous budget. Each choice is made once and timed in --rounds turns. Efforts with the same choice are timed together, since
they differ by noise only.
orders: all six orders of the loops over tiles, without and with operands kept. Tiles are those of the planner, the same with N cut into more tiles,
and with M, N and K cut so that every loop has several iterations. The fastest tiles of the usual order (nkm, nothing kept) and the fastest of the
others are timed again in turns.
planner: the planner's choice against four others. They are NumPy's einsum (optimize=True), transposing whole tensors around one gemm (flopcast's
--tiles whole), TBLIS (--tblis), and HPTT's transpositions around NumPy's gemm (--hptt). --finished FILE keeps finished cases, and a later run continues from there;
no case begins more than --time-limit seconds after the start.
--random takes so many random contractions in place of CASES.csv: 3 to 8 indices, sizes from 2 to 3000, 1 MB to 1 GB.
--repeat-losses measures cases that another way wins by over 5 % once more, and lists those that are lost again.
limit: share of the machine's limit that the planner's choice reaches, geometric mean and worst of --random cases of each kind. The limit is
max(flops / peak, bytes / bandwidth of the level of memory that the operands fit into). Both come from a roofline in the same sitting, and are at least
the best that any case shows. Kinds by flops per byte: "many", over 20; "large", 4 to 20, tensors of over
20 MB with different fastest indices. "permuted", up to 4, has five to seven short indices, one of them summed, and 4 to 60 MB. "few", up to 0.3, has
extents of 12 and 60.
CASES.csv has lines name,"abc=bda,dc",a:312;b:312;c:24;d:312, the format of the public TCCG suite. Without CASES.csv the paper's contractions are
taken. --scale multiplies all sizes. einsum and TBLIS run in this process, alternating with the planner's runs; install NumPy with the BLAS to
compare with."""
import argparse
import collections
import csv
import ctypes
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
from random import Random

STAGES = ["repeated", "distance", "prefetching", "failures", "first", "segments"]
PAPER = [("abc=ai,ibc", {"a": n, "b": n, "c": n, "i": 8}) for n in (100, 200, 400)] + [
    ("a=iaj,ji", {"a": n, "i": n, "j": n}) for n in (64, 400)] + [
    ("abc=ija,jbic", {"a": n, "b": n, "c": n, "i": k, "j": k}) for k in (8, 32) for n in (64, 128)]


def flopcast(options, arguments):
    words = [options.flopcast, "contract", *arguments, "--order", "column_major", "--quiet", "--json"]
    finished = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(finished.stdout)


def words_of(text, sizes):
    return [text, *(f"{index}={size}" for index, size in sizes.items())]


def described(sizes):
    return " ".join(f"{index}={size}" for index, size in sizes.items())


def ladder(options):
    kernels = [word for kernel in options.kernels.split(",") for word in ("--blas-kernels", kernel)]
    blas = ["--blas", options.blas] if options.blas else []
    print("| n | stage | average error | regret of the choice | micro-benchmarks | cost |\n|--:|:--|--:|--:|--:|--:|")
    for n in options.n.split(","):
        for stage in STAGES:
            made = flopcast(options, ["abc=ai,ibc", f"a=b=c={n}", "i=8", "--validate", "--stage", stage, *kernels, *blas])
            print(f"| {n} | {stage} | {100 * made['mean_error']:.1f} % | {100 * made['regret']:.1f} % | {made['cost']['benchmarks']} | {made['cost']['seconds']:.2f} s |", flush=True)


def contractions_of(options):
    """Returns the text, the fixed sizes and the algorithms' option of each contraction."""
    all_of = ["--all"] if options.all else None
    if options.contractions:
        given = [one.split(":") for one in options.contractions.split(";")]
        return [(text, {size.split("=")[0]: int(size.split("=")[1]) for size in sizes.split(",") if size}, all_of or []) for text, sizes in given]
    plotted = [word for kernel in options.kernels.split(",") for word in ("--blas-kernels", kernel)]
    return [("abc=ai,ibc", {"i": 8}, all_of or plotted), ("a=iaj,ji", {}, ["--all"]),
            ("abc=ija,jbic", {"i": 8, "j": 8}, all_of or [])]


def regret(options):
    for threads in options.threads.split(","):
        regret_with(options, threads)


def regret_with(options, threads):
    print(f"\n{threads} thread(s)\n\n| contraction | sizes | algorithms | chosen | average error | regret |\n|:--|:--|--:|:--|--:|--:|")
    lost, errors = [], []
    blas = ["--blas", options.blas] if options.blas else []
    for text, others, kernels in contractions_of(options):
        for n in options.n.split(","):
            sizes = {index: others.get(index, int(n)) for index in sorted(set(text) - set("=,"))}
            made = flopcast(options, [*words_of(text, sizes), "--validate", "--threads", threads, *kernels, *blas])
            lost.append(made["regret"])
            errors.append(made["mean_error"])
            print(f"| {text} | {described(sizes)} | {len(made['algorithms'])} | {made['algorithms'][0]['name']} | {100 * errors[-1]:.1f} % | {100 * lost[-1]:.1f} % |", flush=True)
    print(f"\nregret: median {100 * statistics.median(lost):.1f} %, worst {100 * max(lost):.1f} %; average error {100 * statistics.mean(errors):.1f} %")


def cost(options):
    blas = ["--blas", options.blas] if options.blas else []
    for text, others, _ in contractions_of(options):
        for n in options.n.split(","):
            sizes = {index: others.get(index, int(n)) for index in sorted(set(text) - set("=,"))}
            words = [*words_of(text, sizes), *blas]
            ranking = flopcast(options, [*words, "--all", "--fresh"])
            once, alone = {}, {}
            for algorithm in ranking["algorithms"]:
                made = flopcast(options, [*words, "--algorithm", algorithm["name"], "--fresh"])
                once.setdefault(algorithm["kernel"], []).append(algorithm["seconds"] / sum(part["seconds"] for part in algorithm["parts"]))
                alone.setdefault(algorithm["kernel"], []).append(made["algorithms"][0]["seconds"] / made["cost"]["seconds"])
            print(f"\n{text} {described(sizes)}\n\n| kernel | algorithms | micro-benchmarks once, as Peise et al. 2015 count | one prediction by itself |\n|:--|--:|--:|--:|")
            for kernel in once:
                print(f"| {kernel} | {len(once[kernel])} | {min(once[kernel]):.2g} to {max(once[kernel]):.2g} | {statistics.median(alone[kernel]):.2g} |")
            flopcast(options, [*words, "--all"])  # stores the micro-benchmarks, which runs with --fresh do not
            known = flopcast(options, [*words, "--all"])
            total = sum(algorithm["seconds"] for algorithm in ranking["algorithms"])
            for what, made in (("in one ranking", ranking), ("known", known)):
                print(f"\nall {what}: {total:.0f} s predicted in {1e3 * made['cost']['seconds']:.0f} ms, {total / made['cost']['seconds']:.2g} times as fast")


def random_tensors(random, orders, random_size):
    """Yields random contractions without end. They have sizes and roles of their indices (m: of C and A, n: of C and B, k: of A and B), and the
    indices of C, A and B in alphabetical order."""
    while True:
        names = "abcdefgh"[: random.randint(*orders)]
        roles = [random.choice("mnk") for _ in names]
        sizes = {index: random_size() for index in names}
        yield sizes, roles, [[index for index, role in zip(names, roles) if role in sides] for sides in ("mn", "mk", "nk")]


def shuffled(random, tensors):
    """Returns the contraction's text with the indices of every tensor in random order."""
    return "{}={},{}".format(*("".join(random.sample(tensor, len(tensor))) for tensor in tensors))


def bytes_of(text, sizes):
    return 8 * sum(math.prod(sizes[index] for index in tensor) for tensor in re.split("[=,]", text))


def flops_per_byte(text, sizes):
    return 2 * math.prod(sizes.values()) / bytes_of(text, sizes)


def spread_evenly(random, smallest, largest):
    """Returns a random integer whose logarithm is spread evenly."""
    return round(math.exp(random.uniform(math.log(smallest), math.log(largest))))


def random_cases(options):
    """Returns random contractions like those of the TCCG suite. They have 3 to 8 indices of sizes from 2 to 3000, 1 MB to 1 GB in all, and at
    most --max-flops. M, N and K have at least one index each, and every tensor has an order of its own."""
    random, found = Random(options.seed), []
    for sizes, roles, tensors in random_tensors(random, (3, 8), lambda: spread_evenly(random, 2, 3000)):
        elements = sum(math.prod(sizes[index] for index in tensor) for tensor in tensors)
        if set(roles) == set("mnk") and 1e6 <= 8 * elements <= 1e9 and 2 * math.prod(sizes.values()) <= options.max_flops:
            text = shuffled(random, tensors)
            found.append((text, text, sizes))
        if len(found) == options.random:
            return found


def cases_of_kind(options, kind):
    """Returns random contractions of a kind that `limit` names, of ranges of flops per byte and of bytes."""
    orders, intensities, memory = {"many": ((3, 8), (20, math.inf), (1e6, 4e8)), "large": ((3, 8), (4, 20), (2e7, 4e8)),
                                   "permuted": ((5, 7), (0, 4), (4e6, 6e7)), "few": ((2, 6), (0, 0.3), (1e4, 2e8))}[kind]
    random, found = Random(f"{options.seed} {kind}"), []
    random_size = {"few": lambda: random.choice((12, 60)), "permuted": lambda: spread_evenly(random, 2, 60)}.get(
        kind, lambda: spread_evenly(random, 2, 3000))
    for sizes, roles, tensors in random_tensors(random, orders, random_size):
        text = shuffled(random, tensors)
        if not all(tensors) or (kind == "permuted" and roles.count("k") != 1):
            continue
        if kind == "large" and len({tensor[0] for tensor in re.split("[=,]", text)}) < 3:
            continue
        if (intensities[0] < flops_per_byte(text, sizes) <= intensities[1] and memory[0] <= bytes_of(text, sizes) <= memory[1]
                and 2 * math.prod(sizes.values()) <= options.max_flops):
            found.append((text, sizes))
        if len(found) == (options.random or 20):
            return found


def roofs(options, threads):
    """Returns the peak in double precision, and capacity and bandwidth of each level of memory."""
    words = [options.flopcast, "roofline", "--threads", threads, "--no-gemm", "--quiet", "--json"]
    found = json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout)
    peak = max(kernel["flops_per_second"]["attained"] for kernel in found["compute"] if kernel["precision"] == "double" and kernel["threads"] == int(threads))
    levels = []
    for level in [*found["levels"], {"name": "memory", "capacity_bytes": math.inf}]:
        rates = [stream["bytes_per_second"]["attained"] for stream in found["bandwidth"]  # update's stores find the lines that it has loaded
                 if stream["level"].lower() == level["name"].lower() and stream["threads"] == int(threads) and stream["stream"] != "update"]
        private = int(threads) if level["name"] in ("L1", "L2") else 1
        levels.append([level["capacity_bytes"] * private, max(rates)])
    return peak, levels


def limit(options):
    for threads in options.threads.split(","):
        peak, levels = roofs(options, threads)
        measured = []
        for kind in ("many", "large", "permuted", "few"):
            for text, sizes in cases_of_kind(options, kind) if re.search(options.names, kind) else ():
                times = [t for _ in range(2) for t in planned_seconds(options, text, sizes, threads, "--effort", options.efforts)]
                level = next(i for i, (capacity, _) in enumerate(levels) if bytes_of(text, sizes) <= capacity)
                measured.append((kind, text, sizes, level, statistics.median(times)))
        for _, text, sizes, level, seconds in measured:
            peak = max(peak, 2 * math.prod(sizes.values()) / seconds)
            levels[level][1] = max(levels[level][1], bytes_of(text, sizes) / seconds)
        print(f"\n{threads} thread(s): peak {peak / 1e9:.1f} GFLOP/s, bandwidths {', '.join(f'{rate / 1e9:.0f}' for _, rate in levels)} GB/s\n")
        print("| kind | case | flops per byte | level | time | share of the limit |\n|:--|:--|--:|--:|--:|--:|")
        shares = collections.defaultdict(list)
        for kind, text, sizes, level, seconds in measured:
            shares[kind].append(max(2 * math.prod(sizes.values()) / peak, bytes_of(text, sizes) / levels[level][1]) / seconds)
            print(f"| {kind} | {text} {described(sizes)} | {flops_per_byte(text, sizes):.2g} | {level + 1} | {1e3 * seconds:.3g} ms | {100 * shares[kind][-1]:.0f} % |")
        for kind, found in shares.items():
            print(f"\n{kind}: {100 * statistics.geometric_mean(found):.0f} % in geometric mean of {len(found)}, {100 * min(found):.0f} % at worst, {100 * max(found):.0f} % at best", flush=True)


def cases(options):
    if options.random:
        found = random_cases(options)
    elif not options.cases:
        found = [(text, text, sizes) for text, sizes in PAPER]
    else:
        with open(options.cases, newline="", encoding="utf-8") as file:
            found = [(row["name"], row["contraction"], {pair.split(":")[0]: int(pair.split(":")[1]) for pair in row["sizes"].split(";")})
                     for row in csv.DictReader(file)]
    return [(name, text, {index: max(1, round(options.scale * size)) for index, size in sizes.items()}) for name, text, sizes in found
            if re.search(options.names, name)]


class Operands:
    """Random dense column-major tensors of one case, and the other ways to contract them."""

    def __init__(self, text, sizes):
        try:
            import numpy
        except ImportError:
            sys.exit(f"{sys.executable} has no NumPy; start this script by a Python that has it: /usr/bin/python3 {sys.argv[0]} ...")
        self.numpy = numpy
        self.result, operands = text.split("=")
        self.names = operands.split(",")
        self.sizes = sizes
        random = numpy.random.default_rng(1)
        self.a, self.b = (numpy.asfortranarray(random.standard_normal([sizes[x] for x in t])) for t in self.names)
        self.c = numpy.zeros([sizes[x] for x in self.result], order="F")
        self.buffers = {}

    def einsum(self):
        self.numpy.einsum(f"{self.names[0]},{self.names[1]}->{self.result}", self.a, self.b, out=self.c, optimize=True)

    def tblis(self, library):
        def tensor(array, scaled):
            memory = ctypes.create_string_buffer(512)  # larger than tblis_tensor in any version
            lengths = (ctypes.c_ssize_t * array.ndim)(*array.shape)
            strides = (ctypes.c_ssize_t * array.ndim)(*(step // array.itemsize for step in array.strides))
            data = ctypes.c_void_p(array.ctypes.data)
            if scaled:
                library.tblis_init_tensor_scaled_d(memory, ctypes.c_double(0), ctypes.c_uint(array.ndim), lengths, data, strides)
            else:
                library.tblis_init_tensor_d(memory, ctypes.c_uint(array.ndim), lengths, data, strides)
            return memory, lengths, strides
        a, b, c = tensor(self.a, False), tensor(self.b, False), tensor(self.c, True)
        library.tblis_tensor_mult(None, None, a[0], self.names[0].encode(), b[0], self.names[1].encode(), c[0], self.result.encode())

    def transposed_around_gemm(self, library, threads):
        """Contracts by transpositions around one gemm: M and N in C's order, K in the order of the larger operand. Tensors that are such
        matrices already aren't moved."""
        left, right = self.names
        m, n = ([x for x in self.result if x in t and x not in u] for t, u in ((left, right), (right, left)))
        k = [x for x in (left if self.a.size >= self.b.size else right) if x in left and x in right]
        if set(self.result) & set(k):
            raise ValueError("batch indices")
        a, b = (self.matrix(library, threads, t, array, [rows, columns]) for t, array, rows, columns in ((left, self.a, m, k), (right, self.b, k, n)))
        numpy = self.numpy
        if self.result in ("".join(m + n), "".join(n + m)):
            first_m = self.result == "".join(m + n)
            c = self.c.reshape([a.shape[0], b.shape[1]] if first_m else [b.shape[1], a.shape[0]], order="F")
            numpy.dot(b.T, a.T, out=c.T) if first_m else numpy.dot(a, b, out=c.T)
            return
        c = self.buffer("C", [a.shape[0], b.shape[1]])
        numpy.dot(b.T, a.T, out=c.T)
        self.transpose(library, threads, c.reshape([self.sizes[x] for x in m + n], order="F"), [(m + n).index(x) for x in self.result], self.c)

    def buffer(self, name, shape):
        if name not in self.buffers:
            self.buffers[name] = self.numpy.zeros(shape, order="F")
        return self.buffers[name]

    def matrix(self, library, threads, name, array, sides):
        rows, columns = (math.prod(self.sizes[x] for x in side) for side in sides)
        if name == "".join(sides[0] + sides[1]):
            return array.reshape([rows, columns], order="F")
        if name == "".join(sides[1] + sides[0]):
            return array.reshape([columns, rows], order="F").T
        wanted = sides[0] + sides[1]
        to = self.buffer(name, [self.sizes[x] for x in wanted])
        self.transpose(library, threads, array, [name.index(x) for x in wanted], to)
        return to.reshape([rows, columns], order="F")

    @staticmethod
    def transpose(library, threads, array, permutation, to):
        integers = ctypes.c_int * array.ndim
        library.dTensorTranspose(integers(*permutation), ctypes.c_int(array.ndim), ctypes.c_double(1), ctypes.c_void_p(array.ctypes.data), integers(*array.shape), None,
                                 ctypes.c_double(0), ctypes.c_void_p(to.ctypes.data), None, ctypes.c_int(threads), ctypes.c_int(0))

    def seconds(self, way, rounds=3):
        way()  # the first run touches memory and loads code
        times = []
        for _ in range(rounds):
            begin = time.perf_counter()
            way()
            times.append(time.perf_counter() - begin)
        return times


def planned_seconds(options, text, sizes, threads, *words):
    blas = ["--blas", options.blas] if options.blas else []
    return flopcast(options, [*words_of(text, sizes), "--run", "--threads", threads, *blas, *words])["times"]


def other_libraries(options, threads):
    os.environ["TBLIS_NUM_THREADS"] = threads
    return {name: ctypes.CDLL(path) for name, path in (("TBLIS", options.tblis), ("HPTT + gemm", options.hptt)) if path}


def measured_case(options, text, sizes, threads, libraries):
    """Returns the median seconds of every way. Ways take turns, because the machine's speed varies."""
    efforts = options.efforts.split(",")
    operands = Operands(text, sizes)
    ours = {f"planner, {effort}": ["--effort", effort] for effort in efforts}
    ours["whole transposition"] = ["--tiles", "whole"]
    others = {"einsum": operands.einsum}
    if "TBLIS" in libraries:
        others["TBLIS"] = lambda: operands.tblis(libraries["TBLIS"])
    if "HPTT + gemm" in libraries:
        others["HPTT + gemm"] = lambda: operands.transposed_around_gemm(libraries["HPTT + gemm"], int(threads))
    times = {way: [] for way in [*ours, *others]}
    for _ in range(2):
        for way, words in ours.items():
            times[way] += planned_seconds(options, text, sizes, threads, *words)
        for way, contract in others.items():
            times[way] += operands.seconds(contract)
    return {way: statistics.median(found) for way, found in times.items()}


def finished_cases(options):
    if not options.finished or not os.path.exists(options.finished):
        return {}
    with open(options.finished, encoding="utf-8") as file:
        return {tuple(line["case"]): line["seconds"] for line in map(json.loads, file)}


def lost(seconds, ways):
    """Returns whether another way than the planner's first effort is over 5 % faster."""
    return seconds[ways[0]] > 1.05 * min(seconds[way] for way in ways[1:])


def planner(options):
    begin = time.monotonic()
    finished = finished_cases(options)
    for threads in options.threads.split(","):
        libraries = other_libraries(options, threads)
        rows = []
        for name, text, sizes in cases(options):
            key = (f"{name} {described(sizes)}", threads, options.blas)
            if key not in finished:
                if options.time_limit and time.monotonic() - begin > options.time_limit:
                    print(f"{key[0]} and what follows isn't measured yet", file=sys.stderr)
                    break
                finished[key] = measured_case(options, text, sizes, threads, libraries)
                if options.finished:
                    with open(options.finished, "a", encoding="utf-8") as file:
                        file.write(json.dumps({"case": key, "seconds": finished[key]}) + "\n")
            rows.append((key[0], 2 * math.prod(sizes.values()), finished[key]))
        show_planner(threads, options.efforts.split(","), rows)
        if options.repeat_losses:
            show_repeated(options, threads, libraries, rows)


def show_repeated(options, threads, libraries, rows):
    """Measures the lost cases once more. A loss that isn't repeated is noise."""
    count = len(options.efforts.split(","))
    by_name = {f"{name} {described(sizes)}": (text, sizes) for name, text, sizes in cases(options)}
    repeated = []
    for case, _, seconds in rows:
        ways = [list(seconds)[0], *list(seconds)[count:]]
        if lost(seconds, ways):
            again = measured_case(options, *by_name[case], threads, libraries)
            if lost(again, ways):
                best = min(ways[1:], key=lambda way: again[way])
                repeated.append(f"{case}: {best} is {again[ways[0]] / again[best]:.2f} times as fast, {seconds[ways[0]] / seconds[best]:.2f} before")
    print(f"\nlost again when repeated: {len(repeated)} of {len(rows)}", *repeated, sep="\n", flush=True)


def show_planner(threads, efforts, rows):
    if not rows:
        return
    ways = list(rows[0][2])
    others = ways[len(efforts):]
    print(f"\n{threads} thread(s), GFLOP/s\n\n| case | {' | '.join(ways)} | best of the others / planner |\n|:--|{'--:|' * (len(ways) + 1)}")
    slower = []
    for case, flops, seconds in rows:
        slower.append(seconds[ways[0]] / min(seconds[way] for way in others))
        print(f"| {case} | {' | '.join(f'{flops / seconds[way] / 1e9:.1f}' for way in ways)} | {slower[-1]:.2f} |")
    for way in others:
        ratios = [seconds[way] / seconds[ways[0]] for _, _, seconds in rows]
        print(f"\n{way}: the planner is {statistics.geometric_mean(ratios):.2f} times as fast in geometric mean, at least {min(ratios):.2f}")
    print(f"\nslower than the best of the others by over 5 % in {sum(x > 1.05 for x in slower)} of {len(slower)} cases, by {100 * (max(slower) - 1):.0f} % at worst")


def choice(options):
    efforts = ["estimate", "microbench", "measure"]
    blas = ["--blas", options.blas] if options.blas else []
    for threads in options.threads.split(","):
        print(f"\n{threads} thread(s), GFLOP/s\n\n| case | {' | '.join(efforts)} | planned in | share of the best |\n|:--|{'--:|' * (len(efforts) + 2)}")
        shares = []
        for name, text, sizes in cases(options):
            flops = 2 * math.prod(sizes.values())
            words = [*words_of(text, sizes), "--run", "--threads", threads, "--time-budget", "20s", *blas]
            planning = flopcast(options, [*words, "--effort", "microbench", "--fresh"])["planning_seconds"]
            chosen, times = {}, collections.defaultdict(list)
            for _ in range(options.rounds):
                for effort in efforts:
                    made = flopcast(options, [*words, "--effort", effort])
                    chosen[effort] = made["plan"]["considered"][0]["tiles"]
                    times[chosen[effort]] += made["times"]
            rates = {effort: flops / statistics.median(times[chosen[effort]]) / 1e9 for effort in efforts}
            shares.append(rates["microbench"] / max(rates.values()))
            print(f"| {name} {described(sizes)} | {' | '.join(f'{rates[effort]:.1f}' for effort in efforts)} | {1e3 * planning:.0f} ms | {shares[-1]:.2f} |", flush=True)
        print(f"\nchosen by micro-benchmarks: within 8 % of the best in {100 * sum(x > 0.92 for x in shares) / len(shares):.0f} % of cases, "
              f"within 3 % in {100 * sum(x > 0.97 for x in shares) / len(shares):.0f} %")


ORDERS = ["nkm", "nmk", "knm", "kmn", "mnk", "mkn"]


def tilings(made):
    """Returns the planner's best tiles in the usual order, and the same tiles cut further, as texts for --tiles without the loop order."""
    chosen = next(one["tiles"] for one in made["plan"]["considered"] if ", loops" not in one["tiles"] and " kept" not in one["tiles"] and "batch" not in one["tiles"])
    m, n, k = (int(length) for length in re.match(r"(\d+) x (\d+) x (\d+)", chosen).groups())
    kernel = "panels" if "in panels" in chosen else "streaming" if "streaming" in chosen else "gemm"
    rows = ":interleaved" if "interleaved" in chosen else ":A" if "rows as A" in chosen else ""
    cut = lambda length, parts, unit: max(1, -(-length // parts // unit) * unit) if length > unit else length
    lengths = [(m, n, k), (m, cut(n, 4, 8), k), (cut(m, 2, 24), cut(n, 4, 8), k if kernel == "streaming" else cut(k, 2, 8))]
    return [(f"{a}x{b}x{c}:{kernel}{rows}") for a, b, c in dict.fromkeys(lengths)]


def orders(options):
    for threads in options.threads.split(","):
        print(f"\n{threads} thread(s), GFLOP/s\n\n| case | nkm, nothing kept | tiles | another order | tiles | gain |\n|:--|--:|:--|--:|:--|--:|")
        gains = []
        for name, text, sizes in cases(options):
            blas = ["--blas", options.blas] if options.blas else []
            words = [*words_of(text, sizes), "--run", "--threads", threads, *blas]
            usual, others = {}, {}
            for tiles in tilings(flopcast(options, words)):
                for order in ORDERS:
                    for kept in ("", ":keepABC"):
                        (usual if order == "nkm" and not kept else others)[f"{tiles}:{order}{kept}"] = []
            everything = usual | others
            for tiles, times in everything.items():
                times += flopcast(options, [*words, "--tiles", tiles])["times"]
            fastest = lambda group, count: sorted(group, key=lambda tiles: statistics.median(everything[tiles]))[:count]
            finalists = fastest(usual, 2) + fastest(others, 3)  # the fastest of many is partly lucky; the finalists are timed again
            for tiles in finalists:
                everything[tiles].clear()
            for _ in range(3):
                for tiles in finalists:
                    everything[tiles] += flopcast(options, [*words, "--tiles", tiles])["times"]
            best = [min(set(group) & set(finalists), key=lambda tiles: statistics.median(everything[tiles])) for group in (usual, others)]
            rates = [2 * math.prod(sizes.values()) / statistics.median(everything[tiles]) / 1e9 for tiles in best]
            gains.append(rates[1] / rates[0])
            print(f"| {name} {described(sizes)} | {rates[0]:.1f} | {best[0]} | {rates[1]:.1f} | {best[1]} | {100 * (gains[-1] - 1):+.1f} % |", flush=True)
        print(f"\nanother order: {statistics.geometric_mean(gains):.3f} times as fast in geometric mean, {max(gains):.3f} at best, {min(gains):.3f} at worst")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ladder", "regret", "cost", "choice", "orders", "planner", "limit"])
    parser.add_argument("--flopcast", default="build/release/bin/flopcast")
    parser.add_argument("--n", default="100,200")
    parser.add_argument("--blas", default="")
    parser.add_argument("--kernels", default="gemv,ger,gemm")
    parser.add_argument("--contractions", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--cases", default="")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--efforts", default="measure")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--names", default="")
    parser.add_argument("--tblis", default="")
    parser.add_argument("--hptt", default="")
    parser.add_argument("--finished", default="")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-flops", type=float, default=1e11)
    parser.add_argument("--repeat-losses", action="store_true")
    parser.add_argument("--time-limit", type=float, default=0)
    options = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", options.threads.split(",")[0])
    {"ladder": ladder, "regret": regret, "cost": cost, "choice": choice, "orders": orders, "planner": planner, "limit": limit}[options.what](options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
