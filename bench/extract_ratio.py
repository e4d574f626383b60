#!/usr/bin/env python3
"""Compares the ratio of two libraries in programs of `flopcast extract` with the ratio in the recorded programs. Every program is recorded under
both libraries, in turns. The first recording under --from is extracted and compiled once, and the result runs with both libraries, in turns. Prints
a Markdown table. Times are those of the fastest call of each kind times the number of calls, because other programs slow down single ones: from the
recordings, and from the extract.

  bench/extract_ratio.py --flopcast build/release/bin/flopcast [--from openblas-serial] [--to blis-serial] [--rounds 5] [--programs eigh,solve]

Run this on an idle machine. LAPACK is the reference in all runs."""
import collections
import json
import os
import re
import shutil
import subprocess
import tempfile

from program_runs import MATRICES, MATRIX_PROGRAMS, NUMPY, argument_parser, run

PROGRAMS = MATRIX_PROGRAMS | {
    "NumPy eigh": [NUMPY, "-c", MATRICES + "[np.linalg.eigh(s) for _ in range(3)]"],
    "NumPy svd": [NUMPY, "-c", MATRICES + "[np.linalg.svd(a) for _ in range(2)]"],
    "NumPy complex": [NUMPY, "-c", MATRICES + "z = a[:300, :300] * 1j + s[:300, :300]; [np.linalg.inv(z) @ z for _ in range(8)]"],
    "Octave": ["octave-cli", "--eval", "n = {n}; A = rand(n); B = A * A' + n * eye(n); for i = 1:4, A \\ B(:, 1:8); chol(B); [q, r] = qr(A); inv(B); end"],
    "R": ["Rscript", "-e", "n <- {n}; a <- matrix(rnorm(n * n), n); for (i in 1:4) {{ s <- crossprod(a); chol2inv(chol(s)); solve(a, a[, 1:8]); a %*% s }}"],
    "C cholesky": ["{cholesky}", "{n}"],
}


def sum_of(kinds):
    """Returns the time of all calls, where kinds have their number and the time of one call."""
    return sum(count * seconds for count, seconds in kinds.values())


class Comparison:
    """One program under two libraries."""

    def __init__(self, options, environment, command, folder):
        self.options, self.environment, self.command, self.folder = options, environment, command, folder
        self.recorded, self.repeated, self.folders = {}, {}, {}

    def record(self, blas):
        trace = os.path.join(self.folder, f"{blas}.trace")
        run([self.options.flopcast, "record", "--quiet", "--threads", "1", "--blas", blas, "--lapack", "reference", "--output", trace, "--", *self.command],
            self.environment)
        recording = json.loads(run([self.options.flopcast, "record", "--quiet", "--show", trace, "--calls", "--json"], self.environment))
        files = sorted(recording["libraries"], key=lambda file: "liblapack" not in file)
        self.folders[blas] = ":".join(os.path.dirname(file) for file in files)
        kinds = self.recorded.setdefault(blas, {})
        counts = collections.Counter()
        for event in recording["events"]:
            kind = re.sub(r"0x[0-9a-f]+|-?\d+\.\d+(e-?\d+)?", "", event["call"])  # without addresses and scalars
            counts[kind] += 1
            kinds[kind] = (counts[kind], min(event["seconds"], kinds.get(kind, (0, event["seconds"]))[1]))
        return trace

    def compile(self, trace):
        source, program = os.path.join(self.folder, "calls.c"), os.path.join(self.folder, "calls")
        run([self.options.flopcast, "extract", trace, "--quiet", "--output", source], self.environment)
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", source, "-o", program, "-l:liblapack.so.3", "-l:libblas.so.3"], check=True)
        return program

    def repeat(self, program, blas):
        environment = {**self.environment, "LD_LIBRARY_PATH": self.folders[blas], "OMP_NUM_THREADS": "1"}
        lines = run([program, str(self.options.repetitions)], environment).strip().splitlines()
        if lines[-1].split()[0] != "all":
            raise SystemExit(f"{program} with {blas} has no sum")
        kinds = self.repeated.setdefault(blas, {})
        for line in lines[1:-1]:
            case, count, _, fastest = line.split()[:4]
            kinds[case] = (int(count), min(1e-3 * float(fastest), kinds.get(case, (0, float("inf")))[1]))

    def row(self, name):
        source, target = self.options.source, self.options.target
        recordings = {}
        for number in range(self.options.rounds):
            for blas in [source, target] if number % 2 == 0 else [target, source]:
                recordings.setdefault(blas, self.record(blas))
            if number == 0:
                program = self.compile(recordings[source])
            for blas in [source, target] if number % 2 == 0 else [target, source]:
                self.repeat(program, blas)
        seconds = {blas: sum_of(self.recorded[blas]) for blas in (source, target)}
        ratio = seconds[target] / seconds[source]
        again = sum_of(self.repeated[target]) / sum_of(self.repeated[source])
        return (f"| {name} | {1e3 * seconds[source]:.4g} ms | {1e3 * seconds[target]:.4g} ms | {ratio:.3f} | {again:.3f} | "
                f"{100 * (again / ratio - 1):+.1f} % |")


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--from", dest="source", default="openblas-serial")
    parser.add_argument("--to", dest="target", default="blis-serial")
    parser.add_argument("--n", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=0, help="repetitions of each case; 0: half a second")
    parser.add_argument("--programs", default="", help="words of the programs' names, separated by commas; empty: all")
    options = parser.parse_args()
    options.flopcast = os.path.abspath(options.flopcast)
    environment = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    wanted = options.programs.split(",")
    print(f"| program, n = {options.n} | recorded, {options.source} | recorded, {options.target} | ratio | extract's ratio | difference |\n"
          "|:--|--:|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        cholesky = os.path.join(folder, "cholesky")
        example = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "programs", "cholesky.c")
        subprocess.run(["cc", "-O2", example, "-o", cholesky, "-l:liblapack.so.3", "-l:libblas.so.3", "-lm"], check=True)
        for name, words in PROGRAMS.items():
            command = [word.format(n=options.n, cholesky=cholesky) for word in words]
            if shutil.which(command[0]) and any(word in name for word in wanted):
                print(Comparison(options, environment, command, folder).row(name), flush=True)


if __name__ == "__main__":
    main()
