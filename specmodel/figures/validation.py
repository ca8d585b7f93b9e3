"""The figure of the Validation page: predicted against measured, with the diagonal and the band of each point."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.figures import style
from specmodel.figures.style import Figure, Translate

CORRIDOR = 0.10
MARKS = {True: "circle", False: "x", None: "circle-open"}
"""Whether the stated band holds what was measured -> the sign of the point; None: the rule states no band."""


@dataclass(frozen=True)
class Spot:
    """One judged point; `told` is what stands beside the pointer, text of others that is escaped here."""

    measured: float
    predicted: float
    low: float | None
    high: float | None
    told: str


@dataclass(frozen=True)
class Spots:
    """Points of one colour: a source or a family of rules."""

    name: str
    colour: str
    spots: Sequence[Spot]


def scatter_figure(groups: Sequence[Spots], x_title: str, y_title: str, translate: Translate) -> Figure:
    """Predicted over measured on logarithmic axes, the diagonal, a corridor of 10 %, bands as bars.

    A full circle is a point whose band holds what was measured, a cross one whose band does not, an empty circle one
    without a band.
    """
    every = [spot for group in groups for spot in group.spots]
    low, high = _ends([value for spot in every for value in (spot.measured, spot.predicted)])
    ends = np.array([low, high])
    data = [
        style.band(ends, ends * (1 - CORRIDOR), ends * (1 + CORRIDOR), translate("within 10 %"), style.BASELINE),
        style.line(ends, ends, translate("as measured"), style.BASELINE, width=1.5, dash="dash", hoverinfo="skip"),
    ]
    thin = len(every) > 200
    for group in groups:
        name = style.plain_text(group.name)
        for place, (held, spots) in enumerate(_by_mark(group.spots)):
            data.append(_points(name, group.colour, held, spots, thin=thin, shown=place == 0))
    ticks = _ticks(low, high)
    axis = {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
    }
    return {"data": data, "layout": style.layout(x_title, y_title, xaxis=axis, yaxis=dict(axis))}


def _by_mark(spots: Sequence[Spot]) -> list[tuple[bool | None, list[Spot]]]:
    kinds: dict[bool | None, list[Spot]] = {}
    for spot in spots:
        banded = spot.low is not None and spot.high is not None
        held = spot.low <= spot.measured <= spot.high if banded else None  # type: ignore[operator]
        kinds.setdefault(held, []).append(spot)
    return sorted(kinds.items(), key=lambda item: list(MARKS).index(item[0]))


def _points(name: str, colour: str, held: bool | None, spots: Sequence[Spot], *, thin: bool, shown: bool) -> Figure:
    predicted = [spot.predicted for spot in spots]
    more: Figure = {}
    if held is not None:
        lows, highs = [spot.low for spot in spots], [spot.high for spot in spots]
        bars = style.faded(colour, 0.25 if thin else 0.6)
        more["error_y"] = style.errors(predicted, lows, highs, bars, thickness=1, width=0 if thin else 3)
    return style.points(
        [spot.measured for spot in spots],
        predicted,
        name,
        colour,
        symbol=MARKS[held],
        size=6 if thin else 8,
        customdata=[style.plain_text(spot.told, 200).replace("\n", "<br>") for spot in spots],
        hovertemplate="%{customdata}<extra></extra>",
        legendgroup=name,
        showlegend=shown,
        **more,
    )


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """The ends of both axes: a little beyond the smallest and the largest value above 0."""
    known = [value for value in values if value > 0] or [1.0]
    return min(known) / 1.12, max(known) * 1.12


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers within the axis, about six of them."""
    for steps in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1,)):
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**decade for decade in decades for step in steps]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= 9:
            return inside
    return inside
