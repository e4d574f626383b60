#!/usr/bin/env python3
"""Measures the gain of a tuning file for an unchanged program. NumPy calls LAPACK and is run in turns by `flopcast run`, with a tuning file of
`flopcast tune` and with LAPACK's default block sizes, under the same libraries and kernels. No problem below was run for the tuning file. Prints a
Markdown table of medians of the times that the program itself takes, in brackets half the spread between the fastest and the slowest.

  bench/tuned_program.py --flopcast build/release/bin/flopcast [--n 1500,2000] [--blas openblas-serial] [--calls qr,cholesky] [--rounds 5]

Run this on an idle machine. NumPy must use a LAPACK that queries its block sizes; --lapack reference selects such a library for Debian's NumPy."""
import json
import os
import random
import statistics
import tempfile

from program_runs import NUMPY, argument_parser, milliseconds, run

PROGRAM = """
import json, sys, time
import numpy as np
n, repetitions = int(sys.argv[1]), int(sys.argv[2])
a = np.random.default_rng(1).random((n, n))
s = a @ a.T + n * np.eye(n)
calls = {"qr": lambda: np.linalg.qr(a, mode="raw"), "cholesky": lambda: np.linalg.cholesky(s), "inverse": lambda: np.linalg.inv(a),
         "eigenvalues, symmetric": lambda: np.linalg.eigvalsh(s), "eigenvalues": lambda: np.linalg.eigvals(a),
         "singular values": lambda: np.linalg.svd(a, compute_uv=False)}
seconds = {}
for name in sys.argv[3].split(";"):
    for repetition in range(repetitions):
        begin = time.perf_counter()
        calls[name]()
        seconds.setdefault(name, []).append(time.perf_counter() - begin)
print(json.dumps(seconds))
"""
# Routines that query ilaenv in each call, with the flags that `flopcast tune` takes.
ROUTINES = {"qr": ["dgeqrf"], "cholesky": ["dpotrf uplo=L"], "inverse": ["dgetrf"], "eigenvalues, symmetric": ["dsytrd uplo=L"], "eigenvalues": ["dgehrd"],
            "singular values": ["dgebrd"]}


def tuning_files(options, environment, calls, folder):
    """Returns the paths of the tuning file and of a copy without block sizes."""
    tuned, default = os.path.join(folder, "tuned.json"), os.path.join(folder, "default.json")
    for routine in sorted({r for name in calls for r in ROUTINES[name]}):
        run([options.flopcast, "tune", *routine.split(), "--n", options.n, "--blas", options.blas, "--lapack", "reference", "--tuning", tuned, "--quiet"], environment)
    with open(tuned, encoding="utf-8") as file:
        document = json.load(file)
    document["routines"] = []
    with open(default, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return {"tuned": tuned, "default": default}


def main():
    parser = argument_parser(__doc__, n="1500,2000", blas="openblas-serial")
    parser.add_argument("--calls", default=";".join(ROUTINES), help="calls, separated by semicolons")
    parser.add_argument("--rounds", type=int, default=5, help="processes with each tuning file, in random order")
    parser.add_argument("--repetitions", type=int, default=2, help="calls in a process")
    options = parser.parse_args()
    calls = options.calls.split(";")
    with tempfile.TemporaryDirectory(prefix="flopcast-tuned-") as folder:
        environment = dict(os.environ)
        tuning = tuning_files(options, environment, calls, folder)
        print("| call | n | default | tuned | default / tuned |\n|:--|--:|--:|--:|--:|")
        for n in options.n.split(","):
            seconds = {}
            for _ in range(options.rounds):
                for kind in random.sample(sorted(tuning), 2):
                    command = [options.flopcast, "run", "--tuning", tuning[kind], "--blas", options.blas, "--lapack", "reference", "--quiet", "--",
                               NUMPY, "-c", PROGRAM, n, str(options.repetitions), options.calls]
                    for call, values in json.loads(run(command, environment)).items():
                        seconds.setdefault(call, {}).setdefault(kind, []).append(min(values))
            for call in calls:
                both = seconds[call]
                print(f"| {call} | {n} | {milliseconds(both['default'])} | {milliseconds(both['tuned'])} | "
                      f"{statistics.median(both['default']) / statistics.median(both['tuned']):.3f} |", flush=True)


if __name__ == "__main__":
    main()
