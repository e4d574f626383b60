"""Roman Iakymchuk, Performance Prediction through Time Measurements, 2011."""
import json
import statistics

from entry import Chart, Entry, Paper, at_least, at_most, claim, table_of, value_of

COLD = "cold:sweep"  # by reading more than the caches hold, as in the paper


def orders(form):
    return range(form["first"], form["last"] + 1, form["step"])


def calls(form, _):
    return json.dumps([f"dger m={n} n={n} alpha=-1 lda={n | 1}" for n in orders(form)])


def ger(documents, _):
    times = {state: {s["sizes"][0]: s["statistics"]["minimum"] for s in documents["ger"]["samples"] if s["cache"] == state} for state in ("warm", COLD)}
    ratios = [times[COLD][n] / times["warm"][n] for n in times["warm"]]
    rates = [(name, list(values), [2 * n * n / s / 1e9 for n, s in values.items()]) for name, values in (("in cache", times["warm"]), ("out of cache", times[COLD]))]
    slower = sum(ratio > 1 for ratio in ratios)
    return [claim("slower out of cache", "at all orders", f"at {slower} of {len(ratios)}, {statistics.median(ratios):.1f} times in the median", slower == len(ratios))], \
        Chart("dger in and out of cache", "m = n", "GFLOP/s, minimum of the times", rates)


def lu(documents, form):
    timings = int(documents["lu"].split(" levels, ")[1].split(" timings")[0])
    steps = [row for row in table_of(documents["lu"]) if int(row["n"]) >= form["from"]]
    errors = [abs(value_of(row["deviation"])) for row in steps]
    share = min(value_of(row["ger's flops"]) for row in steps)
    return [claim("timings of ger", "8 to 12", str(timings), 8 <= timings <= 12), at_least("ger's share of the flops", 96, share),
            at_most(f"deviation for n >= {form['from']}, median", 3, statistics.median(errors)), at_most("the same, largest", 3, max(errors))], None


PAPER = Paper("iakymchuk2011", "Roman Iakymchuk", "Performance Prediction through Time Measurements", 2011, [
    Entry("ger", "Rank-1 update in and out of cache", "Times of ger with its operands in cache and out of cache, over m = n. The minimum of several wall-clock times counts.",
          {"ger": f"flopcast sample --calls {{folder}}/calls.json --cache warm --cache {COLD} --blas openblas-serial --no-store --json --quiet"}, ger,
          {"first": 32, "last": 1024, "step": 62}, {"first": 64, "last": 512, "step": 64}, (0.3, 0.2),
          "The gap is that of this machine's caches and memory.", {"calls.json": calls}),
    Entry("lu", "Unblocked LU from 8 to 12 timings of ger", "One parabola for each memory level, from 4 to 6 timings of ger each; the sum over ger predicts LU within 2 to 3 %, but for small orders.",
          {"lu": "bench_lu_from_ger --n {n} --measurements 4 --repetitions {repetitions} --blas openblas-serial --figure {picture}"}, lu,
          {"n": "16:800:16", "repetitions": 7, "from": 96}, {"n": "32:400:32", "repetitions": 5, "from": 96}, (0.3, 0.1),
          "One parabola for each level is too coarse near the capacity of a level."),
])
