"""Figures of a measured engine: acceptance by position, speed by draft length, where the time goes, groups."""

from collections.abc import Sequence

import numpy as np

from specmodel.engine.groups import GroupRow
from specmodel.engine.lengths import LengthChoice
from specmodel.engine.speed import RoundParts
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.measured.intervals import Estimate


def acceptance_figure(found: MeasuredAcceptance, translate: Translate) -> Figure:
    """Acceptance by position, of all rounds and given all before, with intervals."""
    positions = np.arange(1, found.acceptance.num_speculative_tokens + 1)
    shown = [
        (found.per_position, translate("of all rounds"), style.MEASURED, "square", -0.06),
        (found.conditional, translate("given all before"), style.ACCEPTED, "circle", 0.06),
    ]
    data = []
    for estimates, name, colour, symbol, moved in shown:
        values = [each.value for each in estimates]
        hover = "%{customdata}: %{y:.1%}<extra></extra>"
        trace = style.points(
            positions + moved, values, name, colour, symbol=symbol, size=9, error_y=_errors(estimates, colour),
            customdata=[f"{name}, {position}" for position in positions], hovertemplate=hover,
        )  # fmt: skip
        trace["mode"] = "lines+markers"
        trace["line"] = {"color": colour, "width": 1.2, "dash": "dot"}
        data.append(trace)
    axes = {"xaxis": {"dtick": 1 if positions.size < 20 else 4}, "yaxis": {"range": [0, 1.04], "tickformat": ".0%"}}
    return {"data": data, "layout": style.layout(translate("Draft position"), translate("Acceptance"), **axes)}


def _errors(estimates: Sequence[Estimate], colour: str) -> Figure:
    lows, highs = [each.low for each in estimates], [each.high for each in estimates]
    return style.errors([each.value or 0 for each in estimates], lows, highs, colour, thickness=1.3, width=3)


def lengths_figure(choices: Sequence[LengthChoice], measured: int, best: int | None, translate: Translate) -> Figure:
    """Speedup by draft length, or tokens per step where no time is known: what ran as squares, bands for the rest."""
    timed = choices[0].speedup is not None
    values: list[Estimate] = [
        (each.speedup if timed else each.tokens_per_step) or each.tokens_per_step for each in choices
    ]
    inside = [each for each in choices if not each.extrapolated]
    last = len(inside) - 1
    data = _beyond(choices[last:], values[last:], translate)
    for ran, name, symbol, size in (
        (False, translate("predicted from that run"), "circle-open", 8),
        (True, translate("measured"), "square", 10),
    ):
        rows = [(each, value) for each, value in zip(inside, values, strict=False) if _ran(each, inside) is ran]
        data += _known(rows, name, symbol, size) if rows else []
    if timed:
        ends = [-0.3, choices[-1].num_speculative_tokens + 0.3]
        data.insert(0, style.line(ends, [1, 1], translate("plain decoding"), style.BASELINE, width=1.5, dash="dash"))
    data += _marks(choices, values, measured, best, translate)
    title = translate("Decode speedup") if timed else translate("Tokens per decoding step")
    x_axis = {"dtick": 1 if len(choices) < 20 else 4, "autorangeoptions": {"minallowed": -0.5}}
    axes = {"xaxis": x_axis, "yaxis": {"rangemode": "tozero"}}
    return {"data": data, "layout": style.layout(translate("Draft tokens per round k"), title, **axes)}


def _ran(choice: LengthChoice, choices: Sequence[LengthChoice]) -> bool:
    """Off was not predicted either: it is 1 by definition, and stands with what most of the others are."""
    if choice.num_speculative_tokens:
        return choice.measured
    return all(each.measured for each in choices if each.num_speculative_tokens)


def _known(rows: Sequence[tuple[LengthChoice, Estimate]], name: str, symbol: str, size: int) -> list[Figure]:
    estimates = [value for _, value in rows]
    texts = [_interval_text(value) for value in estimates]
    points = style.points(
        [each.num_speculative_tokens for each, _ in rows], [value.value for value in estimates], name, style.MEASURED,
        symbol=symbol, size=size, error_y=_errors(estimates, style.MEASURED), customdata=texts,
        hovertemplate="k = %{x}: %{y:.2f}%{customdata}<extra></extra>",
    )  # fmt: skip
    if len(rows) > 1:
        points["mode"], points["line"] = "lines+markers", {"color": style.MEASURED, "width": 1.2, "dash": "dot"}
    return [points]


