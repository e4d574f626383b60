"""flopcast.einsum, tensordot, transpose and contract against NumPy on random cases of all types, layouts and notations."""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import flopcast as fc

CASES = 4000
PLANNED = [np.float32, np.float64, np.complex64, np.complex128]
OTHERS = [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.longdouble, np.clongdouble, object, ">f8", ">c8", ">i4"]


def random_array(random, shape, dtype):
    """Returns an array whose axes lie in memory in any order, at any stride and in any direction."""
    axes = random.permutation(len(shape))
    steps = [int(random.choice([1, 1, 1, 2, -1])) for _ in shape]
    memory = [shape[axis] * abs(steps[axis]) for axis in axes]
    kind = np.dtype(dtype).kind
    values = random.integers(0, 2, memory) if kind == "b" else random.integers(-3, 4, memory)
    if kind == "u":
        values = np.abs(values)
    values = values + 1j * random.integers(-3, 4, memory) if kind == "c" else values
    view = np.asarray(values).astype(dtype).transpose(np.argsort(axes))
    return view[tuple(slice(None, None, step) for step in steps)]


class Case:
    """A random call of einsum."""

    def __init__(self, random, dtypes):
        labels = list(random.permutation(list("abcdeXYZ"))[: random.integers(1, 6)])
        sizes = {label: int(random.choice([0, 1, 1, 2, 3, 4, 5], p=[0.03, 0.1, 0.1, 0.2, 0.2, 0.2, 0.17])) for label in labels}
        count = int(random.choice([1, 2, 3, 4], p=[0.2, 0.5, 0.2, 0.1]))
        around = [int(size) for size in random.integers(1, 4, random.integers(0, 3))]
        has_ellipsis = random.random() < 0.2
        terms, shapes = [], []
        for _ in range(count):
            own = [str(label) for label in random.choice(labels, random.integers(0, 5))]
            shape = [1 if random.random() < 0.05 else sizes[label] for label in own]
            if has_ellipsis and random.random() < 0.8:
                place = int(random.integers(0, len(own) + 1))
                own.insert(place, "...")
                shape[place:place] = around[int(random.integers(0, len(around) + 1)) :]
            terms.append("".join(own))
            shapes.append(shape)
        self.text = ",".join(terms)
        if random.random() < 0.8:
            used = sorted(set("".join(terms)) - {"."})
            kept = [str(label) for label in random.permutation(used)[: random.integers(0, len(used) + 1)]]
            if "..." in self.text:
                kept.insert(int(random.integers(0, len(kept) + 1)), "...")
            self.text += "->" + "".join(kept)
        one = dtypes[random.integers(len(dtypes))]
        kinds = [one if random.random() < 0.9 else dtypes[random.integers(len(dtypes))] for _ in shapes]
        self.operands = [random_array(random, shape, kind) for shape, kind in zip(shapes, kinds)]
        if count > 1 and random.random() < 0.1 and shapes[0] == shapes[1]:
            self.operands[1] = self.operands[0]
        self.options = {}
        if random.random() < 0.1:
            self.options["order"] = str(random.choice(list("CFAK")))
        if random.random() < 0.1:
            self.options["optimize"] = [True, False, "greedy", "optimal"][random.integers(4)]
        if random.random() < 0.05:
            self.options["dtype"] = [np.float64, np.complex128, np.float32][random.integers(3)]

    def __str__(self):
        arrays = ", ".join(f"{np.asarray(a).dtype}{np.shape(a)}/{np.asarray(a).strides}" for a in self.operands)
        return f"{self.text} of {arrays}, {self.options}"


def outcome(function, *arguments, **options):
    """Returns the result of a call, or the class of its exception."""
    try:
        return function(*arguments, **options)
    except Exception as error:  # noqa: BLE001 - any exception is an outcome
        return type(error)


def strides_that_count(array):
    """Returns the strides of the axes that have more than one element."""
    return [stride for stride, size in zip(array.strides, array.shape) if size > 1]


