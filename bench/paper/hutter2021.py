"""Edward Hutter and Edgar Solomonik, Accelerating Distributed-Memory Autotuning via Statistical Analysis of Execution Paths, 2021."""
import argparse
import functools
import json
import statistics

import mpi_tuning
from entry import Chart, Entry, Paper, at_least, at_most, claim, extra

TUNE = "flopcast mpi tune {folder}/NAME.json --policy POLICY --time-precision {each} --validate --fresh --min-coverage 0 --json --quiet"


def space(name, form, programs):
    """Returns the document of the space of examples/mpi for two processes, with the form's sizes and number of configurations."""
    options = argparse.Namespace(mpi="openmpi", subjects=str(programs), set=form["set"], limit=form["limit"])
    made = mpi_tuning.space_of(mpi_tuning.SPACES / f"{name}.json", options, 2)
    made["launcher"] = ["env", "OPENBLAS_NUM_THREADS=1", *made["launcher"]]
    return json.dumps(made)


def spaces(*names):
    return {f"{name}.json": functools.partial(space, name) for name in names}


def tune(name, policy):
    return TUNE.replace("NAME", name).replace("POLICY", policy)


def trade_offs(documents, form):
    paths = [document["path"] for document in documents["profile"]]
    steps, words, flops, seconds = ([path[key] for path in paths] for key in ("supersteps", "words", "flops", "seconds"))
    best = min(range(len(paths)), key=lambda i: seconds[i])
    extremes = (min(range(len(paths)), key=lambda i: steps[i]), max(range(len(paths)), key=lambda i: steps[i]))
    scaled = lambda name, values: (name, [each["nb"] for each in form["each"]], [value / max(values) for value in values])
    return [claim("larger blocks: supersteps of the path", "fewer", f"{steps[0]:.0f} to {steps[-1]:.0f}", steps[-1] < steps[0]),
            claim("larger blocks: flops of the path", "more", f"{flops[0]:.2g} to {flops[-1]:.2g}", flops[-1] > flops[0]),
            claim("larger blocks: 8-byte words of the path", "more", f"{words[0]:.2g} to {words[-1]:.2g}", words[-1] > words[0]),
            claim("fastest block size", "between the extremes", f"nb = {form['each'][best]['nb']}", best not in extremes)], \
        Chart("Recursive Cholesky factorisation: costs along the critical path", "block size nb", "share of the largest", [
            scaled("supersteps", steps), scaled("words", words), scaled("flops", flops), scaled("execution time", seconds)], "x")


def figures(document):
    """Returns how many times faster selective execution is than full execution, and the median and the largest error of the predicted paths in %."""
    made = document["configurations"]
    errors = [100 * abs(c["predicted_seconds"] / c["full_path_seconds"] - 1) for c in made]
    full = sum(c["full_elapsed_seconds"] for c in made)
    return full / sum(c["elapsed_seconds"] + c["self_check_seconds"] for c in made), statistics.median(errors), max(errors)


def behind(document):
    """Returns how much longer the configuration of the least prediction takes than the fastest one, in %."""
    made = document["configurations"]
    chosen = min(made, key=lambda c: c["predicted_seconds"])
    return 100 * (chosen["full_path_seconds"] / min(c["full_path_seconds"] for c in made) - 1)


def tuning(subjects, documents, form):
    """Returns rows and the chart. `subjects` has each program's command, the paper's speed-up, if any against full execution, and the error in %."""
    rows, series = [], []
    for name, faster, error in subjects:
        found = [figures(document) for document in documents[name]]
        best = max(range(len(found)), key=lambda i: found[i][0])
        quantity = f"{name}: faster than in full, best tolerance"
        rows += [at_least(quantity, faster, found[best][0], "times") if faster else extra(quantity, f"{found[best][0]:.2g} times"),
                 at_most(f"{name}: mean error there (here the median)", error, found[best][1]),
                 at_most(f"{name}: time lost by the choice, worst tolerance", 1, max(behind(document) for document in documents[name]))]
        series += [(f"{name}: times faster", form["each"], [f[0] for f in found]), (f"{name}: median error in %", form["each"], [f[1] for f in found])]
    return rows, Chart("Tuning by selective execution", "tolerance of kernel times", "times faster; error in %", series, "xy")


CHOLESKY = (("recursive_cholesky", 7.1, 2), ("tile_cholesky", None, 4))
QR = (("pipelined_qr", 1.2, 6), ("tile_qr", None, 1))
WHY = "An execution takes tenths of a second here, in which first uses of memory weigh more than in the paper's runs, and each tolerance is tuned for once."

PAPER = Paper("hutter2021", "Edward Hutter and Edgar Solomonik", "Accelerating Distributed-Memory Autotuning via Statistical Analysis of Execution Paths", 2021, [
    Entry("fig3", "Trade-offs along the critical path", "Supersteps, words and flops along the critical path, and its time, for each configuration of four programs; here the recursive Cholesky factorisation.",
          {"run": "mpirun.openmpi -n 2 {bin}/flopcast mpi run --quiet --output {folder}/{each[nb]}.json -- "
                  "{bin}/recursive_cholesky_openmpi --n {n} --nb {each[nb]} --base-case everywhere --grid 1x1x2",
           "profile": "flopcast mpi show {folder}/{each[nb]}.json --json --quiet"}, trade_offs,
          {"n": 4096, "each": [{"nb": nb} for nb in (32, 64, 128, 256, 512)]}, {"n": 1024, "each": [{"nb": nb} for nb in (32, 64, 128, 256)]}, (0.5, 0.3),
          "The sizes are those of two cores, not of 512."),
    Entry("fig4", "Tuning Cholesky factorisations", "Tuning is up to 7.1 times faster by selective execution at 98 % accuracy (Capital), and up to 1.8 times against conditional execution (Slate).",
          {"recursive_cholesky": tune("recursive_cholesky", "eager"), "tile_cholesky": tune("tile_cholesky", "local")}, functools.partial(tuning, CHOLESKY),
          {"set": ["--n=4096"], "limit": 10, "each": [1, 0.25, 0.0625]}, {"set": ["--n=1024"], "limit": 4, "each": [1, 0.25]}, (4, 0.6),
          WHY, spaces("recursive_cholesky", "tile_cholesky")),
    Entry("fig5", "Tuning QR factorisations", "Tuning is up to 1.2 times faster (CANDMC, whose kernels' sizes shrink), at a mean error of about 6 %.",
          {"pipelined_qr": tune("pipelined_qr", "local"), "tile_qr": tune("tile_qr", "local")}, functools.partial(tuning, QR),
          {"set": ["--m=4096", "--n=1024"], "limit": 8, "each": [1, 0.25, 0.0625]}, {"set": ["--m=1024", "--n=256"], "limit": 4, "each": [1, 0.25]}, (1, 0.6),
          WHY + " Kernels of new sizes are predicted from other sizes, which the paper leaves for the future.", spaces("pipelined_qr", "tile_qr")),
], left_out="figures 1 and 2 draw the method. Each of figures 3 to 5 has up to twelve parts for four programs on up to 4096 processes: two programs on two processes take their place.")
