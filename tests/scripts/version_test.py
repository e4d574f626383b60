#!/usr/bin/env python3
"""The documents that name flopcast's version name the version of the build. Usage: version_test.py VERSION"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = {
    "CHANGELOG.md": r"^## \[(\d\S*)\]",
    "CITATION.cff": r"^version: (\S+)$",
    "docs/howto/cite.md": r"version = \{(\S+)\}",
    "docs/howto/install.md": r"flopcast-(\d[\d.]*\d)[.-]",
}


def main():
    version = sys.argv[1]
    failed = 0
    for name, pattern in VERSIONS.items():
        found = set(re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE))
        if found != {version}:
            print(f"{name} names the versions {sorted(found)} in place of {version}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
