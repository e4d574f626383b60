"""Elmar Peise, Diego Fabregat-Traver and Paolo Bientinesi, On the Performance Prediction of BLAS-based Tensor Contractions, 2015."""
import itertools
import statistics

from entry import Chart, Entry, Paper, alike, at_least, at_most, claim, extra

STAGES = {"repeated": 154, "distance": 26.3, "prefetching": 19.1, "failures": 14.7, "first": 9.47}


def contract(words, blas="openblas-serial"):
    return f"flopcast contract {words} --order column_major --blas {blas} --json --quiet"


def measured(document):
    return [a for a in document["algorithms"] if a.get("measured_seconds")]


def speeds(document, algorithms, key):
    return [document["flops"] / a[key] / 1e9 for a in algorithms]


def stages(documents, form):
    by_stage = dict(zip(form["each"], documents["stages"]))
    rows = [at_most(f"mean error, {stage}", STAGES[stage], 100 * by_stage[stage]["mean_error"]) for stage in STAGES]
    errors = [by_stage[stage]["mean_error"] for stage in STAGES]
    rows.append(claim("errors fall from stage to stage", "at all stages", f"at {sum(b < a for a, b in itertools.pairwise(errors))} of {len(errors) - 1}", sorted(errors, reverse=True) == errors))
    segments = by_stage["segments"]
    rows.append(extra("mean error, segments (flopcast's own)", f"{100 * segments['mean_error']:.3g} %"))
    names = [a["name"] for a in sorted(measured(segments), key=lambda a: a["measured_seconds"])]
    series = [("measured", range(1, len(names) + 1), sorted(speeds(segments, measured(segments), "measured_seconds"), reverse=True))]
    for stage, document in by_stage.items():
        predicted = {a["name"]: document["flops"] / a["seconds"] / 1e9 for a in document["algorithms"]}
        series.append((stage, range(1, len(names) + 1), [predicted[name] for name in names]))
    return rows, Chart(f"abc=ai,ibc, i = 8, a = b = c = {form['n']}: stages of predictions", "algorithm, by measured speed", "GFLOP/s", series, "y", points=True)


def lines(documents, xs, count=4):
    """Returns predicted and measured speeds of the algorithms that are the fastest at the last size."""
    names = [a["name"] for a in sorted(measured(documents[-1]), key=lambda a: a["measured_seconds"])][:count]
    series = []
    for name in names:
        found = [next((a for a in measured(d) if a["name"] == name), None) for d in documents]
        for kind, key in (("predicted", "seconds"), ("measured", "measured_seconds")):
            series.append((f"{name} {kind}", xs, [d["flops"] / a[key] / 1e9 if a else "NaN" for d, a in zip(documents, found)]))
    return series


def agreement(documents, best, kernel):
    """Returns rows about the choice: the predicted fastest algorithm's kernel, its regret, and the errors."""
    right = sum(d["algorithms"][0][kernel] in best for d in documents)
    return [claim("fastest by prediction", " or ".join(best), f"at {right} of {len(documents)} sizes", right == len(documents)),
            at_most("time lost by the choice, worst size", 3, 100 * max(d["regret"] for d in documents)),
            at_most("mean error", 9.47, 100 * statistics.mean(d["mean_error"] for d in documents))]


def second_setup(documents, form):
    return [claim("algorithms", "36", str(len(documents["sizes"][0]["algorithms"])), len(documents["sizes"][0]["algorithms"]) == 36),
            *agreement(documents["sizes"], ["gemm"], "kernel")], Chart("abc=ai,ibc, a = b = c = 128", "i", "GFLOP/s", lines(documents["sizes"], form["each"]))


def without_gemm(documents, form):
    return [claim("algorithms", "8", str(len(documents["sizes"][0]["algorithms"])), len(documents["sizes"][0]["algorithms"]) == 8),
            *agreement(documents["sizes"], ["j-gemv"], "name")], Chart("a=iaj,ji", "i = j = a", "GFLOP/s", lines(documents["sizes"], form["each"]))


def spread(document):
    """Returns how many times longer the slowest algorithm takes than the fastest."""
    times = [a["measured_seconds"] for a in measured(document)]
    return max(times) / min(times)


def challenging(documents, form):
    everything, gemm = documents["all"], documents["gemm"]
    count = len(everything["algorithms"])
    return [claim("algorithms", "176", str(count), count == 176),
            claim("fastest of all by prediction", "gemm", everything["algorithms"][0]["kernel"], everything["algorithms"][0]["kernel"] == "gemm"),
            at_least("slowest gemm-based over fastest", 1.2, spread(gemm[-1]), "times"),
            at_most("time lost by the choice among gemm-based, worst size", 3, 100 * max(d["regret"] for d in gemm))], \
        Chart("abc=ija,jbic, i = j = 8: gemm-based algorithms", "a = b = c", "GFLOP/s", lines(gemm, form["each"]))


def multithreaded(documents, form):
    last = documents["gemm"][-1]
    names = [a["name"] for a in last["algorithms"]][:2]
    return [alike("slowest gemm-based over fastest", 3, spread(last), "times"),
            claim("two fastest by prediction", "i'c-gemm, i'b-gemm", ", ".join(names), set(names) == {"i'c-gemm", "i'b-gemm"}),
            at_most("time lost by the choice, worst size", 3, 100 * max(d["regret"] for d in documents["gemm"]))], \
        Chart("abc=ija,jbic, i = j = 32, two threads: gemm-based algorithms", "a = b = c", "GFLOP/s", lines(documents["gemm"], form["each"]))


