#!/usr/bin/env python3
"""Compares the functions of a library with those that its header declares and that a list promises.

Usage: symbols.py LIBRARY HEADER SYMBOLS --macro MACRO --soname NAME [--version VERSION]
"""

import argparse
import pathlib
import re
import subprocess
import sys


def exported(library):
    """Returns the names that the library defines for programs, with their versions: 'flopcast_ask@@FLOPCAST_1'."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[2] for line in lines if line.split()[1] != "A"}  # A: the version itself


def declared(header, macro):
    """Returns the functions that the header declares: those of the declarations that begin with the macro."""
    return set(re.findall(rf"^{macro}[^;(]*?\b(\w+)\(", pathlib.Path(header).read_text(), re.MULTILINE))


def soname(library):
    """Returns the name under which programs find the library."""
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.search(r"SONAME.*\[(.*)\]", text).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("header")
    parser.add_argument("symbols", help="file of the promised names")
    parser.add_argument("--macro", required=True, help="first word of a declaration")
    parser.add_argument("--soname", required=True, help="name that the library must call itself")
    parser.add_argument("--version", help="version that each symbol must have; default: none")
    given = parser.parse_args()
    promised = set(pathlib.Path(given.symbols).read_text().split())
    names = exported(given.library)
    faults = []
    for what, found in (("the library exports", {name.split("@")[0] for name in names}), ("the header declares", declared(given.header, given.macro))):
        faults += [f"{what} {name}, which the list lacks" for name in sorted(found - promised)]
        faults += [f"the list has {name}, but not what {what}" for name in sorted(promised - found)]
    for name in sorted(names):
        version = name.partition("@@")[2] or None
        if version != given.version:
            faults.append(f"{name} has the version {version}, expected {given.version}")
    if soname(given.library) != given.soname:
        faults.append(f"the library calls itself {soname(given.library)}, expected {given.soname}")
    print("\n".join(faults) or f"{len(promised)} functions")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