class Comparison(unittest.TestCase):
    def assert_equal(self, ours, theirs, case, exact_type=True):
        if isinstance(theirs, type) or isinstance(ours, type):
            self.assertTrue(isinstance(theirs, type) and isinstance(ours, type) and issubclass(ours, theirs), f"{case}: {ours} and {theirs}")
            return
        self.assertEqual(np.shape(ours), np.shape(theirs), str(case))
        if exact_type:
            self.assertEqual(type(ours), type(theirs), str(case))
            self.assertEqual(np.asarray(ours).dtype, np.asarray(theirs).dtype, str(case))
        if np.asarray(theirs).dtype.kind in "biuO":
            self.assertTrue(np.array_equal(ours, theirs), str(case))
        else:  # sums of integers, exact in all types but float16
            np.testing.assert_allclose(
                np.asarray(ours).astype(np.clongdouble), np.asarray(theirs).astype(np.clongdouble), rtol=1e-2 if ours.dtype == np.float16 else 1e-6, err_msg=str(case)
            )


class AgainstNumPy(Comparison):
    def check(self, seed, dtypes, cases):
        random = np.random.default_rng(seed)
        checked = 0
        for _ in range(cases):
            case = Case(random, dtypes)
            theirs = outcome(np.einsum, case.text, *case.operands, **case.options)
            ours = outcome(fc.einsum, case.text, *case.operands, **case.options)
            self.assert_equal(ours, theirs, case, exact_type="optimize" not in case.options)  # NumPy's type of scalars depends on the order
            if isinstance(theirs, type):
                continue
            checked += 1
            if isinstance(theirs, np.ndarray) and "optimize" not in case.options and theirs.size > 1 and theirs.dtype in PLANNED:
                self.assertEqual(strides_that_count(ours), strides_that_count(theirs), str(case))
                shares = [np.may_share_memory(theirs, operand) for operand in case.operands]
                self.assertEqual([np.may_share_memory(ours, operand) for operand in case.operands], shares, str(case))
        self.assertGreater(checked, cases // 2)

    def test_planned_types(self):
        fc.prepare()
        self.check(1, PLANNED, CASES)

    def test_all_types(self):
        fc.prepare()
        self.check(2, PLANNED + OTHERS, CASES)

    def test_results_of_the_callers(self):
        random = np.random.default_rng(3)
        for _ in range(CASES // 2):
            case = Case(random, PLANNED)
            theirs = outcome(np.einsum, case.text, *case.operands)
            if isinstance(theirs, type):
                continue
            kind = theirs.dtype if random.random() < 0.8 else np.dtype([np.float32, np.complex128, np.int32, ">f8"][random.integers(4)])
            out = random_array(random, theirs.shape, kind)
            expected = random_array(random, theirs.shape, kind)
            by_numpy = outcome(np.einsum, case.text, *case.operands, out=expected)
            by_us = outcome(fc.einsum, case.text, *case.operands, out=out)
            self.assert_equal(by_us, by_numpy, case)
            if not isinstance(by_numpy, type):
                self.assertIs(by_us, out)

    def test_lists_of_labels(self):
        random = np.random.default_rng(4)
        for _ in range(CASES // 8):
            case = Case(random, PLANNED + OTHERS)
            inputs, arrow, result = case.text.partition("->")
            labels = [[Ellipsis if part == "." else ord(part) % 52 for part in term.replace("...", ".")] for term in inputs.split(",")]
            arguments = [part for pair in zip(case.operands, labels) for part in pair]
            if arrow:
                arguments.append([Ellipsis if part == "." else ord(part) % 52 for part in result.replace("...", ".")])
            self.assert_equal(outcome(fc.einsum, *arguments), outcome(np.einsum, *arguments), case)

    def test_axes_lie_as_numpys(self):
        """Labels of lists, lengths of intermediates' axes and axes of length 0 decide, with a search of an order and without."""
        capital, small = 3, 30  # NumPy has the capital letters first without a search, otherwise the small ones
        block = np.ones((1, 20, 30, 40), np.float32)
        cases = [
            (block, [small + 1, capital, small, capital + 1], np.float32(2), []),
            (np.ones((4, 2)), [capital, small], np.ones(3), [capital + 1], np.ones((2, 4)), [small, small + 1], [capital, small + 1, capital + 1]),
            ("ZfaY,X,a", np.ones((2, 2, 2, 5)), np.ones(5), np.ones(1)),
            ("Za,Xc->XZa", np.ones((4, 1), np.float32), np.ndarray((2, 0), np.float32, np.zeros(30), 8, (-8, 16))),
        ]
        for arguments in cases:
            for options in ({}, {"optimize": True}, {"optimize": "optimal"}, {"optimize": False}):
                expected = np.einsum(*arguments, **options)
                for _ in range(3):
                    result = fc.einsum(*arguments, **options)
                    self.assertEqual((result.shape, result.strides), (expected.shape, expected.strides), f"{arguments[0]} {options}")
            fc.prepare()

    def test_large_ones_on_several_threads(self):
        random = np.random.default_rng(5)
        fc.prepare()
        for text, shapes in (
            ("ij,jk->ik", [(150, 170), (170, 130)]),
            ("ija,jbic->abc", [(8, 8, 40), (8, 40, 8, 40)]),
            ("abc,cd,de->abe", [(20, 30, 40), (40, 50), (50, 20)]),
            ("bij,bjk->bik", [(16, 40, 40), (16, 40, 40)]),
            ("ijk->j", [(50, 60, 70)]),
        ):
            for dtype in PLANNED:
                operands = [random.standard_normal(shape).astype(dtype) for shape in shapes]
                expected = np.einsum(text, *(operand.astype(np.complex128) for operand in operands), optimize=True)
                for threads in (1, 2):
                    ours = fc.einsum(text, *operands, threads=threads)
                    scale = np.abs(expected).max()
                    self.assertLess(np.abs(ours - expected).max() / scale, 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-12, text)
                    self.assertEqual(ours.dtype, dtype)

    def test_notation_beyond_numpys(self):
        a = np.array([[1 + 2j, 3], [4j, 5]])
        np.testing.assert_allclose(fc.einsum("conj(ij),jk->ik", a, a), a.conj() @ a)
        np.testing.assert_allclose(fc.einsum("αβ,βγ->αγ", a, a), a @ a)
        np.testing.assert_array_equal(fc.einsum("conj(ij),jk->ik", a.real.astype(int), a.real.astype(int)), a.real.astype(int) @ a.real.astype(int))
        labels = [chr(0x4E00 + i) for i in range(60)]
        chain = ",".join(first + second for first, second in zip(labels, labels[1:]))
        self.assertEqual(fc.einsum(chain + f"->{labels[0]}{labels[-1]}", *[np.eye(2)] * 59).tolist(), np.eye(2).tolist())

    def test_many_operands(self):
        matrices = [np.eye(2)] * 150
        labels = [chr(0x4E00 + i) for i in range(151)]
        chain = ",".join(first + second for first, second in zip(labels, labels[1:]))
        np.testing.assert_array_equal(fc.einsum(f"{chain}->{labels[0]}{labels[-1]}", *matrices), np.eye(2))

    def test_overlapping_result(self):
        a = np.arange(9.0).reshape(3, 3)
        expected = a @ a
        self.assertIs(fc.einsum("ij,jk->ik", a, a, out=a), a)
        np.testing.assert_array_equal(a, expected)

    def test_types_of_many_operands(self):
        """NumPy's common type depends on the order of the operands, of which it takes numbers first."""
        fc.prepare()
        for kinds, number in ((("u2", "i1", "c8"), "i4"), (("u2", "i1", "f2"), "f4")):
            operands = *(np.ones((2, 2), kind) for kind in kinds), np.array(2, number)
            text = "ij,ij,ij,->i"
            for _ in range(3):
                self.assertEqual(fc.einsum(text, *operands).dtype, np.einsum(text, *operands).dtype, kinds)

    def test_a_result_wider_than_the_operands(self):
        random = np.random.default_rng(8)
        text, shapes = "fcga,fa,dg->cd", ((7, 12, 5, 10), (7, 10), (5, 5))
        small = [random.integers(-4, 5, shape).astype(np.int8) for shape in shapes]
        large = [np.full(shape, 1e30, np.float32) for shape in shapes]
        for operands in (small, large):
            for options in ({"out": np.zeros((12, 5))}, {"dtype": np.float64}):
                expected = np.einsum(text, *(operand.astype(np.float64) for operand in operands))
                for _ in range(6):
                    np.testing.assert_allclose(fc.einsum(text, *operands, **options), expected)

    def test_operands_that_overlap_the_result(self):
        for make in (lambda memory: memory[:900].reshape(30, 30), lambda memory: memory[7:907].reshape(30, 30), lambda memory: memory[:900].reshape(30, 30).T):
            memory = np.arange(1000.0) % 7
            factor = np.arange(900.0).reshape(30, 30) % 5
            for _ in range(6):
                before = memory[:900].reshape(30, 30).copy()
                fc.einsum("ij,jk->ik", memory[:900].reshape(30, 30), factor, out=make(memory))
                np.testing.assert_array_equal(make(memory), before @ factor)
                memory[...] = memory % 7

    def test_memory_of_views(self):
        row = np.arange(3000.0)
        windows = np.lib.stride_tricks.as_strided(row, (1000, 1000, 1000), (8, 8, 8))  # 8 GB of elements
        x, y = np.ones(1000), np.arange(1000.0)
        limits = resource.getrlimit(resource.RLIMIT_AS)
        fc.prepare()
        fc.einsum("ij,j->i", np.ones((500, 500)), np.ones(500))
        used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), limits[1]))
        try:
            part = windows[:, :20]
            for _ in range(6):
                np.testing.assert_allclose(fc.einsum("abc,b,c->a", part, x[:20], y), part[:, 0] @ y * 20 + np.arange(20).sum() * y.sum())
            for _ in range(6):
                np.testing.assert_allclose(fc.tensordot(windows[:, 0], x, 1), windows[:, 0].sum(axis=1))
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)

    def test_many_labels(self):
        random = np.random.default_rng(9)
        ones = [1] * 16
        a, b = random.random((2, 3, *ones)), random.random((3, 4, *ones))
        text = "ijABCDEFGHIJKLMNOP,jkQRSTUVWXYZabcdef->ik"
        for _ in range(6):
            np.testing.assert_allclose(fc.einsum(text, a, b), a.reshape(2, 3) @ b.reshape(3, 4))
            np.testing.assert_allclose(fc.einsum(text, a, b, optimize=True), a.reshape(2, 3) @ b.reshape(3, 4))
            self.assertIs(outcome(fc.einsum, text, a, b, optimize=False), ValueError)

    def test_read_only_result(self):
        out = np.empty((2, 2))
        out.flags.writeable = False
        with self.assertRaises(ValueError):
            fc.einsum("ij,jk->ik", np.eye(2), np.eye(2), out=out)

    def test_read_only_result_of_a_known_plan(self):
        a = np.arange(9.0).reshape(3, 3)
        out = np.zeros((3, 3))
        for function in (fc.einsum, fc.contract):
            function("ij,jk->ik", a, a, out=out)
            out[...] = 0
            out.flags.writeable = False
            with self.assertRaises(ValueError):
                function("ij,jk->ik", a, a, out=out)
            self.assertFalse(out.any(), "a read-only array was changed")
            out.flags.writeable = True

    def test_numbers_of_threads(self):
        a = np.ones((3, 3))
        for threads in (0, -1, 1025, 2**40):
            with self.assertRaisesRegex(fc.InputError, f"threads: {threads} given, expected 1 to 1024"):
                fc.einsum("ij,jk->ik", a, a, threads=threads)
        for threads in ("2", 1.5):
            with self.assertRaises(TypeError):
                fc.einsum("ij,jk->ik", a, a, threads=threads)
        np.testing.assert_array_equal(fc.einsum("ij,jk->ik", a, a, threads=np.int64(1)), a @ a)

    def test_unknown_ways_of_finding_an_order(self):
        a = np.ones((3, 3))
        three = ("ij,jk,kl->il", a, a, a)
        self.assertIs(outcome(fc.einsum, *three, optimize="unknown"), outcome(np.einsum, *three, optimize="unknown"))
        # NumPy looks at the name only where there is an order to find.
        np.testing.assert_array_equal(fc.einsum("ij,jk->ik", a, a, optimize="unknown"), np.einsum("ij,jk->ik", a, a, optimize="unknown"))

    def test_subscripts_that_are_no_text(self):
        with self.assertRaises(UnicodeError):
            fc.einsum("\ud800j,jk->\ud800k", np.eye(2), np.eye(2))

    def test_bad_calls(self):
        a = np.eye(2)
        for arguments in (("ij,jk->ik", a), ("ij", a, a), ("ij,jk->iz", a, a), ("i,i", a, a), ("i->ii", a[0]), ("ij,jk->ik", a, np.eye(3)), ("",), (a,)):
            ours, theirs = outcome(fc.einsum, *arguments), outcome(np.einsum, *arguments)
            self.assertTrue(isinstance(ours, type) and isinstance(theirs, type) and issubclass(ours, theirs), f"{arguments}: {ours}, {theirs}")
        with self.assertRaises(TypeError):
            fc.einsum("ij,jk->ik", a, a, unknown=1)

    def test_lists_scalars_and_derived_classes(self):
        self.assertEqual(fc.einsum("i,i->", [1, 2], [3, 4]), 11)
        self.assertEqual(fc.einsum(",->", 2.0, 3.0), 6.0)
        derived = np.eye(2).view(type("Derived", (np.ndarray,), {}))
        self.assertIs(type(fc.einsum("ij,jk->ik", derived, derived)), np.ndarray)

    def test_classes_with_rules_of_their_own(self):
        class Marked(np.ndarray):
            def __array_function__(self, function, types, arguments, options):
                result = super().__array_function__(function, types, arguments, options)
                return result.view(Marked) if isinstance(result, np.ndarray) else result

        class Refusing(np.ndarray):
            def __array_function__(self, function, types, arguments, options):
                raise TypeError("refused")

        plain = np.ones((300, 300))
        for _ in range(6):
            self.assertIs(type(fc.einsum("ij,jk->ik", plain.view(Marked), plain)), Marked)
            self.assertIs(type(fc.tensordot(plain.view(Marked), plain, 1)), Marked)
            self.assertIs(type(fc.contract("ij,jk->ik", plain.view(Marked), plain)), Marked)
            self.assertIs(type(fc.einsum("ij->ji", plain.view(Marked))), Marked)
        for call in (
            lambda: fc.einsum("ij,jk->ik", plain, plain.view(Refusing)),
            lambda: fc.einsum("ij,jk->ik", plain, plain, out=plain.view(Refusing)),
            lambda: fc.tensordot(plain, plain.view(Refusing), 1),
            lambda: fc.contract("ij,jk->ik", plain.view(Refusing), plain),
        ):
            with self.assertRaisesRegex(TypeError, "refused"):
                call()
        with self.assertRaisesRegex(TypeError, "a rule of its own"):
            fc.plan("ij,jk->ik", plain, plain.view(Marked))
        derived = plain.view(type("Derived", (np.ndarray,), {}))
        self.assertIs(type(fc.einsum("ij->ji", derived)), type(np.einsum("ij->ji", derived)))

    def test_foreign_arrays_compute_by_themselves(self):
        class Foreign:
            def __array_function__(self, function, types, arguments, options):
                return "foreign", function is np.einsum

        self.assertEqual(fc.einsum("ij->i", Foreign()), ("foreign", True))

    def test_plans_are_found_again(self):
        a = np.ones((3, 4))
        fc.einsum("ij,kj->ik", a, a)
        count = fc._einsum.count_plans()
        for _ in range(5):
            fc.einsum("ij,kj->ik", np.ones((3, 4)), np.ones((3, 4)))
        self.assertEqual(fc._einsum.count_plans(), count)
        fc.einsum("ij,kj->ik", np.ones((3, 5)), np.ones((3, 5)))
        self.assertEqual(fc._einsum.count_plans(), count + 1)


