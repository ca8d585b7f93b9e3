"""Figures of the Vocabulary page: the article's rule over the overlap, and the exact bounds by probability mass."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.base.params import declarations
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.model.acceptance import mean_acceptance_lengths
from specmodel.model.outcome import Outcome
from specmodel.model.scenario import Scenario, cost_ratio


@dataclass(frozen=True)
class Pairing:
    """A named vocabulary overlap to mark on the curve."""

    name: str
    overlap: float


def overlap_figure(
    scenario: Scenario,
    outcome: Outcome,
    pairings: Sequence[Pairing],
    chosen: Pairing | None,
    translate: Translate,
    *,
    pinned: Scenario | None = None,
) -> Figure:
    """Speedup against vocabulary overlap by the article's rule, with its pairings and the break-even."""
    overlaps = np.linspace(0, 1, 101)

    def speedup(values: object, of: Scenario = scenario) -> np.ndarray:
        tau = mean_acceptance_lengths(np.asarray(values) * of.alpha, of.num_speculative_tokens, of.acceptance_shape)
        return tau[..., -1] / cost_ratio(of)

    hover = "%{x:.2f}: %{y:.2f}×<extra></extra>"
    rule = style.line(
        overlaps, speedup(overlaps), translate("the article's rule"), style.SPECULATION, hovertemplate=hover
    )
    data = [
        rule,
        style.even([0, 1]),
    ]
    if pinned is not None:
        data.append(style.pinned(overlaps, speedup(overlaps, pinned), translate("pinned")))
    crossing = outcome.break_even_alpha / scenario.alpha if outcome.break_even_alpha and scenario.alpha else None
    if crossing is not None and crossing <= 1:
        text = f"{translate('break-even')} {crossing:.2f}"
        data.append(
            style.points(
                [crossing],
                [1],
                translate("break-even"),
                style.BREAK_EVEN,
                symbol="diamond",
                size=13,
                text=[text],
                textposition="bottom right" if crossing < 0.7 else "bottom left",
                showlegend=False,
                textfont={"color": style.BREAK_EVEN},
                hovertemplate="%{text}<extra></extra>",
            )
        )
    marked = [pairing.overlap for pairing in pairings]
    names = [style.plain_text(pairing.name) for pairing in pairings]
    shares = [f"{pairing.overlap:.2f}" for pairing in pairings]
    data.append(
        style.points(
            marked,
            speedup(marked),
            translate("the article's pairings"),
            style.SPECULATION,
            symbol="square",
            text=shares,
            customdata=names,
            textposition=["top left"] * len(names),
            textfont={"color": style.SPECULATION, "size": 12},
            cliponaxis=False,
            hovertemplate="%{customdata}: %{x:.2f}, %{y:.2f}×<extra></extra>",
        )
    )
    here, now = translate("this scenario"), scenario.vocabulary_overlap
    data.append(style.spot([now], speedup([now]), here, size=15, hovertemplate=hover, showlegend=False))
    if chosen is not None:
        data.append(
            style.points(
                [chosen.overlap],
                speedup([chosen.overlap]),
                style.plain_text(chosen.name),
                style.MEASURED,
                symbol="circle-open",
                size=16,
                outline={"width": 2.5, "color": style.MEASURED},
                hovertemplate=hover,
            )
        )
    label = translate(declarations(Scenario)["vocabulary_overlap"].label)
    top = max(1.3, float(speedup(1.0)) * 1.15)
    axes = {"xaxis": {"range": [0, 1.02]}, "yaxis": {"range": [0, top], "ticksuffix": "×"}}
    data.append(style.label(0, 1, translate("as fast as plain decoding"), style.BASELINE, "top right"))
    return {"data": data, "layout": style.layout(label, translate("Speedup"), **axes)}


@dataclass(frozen=True)
class Bounds:
    """What is left of the acceptance by the article's rule, and the exact floor and ceiling where a mass is known."""

    name: str
    rule: float
    floor: float | None = None
    ceiling: float | None = None


def bounds_figure(
    rows: Sequence[Bounds], outcome: Outcome, translate: Translate, *, pinned: Sequence[Bounds] = ()
) -> Figure:
    """Effective acceptance by kind of text: exact bounds as bars, the article's rule as a marker, break-even."""
    known = [row for row in rows if row.floor is not None and row.ceiling is not None]
    ends = [(row.floor or 0.0, row.ceiling or 0.0) for row in known]
    names = [row.name for row in rows]
    data: list[Figure] = [
        {
            "type": "bar",
            "orientation": "h",
            "y": [row.name for row in known],
            "base": [low for low, _ in ends],
            "x": [max(high - low, 0.004) for low, high in ends],
            "name": translate("exact bounds by probability mass"),
            "marker": {"color": style.ACCEPTED},
            "customdata": ends,
            "hovertemplate": "%{customdata[0]:.3f} – %{customdata[1]:.3f}<extra></extra>",
            "width": 0.45,
        },
        style.points(
            [row.rule for row in rows],
            names,
            translate("the article's rule"),
            style.SPECULATION,
            symbol="x",
            size=10,
            hovertemplate="%{x:.3f}<extra></extra>",
        ),
    ]
    if pinned:
        name = translate("pinned")
        data.append(style.points([row.rule for row in pinned], names, name, style.BASELINE, symbol="x-open", size=10))
    if outcome.break_even_alpha is not None:
        edge = outcome.break_even_alpha
        name = translate("break-even")
        data.append(style.line([edge, edge], [names[0], names[-1]], name, style.BREAK_EVEN, width=2.5, dash="dash"))
    title = translate(declarations(Outcome)["effective_alpha"].label)
    shown = [row.rule for row in (*rows, *pinned)] + [low for low, _ in ends] + [outcome.break_even_alpha or 0.0]
    right = max([high for _, high in ends] + shown)
    left = max(min(shown) - 0.1, 0.0)
    axes = {"xaxis": {"range": [left, right + 0.05]}, "yaxis": {"autorange": "reversed", "categoryarray": names}}
    return {"data": data, "layout": style.layout(title, "", **axes)}
