#!/usr/bin/env python3
"""Measures how accurate flopcast is, and writes the measured part of docs/accuracy.md with its picture. Each step is a command whose output goes into the
folder of --results, so that an interrupted run continues where it stopped. A step begins once other programs leave the machine alone. Moments in
which they don't are waited out and counted, whatever the results are.

  bench/accuracy_page.py --build build/check --results FOLDER [--page docs/accuracy.md] [--only tuning,cost] [--orders 200,389,797,1201,1999,3200]

Without --page the rows are printed, and nothing is written but the results. Run this on an idle machine; the whole run takes about an hour on two cores."""
import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import textwrap
import time

from accuracy import quantile

BENCH = pathlib.Path(__file__).parent
sys.path.append(str(BENCH / "paper"))
import chart
from book import machine_ticks, write_between
from entry import Chart, table_of, value_of

BEGIN, END = "<!-- The lines up to the end mark are written by bench/accuracy_page.py. -->", "<!-- end of the measured lines -->"
ROUTINES = ["geqrf", "potrf", "getrf", "gelqf", "sytrd", "gebrd", "trtri"]
HERMITIAN = {"sytrd": "hetrd"}  # names of complex routines that differ


def busy_cores(seconds=1.0):
    """Returns how many cores were busy, on average over that time, while this process slept."""
    before = machine_ticks()
    time.sleep(seconds)
    return (machine_ticks() - before) / seconds


class Sitting:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.results)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.seconds = 0.0  # that all steps took so far
        self.bin = os.path.abspath(os.path.join(options.build, "bin"))
        self.flopcast = os.path.join(self.bin, "flopcast")
        self.environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}

    def wait(self):
        """Waits until less than a twentieth of a core is busy with others; returns the number of moments that were rejected."""
        for rejected in range(self.options.timeout):
            if busy_cores() < 0.05:
                return rejected
            if rejected == 0:
                print(f"other programs are busy: waiting {self.options.timeout} s at most (--timeout)", file=sys.stderr, flush=True)
        return self.options.timeout

    def step(self, name, command, home=None, competitor=False):
        """Runs a command unless its result is there; returns the result: its output, seconds, rejected moments and the command."""
        file = self.folder / f"{name}.json"
        if file.exists():
            result = json.loads(file.read_text())
            self.seconds += result["seconds"]
            return result
        if self.options.page_only:
            return None
        rejected = self.wait()
        environment = {**self.environment, "FLOPCAST_HOME": str(self.home(home or name))}
        other = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if competitor else None
        begin = time.perf_counter()
        finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if other:
            other.kill()
            other.wait()
        result = {"command": shown(command), "code": finished.returncode, "output": finished.stdout, "notes": finished.stderr,
                  "seconds": time.perf_counter() - begin, "rejected": rejected}
        print(f"{name}: {result['seconds']:.0f} s, exit code {finished.returncode}, {rejected} moments waited out", file=sys.stderr, flush=True)
        if finished.returncode != 0:
            print(finished.stderr, file=sys.stderr)
            return None
        file.write_text(json.dumps(result))
        self.seconds += result["seconds"]
        return result

    def home(self, name):
        """Returns a new store that knows the caches of this machine."""
        home = self.folder / "homes" / name
        if not home.exists():
            home.mkdir(parents=True)
            machine = self.folder / "homes" / "machine"
            if name != "machine" and machine.exists():
                for file in machine.glob("machine-*.json"):
                    (home / file.name).write_bytes(file.read_bytes())
        return home


def shown(command):
    """Returns a command as one would type it, programs and scripts by their names."""
    return " ".join(f"'{w}'" if " " in w or ";" in w else re.sub(r"^/.*/(?=[^/]+$)", "", w) for w in command)


def percent(value, digits=1):
    return f"{100 * value:.{digits}f}"


def half_width(low, high, seconds):
    return (high - low) / 2 / seconds


