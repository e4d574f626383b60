"""Elmar Peise and Paolo Bientinesi, Cache-aware Performance Modeling and Prediction for Dense Linear Algebra, 2014."""
import itertools
import statistics

from entry import Chart, Entry, Paper, alike, at_least, at_most, claim, table_of, value_of

def tune(routine, sizes="--n {n}", blas="openblas-serial"):
    """Returns the template of a validated tuning at fixed crossover points."""
    return (f"flopcast tune {routine} {sizes} --nb {{nb}} --fixed-crossover --validate --repetitions {{repetitions}} --time-budget {{budget}} "
            f"--blas {blas} --json --quiet")


def decisions_of(document):
    """Returns the decisions that were validated within the time budget. Throws ValueError if there is none."""
    found = [d for d in document["parts"][0]["decisions"] if "validation" in d]
    if not found:
        raise ValueError("no block size was executed within the time budget. The machine is too busy for this form")
    return found


def measured(decision):
    """Returns the measured seconds by block size."""
    return {run["nb"]: run["seconds"] for run in sorted(decision["validation"]["measured"], key=lambda run: run["nb"])}


def default_loss(decision):
    """Returns how much longer LAPACK's default takes than the best block size, in percent."""
    times = measured(decision)
    return 100 * (times[decision["default"]["nb"]] / min(times.values()) - 1)


def block_sizes(documents, _):
    qr, cholesky = decisions_of(documents["qr"])[0], decisions_of(documents["cholesky"])[0]
    rows = []
    for name, decision, paper, best in (("dgeqrf", qr, 15, 112), ("dpotrf", cholesky, 13, 384)):
        times = measured(decision)
        rows += [alike(f"{name}: longer with LAPACK's default block size", paper, default_loss(decision)),
                 alike(f"{name}: best block size", best, min(times, key=times.get), "")]
    series = [(name, list(measured(d)), list(measured(d).values())) for name, d in (("dgeqrf", qr), ("dpotrf, lower", cholesky))]
    return rows, Chart("Run time over the block size", "block size b", "s", series)


def mean_error(model):
    """Returns the mean of the pieces' mean errors, weighted by their samples, in percent."""
    return 100 * sum(p["error"]["mean"] * p["samples"] for p in model["pieces"]) / sum(p["samples"] for p in model["pieces"])


def boxes(model):
    return [piece["box"] for piece in model["pieces"]]


def partitions(documents, _):
    rough, fine, other = (documents[name] for name in ("rough", "fine", "other"))
    counts = [len(model["pieces"]) for model in (rough, fine, other)]
    return [claim("pieces of the rough and the fine model", "fewer, more", f"{counts[0]}, {counts[1]}", counts[0] < counts[1]),
            claim("pieces with another library", "another partition", str(counts[2]), boxes(other) != boxes(fine)),
            at_most("error of the fine model, mean over its samples", 2, mean_error(fine)),
            at_most("the same with another library", 2, mean_error(other))], None


def model_cost(documents, _):
    configurations = table_of(documents["cost"])
    best = min(configurations, key=lambda row: value_of(row["mean error"]))
    chosen = next(row for row in configurations if row["configuration"] == "paper")
    noise = float(documents["cost"].split("differs by ")[1].split(" %")[0])
    return [at_most("least mean error of a configuration", 0.5, value_of(best["mean error"])),
            at_most("mean error of the paper's configuration", 2, value_of(chosen["mean error"])),
            at_most("difference of two measurements", 1.2, noise)], None


def by_block_size(document):
    return {p["parameters"]["nb"]: p["seconds"] for p in document["predictions"]}


def bounds(documents, _):
    warm, cold, times = by_block_size(documents["warm"]), by_block_size(documents["cold"]), measured(decisions_of(documents["measured"])[0])
    under, over = ([100 * (model[nb] / times[nb] - 1) for nb in times] for model in (warm, cold))
    count = len(times)
    rows = [claim("in-cache models underestimate", "at all block sizes", f"at {sum(x < 0 for x in under)} of {count}, median {statistics.median(under):+.0f} %", max(under) < 0),
            claim("out-of-cache models overestimate", "at all block sizes", f"at {sum(x > 0 for x in over)} of {count}, median {statistics.median(over):+.0f} %", min(over) > 0)]
    series = [(name, list(times), [values[nb] for nb in times]) for name, values in (("in cache", warm), ("measured", times), ("out of cache", cold))]
    return rows, Chart("dgeqrf from in- and out-of-cache models", "block size b", "s", series)


def yields(document):
    return [100 * d["validation"]["gain_kept"] for d in decisions_of(document)]


def default_yield(decision):
    return 100 / (1 + default_loss(decision) / 100)


