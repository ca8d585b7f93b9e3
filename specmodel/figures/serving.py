"""Figures of the Serving load page: speedup, throughput and time against batch, the schedule, the map, the roofline."""

from collections.abc import Callable
from typing import Any

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.params import declarations
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.by_batch import LoadMap
from specmodel.serving.load import BATCH_STOPS, Load
from specmodel.serving.served_model import Serving

TICKS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)


def shown_batches(most: int) -> Ints:
    """The batches that a line is drawn through: every one up to 32, then about eighty more, evenly on a log scale.

    >>> shown_batches(3).tolist()
    [1, 2, 3]
    """
    return np.unique(np.concatenate((np.arange(1, min(most, 32) + 1), np.geomspace(1, most, 80).astype(np.int64))))


def batch_axis(most: float, **more: Any) -> Figure:
    """A logarithmic axis of batch sizes, with round ticks."""
    ticks = [tick for tick in TICKS if tick <= most * 1.01]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks], **more}


def _batch_title(translate: Translate) -> str:
    return style.title_of(declarations(Load)["batch_size"], translate)


def speedup_by_batch_figure(answer: LoadAnswer, translate: Translate, *, ghost: LoadAnswer | None = None) -> Figure:
    """Speedup against batch size: the chosen k, the best k at each batch, plain decoding, and where off is faster."""
    table, k = answer.table, answer.num_speculative_tokens
    batches = shown_batches(int(table.batch_sizes[-1]))
    rows = batches - 1
    best, at_best = table.best[rows], table.at_best()[rows]
    hover = translate("batch %{x}: %{y:.2f}×") + "<extra></extra>"
    best_hover = translate("batch %{x}: %{y:.2f}× with k = %{customdata}") + "<extra></extra>"
    data = [
        style.line(batches, np.ones(batches.size), translate("plain decoding"), style.BASELINE, dash="dash", width=1.5),
        style.line(
            batches, at_best, translate("best k at each batch"), style.BEST, width=3,
            customdata=best, hovertemplate=best_hover,
        ),
        style.line(
            batches, np.where(table.known[rows, k], table.speedup[rows, k], np.nan),
            translate("k = {k} at every batch").format(k=k), style.SPECULATION, hovertemplate=hover,
        ),
    ]  # fmt: skip
    if not table.known[rows, k].all():
        beyond = np.where(np.roll(table.known[rows, k], -1) & table.known[rows, k], np.nan, table.speedup[rows, k])
        name = translate("extrapolated")
        data.append(style.line(batches, beyond, name, style.SPECULATION, dash="dot", width=1.5, hovertemplate=hover))
    if ghost is not None:
        theirs = shown_batches(int(ghost.table.batch_sizes[-1]))
        values = ghost.table.speedup[theirs - 1, ghost.num_speculative_tokens]
        data.append(style.pinned(theirs, values, translate("pinned"), hovertemplate=hover))
    if answer.load.standing_cost:
        level = np.full(batches.size, answer.serving.off_speedup)
        name = translate("loaded, but off (k = 0)")
        data.append(style.line(batches, level, name, style.OVERHEAD, dash="dot", width=1.5, hovertemplate=hover))
    if answer.verdict.served:
        here = [answer.batch], [answer.outcome.speedup]
        data.append(style.spot(*here, translate("this batch"), size=14, hovertemplate=hover))
    shapes = [_off_area(first, last) for first, last in answer.off]
    axes = {"xaxis": batch_axis(float(batches[-1])), "yaxis": {"rangemode": "tozero"}, "shapes": shapes}
    return {"data": data, "layout": style.layout(_batch_title(translate), translate("Speedup"), **axes)}


def _off_area(first: float, last: float) -> Figure:
    """A band over the batches where plain decoding is faster."""
    colour = style.faded(style.SLOWER, 0.13)
    place = {"xref": "x", "yref": "paper", "x0": max(first - 0.5, 0.8), "x1": last + 0.5, "y0": 0, "y1": 1}
    return {"type": "rect", "layer": "below", "line": {"width": 0}, "fillcolor": colour, **place}


