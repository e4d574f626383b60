"""Calls that NumPy may do as fast: whichever of plan and NumPy is faster does later calls, and the results stay right."""

import time
import unittest
from unittest import mock

import numpy as np

import flopcast as fc
from flopcast import _einsum, _flopcast
from flopcast._planner import PLANNER


class Trials(unittest.TestCase):
    def setUp(self):
        PLANNER.open()
        random = np.random.default_rng(1)
        self.a, self.x = random.standard_normal((700, 800)), random.standard_normal(800)

    def einsum_with(self, with_blas):
        einsum, _, _, _ = _flopcast.einsum_functions(PLANNER, _einsum.c_einsum(), with_blas, _einsum._elsewhere)
        return einsum

    def test_numpy_is_slower(self):
        calls = []

        def slow(*arguments, **options):
            calls.append(1)
            time.sleep(1)
            return _einsum.c_einsum()(*arguments, **options)

        einsum = self.einsum_with(slow)
        for _ in range(5):
            np.testing.assert_allclose(einsum("ij,j->i", self.a, self.x), self.a @ self.x)
        self.assertEqual(len(calls), 1)

    def test_numpy_is_faster(self):
        answers = []

        def fast(*arguments, **options):
            answers.append(1)
            return "NumPy's"

        einsum = self.einsum_with(fast)
        results = [einsum("ij,j->i", self.a, self.x) for _ in range(5)]
        for result in results[:4]:
            np.testing.assert_allclose(result, self.a @ self.x)
        self.assertEqual(results[4:], ["NumPy's"])
        self.assertEqual(len(answers), 4)

    def test_products_that_arithmetic_bounds_have_no_trial(self):
        unused = mock.Mock(side_effect=AssertionError)
        einsum = self.einsum_with(unused)
        for _ in range(5):
            np.testing.assert_allclose(einsum("ij,kj->ik", self.a, self.a), self.a @ self.a.T)

    def test_results_of_the_caller(self):
        out = np.empty(700)
        for _ in range(5):
            self.assertIs(fc.einsum("ij,j->i", self.a, self.x, out=out), out)
            np.testing.assert_allclose(out, self.a @ self.x)


if __name__ == "__main__":
    unittest.main()
