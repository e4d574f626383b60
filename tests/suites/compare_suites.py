#!/usr/bin/env python3
"""Runs other projects' own tests of linear algebra plain, under `flopcast record` and under `flopcast run`, and compares what comes of each test.

  compare_suites.py FLOPCAST SUITE

SUITE is numpy, scipy, octave or r. Exit status: 0 if every test ends the same way each time, 1 if one doesn't, 2 if a suite could not be run.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # Debian's Python, with its NumPy and SciPy


def junit_outcomes(file):
    """Returns the outcome of each test of a JUnit file: passed, failed, error or skipped."""
    outcomes = {}
    for case in xml.etree.ElementTree.parse(file).iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        outcomes[f"{case.get('classname')}::{case.get('name')}"] = kinds[0] if kinds else "passed"
    return outcomes


def listed_outcomes(file):
    """Returns the outcomes in a file with one line per test: name, tabulator, outcome."""
    return dict(line.split("\t", 1) for line in file.read_text(errors="replace").splitlines() if "\t" in line)


def pytest_command(package, results):
    return [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junitxml={results}", "--pyargs", package]


SUITES = {
    "numpy": (lambda results: pytest_command("numpy.linalg", results), junit_outcomes, 300),
    "scipy": (lambda results: pytest_command("scipy.linalg", results), junit_outcomes, 1000),
    "octave": (lambda results: ["octave-cli", "--no-init-file", str(HERE / "octave_suite.m")], listed_outcomes, 60),
    "r": (lambda results: ["Rscript", "--vanilla", str(HERE / "r_suite.R")], listed_outcomes, 150),
}


def run_suite(name, prefix, folder, label):
    """Returns the outcomes of the suite's tests when its command runs behind `prefix`."""
    command, read, least = SUITES[name]
    results = folder / f"{label}.results"
    environment = dict(os.environ, SUITE_RESULTS=str(results), PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", FLOPCAST_HOME=str(folder / "home"))
    log = folder / f"{label}.log"
    with open(log, "w") as output:
        status = subprocess.run(prefix + command(results), env=environment, stdout=output, stderr=subprocess.STDOUT, cwd=folder).returncode
    outcomes = read(results) if results.exists() else {}
    print(f"{name} {label}: exit status {status}, {len(outcomes)} outcomes", flush=True)
    if len(outcomes) < least:
        print(log.read_text(errors="replace")[-3000:])
        print(f"compare_suites: {name} {label} has {len(outcomes)} outcomes, at least {least} were expected", file=sys.stderr)
        sys.exit(2)
    outcomes["exit status"] = str(status)
    return outcomes


def tuning_file(flopcast, folder):
    """Returns a quickly made tuning file; the suites' results must not depend on its values."""
    tuning = folder / "tuning.json"
    tuned = subprocess.run([flopcast, "tune", "lapack", "--n", "64,200", "--time-budget", "20s", "--tuning", str(tuning), "--quiet"],
                           env=dict(os.environ, FLOPCAST_HOME=str(folder / "home")), stdout=subprocess.DEVNULL)
    if tuned.returncode != 0 or not tuning.exists():
        print(f"compare_suites: flopcast tune lapack ended with {tuned.returncode}", file=sys.stderr)
        sys.exit(2)
    return tuning


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in SUITES:
        print(__doc__, file=sys.stderr)
        return 2
    flopcast, name = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        tuning = tuning_file(flopcast, folder)
        ways = {
            "plain": [],
            "record": [flopcast, "record", "--output", str(folder / "suite.trace"), "--"],
            "run": [flopcast, "run", "--tuning", str(tuning), "--"],
            "run-reference": [flopcast, "run", "--tuning", str(tuning), "--blas", "openblas-pthread", "--lapack", "reference", "--report", "--"],
        }
        outcomes = {label: run_suite(name, prefix, folder, label) for label, prefix in ways.items()}
    differences = 0
    for label in list(ways)[1:]:
        for test in sorted(outcomes["plain"].keys() | outcomes[label].keys()):
            plain, other = outcomes["plain"].get(test, "not run"), outcomes[label].get(test, "not run")
            if plain != other:
                differences += 1
                print(f"{label}: {test}: {other}; plain: {plain}")
    print(f"{name}: {len(outcomes['plain'])} tests, {differences} end otherwise with flopcast than without")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
