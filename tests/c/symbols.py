#!/usr/bin/env python3
"""Compares the functions of libflopcast with those that flopcast.h declares and that symbols.txt promises.

Usage: symbols.py LIBRARY HEADER SYMBOLS
"""

import pathlib
import re
import subprocess
import sys


def exported(library):
    """Returns the names that the library defines for programs, with their versions: 'flopcast_ask@@FLOPCAST_0'."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[2] for line in lines if line.split()[1] != "A"}  # A: the version itself


def declared(header):
    """Returns the functions that the header declares."""
    return set(re.findall(r"FLOPCAST_API[^;(]*?\b(flopcast_\w+)\(", pathlib.Path(header).read_text()))


def dependencies(library):
    """Returns the name under which programs find the library."""
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return re.search(r"SONAME.*\[(.*)\]", text).group(1)


def main():
    library, header, symbols = sys.argv[1:]
    promised = set(pathlib.Path(symbols).read_text().split())
    faults = []
    for what, names in (("exports", {name.split("@")[0] for name in exported(library)}), ("flopcast.h declares", declared(header))):
        faults += [f"{what} {name}, which symbols.txt lacks" for name in sorted(names - promised)]
        faults += [f"symbols.txt has {name}, but the library or header lacks it ({what})" for name in sorted(promised - names)]
    faults += [f"{name} has no version FLOPCAST_0" for name in sorted(exported(library)) if not name.endswith("@@FLOPCAST_0")]
    if dependencies(library) != "libflopcast.so.0":
        faults.append(f"the library calls itself {dependencies(library)}, expected libflopcast.so.0")
    print("\n".join(faults) or f"{len(promised)} functions")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
