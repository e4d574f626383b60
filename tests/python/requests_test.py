"""Requests that a child process answers, and their results. The child is a program that stands in for flopcast, but for one short real command."""

import dataclasses
import html
import json
import logging
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy as np

import flopcast as fc

FAKE = pathlib.Path(__file__).with_name("fake_flopcast.py")
LIBRARY = {"name": "openblas", "path": "/lib/libblas.so.3", "version": "0.3.21", "kernels": "Zen", "threading": "serial", "digest": "d"}
ENVIRONMENT = {
    "cpu": "a CPU", "cores": 2, "caches": [], "memory_bandwidth": 1e10, "peak_flops_per_second": 5e10,
    "blas": LIBRARY, "lapack": LIBRARY, "threads": 1, "affinity": "0", "fingerprint": "f",
}  # fmt: skip
DECISION = {
    "sizes": [200], "flops": 1e7, "gain": 0.25, "regret": 0.01, "validation": None, "ties": [48],
    "default": {"nb": 32, "seconds": 0.0025, "interval": [0.0024, 0.0026]},
    "chosen": {"nb": 64, "seconds": 0.002, "interval": [0.0019, 0.0021]},
    "forecasts": [
        {"nb": 32, "seconds": 0.0025, "interval": [0.0024, 0.0026], "extrapolated": 0.0},
        {"nb": 64, "seconds": 0.002, "interval": [0.0019, 0.0021]},
    ],
}  # fmt: skip
TUNING = {
    "schema": "flopcast-tune-3", "routine": "dgeqrf", "environment": ENVIRONMENT, "options": {"time_budget": 1, "nb": [32, 64], "seed": 1},
    "parts": [{"routine": "dgeqrf", "flags": "", "decisions": [DECISION], "cost": {"segments": 1, "timings": 2, "measuring_seconds": 0.5}, "complete": True}],
    "added_later": {"x": 1},
}  # fmt: skip
RANKING = {
    "schema": "flopcast-rank-3", "routine": "dpotrf", "family": "cholesky", "options": {"time_budget": 1, "nb": [32], "seed": 1}, "joint": [],
    "places": [
        {
            "blas": "blis", "threads": 1, "environment": ENVIRONMENT, "complete": True, "cost": {"segments": 1, "timings": 2, "measuring_seconds": 0.5},
            "decisions": [
                {
                    **DECISION,
                    "ranking": [
                        {"variant": "v1", "nb": 32, "seconds": 0.5, "interval": [0.4, 0.6], "rank": 1, "behind": 0, "ties": [], "block_ties": [], "regret": 0},
                        {"nb": 32, "seconds": 0.8, "rank": 2, "behind": 0.6, "ties": ["v1"], "block_ties": [], "regret": 0.6},
                    ],
                }
            ],
        }
    ],
}  # fmt: skip


