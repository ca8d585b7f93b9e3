"""Figures of a live engine: curves over time from Prometheus."""

from datetime import UTC, datetime

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.logs.prometheus.series import LiveSeries


def _times(series: LiveSeries) -> list[str]:
    return [datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M:%S") for second in series.time_s]


def _gaps(values: Floats) -> list[float | None]:
    """Values for plotly: a point without one is a gap in the line."""
    return [float(value) if np.isfinite(value) else None for value in values]


def live_length_figure(series: LiveSeries, translate: Translate, break_even: float | None = None) -> Figure:
    """Tokens per round over time, and how many a round has to emit to pay, where that is known."""
    name = translate("tokens per round")
    hover = "%{x}: %{y:.2f}<extra></extra>"
    data = [style.line(_times(series), _gaps(series.acceptance_length), name, style.MEASURED, hovertemplate=hover)]
    data[0]["mode"] = "lines+markers"
    data[0]["marker"] = {"size": 4}
    if break_even is not None:
        data.append(_level(series, break_even, translate("break-even")))
    return {"data": data, "layout": _layout(translate("Tokens per round"), translate, {"rangemode": "tozero"})}


def live_speedup_figure(series: LiveSeries, plain_ms: float, translate: Translate) -> Figure:
    """How many times as fast as plain decoding each moment was, with the line at which it stops paying."""
    name, hover = translate("Speedup"), "%{x}: %{y:.2f}×<extra></extra>"
    data = [
        style.line(_times(series), _gaps(series.speedup(plain_ms)), name, style.MEASURED, hovertemplate=hover),
        _level(series, 1, translate("break-even")),
    ]
    title = style.with_unit(name, "×")
    return {"data": data, "layout": _layout(title, translate, {"rangemode": "tozero"})}


def _level(series: LiveSeries, level: float, name: str) -> Figure:
    ends = [_times(series)[0], _times(series)[-1]]
    return style.line(ends, [level, level], name, style.BREAK_EVEN, width=2, hoverinfo="skip")


def live_position_figure(series: LiveSeries, translate: Translate) -> Figure:
    """Acceptance by position over time; the later the position, the fainter its line."""
    times, k = _times(series), series.per_position.shape[1]
    data = []
    for position in range(k):
        colour = style.faded(style.MEASURED, 1 - 0.75 * position / max(k, 2))
        name = translate("position {i}").format(i=position + 1)
        hover = "%{x}: %{y:.1%}"
        data.append(
            style.line(times, _gaps(series.per_position[:, position]), name, colour, width=2, hovertemplate=hover)
        )
    return {
        "data": data,
        "layout": _layout(translate("Accepted"), translate, {"range": [0, 1.04], "tickformat": ".0%"}),
    }


def live_waste_figure(series: LiveSeries, translate: Translate) -> Figure:
    """Accepted and wasted draft tokens per second over time."""
    times, hover = _times(series), "%{x}: %{y:,.1f}/s"
    pairs = [
        (series.accepted_per_s, translate("accepted drafts"), style.ACCEPTED),
        (series.wasted_per_s, translate("wasted drafts"), style.WASTED),
    ]
    data = [style.line(times, _gaps(values), name, colour, hovertemplate=hover) for values, name, colour in pairs]
    return {"data": data, "layout": _layout(translate("Draft tokens per second"), translate, {"rangemode": "tozero"})}


def live_step_figure(series: LiveSeries, translate: Translate) -> Figure:
    """Milliseconds of a decoding step over time."""
    name, hover = translate("decoding step"), "%{x}: %{y:.2f} ms<extra></extra>"
    data = [style.line(_times(series), _gaps(series.step_ms), name, style.SPECULATION, hovertemplate=hover)]
    title = style.with_unit(translate("Decoding step"), "ms")
    return {"data": data, "layout": _layout(title, translate, {"rangemode": "tozero"})}


def _layout(title: str, translate: Translate, yaxis: Figure) -> Figure:
    return style.layout(translate("Time (UTC)"), title, xaxis={"type": "date", "nticks": 6}, yaxis=yaxis)
