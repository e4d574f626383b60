#!/usr/bin/env python3
"""Counts how often `flopcast race` calls two equal commands different on a loaded machine. The promise is 5 in 100 at most.

Each pair is one command line given twice. Meanwhile other processes compute, write files and pause at random, as many as --load says
(default: one for each core). Prints a Markdown table of the verdicts. "control" counts races whose reference came out faster or slower
than itself.

  bench/race_equal.py --flopcast build/release/bin/flopcast [--pairs 40] [--load 2] [--time-budget 5s] [-- COMMAND]
"""
import argparse
import collections
import json
import multiprocessing
import os
import random
import subprocess
import tempfile
import time


def disturb(seed):
    """Computes, writes or pauses for random times, until the process is ended."""
    chance = random.Random(seed)
    with tempfile.TemporaryFile() as file:
        while True:
            end = time.monotonic() + chance.expovariate(1 / 0.05)
            work = chance.choice(["compute", "write", "pause"])
            while time.monotonic() < end:
                if work == "compute":
                    sum(range(10000))
                elif work == "write":
                    file.seek(0)
                    file.write(b"x" * 100000)
                else:
                    time.sleep(0.005)


def race(program, command, budget, home):
    words = [program, "race", "--quiet", "--json", "--restart", "--time-budget", budget, "--", *command, "--", *command]
    ended = subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, "FLOPCAST_HOME": home})
    return json.loads(ended.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flopcast", required=True)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--load", type=int, default=os.cpu_count())
    parser.add_argument("--time-budget", default="5s")
    parser.add_argument("command", nargs="*", default=["sh", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done"])
    arguments = parser.parse_args()
    disturbers = [multiprocessing.Process(target=disturb, args=(seed,), daemon=True) for seed in range(arguments.load)]
    for one in disturbers:
        one.start()
    verdicts, controls, rounds = collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as home:
        for _ in range(arguments.pairs):
            document = race(arguments.flopcast, arguments.command, arguments.time_budget, home)
            verdicts[document["commands"][1]["against_reference"]["verdict"]] += 1
            controls += document["control"]["verdict"] in ("faster", "slower")
            rounds += document["rounds"]
    for one in disturbers:
        one.terminate()
    print("| pairs | load | faster | slower | same | unsure | control | mean rounds |\n|--:|--:|--:|--:|--:|--:|--:|--:|")
    counts = " | ".join(str(verdicts[name]) for name in ("faster", "slower", "same", "unsure"))
    print(f"| {arguments.pairs} | {arguments.load} | {counts} | {controls} | {rounds / arguments.pairs:.0f} |")


if __name__ == "__main__":
    main()
