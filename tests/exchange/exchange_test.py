#!/usr/bin/env python3
"""Reads all that the commands write for other programs: documents by their schemas, tables by pandas.

Usage: exchange_test.py FLOPCAST FOLDER [--mpirun WORDS --mpi PROGRAM] [--smpi PROGRAM] [--scalapack]

FLOPCAST_HOME names a folder in which the machine has been measured. FOLDER gets the documents as NAME.json, from which tests of pages make
pages. Every command, schema and table of the program must occur, so that a new one needs a call in commands.py.
"""

import argparse
import csv
import io
import json
import pathlib
import re
import shlex
import shutil
import sys

import pandas

import commands

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "c"))
from schemas import Checker  # noqa: E402

# Names that occur in no call, and why.
COMMANDS = {
    "ask": "tests/c/schemas.py sends its requests",
    "help": "shows texts",
    "model delete": "has no document and no table",
    "report": "tests/pages makes pages by it",
}
SCHEMAS = {
    "flopcast-error-1": "tests/c/schemas.py",
    "flopcast-request-1": "tests/c/schemas.py",
    "flopcast-mpi-timeline-1": "a file beside the document of mpi run, which tests/tasks/mpi checks",
    "flopcast-program-trace-1": "the beginning of a recording's file",
    "flopcast-tuning-file-1": "a file of tune, which tests/c/schemas.py reads",
    "flopcast-measured-machine-1": "a file of the store",
}
TABLES = {
    "rank sizes": "shown beside the table of variants, which --csv holds",
    "rank drivers": "shown beside the table of variants, which --csv holds",
    "rank validation": "shown beside the table of variants, which --csv holds",
    "predict explain": "--explain shows several tables, which --csv refuses",
    "mpi run": "shown by mpi show, whose --csv holds the kernels",
    "mpi efficiencies": "shown by mpi show, whose --csv holds the kernels",
    "mpi waits": "shown by mpi show, whose --csv holds the kernels",
    "mpi processes": "shown by mpi show, whose --csv holds the kernels",
}
# Columns of names that contain numbers or other names.
NAMES = {"variant", "orders", "grid", "table", "column", "csv", "unit", "meaning"}
VARYING = re.compile(r"(?<![A-Z])(ARGUMENT|LABEL|PARAMETER|SIZE|VARIANT|WHAT-IF|THREADS)(?![A-Z])")  # in headings: stands for names of the call

UNIT = r"(%|(n|u|µ|m)?s|min|h|[kKMGT]?i?B(/s)?|[kMGT]?(flop|FLOP)(/s)?|[kMG]?Hz)"
NUMBER = r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?"
QUANTITY = re.compile(rf"{NUMBER} ?{UNIT}( \*)?")
NUMBERS = re.compile(rf"[\[(]?{NUMBER}( ?{UNIT})?(( ?(,|;|/|-|\.\.|x) ?| | to | of ){NUMBER}( ?{UNIT})?)+[\])]?")


def tidy_faults(text, columns):
    """Yields what isn't tidy in a table: `columns` has the rows of `flopcast columns --csv` for it."""
    lines = list(csv.reader(io.StringIO(text, newline="")))
    headings = lines[0]
    if len(set(headings)) < len(headings) or "" in headings:
        yield f"the headings {headings} aren't unique names"
        return
    if any(len(line) != len(headings) for line in lines):
        yield "lines differ in their number of cells"
        return
    units = {name: column["unit"] for column in columns for name in column["csv"].split(", ")}
    patterns = [(re.compile(VARYING.sub(".+", re.escape(name).replace("\\-", "-"))), unit) for name, unit in units.items() if VARYING.search(name)]
    frame = pandas.read_csv(io.StringIO(text, newline=""), keep_default_na=False, na_values=[""])
    cells = set(frame.select_dtypes("object").stack())
    for name in headings:
        unit = units.get(name, next((unit for pattern, unit in patterns if pattern.fullmatch(name)), None))
        if unit is None:
            yield f"`flopcast columns` doesn't define {name}"
            continue
        column = frame[name].dropna()
        is_number = pandas.api.types.is_numeric_dtype(frame[name])
        if not is_number and not column.empty and (unit or name.endswith(("_low", "_high"))):
            yield f"{name} has {list(column[:3])}, which aren't numbers"
        elif not is_number and name not in NAMES and pandas.to_numeric(column, errors="coerce").notna().any():
            yield f"{name} has numbers and texts: {list(column[:3])}"
        elif not is_number and name not in NAMES:
            for cell in column.astype(str):
                yield from cell_faults(name, cell, cells)
        if name.endswith("_low") != (name[: -len("_low")] + "_high" in headings if name.endswith("_low") else False):
            yield f"{name} has no upper end beside it"


def cell_faults(name, cell, cells):
    parts = [part for part in re.split(r"[,; ]+", cell) if part]
    if QUANTITY.fullmatch(cell):
        yield f"{name} has a number with its unit: {cell}"
    elif NUMBERS.fullmatch(cell):
        yield f"{name} has several numbers: {cell}"
    elif len(parts) > 1 and all(part in cells for part in parts):
        yield f"{name} has a list: {cell}"
    elif cell in ("-", "*"):
        yield f"{name} has a sign that is no value: {cell}"


