"""Plans: what is planned once and executed often."""

import concurrent.futures
import functools
import multiprocessing
import os
import signal
import threading
import time
import tracemalloc
import unittest

import numpy as np

import flopcast as fc


def contract_in_child(a, subscripts, n):
    """Plans and contracts in a forked process."""
    larger = np.ones((n, n))
    np.testing.assert_allclose(fc.einsum("ij,jk->ik", larger, larger), np.full((n, n), n))
    return fc.plan(subscripts, a, a, threads=2)(a, a)


class Plans(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def arrays(self, *shapes, dtype=np.float64):
        return [self.random.standard_normal(shape).astype(dtype) for shape in shapes]

    def test_all_types(self):
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            a, b = self.arrays((30, 20), (20, 40), dtype=dtype)
            plan = fc.plan("ij,jk->ik", a, b)
            self.assertEqual((plan.dtype, plan.result_shape, plan.shapes), (dtype, (30, 40), ((30, 20), (20, 40))))
            np.testing.assert_allclose(plan(a, b), a @ b, rtol=1e-3)
            self.assertEqual(plan(a, b).dtype, dtype)

    def test_shapes_in_place_of_arrays(self):
        plan = fc.plan("ij,jk->ik", (3, 4), (4, 5), dtype=np.float32)
        a, b = self.arrays((3, 4), (4, 5), dtype=np.float32)
        np.testing.assert_allclose(plan(a, b), a @ b, rtol=1e-5)

    def test_scaling(self):
        a, b, c = self.arrays((3, 4), (4, 5), (3, 5))
        expected = 2 * (a @ b) - 3 * c
        plan = fc.plan("ij,jk->ik", a, b)
        self.assertIs(plan(a, b, out=c, alpha=2, beta=-3), c)
        np.testing.assert_allclose(c, expected)
        np.testing.assert_allclose(plan(a, b, alpha=0.5), 0.5 * (a @ b))

    def test_other_strides_are_copied(self):
        a, b = self.arrays((6, 8), (5, 4))
        plan = fc.plan("ij,jk->ik", (3, 4), (4, 5))
        np.testing.assert_allclose(plan(a[::2, ::-2], b.T), a[::2, ::-2] @ b.T)
        out = np.empty((5, 3)).T
        self.assertIs(plan(a[::2, ::2], b.T, out=out), out)
        np.testing.assert_allclose(out, a[::2, ::2] @ b.T)
        wide = np.zeros((3, 5), np.complex128)
        plan(a[:3, :4].copy(), b.T.copy(), out=wide)
        np.testing.assert_allclose(wide, a[:3, :4] @ b.T)

    def test_only_operands_of_other_types_and_strides_are_copied(self):
        a = np.random.default_rng(1).standard_normal((300, 200))
        plan = fc.plan(",ij->i", (), a)
        plan(2.0, a)
        tracemalloc.start()
        try:
            result = plan(2.0, a)  # a number, which becomes an array
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        np.testing.assert_allclose(result, 2 * a.sum(axis=1))
        self.assertLess(peak, a.nbytes / 2)

    def test_planned_strides(self):
        a, b = self.arrays((6, 8), (5, 4))
        out = np.empty((10, 6)).T[::2, ::2]
        plan = fc.plan("ij,jk->ik", a[::2, ::-2], b.T, out=out)
        self.assertIs(plan(a[::2, ::-2], b.T, out=out), out)
        np.testing.assert_allclose(out, a[::2, ::-2] @ b.T)
        np.testing.assert_allclose(plan(a[::2, ::-2], b.T), out)

    def test_more_operands(self):
        arrays = self.arrays((10, 20), (20, 30), (30, 10), (10, 5))
        plan = fc.plan("ab,bc,cd,de->ae", *arrays, max_bytes=1e6)
        np.testing.assert_allclose(plan(*arrays), np.linalg.multi_dot(arrays))
        same = self.arrays((20, 20))[0]
        np.testing.assert_allclose(fc.plan("ab,bc,cd->ad", same, same, same)(same, same, same), same @ same @ same)

    def test_numbers_about_a_plan(self):
        plan = fc.plan("ij,jk->ik", (50, 60), (60, 70), threads=1)
        self.assertEqual(plan.flops, 2.0 * 50 * 60 * 70)
        self.assertGreater(plan.seconds, 0)
        self.assertGreaterEqual(plan.workspace_bytes, 0)
        self.assertEqual(plan.resident_bytes, 8 * (50 * 60 + 60 * 70 + 50 * 70) + plan.workspace_bytes)
        self.assertEqual(plan.threads, 1)
        self.assertIn("ij,jk->ik", repr(plan))
        self.assertEqual(str(plan), plan.explain().rstrip("\n"))
        self.assertTrue(plan._repr_html_().startswith("<pre>"))

    def test_efforts(self):
        a, b = self.arrays((60, 50), (50, 40))
        for effort in ("estimate", "microbench", "measure", "incremental"):
            plan = fc.plan("ij,jk->ik", a, b, effort=effort, time_budget=0.1)
            self.assertEqual(plan.effort, effort)
            np.testing.assert_allclose(plan(a, b), a @ b)

    def test_calls_of_an_incremental_plan_choose(self):
        a, b = self.arrays((60, 50), (50, 40))
        plan = fc.plan("ij,jk->ik", a, b, effort="incremental", fresh=True)
        self.assertFalse(plan.decided)
        for _ in range(80):
            np.testing.assert_allclose(plan(a, b), a @ b)
        self.assertTrue(plan.decided, str(plan))
        self.assertTrue(fc.plan("xy,yz->xz", a, b, effort="incremental").decided)
        self.assertTrue(fc.plan("ij,jk->ik", a, b).decided)
        three = self.arrays((30, 40), (40, 20), (20, 50))
        network = fc.plan("ab,bc,cd->ad", *three, effort="incremental", fresh=True)
        self.assertFalse(network.decided)
        out = np.zeros((30, 50))
        for i in range(160):
            network(*three, out=out, beta=1.0)
            np.testing.assert_allclose(out, (i + 1) * np.linalg.multi_dot(three))
        self.assertTrue(network.decided, str(network))

    def test_several_threads_call_incremental_plans(self):
        a, b = self.arrays((100, 120), (120, 90))
        plan = fc.plan("ij,jk->ik", a, b, effort="incremental", fresh=True)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for result in pool.map(lambda factor: plan(factor * a, b) / factor, range(1, 100)):
                np.testing.assert_allclose(result, a @ b)

    def test_several_threads_call_one_plan(self):
        a, b = self.arrays((100, 120), (120, 90))
        plan = fc.plan("ij,jk->ik", a, b, threads=2)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for result in pool.map(lambda factor: plan(factor * a, b) / factor, range(1, 40)):
                np.testing.assert_allclose(result, a @ b)

    def test_several_threads_plan(self):
        a = self.arrays((50, 50))[0]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for n, result in zip(range(10, 50), pool.map(lambda n: fc.einsum("ij,jk->ik", a[:n, :n], a[:n, :n]), range(10, 50))):
                np.testing.assert_allclose(result, a[:n, :n] @ a[:n, :n])

    def test_a_forked_child(self):
        a = self.arrays((60, 60))[0]
        plan = fc.plan("ij,jk->ik", a, a, threads=2)
        plan(a, a)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            results = pool.map(functools.partial(contract_in_child, a, plan.subscripts), [61, 62])
        for result in results:
            np.testing.assert_allclose(result, a @ a)

    def test_ctrl_c_while_measuring(self):
        def press():
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        fc.prepare()
        begin = time.perf_counter()
        threading.Thread(target=press).start()
        with self.assertRaises(KeyboardInterrupt):
            fc.plan("abcd,cdij->abij", (40, 40, 40, 40), (40, 40, 10, 11), effort="measure", time_budget=60, fresh=True)
        self.assertLess(time.perf_counter() - begin, 30)
        np.testing.assert_array_equal(fc.plan("ij,jk->ik", (2, 2), (2, 2))(np.eye(2), np.eye(2)), np.eye(2))

    def test_exceptions_of_other_signals_while_measuring(self):
        def ring(*_):
            raise TimeoutError("time is up")

        fc.prepare()
        begin = time.perf_counter()
        before = signal.signal(signal.SIGALRM, ring)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with self.assertRaisesRegex(TimeoutError, "time is up"):
                fc.plan("abcd,cdij->abij", (40, 40, 40, 40), (40, 40, 10, 12), effort="measure", time_budget=60, fresh=True)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertLess(time.perf_counter() - begin, 30)
        with self.assertRaises(fc.InputError):
            fc.plan("ij,jk->ik", (2, 3), (2, 2))

    def test_arguments_of_wrong_types(self):
        a, b = self.arrays((3, 4), (4, 5))
        plan = fc.plan("ij,jk->ik", a, b)
        for call, message in (
            (lambda: fc.plan("ij,jk->ik", a, b, effort=None), "effort of a plan: None given, expected estimate, microbench"),
            (lambda: fc.plan("ij,jk->ik", a, b, threads=1.5), "threads of a plan: 1.5 given, expected an integer"),
            (lambda: fc.plan("ij,jk->ik", a, b, threads=2**31), "threads of a plan: 2147483648 given"),
            (lambda: fc.plan("ij,jk->ik", a, b, time_budget="x"), "time_budget of a plan: 'x' given, expected a number of seconds"),
            (lambda: fc.plan("ij,jk->ik", (2**70, 4), (4, 5)), "shapes of a plan: .* 63 bits"),
            (lambda: fc.plan("ij,jk->ik", a, b, out=[[1.0]]), "out is a list"),
            (lambda: plan(a, b, out=[[1.0]]), "out is a list"),
            (lambda: plan(a, b, alpha="x"), "alpha: 'x' given, expected a number"),
            (lambda: plan(a, b, beta=[1], out=np.empty((3, 5))), "beta: .* given, expected a number"),
        ):
            with self.assertRaisesRegex(TypeError, message):
                call()
        with self.assertRaisesRegex(fc.InputError, "out is int64"):
            fc.plan("ij,jk->ik", a, b, out=np.empty((3, 5), np.int64))

    def test_conversions_that_lose_digits(self):
        a, b = self.arrays((3, 4), (4, 5))
        plan, short = fc.plan("ij,jk->ik", a, b), fc.plan("ij,jk->ik", (3, 4), (4, 5), dtype=np.float32)
        out = np.zeros((3, 5), np.float32)
        for call in (
            lambda: plan(a, b, out=out),
            lambda: short(a, b),
            lambda: fc.plan("ij,jk->ik", a, b, out=out),
            lambda: fc.contract("ij,jk->ik", a, b, out=out),
            lambda: fc.einsum("ij,jk->ik", a, b, out=out),
        ):
            with self.assertRaises(TypeError):
                call()
        self.assertFalse(out.any())
        wide = np.ones((3, 5))
        x, y = a.astype(np.float32), b.astype(np.float32)
        np.testing.assert_allclose(short(x, y, out=wide, beta=1 / 3), x @ y + 1 / 3, rtol=1e-6)

    def test_views_are_planned_for_views(self):
        windows = np.lib.stride_tricks.sliding_window_view(np.arange(10.0), 4)
        weights = np.ones(4)
        plan = fc.plan("ij,j->i", windows, weights)
        np.testing.assert_array_equal(plan(windows, weights), windows.sum(axis=1))
        np.testing.assert_array_equal(plan(windows.copy(), weights), windows.sum(axis=1))
        with self.assertRaisesRegex(fc.InputError, "share memory"):
            plan(np.arange(28.0).reshape(7, 4), weights)
        short = fc.plan("ij,j->i", windows.astype(np.float32), weights)
        np.testing.assert_array_equal(short(windows.astype(np.float32), weights), windows.sum(axis=1))

    def test_wrong_arguments(self):
        a, b = self.arrays((3, 4), (4, 5))
        plan = fc.plan("ij,jk->ik", a, b)
        read_only = np.empty((3, 5))
        read_only.flags.writeable = False
        for call, message in (
            (lambda: fc.plan("ij,jk->ik", a, b, effort="much"), "effort of a plan: 'much' given"),
            (lambda: fc.plan("ij,jk->ik", a, a), "label j"),
            (lambda: fc.plan("ij,jk->ik", a.astype(int), b.astype(int)), "int64 can't be planned"),
            (lambda: fc.plan("ij,jk->ik", a, b, threads=0), "0 threads; expected 1 to 1024"),
            (lambda: fc.plan("ij,jk->ik", a, b, threads=100_000), "100000 threads; expected 1 to 1024"),
            (lambda: fc.plan("ij,jk->ik", a, b, out=np.empty((2, 2))), "shape"),
            (lambda: fc.plan("ij,jk,kl->il", a, b, (5, 2), max_bytes=-1.0), "bytes"),
            (lambda: fc.plan("ij,jk,kl->il", a, b, (5, 2), max_bytes=0.0), "allow more bytes"),
            (lambda: fc.plan("ij,jk->ik", a, b, time_budget=-1.0), "time budget of a plan: -1"),
            (lambda: plan(a), "2 operands, but 1"),
            (lambda: plan(b, a), r"operand 1 .* shape \(4, 5\)"),
            (lambda: plan(a.astype(complex), b), "complex128"),
            (lambda: plan(a, b, beta=1.0), "needs an array"),
            (lambda: plan(a, b, out=np.empty((2, 2))), "out is"),
            (lambda: plan(a, b, out=read_only), "read-only"),
            (lambda: plan(a, b, alpha=1j), "complex"),
        ):
            with self.assertRaisesRegex(fc.InputError, message):
                call()
        np.testing.assert_array_equal(fc.plan("ij,jk->ik", a, b, effort="measure", time_budget=0.0)(a, b), plan(a, b))
        c = np.ones((4, 4))
        square = fc.plan("ij,jk->ik", c, c)
        with self.assertRaisesRegex(fc.InputError, "overlaps"):
            square(c, c, out=c)
        self.assertEqual(c.tolist(), np.ones((4, 4)).tolist())


if __name__ == "__main__":
    unittest.main()
