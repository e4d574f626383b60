"""Requests to flopcast, and their answers as results."""

from __future__ import annotations

import json
import os
import re
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _documents, _flopcast, _program
from ._errors import InputError, Interrupted
from ._pages import embedded_documents
from ._results import Result

#: Sizes of a request: one, a range or a list of them, or a text such as "200:3200:200", whose end is included.
Sizes = int | str | range | Sequence[int] | np.ndarray[Any, Any]


def plain(value: Any) -> Any:
    """Returns a value as JSON has it: ranges and arrays become lists, paths texts."""
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if isinstance(value, Sequence) or hasattr(value, "__iter__"):
        return [plain(element) for element in value]
    raise InputError(f"a request can't have {value!r} as an argument; expected numbers, texts, lists or dictionaries of these")


def listed(value: str | Sequence[str] | None) -> Sequence[str] | None:
    """Returns a single text as a list of it."""
    return [value] if isinstance(value, str) else value


def result_of(document: Mapping[str, Any]) -> Result:
    """Returns a document as the class of its schema. A document of another number of the schema, or of an unknown one, is a plain Result."""
    schema = str(document.get("schema", ""))
    base = re.sub(r"^flopcast-|-\d+$", "", schema)
    kind = _documents.RESULTS.get(base, Result)
    if kind is Result or kind.schema_name != schema:
        return Result(document=document)
    return kind.from_document(document)


def saved(value: Any, folder: str, name: str) -> Any:
    """Returns the file in `folder` that a result is written to; other values as they are."""
    if not isinstance(value, Result):
        return value
    file = os.path.join(folder, f"{name}.json")
    value.save(file)
    return file


def do(command: str, members: Mapping[str, Any], workbench: Mapping[str, Any]) -> Result:
    """Runs a command. Members that are None have their defaults, and results stand for files. Raises Interrupted with what is complete after Ctrl-C."""
    if any(isinstance(value, Result) for value in members.values()):
        with tempfile.TemporaryDirectory() as folder:
            return do(command, {name: saved(value, folder, name) for name, value in members.items()}, workbench)
    given = {name: plain(value) for name, value in members.items() if value is not None}
    request: dict[str, Any] = {command: given}
    places = {name: plain(value) for name, value in workbench.items() if value is not None}
    if places:
        request["workbench"] = places
    try:
        return result_of(_program.answer(request, shows_program="command" in given))
    except Interrupted as interruption:
        document = interruption.result
        raise Interrupted(result_of(document) if document is not None else None) from None


def tuned_block_size(routine: str, m: int, n: int, tuning: str | os.PathLike[str] | None = None) -> int:
    """Returns the tuned block size of a LAPACK routine for an m x n problem, 0 if the tuning file has none for such a problem.

    `routine` is a name such as "dgeqrf", or a name and ilaenv's options such as "dpotrf:L". `tuning` is the file that tune() wrote; None
    stands for the file of `flopcast tune --save`.
    """
    name, _, options = routine.partition(":")
    return _flopcast.tuned_block_size(name, m, n, options, "" if tuning is None else os.fspath(tuning))


def load(path: str | os.PathLike[str]) -> Result:
    """Returns the result that a file has: a document, as save() or a command with --json wrote it, or the document that a page embeds.

    Raises InputError, which names the file, if the file has no document of flopcast, or is a page about several; load_all() reads these.
    """
    results = load_all(path)
    if len(results) != 1:
        raise InputError(f"{os.fspath(path)} is a page about {len(results)} documents; load_all() returns all of them")
    return results[0]


def load_all(path: str | os.PathLike[str]) -> list[Result]:
    """Returns the results that a file has: one of a document, or all of a page. Raises InputError, which names the file."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return [_result_of_text(document) for document in (embedded_documents(text) if text.lstrip().startswith("<") else [text])]
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{os.fspath(path)} can't be read: {error}") from None


def _result_of_text(text: str) -> Result:
    document = json.loads(text)
    if not isinstance(document, dict) or not str(document.get("schema", "")).startswith("flopcast-"):
        raise InputError("there is no document of flopcast; expected an object with a member 'schema'")
    base, _, number = document["schema"].removeprefix("flopcast-").rpartition("-")
    known = _documents.RESULTS.get(base, Result).schema_name
    if number.isdecimal() and known and int(number) > int(known.rpartition("-")[2]):
        text = f"a document was written by a newer flopcast: its schema is {document['schema']}, this version knows {known}. It is a plain Result"
        warnings.warn(text, stacklevel=4)
    return result_of(document)
