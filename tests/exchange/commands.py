"""Calls of every command that writes a document or a table, on small inputs. They follow each other: later ones read files of earlier ones."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

# A program that calls BLAS and LAPACK on matrices of the order that is its argument.
PROGRAM = [sys.executable, "-c", """
import sys, numpy
a = numpy.random.default_rng(1).random((int(sys.argv[1]), int(sys.argv[1])))
numpy.linalg.qr(a)
for _ in range(20): a @ a
"""]
BRIEF = ["--time-budget", "0.3s"]
HOSTILE = "<script>flopcastExecuted = 1</script>"  # a name that pages must not execute


@dataclasses.dataclass
class Call:
    """A command's words, its other arguments, and what it writes."""

    command: str
    arguments: list
    name: str = ""        # of the file NAME.json that keeps the document; empty: no document
    csv: str = ""         # name of the table in `flopcast columns` that --csv writes; empty: none
    is_text: bool = False  # neither document nor table: the call makes a file for later calls
    codes: tuple = (0,)
    behind: list = dataclasses.field(default_factory=list)  # words behind --
    before: list = dataclasses.field(default_factory=list)  # words that start flopcast
    writes: str = ""      # file of --output, where it isn't the document's
    needs: str = ""       # "mpi", "smpi" or "scalapack"; empty: nothing

    def line(self, program, *more):
        return [*self.before, program, *self.command.split(), *self.arguments, *more, *(["--", *self.behind] if self.behind else [])]


def calls(tools):
    """Returns the calls. `tools` has the paths of MPI programs: "mpi" with its "mpirun", and "smpi"."""
    recorded = [Call("record", ["--threads", "1"], is_text=True, behind=[*PROGRAM, str(n)], writes=f"{n}.trace") for n in (60, 80, 100)]
    contraction = ["ab=ai,ib", "a=b=16", "i=8"]
    return [
        Call("machine", ["--quick"], "machine", "machine"),
        Call("sample", ["dgemm", "m=16:32:16", "n=16", "k=16"], "sample", "sample"),
        Call("sample", ["dgemm", "m=16", "n=16", "k=16", "--raw"], csv="sample"),
        Call("sample", ["dgemm", "m=16", "n=16", "k=16", "--dry-run"], "sampling_plan", "sample"),
        Call("model build", ["ddot", "n=8:64", *BRIEF], "model_build"),
        Call("model build", ["ddot", "n=8:64", "--dry-run"], "model_plan"),
        Call("model list", [], "models", "model"),
        Call("model show", ["ddot"], "model", "model"),
        Call("model export", ["ddot"], "exported_model"),
        Call("trace", ["dpotrf", "uplo=L", "n=60", "nb=16"], "trace"),
        Call("trace", ["dpotrf", "uplo=L", "n=60", "nb=16", "--summary"], "trace_summary", "trace"),
        Call("predict", ["dpotrf", "uplo=L", "n=60,80", "nb=16,32", *BRIEF], "predict", "predict"),
        Call("predict", ["--trace", "trace.json", *BRIEF], "predict_trace", "predict"),
        Call("model check", BRIEF, "model_check", "model check"),
        Call("tune", ["dgeqrf", "--n", "60,80", "--nb", "16,32", "--validate", "--save", *BRIEF], "tune", "tune"),
        Call("tune", ["dgeqrf", "m=60,80", "n=40", "--nb", "16,32", *BRIEF], "tune_rectangular", "tune"),
        Call("tune", ["lapack", "--n", "60", "--precisions", "d", *BRIEF], "tune_lapack", "tune lapack"),
        Call("tune", ["cholesky", "--n", "60", "--nb", "16,32", "--variant", "all", *BRIEF], "tune_variants", "rank together"),
        Call("tune", ["--parameter", "n=40,60", *BRIEF], "tune_program", "tune program", behind=[*PROGRAM, "{n}"]),
        Call("rank", ["cholesky", "--n", "60,80", "--nb", "16,32", "--validate", *BRIEF], "rank", "rank"),
        Call("rank", ["eigh", "--n", "30", *BRIEF], "rank_drivers", "rank"),
        Call("contract", contraction, "contract", "contract"),
        Call("contract", [*contraction, "--list"], "algorithms", "contract"),
        Call("contract", [*contraction, "--run", *BRIEF], "contraction", "contract"),
        Call("contract", ["ab,bc,cd->ad", "a=b=c=d=16"], "contraction_plan", "contract"),
        Call("contract", ["--layouts", "A", "C_ab := A_ai B_ib", "a=b=16", "i=8", *BRIEF], "layouts", "contract layouts"),
        Call("roofline", ["--quick", "--streams", "triad", "--no-gemm", "--threads", "1", *BRIEF], "roofline", "roofline"),
        Call("roofline", ["--quick", "--streams", "triad", "--dry-run"], "roofline_plan", "roofline"),
        *recorded,
        Call("record", ["--show", "100.trace"], "recording", "record"),
        Call("record", ["--show", "100.trace", "--every-call"], csv="record"),
        Call("doctor", ["--recording", "100.trace", *BRIEF], "diagnosis", "doctor"),
        Call("profile", ["100.trace", "--no-peak", "--what-if", "threads=1", *BRIEF], "profile"),
        *(Call("profile", ["100.trace", "--no-peak", "--by", by], csv="profile") for by in ("routine", "shape", "thread", "process")),
        Call("profile", ["100.trace", "--no-peak", "--by", "what-if", "--what-if", "threads=1", *BRIEF], csv="profile what-if"),
        Call("profile", ["100.trace", "--export", "perfetto"], "timeline"),
        Call("extract", ["100.trace"], "extract"),
        Call("scale", [*(f"{n}.trace={n}" for n in (60, 80, 100)), "--to", "120", *BRIEF], "scale", "scale"),
        Call("run", ["--report"], "run", "run", behind=[*PROGRAM, "60"]),
        Call("env", [], "environment"),
        Call("race", ["--max-runs", "3", "--name", "true", "--name", HOSTILE, *BRIEF], "race", "race", behind=["true", "--", "true"]),
        Call("compare", ["sample.json", "sample.json"], "comparison", "compare"),
        Call("compare", ["--save-baseline", "kept", "sample.json"], "baseline"),
        Call("verify", ["--routine", "ddot", "--rounds", "1", "--threads", "1", *BRIEF], "verification", "verify"),
        Call("wisdom list", [], "wisdom_list", "wisdom"),
        Call("wisdom check", [], "wisdom_check", "wisdom"),
        Call("wisdom export", [], "wisdom"),
        Call("wisdom merge", ["wisdom.json", "wisdom.json"], "merged_wisdom"),
        Call("wisdom import", ["wisdom.json"], "wisdom_import", "wisdom"),
        Call("wisdom prune", ["--dry-run"], "wisdom_prune", "wisdom"),
        Call("export ilaenv", [], "ilaenv"),
        Call("wisdom forget", ["--all"], "wisdom_forget", "wisdom"),
        Call("mpi run", [], "mpi_run", before=[*tools.get("mpirun", []), "-n", "2"], behind=[*tools.get("mpi", []), "--n", "96", "--nb", "32"], needs="mpi"),
        Call("mpi show", ["mpi_run.json"], "mpi_show", "mpi kernels", needs="mpi"),
        Call("mpi tune", ["small.space"], "mpi_tune", "mpi tune", needs="mpi"),
        Call("mpi describe", [], "mpi_machine", needs="mpi"),
        Call("mpi simulate", ["--ranks", "2,4", *BRIEF], "mpi_simulate", "mpi simulate", behind=[*tools.get("smpi", []), "--n", "96", "--nb", "32"], needs="smpi"),
        Call("mpi advise", ["pdpotrf", "--n", "100", "--ranks", "2", *BRIEF], "mpi_advise", "mpi tune", needs="scalapack"),
        Call("columns", [], csv="columns"),
        Call("schema", ["--list"], csv="schema"),
    ]