def validated(decisions):
    """Returns the figures of decisions that have been validated. Widths are halves of 95 % intervals, predicted and of repeated runs, relative
    to the measured time."""
    measured = [m for d in decisions for m in d["validation"]["measured"]]
    widths, spreads = [], []
    for d in decisions:
        intervals = {(f["variant"], f["nb"], f["nx"]): f["interval"] for f in d["forecasts"] + d["ranking"]}
        for m in d["validation"]["measured"]:
            interval = intervals.get((m["variant"], m["nb"], m["nx"]))
            if interval and len(m["wall_times"]) >= 5:
                widths.append(half_width(*interval, m["seconds"]))
                spreads.append(half_width(quantile(m["wall_times"], 0.025), quantile(m["wall_times"], 0.975), m["seconds"]))
    return {"errors": [abs(m["error"]) for m in measured], "points": [(m["seconds"], m["error"]) for m in measured], "kept": [d["validation"]["gain_kept"] for d in decisions], "within": sum(m["within"] for m in measured),
            "runs": sum(len(m["wall_times"]) for m in measured), "widths": widths, "spreads": spreads,
            "held": [d["validation"]["regret"] <= d["regret"] + d["validation"]["repeatability"] for d in decisions]}


def pooled(figures):
    """Returns the figures of several commands together."""
    return {k: sum((f[k] for f in figures), [] if isinstance(figures[0][k], list) else 0) for k in figures[0]}


def validated_row(job, figures, conditions):
    """Returns the row of validated decisions."""
    errors, kept, held = figures["errors"], figures["kept"], figures["held"]
    return (job, f"error {percent(statistics.median(errors))} %, yield {percent(statistics.median(kept))} %",
            f"error {percent(quantile(errors, 0.95))} % (95th percentile), yield {percent(min(kept))} %",
            f"{conditions}; {percent(figures['within'] / figures['runs'], 0)} % of runs within intervals, half-width {percent(statistics.median(figures['widths']))} % "
            f"(of repeated runs {percent(statistics.median(figures['spreads']))} %); max regret held in {sum(held)} of {len(held)} decisions")


def tunings(sitting, prefix, blas, precisions, routines, competitor=False):
    """Tunes routines, validates the decisions, and returns the figures of each routine."""
    figures = {}
    for routine in [p + (HERMITIAN.get(name, name) if p == "z" else name) for p in precisions for name in routines]:
        slow = routine[0] == "z" or routine[1:] in ("sytrd", "gebrd")  # the two spend half of their time in products with a vector, at 1/10 of the rate
        orders = [n for n in sitting.options.orders.split(",") if not slow or int(n) <= 2000]
        command = [sitting.flopcast, "tune", routine, "--n", ",".join(orders), "--nb", "16,32,48,64,96,128", "--blas", blas, "--lapack", "reference",
                   "--validate", "--time-budget", sitting.options.time_budget, "--json"]
        result = sitting.step(f"{prefix}-{blas}-{routine}", command, competitor=competitor)
        if result:
            document = json.loads(result["output"])
            figures[routine] = {**validated([d for part in document.get("parts", [document]) for d in part["decisions"] if "validation" in d]),
                                "noisy": "the machine was noisy" in result["notes"]}
    return figures


def tuning_row(job, figures):
    """Returns the row of tuned routines."""
    return validated_row(job, pooled(list(figures.values())), f"{len(figures)} routines, {sum(f['noisy'] for f in figures.values())} on a noisy machine")


def picture(figures):
    """Returns the chart of predictions over measured times, one point for each block size that was executed. `figures` are those by routine."""
    families = {name: [] for name in ROUTINES}
    for routine, of in figures:
        name = next(name for name in ROUTINES if routine[1:] in (name, HERMITIAN.get(name)))
        families[name] += [(1e3 * seconds, 1 + error) for seconds, error in of["points"]]
    series = [(name, *map(list, zip(*points))) for name, points in families.items() if points]
    every = [x for _, xs, _ in series for x in xs]
    return Chart("Predicted over measured wall times: all routines, libraries and block sizes", "measured time in ms", "predicted / measured, 1 is exact",
                 [*series, ("exact", [min(every), max(every)], [1, 1])], "x", points=True)