def _interval_text(value: Estimate) -> str:
    return "" if value.low is None or value.high is None else f" ({value.low:.2f}–{value.high:.2f})"


def _beyond(choices: Sequence[LengthChoice], values: Sequence[Estimate], translate: Translate) -> list[Figure]:
    if len(choices) < 2:
        return []
    x = np.array([each.num_speculative_tokens for each in choices], dtype=float)
    middle = np.array([each.value for each in values], dtype=float)
    low = np.array([each.low if each.low is not None else each.value for each in values], dtype=float)
    high = np.array([each.high if each.high is not None else each.value for each in values], dtype=float)
    area = style.band(x, low, high, translate("extrapolated"), style.OVERHEAD)
    line = style.line(x, middle, "", style.OVERHEAD, width=1.5, dash="dot", showlegend=False)
    line["hovertemplate"] = "k = %{x}: %{y:.2f}<extra></extra>"
    return [area, line]


def _marks(
    choices: Sequence[LengthChoice], values: Sequence[Estimate], measured: int, best: int | None, translate: Translate
) -> list[Figure]:
    """Rings around the best draft length and those that tie with it, and a ring where the engine ran."""
    found = []
    at = {each.num_speculative_tokens: value.value for each, value in zip(choices, values, strict=True)}
    if measured in at:
        name = translate("as it ran")
        found.append(style.ring([measured], [at[measured]], name, style.SPECULATION, size=20, hoverinfo="skip"))
    if best is None:
        return found
    ties = [each.num_speculative_tokens for each in choices if each.ties]
    if ties:
        name, heights = translate("ties with the best"), [at[k] for k in ties]
        found.append(style.ring(ties, heights, name, style.BEST, width=1.5, size=15, hoverinfo="skip"))
    found.append(
        style.points([best], [at[best]], translate("best"), style.BEST, symbol="star", size=15, hoverinfo="skip")
    )
    return found


def time_parts_figure(parts: RoundParts, tokens: float | None, translate: Translate) -> Figure:
    """One plain step and one round as bars of milliseconds, the round split where the engine says how."""
    step, whole = translate("one plain step"), translate("one step with speculation")
    if tokens:
        whole = translate("one step with speculation: {tokens:.2f} tokens").format(tokens=tokens)
        step = translate("one plain step: 1 token")
    pieces = [
        (parts.draft_ms, translate("drafting"), style.WASTED),
        (parts.verify_ms, translate("verification"), style.SPECULATION),
        (parts.rest_ms, translate("rest"), style.OVERHEAD),
    ]
    known = [piece for piece in pieces if piece[0] is not None and piece[0] > 0.002 * parts.round_ms]
    if len(known) < 2:
        known = [(parts.round_ms, translate("not split by the engine"), style.SPECULATION)]
    hover = "%{x:.2f} ms<extra></extra>"
    data = [
        style.bars([value], [whole], name, colour, orientation="h", hovertemplate=hover)
        for value, name, colour in known
    ]
    if parts.plain_ms is not None:
        plain = style.bars(
            [parts.plain_ms], [step], translate("plain decoding"), style.BASELINE, orientation="h", hovertemplate=hover
        )
        data.insert(0, plain)
    axes = {"yaxis": {"title": {"text": ""}, "autorange": "reversed"}}
    return {"data": data, "layout": style.layout(style.with_unit(translate("Time"), "ms"), "", barmode="stack", **axes)}


def groups_figure(rows: Sequence[GroupRow], translate: Translate) -> Figure:
    """Tokens per millisecond of each group, with speculation and without."""
    labels = [style.plain_text(row.label) for row in rows]
    hover = "%{y}: %{x:.4f}<extra></extra>"
    pairs = [
        ([row.plain_tokens_per_ms for row in rows], translate("plain decoding"), style.BASELINE),
        ([row.tokens_per_ms for row in rows], translate("with speculation"), style.SPECULATION),
    ]
    data = [
        style.bars(values, labels, name, colour, orientation="h", hovertemplate=hover)
        for values, name, colour in pairs
        if any(value is not None for value in values)
    ]
    axes = {"yaxis": {"autorange": "reversed", "title": {"text": ""}}}
    title = translate("Tokens per millisecond")
    return {"data": data, "layout": style.layout(title, "", barmode="group", **axes)}
