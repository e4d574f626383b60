"""Calls a function of the user's in a process of its own: _call.py TARGET FUNCTION NAME=VALUE...

TARGET is a module, or the file of a script, whose name is then __mp_main__. Values are read as JSON where they can be, else as texts.
"""

from __future__ import annotations

import importlib
import json
import operator
import os
import runpy
import sys
from typing import Any


def value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def main() -> None:
    target, name, *settings = sys.argv[1:]
    if target.endswith(".py"):
        sys.path[0] = os.path.dirname(target)
        function = operator.itemgetter(name)(runpy.run_path(target, run_name="__mp_main__"))
    else:
        del sys.path[0]  # this package's own folder
        function = operator.attrgetter(name)(importlib.import_module(target))
    function(**{key: value(text) for key, _, text in (setting.partition("=") for setting in settings)})


if __name__ == "__main__":
    main()
