"""Jacob O. Tørring, Jan Christian Meyer and Anne C. Elster, Autotuning Benchmarking Techniques: A Roofline Model Case Study, 2021."""
import json

from entry import Chart, Entry, Paper, alike, at_least, claim, extra, table_of, value_of

SHAPES_M, SHAPES_K = [500, 1000, 2000, 4000], [64, 128, 256, 512, 1024, 2048]
ROOFS = ("flopcast roofline --blas openblas-pthread {roofs} --time-budget {budget} --triad-lengths --json --quiet "
         "--figure pictures/torring2021-roofline-{form}.svg")


def attained(rate):
    return rate["attained"] / 1e9


def theoretical(document, threads):
    """Returns the peak at the sustained clock, and at the nominal one where that is missing."""
    of = {p["name"]: p["flops_per_second"] / 1e9 for p in document["peaks"] if p["threads"] == threads}
    return of.get("sustained clock") or of["nominal"]


def best_gemm(document, threads):
    return max((g for g in document["gemm"] if g["threads"] == threads), key=lambda g: g["flops_per_second"]["attained"])


def triad(document, level, threads):
    return max(attained(b["bytes_per_second"]) for b in document["bandwidth"] if (b["stream"], b["level"], b["threads"]) == ("triad", level, threads))


def threads_of(count):
    return f"{count} thread{'s'[: count - 1]}"


def thread_counts(document):
    """Returns the least and the largest number of threads whose gemm was searched, or the only one."""
    counts = sorted({g["threads"] for g in document["gemm"]})
    return list(dict.fromkeys((counts[0], counts[-1])))


def roofs(documents, _):
    document = documents["roofs"]
    count = max(thread_counts(document))
    memory, last = triad(document, "memory", count), triad(document, "L3", count)
    peak = attained(best_gemm(document, count)["flops_per_second"])
    return [claim("roofs", "2 of arithmetic, 4 of memory", f"{len(document['compute'])} of arithmetic, {len(document['bandwidth'])} of memory", len(document["bandwidth"]) >= 4),
            alike("flops per byte where memory stops limiting dgemm, 2650v4", round(773.51 / 80.65, 2), peak / memory, "flop/byte"),
            alike("the same for L3, 2650v4", round(773.51 / 452.05, 2), peak / last, "flop/byte")], None


def dgemm(documents, _):
    document, rows = documents["roofs"], []
    counts = thread_counts(document)
    for threads, ((least, most), what) in zip(counts, (((87.20, 98.06), "one socket"), ((75.13, 91.93), "both sockets"))):
        best = best_gemm(document, threads)
        share = 100 * attained(best["flops_per_second"]) / theoretical(document, threads)
        rows.append(claim(f"share of the theoretical peak, {what} (here {threads_of(threads)})", f"{least} to {most} %", f"{share:.1f} %", least <= share))
        rows.append(claim("best n, m, k", "k = 128 for 7 of 8 systems", "{n}, {m}, {k}".format(**best["shape"]), best["shape"]["k"] == 128))
    ours = [100 * attained(best_gemm(document, t)["flops_per_second"]) / theoretical(document, t) for t in counts]
    series = [("one socket", range(4), [96.76, 98.06, 87.20, 92.59]), ("both sockets", range(4), [91.56, 91.93, 75.13, 78.36]), ("here", range(4, 4 + len(ours)), ours)]
    return rows, Chart("dgemm over the theoretical peak", "system", "%", series, points=True, names=("2650v4", "2695v4", "6132", "6148", "1 thread", "2 threads"))


