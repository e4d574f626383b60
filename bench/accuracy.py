#!/usr/bin/env python3
"""Measures the accuracy of predictions and decisions: tunes routines with an empty store, then runs them, interleaved and drift-normalised,
and prints Markdown tables. No model is fitted to the runs that it is compared with.

  bench/accuracy.py --flopcast build/release/bin/flopcast [--routines dgeqrf,dpotrf] [--blas openblas-serial,blis-serial] [--n ...] [--nb ...]

Validation uses several processes, because all times of one process are a few percent shorter or longer than those of another process. Reasons
are the place of its memory and the load by other programs. The other treatments of the cache (paper, warm, cold) use the same samples, so that
only the treatment differs."""
import json
import os
import statistics
import subprocess
import sys
import time

from program_runs import argument_parser, environment_with_home


def quantile(values, q):
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def run(command, environment):
    begin = time.monotonic()
    finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return finished.stdout, time.monotonic() - begin


def errors_of(decisions, low, high):
    return [abs(m["error"]) for d in decisions for m in d["validation"]["measured"] if low <= d["sizes"][0] <= high]


def pool(decisions, others):
    """Replaces the validations of one process by medians over the runs of all processes; keeps the predictions and decisions of the first
    process."""
    for at, decision in enumerate(decisions):
        validation = decision["validation"]
        for m in validation["measured"]:
            again = [o for other in others for o in other[at]["validation"]["measured"] if (o["nb"], o["nx"]) == (m["nb"], m["nx"])]
            predicted = m["seconds"] * (1 + m["error"])
            m["processes"] = [statistics.median(one["times"]) for one in [m] + again]
            m["times"] = m["times"] + [time for one in again for time in one["times"]]
            m["seconds"] = statistics.median(m["times"])
            m["error"] = predicted / m["seconds"] - 1
        best = min(validation["measured"], key=lambda m: m["seconds"])
        chosen = next(m for m in validation["measured"] if (m["nb"], m["nx"]) == (decision["chosen"]["nb"], decision["chosen"]["nx"]))
        validation["best"] = {"nb": best["nb"], "nx": best["nx"]}
        validation["gain_kept"] = best["seconds"] / chosen["seconds"]


def between_processes(decisions):
    """Returns the median spread of the processes' medians over everything measured, relative to the measured time."""
    scatter = [(max(m["processes"]) - min(m["processes"])) / m["seconds"] for d in decisions for m in d["validation"]["measured"]]
    return f"{100 * statistics.median(scatter):.1f} %"


def spread(values):
    return f"{100 * statistics.median(values):.1f} / {100 * quantile(values, 0.95):.1f}" if values else "-"


def other_methods(options, routine, blas, decisions, environment):
    """Returns the errors of --cache-model placed, levels, paper, warm and cold for the same (n, nb)."""
    flags = ["uplo=L"] if "potrf" in routine else []
    tables = {}
    for method in ["placed", "levels", "paper", "warm", "cold"]:
        output, _ = run([options.flopcast, "predict", routine, f"n={options.n}", f"nb={options.nb}", *flags, "--blas", blas, "--cache-model", method,
                         "--generator", "demand", "--time-budget", "0s", "--json"], environment)
        tables[method] = {(p["n"], p["nb"]): p["seconds"] for p in predictions(json.loads(output))}
    measured = {(d["sizes"][0], m["nb"]): m["seconds"] for d in decisions for m in d["validation"]["measured"]}
    return {method: [(n, abs(table[n, nb] / seconds - 1)) for (n, nb), seconds in measured.items() if (n, nb) in table] for method, table in tables.items()}


def predictions(document):
    for item in document["predictions"]:
        parameters = item["parameters"]
        yield {"n": parameters["n"], "nb": parameters["nb"], "seconds": item["seconds"]}


def main():
    parser = argument_parser(__doc__, routines="dgeqrf,dpotrf", blas="openblas-serial,blis-serial", n="200,400,800,1200,1600,2400,3200",
                             nb="16,32,48,64,80,96,128,192")
    parser.add_argument("--repetitions", default="2", help="runs of every block size in each process; short runs are repeated more often")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--keep", help="folder for the JSON documents")
    options = parser.parse_args()
    environment = environment_with_home(options.keep, "accuracy")
    for blas in options.blas.split(","):
        for routine in options.routines.split(","):
            flags = ["uplo=L"] if "potrf" in routine else []
            tune = [options.flopcast, "tune", routine, *flags, "--n", options.n, "--nb", options.nb, "--blas", blas, "--fixed-crossover", "--validate",
                    "--repetitions", options.repetitions, "--json"]
            document = json.loads(run(tune, environment)[0])
            part = document["parts"][0]
            decisions = part["decisions"]
            pool(decisions, [json.loads(run([*tune, "--time-budget", "0s"], environment)[0])["parts"][0]["decisions"] for _ in range(options.processes - 1)])
            with open(os.path.join(environment["FLOPCAST_HOME"], f"{routine}-{blas}.json"), "w", encoding="utf-8") as file:
                json.dump(document, file)
            print(f"\n### {routine}, {blas} ({document['environment']['blas']['kernels']} kernels)\n")
            print("| n | default nb | chosen nb | best nb | gain predicted | gain measured | yield % | error of the chosen % | error, all nb: median / worst % |")
            print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
            for d in decisions:
                times = {(m["nb"], m["nx"]): m for m in d["validation"]["measured"]}
                chosen, default = (times[d[w]["nb"], d[w]["nx"]] for w in ("chosen", "default"))
                all_errors = [abs(m["error"]) for m in times.values()]
                print(f"| {d['sizes'][0]} | {default['nb']} | {chosen['nb']} | {d['validation']['best']['nb']} | {100 * d['gain']:.1f} % | "
                      f"{100 * (default['seconds'] / chosen['seconds'] - 1):.1f} % | {100 * d['validation']['gain_kept']:.1f} | {100 * chosen['error']:+.1f} | "
                      f"{100 * statistics.median(all_errors):.1f} / {100 * max(all_errors):.1f} |")
            yields = [d["validation"]["gain_kept"] for d in decisions]
            inside = [d["interval"][0] <= m["seconds"] <= d["interval"][1]
                      for x in decisions for m in x["validation"]["measured"] for d in x["forecasts"] if (d["nb"], d["nx"]) == (m["nb"], m["nx"])]
            print(f"\nyield: median {100 * statistics.median(yields):.1f} %, worst {100 * min(yields):.1f} %; measuring kernels took "
                  f"{part['cost']['measuring_seconds']:.1f} s ({part['cost']['segments']} segments); 95 % intervals hold {100 * sum(inside) / len(inside):.0f} % of the measurements; "
                  f"spread between processes: median {between_processes(decisions)}\n")
            print("| treatment of the cache | n >= 1000: median / p95 % | n <= 800: median / p95 % |")
            print("|---|--:|--:|")
            for method, errors in other_methods(options, routine, blas, decisions, environment).items():
                print(f"| {method} | {spread([e for n, e in errors if n >= 1000])} | {spread([e for n, e in errors if n <= 800])} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
