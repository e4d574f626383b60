"""Tests that all columns of tables have a definition, and that docs/reference/columns.md is made from there."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)
DEFINITIONS = {"columns.cpp", "columns.hpp"}
# A column without unit, direction and meaning.
OWN_COLUMN = re.compile(r"\bAlign::|\bColumn(?: \w+)?[({]\"|columns(?:\.(?!cells\b)\w+\([^;]*?| =\s*)\{+\"|\b[tT]able(?: \w+)?\{\{\{\"", re.DOTALL)


class Columns(unittest.TestCase):
    def test_tables_have_no_columns_of_their_own(self):
        for path in sorted((ROOT / "flopcast/cli").rglob("*.[ch]pp")):
            if path.name not in DEFINITIONS:
                found = OWN_COLUMN.search(path.read_text())
                self.assertIsNone(found, f"{path}: {found and found.group(0)}: make it by a function of shared/columns.hpp")

    def test_columns_of_their_own_would_be_found(self):
        for text in ['table.columns = {{"n"}};', 'table.columns.push_back({"n"});', 'table.columns.insert(table.columns.end(), {{"a"}});',
                     'Table{{{"n"}}, {}}', 'report::Table table{{{"n"}}, {}};', 'Column{"n"}', "report::Align::left"]:
            self.assertRegex(text, OWN_COLUMN)

    def test_the_page_is_up_to_date(self):
        done = subprocess.run([ROOT / "scripts/make_columns_page", PROGRAM, "--check"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
