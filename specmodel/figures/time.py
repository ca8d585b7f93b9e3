"""Figures of time: one answer against draft length, and where the time of one output token goes."""

from typing import Any

import numpy as np

from specmodel.base.messages import N_
from specmodel.base.params import declarations
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.model.draft_lengths import DraftLengths
from specmodel.model.outcome import Outcome
from specmodel.model.scenario import Scenario


def time_figure(
    table: DraftLengths, scenario: Scenario, translate: Translate, *, ghost: DraftLengths | None = None
) -> Figure:
    """Time of one answer against draft length: the best k, those that tie with it, the current one, plain decoding."""
    seconds, k, plain = table.total_ms / 1000, scenario.num_speculative_tokens, scenario.baseline_ms / 1000
    lengths = table.num_speculative_tokens
    text = translate("plain decoding")
    data = [
        style.even([-0.5, float(lengths[-1]) + 0.5], plain),
        style.label(_clearest(seconds, plain), plain, text, style.BASELINE, "top center"),
    ]
    if ghost is not None:
        data.append(style.pinned(lengths, ghost.total_ms / 1000, translate("pinned")))
    hover = "k = %{x}: %{y:,.2f} s<extra></extra>"
    name = translate("with speculation")
    data.append(
        style.line(
            lengths,
            seconds,
            name,
            style.SPECULATION,
            mode="lines+markers",
            marker={"size": 5},
            showlegend=False,
            hovertemplate=hover,
        )
    )
    ties = [length for length in table.ties if length < lengths.size]
    if ties:
        name = translate("ties with the best")
        data.append(style.ring(ties, seconds[ties], name, style.BEST, size=13, hovertemplate=hover))
    data.append(
        style.points(
            [table.best],
            [seconds[table.best]],
            translate("best"),
            style.BEST,
            symbol="star",
            size=17,
            hovertemplate=hover,
        )
    )
    if k < lengths.size:
        name = translate("this scenario")
        data.append(style.spot([k], [seconds[k]], name, size=13, hovertemplate=hover, showlegend=False))
    top = max(float(seconds[0]) * 1.9, float(seconds.min()) * 1.2)
    return {
        "data": data,
        "layout": style.layout(
            style.title_of(declarations(Scenario)["num_speculative_tokens"], translate),
            style.with_unit(translate("Time of one answer"), "s"),
            xaxis={"range": [-0.5, lengths[-1] + 0.5], "dtick": 2 if lengths.size < 30 else 8},
            yaxis=style.up_to(min(float(seconds.max()) * 1.08, top)),
        ),
    }


def _clearest(seconds: Any, plain: float) -> float:
    """The draft length at which a text on the line of plain decoding is farthest from the curve."""
    first, last = len(seconds) // 5, len(seconds) - len(seconds) // 5  # not so near an edge that it is cut off
    return float(first + np.argmax(np.abs(seconds[first:last] - plain)))


def time_per_token_figure(
    scenario: Scenario, outcome: Outcome, translate: Translate, *, ghost: tuple[Scenario, Outcome] | None = None
) -> Figure:
    """Where the milliseconds of one emitted token go, with and without speculation: stacked bars, a lane each."""
    lanes = {translate("with speculation"): _parts(scenario, outcome)}
    if ghost:
        lanes[translate("pinned")] = _parts(*ghost)
    lanes[translate("plain decoding")] = {"target": scenario.target_ms}
    opacity = [0.5 if ghost and number == 1 else 1.0 for number in range(len(lanes))]
    widest = max(sum(parts.values()) for parts in lanes.values())
    data = []
    for part, (name, colour) in PARTS.items():
        values = [parts.get(part, 0.0) for parts in lanes.values()]
        if any(values):
            bar = style.bars(values, list(lanes), translate(name), colour, **_bar(values, widest))
            bar["marker"]["opacity"] = opacity
            data.append(bar)
    title = style.with_unit(translate("Time for one output token"), "ms")
    figure = style.layout(title, "", barmode="stack", yaxis={"autorange": "reversed"}, xaxis={"rangemode": "tozero"})
    figure["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": figure}


PARTS = {
    "target": (N_("target pass"), style.BASELINE),
    "accepted": (N_("accepted drafts"), style.ACCEPTED),
    "wasted": (N_("wasted drafts"), style.WASTED),
    "overhead": (N_("overhead"), style.OVERHEAD),
}


def _parts(scenario: Scenario, outcome: Outcome) -> dict[str, float]:
    cost, tau = scenario.round_cost, outcome.mean_acceptance_length
    return {
        "target": float(cost.verify_ms) / tau,
        "accepted": (tau - 1) / tau * scenario.draft_ms,
        "wasted": outcome.wasted_ms_per_token,
        "overhead": float(cost.overhead_ms) / tau,
    }


def _bar(values: list[float], widest: float) -> Figure:
    """How a part of the bars is drawn: its ms inside it where there is room."""
    return {
        "orientation": "h",
        "text": [f"{value:.1f} ms" if value > 0.13 * widest else "" for value in values],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"color": "#ffffff"},
        "hovertemplate": "%{y}: %{x:.2f} ms",
    }
