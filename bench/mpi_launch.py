"""Common parts of the benchmarks of `flopcast mpi`: compiling their program, starting MPI programs with and without flopcast, medians with
their spread."""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).parent
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# For more processes than cores, and for processes that share cores.
CROWDED = {"OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}


def add_options(parser):
    parser.add_argument("--flopcast", required=True, help="path of flopcast")
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--repetitions", type=int, default=11)


class Launcher:
    """Starts programs of one MPI; a context manager, since it compiles into a temporary folder."""

    def __init__(self, options):
        self.options = options
        self.flopcast = os.path.abspath(options.flopcast)
        self.seconds = None  # elapsed time of the last command
        self.environment = {**os.environ, **OPEN_MPI, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="flopcast-bench-")
        self.environment["FLOPCAST_HOME"] = self.folder.name
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def environment_for(self, ranks, cores=None):
        """Returns the environment. Processes with a core each are bound to it and wait busily, which is Open MPI's default; others
        yield."""
        crowded = cores is not None or ranks > len(os.sched_getaffinity(0))
        return {**self.environment, **(CROWDED if crowded else {})}

    def compile(self):
        program = os.path.join(self.folder.name, "mpi_programs")
        subprocess.run([f"mpicc.{self.options.mpi}", "-O2", "-o", program, str(BENCH / "mpi_programs.c"), "-l:libblas.so.3"], check=True)
        return program

    def run(self, ranks, command, cores=None, follow=None, folder=None):
        """Runs on `cores` ("0,1"; None for all) in `folder` and returns the standard output and, if traced with the options `follow`, the
        profile. Sets `self.seconds`."""
        profile = os.path.join(self.folder.name, "profile.json")
        words = [f"mpirun.{self.options.mpi}", "-n", str(ranks)]
        if follow is not None:
            words += [self.flopcast, "mpi", "run", "--quiet", "--output", profile, *follow, "--"]
        if cores is not None:
            words = ["taskset", "-c", cores, *words]
        start = time.perf_counter()
        finished = subprocess.run(words + command, cwd=folder, env=self.environment_for(ranks, cores), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.seconds = time.perf_counter() - start
        if finished.returncode != 0:
            sys.exit(f"{' '.join(words + command)}\nended with {finished.returncode}:\n{finished.stderr}")
        if follow is None:
            return finished.stdout, None
        with open(profile) as file:
            return finished.stdout, json.load(file)


def chosen_of(configurations):
    """Returns the index of the configuration that a tuning chooses. A tuning that leaves all undecided counts as choosing its shortest path."""
    return min(range(len(configurations)), key=lambda i: (configurations[i]["verdict"] != "chosen", configurations[i]["predicted_seconds"]))


def own_seconds(output):
    """Returns the seconds that the program itself prints."""
    return float(re.search(r"seconds ([0-9.]+)", output).group(1))


def ratio(numbers, others):
    """Returns the ratio of the medians and its spread, which is half of the interquartile range of the paired ratios."""
    pairs = [a / b for a, b in zip(numbers, others)]
    quartiles = statistics.quantiles(pairs, n=4) if len(pairs) > 1 else [pairs[0]] * 3
    return statistics.median(numbers) / statistics.median(others), (quartiles[2] - quartiles[0]) / 2


def cell(value_and_spread):
    value, spread = value_and_spread
    return f"{value:.3f} ± {spread:.3f}"
