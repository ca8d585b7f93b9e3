"""All models that a Prometheus knows at once: one question for each naming of metrics, none for each row.

A question asks for every counter of all engines of one naming, summed by the labels that tell the targets apart; each
row of the answer is then given to the target that it belongs to.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import Message
from specmodel.logs.prometheus.answer import Sample
from specmodel.logs.prometheus.client import Server
from specmodel.logs.prometheus.engines import NAMINGS, Engine, Metric
from specmodel.logs.prometheus.errors import LiveError
from specmodel.logs.prometheus.promql import ROLE, duration, position_label, selector, together
from specmodel.logs.prometheus.targets import MODEL, Target
from specmodel.logs.prometheus.window import plain_of, stats_of
from specmodel.measured.spec_stats import SpecStats

BY_POSITION = ("positions", "drafted_positions")


@dataclass(frozen=True)
class FleetRow:
    """One model: its counters over the window, or why there are none, and those of its plain instances."""

    target: Target
    stats: SpecStats | None
    plain: SpecStats | None = None
    missing: Message | None = None


def read_fleet(server: Server, targets: Sequence[Target], window_s: float, now: float) -> tuple[FleetRow, ...]:
    """The counters of all targets over a window that ends now, in their order. Raises `LiveError`.

    >>> read_fleet(Server("http://127.0.0.1:9"), (), 300, now=0)
    ()
    """
    rows: dict[str, tuple[tuple[Sample, ...], tuple[Message, ...]]] = {}
    for prefix in dict.fromkeys(each.names.prefix for each in targets):
        mine = [each for each in targets if each.names.prefix == prefix]
        answer = server.query(together(_parts(NAMINGS[prefix], _labels(mine), window_s)), now)
        rows[prefix] = answer.rows, answer.notes
    return tuple(_row(target, *rows[target.names.prefix], window_s) for target in targets)


def _labels(targets: Iterable[Target]) -> tuple[str, ...]:
    """The labels that tell these targets, and their plain instances, apart."""
    both = [each for target in targets for each in (target, target.plain) if each is not None]
    return tuple(dict.fromkeys((MODEL, *(name for each in both for name, _ in each.labels))))


def _parts(engine: Engine, labels: Sequence[str], window_s: float) -> dict[str, str]:
    window = duration(window_s)
    found = {
        role: _first(metrics, labels, window) for role, metrics in engine.counters.items() if role not in BY_POSITION
    }
    for role in BY_POSITION:
        if role in engine.counters:
            found[role] = _summed(engine.counters[role][0], (*labels, engine.counters[role][0].by), window)
    by, gauges = ", ".join(labels), {role: selector(metric, ()) for role, metric in engine.gauges.items()}
    if "running" in gauges:
        resolution = duration(max(window_s / 60, 5.0))
        found["batch"] = f"avg by ({by}) (avg_over_time(({gauges['running']} > 0)[{window}:{resolution}]))"
    if "draft_steps" in gauges:
        found["most_steps"] = f"max by ({by}) (max_over_time({gauges['draft_steps']}[{window}]))"
        found["fewest_steps"] = f"min by ({by}) (min_over_time({gauges['draft_steps']}[{window}]))"
        found["verified"] = f"max by ({by}) (max_over_time({gauges['verified']}[{window}]))"
    return found


def _first(metrics: Sequence[Metric], labels: Sequence[str], window: str) -> str:
    parts = [_summed(metric, labels, window) for metric in metrics]
    return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})"


def _summed(metric: Metric, labels: Sequence[str], window: str) -> str:
    return f"sum by ({', '.join(labels)}) (increase({selector(metric, ())}[{window}]))"


COMBINED = {"batch": max, "most_steps": max, "fewest_steps": min, "verified": max}
"""How gauges of several rows of one target become one; counters are added."""


def _row(target: Target, rows: Sequence[Sample], notes: Sequence[Message], window_s: float) -> FleetRow:
    plain = None
    if target.plain is not None:
        try:
            plain = plain_of(target.plain, _values(target.plain, rows)[0], window_s, notes)
        except LiveError:
            plain = None  # they served nothing
    try:
        return FleetRow(target, stats_of(target, *_values(target, rows), window_s, notes), plain)
    except LiveError as error:
        return FleetRow(target, None, plain, error.message)


def _values(target: Target, rows: Sequence[Sample]) -> tuple[dict[str, float], dict[str, dict[int, float]]]:
    values: dict[str, float] = {}
    positions: dict[str, dict[int, float]] = {role: {} for role in BY_POSITION}
    label = position_label(target.names)
    for row in rows:
        role = row.labels.get(ROLE, "")
        if not math.isfinite(row.value) or not _belongs(row.labels, target):
            continue
        if role in positions:
            place = row.labels.get(label, "")
            if place.isdecimal() and int(place) < 1024:
                positions[role][int(place)] = positions[role].get(int(place), 0.0) + row.value
        elif role in COMBINED:
            values[role] = COMBINED[role](values.get(role, row.value), row.value)
        else:
            values[role] = values.get(role, 0.0) + row.value
    return values, positions


def _belongs(labels: Mapping[str, str], target: Target) -> bool:
    """Whether a row has the labels that select the target: a label that is not there is empty, as in PromQL."""
    return all(
        labels.get(name, "") == value if isinstance(value, str) else labels.get(name, "") in value
        for name, value in target.labels
    )
