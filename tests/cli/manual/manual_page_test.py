"""Every command has a manual page that groff and mandoc read without a warning and that reads well at 80 columns.

Usage: manual_test.py PROGRAM FOLDER     (the folder man1 of the build)
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "FILES", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"]


def output(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, **options)


def commands(words=()):
    """Yields the words of each command, by the help texts."""
    yield words
    listed = output(PROGRAM, *words, "--help").stdout.partition("\nEvery command:")[0]
    takes_command = re.search(r"^Usage: .* COMMAND$", listed, re.MULTILINE)
    for name in re.findall(r"^  ([a-z]\S*)  ", listed, re.MULTILINE) if takes_command else []:
        yield from commands((*words, name))


COMMANDS = list(commands())


def page_of(words):
    return FOLDER / ("-".join(("flopcast", *words)) + ".1")


def shown(page):
    """Returns the page as `man` shows it, and what groff complains of."""
    done = output("groff", "-man", "-ww", "-Tutf8", "-rLL=80n", "-rLT=80n", "-P-cbou", str(page))
    return done.stdout, done.stderr


class Manual(unittest.TestCase):
    def test_there_are_many_commands(self):
        self.assertGreater(len(COMMANDS), 30)

    def test_every_command_has_a_page_and_every_page_a_command(self):
        self.assertEqual({page_of(words).name for words in COMMANDS}, {file.name for file in FOLDER.iterdir()})

    def test_groff_has_no_complaint_and_lines_fit(self):
        for words in COMMANDS:
            with self.subTest(page=page_of(words).name):
                text, complaints = shown(page_of(words))
                self.assertEqual(complaints, "")
                prose = text[: text.index("\nEXAMPLES")]
                self.assertEqual([line for line in prose.splitlines() if len(line) > 80], [])

    @unittest.skipIf(shutil.which("mandoc") is None, "mandoc isn't installed")
    def test_mandoc_has_no_warning(self):
        for words in COMMANDS:
            done = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page_of(words)], capture_output=True, text=True)
            self.assertEqual(done.stdout, "")

    def test_pages_have_all_sections_in_order(self):
        for words in COMMANDS:
            with self.subTest(page=page_of(words).name):
                headings = [line for line in shown(page_of(words))[0].splitlines() if line in SECTIONS]
                self.assertEqual(headings, SECTIONS)

    def test_every_option_of_the_help_is_in_the_page(self):
        for words in COMMANDS:
            with self.subTest(page=page_of(words).name):
                text = shown(page_of(words))[0]
                listing = output(PROGRAM, *words, "--help-all").stdout
                options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", listing, re.MULTILINE)
                self.assertEqual([option for option in options if option not in text], [])

    def test_named_pages_exist(self):
        for words in COMMANDS:
            text = shown(page_of(words))[0]
            for name in re.findall(r"\b(flopcast[\w-]*)\(1\)", text):
                self.assertTrue((FOLDER / f"{name}.1").exists(), f"{page_of(words).name} names {name}(1)")

    def test_a_page_says_what_its_options_take(self):
        text = shown(page_of(("tune",)))[0]
        self.assertIn("--kernels auto|library", text)
        self.assertIn("General setting: threads, variable FLOPCAST_THREADS.", re.sub(r"\s+", " ", text))
        self.assertRegex(text, r"flopcast tune lapack .* \\\n\s+--")  # a long example goes on


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