def tuning(sitting):
    """Tuned block sizes of each library, and the picture of all predictions."""
    rows, points = [], []
    for blas in sitting.options.blas.split(","):
        figures = tunings(sitting, "tune", blas, "dz", ROUTINES)
        if figures:
            rows.append(tuning_row(f"block sizes, {blas}", figures))
            points += figures.items()
    if sitting.options.page and points:
        chart.draw(picture(points), pathlib.Path(sitting.options.page).parent / "figures" / "accuracy.svg")
    return rows


def disturbed(sitting):
    """The same while another process keeps one core busy."""
    figures = tunings(sitting, "disturbed", "openblas-serial", "d", ["geqrf", "potrf", "trtri"], competitor=True)
    return [tuning_row("the same beside a competing process", figures)] if figures else []


def variants(sitting):
    """Rankings of algorithm variants. A pair of variants counts if their times differ by over 3 %."""
    figures, ordered = [], []
    for family in ("cholesky", "lu", "trtri", "qr"):
        result = sitting.step(f"rank-{family}", [sitting.flopcast, "rank", family, "--n", "300,1000,2000", "--nb", "16,32,64,96,128", "--blas", "openblas-serial", "--time-budget", "30s", "--validate",
                                                 "--json"])
        if result:
            decisions = json.loads(result["output"])["places"][0]["decisions"]
            figures.append(validated(decisions))
            pairs, right = (sum(d["validation"]["order"][k] for d in decisions) for k in ("pairs", "right"))
            ordered += [right / pairs] if pairs else []
    return [validated_row("variants, openblas-serial", pooled(figures), f"{len(figures)} families, {percent(min(ordered, default=1))} % or more of pairs in order")] if figures else []


def contractions(sitting):
    """Algorithms of contractions, predicted by micro-benchmarks."""
    inside, errors, regrets = [], [], []
    for text in ("abc=ai,ibc a=b=c=200 i=8", "a=iaj,ji a=i=j=300", "abc=ija,jbic a=b=c=128 i=j=32", "abcd=dbea,ec a=b=c=d=40 e=40", "ab=ac,cb a=b=c=500"):
        result = sitting.step(f"contract-{text.split()[0]}".replace("=", "-").replace(",", "-"), [sitting.flopcast, "contract", *text.split(), "--order", "column_major", "--blas", "openblas-serial", "--validate", "--json"])
        if result:
            document = json.loads(result["output"])
            inside += [a["interval_95"][0] <= a["measured_seconds"] <= a["interval_95"][1] for a in document["algorithms"] if "measured_seconds" in a]
            errors.append(document["mean_error"])
            regrets.append(document["regret"])
    return [("algorithms of contractions", f"mean error {percent(statistics.median(errors))} %", f"mean error {percent(max(errors))} %",
             f"{len(errors)} contractions, {len(inside)} algorithms, {percent(statistics.mean(inside), 0)} % within intervals; regret {percent(max(regrets))} % at most")] if errors else []


def cost(sitting):
    """The cost of tuning one routine for 16 orders beside the exhaustive search that it replaces, which runs every block size five times at every
    order with the best crossover point known. The time of the search follows from predicted times."""
    ratios = {}
    for routine in ("dgeqrf", "dpotrf"):
        result = sitting.step(f"cost-{routine}", [sitting.flopcast, "tune", routine, "--n", "200:3200:200", "--blas", "openblas-serial", "--lapack", "reference", "--json"])
        if not result:
            continue
        document = json.loads(result["output"])
        searched = 0.0
        for decision in (d for p in document.get("parts", [document]) for d in p["decisions"]):
            fastest = {}
            for f in decision["forecasts"]:
                fastest[f["nb"]] = min(f["seconds"], fastest.get(f["nb"], math.inf))
            searched += 5 * sum(fastest.values())
        ratios[routine] = searched / result["seconds"]
    return [("tuning for 16 orders beside an exhaustive search", "-", f"1/{min(ratios.values()):.0f} of its time",
             ", ".join(f"{routine} 1/{ratio:.0f}" for routine, ratio in ratios.items()) + "; the search's time is predicted, each block size five times")] if ratios else []


