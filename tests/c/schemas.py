#!/usr/bin/env python3
"""Validates documents that flopcast writes against the schemas that it publishes, with python3-jsonschema.

Usage: schemas.py FLOPCAST

Every published schema must be a valid schema of draft 2020-12. Documents of some commands must be valid, also if objects may have no other
members than their schema names, and must be refused without a required member or with one of a wrong type. FLOPCAST_HOME names a folder in
which the machine has been measured.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

# Units of numbers by the words in their names. Where several stand, the schema names one of them.
UNITS = [
    (re.compile(r"flops_per_second"), {"flop/s"}),
    (re.compile(r"bytes_per_second|bandwidth$"), {"B/s"}),
    (re.compile(r"_per_(?!second)"), None),
    (re.compile(r"per_second"), {"flop/s", "B/s", "Hz"}),
    (re.compile(r"(^|_)(seconds|timeout|budget|latency|times|wall)(_interval(_95)?)?$"), {"s"}),
    (re.compile(r"(^|_)bytes(_low|_high|_interval)?$"), {"B"}),
    (re.compile(r"(^|_)flops$"), {"flop", "flop/s"}),
    (re.compile(r"hertz$"), {"Hz", "GHz"}),
    (re.compile(r"(^|_)(share|regret|gain)$"), {"", "fraction"}),
    (re.compile(r"(^|_)(count|calls|threads|repetitions)$"), {""}),
]

REQUESTS = [
    {"contract_list": {"expression": "ai,ibc->abc", "sizes": {"a": 10, "b": 10, "c": 10, "i": 4}}},
    {"contract": {"expression": "ai,ibc->abc", "sizes": {"a": 10, "b": 10, "c": 10, "i": 4}, "order": "column_major", "execute": False}},
    {"contract": {"expression": "iij->j", "sizes": {"i": 30, "j": 40}}},
    {"contract": {"expression": "ab,bc,cd->ad", "sizes": {"a": 10, "b": 20, "c": 5, "d": 30}, "max_bytes": 4000, "execute": False}},
    {"contract": {"expression": "ab,bc->ac", "sizes": {"a": 10, "b": 20, "c": 5}, "strides": {"A": [1, 16], "result": [5, 1]}, "execute": False}},
    {"contract_layouts": {"contractions": ["C_ab := A_ai B_ib"], "sizes": {"a": 10, "b": 10, "i": 4}, "layouts": ["A"]}},
    {"trace": {"routine": "dgeqrf", "n": 200, "nb": 32}},
    {"predict": {"routine": "dgeqrf", "n": [100, 200], "nb": "32", "with_calls": True}},
    {"machine": {}},
    {"tune": {"routine": "dpotrf", "n": 100, "flags": {"uplo": "L"}, "nb": [32, 64], "time_budget": 0.5, "validate": True}},
    {"rank": {"family": "cholesky", "n": 100, "nb": [32], "time_budget": 0.5, "threads": [1]}},
    {"rank": {"family": "solve", "n": 60, "time_budget": 0.5}},
    {"sample": {"calls": ["dgemm m=64 n=64 k=64"], "keep": False}, "workbench": {"blas": "openblas-serial"}},
    {"model_list": {}},
    {"roofline_plan": {"quick": True, "streams": ["triad"]}},
    {"record": {"command": ["true"], "output": "true.trace"}},
    {"recording": {"file": "true.trace", "events": True}},
    {"doctor": {"recording": "true.trace", "time_budget": 0}},
    {"profile": {"recording": "true.trace", "with_peak": False}},
    {"export_timeline": {"recording": "true.trace", "max_events": 10}},
    {"tune_program": {"command": ["sh", "-c", "exit {code}"], "parameters": ["code=0,1"], "time_budget": 0.1}},
    {"verify": {"blas": ["openblas-serial"], "routines": ["ddot"], "rounds": 2, "threads": 1}},
    {"environment": {"tuning": "tuning.json"}},
    {"wisdom_export": {"tuning": "tuning.json"}},
    {"wisdom_list": {"tuning": "tuning.json"}},
    {"export_ilaenv": {"tuning": "tuning.json", "language": "c"}},
    {"run": {"command": ["true"], "kernels": "library", "threads": 1, "tuning": "tuning.json"}},
]


def run(program, *arguments, code=0, folder=None):
    """Runs flopcast and returns what it writes."""
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=folder)
    if ended.returncode != code:
        raise SystemExit(f"flopcast {' '.join(arguments)} ended with {ended.returncode}:\n{ended.stderr}")
    return ended.stdout


def closed(schema):
    """Returns the schema whose objects have no other members than it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: {inner: closed(one) for inner, one in value.items()} if name in ("properties", "$defs") else closed(value)
              for name, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        result.setdefault("additionalProperties", False)
    return result


