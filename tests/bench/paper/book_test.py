"""Tests of bench/paper/all: its list, names, readings of results, resumption, errors, and the rows of a page. A script stands for flopcast."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BENCH = HERE.parents[2] / "bench"
sys.path[:0] = [str(BENCH / "paper"), str(BENCH)]
sys.dont_write_bytecode = True

import hutter2021  # noqa: E402
import iakymchuk2011  # noqa: E402
import peise2014  # noqa: E402
import peise2015  # noqa: E402
import torring2021  # noqa: E402
from book import BEGIN, END, UsageError, chosen_entries, filled, verdict, wrapped  # noqa: E402
from chart import range_of, script_of  # noqa: E402
from entry import Chart, Row, alike, at_least, at_most, extra, table_of, value_of  # noqa: E402

PAPERS = [peise2014.PAPER, iakymchuk2011.PAPER, peise2015.PAPER, torring2021.PAPER, hutter2021.PAPER]


class Names(unittest.TestCase):
    def test_a_name_is_a_paper_a_figure_or_an_alias(self):
        self.assertEqual(chosen_entries(PAPERS, []), [entry for paper in PAPERS for entry in paper.entries])
        self.assertEqual(chosen_entries(PAPERS, ["iakymchuk2011"]), iakymchuk2011.PAPER.entries)
        self.assertEqual([e.name for e in chosen_entries(PAPERS, ["torring2021", "table10", "fig5", "fig6"])], ["table8", "fig6"])

    def test_unknown_names_are_answered_with_the_known_ones(self):
        with self.assertRaisesRegex(UsageError, "unknown paper 'peise2012'. There are: peise2014, iakymchuk2011, peise2015, torring2021, hutter2021"):
            chosen_entries(PAPERS, ["peise2012"])
        with self.assertRaisesRegex(UsageError, "hutter2021 has no 'fig1' in this book. There are: fig3, fig4, fig5"):
            chosen_entries(PAPERS, ["hutter2021", "fig1"])

    def test_every_entry_is_complete_and_the_forms_keep_to_their_time(self):
        for entry in chosen_entries(PAPERS, []):
            for form in (entry.full, entry.short):
                places = {"each": [None], **form, "bin": "bin", "form": "full", "picture": "a.svg", "folder": "files"}
                for template in entry.commands.values():
                    self.assertTrue(filled(template, places), entry.name)
                for content in entry.files.values():
                    json.loads(content(form, "bin"))
            self.assertTrue(entry.shows and entry.why, entry.name)
        for form, limit in ((0, 100), (1, 10)):
            self.assertLessEqual(sum(entry.minutes[form] for entry in chosen_entries(PAPERS, [])), limit)


class Readings(unittest.TestCase):
    def test_tables_and_their_values(self):
        text = "2 levels\n| n | time | rate | Default / it |\n|--:|--:|--:|--:|\n| 16 | 2.5 ms | 1.2 GFLOP/s | 116.33x |\nend\n"
        self.assertEqual(table_of(text), [{"n": "16", "time": "2.5 ms", "rate": "1.2 GFLOP/s", "Default / it": "116.33x"}])
        self.assertEqual([value_of(cell) for cell in ("16", "2.5 ms", "1.2 GFLOP/s", "116.33x", "-33.0 %")], [16, 2.5e-3, 1.2, 116.33, -33])
        with self.assertRaises(ValueError):
            table_of("nothing")

    def test_verdicts_follow_the_good_direction(self):
        self.assertEqual([at_least("", 99.7, ours).agrees for ours in (99.6, 99.699)], [False, True])
        self.assertEqual([at_least("", 1000, ours, "times").ours for ours in (999.99, 23256.4, 0.12345)], ["1,000 times", "23,260 times", "0.1235 times"])
        self.assertEqual([at_most("", 9.47, ours).agrees for ours in (9.4, 9.5)], [True, False])
        self.assertEqual([alike("", 15, ours).agrees for ours in (7, 8, 30, 31)], [False, True, True, False])
        self.assertEqual([extra("", "1").agrees, extra("", "1").paper], [None, "-"])

    def test_a_chart_draws_predictions_dashed_in_the_colour_of_the_measurements(self):
        script = script_of(Chart("it's", "n", "s", [("a predicted", [1], [2]), ("a measured", [1], [3]), ("b", [1], [4])], "y", names=("zero", "one")))
        self.assertIn("set title 'it''s'", script)
        self.assertIn("set logscale y", script)
        self.assertIn("set xrange [0:2]", script)
        self.assertIn("set yrange [1.90476:4.2]", script)
        self.assertIn("set xtics ('zero' 0, 'one' 1)", script)
        self.assertRegex(script, r"linetype 1 dashtype 2 title 'a predicted', .*linetype 1 title 'a measured', .*linetype 2 title 'b'\n$")

    def test_ranges_leave_out_what_cannot_be_drawn(self):
        self.assertEqual(range_of([0, float("inf"), 10, 1000], True), "[7.94328:1258.93]")
        self.assertEqual(range_of([-1, float("nan"), 1], False), "[-1.1:1.1]")
        self.assertEqual(range_of([], True), "[0.952381:1.05]")

    def test_a_recorded_contraction(self):
        document = json.loads((HERE / "contraction.json").read_text())
        rows, chart = peise2015.without_gemm({"sizes": [document, document]}, {"each": [32, 64]})
        self.assertEqual([(row.paper, row.ours, row.agrees) for row in rows],
                         [("8", "3", False), ("j-gemv", "at 2 of 2 sizes", True), ("3 %", "4 %", False), ("9.47 %", "12.5 %", False)])
        self.assertEqual(chart.series[0], ("i'-gemv predicted", [32, 64], [1, 1]))

    def test_items_of_the_page_are_wrapped(self):
        lines = list(wrapped(["- " + "word " * 30, "| row " * 30]))
        self.assertEqual(len(lines), 3)
        self.assertLessEqual(max(map(len, lines[:2])), 100)


class Runs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.bin = self.folder / "build" / "bin"
        self.bin.mkdir(parents=True)
        shutil.copy(HERE / "fake_flopcast", self.bin / "flopcast")
        shutil.copy(HERE / "contraction.json", self.bin / "document.json")

    def make(self, *words):
        command = [sys.executable, "-B", BENCH / "paper" / "all", *words, "--build", self.folder / "build", "--output", self.folder / "book"]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def sizes(self):
        """Returns the sizes that were contracted so far."""
        return [line.split("a=i=j=")[1].split()[0] for line in (self.bin / "log.txt").read_text().splitlines()]

    def test_the_list_has_words_and_durations(self):
        code, output, _ = self.make("--list", "iakymchuk2011")
        self.assertEqual(code, 0)
        self.assertIn("iakymchuk2011: Roman Iakymchuk, Performance Prediction through Time Measurements, 2011", output)
        self.assertRegex(output, r"lu +Unblocked LU .*\([\d.]+ min; --short \d+ s\)")

    def test_unknown_names_and_missing_programs_end_with_2(self):
        self.assertEqual(self.make("peise2012")[0], 2)
        (self.bin / "flopcast").unlink()
        code, _, errors = self.make("peise2015", "fig3", "--short")
        self.assertEqual(code, 2)
        self.assertIn("name the build folder with --build", errors)

    def test_an_interrupted_run_goes_on_where_it_stopped(self):
        (self.bin / "interrupt").touch()
        code, _, errors = self.make("peise2015", "fig3", "--short")
        self.assertEqual(code, 130)
        self.assertIn("interrupted. The same command goes on where it stopped.", errors)
        self.assertEqual(self.sizes(), ["32", "100"])
        code, _, errors = self.make("peise2015", "fig3", "--short")
        self.assertEqual((code, self.sizes()), (0, ["32", "100", "100", "200"]))
        self.assertRegex(errors, "fastest by prediction: paper j-gemv, here at 3 of 3 sizes, (agrees|not judged)")  # others may keep cores busy
        self.assertEqual(self.make("peise2015", "fig3", "--short")[0], 0)
        self.assertEqual(len(self.sizes()), 4)
        self.make("peise2015", "fig3", "--short", "--fresh")
        self.assertEqual(self.sizes()[4:], ["32", "100", "200"])

    def test_rows_are_judged_where_the_machine_was_left_alone(self):
        rows = [Row("speed", "1", "2", True), Row("speed", "2", "1", False), Row("speed", "-", "1", None)]
        self.assertEqual([verdict(row, 0.1) for row in rows], ["agrees", "differs", "-"])
        self.assertEqual([verdict(row, 0.5) for row in rows], ["not judged", "not judged", "-"])

    def test_a_failed_entry_is_named_and_the_others_are_made(self):
        (self.bin / "fail").touch()
        code, _, errors = self.make("peise2015", "fig3", "fig4", "--short")
        self.assertEqual(code, 1)
        self.assertIn("exit code 4: flopcast: no memory", errors)
        self.assertIn("not made: peise2015 fig3, peise2015 fig4", errors)

    def test_the_page_has_a_row_for_every_entry_and_says_what_was_not_run(self):
        page = self.folder / "docs" / "explanation" / "papers.md"
        page.parent.mkdir(parents=True)
        page.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\nAfter\n")
        self.assertEqual(self.make("peise2015", "fig3", "--short", "--page", page)[0], 0)
        text = page.read_text()
        self.assertTrue(text.startswith("# Before\n") and text.endswith("After\n"))
        self.assertNotIn("old", text)
        self.assertRegex(text, r"#### fig3: Only BLAS-1 and BLAS-2\n[^#]*\n\n`bench/paper/all peise2015 fig3 --short`: ")
        self.assertRegex(text, r"\| algorithms \| 8 \| 3 \| (differs|not judged) \|\n\| fastest by prediction \| j-gemv \|")
        self.assertIn("\n`bench/paper/all peise2015 fig1`: not run yet\n", text)
        self.assertIn("Not run yet", (self.folder / "book" / "book.html").read_text())
        page.write_text("no marks")
        self.assertEqual(self.make("peise2015", "fig3", "--short", "--page", page)[0], 2)


if __name__ == "__main__":
    unittest.main()