def kernels(sitting):
    """Models of kernels at calls that were not sampled."""
    for routine in ("dgeqrf", "dpotrf"):
        sitting.step(f"kernels-sampled-{routine}", [sitting.flopcast, "tune", routine, "--n", "200:2400:200", "--blas", "openblas-serial", "--lapack", "reference", "--time-budget", "40s", "--json"], home="kernels")
    result = sitting.step("kernels", [os.path.join(sitting.bin, "bench_kernel_accuracy"), "--blas", "openblas-serial"], home="kernels")
    return kernel_rows(result["output"]) if result else []


def column(text, name, only=""):
    """Returns the numbers in a column of the script's table, of the rows that contain `only`."""
    return [value_of(row[name]) for row in table_of(text) if only in row.values() or not only]


def kernel_rows(text):
    medians, high = column(text, "median"), column(text, "95th percentile")
    return [("models of kernels", f"error {statistics.median(medians):.1f} %", f"error {max(medians):.1f} %",
             f"medians of {len(medians)} kernels at calls that weren't sampled; 95th percentiles {min(high):.1f} to {max(high):.1f} %")]


def program_rows(text):
    middle, worst = re.search(r"predicted: error median ([0-9.]+) %, worst ([0-9.]+) %", text).groups()
    inside = [row["in the interval"] == "yes" for row in table_of(text)]
    return [("recorded programs under another library", f"error {middle} %", f"error {worst} %", f"openblas-serial to blis-serial; {sum(inside)} of {len(inside)} programs within their intervals")]


def answer_rows(text):
    medians, largest = column(text, "median change %"), column(text, "largest change %")
    within = re.search(r"answers within the first interval: ([0-9]+ of [0-9]+)", text)[1]
    return [("answers after other commands", f"change {statistics.median(medians):.1f} %", f"change {max(largest):.1f} %",
             f"{len(medians)} questions, half of the commands beside a competing process; {within} within the first interval")]


def mpi_tuning_rows(text):
    """Rows of `mpi_tuning.py`; each cell has the value with a cold store, then the one with a warm store."""
    stores = ("cold", "warm")

    def both(name, of, digits):
        return " / ".join(f"{of(column(text, name, store)):.{digits}f}" for store in stores)

    errors, shares = zip(*re.findall(r"medians:.* error ([0-9.]+)%; ([0-9.]+)% of full", text))
    return [("tuning of MPI programs, cold / warm store", f"{both('speed-up', statistics.median, 2)} times faster, error {' / '.join(errors)} %, regret {both('chosen behind best', statistics.median, 1)} %",
             f"{both('speed-up', min, 2)} times faster, error {both('worst', max, 1)} %, regret {both('chosen behind best', max, 1)} %",
             f"{len(table_of(text)) // 2} programs, 2 processes; {' / '.join(shares)} % of full executions within intervals, of a program {both('within', min, 0)} % at worst")]


def ratio_row(job, text, name, conditions):
    """Returns the row of programs that take longer with flopcast, and names all of them."""
    cells = {re.sub(r"^[0-9]+ |, whole command", "", next(iter(row.values()))): row[name].split()[0] for row in table_of(text) if re.match(r"[0-9.]+ ±", row[name])}
    ratios = [float(cell) for cell in cells.values()]
    return [(job, f"{statistics.median(ratios):.3f} times as long", f"{max(ratios):.3f} times as long", conditions + ", ".join(f"{what}: {cell}" for what, cell in cells.items()))]


def simulation_rows(text):
    middle, worst = re.search(r"error: median ([0-9.]+)%, worst ([0-9.]+)%", text).groups()
    return [("simulated MPI programs", f"error {middle} %", f"error {worst} %", f"{len(table_of(text))} programs, 2 processes, beside real runs in turns")]


def script(name, words, rows_of):
    """A section whose rows `rows_of` reads in the output of a script of bench/."""

    def section(sitting):
        command = [sys.executable, str(BENCH / words[0]), *words[1:], "--flopcast", sitting.flopcast]
        result = sitting.step(name, [w.replace("{bin}", sitting.bin) for w in command], home=name)
        return rows_of(result["output"]) if result else []

    return section


