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

    def test_numpys_result_in_the_order_of_the_plans(self):
        def fast(text, *arrays, **options):
            return np.asfortranarray(np.einsum(text, *arrays, **options))

        a, b = np.ones((40, 2, 3)), np.ones((50, 2, 3))
        a, b = np.repeat(a, 20, axis=0), np.repeat(b, 20, axis=0)
        einsum = self.einsum_with(fast)
        orders = {einsum("aij,bij->ab", a, b).strides for _ in range(6)}
        self.assertEqual(orders, {np.einsum("aij,bij->ab", a, b).strides})

    def test_an_exception_of_numpy_ends_the_trials(self):
        calls = []

        def refusing(*arguments, **options):
            calls.append(1)
            raise ValueError("too many subscripts in einsum")

        einsum = self.einsum_with(refusing)
        for _ in range(6):
            np.testing.assert_allclose(einsum("ij,j->i", self.a, self.x), self.a @ self.x)
        self.assertEqual(len(calls), 1)

    def test_trials_write_nothing_that_the_program_sees(self):
        seen = []

        def writing(text, *arrays, out=None):
            seen.append(out)
            out[...] = 7
            return out

        einsum = self.einsum_with(writing)
        out = np.empty(700)
        for _ in range(4):
            out[...] = 0
            self.assertIs(einsum("ij,j->i", self.a, self.x, out=out), out)
            np.testing.assert_allclose(out, self.a @ self.x)
        self.assertTrue(seen)
        self.assertFalse(any(np.may_share_memory(out, one) for one in seen))

    def test_a_result_that_overlaps_an_operand_has_no_trial(self):
        einsum = self.einsum_with(mock.Mock(side_effect=AssertionError))
        a, factors = np.ones((500, 600)), np.full(600, 2.0)
        for power in range(1, 7):
            self.assertIs(einsum("ij,j->ij", a, factors, out=a), a)
            self.assertEqual((a.min(), a.max()), (2.0**power, 2.0**power))

    def test_views_that_exceed_their_memory_have_no_trial(self):
        einsum = self.einsum_with(mock.Mock(side_effect=AssertionError))
        windows = np.lib.stride_tricks.sliding_window_view(np.arange(40000.0), 300)
        weights = np.ones(300)
        for _ in range(4):
            np.testing.assert_allclose(einsum("ij,j->i", windows, weights), windows.sum(axis=1))

    def test_results_of_the_caller(self):
        out = np.empty(700)
        for _ in range(5):
            self.assertIs(fc.einsum("ij,j->i", self.a, self.x, out=out), out)
            np.testing.assert_allclose(out, self.a @ self.x)


if __name__ == "__main__":
    unittest.main()
