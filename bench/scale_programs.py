#!/usr/bin/env python3
"""Compares predictions of `flopcast scale` with runs. Each program is recorded with three small values of its parameter, several times each, predicted
for four times the largest one, and run with that. Prints a Markdown table of wall times and peaks of resident memory, with the share outside of BLAS.
The measured wall time is the shortest of the runs, because other programs slow down the rest. BLAS has one thread, so that the CPU time is the wall time
of a machine without other programs.

  bench/scale_programs.py --flopcast build/release/bin/flopcast [--rounds 3] [--budget 60] [--programs pca,expm]

Run this on an idle machine. The programs use NumPy, SciPy, scikit-learn, Octave, R and LAPACK from Fortran; a missing one is skipped."""
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time

from program_runs import NUMPY, argument_parser

SETUP = "import sys, numpy as np; n = int(sys.argv[1]); r = np.random.default_rng(1); "
# Program without its last argument, which is the parameter, and the largest recorded parameter.
PROGRAMS = {
    "numpy eigh": ([NUMPY, "-c", SETUP + "a = r.standard_normal((n, n)); w, v = np.linalg.eigh(a + a.T); print(np.linalg.norm(v @ np.diag(w) @ v.T - a - a.T))"], 1000),
    "numpy lstsq": ([NUMPY, "-c", SETUP + "a = r.standard_normal((2 * n, n)); x = np.linalg.lstsq(a, a[:, :8], rcond=None)[0]; print(x[0, 0])"], 700),
    "scipy expm": ([NUMPY, "-c", SETUP + "import scipy.linalg as s; e = s.expm(r.standard_normal((n, n)) / n ** 0.5); print(e[0, 0])"], 1000),
    "scipy riccati": ([NUMPY, "-c", SETUP + "import scipy.linalg as s; a = r.standard_normal((n, n)); i = np.eye(n); print(s.solve_continuous_are(a, i, i, i)[0, 0])"], 250),
    "scikit-learn PCA": ([NUMPY, "-c", SETUP + "from sklearn.decomposition import PCA; p = PCA(n_components=n // 4, svd_solver='full').fit(r.standard_normal((2 * n, n))); print(p.explained_variance_[0])"], 700),
    "Octave": (["octave-cli", "--eval", "n = str2num(argv(){end}); A = rand(n); B = A \\ ones(n, 1); C = inv(A + A'); e = eig(A + A'); [q, r] = qr(A); disp(norm(B))"], 800),
    "R prcomp": (["Rscript", "-e", "n <- as.integer(commandArgs(TRUE)[1]); x <- matrix(rnorm(2 * n * n), 2 * n); p <- prcomp(x); s <- solve(crossprod(x)); print(p$sdev[1] + s[1])"], 700),
    "Fortran dsyevr": (["{eigen}"], 900),
}
FORTRAN = """program eigen
  implicit none
  integer :: n, m, info
  integer, allocatable :: support(:), iwork(:)
  double precision, allocatable :: a(:, :), z(:, :), w(:), work(:)
  character(20) :: text
  call get_command_argument(1, text)
  read (text, *) n
  allocate (a(n, n), z(n, n), w(n), support(2 * n), work(30 * n), iwork(12 * n))
  call random_number(a)
  call dsyevr('V', 'A', 'U', n, a, n, 0d0, 0d0, 0, 0, 0d0, m, w, z, n, support, work, size(work), iwork, size(iwork), info)
  print *, w(1), info
end program
"""


def run(command, environment):
    """Returns wall time, CPU time and peak of resident memory."""
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss


def row(name, command, largest, options, environment, folder):
    words = []
    for divisor in (4, 2, 1):
        for number in range(options.rounds):
            trace = os.path.join(folder, f"{largest // divisor}.{number}.trace")
            subprocess.run([options.flopcast, "record", "--quiet", "--threads", "1", "--output", trace, "--", *command, str(largest // divisor)],
                           env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            words.append(f"{trace}={largest // divisor}")
    scaled = json.loads(subprocess.run([options.flopcast, "scale", "--quiet", "--json", "--time-budget", str(options.budget), *words, "--to", str(4 * largest)],
                                       env=environment, check=True, capture_output=True, text=True).stdout)
    runs = [run([*command, str(4 * largest)], {**environment, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}) for _ in range(options.runs)]
    seconds, cpu, resident = min(runs)
    low, high = scaled["seconds_interval"]
    cells = [name, f"{largest // 4}, {largest // 2}, {largest}", f"{4 * largest}", f"{scaled['seconds']:.2f} s", f"{low:.1f} to {high:.1f} s", f"{seconds:.2f} s",
             f"{100 * (scaled['seconds'] / seconds - 1):+.1f} %", f"{cpu:.2f} s", f"{100 * (scaled['seconds'] / cpu - 1):+.1f} %", f"{100 * scaled['own_code_share']:.0f} %"]
    if (predicted := scaled.get("resident_bytes")) is not None:
        cells += [f"{predicted / 2**20:.0f} MiB", f"{resident / 2**20:.0f} MiB", f"{100 * (predicted / resident - 1):+.1f} %"]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="recordings of each parameter")
    parser.add_argument("--runs", type=int, default=2, help="runs with the predicted parameter")
    parser.add_argument("--budget", type=float, default=60, help="seconds for measuring kernels")
    parser.add_argument("--programs", default="", help="words of the programs' names, separated by commas; empty: all")
    options = parser.parse_args()
    options.flopcast = os.path.abspath(options.flopcast)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    print("| program | recorded | predicted for | seconds | 95 % interval | wall time | error | CPU time | error | outside of BLAS | resident memory | measured | error |\n"
          "|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        eigen, source = os.path.join(folder, "eigen"), os.path.join(folder, "eigen.f90")
        if shutil.which("gfortran"):
            with open(source, "w", encoding="utf-8") as file:
                file.write(FORTRAN)
            subprocess.run(["gfortran", "-O2", source, "-o", eigen, "-l:liblapack.so.3", "-l:libblas.so.3"], check=True)
        for name, (words, largest) in PROGRAMS.items():
            command = [word.replace("{eigen}", eigen) for word in words]
            if shutil.which(command[0]) and any(word in name for word in options.programs.split(",")):
                print(row(name, command, largest, options, environment, folder), flush=True)


if __name__ == "__main__":
    main()
