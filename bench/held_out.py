#!/usr/bin/env python3
"""Measures errors at orders that weren't sampled, for every algorithm family and every LAPACK routine that queries a block size. Kernels are sampled
for one list of orders (`--learn`). Other orders (`--test`) are then predicted without more sampling and run, interleaved and drift-normalised.
Prints a Markdown table. An error is predicted / measured - 1. Regret and yield belong to the choice that follows from these predictions. Split-half
is the difference between two measurements of the same thing.

  bench/held_out.py --flopcast build/release/bin/flopcast [--only cholesky,dgeqrf] [--blas openblas-serial] [--learn 300,600,...] [--test 450,...]

Run this on an idle machine. It takes about an hour per library; `--keep FOLDER` continues with the samples of an earlier run."""
import json
import statistics
import subprocess
import sys

from accuracy import quantile
from program_runs import argument_parser, environment_with_home

FAMILIES = ["cholesky", "trtri", "lauum", "lu", "lu-nopivot", "sygst", "sylvester", "qr"]
ROUTINES = {
    "geqrf": [], "gelqf": [], "geqlf": [], "gerqf": [], "getrf": [], "getri": [], "potrf": ["uplo=L"], "potri": ["uplo=L"], "trtri": ["uplo=L", "diag=N"], "lauum": ["uplo=L"],
    "ormqr": ["side=L", "trans=T"], "ormlq": ["side=L", "trans=T"], "ormql": ["side=L", "trans=T"], "ormrq": ["side=L", "trans=T"], "orgqr": [], "orglq": [], "orgql": [],
    "orgrq": [], "sytrf": ["uplo=L"], "sytrd": ["uplo=L"], "gehrd": [], "gebrd": [], "sygst": ["itype=1", "uplo=L"], "ormhr": ["side=L", "trans=T"],
    "ormtr": ["side=L", "uplo=L", "trans=T"], "ormbr": ["vect=Q", "side=L", "trans=T"],
}


def run(command, environment):
    finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {finished.returncode}: {finished.stderr.strip().splitlines()[-1:]}")
    return json.loads(finished.stdout)


def decisions_of(document):
    """Returns the decisions of the first place (`rank`) or of the first part (`tune`)."""
    if "places" in document:
        return document["places"][0]["decisions"]
    return document["parts"][0]["decisions"]


class Subject:
    """A family or a routine under one library."""

    def __init__(self, options, environment, blas, name, flags, is_family):
        self.options, self.environment, self.blas, self.name, self.flags, self.is_family = options, environment, blas, name, flags, is_family

    def command(self, orders, budget, validate):
        words = [self.options.flopcast, "rank" if self.is_family else "tune", self.name, *self.flags, "--n", orders, "--nb", self.options.nb, "--blas", self.blas,
                 "--time-budget", budget, "--json", "--quiet"]
        words += [] if self.is_family else ["--fixed-crossover"]
        return words + (["--validate", "--repetitions", str(self.options.repetitions)] if validate else [])

    def row(self):
        run(self.command(self.options.learn, self.options.time_budget, False), self.environment)
        decisions = decisions_of(run(self.command(self.options.test, "0s", True), self.environment))
        errors = [m["error"] for d in decisions for m in d["validation"]["measured"]]
        sizes = [abs(e) for e in errors]
        losses = [d["validation"]["regret"] if self.is_family else 1 / d["validation"]["gain_kept"] - 1 for d in decisions]
        noise = [d["validation"]["repeatability"] for d in decisions]
        text = (f"| {self.name} | {self.blas} | {len(errors)} | {100 * statistics.median(sizes):.1f} | {100 * quantile(sizes, 0.95):.1f} | {100 * max(sizes):.1f} | "
                f"{100 * statistics.median(errors):+.1f} | {100 * statistics.median(losses):.1f} | {100 * max(losses):.1f} | {100 * statistics.median(noise):.1f} |")
        return text, sizes


def main():
    parser = argument_parser(__doc__, precision="d", blas="openblas-serial", learn="300,600,1000,1500,2000,3000",
                             test="450,800,1250,1750,2500", nb="16,32,48,64,96,128")
    parser.add_argument("--only", help="families and routines, such as cholesky,dgeqrf; default: all")
    parser.add_argument("--time-budget", default="30s", help="sampling time per family or routine")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--keep", help="folder for the store")
    options = parser.parse_args()
    environment = environment_with_home(options.keep, "held-out")
    wanted = options.only.split(",") if options.only else None
    print("| family or routine | BLAS | runs | error: median % | p95 % | worst % | bias % | loss of the chosen: median % | worst % | split-half % |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    everything = []
    for blas in options.blas.split(","):
        subjects = [Subject(options, environment, blas, family, [], True) for family in FAMILIES]
        subjects += [Subject(options, environment, blas, options.precision + family, flags, False) for family, flags in ROUTINES.items()]
        for subject in subjects:
            if wanted and subject.name not in wanted:
                continue
            try:
                text, errors = subject.row()
            except RuntimeError as error:
                print(f"{subject.name}: {error}", file=sys.stderr)
                continue
            everything += errors
            print(text, flush=True)
    if everything:
        print(f"\nall: error median {100 * statistics.median(everything):.1f} %, p95 {100 * quantile(everything, 0.95):.1f} %")


if __name__ == "__main__":
    main()
