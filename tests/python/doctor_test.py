"""Findings of the doctor about programs of Python."""

import pathlib
import sys
import tempfile
import unittest

import flopcast as fc

EINSUM = """
import sys, time
import numpy as np

def contract():
    a, b = np.ones((2, 60, 60))
    end = time.process_time() + 0.6
    while time.process_time() < end:
        np.einsum(sys.argv[1], a, b, optimize=len(sys.argv) > 2)

contract()
"""
MULTIPLY = """
a, b = np.full((200, 200), {number}), np.full((200, 200), 0.5)
end = time.process_time() + 0.1
while time.process_time() < end:
    a @ b
"""
ALSO = {  # illnesses beside a contraction without BLAS, by their causes
    "denormals": MULTIPLY.format(number=1e-310),
    "invalid_numbers": MULTIPLY.format(number="np.nan"),
    "small_calls": "a, b = np.ones((2, 4, 4))\nfor i in range(1000000): np.dot(a, a, b)\n",
}
LOOP = """
import time

def assemble():
    end = time.process_time() + 0.6
    total = 0
    while time.process_time() < end:
        total += sum(i * i for i in range(100))
    return total

assemble()
"""


class Doctor(unittest.TestCase):
    def diagnose(self, source, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder, "slow.py")
            script.write_text(source)
            return fc.doctor(command=[sys.executable, str(script), *arguments], time_budget=0, anonymous=True)

    def causes(self, *arguments):
        return [finding.cause for finding in self.diagnose(EINSUM, *arguments).findings]

    def test_a_contraction_without_blas_is_found(self):
        (finding,) = [one for one in self.diagnose(EINSUM, "ij,jk->ik").findings if one.cause == "contraction_without_blas"]
        self.assertIn("einsum('ij,jk->ik')", finding.evidence)
        self.assertIn("slow.py:9 in contract", finding.evidence)
        self.assertGreater(finding.seconds, 0)
        self.assertLess(finding.seconds, 0.8)

    def test_two_illnesses_are_found_at_once(self):
        for cause, also in ALSO.items():
            with self.subTest(cause):
                causes = {finding.cause for finding in self.diagnose(EINSUM + also, "ij,jk->ik").findings}
                self.assertLessEqual({cause, "contraction_without_blas"}, causes)

    def test_other_contractions_are_healthy(self):
        self.assertNotIn("contraction_without_blas", self.causes("ij,ij->ij"))

    def test_optimized_contractions_are_healthy(self):
        self.assertNotIn("contraction_without_blas", self.causes("ij,jk->ik", "optimized"))

    def test_the_line_of_a_loop_is_found(self):
        place = self.diagnose(LOOP).own_code[0]
        self.assertIn("slow.py:8 in ", place.where)
        self.assertGreater(place.seconds, 0)


if __name__ == "__main__":
    unittest.main()
