#!/usr/bin/env python3
"""Compiles the C, C++, Fortran and Python of README and docs/ as it is written, against an installed package.

Usage: snippets.py SOURCES PREFIX FOLDER C_COMPILER C++_COMPILER [FORTRAN_COMPILER] [--python PYTHON FOLDER_OF_PACKAGE]

A snippet without a program of its own is the inside of a function whose variables are declared below, as the text around the snippet says.
"""

import ast
import importlib
import inspect
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))
from markdown_blocks import blocks_of  # noqa: E402

#: Variables of C's snippets, by a word of the snippet.
C_VARIABLES = {
    "TAPP_": """#include <tapp.h>
#include <tapp_flopcast.h>
static void snippet(TAPP_handle handle, TAPP_tensor_product plan) {
""",
    "flopcast_next_configuration": """#include <stdint.h>
static void snippet(int64_t option_nb, const char* option_grid) {
""",
    "flopcast_kernel": """#include <flopcast/regions.h>
static void snippet(int64_t m, int64_t n) {
""",
    "flopcast_": """#include <flopcast/flopcast.h>
static void snippet(flopcast_workbench* bench, flopcast_plan* plan, flopcast_plan_options options, flopcast_tuning* tuning,
                    const int64_t* shape_a, const int64_t* shape_b, const int64_t* shape_c, double alpha, double beta, const double* a,
                    const double* b, double* c, const double* addend, double* result, int64_t m, int64_t n, int64_t nb, char* answer) {
""",
}
CPP_VARIABLES = """#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <flopcast/flopcast.hpp>

void snippet(flopcast::Workbench& bench, std::vector<double>& a, std::vector<double>& b, std::vector<double>& c, std::vector<double>& d,
             double alpha, double beta, std::vector<double>& x, std::vector<double>& y, std::vector<double>& z, std::vector<double>& r,
             std::vector<double>& w, std::vector<double>& t, std::int64_t o, std::int64_t v) {
"""
FORTRAN_VARIABLES = """subroutine snippet(bench, ladder, chain, square, w, t, t1, x, y, z, r)
  use flopcast_contract
  implicit none
  type(flopcast_bench) :: bench
  type(flopcast_contraction) :: ladder, chain, square
  real(8), target :: w(..), t(..), t1(..), x(..), y(..), z(..), r(..)
"""
PYTHON_VARIABLES = "import numpy as np\nimport flopcast as fc\na, b = np.ones((8, 8, 10)), np.ones((8, 10, 8, 10))\n"


def snippets(sources):
    """Yields (place, language, text) for the code of the documents."""
    for document in [sources / "README.md", *sorted((sources / "docs").rglob("*.md"))]:
        for block in blocks_of(document.read_text()):
            if block.kind == "code" and block.language in ("c", "cpp", "fortran", "python"):
                lines = [line for _, line in block.lines]
                indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
                yield f"{document.relative_to(sources)}:{block.lines[0][0]}", block.language, "\n".join(line[indent:] for line in lines) + "\n"


def c_program(text):
    """Returns a whole source for a snippet of C. An #include comes first also if it stands within."""
    if "main(" in text:
        return text
    begin = next(begin for word, begin in C_VARIABLES.items() if word in text)
    includes = "".join(line + "\n" for line in text.split("\n") if line.startswith("#include"))
    body = "\n".join(line for line in text.split("\n") if not line.startswith("#include"))
    declarations, function = begin.rsplit("static void", 1)
    return f"{declarations}{includes}static void{function}{body}}}\nint main(void) {{ (void)snippet; return 0; }}\n"


