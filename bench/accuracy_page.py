#!/usr/bin/env python3
"""Measures what docs/accuracy.md promises in one sitting and writes that page. Each step is a command whose output goes into the folder of --results, so
that an interrupted sitting continues where it stopped. A step begins once other programs leave the machine alone. Moments in which they don't are
waited out and counted, whatever the results are.

  bench/accuracy_page.py --build build/check --results FOLDER [--page docs/accuracy.md] [--only tuning,cost] [--orders 200,389,797,1201,1999,3200]

Without --page nothing is written but the results. Run this on an idle machine; the whole sitting takes about an hour on two cores."""
import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from accuracy import quantile

BENCH = pathlib.Path(__file__).parent
ROUTINES = ["geqrf", "potrf", "getrf", "gelqf", "sytrd", "gebrd", "trtri"]
HERMITIAN = {"sytrd": "hetrd"}  # names of complex routines that differ


def busy_cores(seconds=1.0):
    """Returns how many cores were busy, on average over that time, while this process slept."""

    def ticks():
        values = list(map(int, open("/proc/stat").readline().split()[1:]))
        return sum(values) - values[3] - values[4]

    before = ticks()
    time.sleep(seconds)
    return (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds


class Sitting:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.results)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.flopcast = os.path.abspath(os.path.join(options.build, "bin", "flopcast"))
        self.environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}

    def wait(self):
        """Waits until less than a twentieth of a core is busy with others; returns the number of moments that were rejected."""
        for rejected in range(self.options.patience):
            if busy_cores() < 0.05:
                return rejected
        return self.options.patience

    def step(self, name, command, home=None, competitor=False):
        """Runs a command unless its result is there; returns the result: its output, seconds, rejected moments and the command."""
        file = self.folder / f"{name}.json"
        if file.exists():
            return json.loads(file.read_text())
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


def yes(reached):
    return "yes" if reached else "**no**"


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
    return {"errors": [abs(m["error"]) for m in measured], "normalised": [abs(m["normalised_error"]) for m in measured],
            "kept": [d["validation"]["gain_kept"] for d in decisions], "within": sum(m["within"] for m in measured),
            "runs": sum(len(m["wall_times"]) for m in measured), "widths": widths, "spreads": spreads, "twice": [d["validation"]["repeatability"] for d in decisions],
            "held": [d["validation"]["regret"] <= d["regret"] + d["validation"]["repeatability"] for d in decisions]}


def pooled(figures):
    """Returns the figures of several rows together."""
    return {k: sum((f[k] for f in figures), [] if isinstance(figures[0][k], list) else 0) for k in figures[0] if k != "noisy"}


def tunings(sitting, prefix, libraries, precisions, routines, competitor=False):
    """Tunes routines, validates the decisions, and returns the rows of the table and of the summary."""
    rows = []
    for blas in libraries:
        for precision in precisions:
            for name in routines:
                routine = precision + (HERMITIAN.get(name, name) if precision == "z" else name)
                orders = [n for n in sitting.options.orders.split(",") if int(n) <= (sitting.options.max_complex if precision == "z" else math.inf)]
                if name in ("sytrd", "gebrd"):
                    orders = [n for n in orders if int(n) <= 2000]  # half of their time is spent in products with a vector, at 1/10 of the rate
                command = [sitting.flopcast, "tune", routine, "--n", ",".join(orders), "--nb", sitting.options.nb, "--blas", blas, "--lapack", "reference",
                           "--validate", "--time-budget", sitting.options.time_budget, "--json"]
                result = sitting.step(f"{prefix}-{blas}-{routine}", command, competitor=competitor)
                if not result:
                    continue
                parts = json.loads(result["output"])
                parts = parts.get("parts", [parts])
                rows.append((blas, routine, {**validated([d for part in parts for d in part["decisions"] if "validation" in d]),
                                             "seconds": sum(part["cost"]["measuring_seconds"] for part in parts), "noisy": "the machine was noisy" in result["notes"]}))
    lines = ["| library | routine | error in wall time, median / 95th % | normalised % | yield, median / worst % | runs within intervals % | measured twice % | regret held | tuning s |",
             "|:--|:--|--:|--:|--:|--:|--:|--:|--:|"]

    def line(blas, routine, f):
        return (f"| {blas} | {routine}{' (noisy)' if f['noisy'] else ''} | {percent(statistics.median(f['errors']))} / {percent(quantile(f['errors'], 0.95))} "
                f"| {percent(statistics.median(f['normalised']))} / {percent(quantile(f['normalised'], 0.95))} "
                f"| {percent(statistics.median(f['kept']))} / {percent(min(f['kept']))} | {percent(f['within'] / f['runs'], 0)} "
                f"| {percent(statistics.median(f['twice']))} | {sum(f['held'])} of {len(f['held'])} | {f['seconds']:.1f} |")

    summary = []
    for row in rows:
        lines.append(line(*row))
    for blas in libraries:
        here = [f for b, _, f in rows if b == blas]
        if here:
            lines.append(line(blas, "all", {**pooled(here), "noisy": False}))
            summary += aims(blas + (", one competing process" if competitor else ""), pooled(here))
    return summary, "\n".join(lines)