def efficiency(documents, form):
    """An algorithm's predicted time over that of one run of each of its micro-benchmarks, as the paper counts."""
    factors, series = {}, {}
    for n, document in zip(form["each"], documents["sizes"]):
        for algorithm in document["algorithms"]:
            factor = algorithm["seconds"] / sum(part["seconds"] for part in algorithm["parts"])
            factors.setdefault(algorithm["kernel"], {}).setdefault(n, []).append(factor)
    series = [(kernel, list(of), [statistics.geometric_mean(values) for values in of.values()]) for kernel, of in factors.items()]
    last = {kernel: of[form["each"][-1]] for kernel, of in factors.items()}
    rows = [at_least(f"{kernel}: execution over micro-benchmarks, least", least, min(last[kernel]), "times")
            for kernel, least in (("gemm", 1e3), ("ger", 6e3), ("gemv", 5e5), ("axpy", 1e6), ("dot", 1e6)) if kernel in last]
    return rows, Chart("Prediction efficiency of abc=ai,ibc, i = 8", "a = b = c", "execution over micro-benchmarks", series, "y")


LEVELS = "--blas-kernels gemv --blas-kernels ger --blas-kernels gemm"

PAPER = Paper("peise2015", "Elmar Peise, Diego Fabregat-Traver and Paolo Bientinesi", "On the Performance Prediction of BLAS-based Tensor Contractions", 2015, [
    Entry("fig1", "Stages of predictions", "abc=ai,ibc with i = 8, BLAS-2 and BLAS-3: the mean error falls from 154 to 9.47 % from stage to stage (figures 1b to 1f; 1a are the measurements).",
          {"stages": contract(f"abc=ai,ibc a=b=c={{n}} i=8 {LEVELS} --validate --stage {{each}}")}, stages,
          {"n": 300, "each": [*STAGES, "segments"]}, {"n": 96, "each": [*STAGES, "segments"]}, (2, 0.3),
          "The paper's stages put single calls on operands far away and wait for every line, while calls in a loop overlap on a modern CPU. "
          "Segments time consecutive calls together for that reason. Noise adds to the errors of all stages.", aliases=("fig1b", "fig1c", "fig1d", "fig1e", "fig1f")),
    Entry("fig2", "Another setup", "abc=ai,ibc with a = b = c = 128 and i from 8 to 1000, all 36 algorithms: the gemm-based ones are recognised as the fastest.",
          {"sizes": contract("abc=ai,ibc a=b=c={n} i={each} --all-levels --validate")}, second_setup,
          {"n": 128, "each": [8, 64, 256, 1000]}, {"n": 64, "each": [8, 64]}, (15, 0.3),
          "The mean is over all algorithms, also those around dot and axpy."),
    Entry("fig3", "Only BLAS-1 and BLAS-2", "a=iaj,ji has 8 algorithms; j-gemv is recognised as the fastest at all sizes.",
          {"sizes": contract("a=iaj,ji a=i=j={each} --all-levels --validate")}, without_gemm,
          {"each": [32, 64, 128, 256, 400]}, {"each": [32, 100, 200]}, (1, 0.2), "At small sizes several algorithms can be equally fast, and then noise decides."),
    Entry("fig4", "A contraction with 176 algorithms", "abc=ija,jbic with i = j = 8: gemm-based algorithms are the fastest, and differ among themselves by over 20 %.",
          {"gemm": contract("abc=ija,jbic a=b=c={each} i=j=8 --validate"), "all": contract("abc=ija,jbic a=b=c={n} i=j=8 --all-levels")}, challenging,
          {"n": 300, "each": [50, 100, 200, 300, 400]}, {"n": 64, "each": [32, 64, 100]}, (1, 0.3),
          "The gemm-based algorithms differ by their copies, whose share falls with the size."),
    Entry("fig5", "The same with several threads", "i = j = 32 and ten threads: three groups of gemm-based algorithms, three times apart; i'c-gemm and i'b-gemm are the fastest.",
          {"gemm": contract("abc=ija,jbic a=b=c={each} i=j=32 --threads 2 --validate", "openblas-pthread")}, multithreaded,
          {"each": [50, 100, 200, 300]}, {"each": [32, 64, 100]}, (3, 0.3), "A call on two threads depends on what the other core does just then, which micro-benchmarks of few calls see less of."),
    Entry("fig6", "Efficiency of predictions", "abc=ai,ibc with i = 8: executing an algorithm takes 10^3 (gemm) to 10^9 times (BLAS-1) as long as its micro-benchmarks, at a = b = c = 1000.",
          {"sizes": contract("abc=ai,ibc a=b=c={each} i=8 --all-levels --fresh")}, efficiency,
          {"each": [100, 200, 400, 700, 1000]}, {"each": [128, 1000]}, (0.3, 0.2),
          "The paper's numbers hold for a = b = c = 1000. Segments of consecutive calls cost more than its single calls."),
], left_out="table 1 lists the method's rules.")