class WithFake(unittest.TestCase):
    """A folder like that of an installation, whose program is the stand-in."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "bin").mkdir()
        (self.folder / "libexec/flopcast").mkdir(parents=True)
        shutil.copy(FAKE, self.folder / "bin/flopcast")
        self.enterContext(
            mock.patch.dict(os.environ, FLOPCAST_LIBEXEC=str(self.folder / "libexec/flopcast"), FAKE_REQUEST=str(self.folder / "request.json"))
        )

    def answer_with(self, document, **variables):
        file = self.folder / "prepared.json"
        file.write_text(json.dumps(document) if isinstance(document, dict) else document)
        self.enterContext(mock.patch.dict(os.environ, FAKE_ANSWER=str(file), **variables))

    def request(self):
        return json.loads((self.folder / "request.json").read_text())


class Requests(WithFake):
    def test_arguments_become_a_request(self):
        self.answer_with(TUNING)
        fc.tune("dgeqrf", n=range(200, 401, 100), nb=np.array([32, 64]), sizes={"m": 5}, time_budget=1, fresh=True, blas="openblas-serial", threads=2)
        request = {"routine": "dgeqrf", "n": [200, 300, 400], "nb": [32, 64], "sizes": {"m": 5}, "time_budget": 1, "fresh": True}
        self.assertEqual(self.request(), {"tune": request, "workbench": {"blas": "openblas-serial", "threads": 2}})

    def test_arguments_that_are_not_given_are_left_out(self):
        self.answer_with(RANKING)
        fc.rank("cholesky", n="200:400:100")
        self.assertEqual(self.request(), {"rank": {"family": "cholesky", "n": "200:400:100"}})

    def test_paths(self):
        self.answer_with({**TUNING})
        fc.tune("dgeqrf", tuning=pathlib.Path("/tmp/p.json"))
        self.assertEqual(self.request()["tune"]["tuning"], "/tmp/p.json")

    def test_arguments_that_no_command_has(self):
        with self.assertRaises(TypeError):
            fc.tune("dgeqrf", sises=1)
        with self.assertRaisesRegex(fc.InputError, "can't have"):
            fc.tune("dgeqrf", n=object())

    def test_values_outside_of_the_limits_name_their_member(self):
        for number in (float("nan"), float("inf")):
            with self.assertRaisesRegex(fc.InputError, "tune.time_budget: .* expected a finite number"):
                fc.tune("dgeqrf", time_budget=number)
        for arguments in ({"time_budget": -1}, {"sizes": {"n": []}}, {"seed": -1}, {"tuning": "a" * 5000}):
            with self.assertRaisesRegex(fc.InputError, f"tune.{next(iter(arguments))}.* given, expected"):
                fc.tune("dgeqrf", **arguments)
        with self.assertRaisesRegex(fc.InputError, "run.command: an empty list given"):
            fc.run([])

    def test_mpi(self):
        self.answer_with({"schema": "flopcast-mpi-tuning-99"})
        self.assertIs(type(fc.mpi.tune("space.json", seed=2)) if "seed" in fc.mpi.tune.__kwdefaults__ else type(fc.mpi.tune("space.json")), fc.Result)
        self.assertEqual(self.request()["mpi_tune"]["space"], "space.json")
        fc.mpi.advise("pdgetrf", n=4000, ranks=2)
        self.assertEqual(self.request()["mpi_advise"], {"routine": "pdgetrf", "n": 4000, "ranks": 2})


class Errors(WithFake):
    def test_each_kind_is_an_exception(self):
        for code, kind, base in ((2, fc.UsageError, ValueError), (3, fc.InputError, ValueError), (4, fc.SetupError, RuntimeError),
                                 (5, fc.MeasurementError, RuntimeError), (70, fc.InternalError, RuntimeError), (1, fc.CheckFailed, fc.Error)):  # fmt: skip
            self.answer_with({"schema": "flopcast-error-1", "exit_code": code, "message": "nb is 0"}, FAKE_CODE=str(code))
            with self.assertRaisesRegex(kind, "nb is 0") as caught:
                fc.tune("dgeqrf")
            self.assertIsInstance(caught.exception, base)
            self.assertEqual(caught.exception.exit_code, code)

    def test_no_answer(self):
        self.answer_with("", FAKE_CODE="9", FAKE_REMARK="the disk is full")
        with self.assertRaisesRegex(fc.InternalError, "exit code 9.*the disk is full"):
            fc.tune("dgeqrf")

    def test_no_program(self):
        with mock.patch.dict(os.environ, FLOPCAST_LIBEXEC=str(self.folder / "nowhere"), PATH=""):
            with self.assertRaisesRegex(fc.SetupError, "missing"):
                fc.tune("dgeqrf")

    def test_an_answer_of_another_form(self):
        self.answer_with({**TUNING, "parts": [{"routine": 7}]})
        with self.assertRaisesRegex(fc.InputError, r"'parts\[0\].routine' is 7, expected a text"):
            fc.tune("dgeqrf")
        self.answer_with({name: value for name, value in TUNING.items() if name != "parts"})
        with self.assertRaisesRegex(fc.InputError, "'parts' is missing"):
            fc.tune("dgeqrf")

    def test_remarks_go_to_the_log(self):
        self.answer_with(TUNING, FAKE_REMARK="warning: the machine was noisy")
        with self.assertLogs("flopcast", logging.WARNING) as log:
            fc.tune("dgeqrf")
        self.assertEqual(log.output, ["WARNING:flopcast:flopcast: the machine was noisy"])

    def test_a_long_remark_is_one_record(self):
        remark = "the machine was noisy: other programs kept 1.0 of the cores busy while kernels were timed"
        self.answer_with(TUNING, FAKE_REMARK="warning: " + remark, COLUMNS="40")  # as an interactive Python sets it
        with self.assertLogs("flopcast", logging.INFO) as log:
            fc.tune("dgeqrf")
        self.assertEqual(log.output, ["WARNING:flopcast:flopcast: " + remark])


class Interruption(WithFake):
    def interrupt(self, answer):
        started = self.folder / "started"
        self.answer_with(answer, FAKE_WAITS=str(started))

        def press():
            while not started.exists():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press).start()
        with self.assertRaises(fc.Interrupted) as caught:
            fc.tune("dgeqrf")
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        return caught.exception.result

    def test_what_is_there_is_given(self):
        self.assertEqual(self.interrupt(TUNING), fc.result_of(TUNING))

    def test_nothing_is_there(self):
        self.assertIsNone(self.interrupt({"schema": "flopcast-error-1", "exit_code": 130, "message": "interrupted"}))


class Results(unittest.TestCase):
    def setUp(self):
        self.tuning = fc.result_of(TUNING)

    def test_members(self):
        decision = self.tuning.parts[0].decisions[0]
        self.assertIsInstance(self.tuning, fc.TuneResult)
        self.assertEqual((decision.sizes, decision.chosen.nb, decision.chosen.interval, decision.ties), ((200,), 64, (0.0019, 0.0021), (48,)))
        self.assertIsNone(decision.forecasts[1].extrapolated)
        self.assertIsNone(decision.validation)
        self.assertEqual(self.tuning.environment.blas.name, "openblas")
        with self.assertRaises(dataclasses.FrozenInstanceError):
            self.tuning.routine = "dpotrf"

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "t.json")
            self.tuning.save(file)
            self.assertEqual(os.listdir(folder), ["t.json"])
            self.assertEqual(fc.load(file), self.tuning)
            self.assertNotEqual(fc.load(file), fc.result_of({**TUNING, "routine": "dpotrf"}))
            self.assertEqual(fc.load(pathlib.Path(file)).document, TUNING)
            for text in ("{", "[]", '{"a": 1}', "", "\udcff"):
                pathlib.Path(file).write_bytes(text.encode("utf-8", "surrogateescape"))
                with self.assertRaisesRegex(fc.InputError, "t.json"):
                    fc.load(file)
            with self.assertRaises(FileNotFoundError):
                fc.load(os.path.join(folder, "none.json"))

    def test_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "t.html")
            tuning = fc.result_of({**TUNING, "routine": "<script>alert(1)</script>"})
            tuning.save(file)
            self.assertEqual(os.listdir(folder), ["t.html"])
            self.assertEqual(fc.load(file), tuning)
            self.assertEqual(fc.load_all(file), [tuning])
            page = pathlib.Path(file).read_text(encoding="utf-8")
            self.assertNotIn("<script>alert(1)", page)
            element = '<script type="application/json" class="document" data-name="x">'
            for text, message in ((page[: len(page) // 2], "cut off"), ("<html></html>", "no page"), (f"<p>{element}{{</script></html>", "t.html")):
                pathlib.Path(file).write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(fc.InputError, message):
                    fc.load(file)
            both = "".join(f'{element}{{"schema": "flopcast-tune-99", "x": {i}}}</script>' for i in range(2))
            pathlib.Path(file).write_text(f"<html>{both}</html>", encoding="utf-8")
            with self.assertWarnsRegex(UserWarning, "newer flopcast: its schema is flopcast-tune-99"):
                self.assertEqual([result.document["x"] for result in fc.load_all(file)], [0, 1])
            with self.assertRaisesRegex(fc.InputError, "2 documents"):
                fc.load(file)

    def test_documents_of_other_numbers(self):
        other = fc.result_of({"schema": "flopcast-tune-99", "x": 1, "rows": [{"a": 1}, {"a": 2, "b": [1, 2]}]})
        self.assertIs(type(other), fc.Result)
        self.assertEqual(other.rows("rows"), [{"a": 1}, {"a": 2, "b": "1 2"}])

    def test_tables(self):
        self.assertEqual(
            self.tuning.rows(),
            [
                {"routine": "dgeqrf", "flags": "", "complete": True, "sizes": 200, "flops": 1e7, "gain": 0.25, "regret": 0.01, "validation": None, "ties": 48,
                 "nb": 32, "seconds": 0.0025, "interval_low_seconds": 0.0024, "interval_high_seconds": 0.0026, "extrapolated": 0.0},
                {"routine": "dgeqrf", "flags": "", "complete": True, "sizes": 200, "flops": 1e7, "gain": 0.25, "regret": 0.01, "validation": None, "ties": 48,
                 "nb": 64, "seconds": 0.002, "interval_low_seconds": 0.0019, "interval_high_seconds": 0.0021},
            ],
        )  # fmt: skip
        self.assertIn("parts.decisions", self.tuning.tables())
        self.assertEqual(self.tuning.rows("decisions")[0]["chosen.nb"], 64)
        with self.assertRaisesRegex(fc.InputError, "'nothing'"):
            self.tuning.rows("nothing")

    def test_dataframe(self):
        pandas = self.module("pandas")
        frame = self.tuning.to_dataframe()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame["nb"]), [32, 64])
        self.assertEqual(frame["interval_low_seconds"].dtype, float)

    def module(self, name):
        try:
            return __import__(name)
        except ImportError:
            self.skipTest(f"{name} is missing")

    def test_texts(self):
        self.assertEqual(repr(self.tuning), "<flopcast.TuneResult: Block sizes chosen for a routine, 2 rows>")
        self.assertEqual(len(str(self.tuning).splitlines()), 3)

    def test_notebooks_show_the_main_picture_and_table(self):
        frame = fc.result_of({**TUNING, "routine": "<b>"})._repr_html_()
        self.assertEqual(frame.count("<"), 2, "the page is escaped inside of its frame")
        page = html.unescape(frame)
        self.assertIn("&lt;b&gt;", page)
        self.assertIn("<svg", page)
        other = fc.result_of({"schema": "flopcast-tune-99", "rows": [{"a": "<b>"}]})
        self.assertIn("<table>", other._repr_html_(), "of unknown documents there is a table")
        self.assertNotIn("<b>", other._table_html().replace("<p><b>", ""))

    def test_plots(self):
        self.module("matplotlib").use("Agg")
        axes = self.tuning.plot()
        self.assertEqual([line.get_xdata().tolist() for line in axes.lines], [[32, 64], [64]])
        self.assertEqual(axes.get_ylabel(), "time / time of the chosen")
        ranking = fc.result_of(RANKING).plot()
        self.assertEqual([bar.get_width() for bar in ranking.patches], [0.5, 0.8])
        with self.assertRaisesRegex(fc.InputError, "newer flopcast"):
            fc.result_of({"schema": "flopcast-run-99"}).plot()

    def test_predictions_are_drawn_with_their_intervals(self):
        self.module("matplotlib").use("Agg")
        prediction = {"algorithm": "dpotrf", "parameters": {"n": 100}, "sizes": "100", "blocks": "-", "seconds": 1.0, "interval": [0.5, 2.0], "flops": 1e6,
                      "extrapolated_share": 0, "extrapolated": 0, "is_thread": False, "kernels": []}  # fmt: skip
        kinds = {"cache_model": "placed", "generator": "refined"}
        result = fc.result_of({"schema": "flopcast-predict-2", "environment": ENVIRONMENT, "options": kinds, "predictions": [prediction]})
        self.assertEqual([bar.get_width() for bar in result.plot().patches], [1.0])


class Real(unittest.TestCase):
    """The real program."""

    def test_a_short_tuning(self):
        tuning = fc.tune("dgeqrf", n=100, nb=[16, 32], time_budget=60, blas="openblas-serial", tune_crossover=False)
        self.assertEqual(tuning.routine, "dgeqrf")
        self.assertEqual({row["nb"] for row in tuning.rows()}, {16, 32})
        for decision in tuning.parts[0].decisions:
            self.assertGreater(decision.chosen.seconds, 0)

    def test_a_tuned_block_size(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "tuned.json"
            tuning = fc.tune("dgeqrf", n=100, nb=[16], time_budget=60, blas="openblas-serial", tune_crossover=False, tuning=file)
            self.assertEqual(fc.tuned_block_size("dgeqrf", 100, 100, file), tuning.parts[0].decisions[0].chosen.nb)
            self.assertEqual(fc.tuned_block_size("dgetrf", 100, 100, file), 0)
            with self.assertRaisesRegex(fc.Error, "none.json"):
                fc.tuned_block_size("dpotrf", 10, 10, folder + "/none.json")

    def test_a_prediction_in_this_process(self):
        predictions = fc.predict("dpotrf", n=100, nb=32, blas="openblas-serial", time_budget=5).predictions
        self.assertEqual(len(predictions), 1)
        low, high = predictions[0].interval
        self.assertTrue(0 < low <= predictions[0].seconds <= high)

    def test_the_steps_of_an_expression(self):
        sizes = {"a": 20, "b": 30, "c": 2, "d": 40}
        planned = fc.contract_run("ab,bc,cd->ad", sizes=sizes, execute=False)
        self.assertEqual(planned.sizes, sizes)
        self.assertEqual(len(planned.steps), 2)
        self.assertIn("operand1[ab]", planned.steps[0].step)
        self.assertIn("operand2[bc]", planned.steps[0].step)
        self.assertEqual(planned.flops, 2 * 20 * 2 * (30 + 40))
        self.assertEqual(len(planned.rows()), 2)
        limited = fc.contract_run("ab,bc,cd->ad", sizes=sizes, max_bytes=100, execute=False)
        self.assertLessEqual(limited.plan.workspace_bytes, 100)
        self.assertTrue(limited.blocks)

    def test_bad_input_names_the_member(self):
        with self.assertRaisesRegex(fc.InputError, "dnothing"):
            fc.tune("dnothing", n=100)

    def test_the_command_line(self):
        done = subprocess.run([sys.executable, "-m", "flopcast", "--version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, f"flopcast {fc.__version__}"))

    def test_a_verification(self):
        result = fc.verify(blas=["openblas-serial"], routines=["ddot"], rounds=3, threads=1, time_budget="60s")
        self.assertTrue(result.is_complete)
        self.assertEqual(len(result.libraries[0].findings), 0)
        self.assertGreater(result.libraries[0].calls, 0)

    def test_a_race(self):
        race = fc.race([["sleep", "0"], "true"], max_runs=8, warmup=0, names=["a"], anonymous=True)
        self.assertEqual([command.name for command in race.commands], ["A", "B"])
        self.assertIn(race.control.verdict, ("faster", "slower", "same", "unsure"))
        self.assertGreaterEqual(race.commands[0].runs, 8)

    def test_a_comparison_of_results_and_files(self):
        def race(seconds):
            command = {"name": "A", "runs": 9, "outliers": 0, "elapsed_seconds": seconds, "elapsed_seconds_interval": [0.99 * seconds, 1.01 * seconds]}
            return fc.result_of({"schema": "flopcast-race-1", "cpu": "X", "commands": [command], "control": {"verdict": "same"},
                                 "ending": "decided", "rounds": 9, "tolerance": 0.02, "remarks": []})  # fmt: skip

        with tempfile.TemporaryDirectory() as folder:
            race(1.2).save(folder + "/after.json")
            comparison = fc.compare(race(1.0), folder + "/after.json", fail_above="5%")
            other = pathlib.Path(folder) / "other.json"
            other.write_text(json.dumps({"schema": "flopcast-recording-1", "seconds": 1}))
            with self.assertRaisesRegex(fc.InputError, "must be of one kind"):
                fc.compare(race(1.0), other)
        self.assertTrue(comparison.fails)
        self.assertEqual([row.verdict for row in comparison.quantities], ["slower"])
        self.assertEqual(len(comparison.rows()), 1)

    def test_a_recorded_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = "import numpy; a = numpy.ones((300, 300)); print((a @ a)[0, 0])"
            recording = fc.record(["/usr/bin/env", sys.executable, "-c", program], output=os.path.join(folder, "program.trace"))
            self.assertTrue(recording.finished)
            self.assertGreater(recording.calls, 0)
            profile = recording.profile(with_peak=False)
            self.assertIn("dgemm", {routine.routine for routine in profile.routines})


if __name__ == "__main__":
    unittest.main()