def space_of(tools):
    """Returns the space of `mpi tune`, as a document."""
    return {"schema": "flopcast-mpi-space-1", "name": "small", "launcher": [*tools["mpirun"], "-n", "2"],
            "command": [*tools["mpi"], "--n", "96", "--nb", "{nb}"], "parameters": {"nb": [32, 48]}}


class CommandFailed(Exception):
    """A command ended with another exit code than it should."""


class Runner:
    """Runs flopcast in `folder`, with a store of its own that knows the measured machine only."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        store = self.folder / "store"
        store.mkdir(parents=True, exist_ok=True)
        for file in pathlib.Path(os.environ["FLOPCAST_HOME"]).glob("machine-*.json"):
            shutil.copy(file, store)
        self.environment = {**os.environ, "FLOPCAST_HOME": str(store), "FLOPCAST_CONFIG": "", "FLOPCAST_SYSTEM_WISDOM": "",
                            "OPENBLAS_NUM_THREADS": "1", "TMPDIR": str(self.folder)}

    def run(self, line, codes=(0,)):
        """Runs a command line and returns its standard output."""
        ended = subprocess.run(line, capture_output=True, text=True, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL)
        if ended.returncode not in codes:
            raise CommandFailed(f"{' '.join(line)} ended with {ended.returncode}:\n{ended.stderr}")
        return ended.stdout

    def document(self, call):
        """Returns the text of the document of `call`, which is kept as NAME.json."""
        file = self.folder / f"{call.name}.json"
        self.run(call.line(self.program, "--json", "--output", str(file), "--quiet"), call.codes)
        return file.read_text()

    def table(self, call):
        """Returns the text of the table of `call` as comma-separated values."""
        file = self.folder / "table.csv"
        file.unlink(missing_ok=True)
        self.run(call.line(self.program, "--csv", "--output", str(file), "--quiet"), call.codes)
        return file.read_bytes().decode()

    def make(self, call):
        """Runs a call that makes a file for later calls."""
        self.run(call.line(self.program, "--output", str(self.folder / call.writes), "--quiet"), call.codes)
