#!/usr/bin/env python3
"""How good and how cheap is `flopcast tune --parameter` for algorithms that no library has, against running every configuration?

Six programs: five of bench/own_algorithms.f90, which gfortran compiles here, and a Cholesky factorisation by NumPy's calls. Each is tuned
with an empty store, and every configuration is then executed `--rounds` times in random order. Times are CPU times with one thread, so that
other programs disturb little; the least one of a configuration counts. regret: time of the chosen configuration over the least time, minus 1.
cheaper: time of running all configurations once over the time of the tuning.

Usage, by a Python that has NumPy: bench/own_algorithms.py FLOPCAST [--rounds N] [--only NAME] [--time-budget SECONDS]
"""

import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).with_suffix(".f90")
NUMPY = """
import sys
import numpy as np
nb, n, lazy = int(sys.argv[1]), int(sys.argv[3]), sys.argv[2] == "left"
a = np.full((n, n), 0.5) + np.diag(np.arange(n) + float(n))
for k in range(0, n, nb):
    e = min(k + nb, n)
    if lazy and k:
        a[k:, k:e] -= a[k:, :k] @ a[k:e, :k].T
    a[k:e, k:e] = np.linalg.cholesky(a[k:e, k:e])
    if e < n:
        a[e:, k:e] = a[e:, k:e] @ np.linalg.inv(a[k:e, k:e]).T
        for j in range(e, n, nb) if not lazy else ():
            a[j:, j:j + nb] -= a[j:, k:e] @ a[j:j + nb, k:e].T
"""
BLOCKS = "16:256:16"
# Name -> words behind the program, and its parameters.
PROGRAMS = {
    "ldlt": ("ldlt {nb} {variant} 5000", {"nb": BLOCKS, "variant": "left,right"}),
    "bandqr": ("bandqr {nb} {variant} 6000", {"nb": BLOCKS, "variant": "whole,steps"}),
    "lu": ("lu {nb} {variant} 4000", {"nb": BLOCKS, "variant": "left,right"}),
    "gs": ("gs {nb} {variant} 2500", {"nb": BLOCKS, "variant": "whole,steps"}),
    "jacobi": ("jacobi {nb} {variant} 1200", {"nb": "20,24,30,40,50,60,75,80,100,120,150,200", "variant": "row,column"}),
    "numpy": ("{nb} {variant} 5000", {"nb": BLOCKS, "variant": "left,right"}),
}


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("flopcast")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only")
    parser.add_argument("--time-budget", default="20")
    options = parser.parse_args()
    os.environ.update(OPENBLAS_NUM_THREADS="1", GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    print("program  configurations  chosen  predicted  regret  stated  all [s]  tuning [s]  cheaper  dry runs [s]", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "own")
        libraries = ["-l:liblapack.so.3", "-l:libblas.so.3"]
        subprocess.run(["gfortran", "-O2", "-march=native", "-o", program, str(SOURCE), *libraries], check=True)
        for name, (words, parameters) in PROGRAMS.items():
            if options.only not in (None, name):
                continue
            command = [*([sys.executable, "-c", NUMPY] if name == "numpy" else [program]), *words.split()]
            tune = [options.flopcast, "tune", "--json", "--threads", "1", "--time-budget", options.time_budget]
            for parameter, values in parameters.items():
                tune += ["--parameter", f"{parameter}={values}"]
            begin = time.monotonic()
            result = json.loads(subprocess.run([*tune, "--", *command], check=True, stdout=subprocess.PIPE).stdout)
            tuning = time.monotonic() - begin
            rows = result["configurations"]
            least, total = {}, 0
            for _ in range(options.rounds):
                for i in random.sample(range(len(rows)), len(rows)):
                    setting = rows[i]["configuration"]
                    seconds = cpu_seconds([word.format(**setting) if "{" in word and "\n" not in word else word for word in command])
                    least[i] = min(least.get(i, seconds), seconds)
                    total += seconds
            total /= options.rounds
            chosen = " ".join(rows[0]["configuration"].values())
            print(f"{name:7}  {len(rows):14}  {chosen:9}  {rows[0]['predicted_seconds'] / least[0] - 1:+6.1%}  {least[0] / min(least.values()) - 1:6.1%}"
                  f"  {result['regret']:6.1%}  {total:7.1f}  {tuning:10.1f}  {total / tuning:7.1f}  {result['run_seconds']:12.1f}", flush=True)


main()
