"""Figures of the Live text page: acceptance by position, by kind and drafter, and which continuations come out."""

from collections.abc import Mapping, Sequence

import numpy as np

from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.ngram import Measured
from specmodel.ngram.continuations import Continuations

SYMBOLS = ("circle", "diamond", "square")
DASHES = ("solid", "dash", "dot")


def position_figure(measured: Measured, translate: Translate) -> Figure:
    """By position in the round: kept ÷ looked at, beside the mean of Σ min, and the share of all rounds."""
    positions = list(range(1, measured.num_speculative_tokens + 1))
    conditional, reached = measured.conditional_acceptance, measured.reached
    errors = [
        np.sqrt(value * (1 - value) / n) if value is not None else None
        for value, n in zip(conditional, reached, strict=True)
    ]
    hover = translate("position %{x}: %{y:.1%}") + "<extra></extra>"
    counted = translate("%{customdata[0]:,} of %{customdata[1]:,} drafts")
    data = [
        style.bars(
            positions,
            list(conditional),
            translate("measured: kept, of those looked at"),
            style.ACCEPTED,
            customdata=list(zip(measured.accepted, reached, strict=True)),
            hovertemplate=hover.replace("<extra>", f"<br>{counted}<extra>"),
            error_y={"type": "data", "array": errors, "color": style.OVERHEAD, "thickness": 1.5},
        ),
        style.ring(
            positions,
            list(measured.expected_acceptance),
            translate("expected: mean of Σ min(target, drafter)"),
            style.BASELINE,
            width=2.5,
            size=15,
            hovertemplate=hover,
        ),
        style.line(
            positions,
            list(measured.acceptance.per_position_acceptance),
            translate("measured: kept, of all rounds"),
            style.SPECULATION,
            mode="lines+markers",
            dash="dash",
            hovertemplate=hover,
        ),
    ]
    axes = {"yaxis": {"tickformat": ".0%", "range": [0, 1.05]}, "xaxis": {"dtick": 1}}
    return {"data": data, "layout": style.layout(translate("Position in the round"), translate("Acceptance"), **axes)}


def kinds_figure(
    expected: Mapping[str, Sequence[float | None]],
    measured: Mapping[str, float | None],
    drafters: Sequence[str],
    chosen: int,
    translate: Translate,
) -> Figure:
    """Acceptance by drafter, one line a kind of text; a cross for what the chosen drafter was measured to reach.

    `expected` holds the values of each kind in the order of `drafters`, the last of which is no n-gram model.
    """
    hover = "%{x}: %{y:.1%}<extra>%{fullData.name}</extra>"
    data: list[Figure] = []
    for (kind, values), symbol, dash in zip(expected.items(), SYMBOLS, DASHES, strict=False):
        marks = {"symbol": symbol, "size": 11}
        joined = [*values[:-1], None, values[-1]]  # the gap keeps the lookup apart from the orders
        places = [*drafters[:-1], drafters[-1], drafters[-1]]
        data.append(
            style.line(
                places, joined, kind, style.ACCEPTED, dash=dash, mode="lines+markers", marker=marks, hovertemplate=hover
            )
        )
    crosses = {kind: value for kind, value in measured.items() if value is not None}
    name = translate("measured with the chosen drafter")
    data.append(
        style.points(
            [drafters[chosen]] * len(crosses),
            list(crosses.values()),
            name,
            style.MEASURED,
            symbol="x",
            size=9,
            customdata=list(crosses),
            hovertemplate="%{customdata}: %{y:.1%}<extra></extra>",
        )
    )
    axes = {
        "yaxis": {"tickformat": ".0%", "range": [0, 1.05]},
        "xaxis": {"type": "category", "categoryorder": "array", "categoryarray": list(drafters)},
    }
    return {"data": data, "layout": style.layout(translate("Drafter"), translate("Acceptance"), **axes)}


def continuations_figure(found: Continuations, names: Sequence[str], translate: Translate) -> Figure:
    """For each likely continuation its share of the draws without and with speculation; rings are exact."""
    hover = "%{x}: %{y:.1%}<extra>%{fullData.name}</extra>"
    names = [style.plain_text(name) for name in names]
    alone = np.array(found.alone) / found.draws
    speculative = np.array(found.speculative) / found.draws
    data = [
        style.bars(
            names, alone, translate("target alone, drawn"), style.faded(style.BASELINE, 0.55), hovertemplate=hover
        ),
        style.bars(names, speculative, translate("with speculation, drawn"), style.SPECULATION, hovertemplate=hover),
        style.ring(
            names,
            list(found.probs),
            translate("the target's own probability, exact"),
            style.BASELINE,
            width=2.5,
            size=16,
            hovertemplate=hover,
        ),
    ]
    axes = {"yaxis": {"tickformat": ".0%", "rangemode": "tozero"}, "barmode": "group", "xaxis": {"type": "category"}}
    return {"data": data, "layout": style.layout(translate("Continuation"), translate("Share"), **axes)}