def bandwidths(documents, _):
    document = documents["roofs"]
    counts, rows = thread_counts(document), []
    for threads, (ratio, what) in zip(counts, ((6.34, "one socket"), (5.61, "both sockets"))):
        memory, last = triad(document, "memory", threads), triad(document, "L3", threads)
        rows.append(alike(f"triad, L3 over memory, 2650v4, {what} (here {threads_of(threads)})", ratio, last / memory, "times"))
    rows.append(claim("triad in memory and in L3, both sockets of 2650v4", "80.65, 452.05 GB/s", f"{memory:.1f}, {last:.1f} GB/s", memory >= 80.65))
    lengths = document["triad_lengths"]
    series = [(threads_of(threads), *zip(*[(t["working_set_bytes"] / 1024, attained(t["bytes_per_second"])) for t in lengths if t["threads"] == threads]))
              for threads in sorted({t["threads"] for t in lengths})]
    return rows, Chart("Triad over the length of its vectors", "KiB of the three vectors", "GB/s", series, "xy")


def techniques(documents, _):
    """Tables VIII to XI have one table for each system. Here are one thread and two threads, with the times relative to Default's."""
    paper = {"Single": 223.91, "Confidence": 3.31, "C+Inner": 20.09, "C+Inner+R": 9.96, "C+I+Outer": 116.33, "C+I+O+R": 16.47}
    rows, series = [], [("2650v4", range(len(paper)), list(paper.values()))]
    for key, threads in (("one", "1 thread"), ("two", "2 threads")):
        found = {row["technique"].split(":")[0]: row for row in table_of(documents[key])}
        faster = {name: value_of(row["Default / it"]) for name, row in found.items()}
        for name in paper:
            if name in found:
                rows.append(at_least(f"{name}, {threads}: Default's time over its time, 2650v4", paper[name], faster[name], "times"))
        for name in ("C+I+Outer", "race"):
            if name in found:
                rows.append(at_least(f"{name}, {threads}: speed of the shape found", 98, value_of(found[name]["of the best"])))
        if "race" in found:
            rows.append(extra(f"race, {threads} (flopcast's own): Default's time over its time", f"{faster['race']:.3g} times"))
        series.append((f"here, {threads}", [i for i, name in enumerate(paper) if name in found], [faster[name] for name in paper if name in found]))
    return rows, Chart("Search time: Default's over each technique's", "technique", "times", series, "y", points=True, names=paper)


def iterations(documents, _):
    """The number of iterations at which a search with a fixed number takes as long as C+I+Outer."""
    found = {row["technique"]: value_of(row["time"]) for row in table_of(documents["tuned"])}
    fixed = sorted((int(name.rsplit("=", 1)[1]), seconds) for name, seconds in found.items() if name.startswith("Default"))
    (low, first), (high, last) = fixed[0], fixed[-1]
    count = low + (found["C+I+Outer"] - first) * (high - low) / (last - first)
    return [claim("iterations with the time of C+I+Outer", "7 to 30", f"{count:.0f}", 7 <= count <= 30)], \
        Chart("Search time over a fixed number of iterations", "iterations", "s", [("fixed", *zip(*fixed)), ("C+I+Outer", [count], [found["C+I+Outer"]])])


def shapes(form, _):
    cases = sorted(((m, n, k) for m in SHAPES_M for n in form["columns"] for k in SHAPES_K if 2 * m * n * k <= form["flops"]), key=lambda s: s[0] * s[1] * s[2])
    return json.dumps([f"dgemm m={m} n={n} k={k} beta=0" for m, n, k in cases])


def by_size(documents, _):
    samples = sorted(documents["shapes"]["samples"], key=lambda s: s["flops"])
    times = [s["statistics"]["median"] for s in samples]
    rates = [s["flops"] / seconds / 1e9 for s, seconds in zip(samples, times)]
    third = len(samples) // 3
    peaks = [max(rates[i * third:(i + 1) * third]) for i in range(3)]
    growth = times[-1] / times[0]
    return [claim("peaks of speed", "over the entire range of sizes", f"best third reaches {100 * max(peaks) / min(peaks) - 100:.0f} % more than the worst", max(peaks) <= 1.1 * min(peaks)),
            claim("time of the largest shape over the smallest", "grows exponentially with the size", f"{growth:.0f} times, {samples[-1]['flops'] / samples[0]['flops']:.0f} times the flops", growth > 10)], \
        Chart("dgemm over the size of its shapes", "shape, by flops", "GFLOP/s; ms", [("GFLOP/s", range(len(rates)), rates), ("ms", range(len(times)), [1e3 * t for t in times])], "y")


