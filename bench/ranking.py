#!/usr/bin/env python3
"""Measures the quality of rankings: ranks families with an empty store, then runs every variant, interleaved and drift-normalised. Prints Markdown
tables with the measured regret of the choice and the number of pairs of variants in the right order, per family.

  bench/ranking.py --flopcast build/release/bin/flopcast [--families cholesky,lu] [--blas openblas-serial,blis-serial] [--threads 2] [--n ...] [--all]

Pairs count if their measured medians differ by over 3 %. With --all every predicted block size is run too, and the regret is relative to the
fastest of them."""
import json
import os
import statistics
import sys

from program_runs import argument_parser, bold_if, environment_with_home, run

REACH = {"regret_median": 0.01, "regret_worst": 0.04, "pairs": 0.95}


def rank(options, family, blas, environment, sizes, more):
    """Returns the document of `flopcast rank`; `sizes` and `more` are words of its command."""
    command = [options.flopcast, "rank", family, *sizes, "--blas", blas, "--threads", options.threads, *more, "--json", "--quiet"]
    return json.loads(run(command, environment))


def inside_intervals(decision):
    """Tells for each variant at its best block size whether the measured time lies in the predicted interval."""
    forecasts = {(s.get("variant", ""), s["nb"], s["nx"]): s["interval"] for s in decision["ranking"]}
    for run in decision["validation"]["measured"]:
        interval = forecasts.get((run["variant"], run["nb"], run["nx"]))
        if interval is not None:
            yield interval[0] <= run["seconds"] <= interval[1]


def summary_row(family, blas, place):
    decisions = place["decisions"]
    regrets = [d["validation"]["regret"] for d in decisions]
    pairs = sum(d["validation"]["order"]["pairs"] for d in decisions)
    right = sum(d["validation"]["order"]["right"] for d in decisions)
    inside = [x for d in decisions for x in inside_intervals(d)]
    errors = [abs(run["error"]) for d in decisions for run in d["validation"]["measured"]]
    noise = [d["validation"]["repeatability"] for d in decisions]
    median, worst = statistics.median(regrets), max(regrets)
    share = right / pairs if pairs else 1
    return (f"| {family} | {blas} | {bold_if(f'{100 * median:.1f}', median > REACH['regret_median'])} | "
            f"{bold_if(f'{100 * worst:.1f}', worst > REACH['regret_worst'])} | {bold_if(f'{100 * share:.1f} % of {pairs}', share < REACH['pairs'])} | "
            f"{100 * statistics.median(errors):.1f} / {100 * max(errors):.1f} | {100 * sum(inside) / max(1, len(inside)):.0f} % | "
            f"{100 * statistics.median(noise):.1f} | {place['cost']['measuring_seconds']:.0f} s |")


def detail(family, blas, place):
    print(f"\n### {family}, {blas} ({place['environment']['blas']['kernels']} kernels)\n")
    print("| n | chosen, nb | fastest measured, nb | regret % | pairs in order | split-half % |")
    print("|--:|---|---|--:|--:|--:|")
    for d in place["decisions"]:
        validation = d["validation"]
        chosen, best = d["chosen"], validation["best"]
        order = validation["order"]
        print(f"| {d['sizes'][0]} | {chosen.get('variant') or 'library'}, {chosen['nb']} | {best['variant'] or 'library'}, {best['nb']} | "
              f"{100 * validation['regret']:.1f} | {order['right']} of {order['pairs']} | {100 * validation['repeatability']:.1f} |")


def main():
    parser = argument_parser(__doc__, families="cholesky,trtri,lauum,lu,lu-nopivot,sygst,sylvester,qr", blas="openblas-serial",
                             n="300,600,1000,1500,2000,2500,3000", time_budget="60s", repetitions="5")
    parser.add_argument("--threads", default="1", help="threads of the library")
    parser.add_argument("--all", action="store_true", help="run every predicted block size, not only each variant's best")
    parser.add_argument("--keep", help="folder for the store and the JSON documents")
    options = parser.parse_args()
    environment = environment_with_home(options.keep, "ranking")
    rows = []
    for blas in options.blas.split(","):
        for family in options.families.split(","):
            document = rank(options, family, blas, environment, ["--n", options.n],
                            ["--time-budget", options.time_budget, "--validate-all" if options.all else "--validate", "--repetitions", options.repetitions])
            with open(os.path.join(environment["FLOPCAST_HOME"], f"rank-{family}-{blas}.json"), "w", encoding="utf-8") as file:
                json.dump(document, file)
            place = document["places"][0]
            detail(family, blas, place)
            rows.append(summary_row(family, blas, place))
            sys.stdout.flush()
    print("\n## Against the goals (bold: short of \"reach\": regret median 1 %, worst 4 %; 95 % of pairs)\n")
    print("| family | BLAS | regret: median % | worst % | pairs over 3 % in order | error: median / worst % | 95 % intervals hold | split-half % | measuring |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