def aims(what, figures):
    """Returns the rows of the summary for validated decisions."""
    middle, high = statistics.median(figures["errors"]), quantile(figures["errors"], 0.95)
    kept, worst, share, held = statistics.median(figures["kept"]), min(figures["kept"]), figures["within"] / figures["runs"], statistics.mean(figures["held"])
    return [(f"error of predicted wall time, {what}", "median / 95th %", f"{percent(middle)} / {percent(high)}", "4 / 9", yes(middle <= 0.04 and high <= 0.09)),
            (f"yield of the choice, {what}", "median / worst %", f"{percent(kept)} / {percent(worst)}", "99 / 96", yes(kept >= 0.99 and worst >= 0.96)),
            (f"single runs within 95 % intervals, {what}", "%", percent(share, 0), "90 to 98", yes(0.9 <= share <= 0.98)),
            (f"half-width of intervals over that of repeated runs, {what}", "medians, %", f"{percent(statistics.median(figures['widths']))} / {percent(statistics.median(figures['spreads']))}", "twice",
             yes(statistics.median(figures["widths"]) <= 2 * statistics.median(figures["spreads"]))),
            (f"regret at worst held, {what}", "% of decisions", percent(held, 0), "95", yes(held >= 0.95))]


VALIDATED = ("A yield is the best measured time over that of the choice. A decision's regret at worst held if the measured regret "
             "isn't larger, but for the difference between two measurements. No model is fitted to the validating runs.")


def tuning(sitting):
    """Tuned block sizes, per routine, precision and library."""
    summary, table = tunings(sitting, "tune", sitting.options.blas.split(","), "dz", sitting.options.routines.split(","))
    return "Block sizes of LAPACK's routines", summary, table, ("`flopcast tune ROUTINE --validate` tunes each routine from an empty store, then runs the routine itself with every block size. " + VALIDATED)


def disturbed(sitting):
    """The same beside a competing process."""
    summary, table = tunings(sitting, "disturbed", ["openblas-serial"], "d", [r for r in ("geqrf", "potrf", "trtri") if r in sitting.options.routines.split(",")], competitor=True)
    return "Block sizes beside a competing process", summary, table, "The same while another process keeps one core busy all the time."


def variants(sitting):
    """Rankings of algorithm variants."""
    lines = ["| family | error in wall time, median / 95th % | yield, median / worst % | pairs in order % | runs within intervals % | regret held | measuring s |", "|:--|--:|--:|--:|--:|--:|--:|"]
    rows = []
    for family in ("cholesky", "lu", "trtri", "qr"):
        result = sitting.step(f"rank-{family}", [sitting.flopcast, "rank", family, "--n", "300,1000,2000", "--nb", "16,32,64,96,128", "--blas", "openblas-serial", "--time-budget", "30s", "--validate",
                                                 "--json"])
        if not result:
            continue
        place = json.loads(result["output"])["places"][0]
        figures = validated(place["decisions"])
        rows.append(figures)
        order = [d["validation"]["order"] for d in place["decisions"]]
        pairs, right = (sum(o[k] for o in order) for k in ("pairs", "right"))
        lines.append(f"| {family} | {percent(statistics.median(figures['errors']))} / {percent(quantile(figures['errors'], 0.95))} | {percent(statistics.median(figures['kept']))} / "
                     f"{percent(min(figures['kept']))} | {percent(right / pairs) if pairs else ''} | {percent(figures['within'] / figures['runs'], 0)} | {sum(figures['held'])} of {len(figures['held'])} "
                     f"| {place['cost']['measuring_seconds']:.1f} |")
    summary = aims("variants", pooled(rows)) if rows else []
    return "Variants of an algorithm", summary, "\n".join(lines), ("`flopcast rank FAMILY --validate` with OpenBLAS, from an empty store. A pair of variants counts if their times differ by over 3 %.")