class Checker:
    def __init__(self, program):
        self.program = program
        names = json.loads(run(program, "schema", "--list", "--json"))
        self.schemas = {name: json.loads(run(program, "schema", name)) for name in names}
        self.faults = []

    def expect(self, holds, fault):
        if not holds:
            self.faults.append(fault)

    def errors(self, schema, document):
        return [f"{error.json_path}: {error.message[:200]}" for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]

    def check_schemas(self):
        for name, schema in self.schemas.items():
            try:
                jsonschema.Draft202012Validator.check_schema(schema)
            except jsonschema.SchemaError as error:
                self.faults.append(f"{name} is no schema: {error.message}")

    def numbers(self, root, schema, name, seen=(), unit=""):
        """Yields name and unit of every number of a schema."""
        unit = schema.get("unit", unit)
        if "$ref" in schema:
            target = root
            for part in schema["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            if schema["$ref"] not in seen:
                yield from self.numbers(root, target, name, (*seen, schema["$ref"]), unit)
            return
        types = schema.get("type", [])
        if {"number", "integer"} & set([types] if isinstance(types, str) else types):
            yield name, unit
        for member, below in schema.get("properties", {}).items():
            yield from self.numbers(root, below, member, seen)
        for below in [schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", [])]:
            if isinstance(below, dict):
                yield from self.numbers(root, below, name, seen, unit)

    def check_units(self):
        """Every number has the unit that its name says. Numbers of models of a footprint are its coefficients."""
        for schema_name, schema in self.schemas.items():
            for name, unit in set(self.numbers(schema, schema, schema_name)):
                expected = next((units for word, units in UNITS if word.search(name)), None)
                self.expect(expected is None or unit in expected, f"{name} in {schema_name} has the unit '{unit}', expected one of {expected}")

    def check_document(self, text, request):
        document = json.loads(text)
        name = document["schema"]
        schema = self.schemas[name]
        for kind, one in (("valid", schema), ("complete", closed(schema))):
            errors = self.errors(one, document)
            self.expect(not errors, f"the answer to {request} isn't {kind}: {errors[:3]}")
        for member in schema["required"]:
            damaged = copy.deepcopy(document)
            del damaged[member]
            self.expect(self.errors(schema, damaged), f"{name} is valid without {member}")
            damaged[member] = 3.5 if isinstance(document[member], (dict, list, str)) else {"a": ["wrong", "type"]}
            self.expect(self.errors(schema, damaged), f"{name} is valid with a wrong {member}")

    def check_request(self, request):
        errors = self.errors(self.schemas["flopcast-request-1"], request)
        self.expect(not errors, f"{request} is no valid request: {errors[:3]}")
        job = next(name for name in request if name != "workbench")
        damaged = copy.deepcopy(request)
        damaged[job]["no_such_member"] = 1
        self.expect(self.errors(self.schemas["flopcast-request-1"], damaged), f"{job} takes a member that it doesn't have")


def main():
    checker = Checker(sys.argv[1])
    checker.check_schemas()
    checker.check_units()
    with tempfile.TemporaryDirectory() as folder:
        words = ["tune", "dpotrf", "uplo=L", "--n", "100", "--nb", "32,64", "--time-budget", "0.5s", "--tuning", "tuning.json", "--quiet"]
        run(checker.program, *words, folder=folder)
        checker.check_document((pathlib.Path(folder) / "tuning.json").read_text(), "tune --tuning")
        for request in REQUESTS:
            checker.check_request(request)
            answer = pathlib.Path(folder) / "answer.json"
            run(checker.program, "ask", json.dumps(request), "--output", str(answer), folder=folder)
            checker.check_document(answer.read_text(), request)
        checker.check_document(run(checker.program, "ask", "{}", code=3), "an empty request")
    print("\n".join(checker.faults) or f"{len(checker.schemas)} schemas, {len(REQUESTS)} requests")
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