class OtherFunctions(Comparison):
    def test_tensordot(self):
        random = np.random.default_rng(6)
        for _ in range(CASES // 8):
            rank_a, rank_b = random.integers(0, 4, 2)
            shape_a, shape_b = list(random.integers(1, 5, rank_a)), list(random.integers(1, 5, rank_b))
            count = int(random.integers(0, min(rank_a, rank_b) + 1))
            axes_a, axes_b = random.permutation(rank_a)[:count], random.permutation(rank_b)[:count]
            for i, j in zip(axes_a, axes_b):
                shape_b[j] = shape_a[i]
            kind = (PLANNED + OTHERS[:5])[random.integers(9)]
            a, b = random_array(random, shape_a, kind), random_array(random, shape_b, kind)
            for axes in ((axes_a.tolist(), axes_b.tolist()), count, (list(axes_a - rank_a), list(axes_b))):
                self.assert_equal(outcome(fc.tensordot, a, b, axes), outcome(np.tensordot, a, b, axes), f"{a.shape} {b.shape} {axes}")

    def test_tensordot_of_many_axes(self):
        a = np.arange(128.0).reshape([1] * 20 + [2] * 7)
        b = np.arange(4.0).reshape([2] * 2 + [1] * 20)
        for x, y, axes in ((a, a, 27), (a, b, ([20, 21], [0, 1])), (a[(0,) * 10], b, ([10, 11], [0, 1])), (a, b, 1)):
            expected = outcome(np.tensordot, x, y, axes)
            for _ in range(6):
                self.assert_equal(outcome(fc.tensordot, x, y, axes), expected, f"{x.ndim} and {y.ndim} axes, {axes}")

    def test_tensordot_of_another_order(self):
        a, b = np.asfortranarray(np.arange(600.0).reshape(20, 30)), np.asfortranarray(np.arange(600.0).reshape(30, 20))
        for _ in range(6):
            self.assertTrue(fc.tensordot(a, b, 1).flags.c_contiguous)

    def test_transpose(self):
        a = np.arange(24.0).reshape(2, 3, 4)
        self.assertTrue(np.shares_memory(fc.transpose(a, (2, 0, 1)), a))
        out = np.empty((4, 2, 3))
        np.testing.assert_array_equal(fc.transpose(a, (2, 0, 1), out=out), a.transpose(2, 0, 1))
        with self.assertRaises(fc.InputError):
            fc.transpose(a, out=np.empty((2, 2)))

    def test_contract(self):
        random = np.random.default_rng(7)
        for dtype in PLANNED + [np.int32]:
            a, b = random_array(random, (3, 4), dtype), random_array(random, (4, 5), dtype)
            c = random_array(random, (3, 5), dtype).copy()
            expected = 2 * (a.conj() @ b) + 3 * c
            self.assertIs(fc.contract("ij,jk->ik", a, b, alpha=2, beta=3, out=c, conja=True), c)
            np.testing.assert_allclose(c, expected, rtol=1e-6)
        with self.assertRaises(fc.InputError):
            fc.contract("ij,jk->ik", np.eye(2), np.eye(2), beta=1.0)
        with self.assertRaises(fc.InputError):
            fc.contract("ij->ij", np.eye(2), np.eye(2))
        with self.assertRaisesRegex(TypeError, "alpha"):
            fc.contract("ij,jk->ik", np.eye(2), np.eye(2), alpha="x")

    def test_paths(self):
        arrays = [np.ones((10, 20)), np.ones((20, 300)), np.ones((300, 4))]
        path, text = fc.einsum_path("ab,bc,cd->ad", *arrays, optimize="flopcast")
        self.assertEqual(path[0], "einsum_path")
        np.testing.assert_allclose(np.einsum("ab,bc,cd->ad", *arrays, optimize=path), arrays[0] @ arrays[1] @ arrays[2])
        self.assertIn("Complete contraction", text)
        self.assertEqual(fc.einsum_path("ab,bc,cd->ad", *arrays, optimize="greedy"), np.einsum_path("ab,bc,cd->ad", *arrays, optimize="greedy"))
        self.assertEqual(fc.einsum_path("ab,bc->ac", *arrays[:2], optimize="flopcast")[0], ["einsum_path", (0, 1)])


class OwnProcess(unittest.TestCase):
    """Behaviour that depends on the beginning of a process."""

    def run_python(self, text, **variables):
        environment = {**os.environ, **variables}
        return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=300)

    def test_a_folder_that_cannot_be_written(self):
        text = (
            "import flopcast as fc, numpy as np\n"
            "for i in range(3): fc.plan('ij,jk->ik', (50 + i, 50), (50, 50))(np.ones((50 + i, 50)), np.ones((50, 50)))\n"
            "import os; print(os.environ.get('FLOPCAST_HOME'))"
        )
        done = self.run_python(text, FLOPCAST_HOME="/proc/flopcast")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("kept in this process only"), 1, done.stderr)
        self.assertEqual(done.stdout.strip(), "/proc/flopcast")

    def test_no_folder(self):
        text = "import flopcast as fc, numpy as np; print(fc.plan('ij,jk->ik', (50, 50), (50, 50))(np.ones((50, 50)), np.ones((50, 50)))[0, 0])"
        with tempfile.TemporaryDirectory() as cache:
            shutil.copytree(os.environ["FLOPCAST_HOME"], pathlib.Path(cache) / "flopcast", ignore=shutil.ignore_patterns("flopcast.db*"))
            done = self.run_python(text, FLOPCAST_HOME="", HOME="", XDG_DATA_HOME="", XDG_CACHE_HOME=cache)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "50.0"), done.stderr)
        self.assertEqual(done.stderr.count("kept in this process only"), 1, done.stderr)

    def test_small_contractions_open_nothing(self):
        text = (
            "import flopcast as fc, numpy as np\n"
            "a = np.ones((30, 30)); b = np.ones((4, 5))\n"
            "assert np.allclose(fc.einsum('ij,jk->ik', a, a), 30)\n"
            "assert fc.einsum('ij,ij->', b, b) == 20 and fc.einsum('ij->', b) == 20 and (fc.einsum('ij,jk,kl->il', a, a, a) == 900).all()\n"
            "from flopcast._planner import PLANNER\n"
            "print(PLANNER.is_open); fc.prepare(); print(PLANNER.is_open)\n"
            "assert np.allclose(fc.einsum('ij,jk->ik', a, a), 30)"
        )
        done = self.run_python(text)
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["False", "True"]), done.stderr)

    def test_numpys_functions_may_be_replaced(self):
        text = (
            "import flopcast as fc, numpy as np\n"
            "np.einsum, np.tensordot, np.transpose, np.einsum_path = fc.einsum, fc.tensordot, fc.transpose, fc.einsum_path\n"
            "print(np.einsum('i,i->', [1, 2], [3, 4]), np.tensordot([1, 2], [3, 4], 1), np.transpose([[1, 2]]).shape)"
        )
        done = self.run_python(text)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "11 11 (2, 1)"), done.stderr)


if __name__ == "__main__":
    unittest.main()
