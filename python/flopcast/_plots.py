"""Plots of results by matplotlib. They show the pictures of pages, which the module _flopcast makes of documents."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _flopcast
from ._errors import SetupError

if TYPE_CHECKING:
    from ._results import Result

_STYLES = {"line": ("-", ""), "points": ("", "o"), "line_points": ("-", "o")}


def _numbers(values: Sequence[float | None]) -> list[float]:
    """Returns numbers, with NaN for those that JSON can't express."""
    return [math.nan if value is None else value for value in values]


def _color(number: int) -> str:
    """Returns matplotlib's colour of a number from 1."""
    return f"C{(number - 1) % 10}"


def _draw_series(axes: Any, series: dict[str, Any], color: str) -> None:
    x, y, low, high = (_numbers(series[name]) for name in ("x", "y", "low", "high"))
    line, marker = _STYLES[series["style"]]
    axes.plot(x, y, linestyle="--" if series["dashed"] and line else line, marker=marker, color=color, label=series["title"] or "_nolegend_")
    if low and series["band"]:
        axes.fill_between(x, low, high, alpha=0.2, color=color, linewidth=0)
    elif low:
        axes.vlines(x, low, high, colors=color)


def _draw_figure(axes: Any, figure: dict[str, Any]) -> None:
    for number, series in enumerate(figure["series"], 1):
        _draw_series(axes, series, _color(series["color"] or number))
    for label in figure["labels"]:
        color = _color(label["color"]) if label["color"] else "black"
        if label["beside"]:
            axes.annotate(label["text"], (1.01, label["y"]), xycoords=("axes fraction", "data"), va="center", color=color, annotation_clip=False)
        else:
            axes.text(label["x"], label["y"], label["text"], ha=label["align"], color=color, clip_on=True)
    axes.set_title(figure["title"])
    for name, axis in (("x", figure["x"]), ("y", figure["y"])):
        getattr(axes, f"set_{name}label")(axis["label"])
        if axis["logarithmic"]:
            getattr(axes, f"set_{name}scale")("log")
        if axis.get("range"):
            getattr(axes, f"set_{name}lim")(*axis["range"])


def _draw_bars(axes: Any, chart: dict[str, Any]) -> None:
    """Draws one bar below the other, with intervals as lines over their ends."""
    bars = chart["bars"]
    places = range(len(bars))
    axes.barh(places, _numbers([bar["value"] for bar in bars]), color=["0.6" if bar["reference"] else "C0" for bar in bars])
    for place, bar in zip(places, bars):
        if bar.get("range"):
            axes.hlines(place, *_numbers(bar["range"]), colors="black")
    axes.set_yticks(places, [bar["label"] for bar in bars])
    axes.invert_yaxis()
    axes.set_title(chart["caption"])
    axes.set_xlabel(chart["unit"])


def _draw_strips(axes: Any, strips: dict[str, Any]) -> None:
    """Draws rows of bins, each filled by the series' parts one on the other."""
    height = 0.8
    begin, end = strips["begin"], strips["end"]
    for place, row in enumerate(strips["strips"]):
        count = len(row["bins"])
        edges = [begin + (end - begin) * i / max(1, count) for i in range(count + 1)]
        bottom = [float(place)] * (count + 1)
        for number, title in enumerate(strips["series"]):
            parts = [height * bins[number] for bins in row["bins"]]
            top = [low - part for low, part in zip(bottom, [*parts, *parts[-1:]])]
            axes.fill_between(edges[: len(top)], bottom[: len(top)], top, step="post", color=_color(number + 1), linewidth=0, label=title if place == 0 else "_nolegend_")
            bottom = top
    axes.set_yticks(range(len(strips["strips"])), [row["label"] for row in strips["strips"]])
    axes.invert_yaxis()
    axes.set_title(strips["caption"])
    axes.set_xlabel("s")


_DRAW = {"figure": _draw_figure, "bars": _draw_bars, "strips": _draw_strips}


def draw(result: Result, axes: Any = None) -> Any:
    """Draws a result's main picture into matplotlib's axes, or into new ones, and returns them. Raises InputError if there is none."""
    picture = json.loads(_flopcast.picture(json.dumps(result.document)))
    if axes is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise SetupError("matplotlib is missing; install it (Debian: python3-matplotlib)") from None
        _, axes = pyplot.subplots()
    _DRAW[picture["kind"]](axes, picture)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    return axes