class Compilers:
    """Compiles sources against the package that is installed below `prefix`."""

    def __init__(self, prefix, folder, c, cpp, fortran):
        self.prefix, self.folder, self.c, self.cpp, self.fortran = prefix, folder, c, cpp, fortran
        folder.mkdir(parents=True, exist_ok=True)
        self.failures = 0

    def flags(self, package):
        """Returns the words that pkg-config prints for the installed package."""
        files = next(self.prefix.rglob(f"{package}.pc")).parent
        done = subprocess.run(["pkg-config", "--cflags", "--libs", package], env={"PKG_CONFIG_PATH": str(files), "PATH": "/usr/bin:/bin"},
                              check=True, capture_output=True, text=True)
        return done.stdout.split()

    def run(self, place, words, source, suffix):
        """Compiles `source` by these words, in which {} is the file."""
        file = self.folder / f"snippet{suffix}"
        file.write_text(source)
        done = subprocess.run([str(file) if word == "{}" else word for word in words], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.failures += 1
            print(f"{place} doesn't compile:\n{done.stderr}")

    def compile(self, place, language, text):
        include = f"-I{self.prefix / 'include'}"
        if language == "c" and "mpi.h" in text:
            self.run(place, ["mpicc", "-fsyntax-only", "{}"], text, ".c")
        elif language == "c" and "flopcast_next_configuration" in text or "flopcast_kernel" in text:
            self.run(place, [self.c, "-std=c99", "-Wall", "-Wno-unused", "-Werror", "-fsyntax-only", include, "{}"], c_program(text), ".c")
        elif language == "c":
            package = "tapp-flopcast" if "TAPP_" in text else "flopcast"
            for order in (["{}", *self.flags(package)], [*self.flags(package), "{}"]):  # as documented, and the other way round
                self.run(place, [self.c, "-std=c99", "-Wall", "-Wno-unused", "-Werror", "-Wl,--as-needed", *order, "-o", "snippet"], c_program(text), ".c")
        elif language == "cpp":
            source = text if "main(" in text else CPP_VARIABLES + text + "}\n"
            self.run(place, [self.cpp, "-std=c++20", "-fsyntax-only", include, "{}"], source, ".cpp")
        elif language == "fortran" and self.fortran:
            module = self.prefix / "include" / "flopcast" / "flopcast_contract.f90"
            self.run(place, [self.fortran, "-fsyntax-only", str(module), "{}"], FORTRAN_VARIABLES + text + "end subroutine\n", ".f90")


def faults_of_python(text):
    """Yields what in a snippet the installed package hasn't: modules, functions and their arguments."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        for name in [alias.name for alias in node.names] if isinstance(node, ast.Import) else []:
            try:
                importlib.import_module(name)
            except ImportError:
                if name != "opt_einsum":  # suggested, not needed
                    yield f"no module {name}"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "fc" and node.attr != "PathOptimizer":
            package = importlib.import_module("flopcast")
            if not hasattr(package, node.attr):
                yield f"flopcast has no {node.attr}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "fc":
            function = getattr(importlib.import_module("flopcast"), node.func.attr, None)
            if inspect.isfunction(function):
                try:
                    inspect.signature(function).bind(*[None] * sum(not isinstance(word, ast.Starred) for word in node.args), *[None] * 2 * any(
                        isinstance(word, ast.Starred) for word in node.args), **{word.arg: None for word in node.keywords if word.arg})
                except TypeError as error:
                    yield f"fc.{node.func.attr}: {error}"


def main(words):
    python = words[words.index("--python") + 1 :] if "--python" in words else []
    words = words[: words.index("--python")] if python else words
    sources, prefix, folder = (pathlib.Path(word).resolve() for word in words[:3])
    compilers = Compilers(prefix, folder, words[3], words[4], words[5] if len(words) > 5 else "")
    if python:
        sys.path.insert(0, python[0])
    count = 0
    for place, language, text in snippets(sources):
        count += 1
        if language != "python":
            compilers.compile(place, language, text)
            continue
        compile(PYTHON_VARIABLES + text, place, "exec")
        for fault in faults_of_python(text) if python else ():
            print(f"{place}: {fault}")
            compilers.failures += 1
    examples = sorted((sources / "examples").glob("*.c*"))
    for example in examples:
        for line in example.read_text().split("\n"):
            header = line[len('#include "') : -1] if line.startswith('#include "flopcast/') else ""
            if header and not (prefix / "include" / header).exists():
                print(f"{example.relative_to(sources)}: {header} isn't installed")
                compilers.failures += 1
    print(f"{count} snippets and {len(examples)} examples, {compilers.failures} of them fail")
    return 1 if compilers.failures or count < 20 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
