"""Tests of scripts/markdown_blocks.py and scripts/run_tutorials: the parser of documents, and what a tutorial's run is compared with."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
sys.dont_write_bytecode = True

from markdown_blocks import blocks_of, commands_of, script_lines  # noqa: E402

loader = importlib.machinery.SourceFileLoader("run_tutorials", str(SCRIPTS / "run_tutorials"))
run_tutorials = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tutorials", loader))
loader.exec_module(run_tutorials)


class MarkdownBlocks(unittest.TestCase):
    def test_blocks_have_their_kind_and_lines(self):
        text = "# Title\n\nOne\ntwo.\n- item\n  more\n\n| a |\n|---|\n```sh\n# no title\n\n```\nlast\n"
        found = [(block.kind, [number for number, _ in block.lines]) for block in blocks_of(text)]
        self.assertEqual(found, [("heading", [1]), ("paragraph", [3, 4]), ("item", [5, 6]), ("row", [8]), ("row", [9]), ("code", [11, 12]),
                                 ("paragraph", [14])])

    def test_code_has_its_language_and_the_paragraph_before(self):
        code = [block for block in blocks_of("The file `a.c`:\n\n```c\nint a;\n```\n\n```\n$ a\n```\n") if block.kind == "code"]
        self.assertEqual([(block.language, block.before) for block in code], [("c", "The file `a.c`:"), ("", "The file `a.c`:")])

    def test_commands_go_on_while_a_quotation_is_open_or_a_backslash_ends_them(self):
        lines = list(enumerate(["before", '$ python3 -c "', "import a", "a('x')\"", "out", "$ b \\", "  c", "| d |"], 1))
        self.assertEqual(list(commands_of(lines)), [(2, "python3 -c \"\nimport a\na('x')\"", ["out"]), (6, "b \\\n  c", ["| d |"])])
        self.assertEqual(list(script_lines([(1, "a \\"), (2, "b"), (3, "c 'd")])), [(1, "a \\\nb"), (3, "c 'd")])


class RunTutorials(unittest.TestCase):
    def run_on(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.md"
            path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPTS / "run_tutorials", "--bin", folder, *options, path], capture_output=True, text=True)
            return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("a.md")]

    def test_commands_share_a_shell_and_files_are_written(self):
        text = "Write `a.json`:\n\n```json\n{}\n```\n\n```sh\nfalse\n```\n\n```\n$ x=5\n$ test $x = 5 && grep -q '{}' a.json\n$ read y || true\n```\n"
        self.assertEqual(self.run_on(text), (0, []))

    def test_a_command_that_fails_is_found(self):
        self.assertEqual(self.run_on("```\n$ echo why; false\n```\n"), (1, ["a.md: 'echo why; false' ends with 1: why"]))
        self.assertEqual(self.run_on("```\n$ exit 3\n$ true\n```\n"), (1, ["a.md: 'exit 3' ends with -1: ", "a.md: 'true' ends with -1: "]))

    def test_titles_headings_and_labels_have_to_come_and_numbers_may_differ(self):
        shown = "|  n | 2 threads |\n|---:|-----:|\n| 1 |\nAll 7 sizes:\nCPU     AMD\nany text\n"
        came = "| n | 4 threads |\\n|---|---:|\\nAll 8 sizes:\\nCPU  Intel"
        self.assertEqual(self.run_on(f"```\n$ printf '{came}\\n'\n{shown}```\n"), (0, []))
        self.assertEqual(self.run_on(f"```\n$ true\n{shown}```\n"),
                         (1, ["a.md: 'true' doesn't show a table with the titles ['n', '2 threads']", "a.md: 'true' doesn't show 'All 7 sizes:'",
                              "a.md: 'true' doesn't show 'CPU'"]))

    def test_notes_have_to_come(self):
        shown = "ratio: elapsed over CPU time\nyield: best of 3\nthe machine was noisy: others ran\nflopcast: slow\n"
        self.assertEqual(self.run_on(f"```\n$ printf 'ratio: elapsed over CPU time\\nyield: best of 4 here\\n'\n{shown}```\n"), (0, []))
        self.assertEqual(self.run_on("```\n$ echo 'a long line with yield: 3 s'\na long line with\nyield: 4 s\n```\n"), (0, []))  # folded
        self.assertEqual(self.run_on(f"```\n$ echo 'ratio: another meaning'\n{shown}```\n"),
                         (1, ["a.md: 'echo 'ratio: another meaning'' doesn't show 'ratio: elapsed over CPU time'",
                              "a.md: 'echo 'ratio: another meaning'' doesn't show 'yield:'"]))

    def test_numbers_have_the_order_of_magnitude_shown(self):
        def differences(shown, came):
            tables = (f"| name | value | +- |\n|---|---|---|\n{rows}".split("\n") for rows in (shown, came))
            return list(run_tutorials.differences([(1, next(tables))], next(tables)))

        self.assertEqual(differences("| a | 900 µs | 1 s |", "| a | 8.9 ms | 1 ms |"), [])  # a factor below 10, and a spread
        self.assertEqual(differences("| a | 900 µs |", "| a | 9.1 ms |"), ["shows 9.1 ms in the column 'value', where 900 µs is shown"])
        self.assertEqual(differences("| a | 99 GB/s |", "| a | 9.8 GB/s |"), ["shows 9.8 GB/s in the column 'value', where 99 GB/s is shown"])
        self.assertEqual(differences("| a | 1 s |", "| a | 1 |"), ["shows 1 in the column 'value', where 1 s is shown"])
        self.assertEqual(differences("| a | -0.1 % |", "| a | 99 % |"), [])  # small percentages count as 10
        self.assertEqual(differences("| a | -0.1 % |", "| a | 101 % |"), ["shows 101 % in the column 'value', where -0.1 % is shown"])
        self.assertEqual(differences("| a | - |\n| b | |", "| a | 99 s |\n| b | 1 |"), [])  # no number to compare with
        self.assertEqual(differences("| a | 0 s |", "| a | 5 s |"), [])
        self.assertEqual(differences("| a | 1 s |", "| a | 1 s |\n| b | 99 s |"), [])  # rows that aren't shown
        self.assertEqual(differences("| a | 1 s |\n| b | 20 s |", "| b | 1 s |\n| a | 20 s |"), [])  # what one row has more, another has less
        self.assertEqual(differences("| a | 1 s |\n| b | 9 s |", "| b | 9 s |\n| a | 101 s |"), ["shows 101 s in the column 'value', where 1 s is shown"])
        self.assertEqual(differences("| 1 | 9 |", "| 2 | 400 |"), ["shows 400 in the column 'value', where 9 is shown"])  # no row in common

    def test_the_path_may_go_through_another_process(self):
        def differences(title, shown, came):
            tables = (f"| process | {title} |\n|---|---|\n{rows}".split("\n") for rows in (shown, came))
            return list(run_tutorials.differences([(1, next(tables))], next(tables)))

        shown, came = "| a | 54 ms |\n| b | 0 s |", "| a | 5 ms |\n| b | 38 ms |"
        self.assertEqual(differences("own code on path", shown, came), [])
        self.assertEqual(differences("own code", shown, came), ["shows 5 ms in the column 'own code', where 54 ms is shown"])
        self.assertEqual(differences("own code on path", shown, "| a | 3 ms |\n| b | 2 ms |"),
                         ["shows 3 ms in the column 'own code on path', where 54 ms is shown"])
        self.assertEqual(differences("own code on path", shown, "| a | 0 s |\n| b | 54 ms |"), [])

    def test_a_noisy_machine_may_add_columns(self):
        shown, came = ["| a | b |", "|---|---|"], ["| a | b | c |", "|---|---|---|"]
        self.assertEqual(list(run_tutorials.differences([(1, shown)], came)), ["doesn't show a table with the titles ['a', 'b']"])
        self.assertEqual(list(run_tutorials.differences([(1, shown)], ["warning: the machine was noisy: busy", *came])), [])
        self.assertEqual(list(run_tutorials.differences([(1, came)], ["the machine was noisy", *shown])),
                         ["doesn't show a table with the titles ['a', 'b', 'c']"])

    def test_a_table_ends_where_the_next_begins(self):
        self.assertEqual(run_tutorials.tables_of(["| a |", "|---|", "| 1 |", "| b |", "|---|", "| 2 |", "| 3 |", "x"]),
                         [(("a",), [("1",)]), (("b",), [("2",), ("3",)])])

    def test_a_block_without_a_command_is_more_output(self):
        self.assertEqual(self.run_on("```\n$ true\n```\n\nThen:\n\n```\nAll:\n```\n"), (1, ["a.md: 'true' doesn't show 'All:'"]))

    def test_what_installs_runs_only_when_asked(self):
        for command in ["./quickstart", "sudo apt-get install x", "cmake --build y", "export PATH=$PWD/build/release/bin:$PATH"]:
            self.assertTrue(run_tutorials.INSTALLS.match(command), command)
        self.assertFalse(run_tutorials.INSTALLS.match("flopcast tune cmake"))

    def test_a_tutorial_ends_where_installing_fails(self):
        self.assertEqual(self.run_on("```\n$ cmake --build /no/such/folder\n$ false\n```\n", "--install")[1][1:], [])

    def test_the_order_is_that_of_the_site(self):
        self.assertEqual([path.stem for path in run_tutorials.in_order()], ["tune_qr", "profile_numpy", "contract_tensors", "roofline", "mpi_program"])


class Record(unittest.TestCase):
    TABLE = "| name | value |\n|:---|---:|\n"

    def record(self, text, cores=(0.0,), timeout=0):
        """Returns what is recorded in the tutorial `text` and the messages; `cores` are those that others keep busy, at each question."""
        busy = list(cores)
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.multiple(
                run_tutorials, WINDOW=0, meter=lambda pid: lambda: busy.pop(0) if len(busy) > 1 else busy[0]):
            path = pathlib.Path(name) / "tutorial" / "a.md"
            for folder in ("tutorial", "figures"):
                (pathlib.Path(name) / folder).mkdir()
            (path.parent.parent / "figures/kept.svg").write_text("old figure\n")
            path.write_text(text)
            shell = run_tutorials.Shell(path.parent, None)
            recorder = run_tutorials.Recorder(path, path.parent, shell.pid, timeout, "/tmp/home")
            with contextlib.redirect_stdout(io.StringIO()):
                messages = list(run_tutorials.check(path, shell, path.parent, False, recorder))
            recorder.write()
            shell.close()
            self.figures = {figure.name: figure.read_text() for figure in (path.parent.parent / "figures").iterdir()}
            return path.read_text(), messages

    def document(self, shown, came=""):
        return f"# Title\n\n```\n$ printf '{came}'\n{shown}```\n\nText.\n"

    def expect(self, shown, came, recorded):
        came = came.replace("\n", "\\n")
        self.assertEqual(self.record(self.document(shown, came)), (self.document(recorded, came), []))

    def test_all_that_is_shown_is_replaced(self):
        self.expect("old 1\n\nmore\n", "new 2\nin /tmp/home/x\n\n", "new 2\nin ~/.local/share/flopcast/x\n")
        self.expect("", "not shown\n", "")

    def test_figures_of_the_documents_are_replaced(self):
        command = "echo new figure | tee kept.svg other.svg #  --figure kept.svg --figure other.svg"
        self.assertEqual(self.record(f"```\n$ {command}\nold\n```\n"), (f"```\n$ {command}\nnew figure\n```\n", []))
        self.assertEqual(self.figures, {"kept.svg": "new figure\n"})
        self.record(f"```\n$ {command}\nold\n```\n", cores=[0, 1])
        self.assertEqual(self.figures, {"kept.svg": "old figure\n"})

    def test_what_is_left_out_stays_out(self):
        self.expect("...\na 1 ms\nb\n...\nd 2:\n", "x\na 3 s\ninserted\nb\nc\nd 4:\ne\n", "...\na 3 s\ninserted\nb\n...\nd 4:\ne\n")

        self.expect("b 1\n...\nb 2\nend\n", "b 3\nx\nb 4\nend\n", "b 3\n...\nb 4\nend\n")

    def test_rows_before_an_ellipsis_are_chosen_by_their_texts(self):
        self.expect(f"{self.TABLE}| a | 1 |\n| c | 3 |\n...\n", f"{self.TABLE}| c | 6 |\n| b | 5 |\n| a | 4 |\nlast\n",
                    f"{self.TABLE}| a | 4 |\n| c | 6 |\n...\n")
        self.expect(f"{self.TABLE}| a | 1 |\n\nlast\n", f"{self.TABLE}| b | 5 |\n| c | 6 |\nlast\n", f"{self.TABLE}| b | 5 |\n| c | 6 |\nlast\n")

    def test_a_command_may_have_several_blocks(self):
        between = "```\n\nThen:\n\n```\n"
        self.expect(f"{self.TABLE}| a | 1 |\n{between}last 1\n", f"{self.TABLE}| b | 5 |\n| c | 6 |\nhidden\nlast 2\nx\n",
                    f"{self.TABLE}| b | 5 |\n| c | 6 |\n{between}last 2\nx\n")

    def test_long_lines_are_folded_as_in_a_terminal_and_found_again(self):
        words = " ".join(["word"] * 21)  # 104 columns
        self.expect(f"it took 1 ms: {words}\n1 ms {words} and\nword 2 s\n...\nend\n", f"it took 7 ms: {words} 9 ms {words} {words} 3 s\nmore\nend\n",
                    f"it took 7 ms: {words}\n9 ms {words} word word\n{' '.join(['word'] * 19)} 3 s\n...\nend\n")

        self.assertEqual(run_tutorials.fold(f"it took 12 ms: {words}: more")[0], f"it took 12 ms: {words[:-5]}")  # no line ends with a colon

    def test_what_cannot_be_found_stays_and_is_named(self):
        for shown, missing in (("a\n...\ngone 1\n", "gone 1"), (f"{self.TABLE}| gone | 1 |\n...\n", "| gone | 1 |"),
                               (f"a\n...\n| name | gone |\n|---|---|\n| a | 1 |\n...\n", "| name | gone |"), ("a\n...\n| 1 |\n...\n", "| 1 |"),
                               (f"{self.TABLE}| a | 1 |\n| a | 2 |\n...\n", "| a | 2 |")):
            document = self.document(shown, f"a\n{self.TABLE}| a | 2 |\n| 1 |\n".replace("\n", "\\n"))
            text, messages = self.record(document)
            self.assertEqual((text, len(messages)), (document, 1))
            self.assertIn(f"line 5 stays: edit it by hand, because nothing printed is like '{missing}':\na\n", messages[0])

    def test_nothing_is_recorded_while_others_run(self):
        document = self.document("old\n", "new\\n")
        text, messages = self.record(document, cores=[0.11])
        self.assertEqual((text, len(messages)), (document, 1))
        self.assertIn("isn't run: other programs kept 0.11 cores busy", messages[0])
        text, messages = self.record(document, cores=[0.0, 0.11])
        self.assertEqual((text, messages), (document, ["'printf 'new\\n'' line 5 stays: other programs kept 0.11 cores busy meanwhile"]))
        self.assertEqual(self.record(document, cores=[2, 2, 0.1], timeout=60), (self.document("new\n", "new\\n"), []))

    def test_the_meter_counts_others_but_not_the_children(self):
        shell = run_tutorials.Shell("/", None)
        mine, others = run_tutorials.meter(shell.pid), run_tutorials.meter(run_tutorials.os.getpid())
        shell.run("bash -c 'for ((i = 0; i < 300000; i++)); do :; done'")
        self.assertGreater(others() - mine(), 0)
        shell.close()


if __name__ == "__main__":
    unittest.main()
