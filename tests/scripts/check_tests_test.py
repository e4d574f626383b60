#!/usr/bin/env python3
"""scripts/check_tests on small trees of sources and tests."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "check_tests"


class CheckTests(unittest.TestCase):
    def findings(self, files):
        """Returns what the script finds in a tree with these numbers of lines by file, but for reasons that the tree has no use for."""
        with tempfile.TemporaryDirectory() as folder:
            for name, lines in files.items():
                file = pathlib.Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n" * lines)
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        return [line for line in done.stdout.splitlines() if "has a reason for" not in line]

    def test_tests_beside_their_sources(self):
        self.assertEqual(self.findings({"flopcast/a/long.cpp": 201, "tests/a/long_test.cpp": 1, "flopcast/a/short.cpp": 200}), [])

    def test_parts_that_say_what_a_test_needs(self):
        self.assertEqual(self.findings({"flopcast/a/b/long.cpp": 201, "tests/a/blas/b/long_test.cpp": 1}), [])
        self.assertEqual(self.findings({"flopcast/a/b/long.cpp": 201, "tests/a/b/cli/long_test.cpp": 1}), [])

    def test_a_folder_of_the_sources_is_no_such_part(self):
        files = {"flopcast/cli/long.cpp": 201, "flopcast/long.cpp": 201, "tests/cli/long_test.cpp": 1}
        self.assertEqual(self.findings(files), ["flopcast/long.cpp has 201 lines and no test long_test in tests/."])

    def test_long_sources_without_a_test(self):
        found = self.findings({"flopcast/a/long.cpp": 201, "flopcast/b/other.cpp": 1, "tests/b/long_test.cpp": 1})
        self.assertEqual(found, ["flopcast/a/long.cpp has 201 lines and no test long_test in tests/a"])

    def test_foreign_folders(self):
        found = self.findings({"flopcast/a/short.cpp": 1, "bench/x.cpp": 1, "tests/bench/x_test.cpp": 1, "tests/z/y_test.py": 1})
        self.assertEqual(found, ["tests/z/y_test.py lies in a folder that the sources don't have"])


if __name__ == "__main__":
    unittest.main()