def yield_chart(title, x, series):
    """Returns the chart of yields. `series` has names, documents and the place of the size that varies."""
    lines = []
    for name, document, at in series:
        decisions = decisions_of(document)
        sizes = [d["sizes"][at] for d in decisions]
        lines += [(f"{name}: chosen by prediction", sizes, yields(document)), (f"{name}: LAPACK's default", sizes, [default_yield(d) for d in decisions])]
    return Chart(title, x, "share of the best measured speed in %", lines)


def square_qr(documents, _):
    found = yields(documents["qr"])
    return [at_least("yield of the chosen block size, worst order", 99.7, min(found)), at_least("the same, median", 99.7, statistics.median(found))], \
        yield_chart("dgeqrf of square matrices: yield", "n", [("dgeqrf", documents["qr"], 0)])


def skinny_qr(documents, _):
    one, both = documents["one"], documents["both"]
    faster = max(measured(d)[d["default"]["nb"]] / d["validation"]["chosen_seconds"] for d in decisions_of(both))
    return [at_least("yield with one thread, median", 99, statistics.median(yields(one))), at_least("yield with all cores, worst", 94, min(yields(both))),
            at_least("faster than LAPACK's default with all cores, best", 1.6, faster, "times")], \
        yield_chart("dgeqrf of tall matrices: yield", "n", [("1 thread", one, 1), ("2 threads", both, 1)])


def cholesky(documents, _):
    rows = []
    for name in ("openblas", "blis"):
        small = [100 * d["validation"]["gain_kept"] for d in decisions_of(documents[name])]
        rows.append(at_least(f"{name}: yield, worst", 97, min(small)))
    return rows, yield_chart("dpotrf, lower: yield", "n", [(name, documents[name], 0) for name in ("openblas", "blis")])


def ranking(documents, form):
    """The five algorithms: the library's at its default, the blocked ones at the larger block size, the recursion at the smaller one."""
    decisions = documents["rank"]["places"][0]["decisions"]
    small, large = form["small"], form["large"]
    predicted, times, sizes = {}, {}, [d["sizes"][0] for d in decisions]
    right = pairs = first = 0
    for decision in decisions:
        wanted = lambda run: not run["variant"] or run["nb"] == (small if run["variant"] == "recursive" else large)
        model = {run["variant"] or "LAPACK": run["seconds"] for run in decision["forecasts"] if wanted(run)}
        real = {run["variant"] or "LAPACK": run["seconds"] for run in decision["validation"]["measured"] if wanted(run)}
        for name in real:
            predicted.setdefault(name, []).append(model[name])
            times.setdefault(name, []).append(real[name])
        apart = [(a, b) for a, b in itertools.combinations(real, 2) if max(real[a], real[b]) > 1.03 * min(real[a], real[b])]
        pairs += len(apart)
        right += sum((model[a] < model[b]) == (real[a] < real[b]) for a, b in apart)
        first += min(model, key=model.get) == min(real, key=real.get)
    totals = {name: sum(values) for name, values in times.items()}
    order = sorted(totals, key=totals.get)
    rate = lambda name, values: (name, sizes, [n ** 3 / 3 / s / 1e9 for n, s in zip(sizes, values)])
    series = [rate(f"{name} {kind}", values[name]) for name in order for kind, values in (("predicted", predicted), ("measured", times))]
    return [claim("order of pairs that differ by over 3 %", "all right", f"{right} of {pairs} right", right == pairs),
            claim("fastest algorithm predicted", "yes", f"for {first} of {len(sizes)} orders", first == len(sizes)),
            claim("fastest in all", "recursive, then 3", ", then ".join(order[:2]), order[:2] == ["recursive", "3"])], \
        Chart("Five algorithms of the Cholesky factorisation", "n", "GFLOP/s", series)


MODEL = "flopcast model build dtrsm side=L uplo=L transa=N alpha=1 m=8:{largest} n=8:{largest} --time-budget {budget} --json --quiet"
WIDE = {"nb": "16,32,64,96,128,192,256", "repetitions": 3}
BRIEF = {"nb": "16,32,64,128", "repetitions": 3, "budget": "40s"}