def contractions(sitting):
    """Algorithms of contractions, predicted by micro-benchmarks."""
    lines = ["| contraction | algorithms | mean error % | regret of the choice % | measured within intervals % |", "|:--|--:|--:|--:|--:|"]
    inside, errors = [], []
    for text in ("abc=ai,ibc a=b=c=200 i=8", "a=iaj,ji a=i=j=300", "abc=ija,jbic a=b=c=128 i=j=32", "abcd=dbea,ec a=b=c=d=40 e=40", "ab=ac,cb a=b=c=500"):
        result = sitting.step(f"contract-{text.split()[0]}".replace("=", "-").replace(",", "-"), [sitting.flopcast, "contract", *text.split(), "--order", "column_major", "--blas", "openblas-serial", "--validate", "--json"])
        if not result:
            continue
        document = json.loads(result["output"])
        here = [a["interval_95"][0] <= a["measured_seconds"] <= a["interval_95"][1] for a in document["algorithms"] if "measured_seconds" in a]
        inside += here
        errors.append(document["mean_error"])
        lines.append(f"| {text} | {len(here)} | {percent(document['mean_error'])} | {percent(document['regret'])} | {percent(statistics.mean(here), 0)} |")
    summary = [("mean error of contractions' algorithms", "median, worst %", f"{percent(statistics.median(errors))}, {percent(max(errors))}", "9.5 (paper)", yes(max(errors) <= 0.095)),
               ("contractions' algorithms within 95 % intervals", "%", percent(statistics.mean(inside), 0), "90 to 98", yes(0.9 <= statistics.mean(inside) <= 0.98))] if errors else []
    return "Algorithms of contractions", summary, "\n".join(lines), "`flopcast contract ... --validate`: the median of each algorithm's runs lies within its interval or doesn't."


def cost(sitting):
    """The cost of tuning one routine for 16 orders, in comparison with the exhaustive search that it replaces."""
    lines, summary = ["| routine | the whole command s | measuring s | exhaustive search s | ratio |", "|:--|--:|--:|--:|--:|"], []
    ratios = []
    for routine in ("dgeqrf", "dpotrf"):
        result = sitting.step(f"cost-{routine}", [sitting.flopcast, "tune", routine, "--n", "200:3200:200", "--blas", "openblas-serial", "--lapack", "reference", "--json"])
        if not result:
            continue
        document = json.loads(result["output"])
        parts = [p for p in document.get("parts", [document])]
        searched = 0.0
        for decision in (d for p in parts for d in p["decisions"]):
            fastest = {}
            for f in decision["forecasts"]:
                fastest[f["nb"]] = min(f["seconds"], fastest.get(f["nb"], math.inf))
            searched += 5 * sum(fastest.values())
        ratios.append(searched / result["seconds"])
        lines.append(f"| {routine} | {result['seconds']:.1f} | {sum(p['cost']['measuring_seconds'] for p in parts):.1f} | {searched:.0f} | 1/{ratios[-1]:.0f} |")
    if ratios:
        summary.append(("tuning one routine for 16 orders, compared with an exhaustive search", "ratio of costs", ", ".join(f"1/{r:.0f}" for r in ratios), "1/20", yes(min(ratios) >= 20)))
    return "Cost of tuning", summary, "\n".join(lines), ("The exhaustive search runs every block size five times at every order, with the best crossover point known. Its time follows from the "
                                                        "predicted times.")