def throughput_figure(answer: LoadAnswer, translate: Translate) -> Figure:
    """Tokens per second of the whole batch, with the best k, with the chosen one, and without speculation."""
    hover = translate("batch %{x}: %{y:,.0f} tokens/s") + "<extra></extra>"
    return _three_lines(
        answer, lambda batches, tpot: 1000 * batches / tpot, hover, translate("Throughput (tokens/s)"), translate
    )


def tpot_figure(answer: LoadAnswer, translate: Translate) -> Figure:
    """Time per output token of one request against batch size, with and without speculation."""
    hover = translate("batch %{x}: %{y:,.2f} ms") + "<extra></extra>"
    return _three_lines(answer, lambda batches, tpot: tpot, hover, translate("Time per output token (ms)"), translate)


def _three_lines(
    answer: LoadAnswer, shown: Callable[[Any, Floats], Floats], hover: str, title: str, translate: Translate
) -> Figure:
    """What is `shown` of batches and their times per output token: without, with the best k, with the chosen one."""
    batches, every = shown_batches(answer.most), shown_batches(answer.plain_most)
    rows, k = batches - 1, answer.num_speculative_tokens
    plain = answer.table.plain_ms[rows]
    without = shown(every, answer.plain_times[every - 1])
    best, chosen = (shown(batches, plain / by) for by in (answer.table.at_best()[rows], answer.table.speedup[rows, k]))
    data = [
        style.line(every, without, translate("without"), style.BASELINE, dash="dash", width=2, hovertemplate=hover),
        style.line(batches, best, translate("best k"), style.BEST, width=3, hovertemplate=hover),
        style.line(batches, chosen, f"k = {k}", style.SPECULATION, hovertemplate=hover),
    ]
    axes = {"xaxis": batch_axis(answer.plain_most), "yaxis": {"rangemode": "tozero"}}
    return {"data": data, "layout": style.layout(_batch_title(translate), title, **axes)}


def schedule_figure(answer: LoadAnswer, translate: Translate) -> Figure:
    """The draft length of the schedule against batch size, and the best one at each batch behind it."""
    batches = answer.table.batch_sizes
    hover = translate("batch %{x}: k = %{y}") + "<extra></extra>"
    best = style.line(
        batches, answer.table.best_loaded, translate("best k at each batch"), style.faded(style.BEST, 0.6), width=2,
        hovertemplate=hover,
    )  # fmt: skip
    steps = style.line(
        batches, answer.scheduled, translate("schedule"), style.SPECULATION, width=4, hovertemplate=hover
    )
    for trace in (best, steps):
        trace["line"]["shape"] = "hv"
    here = int(answer.scheduled[min(max(round(answer.batch), 1), batches.size) - 1])
    spot = style.spot([answer.batch], [here], translate("this batch"), size=13, hovertemplate=hover)
    most = int(max(answer.table.best_loaded.max(), answer.scheduled.max()))
    axes = {"xaxis": batch_axis(float(batches[-1])), "yaxis": {"rangemode": "tozero", "dtick": 1 if most <= 12 else 4}}
    title = _batch_title(translate)
    return {"data": [best, steps, spot], "layout": style.layout(title, translate("Draft tokens per round k"), **axes)}


MAP_CONTEXTS = np.unique(np.geomspace(64, 262_144, 37).astype(np.int64))
MAP_BATCHES = tuple(stop for stop in (*BATCH_STOPS, 768, 1024))
OFF = "#8c5a45"


