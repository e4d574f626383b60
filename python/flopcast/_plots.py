"""Plots of results by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _documents
from ._errors import InputError, SetupError

if TYPE_CHECKING:
    from ._results import Result


def _sizes_text(sizes: tuple[int, ...]) -> str:
    return "x".join(map(str, sizes))


def _draw_tuning(result: _documents.TuneResult, axes: Any) -> None:
    """Draws predicted times over block sizes with their intervals, one line per problem; a circle marks the chosen block size."""
    for part in result.parts:
        for decision in part.decisions:
            forecasts = sorted(decision.forecasts or (), key=lambda forecast: forecast.nb)
            if not forecasts:
                continue
            blocks = [forecast.nb for forecast in forecasts]
            (line,) = axes.plot(blocks, [forecast.seconds for forecast in forecasts], label=f"{part.routine} {_sizes_text(decision.sizes)}")
            ends = [forecast.interval or (forecast.seconds, forecast.seconds) for forecast in forecasts]
            axes.fill_between(blocks, [low for low, _ in ends], [high for _, high in ends], alpha=0.2, color=line.get_color())
            axes.plot([decision.chosen.nb], [decision.chosen.seconds], "o", color=line.get_color())
    axes.set_yscale("log")
    axes.set_xlabel("block size")
    axes.set_ylabel("predicted time [s]")


def _draw_ranking(result: _documents.RankResult, axes: Any) -> None:
    """Draws the rate of each variant at its best block size over the order of the problem."""
    for place in result.places:
        lines: dict[str, list[tuple[int, float]]] = {}
        for decision in place.decisions:
            for variant in decision.ranking or ():
                rate = (decision.flops or 0.0) / variant.seconds if variant.seconds > 0 else 0.0
                lines.setdefault(variant.variant or "library", []).append((max(decision.sizes), rate))
        for name, points in lines.items():
            label = f"{name}, {place.blas}, {place.threads} threads" if len(result.places) > 1 else name
            axes.plot(*zip(*sorted(points)), marker="o", label=label)
    axes.set_xlabel("order")
    axes.set_ylabel("predicted rate [flop/s]")
    axes.set_ylim(bottom=0)


def _draw_prediction(result: _documents.PredictResult, axes: Any) -> None:
    """Draws predicted times with their intervals."""
    predictions = result.predictions
    names = [f"{prediction.algorithm} {prediction.sizes} {prediction.blocks}" for prediction in predictions]
    seconds = [prediction.seconds for prediction in predictions]
    ends = [prediction.interval or (prediction.seconds, prediction.seconds) for prediction in predictions]
    errors = [[time - low for time, (low, _) in zip(seconds, ends)], [high - time for time, (_, high) in zip(seconds, ends)]]
    axes.barh(names, seconds, xerr=errors)
    axes.set_xlabel("predicted time [s]")


def _draw_roofline(result: _documents.RooflineResult, axes: Any) -> None:
    """Draws the roofs of this machine: attainable rates over the operational intensity."""
    peaks = [roof.flops_per_second.attained or roof.flops_per_second.median or 0.0 for roof in result.compute]
    peak = max(peaks, default=0.0)
    intensities = [2.0**exponent for exponent in range(-6, 13)]
    for roof in result.bandwidth:
        bandwidth = roof.bytes_per_second.attained or roof.bytes_per_second.median or 0.0
        rates = [min(peak, bandwidth * intensity) if peak > 0 else bandwidth * intensity for intensity in intensities]
        if bandwidth > 0:
            axes.plot(intensities, rates, label=f"{roof.level} {roof.stream}, {roof.threads} threads")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("operational intensity [flop/byte]")
    axes.set_ylabel("rate [flop/s]")


_DRAW: dict[Any, Any] = {
    _documents.TuneResult: _draw_tuning,
    _documents.RankResult: _draw_ranking,
    _documents.PredictResult: _draw_prediction,
    _documents.RooflineResult: _draw_roofline,
}


def draw(result: Result, axes: Any = None) -> Any:
    """Draws a result into matplotlib's axes, or into new ones, and returns them."""
    draw_own = _DRAW.get(type(result))
    if draw_own is None:
        kinds = ", ".join(kind.__name__ for kind in _DRAW)
        raise InputError(f"a {type(result).__name__} has no plot; there are plots of {kinds}")
    if axes is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise SetupError("matplotlib is missing; install it (Debian: python3-matplotlib)") from None
        _, axes = pyplot.subplots()
    draw_own(result, axes)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    return axes