def kernels(sitting):
    """Models of kernels at calls that were not sampled."""
    for routine in ("dgeqrf", "dpotrf"):
        sitting.step(f"kernels-sampled-{routine}", [sitting.flopcast, "tune", routine, "--n", "200:2400:200", "--blas", "openblas-serial", "--lapack", "reference", "--time-budget", "40s", "--json"], home="kernels")
    program = os.path.abspath(os.path.join(sitting.options.build, "bin", "bench_kernel_accuracy"))
    result = sitting.step("kernels", [program, "--blas", "openblas-serial"], home="kernels")
    return ("Models of kernels", [], result["output"].strip(), f"`{result['command']}`, from the samples that tuning dgeqrf and dpotrf left.") if result else None


def embedded(name, title, words, text, aims):
    """A section that embeds what a script of bench/ prints. `aims` finds the figures of the summary in the script's output."""

    def section(sitting):
        command = [sys.executable, str(BENCH / words[0]), *words[1:], "--flopcast", sitting.flopcast]
        command = [w.replace("{bin}", os.path.abspath(os.path.join(sitting.options.build, "bin"))) for w in command]
        result = sitting.step(name, command, home=name)
        if not result:
            return None
        summary = []
        for what, unit, pattern, reach, reached in aims:
            found = re.findall(pattern, result["output"])
            if found:
                values = [float(v) for each in found for v in (each if isinstance(each, tuple) else (each,))]
                summary.append((what, unit, " / ".join(f"{v:g}" for v in values), reach, yes(reached(values))))
        return title, summary, result["output"].strip(), f"{text} `{shown(command)}`"

    return section


SECTIONS = {
    "tuning": tuning,
    "disturbed": disturbed,
    "cost": cost,
    "kernels": kernels,
    "variants": variants,
    "contractions": contractions,
    "programs": embedded("programs", "Whole programs under another library", ["recorded_program.py", "--programs", "solve,cholesky,qr,Octave", "--n", "400,1000", "--repetitions", "5"],
                         "Programs recorded under OpenBLAS and predicted under BLIS.",
                         [("recorded programs under another library, error", "median %", r"predicted: error median ([0-9.]+)", "5", lambda v: v[0] <= 5)]),
    "stable-answers": embedded("stable-answers", "Answers before and after other commands", ["stable_answers.py"], "Half of the commands ran beside a competing process; the questions measured nothing.",
                      [("answers within the first answer's interval", "of all", r"answers within the first interval: ([0-9]+) of ([0-9]+)", "all", lambda v: v[0] == v[1])]),
    "mpi-tuning": embedded(
        "mpi-tuning", "Tuning MPI programs, two processes", ["mpi_tuning.py", "--subjects", "{bin}", "--ranks", "2"], "Six programs, every configuration executed in full as well.",
        [("MPI tuning, cold store, median over programs", "times faster", r"Cold, medians: ([0-9.]+)", "5", lambda v: v[0] >= 5),
         ("MPI tuning, warm store, median over programs", "times faster", r"Warm, medians: ([0-9.]+)", "10", lambda v: v[0] >= 10),
         ("MPI tuning, error, cold / warm", "median %", r"(?:Cold|Warm), medians:.* error ([0-9.]+)%", "5", lambda v: max(v) <= 5),
         ("MPI tuning, full executions within intervals, cold / warm", "%", r"([0-9.]+)% of full executions", "90 to 98", lambda v: all(90 <= x <= 98 for x in v)),
         ("MPI tuning, ScaLAPACK's Cholesky, cold / warm", "times faster", r"\| scalapack_cholesky .*?\| (?:cold|warm) \| ([0-9.]+)", "3", lambda v: min(v) > 3),
         ("MPI tuning, chosen configuration behind the best, per program, cold and warm", "%", r"\| ([0-9.]+)% \| [0-9.]+% \|\n", "3", lambda v: max(v) <= 3)]),
    "mpi-overhead": embedded(
        "mpi-overhead", "Cost of tracing an MPI program", ["mpi_overhead.py"], "Two processes, with and without flopcast in turns.",
        [("a message of 8 bytes, with / without flopcast", "ratio", r"messages of 8 bytes \| ([0-9.]+)", "1.5", lambda v: v[0] <= 1.5),
         ("conjugate gradients over small messages, with / without flopcast", "ratio", r"steps of CG, .*?\| ([0-9.]+)", "1.05", lambda v: max(v) <= 1.05),
         ("HPCC, with / without flopcast", "ratio", r"HPCC .*?\| ([0-9.]+)", "1.05", lambda v: v[0] <= 1.05)]),
    "recording": embedded("recording", "Cost of recording", ["recording_overhead.py"], "A NumPy program by itself and recorded, in turns.",
                          [("10^6 small products from NumPy, recorded / plain", "ratio", r"\| 1000000 products .*?\| [0-9.]+ s \| ([0-9.]+)", "1.05", lambda v: v[0] <= 1.05)]),
    "mpi-simulation": embedded("mpi-simulation", "Simulated MPI programs, two processes", ["mpi_simulation.py", "--subjects", "{bin}"], "Simulated and real runs in turns.",
                               [("simulations of MPI programs, error", "median %", r"error: median ([0-9.]+)%", "12", lambda v: v[0] <= 12)]),
}