def map_figure(grid: LoadMap, load: Load, translate: Translate) -> Figure:
    """The best draft length over batch × context, by colour; off has a colour of its own, and the speedup is in it."""
    limit = max(8, int(grid.best.max()))
    labels = [f"{tick}" for tick in range(0, limit + 1, max(1, limit // 8))]
    surface = {
        "type": "heatmap",
        "x": np.arange(grid.batch_sizes.size),
        "y": np.arange(grid.context_tokens.size),
        "z": grid.best.astype(float),
        "customdata": _cells(grid),
        "zmin": 0,
        "zmax": limit,
        "colorscale": [[0, OFF], [0.5 / limit, OFF], [0.5 / limit, "#dff0f0"], [1, "#0c6a72"]],
        "colorbar": {
            "title": {"text": translate("Best k (0 = off)"), "side": "right"},
            "tickvals": [int(label) for label in labels],
            "ticktext": labels,
            "thickness": 12,
        },
        "hovertemplate": translate("batch %{customdata[0]}, context %{customdata[1]}: k = %{z}, %{customdata[2]:.2f}×")
        + "<extra></extra>",
        "name": translate("best k"),
    }
    here = [_position(grid.batch_sizes, load.batch_size)], [_position(grid.context_tokens, load.context_tokens)]
    spot = style.spot(*here, translate("this load"), size=14, hoverinfo="skip", showlegend=True)
    context = declarations(Load)["context_tokens"]
    axes = {
        "xaxis": _named_ticks(grid.batch_sizes, TICKS),
        "yaxis": _named_ticks(grid.context_tokens, (64, 256, 1024, 4096, 16384, 65536, 262144)),
    }
    title = f"{translate(context.label)} {context.symbol} ({translate('tokens')})"
    return {"data": [surface, spot], "layout": style.layout(_batch_title(translate), title, **axes)}


def _cells(grid: LoadMap) -> Floats:
    batches, contexts = np.meshgrid(grid.batch_sizes, grid.context_tokens)
    return np.stack((batches, contexts, grid.speedup), axis=-1)


def _position(values: Floats, at: float) -> float:
    """Where a value lies among rising ones, in steps, in between by its logarithm."""
    return float(np.interp(np.log(max(at, 1e-9)), np.log(values), np.arange(values.size)))


def _named_ticks(values: Floats, wanted: tuple[int, ...]) -> Figure:
    inside = [each for each in wanted if values[0] <= each <= values[-1]]
    return {
        "tickvals": [_position(values, each) for each in inside],
        "ticktext": [f"{each:,}" for each in inside],
        "range": [-0.5, values.size - 0.5],
    }


def pass_figure(serving: Serving, load: Load, k: int, most: int, translate: Translate, turn: float | None) -> Figure:
    """What a pass costs against batch: one token a sequence, and all that are checked; where the arithmetic takes over.

    Left of the turn the weights are being read anyway, and more tokens cost next to nothing; right of it each costs.
    """
    batches = shown_batches(most)
    one = serving.plain_ms(batches, load.context_tokens)
    checked, verified = serving.verify_ms(k, batches, load.context_tokens), round(float(serving.verified(k)), 1)
    hover = translate("batch %{x}: %{y:,.2f} ms") + "<extra></extra>"
    data = [
        style.line(batches, one, translate("one token a request"), style.BASELINE, hovertemplate=hover),
        style.line(
            batches,
            checked,
            translate("{n:g} tokens a request").format(n=verified),
            style.SPECULATION,
            hovertemplate=hover,
        ),
    ]
    for tokens, name, colour in ((1, translate("turn"), style.BASELINE), (verified, "", style.SPECULATION)):
        at = None if turn is None else turn / tokens
        if at is not None and 1 <= at <= most:
            top = float(checked.max())
            text = name or translate("turn at k = {k}").format(k=k)
            data.append(style.line([at, at], [0, top], text, colour, dash="dot", width=1.5, hoverinfo="skip"))
    axes = {"xaxis": batch_axis(float(most)), "yaxis": {"rangemode": "tozero"}}
    return {"data": data, "layout": style.layout(_batch_title(translate), translate("One pass (ms)"), **axes)}
