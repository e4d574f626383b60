"""Results of commands: frozen values that are made from documents, with tables, plots and files."""

from __future__ import annotations

import dataclasses
import functools
import html
import json
import os
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from . import _flopcast
from ._errors import InputError, SetupError

R = TypeVar("R", bound="Result")
Row = dict[str, Any]

_MAX_SHOWN = 30  # rows of a table that a notebook shows


@functools.lru_cache(maxsize=None)
def _types_of(cls: type) -> dict[str, Any]:
    """Returns the types of a class's members, with names resolved."""
    return typing.get_type_hints(cls)


def _member_name(field: dataclasses.Field[Any]) -> str:
    return str(field.metadata.get("member", field.name))


def _wrong(place: str, expected: str, value: Any) -> InputError:
    shown = json.dumps(value)
    return InputError(f"member '{place}' is {shown if len(shown) < 40 else shown[:40] + '...'}, expected {expected}")


def _read_value(kind: Any, value: Any, place: str) -> Any:
    """Returns a document's value as a value of type `kind`. Raises InputError, which names the member."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if origin in (types.UnionType, typing.Union):
        chosen = [argument for argument in arguments if argument is not type(None)]
        return None if value is None else _read_value(chosen[0], value, place) if len(chosen) == 1 else value
    if origin is tuple:
        if not isinstance(value, list):
            raise _wrong(place, "a list", value)
        return tuple(_read_value(arguments[0], element, f"{place}[{i}]") for i, element in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise _wrong(place, "an object", value)
        return {name: _read_value(arguments[1], element, f"{place}.{name}") for name, element in value.items()}
    if dataclasses.is_dataclass(kind):
        return read(typing.cast(type, kind), value, place)
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _wrong(place, {int: "an integer", float: "a number", str: "a text", bool: "true or false"}.get(kind, str(kind)), value)
    return value


def _in_order(kind: Any, value: Any) -> Any:
    """Returns a document's value with the members of objects in the order of their classes, for tables."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        chosen = [argument for argument in arguments if argument is not type(None)]
        return _in_order(chosen[0], value) if len(chosen) == 1 else value
    if origin is tuple and isinstance(value, list):
        return [_in_order(arguments[0], element) for element in value]
    if not dataclasses.is_dataclass(kind) or not isinstance(value, Mapping):
        return value
    kinds = _types_of(typing.cast(type, kind))
    known = [(field.name, _member_name(field)) for field in dataclasses.fields(kind) if _member_name(field) in value]
    ordered = {member: _in_order(kinds[name], value[member]) for name, member in known}
    head = {name: member for name, member in value.items() if name == "schema"}
    rest = {name: member for name, member in value.items() if name != "schema" and name not in ordered}
    return {**head, **ordered, **rest}


def read(cls: type, value: Any, place: str = "") -> Any:
    """Returns an object of a class of documents. Members that the class doesn't have are ignored."""
    if not isinstance(value, Mapping):
        raise _wrong(place or "document", "an object", value)
    kinds = _types_of(cls)
    members: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        if not field.init or field.name == "document":
            continue
        name = _member_name(field)
        where = f"{place}.{name}" if place else name
        if name in value:
            members[field.name] = _read_value(kinds[field.name], value[name], where)
        elif field.default is dataclasses.MISSING:
            raise InputError(f"member '{where}' is missing")
    return cls(**members, **({"document": value} if issubclass(cls, Result) else {}))


def _scalars(value: Mapping[str, Any], before: str = "") -> Row:
    """Returns the single values of an object, with the ends of intervals as two columns and inner objects' members by dotted names."""
    row: Row = {}
    for name, member in value.items():
        if isinstance(member, Mapping):
            row.update(_scalars(member, f"{before}{name}."))
        elif isinstance(member, list) and "interval" in name and len(member) == 2:
            unit = "_seconds" if name == "interval" else ""
            row[f"{before}{name}_low{unit}"], row[f"{before}{name}_high{unit}"] = member
        elif isinstance(member, list) and all(isinstance(element, (int, str)) for element in member):
            row[before + name] = member[0] if len(member) == 1 else "x".join(map(str, member)) if name == "sizes" else " ".join(map(str, member))
        elif not isinstance(member, list):
            row[before + name] = member
    return row


