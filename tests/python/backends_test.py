"""How other packages find and call flopcast: by the names of functions in the module, and by classes."""

import importlib
import sys
import types
import unittest
from unittest import mock

import numpy as np

import flopcast as fc


class Dispatch:
    """Calls functions of a backend by its name, as opt_einsum's dispatch and autoray do."""

    def __init__(self, name):
        self.backend = importlib.import_module(name)

    def contract(self, text, arrays, path):
        """Contracts pairs in the order of `path`; matrix products by tensordot and transpose, others by einsum."""
        terms, arrays = text.split("->")[0].split(","), list(arrays)
        output = text.split("->")[1]
        for pair in path:
            chosen = sorted(pair, reverse=True)
            b, a = (terms.pop(i) for i in chosen)
            y, x = (arrays.pop(i) for i in chosen)
            needed = set(output).union(*terms)
            summed = [label for label in a if label in b and label not in needed]
            kept = [label for label in a + b if label not in summed]
            if len(set(kept)) == len(kept) and len(set(a)) == len(a) and len(set(b)) == len(b):
                axes = ([a.index(label) for label in summed], [b.index(label) for label in summed])
                result = self.backend.tensordot(x, y, axes=axes)
            else:
                kept = list(dict.fromkeys(label for label in kept if label in needed))
                result = self.backend.einsum(f"{a},{b}->{''.join(kept)}", x, y)
            terms.append("".join(kept))
            arrays.append(result)
        return self.backend.transpose(arrays[0], [terms[0].index(label) for label in output])


class Backends(unittest.TestCase):
    def test_names_of_functions(self):
        random = np.random.default_rng(1)
        arrays = [random.standard_normal(shape) for shape in ((4, 5, 6), (6, 7), (5, 7, 8), (4, 8))]
        for text in ("abc,cd,bde,ae->ea", "abc,cd,bde,ae->a", "abc,cd,bde,ae->"):
            expected = np.einsum(text, *arrays)
            for path in ([(0, 1), (0, 2), (0, 1)], [(2, 3), (0, 1), (0, 1)]):
                np.testing.assert_allclose(Dispatch("flopcast").contract(text, arrays, path), expected)

    def test_arguments_as_other_packages_name_them(self):
        a, b = np.ones((2, 3)), np.ones((3, 4))
        self.assertEqual(fc.tensordot(a, b, axes=[(1,), (0,)]).shape, (2, 4))
        self.assertEqual(fc.transpose(a, axes=(1, 0)).shape, (3, 2))
        self.assertEqual(fc.einsum("ab,bc->ac", a, b, optimize=True).shape, (2, 4))

    def test_optimiser_without_opt_einsum(self):
        with mock.patch.dict(sys.modules, {"opt_einsum": None, "opt_einsum.paths": None}):
            optimizer = fc._paths.path_optimizer()()
        inputs = [frozenset("ab"), frozenset("bc"), frozenset("cd")]
        path = optimizer(inputs, frozenset("ad"), {"a": 10, "b": 200, "c": 10, "d": 300}, None)
        self.assertEqual(sorted(map(len, path)), [2, 2])
        self.assertEqual(path[0], (0, 1))

    def test_optimiser_is_opt_einsums(self):
        base = type("PathOptimizer", (), {})
        paths = types.ModuleType("opt_einsum.paths")
        paths.PathOptimizer = base
        with mock.patch.dict(sys.modules, {"opt_einsum": types.ModuleType("opt_einsum"), "opt_einsum.paths": paths}):
            optimizer = fc._paths.path_optimizer()(dtype=np.float32, threads=1)
        self.assertIsInstance(optimizer, base)

    def test_optimiser_bounds_intermediates(self):
        # The product of the first two has the fewest operations, and 1000 times 1000 elements.
        inputs, sizes = [set("ab"), set("bc"), set("cd")], {"a": 1000, "b": 2, "c": 1000, "d": 1000}
        for limit in (None, -1, 10_000_000):
            self.assertEqual(len(fc.PathOptimizer()(inputs, set("ad"), sizes, limit)), 2)

    def test_small_products_come_first(self):
        sizes = {"b": 64, "g": 8, "k": 4096, "d": 128}
        for inputs in (["bgk", "bkd", "bk"], [set("bgk"), set("bkd"), set("bk")]):
            self.assertEqual(fc.PathOptimizer()(inputs, "bgd" if isinstance(inputs[0], str) else set("bgd"), sizes)[0], (0, 2))

    def test_orders_by_time_not_by_operations(self):
        # The order with the fewest operations has an intermediate of 480 GB.
        text, sizes = "iP,sP,PQ,jQ,tQ,ti,sj->", dict(i=300, j=300, s=50, t=50, P=2000, Q=2000)
        inputs = [set(term) for term in text.split("->")[0].split(",")]
        terms = list(inputs)
        for pair in fc.PathOptimizer()(inputs, set(), sizes):
            joined = set().union(*(terms.pop(i) for i in sorted(pair, reverse=True)))
            kept = {label for label in joined if any(label in term for term in terms)}
            elements = np.prod([float(sizes[label]) for label in kept])
            self.assertLess(8 * elements, 4e9)
            terms.append(kept)


if __name__ == "__main__":
    unittest.main()
