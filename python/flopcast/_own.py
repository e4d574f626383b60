"""Tuning of functions of the user's."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _call, _commands
from ._errors import InputError
from ._requests import plain

#: Names of parameters with their values.
Space = Mapping[str, Iterable[Any]]


def _target(function: Callable[..., Any]) -> tuple[str, str]:
    """Returns the module or script that has the function, and its name there."""
    name = function.__qualname__
    if "<" in name:
        raise InputError(f"{name} can't be called in another process. Define it by def at the top of a module or script")
    if function.__module__ != "__main__":
        return function.__module__, name
    script = getattr(sys.modules["__main__"], "__file__", None)
    if script is None or "." in name:
        raise InputError(f"{name} is in no file, so that no other process can call it. Define it at the top of a module or script")
    return os.path.abspath(script), name


def tune_function(function: Callable[..., Any], space: Space, **members: Any) -> Any:
    """Chooses the arguments of a function by dry runs in processes of their own, and by models of the kernels that it calls.

    `space` has the values of each argument: {"nb": range(16, 129, 16), "variant": ["left", "right"]}. The function is found by its module or
    script, as multiprocessing finds it: a script does its work under `if __name__ == "__main__":`. Work at import counts as own
    code. `members` are those of tune_program(), such as conditions=["ib <= nb"], threads=1, time_budget=60, race=True.

    Raises InputError for a function that isn't at the top of a module or script.
    """
    target, name = _target(function)
    values = {parameter: plain(list(of_parameter)) for parameter, of_parameter in space.items()}
    for parameter, of_parameter in values.items():
        for one in of_parameter:
            if isinstance(one, str) and not isinstance(_call.value(one), str):
                raise InputError(f"the value {one!r} of {parameter} would arrive as a number. Give {_call.value(one)!r}, or another text")
    path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path)
    command = ["env", f"PYTHONPATH={path}", sys.executable, _call.__file__, target, name, *(f"{one}={{{one}}}" for one in values)]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "space.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump({"schema": "flopcast-space-1", "name": name, "command": command, "parameters": values}, out)
        return _commands.tune_program(space=file, **members)


@functools.wraps(_commands.tune)
def tune(routine: Any, space: Space | None = None, **members: Any) -> Any:
    if callable(routine):
        return tune_function(routine, space or {}, **members)
    if space is not None:
        raise InputError("tune() of a routine takes its sizes by name, such as n=[1000, 2000]; only a function of yours has a space")
    return _commands.tune(routine, **members)


def _with_space(signature: inspect.Signature) -> inspect.Signature:
    routine, *members = signature.parameters.values()
    space = inspect.Parameter("space", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=Space)
    return signature.replace(parameters=[routine, space, *members])


tune.__signature__ = _with_space(inspect.signature(_commands.tune))  # type: ignore[attr-defined]
tune.__doc__ = f"{(tune.__doc__ or '').rstrip()}\n\n    tune(function, space) tunes a function of yours: see tune_function().\n"
