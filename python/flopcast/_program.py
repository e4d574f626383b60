"""The program `flopcast`, which runs the commands that measure, preload or load libraries."""

from __future__ import annotations

import atexit
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import Any

from . import _flopcast
from ._errors import Error, InputError, Interrupted, SetupError, kind_of
from ._planner import PLANNER, tell

_INTERRUPTED = (130, 143)  # exit codes after Ctrl-C and SIGTERM


def find_program() -> str:
    """Returns the path of the program `flopcast`: beside this package, as FLOPCAST_LIBEXEC says, or in PATH. Raises SetupError."""
    try:
        return _flopcast.find_program()
    except SetupError:
        found = shutil.which("flopcast")
        if found is None:
            raise
        return found


def _pass_remarks(stream: Any, lines: list[str]) -> None:
    """Passes the lines that the program writes on standard error to the log, and keeps them."""
    for line in stream:
        lines.append(line.rstrip("\n"))
        if not lines[-1].startswith("flopcast: "):  # the message of an error is in the answer
            tell(lines[-1])


def _wait(child: subprocess.Popen[str], gets_signals: bool) -> tuple[int, bool]:
    """Waits for the program. Ctrl-C is passed on once, so that the program writes what is complete; a second Ctrl-C ends it.

    A program that `gets_signals` from the terminal isn't sent them a second time. Returns the exit code, and whether the user pressed
    Ctrl-C.
    """
    interrupted = False
    while True:
        try:
            return child.wait(), interrupted
        except KeyboardInterrupt:
            if not gets_signals:
                child.send_signal(signal.SIGTERM if interrupted else signal.SIGINT)
            interrupted = True


def _answer_of(text: str, code: int, interrupted: bool, remarks: list[str]) -> dict[str, Any]:
    """Returns the document of an answer, or raises the error that stands in its place."""
    document: dict[str, Any] = json.loads(text) if text.strip() else {}
    is_error = document.get("schema") == "flopcast-error-1"
    if code in _INTERRUPTED or (interrupted and (is_error or not document)):
        raise Interrupted(None if is_error or not document else document)
    if is_error:
        raise kind_of(int(document.get("exit_code", code)))(str(document.get("message", "")))
    if not document:
        said = ": " + " ".join(remarks) if remarks else ""
        ending = f"signal {-code}" if code < 0 else f"exit code {code}"
        raise kind_of(code if code > 0 else SetupError.exit_code)(f"the program flopcast gave no answer and ended with {ending}{said}")
    return document


def ask_program(request: Mapping[str, Any], shows_program: bool = False) -> dict[str, Any]:
    """Answers a request by the program. With `shows_program`, standard error is that of the user's program."""
    program = find_program()
    with tempfile.TemporaryDirectory(prefix="flopcast-") as folder:
        asked, answer = os.path.join(folder, "request.json"), os.path.join(folder, "answer.json")
        with open(asked, "w", encoding="utf-8") as file:
            json.dump(request, file)
        words = [program, "ask", asked, "--output", answer] + (["--quiet"] if shows_program else [])
        sys.stdout.flush()
        # A session of its own keeps the terminal's Ctrl-C from the program, which gets it from here: once.
        environment = None if shows_program else {**os.environ, "COLUMNS": ""}  # a remark stays on one line
        child = subprocess.Popen(
            words, stderr=None if shows_program else subprocess.PIPE, text=True, env=environment, start_new_session=not shows_program
        )
        atexit.register(child.terminate)  # where a daemon thread waits while the interpreter ends
        remarks: list[str] = []
        reader = threading.Thread(target=_pass_remarks, args=(child.stderr, remarks), daemon=True) if child.stderr else None
        try:
            if reader:
                reader.start()
            code, interrupted = _wait(child, gets_signals=shows_program and sys.stdin is not None and sys.stdin.isatty())
        finally:
            atexit.unregister(child.terminate)
            if child.poll() is None:
                child.kill()
                child.wait()
            if reader:
                reader.join()
            if child.stderr:
                child.stderr.close()
        text = ""
        if os.path.exists(answer):
            with open(answer, encoding="utf-8") as file:
                text = file.read()
    return _answer_of(text, code, interrupted, remarks)


def _require_finite(value: Any, place: str) -> None:
    """Raises InputError, which names the member, for a number that JSON can't hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"member {place}: {value} given, expected a finite number")
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    for name, element in items:
        _require_finite(element, f"{place}[{name}]" if isinstance(name, int) else f"{place}.{name}" if place else str(name))


def answer(request: Mapping[str, Any], shows_program: bool = False) -> dict[str, Any]:
    """Answers a request in this process where the command neither measures nor loads libraries, else by the program."""
    _require_finite(request, "")
    text = json.dumps(request)
    if _flopcast.needs_program(text):
        return ask_program(request, shows_program)
    document: dict[str, Any] = json.loads(PLANNER.answer(text))
    return document


def main(arguments: list[str]) -> int:
    """Runs the program with these arguments in place of this process. Returns an exit code if there is no program."""
    try:
        program = find_program()
    except Error as error:
        print(f"flopcast: {error}", file=sys.stderr)
        return SetupError.exit_code
    os.execv(program, ["flopcast", *arguments])
