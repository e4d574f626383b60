#!/usr/bin/env python3
"""Shows where the time of tunings goes. The tuning subjects are tuned with an empty store and again with the filled store. The times that processes
spend on each activity in selective executions are summed over all configurations. Parts are percentages of the time of full executions (means over
the processes). "check" is the rehearsal and the full execution of the self-check, "other calls" the time that flopcast spends in MPI calls.

  bench/mpi_time_sources.py --flopcast build/release/bin/flopcast --subjects build/check/bin [--spaces tile_cholesky] [--ranks 2] [--limit 6]

Run this on an idle machine."""
import argparse
import collections

from mpi_launch import Launcher
from mpi_tuning import SPACES, add_space_options, names_of, space_of, tune, tune_in_full

COLUMNS = ["window", "unseen", "unsure", "always", "brief", "preparing", "leaving_out", "messages", "waiting", "other calls", "program"]


def parts(tuned, full):
    """Returns the seconds by activity, over all executions of a tuning except those of the self-check."""
    seconds = collections.Counter()
    for configuration in tuned["configurations"]:
        seconds["total"] += configuration["elapsed_seconds"] + configuration["self_check_seconds"]
        seconds["check"] += configuration["self_check_seconds"]
        spent = configuration["spent"]
        for name in ("window", "unseen", "unsure", "always", "brief", "preparing", "leaving_out", "messages", "waiting", "program", "system"):
            seconds[name] += spent[name + "_seconds"]
        seconds["other calls"] += spent["calls_seconds"] - spent["messages_seconds"] - spent["waiting_seconds"]
        seconds["page faults"] += spent["page_faults"]
    seconds["full"] = sum(c["elapsed_seconds"] for c in full["configurations"])
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_space_options(parser, 2)
    parser.add_argument("--policy", default="local")
    options = parser.parse_args()
    print("| subject | store | full, s | tuning | check | " + " | ".join(c.replace("_", " ") for c in COLUMNS) + " | in the system | page faults |\n|---|---" + "|--:" * (len(COLUMNS) + 5) + "|")
    for name in names_of(options):
        with Launcher(options) as launcher:
            space = space_of(SPACES / f"{name}.json", options, options.ranks)
            full = tune_in_full(launcher, options, space, options.ranks)
            for cold in (True, False):
                tuned = parts(tune(launcher, options, space, options.ranks, options.policy, *(["--fresh"] if cold else [])), full)
                cells = [f"{tuned[c] / tuned['full']:.1%}" for c in ["total", "check", *COLUMNS, "system"]]
                print(f"| {name} | {'cold' if cold else 'warm'} | {tuned['full']:.2f} | {' | '.join(cells)} | {tuned['page faults']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
