"""Speculation of one target over time: acceptance, waste, step time, as arrays that a figure draws.

All curves come from one question, so they belong to the same moments. A rate needs at least two scrapes in its window
and is steady with four, so the window of the rates is four scrape intervals or more, measured on the server itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import Message, Verbatim
from specmodel.logs.prometheus.answer import Curve
from specmodel.logs.prometheus.client import Server
from specmodel.logs.prometheus.errors import LiveError
from specmodel.logs.prometheus.promql import ROLE, duration, position_label, ratios, selector, together
from specmodel.logs.prometheus.targets import Target

Floats = NDArray[np.float64]
SCRAPES = 4
USUAL_S = 60.0
LOOK_BACK_S = 600.0
FEWEST_SLOW = 3


@dataclass(frozen=True, eq=False)
class LiveSeries:
    """Values at `time_s` (Unix seconds): tokens per round, acceptance by position (points × k), accepted and wasted
    draft tokens per second, milliseconds of a decoding step and of an output token, running requests.

    Ratios and times are NaN where no round ran; everything is NaN where the engine was not scraped or does not tell.
    `rate_window_s` is what each point looks back on.
    """

    time_s: Floats
    acceptance_length: Floats
    per_position: Floats
    accepted_per_s: Floats
    wasted_per_s: Floats
    step_ms: Floats
    tpot_ms: Floats
    running: Floats
    rate_window_s: float
    notes: tuple[Message, ...] = ()

    def speedup(self, plain_ms: float) -> Floats:
        """How many times as fast as a plain step of `plain_ms` each point decoded; NaN where no time is told."""
        speedup: Floats = plain_ms / self.tpot_ms
        return speedup

    def losing_since(self, plain_ms: float) -> float | None:
        """The time (Unix seconds) since when every point has been slower than plain; None where the last ones are not.

        One or two slow points are no change: three in a row are asked for.
        """
        speedup = self.speedup(plain_ms)
        told = np.flatnonzero(np.isfinite(speedup))
        slower = speedup[told] < 1
        faster = np.flatnonzero(~slower)
        first = int(faster[-1]) + 1 if faster.size else 0
        return float(self.time_s[told[first]]) if slower.size - first >= FEWEST_SLOW else None


def read_series(
    server: Server, target: Target, window_s: float, now: float, points: int = 60, rate_window_s: float | None = None
) -> LiveSeries:
    """The curves over a window that ends now. Raises `LiveError`, of kind `no_data` if nothing was scraped in it.

    >>> read_series(Server("http://127.0.0.1:9"), Target("vLLM", "m", (("model_name", "m"),)), 300, now=0)
    Traceback (most recent call last):
    specmodel.logs.prometheus.errors.LiveError: 127.0.0.1:9 cannot be reached: is it running?
    """
    duration(window_s)
    points = max(int(points), 2)
    step_s = max(round(window_s / (points - 1), 3), 0.001)
    rate_s = rate_window_s or max(rate_window(server, target, now), step_s)
    start = now - step_s * (points - 1)
    expressions = ratios(target.names, target.labels, rate_s)
    answer = server.query_range(together({role: f"({text})" for role, text in expressions.items()}), start, now, step_s)
    if not answer.rows:
        values: dict[str, object] = {"model": Verbatim(target.model), "minutes": window_s / 60}
        raise LiveError(Message("Prometheus has nothing of {model} in the last {minutes:.3g} min", values), "no_data")
    time_s: Floats = np.asarray(start + step_s * np.arange(points), dtype=np.float64)
    curves = {
        role: _on_grid([row for row in answer.rows if row.labels.get(ROLE) == role], time_s, step_s)
        for role in ("acceptance_length", "accepted_per_s", "wasted_per_s", "step_ms", "tpot_ms", "running")
    }
    per_position = _per_position(answer.rows, position_label(target.names), time_s, step_s)
    notes = (*target.names.notes, *answer.notes)
    return LiveSeries(time_s, **curves, per_position=per_position, rate_window_s=rate_s, notes=notes)


def rate_window(server: Server, target: Target, now: float) -> float:
    """Four scrape intervals in seconds, as they are seen in the last samples; a minute if there are too few to see.

    >>> rate_window(Server("http://127.0.0.1:9"), Target("vLLM", "m", (("model_name", "m"),)), now=0)
    Traceback (most recent call last):
    specmodel.logs.prometheus.errors.LiveError: 127.0.0.1:9 cannot be reached: is it running?
    """
    metric = target.names.counters["rounds"][0]
    found = server.raw_samples(f"{selector(metric, target.labels)}[{duration(LOOK_BACK_S)}]", now).rows
    gaps = [float(np.median(np.diff(curve.time_s))) for curve in found if curve.time_s.size > 2]
    return SCRAPES * max(gaps) if gaps else USUAL_S


def _on_grid(rows: Sequence[Curve], time_s: Floats, step_s: float) -> Floats:
    """The values of a curve at the points in time; NaN where it has none."""
    values = np.full(time_s.size, np.nan)
    for row in rows:
        places = np.rint((row.time_s - time_s[0]) / step_s)
        inside = (places >= 0) & (places < time_s.size) & np.isfinite(row.values)
        values[places[inside].astype(int)] = row.values[inside]
    return values


def _per_position(rows: Sequence[Curve], label: str, time_s: Floats, step_s: float) -> Floats:
    """Points × k; shares above 1 or above the position before come from extrapolation and are cut."""
    by_position = {
        int(place): row
        for row in rows
        if row.labels.get(ROLE) == "per_position" and (place := row.labels.get(label, "")).isdecimal()
        if int(place) < 1024
    }
    width = max(by_position, default=-1) + 1
    columns = [_on_grid([by_position[place]] if place in by_position else [], time_s, step_s) for place in range(width)]
    if not columns:
        return np.empty((time_s.size, 0))
    shares: Floats = np.minimum(np.minimum.accumulate(np.stack(columns, axis=1), axis=1), 1.0)
    return shares
