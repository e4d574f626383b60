"""The package as a whole: examples in its docstrings, its names and its types."""

import ctypes
import doctest
import importlib
import pathlib
import pkgutil
import subprocess
import sys
import tempfile
import unittest

import flopcast as fc

FOLDER = pathlib.Path(fc.__file__).parent


class Package(unittest.TestCase):
    def test_examples(self):
        fc.prepare()
        attempted = 0
        for info in pkgutil.iter_modules([str(FOLDER)]):
            if info.name in ("__main__", "_flopcast"):
                continue
            results = doctest.testmod(importlib.import_module(f"flopcast.{info.name}"), verbose=False)
            self.assertEqual(results.failed, 0, info.name)
            attempted += results.attempted
        self.assertGreater(attempted, 10)
        finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
        for name, thing in (("flopcast", fc), ("flopcast.einsum", fc.einsum)):
            (test,) = [test for test in finder.find(thing, name, module=False) if test.name == name]
            self.assertGreater(len(test.examples), 0, name)
            runner.run(test)
        self.assertEqual(runner.summarize(verbose=False).failed, 0)

    def test_other_libraries_of_a_process_find_no_function_of_the_c_interface(self):
        module = ctypes.CDLL(fc._flopcast.__file__)
        self.assertTrue(hasattr(module, "PyInit__flopcast"))
        self.assertFalse(hasattr(module, "flopcast_execute"))

    def test_every_command_is_a_function_with_its_members(self):
        for command, (summary, _, _) in fc._flopcast.commands().items():
            function = getattr(fc, f"{command}_run" if command == "contract" else command)
            self.assertTrue(function.__doc__.startswith(summary.rstrip(".")), command)

    def test_no_command_has_the_name_of_another_function(self):
        own = set(dir(fc._einsum)) | set(dir(fc._plan)) | set(dir(fc._planner)) | set(dir(fc._paths))
        self.assertEqual(own & set(fc._commands.__all__), set())
        for name in ("einsum", "tensordot", "transpose", "contract"):
            self.assertIs(getattr(fc, name), getattr(fc._einsum, name))

    def test_types(self):
        if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode != 0:
            self.skipTest("mypy is missing")
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program.py"
            program.write_text(
                "import numpy as np\nimport flopcast as fc\n"
                "plan: fc.Plan = fc.plan('ij,jk->ik', np.eye(2), (2, 3), effort='measure')\n"
                "seconds: float = plan.seconds\n"
                "best: int = fc.tune('dgeqrf', n=range(10, 20), time_budget=1.0).parts[0].decisions[0].chosen.nb\n"
            )
            words = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", folder, str(program), str(FOLDER)]
            done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