PAPER = Paper("peise2014", "Elmar Peise and Paolo Bientinesi", "Cache-aware Performance Modeling and Prediction for Dense Linear Algebra", 2014, [
    Entry("fig1", "Run time over the block size", "dgeqrf and dpotrf of order 3800: LAPACK's default block sizes take 15 and 13 % longer than the best (112 and 384).",
          {"qr": tune("dgeqrf", "--n {qr}"), "cholesky": tune("dpotrf uplo=L", "--n {cholesky}")}, block_sizes,
          {**WIDE, "nb": "16,32,64,112,192,256,384", "qr": 3800, "cholesky": 3800, "budget": "90s"}, {**BRIEF, "nb": "16,32,64,128,256", "qr": 900, "cholesky": 1200}, (3, 0.5),
          "Best block sizes and losses depend on the CPU, its caches and the library's kernels."),
    Entry("fig4", "Partition of the domain of dtrsm's models", "Models of dtrsm, m and n from 8 to 1024: rough, fine, and with another library; errors are mostly below 2 %.",
          {"rough": f"{MODEL} --oversampling 0 --error-type mean --blas openblas-serial", "other": f"{MODEL} --blas blis-serial",
           "fine": f"{MODEL} --blas openblas-serial --figure {{picture}}"}, partitions,
          {"largest": 1024, "budget": "60s"}, {"largest": 256, "budget": "40s"}, (3, 0.3),
          "Errors also contain the scatter of the samples, which is larger on a virtual machine."),
    Entry("fig5", "Accuracy of models over their cost", "Average error over the number of samples for many configurations of the refinement; below 0.5 % is reachable.",
          {"cost": "bench_model_cost --largest {largest} --held-out {points} --repetitions {repetitions} --figure {picture}"}, model_cost,
          {"largest": 1024, "points": 150, "repetitions": 5}, {"largest": 128, "points": 40, "repetitions": 3}, (12, 0.2),
          "Errors contain the scatter of the measurements, which is larger here than on the paper's machine."),
    Entry("fig6", "dgeqrf from in- and out-of-cache models", "dgeqrf of order 1560: models of kernels in cache underestimate its time, those out of cache overestimate it.",
          {"warm": "flopcast predict dgeqrf n={n} nb={nb} --cache-model warm --generator demand --time-budget {budget} --blas openblas-serial --json --quiet",
           "cold": "flopcast predict dgeqrf n={n} nb={nb} --cache-model cold --generator demand --time-budget {budget} --blas openblas-serial --json --quiet",
           "measured": tune("dgeqrf")}, bounds,
          {**WIDE, "n": 1560, "budget": "30s"}, {**BRIEF, "n": 800}, (1, 0.5), "Kernels in the routine find part of their operands in cache, so that the time lies between both models. Noise in one of the runs can hide that."),
    Entry("fig8", "Block size of dgeqrf, square matrices", "Orders up to 4120: the chosen block size attains at least 99.7 % of the best speed, but for n = 88.",
          {"qr": tune("dgeqrf")}, square_qr, {**WIDE, "n": "200,500,1000,1500,2000,3000,4120", "budget": "150s"}, {**BRIEF, "n": "200,500,900"}, (4, 0.4),
          "Choices are judged by measurements, whose noise lowers the yield, too."),
    Entry("fig9", "Block size of dgeqrf, tall matrices", "m = 4120: 99 % of the best speed with one thread, 94 % at least with ten cores, up to 1.6 times faster than LAPACK's default.",
          {"one": tune("dgeqrf", "m={m} n={n}", "openblas-pthread"), "both": tune("dgeqrf", "m={m} n={n}", "openblas-pthread --threads 2")}, skinny_qr,
          {**WIDE, "m": 4120, "n": "200,500,1000,2000,3000", "budget": "90s"}, {**BRIEF, "m": 1500, "n": "100,300"}, (5, 0.5),
          "Two cores in place of ten leave less to gain over the default."),
    Entry("fig10", "Block size of dpotrf", "One core, OpenBLAS and MKL: 97 % of the best speed for n up to 3500, well above 99 % for larger n.",
          {"openblas": tune("dpotrf uplo=L"), "blis": tune("dpotrf uplo=L", blas="blis-serial")}, cholesky,
          {**WIDE, "nb": "32,64,96,128,192,256,384", "n": "300,800,1500,2500,3500", "budget": "60s"}, {**BRIEF, "n": "300,800,1500"}, (2, 0.5),
          "BLIS takes MKL's place. Choices are judged by measurements, whose noise lowers the yield, too."),
    Entry("fig11", "Ranking of Cholesky algorithms", "LAPACK's dpotrf, three blocked algorithms with b = 256 and a recursion that ends at 24: all five are ranked right; the recursion is fastest, then algorithm 3.",
          {"rank": "flopcast rank cholesky --n {n} --nb {small},{large} --validate-all --repetitions 3 --time-budget {budget} --blas openblas-serial --json --quiet"}, ranking,
          {"n": "500,1000,2000,3000,4000", "small": 24, "large": 256, "budget": "90s"}, {"n": "600,1200", "small": 24, "large": 256, "budget": "40s"}, (2, 0.4),
          "Pairs count that differ by over 3 %. Those in the wrong order differ by little more, where predictions are off by as much."),
], left_out="figures 2, 3 and 7 draw the method. Sandy Bridge, Penryn, Ivy Bridge and MKL aren't there: this machine's CPU, OpenBLAS and BLIS take their place.")