def _lists(value: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """Yields the dotted names of all lists of objects."""
    for name, member in value.items():
        if isinstance(member, Mapping):
            yield from _lists(member, f"{before}{name}.")
        elif isinstance(member, list) and member and all(isinstance(element, Mapping) for element in member):
            yield before + name
            seen: dict[str, None] = {}
            for element in member:
                seen.update(dict.fromkeys(_lists(element, f"{before}{name}.")))
            yield from seen


def _rows(value: Any, path: list[str], own: Row) -> Iterator[Row]:
    """Yields one row per object of the list at the end of `path`, each with the single values of the objects around it."""
    if not path:
        yield {**own, **_scalars(value)}
        return
    inner = value.get(path[0]) if isinstance(value, Mapping) else None
    if isinstance(inner, Mapping):
        yield from _rows(inner, path[1:], own)
    for element in inner if isinstance(inner, list) else []:
        if len(path) == 1:
            yield {**own, **_scalars(element)}
        else:
            around = {name: member for name, member in _scalars(element).items() if "." not in name}
            yield from _rows(element, path[1:], {**own, **around})


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Result:
    """The result of a command. Numbers are in SI units: seconds, bytes, flops, and these per second.

    Results are equal if their documents are. `document` is the JSON document that the command writes with --json.
    """

    schema_name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    main_table: ClassVar[str] = ""

    document: Mapping[str, Any] = dataclasses.field(compare=True)

    @classmethod
    def from_document(cls: type[R], document: Mapping[str, Any]) -> R:
        """Returns the result of a document. Raises InputError, which names the member, if the document has another form."""
        return typing.cast(R, read(cls, _in_order(cls, document)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the document to a file, as a whole or not at all. A file .html is a page with answer, pictures, tables and the document.

        flopcast.load() and the program read both.
        """
        name = os.fspath(path)
        text = json.dumps(self.document, indent=2) + "\n"
        if name.endswith(".html"):
            text = _flopcast.page(f"flopcast.{type(self).__name__}", text)
        temporary = f"{name}.{os.getpid()}.tmp"
        try:
            with open(temporary, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)

    def tables(self) -> list[str]:
        """Returns the names of the tables that to_dataframe() and rows() make: the document's lists."""
        return list(dict.fromkeys(_lists(self.document)))

    def rows(self, table: str | None = None) -> list[Row]:
        """Returns a table as one dictionary per row. `table` is a name of tables(), or its last part; None is the main table."""
        names = self.tables()
        wanted = table or (self.main_table if self.main_table in names else "")
        if not wanted:
            return [_scalars(self.document)]
        fitting = [name for name in names if name == wanted or name.endswith("." + wanted)]
        if len(fitting) != 1:
            raise InputError(f"table '{wanted}' of a {type(self).__name__}: {len(fitting)} found, expected one of {', '.join(names)}")
        return list(_rows(self.document, fitting[0].split("."), {}))

    def to_dataframe(self, table: str | None = None) -> Any:
        """Returns a table as a pandas.DataFrame, one row per fact; the ends of an interval are two columns. Raises SetupError without pandas."""
        try:
            import pandas
        except ImportError:
            raise SetupError("pandas is missing; install it (Debian: python3-pandas), or use rows()") from None
        return pandas.DataFrame(self.rows(table))

    def plot(self, axes: Any = None) -> Any:
        """Draws the result with matplotlib and returns the axes. Raises SetupError if matplotlib is missing or there is nothing to draw."""
        from . import _plots

        return _plots.draw(self, axes)

    def __repr__(self) -> str:
        count = len(self.rows()) if self.main_table in self.tables() else 0
        return f"<flopcast.{type(self).__name__}: {self.title or self.document.get('schema', '')}, {count} rows>"

    def __str__(self) -> str:
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        cells = [names] + [[_cell(row.get(name)) for name in names] for row in rows]
        widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in cells)

    def _repr_html_(self) -> str:
        """Returns the main picture and table for notebooks, in a frame of their own that keeps styles apart."""
        try:
            page = _flopcast.summary(json.dumps(self.document))
        except InputError:  # a kind of document that this version doesn't know
            return self._table_html()
        return f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0"></iframe>'

    def _table_html(self) -> str:
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(row.get(name)))}</td>" for name in names) + "</tr>" for row in rows[:_MAX_SHOWN]
        )
        more = f"<p>{len(rows) - _MAX_SHOWN} more rows</p>" if len(rows) > _MAX_SHOWN else ""
        return f"<p><b>{html.escape(self.title)}</b></p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


@dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
class Recorded(Result):
    """A recorded program."""

    @property
    def _file(self) -> str:
        return str(self.document.get("file", ""))

    def profile(self, **options: Any) -> Any:
        """Sums up the recording and predicts changes, as flopcast.profile() does: `what_if=["blas=blis"]`."""
        from . import _commands

        return _commands.profile(self._file, **options)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
