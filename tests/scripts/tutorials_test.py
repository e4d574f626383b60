"""Tests of scripts/markdown_blocks.py and scripts/run_tutorials: the parser of documents, and what a tutorial's run is compared with."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

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
        text = "Write `a.json`:\n\n```json\n{}\n```\n\n```\n$ x=5\n$ test $x = 5 && grep -q '{}' a.json\n$ read y || true\n```\n"
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


if __name__ == "__main__":
    unittest.main()
