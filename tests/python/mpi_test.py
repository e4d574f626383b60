"""Regions of programs that use mpi4py, alone and with a library that stands in for the one that flopcast preloads."""

import os
import subprocess
import sys
import unittest

from flopcast import mpi

PROGRAM = """
from flopcast import mpi
with mpi.region("pack", 3, 4):
    pass
for name in ("sort", "known"):
    if mpi.kernel(name, 7):
        print("does", name, flush=True)
        mpi.end()
mpi.stop(); mpi.start(); mpi.reset()
for configuration in mpi.configurations():
    print(configuration.integer("nb", 1), configuration.text("grid", "2x2"), flush=True)
"""


class Regions(unittest.TestCase):
    def run_program(self, **variables):
        done = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, **variables}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_without_flopcast(self):
        self.assertEqual(self.run_program(), ["does sort", "does known", "1 2x2"])

    @unittest.skipUnless("FLOPCAST_TEST_HOOKS" in os.environ, "the stand-in isn't built")
    def test_with_flopcast(self):
        lines = self.run_program(LD_PRELOAD=os.environ["FLOPCAST_TEST_HOOKS"])
        calls = ["enter pack 3 4", "leave", "enter sort 7 kernel", "does sort", "leave", "enter known 7 kernel", "measure 0", "measure 1", "reset"]
        self.assertEqual(lines, [*calls, "32 2x2", "64 2x2"])

    def test_too_many_sizes(self):
        with self.assertRaisesRegex(ValueError, "has 9 sizes"):
            mpi.kernel("sort", *range(9))

    def test_a_region_ends_with_an_exception(self):
        with self.assertRaises(KeyError), mpi.region("pack"):
            raise KeyError


if __name__ == "__main__":
    unittest.main()
