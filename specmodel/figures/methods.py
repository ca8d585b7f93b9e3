"""Figures of the Methods page: speedup against batch with one line a method, and cost against tokens of a round."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from specmodel.base.params import declarations
from specmodel.figures import style
from specmodel.figures.serving import batch_axis
from specmodel.figures.style import Figure, Translate
from specmodel.methods import MethodRow
from specmodel.serving.load import Load

LINES = (
    ("#2f7ed8", "solid"), ("#b07d0a", "solid"), ("#2a9563", "solid"), ("#d9603b", "solid"), ("#8f63c9", "solid"),
    ("#c2379b", "solid"), ("#13919b", "solid"), ("#2f7ed8", "dash"), ("#b07d0a", "dash"), ("#2a9563", "dash"),
    ("#d9603b", "dash"), ("#8f63c9", "dash"), ("#4f7f96", "dot"), ("#c2379b", "dash"), ("#13919b", "dash"),
)  # fmt: skip
"""A colour and a dash for each method, in their order: here a colour stands for a method, not for a kind of token."""


def look(order: int) -> tuple[str, str]:
    """The colour and the dash of the method at this place of the list of all.

    >>> look(0)
    ('#2f7ed8', 'solid')
    """
    return LINES[order % len(LINES)]


def methods_figure(
    rows: Sequence[tuple[int, MethodRow]], batch_sizes: Sequence[float], load: Load, chosen: str, translate: Translate
) -> Figure:
    """Speedup against batch size, one line a method; the chosen one is thicker. `rows` are (place in the list, row)."""
    data: list[Figure] = [
        style.line(
            batch_sizes, np.ones(len(batch_sizes)), translate("plain decoding"), style.BASELINE, dash="dash", width=1.5
        )
    ]
    for place, row in rows:
        colour, dash = look(place)
        name = translate(row.method.label)
        data.append(
            style.line(
                batch_sizes, np.array(row.curve), name, colour, dash=dash,
                width=4.5 if row.method.key == chosen else 2,
                hovertemplate=translate("batch %{x}: %{y:.2f}×") + "<extra>" + name + "</extra>",
            )
        )  # fmt: skip
    top = max([1.2, *(speed for _, row in rows for speed in row.curve if speed == speed)])
    at = load.batch_size
    data.append(
        style.line([at, at], [0, top], translate("this batch"), style.OVERHEAD, dash="dot", width=1.5, hoverinfo="skip")
    )
    axes: dict[str, Any] = {"xaxis": batch_axis(max(batch_sizes)), "yaxis": {"rangemode": "tozero"}}
    title = style.title_of(declarations(Load)["batch_size"], translate)
    return {"data": data, "layout": style.layout(title, translate("Speedup"), **axes)}


def trade_figure(rows: Sequence[tuple[int, MethodRow]], translate: Translate) -> Figure:
    """Tokens of a round against its cost at this batch: above the diagonal speculation pays, whatever the method."""
    rows = [(place, row) for place, row in rows if not row.extrapolated]
    most = max([2.0, *(row.rho for _, row in rows)]) * 1.08
    diagonal = style.line(
        [0, most], [0, most], translate("as fast as plain decoding"), style.BASELINE, dash="dash", width=1.5,
        hoverinfo="skip",
    )  # fmt: skip
    data = [diagonal]
    for place, row in rows:
        colour, dash = look(place)
        name = translate(row.method.label)
        hover = translate("%{y:.2f} tokens for %{x:.2f} plain steps: %{customdata:.2f}×")
        data.append(
            style.points(
                [row.rho], [row.tau], name, colour, size=12,
                symbol="circle" if dash == "solid" else "diamond" if dash == "dash" else "square",
                customdata=[row.speedup], hovertemplate=f"{hover}<extra>{name}</extra>", showlegend=False,
            )
        )  # fmt: skip
    axes = {"xaxis": {"rangemode": "tozero"}, "yaxis": {"rangemode": "tozero"}}
    title = translate("Cost of a round ρ (plain steps)")
    return {"data": data, "layout": style.layout(title, translate("Tokens per round τ"), **axes)}
