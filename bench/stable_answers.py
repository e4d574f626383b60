#!/usr/bin/env python3
"""Measures whether predictions stay what they were when other commands run in between, with a competing process or without one. Routines are tuned once.
Then commands of flopcast run in a random order, every second one beside a process that keeps a core busy. After each of them the same questions
are asked of the store again, which measures nothing. Prints a Markdown table: for each question the first answer, the range of the later ones, and how
many of them lie within the first answer's interval.

  bench/stable_answers.py --flopcast build/release/bin/flopcast [--rounds 12] [--seed 1] [--blas openblas-serial]

Begin this on an idle machine."""
import json
import random
import statistics
import subprocess
import sys

from program_runs import argument_parser, environment_with_home, run

QUESTIONS = [["dgeqrf", "n=1000", "nb=64", "nx=128"], ["dgeqrf", "n=1500", "nb=32", "nx=128"], ["dpotrf", "uplo=L", "n=900", "nb=96"], ["dtrtri", "uplo=L", "diag=N", "n=1100", "nb=64"]]
COMMANDS = [["tune", "dgeqrf", "--n", "600,1100", "--nb", "32,64", "--time-budget", "4s"], ["tune", "dpotrf", "uplo=L", "--n", "500,1000", "--nb", "64,96", "--time-budget", "4s"],
            ["tune", "dgetrf", "--n", "700", "--nb", "32,64", "--time-budget", "4s"], ["sample", "dgemm", "m=256:768:256", "n=64", "k=256"], ["rank", "trtri", "--n", "400", "--nb", "32,64", "--time-budget", "4s"],
            ["model", "check", "--time-budget", "4s"], ["predict", "zgeqrf", "n=600", "nb=32", "--time-budget", "4s"]]


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blas", default="openblas-serial")
    options = parser.parse_args()
    environment = environment_with_home(None, "stable-answers")
    chosen = random.Random(options.seed)

    def flopcast(*words):
        return run([options.flopcast, *words, "--blas", options.blas, "--quiet", "--json"], environment)

    def ask(question):
        answer = json.loads(flopcast("predict", *question, "--time-budget", "0s"))["predictions"][0]
        return answer["seconds"], answer["interval"]

    for question in QUESTIONS:
        flopcast("predict", *question, "--time-budget", "15s")
    first = [ask(question) for question in QUESTIONS]
    later = [[] for _ in QUESTIONS]
    commands = [chosen.choice(COMMANDS) for _ in range(options.rounds)]
    for at, command in enumerate(commands):
        other = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if at % 2 == 0 else None
        try:
            flopcast(*command)
        finally:
            if other:
                other.kill()
                other.wait()
        for answers, question in zip(later, QUESTIONS):
            answers.append(ask(question)[0])
        print(f"{at + 1}/{options.rounds}: {' '.join(command)}{', beside another process' if other else ''}", file=sys.stderr, flush=True)
    print("| question | first answer ms | its interval ms | later answers ms | median change % | largest change % | within the first interval |\n|:--|--:|--:|--:|--:|--:|--:|")
    inside = 0
    for question, (seconds, (low, high)), answers in zip(QUESTIONS, first, later):
        held = sum(low <= a <= high for a in answers)
        inside += held
        changes = [abs(a / seconds - 1) for a in answers]
        print(f"| {' '.join(question)} | {1e3 * seconds:.2f} | {1e3 * low:.2f} to {1e3 * high:.2f} | {1e3 * min(answers):.2f} to {1e3 * max(answers):.2f} "
              f"| {100 * statistics.median(changes):.1f} | {100 * max(changes):.1f} | {held} of {len(answers)} |")
    print(f"\nanswers within the first interval: {inside} of {options.rounds * len(QUESTIONS)}")


if __name__ == "__main__":
    main()
