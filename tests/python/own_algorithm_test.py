"""Tuning of functions of the user's, which processes of their own import from this file."""

import unittest

import flopcast as fc
import numpy as np


def multiply(nb, variant, ordered):
    if not isinstance(nb, int) or ordered is not True:
        raise TypeError("the values don't arrive as they were given")
    a = np.ones((200, 200))
    for k in range(0, 200, nb):
        if variant == "rows":
            a[k : k + nb] @ a
        else:
            a @ a[:, k : k + nb]


def fail(nb):
    raise ValueError(nb)


class OwnAlgorithm(unittest.TestCase):
    def test_values_arrive_as_they_are_given(self):
        tuning = fc.tune(multiply, {"nb": range(50, 101, 50), "variant": ["rows", "columns"], "ordered": [True]}, threads=1, time_budget=5, check=False)
        self.assertEqual({one.configuration["nb"] for one in tuning.configurations}, {"50", "100"})
        self.assertEqual(tuning.configurations[0].verdict, "chosen")
        self.assertGreater(tuning.configurations[0].kernel_seconds, 0)

    def test_functions_that_fail(self):
        with self.assertRaisesRegex(fc.Error, "fails for every setting"):
            fc.tune(fail, {"nb": [1]}, time_budget=1)

    def test_what_no_other_process_can_call(self):
        def inner(nb):
            del nb

        with self.assertRaisesRegex(fc.InputError, "can't be called in another process"):
            fc.tune(inner, {"nb": [1]})
        with self.assertRaisesRegex(fc.InputError, "would arrive as a number"):
            fc.tune(multiply, {"nb": ["50"]})
        with self.assertRaisesRegex(fc.InputError, "expected texts, numbers, true or false"):
            fc.tune(multiply, {"nb": [None]})


if __name__ == "__main__":
    unittest.main()
