"""The window of a live server cut into steps: what shows how much its acceptance and its speed vary.

A window read as a whole is one number; its steps are repeats of it. They are asked for separately, and a server that
does not answer leaves the window as it was.
"""

from collections.abc import Mapping

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.logs.prometheus.answer import Curve
from specmodel.logs.prometheus.client import Server
from specmodel.logs.prometheus.errors import LiveError
from specmodel.logs.prometheus.promql import ROLE, duration, summed, together
from specmodel.logs.prometheus.series import rate_window
from specmodel.logs.prometheus.targets import Target
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

MOST_STEPS = 24
FEWEST_STEPS = 4
COUNTED = ("rounds", "drafted", "accepted", "generated", "first_tokens", "step_seconds", "token_seconds", "tokens")


def with_steps(server: Server, target: Target, stats: SpecStats, now: float) -> SpecStats:
    """The same counters with those of each step of their window as units, and its pace where the engine tells times.

    Steps are as long as four scrapes at least, since an increase needs two. The units are scaled to the counters of the
    whole window, which Prometheus extrapolates a little differently. Fewer than four steps with rounds are none.

    >>> stats = SpecStats("vLLM", "Prometheus", num_rounds=100, window_s=300)
    >>> with_steps(Server("http://127.0.0.1:9"), Target("vLLM", "m", (("model_name", "m"),)), stats, 0) is stats
    True
    """
    if not stats.window_s:
        return stats
    try:
        found = _increases(server, target, stats.window_s, now)
    except LiveError:
        return stats
    return stats.replace(units=_units(found, stats), pace=_pace(found))


def _increases(server: Server, target: Target, window_s: float, now: float) -> Mapping[str, Floats]:
    """What each counter rose by in each step, by its role; 0 where it was not scraped."""
    step_s = max(window_s / MOST_STEPS, rate_window(server, target, now))
    count = int(window_s / step_s)
    if count < FEWEST_STEPS:
        return {}
    counters, window = target.names.counters, duration(step_s)
    asked = {role: summed(counters[role], target.labels, "increase", window) for role in COUNTED if role in counters}
    start = now - step_s * (count - 1)
    answer = server.query_range(together({role: f"({text})" for role, text in asked.items()}), start, now, step_s)
    return {row.labels.get(ROLE, ""): _on_steps(row, start, step_s, count) for row in answer.rows}


def _on_steps(curve: Curve, start: float, step_s: float, count: int) -> Floats:
    values = np.zeros(count)
    places = np.rint((curve.time_s - start) / step_s)
    inside = (places >= 0) & (places < count) & np.isfinite(curve.values)
    values[places[inside].astype(int)] = np.maximum(curve.values[inside], 0.0)
    return values


def _units(found: Mapping[str, Floats], stats: SpecStats) -> Units | None:
    rounds, accepted = found.get("rounds"), found.get("accepted")
    if rounds is None or not stats.num_rounds or stats.num_accepted_draft_tokens is None:
        return None
    if accepted is None:
        if "generated" not in found:
            return None
        accepted = np.maximum(found["generated"] - found.get("first_tokens", np.zeros_like(rounds)) - rounds, 0.0)
    ran = rounds > 0
    if ran.sum() < FEWEST_STEPS or not accepted[ran].sum():
        return None
    whole = (stats.num_rounds, stats.num_draft_tokens or 0.0, stats.num_accepted_draft_tokens)
    columns = (rounds[ran], found.get("drafted", np.zeros_like(rounds))[ran], accepted[ran])
    scaled = [each * (total / each.sum() if each.sum() else 0.0) for each, total in zip(columns, whole, strict=True)]
    return Units.of("windows", [(*row, None) for row in zip(*(each.tolist() for each in scaled), strict=True)])


def _pace(found: Mapping[str, Floats]) -> Units | None:
    """Output tokens of each step and the milliseconds that its sequences spent on them."""
    tokens, seconds = found.get("tokens"), found.get("token_seconds")
    if tokens is None or seconds is None:
        seconds, generated = found.get("step_seconds"), found.get("generated")
        if seconds is None or generated is None:
            return None
        tokens = generated - found.get("first_tokens", np.zeros_like(generated))
    ran = (tokens > 0) & (seconds > 0)
    if ran.sum() < FEWEST_STEPS:
        return None
    rows = zip(tokens[ran].tolist(), (1000 * seconds[ran]).tolist(), strict=True)
    return Units.of("windows", [(*row, 0.0, None) for row in rows])
