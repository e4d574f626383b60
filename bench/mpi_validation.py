#!/usr/bin/env python3
"""Measures the errors of selective executions as the paper does: every configuration is executed in full right before its selective execution. The
machine is then in the same state for both, whereas mpi_tuning.py compares with full executions minutes away. Each space is tuned with an empty store and
again with the filled store; full executions add nothing to it. Prints a Markdown table. "speed-up" is the time that the programs measure, in full
over selectively. "behind best" is the distance of the chosen configuration's full execution from the fastest one. "by others" is the same distance of
the configuration that is the best by the other tuning's full executions.

  bench/mpi_validation.py --flopcast build/release/bin/flopcast --subjects build/check/bin [--ranks 2] [--spaces tile_cholesky] [--mpi mpich] [--limit 6] [--set --n=1024]

Run this on an idle machine."""
import argparse
import statistics

from mpi_launch import Launcher, chosen_of
from mpi_tuning import SPACES, add_space_options, names_of, space_of, tune


def behind(chosen, paths):
    return paths[chosen] / min(paths) - 1


def fastest(paths):
    return min(range(len(paths)), key=lambda i: paths[i])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_space_options(parser, 2)
    parser.add_argument("--policy", default="local")
    options = parser.parse_args()
    print("| subject | configurations | store | speed-up | median error | mean | worst | within | behind best | by others |\n|---|--:|---|--:|--:|--:|--:|--:|--:|--:|")
    seen = {True: [], False: []}
    for name in names_of(options):
        with Launcher(options) as launcher:
            space = space_of(SPACES / f"{name}.json", options, options.ranks)
            made = {cold: tune(launcher, options, space, options.ranks, options.policy, "--validate", *(["--fresh"] if cold else [])) for cold in (True, False)}
            paths = {cold: [c["full_path_seconds"] for c in made[cold]["configurations"]] for cold in made}
            for cold, tuned in made.items():
                configurations = tuned["configurations"]
                errors = [abs(c["predicted_seconds"] / path - 1) for c, path in zip(configurations, paths[cold])]
                within = statistics.mean(abs(c["predicted_seconds"] - path) <= c["half_width_seconds"] for c, path in zip(configurations, paths[cold]))
                chosen = chosen_of(configurations)
                less = tuned["full_seconds"] / tuned["selective_seconds"]
                seen[cold].append((less, statistics.median(errors), statistics.mean(errors)))
                print(f"| {name} | {len(configurations)} | {'cold' if cold else 'warm'} | {less:.2f} | {statistics.median(errors):.1%} | {statistics.mean(errors):.1%} | {max(errors):.1%} | {within:.0%} "
                      f"| {behind(chosen, paths[cold]):.1%} | {behind(fastest(paths[not cold]), paths[cold]):.1%} |", flush=True)
    for cold, rows in seen.items():
        less, median, mean = (statistics.median(column) for column in zip(*rows))
        print(f"\n{'Cold' if cold else 'Warm'}, medians: {less:.2f} times faster, median error {median:.1%}, mean error {mean:.1%}")


if __name__ == "__main__":
    main()
