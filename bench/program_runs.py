"""Functions shared by the benchmarks that run whole programs."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

NUMPY = "/usr/bin/python3"
# Programs with a matrix of order n, and one that is symmetric and positive definite.
MATRICES = "import numpy as np; r = np.random.default_rng(1); n = {n}; a = r.random((n, n)); s = a @ a.T + n * np.eye(n); "
MATRIX_PROGRAMS = {
    "NumPy solve": [NUMPY, "-c", MATRICES + "[np.linalg.solve(a, a[:, :8]) for _ in range(8)]"],
    "NumPy matmul": [NUMPY, "-c", MATRICES + "[a @ s for _ in range(6)]; [a @ a[0] for _ in range(50)]"],
}


def argument_parser(description, **defaults):
    """Returns a parser of the benchmark's arguments, with an option for the program that is measured and one for each of `defaults`."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flopcast", default="build/release/bin/flopcast")
    for name, default in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default)
    return parser


def run(command, environment):
    """Returns the standard output of a command; if the command fails, ends the benchmark with the command's error output."""
    finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(command[:12])}\nended with {finished.returncode}:\n{finished.stderr}")
    return finished.stdout


def milliseconds(seconds):
    """Returns the median as a text, in brackets half the spread between the fastest and the slowest."""
    middle = statistics.median(seconds)
    return f"{1e3 * middle:.4g} ms ({50 * (max(seconds) - min(seconds)) / middle:.0f} %)"


def environment_with_home(folder, benchmark):
    """Returns this process's environment with `folder` as FLOPCAST_HOME, which is made; without `folder` with a new one, named after `benchmark`."""
    home = folder or tempfile.mkdtemp(prefix=f"flopcast-{benchmark}-")
    os.makedirs(home, exist_ok=True)
    return {**os.environ, "FLOPCAST_HOME": home}


def bold_if(text, short):
    """Returns the text in bold type where a figure falls short of its goal."""
    return f"**{text}**" if short else text
