"""Defaults, ranges and choices are the same in all interfaces: the published schema of requests, Python's functions, C, Fortran and TAPP.
tests/cli/shared/request_options_test.cpp compares the command line with the schema."""

import inspect
import json
import pathlib
import re
import unittest

import flopcast as fc
from flopcast import _commands, _flopcast

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads(_flopcast.schema("request"))
EFFORTS = ["estimate", "microbench", "measure", "incremental"]


def members_of(command):
    """Returns the members of a command's request by their names, each with its schema."""
    return SCHEMA["$defs"][SCHEMA["properties"][command]["$ref"].rsplit("/", 1)[1]]["properties"]


def enumerators(file, prefix):
    """Returns the numbers of a header's enumerators, or of a module's parameters, that begin with `prefix`, by the rest of their names."""
    text = (ROOT / file).read_text()
    return {name.lower(): int(value) for name, value in re.findall(rf"\b{prefix}_(\w+) = (\d+)", text)}


class Commands(unittest.TestCase):
    def setUp(self):
        self.functions = {name: getattr(_commands, "contract_run" if name == "contract" else name) for name in SCHEMA["properties"] if name != "workbench"}

    def lines_of(self, command):
        """Returns the docstring's lines about members, by their names."""
        text = inspect.getdoc(self.functions[command])
        return {name: re.sub(r"\s+", " ", line) for name, line in re.findall(r"^- (\w+): (.*?)(?=^- |\Z)", text, re.M | re.S)}

    def test_parameters_are_the_members(self):
        for command, function in self.functions.items():
            parameters = set(inspect.signature(function).parameters)
            members = {name + "_" * (name in ("from", "import")) for name in members_of(command)}
            self.assertEqual(parameters - {"blas", "lapack", "kernels", "threads"}, members - {"blas", "lapack", "kernels", "threads"}, command)

    def test_defaults_ranges_and_choices(self):
        compared = {"default": 0, "range": 0, "choice": 0}
        for command, function in self.functions.items():
            lines, parameters = self.lines_of(command), inspect.signature(function).parameters
            for name, member in members_of(command).items():
                place = f"{command}.{name}"
                if name in function.__kwdefaults__:
                    self.assertIsNone(function.__kwdefaults__[name], place + ": a default beside that of the request")
                default = json.dumps(member.get("default"))
                if member.get("default") not in (None, "", [], {}) and len(default) < 40:
                    self.assertTrue(lines[name].rstrip().endswith(f"; default: {default}"), f"{place}: {lines[name]}")
                    compared["default"] += 1
                if {"minimum", "maximum"} <= member.keys() and member["maximum"] <= 1e4:
                    self.assertIn(f"; {member['minimum']:g} to {member['maximum']:g}", lines[name], place)
                    compared["range"] += 1
                if "enum" in member:
                    self.assertEqual(re.findall(r"'(.*?)'", parameters[name].annotation), member["enum"], place)
                    compared["choice"] += 1
        self.assertTrue(all(compared.values()), compared)


class Contractions(unittest.TestCase):
    """The plan of a contraction, which five interfaces make."""

    def setUp(self):
        self.members = members_of("contract")
        self.assertEqual(self.members["effort"]["enum"], EFFORTS)
        self.assertEqual(self.members["effort"]["default"], EFFORTS[0])

    def test_python(self):
        parameters = inspect.signature(fc.plan).parameters
        for name in ("effort", "time_budget", "fresh"):
            self.assertEqual(parameters[name].default, self.members[name]["default"], name)
        for name in ("max_bytes", "out", "dtype"):
            self.assertIsNone(parameters[name].default, name)

    def test_c(self):
        self.assertEqual(enumerators("include/flopcast/flopcast.h", "FLOPCAST"), {**enumerators("include/flopcast/flopcast.h", "FLOPCAST"), **self.numbers()})
        text = (ROOT / "include/flopcast/flopcast.h").read_text()
        for member, words in (("effort", "FLOPCAST_ESTIMATE"), ("order", "FLOPCAST_" + self.members["order"]["default"].upper())):
            self.assertRegex(text, rf"int32_t {member}; .*default: {words} \*/")
        for member in ("threads", "time_budget"):
            self.assertRegex(text, rf"\b{member}; .*default: {self.members[member]['default']:g} \*/")
        zeros = re.search(r"#define FLOPCAST_PLAN_OPTIONS \\\n\s*\{ sizeof\(flopcast_plan_options\), (.*) \}", text).group(1)
        self.assertEqual(set(zeros.split(", ")), {"0", "0.0", "NULL"}, "a member that is 0 has its default")

    def test_fortran(self):
        text = "flopcast/c/flopcast_contract.f90"
        self.assertEqual(enumerators(text, "flopcast"), {**enumerators(text, "flopcast"), **self.numbers()})
        self.assertRegex((ROOT / text).read_text(), r"integer\(c_int32_t\) :: effort = 0, .*threads = 0, fresh = 0")

    def test_tapp(self):
        numbers = enumerators("include/flopcast/tapp/tapp_flopcast.h", "FLOPCAST_TAPP")
        for effort in EFFORTS[:3]:
            self.assertEqual(numbers[effort], self.numbers()[effort])
        self.assertNotIn("incremental", numbers)
        handle = re.search(r"struct Handle.*?\n};", (ROOT / "flopcast/tapp/objects.hpp").read_text(), re.S).group(0)
        self.assertRegex(handle, r"effort\b.*(estimate|ESTIMATE)")

    def numbers(self):
        return {effort: number for number, effort in enumerate(EFFORTS)}


if __name__ == "__main__":
    unittest.main()