def self_faults():
    """Yields what the checks of tables don't find."""
    columns = [{"csv": "name", "unit": ""}, {"csv": "seconds", "unit": "s"}, {"csv": "seconds_low, seconds_high", "unit": "s"},
               {"csv": "VARIANT_share", "unit": "fraction"}]
    good = "name,seconds,seconds_low,seconds_high,left-2_share\r\nx y,1.5,1,2,0.1\r\nx,,,,\r\n"
    for tidy in (good, good.splitlines()[0] + "\r\n"):
        for fault in tidy_faults(tidy, columns):
            yield f"a tidy table: {fault}"
    for old, new, expected in [
        ("x y", "1,5", "cells"), ("x y", "12 / 34", "several numbers"), ("x y", '"[1.5, 2]"', "several numbers"), ("x y", "3 of 4", "several numbers"),
        ("x y", "1.5 ms", "unit"), ("x y", "12 %", "unit"), ("x y", "x x", "a list"), ("x y", "-", "a sign"), ("x y", "7", "numbers and texts"),
        ("1.5,", "1.5 s,", "aren't numbers"), (",0.1", ",10%", "aren't numbers"), ("seconds,", "time,", "doesn't define"),
        ("name", "seconds", "unique"), ("seconds_low,seconds_high", "seconds_low,other", "no upper end"),
    ]:
        found = list(tidy_faults(good.replace(old, new, 1), columns))
        if not any(expected in fault for fault in found):
            yield f"'{expected}' isn't found with {new}; found: {found}"


def commands_of(runner, words=()):
    """Yields all commands that have no commands of their own, as the help lists them."""
    text = runner.run([runner.program, *words, "--help"])
    has_commands = "[OPTIONS] COMMAND\n" in text
    listed = re.findall(r"^  ([a-z]+)  ", text.split("\nEvery command:")[0], re.MULTILINE) if has_commands else []
    for name in listed:
        yield from commands_of(runner, (*words, name))
    if not listed:
        yield " ".join(words)


def missing(kind, known, met, reasons):
    """Yields what occurs in no call, and reasons that nothing needs."""
    for name in sorted(known - met - reasons.keys()):
        yield f"{kind} {name} occurs in no call of commands.py"
    for name in sorted(reasons.keys() & met | reasons.keys() - known):
        yield f"{kind} {name} needs no reason"


class Exchange:
    def __init__(self, runner, tools):
        self.runner = runner
        self.tools = tools
        self.checker = Checker(runner.program)
        self.columns = {}
        for row in csv.DictReader(io.StringIO(runner.run([runner.program, "columns", "--csv"]), newline="")):
            self.columns.setdefault(row["table"], []).append(row)
        self.faults = list(self_faults())
        self.met = {"command": set(), "schema": set(), "table": set()}

    def check_document(self, text, origin):
        self.checker.check_document(text, origin)
        self.met["schema"].add(json.loads(text)["schema"])

    def read(self, call):
        line = f"flopcast {call.command} {' '.join(call.arguments)}"
        self.met["command"].add(call.command)
        if call.is_text:
            self.runner.make(call)
        if call.name:
            text = self.runner.document(call)
            self.check_document(text, line)
        if call.csv:
            self.met["table"].add(call.csv)
            self.faults += [f"{line} --csv: {fault}" for fault in tidy_faults(self.runner.table(call), self.columns[call.csv])]

    def read_all(self):
        self.checker.check_schemas()
        if "mpi" in self.tools:
            space = json.dumps(commands.space_of(self.tools))
            (self.runner.folder / "small.space").write_text(space)
            self.check_document(space, "a space of mpi tune")
        for call in commands.calls(self.tools):
            if call.needs and call.needs not in self.tools:
                print(f"skipped, because {call.needs} isn't installed: flopcast {call.command}")
                self.met["command"].add(call.command)
            else:
                try:
                    self.read(call)
                except commands.CommandFailed as failure:
                    self.faults.append(str(failure))
        known = {"command": set(commands_of(self.runner)), "schema": set(self.checker.schemas), "table": set(self.columns)}
        for kind, reasons in (("command", COMMANDS), ("schema", SCHEMAS), ("table", TABLES)):
            if kind == "command" or {"mpi", "smpi", "scalapack"} <= self.tools.keys():
                self.faults += missing(kind, known[kind], self.met[kind], reasons)
        return self.faults + self.checker.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mpirun", type=shlex.split, help="words that start MPI programs")
    for needs in ("mpi", "smpi"):
        parser.add_argument(f"--{needs}", type=shlex.split, help="MPI program with the options --n and --nb")
    parser.add_argument("--scalapack", action="store_true", help="ScaLAPACK is installed")
    options = parser.parse_args()
    tools = {name: value for name, value in vars(options).items() if name in ("mpirun", "mpi", "smpi", "scalapack") and value}
    shutil.rmtree(options.folder, ignore_errors=True)
    exchange = Exchange(commands.Runner(options.program, options.folder), tools)
    faults = exchange.read_all()
    print("\n".join(faults) or f"{len(exchange.met['schema'])} documents and {len(exchange.met['table'])} tables")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
