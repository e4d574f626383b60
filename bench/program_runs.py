"""Functions shared by the benchmarks that run whole programs."""
import statistics
import subprocess
import sys

NUMPY = "/usr/bin/python3"


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