STUDY = "bench_roofline_study --space {space} --judge found"
FULL = {"roofs": "--space reduced", "budget": "2min"}
SHORT = {"roofs": "--quick --streams triad --m 500,1000 --n 512,1024 --k 64,128,256", "budget": "40s"}

PAPER = Paper("torring2021", "Jacob O. Tørring, Jan Christian Meyer and Anne C. Elster", "Autotuning Benchmarking Techniques: A Roofline Model Case Study", 2021, [
    Entry("fig1", "The roofline", "Roofs of memory and L3, and of dgemm, on one socket and on both.", {"roofs": ROOFS}, roofs, FULL, SHORT, (3, 0.4),
          "There is one socket here: one and two of its cores take the place of one socket and both.",
          picture="pictures/torring2021-roofline-{form}.svg"),
    Entry("table4", "Peak of dgemm and its shape", "Peak of dgemm, 75.13 to 98.06 % of the theoretical one, and the shapes that reach it (tables IV and V, figure 3).",
          {"roofs": ROOFS}, dgemm, FULL, SHORT, (0.1, 0.05), "The theoretical peak here is that of the sustained clock, which a virtual machine does not report exactly.", aliases=("table5", "fig3")),
    Entry("table6", "Bandwidths of the triad", "Triad in memory and in L3 on four systems (table VI, figure 4).",
          {"roofs": ROOFS}, bandwidths, FULL, SHORT, (0.1, 0.05), "Two cores do not saturate the memory of a socket. No theoretical bandwidth is known here.", aliases=("fig4",)),
    Entry("table7", "Hand-tuned iteration counts", "7 to 30 iterations for each shape take as long as the best technique (time-tuned counts of table VII).",
          {"tuned": f"{STUDY} --techniques C+I+Outer,Default:invocations=1:iterations={{low}},Default:invocations=1:iterations={{high}}"}, iterations,
          {"space": "brief", "low": 2, "high": 20}, {"space": "brief", "low": 1, "high": 4}, (1.5, 0.9), "The count depends on the time to start a process over that of a call."),
    Entry("table8", "Search techniques", "Time of an exhaustive search over that of each technique, up to 116.33 times at an error below 2 % (tables VIII to XI, figure 5; numbers of table VIII).",
          {"one": f"{STUDY} --techniques {{one}} --threads 1", "two": f"{STUDY} --blas openblas-pthread --techniques {{two}} --threads 2"}, techniques,
          {"space": "brief", "one": "Single,C+Inner,C+Inner+R,C+I+Outer,C+I+O+R,race", "two": "Single,C+I+Outer,race"},
          {"space": "brief", "one": "Single,C+I+Outer", "two": "Single,race:time=15s"}, (6, 1.2),
          "Small shapes spend more of the time on starting processes, so that factors are smaller.",
          aliases=("table9", "table10", "table11", "fig5")),
    Entry("fig6", "Time and speed over the size", "Speed has its peaks over all sizes of matrices, while the time of an iteration grows with the size.",
          {"shapes": "flopcast sample --calls {folder}/shapes.json --repetitions 3 --blas openblas-serial --no-store --json --quiet"}, by_size,
          {"columns": [512, 1024, 2048, 4096], "flops": 2e10}, {"columns": [512, 1024], "flops": 5e8}, (1, 0.3), "One core reaches its peak with smaller shapes than a socket.",
          {"shapes.json": shapes}),
], left_out="figure 2 draws the method, tables I to III list settings and systems.")
