#!/usr/bin/env python3
"""Draws one prediction with its interval beside what was measured during the hours after it. A routine is predicted once, which fills a store. Then,
every few minutes, a second store validates the same routine, while the first one answers from what it knew at the beginning.

  bench/over_time.py --flopcast build/release/bin/flopcast [--hours 2] [--minutes 5] [--results FILE] [--figure FILE]

Prints one line for each moment. Moments are kept in the file of --results; `--hours 0` only draws those. The routine is dgeqrf of order 1000."""
import json
import pathlib
import statistics
import sys
import time

from program_runs import argument_parser, environment_with_home, run

sys.path.append(str(pathlib.Path(__file__).parent / "paper"))
import chart
from entry import Chart

PREDICT = ["predict", "dgeqrf", "n=1000", "nb=32", "nx=128"]
VALIDATE = ["tune", "dgeqrf", "--n", "1000", "--nb", "32", "--fixed-crossover", "--validate", "--repetitions", "10", "--time-budget", "3s"]


def moment_of(flopcast, store, other_store, begin):
    """Returns the prediction of `store` as it is, and the wall times of runs that follow."""
    forecast = json.loads(flopcast(store, *PREDICT, "--time-budget", "0s"))["predictions"][0]
    validated = json.loads(flopcast(other_store, *VALIDATE))["parts"][0]["decisions"][0]["validation"]["measured"][0]
    return {"minutes": (time.time() - begin) / 60, "predicted": forecast["seconds"], "interval": forecast["interval"], "wall_times": validated["wall_times"]}


def measure(options, moments):
    store, other_store = (environment_with_home(None, f"over-time-{name}") for name in ("asked", "validated"))

    def flopcast(environment, *words):
        return run([options.flopcast, *words, "--blas", "openblas-serial", "--lapack", "reference", "--quiet", "--json"], environment)

    begin = time.time()
    flopcast(store, *PREDICT, "--time-budget", "15s")
    while time.time() - begin < 3600 * float(options.hours):
        moment = moment_of(flopcast, store, other_store, begin)
        moments.append(moment)
        low, high = moment["interval"]
        print(f"{moment['minutes']:5.1f} min: predicted {1e3 * moment['predicted']:.3g} ms ({1e3 * low:.3g} to {1e3 * high:.3g}), "
              f"measured {1e3 * statistics.median(moment['wall_times']):.3g} ms", flush=True)
        if options.results:
            pathlib.Path(options.results).write_text(json.dumps(moments))
        time.sleep(60 * float(options.minutes))


def draw(moments, path):
    minutes = [moment["minutes"] for moment in moments]

    def line(name, value):
        return name, minutes, [1e3 * value(moment) for moment in moments]

    series = [line("predicted at the beginning", lambda m: m["predicted"]), line("its interval, 95 %", lambda m: m["interval"][0]), line("", lambda m: m["interval"][1]),
              line("measured, median", lambda m: statistics.median(m["wall_times"])), line("slowest of ten", lambda m: max(m["wall_times"]))]
    chart.draw(Chart("QR factorisation of order 1000: one prediction and the runs after it", "minutes since the prediction", "milliseconds", series), path)


def main():
    parser = argument_parser(__doc__, hours="2", minutes="5", results=None, figure=None)
    options = parser.parse_args()
    known = pathlib.Path(options.results) if options.results else None
    moments = json.loads(known.read_text()) if known and known.exists() else []
    if float(options.hours) > 0:
        moments = []
        measure(options, moments)
    inside = sum(moment["interval"][0] <= seconds <= moment["interval"][1] for moment in moments for seconds in moment["wall_times"])
    print(f"{inside} of {sum(len(moment['wall_times']) for moment in moments)} runs within the interval")
    if options.figure:
        draw(moments, pathlib.Path(options.figure))


if __name__ == "__main__":
    main()
