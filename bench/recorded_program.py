#!/usr/bin/env python3
"""Measures how well the BLAS and LAPACK time of whole programs is predicted for another library. Every program is recorded under library A and
under library B, in turns. The recording under A alone is used to predict the times under both libraries, which are compared with the recorded times.
Only calls that the catalogue describes can be predicted; the table gives their share of the time. Prints a Markdown table of medians over the
repetitions, in brackets half the spread between the fastest and the slowest. "By models" is the time under B according to the models alone,
"predicted" the recorded time with the change that the models expect.

  bench/recorded_program.py --flopcast build/release/bin/flopcast [--from openblas-serial] [--to blis-serial] [--threads 1] [--programs qr,solve]

Run this on an idle machine."""
import json
import os
import shutil
import statistics
import sys
import tempfile

from program_runs import MATRICES, MATRIX_PROGRAMS, NUMPY, argument_parser, milliseconds, run

PROGRAMS = MATRIX_PROGRAMS | {
    "NumPy cholesky": [NUMPY, "-c", MATRICES + "[np.linalg.cholesky(s) for _ in range(8)]"],
    "NumPy qr": [NUMPY, "-c", MATRICES + "[np.linalg.qr(a) for _ in range(4)]"],
    "NumPy eigh": [NUMPY, "-c", MATRICES + "np.linalg.eigh(s)"],
    "NumPy svd": [NUMPY, "-c", MATRICES + "np.linalg.svd(a)"],
    "Octave": ["octave-cli", "--eval", "n = {n}; A = rand(n); B = A * A' + n * eye(n); for i = 1:4, A \\ B(:, 1:8); chol(B); [q, r] = qr(A); q' * B; inv(B); end"],
    "Fortran qr": ["{qr}", "{n}"],
}


def described_seconds(profile):
    """Returns the time in the calls that can be predicted, and in all calls."""
    return sum(r["seconds"] for r in profile["routines"] if r["described"]), profile["all"]["seconds"]


def available(command):
    return shutil.which(command[0]) is not None


class Comparison:
    """One program under two libraries."""

    def __init__(self, options, environment, command, folder):
        self.options, self.environment, self.command, self.folder = options, environment, command, folder

    def record(self, blas, number):
        trace = os.path.join(self.folder, f"{blas}-{number}.trace")
        run([self.options.flopcast, "record", "--quiet", "--threads", str(self.options.threads), "--blas", blas, "--output", trace, "--", *self.command],
             self.environment)
        profile = json.loads(run([self.options.flopcast, "profile", trace, "--no-peak", "--json"], self.environment))
        return trace, *described_seconds(profile)

    def run(self):
        measured = {self.options.source: [], self.options.target: []}
        recordings = []
        for number in range(self.options.repetitions):
            order = [self.options.source, self.options.target]
            for blas in order if number % 2 == 0 else reversed(order):
                trace, described, whole = self.record(blas, number)
                measured[blas].append(described)
                if blas == self.options.source:
                    recordings.append((described, whole, trace))
        described, whole, trace = sorted(recordings)[len(recordings) // 2]
        if described == 0:
            return measured, None, 0
        answers = json.loads(run([self.options.flopcast, "profile", trace, "--no-peak", "--json", "--quiet", "--what-if", "same", "--what-if",
                                   f"blas={self.options.target}", "--time-budget", self.options.time_budget], self.environment))["what_if"]
        return measured, answers, described / whole


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--qr", default="build/check/bin/example_qr", help="examples/programs/qr.f90, compiled")
    parser.add_argument("--from", dest="source", default="openblas-serial", help="library A")
    parser.add_argument("--to", dest="target", default="blis-serial", help="library B")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--n", default="400,1000", help="orders of the problems, separated by commas")
    parser.add_argument("--programs", help="words, separated by commas; only programs whose names contain one of them run")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--time-budget", default="20s", help="sampling time for each program's two predictions")
    options = parser.parse_args()
    environment = dict(os.environ)
    environment.setdefault("FLOPCAST_HOME", tempfile.mkdtemp(prefix="flopcast-recorded-program-"))
    errors = {"same": [], "models": [], "other": []}
    print(f"| program | n | predictable | {options.source} | by models | error | {options.target} | by models | error | predicted | error | in the interval |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|:--|", flush=True)
    for name, template in PROGRAMS.items():
        if options.programs and not any(word in name for word in options.programs.split(",")):
            continue
        for n in options.n.split(","):
            command = [word.replace("{n}", n).replace("{qr}", os.path.abspath(options.qr)) for word in template]
            if not available(command):
                print(f"{name}: {command[0]} is not here", file=sys.stderr)
                continue
            with tempfile.TemporaryDirectory(prefix="flopcast-recordings-") as folder:
                measured, answers, share = Comparison(options, environment, command, folder).run()
            if answers is None:
                print(f"| {name} | {n} | 0 % | | | | | | | | | |", flush=True)
                continue
            cells = []

            def compare(answer, blas, kind, key):
                error = answer[key] / statistics.median(measured[blas]) - 1
                errors[kind].append(abs(error))
                cells.append(f"{1e3 * answer[key]:.1f} ms | {100 * error:+.1f} %")

            cells.append(milliseconds(measured[options.source]))
            compare(answers[0], options.source, "same", "models_seconds")
            cells.append(milliseconds(measured[options.target]))
            compare(answers[1], options.target, "models", "models_seconds")
            compare(answers[1], options.target, "other", "predicted_seconds")
            low, high = answers[1]["interval"]
            inside = "yes" if low <= statistics.median(measured[options.target]) <= high else "no"
            print(f"| {name} | {n} | {100 * share:.0f} % | {' | '.join(cells)} | {inside} |", flush=True)
    for kind, title in (("same", f"{options.source}, by models"), ("models", f"{options.target}, by models"), ("other", f"{options.target}, predicted")):
        if errors[kind]:
            print(f"\n{title}: error median {100 * statistics.median(errors[kind]):.1f} %, worst {100 * max(errors[kind]):.1f} %")


if __name__ == "__main__":
    main()