SECTIONS = {
    "tuning": tuning,
    "disturbed": disturbed,
    "variants": variants,
    "cost": cost,
    "kernels": kernels,
    "contractions": contractions,
    "programs": script("programs", ["recorded_program.py", "--programs", "solve,cholesky,qr,Octave", "--n", "400,1000", "--repetitions", "5"], program_rows),
    "stable-answers": script("stable-answers", ["stable_answers.py"], answer_rows),
    "recording": script("recording", ["recording_overhead.py"], lambda text: ratio_row("recorded NumPy programs", text, "recorded / plain", "")),
    "mpi-overhead": script("mpi-overhead", ["mpi_overhead.py"], lambda text: ratio_row("traced MPI programs", text, "with / without flopcast", "2 processes; ")),
    "mpi-tuning": script("mpi-tuning", ["mpi_tuning.py", "--subjects", "{bin}", "--ranks", "2"], mpi_tuning_rows),
    "mpi-simulation": script("mpi-simulation", ["mpi_simulation.py", "--subjects", "{bin}"], simulation_rows),
}


def section_rows(sitting, name):
    """Returns the rows of a section. The last cell of each has the section's name and the minutes that its steps took."""
    before = sitting.seconds
    rows = SECTIONS[name](sitting)
    return [(*row, f"`{name}`, {(sitting.seconds - before) / 60:.1f} min") for row in rows]


def table(rows):
    return ["| job | median | worst | conditions | `--only` |", "|:--|:--|:--|:--|:--|", *(f"| {' | '.join(row)} |" for row in rows)]


def measured_lines(sitting, rows):
    """Returns the measured part of the page."""
    machine = sitting.step("machine", [sitting.flopcast, "machine"], home="machine")
    commit = sitting.options.commit or subprocess.run(["git", "-C", str(BENCH), "rev-parse", "--short=8", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    files = sorted(sitting.folder.glob("*.json"))
    steps = [json.loads(f.read_text()) for f in files]
    when = time.strftime("%B %Y", time.gmtime(max((f.stat().st_mtime for f in files), default=time.time())))
    cpu = " ".join(machine["output"].splitlines()[0].removeprefix("CPU").split()) if machine else "unknown CPU"
    waited = [s["rejected"] for s in steps if s["rejected"]]
    text = (f"One run of `bench/accuracy_page.py` on {cpu}, in {when}, with the program of commit {commit}. "
            f"Other programs were busy before {len(waited)} of {len(steps)} steps; the run waited {sum(waited)} s for them.")
    return ["", *textwrap.wrap(text, 100, break_on_hyphens=False), "", *table(rows), "", "![Predicted over measured wall times of all routines](figures/accuracy.svg)"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/check", help="build folder with flopcast, the benchmarks and the MPI programs")
    parser.add_argument("--results", required=True, help="folder for the results of the steps")
    parser.add_argument("--page", help="page whose measured part is written; the picture goes into its folder figures")
    parser.add_argument("--commit", help="commit of the program, if it isn't the present one")
    parser.add_argument("--page-only", action="store_true", help="write the page from the results that are there")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    parser.add_argument("--blas", default="openblas-serial,blis-serial")
    parser.add_argument("--orders", default="200,389,797,1201,1999,3200")
    parser.add_argument("--time-budget", default="30s", help="for tuning one routine")
    parser.add_argument("--timeout", type=int, default=60, help="seconds to wait for a quiet moment before each step")
    options = parser.parse_args()
    unknown = set(options.only.split(",")) - set(SECTIONS)
    if unknown:
        sys.exit(f"accuracy_page: there is no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    programs = ["flopcast", *(["bench_kernel_accuracy"] if "kernels" in options.only.split(",") else [])]
    missing = [name for name in programs if not (pathlib.Path(options.build) / "bin" / name).exists()]
    if missing and not options.page_only:
        sys.exit(f"accuracy_page: {options.build}/bin has no {' and no '.join(missing)}. Build it in the clone by 'cmake --preset check && cmake --build --preset check' "
                 "(20 minutes on two cores), or name another build folder with --build")
    sitting = Sitting(options)
    sitting.step("machine", [sitting.flopcast, "machine"], home="machine")
    rows = [row for name in options.only.split(",") for row in section_rows(sitting, name)]
    if options.page:
        write_between(options.page, BEGIN, END, measured_lines(sitting, rows))
    else:
        print(*table(rows), sep="\n")


if __name__ == "__main__":
    main()