def page(sitting, sections):
    """Returns the page."""
    machine = sitting.step("machine", [sitting.flopcast, "machine"], home="machine")
    commit = sitting.options.commit or subprocess.run(["git", "-C", str(BENCH), "rev-parse", "--short=8", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    steps = [json.loads(f.read_text()) for f in sorted(sitting.folder.glob("*.json"))]
    waited = sum(s["rejected"] for s in steps)
    text = ["# Accuracy", "", *wrapped(f"Measured in one sitting by `bench/accuracy_page.py`, which writes this page. The program is that of commit {commit}. "
                                       f"Other programs were busy before {sum(s['rejected'] > 0 for s in steps)} of {len(steps)} steps; the sitting waited {waited} s for them. "
                                       "The [glossary](reference/glossary.md) explains the terms."),
            "", "## Summary", "", "| figure | unit | measured | aim | reached |", "|:--|:--|--:|--:|:--|"]
    for _, summary, _, _ in sections:
        text += [f"| {' | '.join(row)} |" for row in summary]
    if machine:
        lines = machine["output"].splitlines()
        tables = [at for at, line in enumerate(lines) if line.startswith("|")]
        end = next(at for at in range(tables[0], len(lines)) if not lines[at].startswith("|"))
        text += ["", "## Machine", "", *wrapped(lines[0].removeprefix("CPU").strip() + ". The caches, as `flopcast machine` measures them:"), "", *lines[tables[0]:end]]
    for title, _, body, explanation in sections:
        text += ["", f"## {title}", "", *wrapped(explanation), ""]
        for line in body.splitlines():
            text += [line] if line.startswith("|") or not line else wrapped(line)
    return "\n".join(text) + "\n"


def wrapped(text, width=100):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/check", help="build folder with flopcast, the benchmarks and the MPI programs")
    parser.add_argument("--results", required=True, help="folder for the results of the steps")
    parser.add_argument("--page", help="file that the page is written to")
    parser.add_argument("--commit", help="commit of the program, if it isn't the present one")
    parser.add_argument("--page-only", action="store_true", help="write the page from the results that are there")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    parser.add_argument("--routines", default=",".join(ROUTINES), help="routines of the section tuning, without precision")
    parser.add_argument("--blas", default="openblas-serial,blis-serial")
    parser.add_argument("--orders", default="200,389,797,1201,1999,3200")
    parser.add_argument("--max-complex", type=int, default=2000, help="largest order of complex routines")
    parser.add_argument("--nb", default="16,32,48,64,96,128")
    parser.add_argument("--time-budget", default="30s", help="for tuning one routine")
    parser.add_argument("--patience", type=int, default=60, help="seconds to wait for a quiet moment before each step")
    options = parser.parse_args()
    unknown = set(options.only.split(",")) - set(SECTIONS)
    if unknown:
        sys.exit(f"accuracy_page: there is no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    sitting = Sitting(options)
    sitting.step("machine", [sitting.flopcast, "machine"], home="machine")
    sections = [s for s in (SECTIONS[name](sitting) for name in options.only.split(",")) if s]
    if options.page:
        pathlib.Path(options.page).write_text(page(sitting, sections))


if __name__ == "__main__":
    main()
