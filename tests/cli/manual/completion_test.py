"""The completion scripts complete commands, options, values, names and files, as the shells themselves ask for them.

Usage: completion_test.py PROGRAM FOLDER     (the folder share of the build)
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

BASH = r"""
source "$SCRIPT"
[[ $(complete -p flopcast) == *'-F _flopcast flopcast' ]] || exit 3
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_flopcast flopcast
printf '%s\n' "${COMPREPLY[@]}"
"""

# _normal, _files, _describe and compadd of the real completion need a terminal: these say what they were asked for.
ZSH = r"""
compadd() { [[ $1 == -- ]] && shift; print -rl -- ${(M)@:#${words[CURRENT]##*=}*} }
_describe() { local name=${@[-1]}; print -rl -- ${${(P)name}%%:*} }
_files() { print -r -- "FILES $*" }
_message() { : }
_normal() { print -r -- "PROGRAM ${words[1]}" }
compset() { : }
words=("$@")
CURRENT=$#
source $SCRIPT
"""


class Completion:
    """Tests of all shells; complete() returns the set of completions of the last word."""

    def test_commands(self):
        self.assertLessEqual({"tune", "mpi", "roofline"}, self.complete(""))
        self.assertEqual(self.complete("mpi", "tu"), {"tune"})
        self.assertEqual(self.complete("model", "bu"), {"build"})
        self.assertIn("ilaenv", self.complete("export", ""))

    def test_options(self):
        self.assertLessEqual({"--kernels", "--threads", "--json"}, self.complete("tune", "--"))
        self.assertNotIn("--policy", self.complete("tune", "--"))
        self.assertIn("--policy", self.complete("mpi", "tune", "--"))
        self.assertIn("--no-store", self.complete("sample", "--"))

    def test_options_after_arguments(self):
        self.assertIn("--kernels", self.complete("tune", "dgeqrf", "--threads", "1", "--"))

    def test_values(self):
        self.assertEqual(self.complete("env", "--format", ""), {"sh", "csh", "fish", "json", "lmod"})
        self.assertEqual(self.complete("mpi", "run", "--clock", "w"), {"wall"})
        self.assertEqual(self.complete("tune", "--color", "al"), {"always"})

    def test_names(self):
        self.assertIn("dgeqrf", self.complete("tune", "dgeqr"))
        self.assertIn("reference", self.complete("tune", "--lapack", ""))
        self.assertTrue(any(name.startswith("flopcast-tune-") for name in self.complete("schema", "flopcast-t")))

    def test_other_values_have_no_completion(self):
        self.assertEqual(self.complete("tune", "--n", ""), set())


class Bash(Completion, unittest.TestCase):
    def complete(self, *words):
        return self.lines("bash", "--norc", "-c", BASH, "bash", "flopcast", *words)

    script = FOLDER / "bash-completion/completions/flopcast"

    def lines(self, *command, **options):
        environment = {**os.environ, "SCRIPT": str(self.script), "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "FLOPCAST_CONFIG": ""}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, **options)
        self.assertEqual(done.stderr, "")
        return {line.split("\t")[0] for line in done.stdout.splitlines() if line}

    def test_value_behind_an_equals_sign(self):
        self.assertEqual(self.complete("env", "--format", "=", "j"), {"json"})
        self.assertEqual(self.complete("env", "--format", "="), {"sh", "csh", "fish", "json", "lmod"})

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "result.json").touch()
            (pathlib.Path(folder) / "results").mkdir()
            start = f"{folder}/res"
            self.assertEqual(self.complete("tune", "--output", start), {f"{start}ult.json", f"{start}ults"})
            self.assertEqual(self.complete("env", "--links", start), {f"{start}ults"})
            self.assertEqual(self.complete("mpi", "show", start), {f"{start}ult.json", f"{start}ults"})
            self.assertEqual(self.complete("run", "--", "cat", start), {f"{start}ult.json", f"{start}ults"})

    def test_program(self):
        self.assertEqual(self.complete("run", ""), {"--"})
        self.assertIn("bash", self.complete("run", "--threads", "1", "--", "bas"))


@unittest.skipIf(shutil.which("zsh") is None, "zsh isn't installed")
class Zsh(Bash):
    script = FOLDER / "zsh/_flopcast"

    def complete(self, *words):
        found = self.lines("zsh", "-f", "-c", ZSH, "zsh", "flopcast", *words)
        return {name for name in found if name.startswith(words[-1].rpartition("=")[2]) or " " in name}

    def test_value_behind_an_equals_sign(self):
        self.assertEqual(self.complete("env", "--format=j"), {"json"})

    def test_files(self):
        self.assertEqual(self.complete("tune", "--output", ""), {"FILES "})
        self.assertEqual(self.complete("env", "--links", ""), {"FILES -/"})
        self.assertEqual(self.complete("mpi", "show", ""), {"FILES "})

    def test_program(self):
        self.assertEqual(self.complete("run", ""), {"--"})
        self.assertEqual(self.complete("run", "--threads", "1", "--", "cat", ""), {"PROGRAM cat"})


@unittest.skipIf(shutil.which("fish") is None, "fish isn't installed")
class Fish(Bash):
    script = FOLDER / "fish/vendor_completions.d/flopcast.fish"

    def complete(self, *words):
        line = " ".join(["flopcast", *words])
        with tempfile.TemporaryDirectory() as home:
            found = self.lines("env", f"HOME={home}", "fish", "--no-config", "-c", f"source $SCRIPT; complete -C '{line}'")
        return {name.rpartition("=")[2].rstrip("/") for name in found}

    def test_value_behind_an_equals_sign(self):
        self.assertEqual(self.complete("env", "--format=j"), {"json"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
