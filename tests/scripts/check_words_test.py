"""Tests of scripts/check_words: what it finds in good and in bad files of every language."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_words"
LONG = "word " * 36


def loaded():
    """Returns the script as a module: most tests call it in this process, which takes a tenth of the time of a process for each."""
    sys.path.insert(0, str(SCRIPT.parent))
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("check_words", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


check_words = loaded()


class CheckWords(unittest.TestCase):
    def check(self, name, text):
        """Returns the exit code and the lines printed for a file `name` that holds `text`; the folder's name is left out."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(text)
            out = io.StringIO()
            with mock.patch.object(sys, "argv", [str(SCRIPT), str(path)]), contextlib.redirect_stdout(out):
                code = check_words.main()
            return code, out.getvalue().replace(f"{folder}/", "").splitlines()

    def expect_good(self, name, text):
        self.assertEqual(self.check(name, text), (0, ["check_words: every sentence keeps to the rules"]))

    def expect_bad(self, name, text, *findings):
        self.assertEqual(self.check(name, text), (1, [*findings, f"check_words: {len(findings)} findings"]))

    def test_sentences_with_a_subject_are_good(self):
        self.expect_good("a.hpp", "/// Returns the time of a call. By default, the clock is monotonic.\n"
                                  "/// Of two equal times, the first one counts.\n/// The same call is timed twice.\nint a();\n")

    def test_questions_are_good(self):
        self.expect_good("a.cpp", "// What is faster, a product or a sum?\n")

    def test_fragments_in_documentation(self):
        for text in ["Of a setting.", "By thread.", "What it costs.", "Whether it is known.", "So many times.", "The same for a vector."]:
            begin = " ".join(text.split()[:8])
            self.expect_bad("a.hpp", f"int a;\n/// {text}\nint b;\n", f"a.hpp:2: a fragment: '{begin} ...'")

    def test_a_later_sentence_is_found_in_its_line(self):
        self.expect_bad("a.hpp", "/// Returns the sum\n/// of both. Whether one\n/// is zero.\n", "a.hpp:2: a fragment: 'Whether one is zero. ...'")

    def test_documentation_behind_a_member_is_checked_and_another_comment_there_is_not(self):
        self.expect_bad("a.hpp", "int a;  ///< of a call\nint b;  // of a call\n", "a.hpp:1: a fragment: 'of a call ...'")

    def test_words_that_no_comment_behind_a_member_begins_with(self):
        for text in ["as in Options", "from L1 outwards", "of those, the first"]:
            self.expect_bad("a.hpp", f"int a;  ///< {text}\n", f"a.hpp:1: a fragment behind code: ///< {text}")

    def test_a_word_that_only_begins_like_an_article_makes_no_main_clause(self):
        self.expect_bad("a.hpp", "/// Of a call, another part.\n", "a.hpp:1: a fragment: 'Of a call, another part. ...'")

    def test_long_sentences(self):
        self.expect_bad("a.cpp", f"// {LONG}\n", "a.cpp:1: a sentence of 36 words: 'word word word word word word word word ...'")
        self.expect_bad("a.py", f'"""One.\n\n{LONG}"""\n', "a.py:3: a sentence of 36 words: 'word word word word word word word word ...'")

    def test_list_items_and_code_are_no_long_sentence(self):
        items = "".join(f"// - item {i} of the list\n" for i in range(12))
        rows = "".join(f"//   row {i} of the table\n" for i in range(12))
        self.expect_good("a.cpp", f"// A list:\n{items}//\n// A table:\n{rows}")

    def test_banned_words(self):
        self.expect_bad("a.cpp", "// The latter is 3.6 times less.\n", "a.cpp:1: 'the latter': write the thing's name",
                        "a.cpp:1: 'times less': write 1/N of the time, or N times faster")

    def test_help_and_messages(self):
        self.expect_bad("a.cpp", 'void f() {\n  app.add_option("--x", x, "of that interval");\n  throw bad_input("{}: of "\n    "no use", a);\n}\n',
                        "a.cpp:2: a fragment: 'of that interval ...'")
        self.expect_bad("a.cpp", f'void f() {{\n  note("{LONG[:90]}" + name +\n       "{LONG[90:]}");\n}}\n',
                        "a.cpp:2: a sentence of 36 words: 'word word word word word word word word ...'")

    def test_other_literals_are_not_checked(self):
        self.expect_good("a.cpp", 'const char* url = "http://of that";  // a url\nchar c = \'"\';\nauto t = R"(// Of it.)";\n')

    def test_other_languages(self):
        self.expect_bad("a.py", '"""Of a call."""\nx = 1  # of a call\n# Whether it is known.\nparser.add_argument("-x", help="by thread")\n',
                        "a.py:1: a fragment: 'Of a call. ...'", "a.py:3: a fragment: 'Whether it is known. ...'", "a.py:4: a fragment: 'by thread ...'")
        self.expect_bad("a", "#!/bin/sh\n# What it does.\n", "a:2: a fragment: 'What it does. ...'")
        self.expect_bad("CMakeLists.txt", "# What it does.\n", "CMakeLists.txt:1: a fragment: 'What it does. ...'")
        self.expect_bad("a.f90", "! What it does.\n", "a.f90:1: a fragment: 'What it does. ...'")

    def test_files_of_unknown_kind_are_skipped(self):
        self.expect_good("a.txt", "Of a call.\n")

    def test_commands_of_documents_are_parsed_by_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "flopcast"
            program.write_text('#!/bin/sh\n[ -n "$FLOPCAST_PARSE_ONLY" ] || exit 9\n'
                               'for word; do [ "$word" != bad ] || { echo "flopcast: $*" >&2; exit 2; }; done\n')
            program.chmod(0o755)
            document = pathlib.Path(folder) / "a.md"

            def check(text):
                document.write_text(text)
                done = subprocess.run([sys.executable, SCRIPT, "--program", program, document], capture_output=True, text=True)
                return [line.replace(f"{folder}/a.md:", "") for line in done.stdout.splitlines()[:-1]]

            def refused(number, words):
                return [f"{number}: 'flopcast {words}' isn't understood: flopcast: {words.replace(chr(39), '')}"]

            self.assertEqual(check("```\n$ flopcast machine\nflopcast tune bad\n$ x=1 flopcast tune bad | cat\n```\n"), refused(4, "tune bad"))
            self.assertEqual(check("```\nif flopcast tune \\\n  bad; then\n```\n"), refused(2, "tune bad"))
            self.assertEqual(check("```\n$ flopcast tune 'a;b' bad\n```\n"), refused(2, "tune 'a;b' bad"))
            self.assertEqual(check("```\n$ flopcast tune ... bad\n$ flopcast\n# flopcast tune bad\n```\n"), [])
            self.assertEqual(check("```python\nflopcast tune bad\n```\n"), [])
            self.assertEqual(check("Not `flopcast tune` but\n`flopcast tune\nbad`.\n"), refused(2, "tune bad"))
            source = pathlib.Path(folder) / "a.cpp"
            source.write_text('f("try\\n"\n  "  flopcast tune bad");\ng("say \'flopcast tune bad\' again"); h("flopcast bad"); i("\'flopcast tune {} bad\'");\n'
                              'j("none, as in: mpirun -n 2 flopcast tune bad -- ./app");\nk("  mpirun -n 2 flopcast tune bad\\n\\n");\n')
            done = subprocess.run([sys.executable, SCRIPT, "--program", program, source], capture_output=True, text=True)
            self.assertEqual(done.stdout.count("'flopcast tune bad' isn't understood"), 3)
            self.assertEqual(done.stdout.count("'flopcast tune bad -- ./app' isn't understood"), 1)
            self.assertIn("4 findings", done.stdout)
            program.write_text("#!/bin/sh\necho 'flopcast: no routine given; usage: flopcast tune' >&2\nexit 2\n")
            self.assertEqual(check("`flopcast tune` is no whole command\n"), [])

    def test_form_of_pages(self):
        howto = "# A\n\n*Question: is\nit `a*`?*\n\nA [tie](../reference/glossary.md#a).\n\n## What next\n\n- [B](b.md), if\n  not.\n"

        def found(page, text):
            return [message for _, message in check_words.page_findings(pathlib.Path(page), text)]

        no_question, no_steps = "no '*Question: ...?*' below the title", "no section 'What next' with a list of one to three links at the end"
        self.assertEqual(found("howto/a.md", howto), [])
        self.assertEqual(found("howto/a.md", howto + "- [C](c.md)\n" * 2), [])
        self.assertEqual(found("howto/a.md", howto + "- [C](c.md)\n" * 3), [no_steps])
        self.assertEqual(found("howto/a.md", howto + "\n## More\n"), [no_steps])
        self.assertEqual(found("howto/a.md", howto.replace("[B](b.md)", "B")), [no_steps])
        self.assertEqual(found("howto/a.md", howto.replace("*Question", "Question")), [no_question])
        self.assertEqual(found("howto/a.md", howto.replace("?*", ".*")), [no_question])
        self.assertEqual(found("reference/a.md", "# A\n"), ["no link to the glossary"])
        self.assertEqual(found("reference/a.md", "# A\n\n[B](glossary.md)\n"), [])
        self.assertEqual(found("reference/glossary.md", "# A\n"), [])

    def test_index_and_menu_have_every_page(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(check_words, "ROOT", pathlib.Path(folder)):
            docs = pathlib.Path(folder) / "docs"
            (docs / "howto").mkdir(parents=True)
            for page in ["howto/a.md", "howto/b.md"]:
                (docs / page).write_text("")
            index = docs / "index.md"

            def found(links, menu):
                index.write_text("[glossary](reference/glossary.md)\n".join(["", *links]))
                (docs.parent / "mkdocs.yml").write_text("".join(f"- A: {page}\n" for page in ["index.md", *menu]))
                return [message for _, message in check_words.page_findings(pathlib.Path("index.md"), index.read_text())]

            self.assertEqual(found(["[A](howto/a.md)", "[B](howto/b.md#c)"], ["howto/a.md", "howto/b.md"]), [])
            self.assertEqual(found(["[A](howto/a.md)"], ["howto/b.md"]), ["howto/a.md isn't in the menu of mkdocs.yml", "no link to howto/b.md"])

    def test_a_program_that_is_missing_is_an_error(self):
        done = subprocess.run([sys.executable, SCRIPT, "--program", "/no/such/program"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "check_words: there is no program /no/such/program\n"))

    def test_a_folder_is_searched_and_a_missing_one_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "b").mkdir()
            (pathlib.Path(folder) / "b" / "a.h").write_text("/// Of a call.\n")
            done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (1, f"{folder}/b/a.h:1: a fragment: 'Of a call. ...'\ncheck_words: 1 findings\n"))
            done = subprocess.run([sys.executable, SCRIPT, f"{folder}/c"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (2, f"check_words: there is no {folder}/c\n"))


if __name__ == "__main__":
    unittest.main()
