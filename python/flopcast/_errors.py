"""Exceptions of flopcast, one for each kind of error."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """An error of flopcast. `exit_code` is the exit code that the program `flopcast` has for the error."""

    exit_code = 70


class UsageError(Error, ValueError):
    """A command or an argument of a function is wrong."""

    exit_code = 2


class InputError(Error, ValueError):
    """A file, a size, a name or an array is wrong."""

    exit_code = 3


class ArrayError(InputError, TypeError):
    """An array's type or class is wrong: numbers would lose digits, or the class has a rule of its own."""


class SetupError(Error, RuntimeError):
    """The machine, a library or the file system refuses."""

    exit_code = 4


class MeasurementError(Error, RuntimeError):
    """A measurement was made, but its result can't be used."""

    exit_code = 5


class CheckFailed(Error):
    """A requested check failed."""

    exit_code = 1


class InternalError(Error, RuntimeError):
    """A bug of flopcast."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a command. `result` has what was complete by then, or is None."""

    def __init__(self, result: Any = None) -> None:
        super().__init__("the command was interrupted; samples are kept, and the same call goes on from them")
        self.result = result


_KINDS: dict[int, type[Error]] = {
    kind.exit_code: kind for kind in (CheckFailed, UsageError, InputError, SetupError, MeasurementError, InternalError)
}


def kind_of(exit_code: int) -> type[Error]:
    """Returns the exception for an exit code of the program `flopcast`."""
    return _KINDS.get(exit_code, InternalError)
