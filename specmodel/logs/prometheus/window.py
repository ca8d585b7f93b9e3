"""The speculation counters of one target over a window that ends now, as `SpecStats` for the same analysis as a file.

`increase()` extrapolates what was scraped to the ends of the window. So the counts are estimates and no whole numbers,
and identities that hold for an engine's own counters hold here only nearly.
"""

import math
from collections.abc import Mapping, Sequence

from specmodel.base.messages import N_, Message, Verbatim
from specmodel.logs.prometheus.client import Server
from specmodel.logs.prometheus.engines import Engine
from specmodel.logs.prometheus.errors import LiveError
from specmodel.logs.prometheus.promql import ROLE, duration, position_label, selector, summed, together
from specmodel.logs.prometheus.targets import Target
from specmodel.measured.spec_stats import SpecStats

Values = Mapping[str, float]
Positions = Mapping[str, Mapping[int, float]]
SOURCE = N_("Prometheus")
LOOSE = 0.05  # how far the positions may miss the accepted tokens
EXTRAPOLATED = Message(
    "Prometheus extrapolates counters to the ends of the window: the counts are estimates, and acceptance by position "
    "is scaled to the accepted tokens"
)


def read_window(server: Server, target: Target, window_s: float, now: float) -> SpecStats:
    """What the counters of a target rose by in the window, summed over its engines and instances.

    Raises `LiveError`: of kind `no_data` without two scrapes in the window, `idle` if no round ran in it.

    >>> read_window(Server("http://127.0.0.1:9"), Target("vLLM", "m", (("model_name", "m"),)), 300, now=0)
    Traceback (most recent call last):
    specmodel.logs.prometheus.errors.LiveError: 127.0.0.1:9 cannot be reached: is it running?
    """
    engine = target.names
    answer = server.query(together(_parts(engine, target, window_s)), now)
    values: dict[str, float] = {}
    positions: dict[str, dict[int, float]] = {"positions": {}, "drafted_positions": {}}
    for row in answer.rows:
        role, place = row.labels.get(ROLE, ""), row.labels.get(position_label(engine), "")
        if not math.isfinite(row.value):
            continue
        if role not in positions:
            values[role] = row.value
        elif place.isdecimal() and int(place) < 1024:
            positions[role][int(place)] = row.value
    return stats_of(target, values, positions, window_s, answer.notes)


SERVES = ("generated", "first_tokens", "first_token_seconds", "steps", "step_seconds", "tokens", "token_seconds")


def read_plain(server: Server, target: Target, window_s: float, now: float) -> SpecStats:
    """The same of instances that do not speculate: a baseline. Raises `LiveError`, `idle` if they served nothing.

    >>> read_plain(Server("http://127.0.0.1:9"), Target("vLLM", "m", (("model_name", "m"),)), 300, now=0)
    Traceback (most recent call last):
    specmodel.logs.prometheus.errors.LiveError: 127.0.0.1:9 cannot be reached: is it running?
    """
    engine = target.names
    parts = {role: text for role, text in _parts(engine, target, window_s).items() if role in (*SERVES, "batch")}
    answer = server.query(together(parts), now)
    values = {row.labels.get(ROLE, ""): row.value for row in answer.rows if math.isfinite(row.value)}
    return plain_of(target, values, window_s, answer.notes)


def plain_of(target: Target, values: Values, window_s: float, notes: Sequence[Message]) -> SpecStats:
    """The same from what the counters rose by, by their roles.

    >>> target = Target("vLLM", "m", (("model_name", "m"),))
    >>> plain_of(target, {"generated": 500, "step_seconds": 5, "steps": 500}, 300, ()).step_ms
    10.0
    """
    if not values.get("generated"):
        shown: dict[str, object] = {"model": Verbatim(target.where or target.model), "minutes": window_s / 60}
        text = "{model} served nothing in the last {minutes:.3g} min: there is no baseline"
        raise LiveError(Message(text, shown), "idle")
    stats = SpecStats(
        target.engine,
        SOURCE,
        model=target.model or None,
        label=Verbatim(target.where or target.model),
        speculation=False,
    )
    return stats.replace(estimated=True, window_s=float(window_s), notes=tuple(notes), **_served(values))


def _served(values: Values) -> dict[str, float | None]:
    """What both kinds of instances tell: tokens, steps, requests, and their times."""
    return {
        "generated_tokens": _rounded(values.get("generated")),
        "num_steps": _rounded(values.get("steps")),
        "num_requests": _rounded(values.get("first_tokens")),
        "step_ms": _mean_ms(values, "step_seconds", "steps"),
        "tpot_ms": _mean_ms(values, "token_seconds", "tokens"),
        "ttft_ms": _mean_ms(values, "first_token_seconds", "first_tokens"),
        "batch_size": values.get("batch"),
    }


def _parts(engine: Engine, target: Target, window_s: float) -> dict[str, str]:
    """What is asked of a target, by its roles."""
    window = duration(window_s)
    parts = {role: summed(metrics, target.labels, "increase", window) for role, metrics in engine.counters.items()}
    parts["resets"] = summed(engine.counters["rounds"], target.labels, "resets", window)
    gauges = {role: selector(metric, target.labels) for role, metric in engine.gauges.items()}
    if "running" in gauges:
        # of one engine, over the times at which it had something to do: what the time of a step depends on
        resolution = duration(max(window_s / 240, 1.0))
        parts["batch"] = f"avg(avg_over_time(({gauges['running']} > 0)[{window}:{resolution}]))"
    if "draft_steps" in gauges:
        parts["most_steps"] = f"max(max_over_time({gauges['draft_steps']}[{window}]))"
        parts["fewest_steps"] = f"min(min_over_time({gauges['draft_steps']}[{window}]))"
        parts["verified"] = f"max(max_over_time({gauges['verified']}[{window}]))"
    return parts


def _check(values: Values, target: Target, window_s: float) -> None:
    shown: dict[str, object] = {"model": Verbatim(target.model), "minutes": window_s / 60}
    if "rounds" not in values:
        text = "Prometheus has fewer than two scrapes of {model} in the last {minutes:.3g} min: choose a longer window"
        raise LiveError(Message(text, shown), "no_data")
    if values["rounds"] <= 0:
        text = "{model} drafted nothing in the last {minutes:.3g} min: it was idle, or speculation was off"
        raise LiveError(Message(text, shown), "idle")


def stats_of(
    target: Target, values: Values, positions: Positions, window_s: float, notes: Sequence[Message]
) -> SpecStats:
    """The counters of a target from what they rose by, by their roles, those by position apart. Raises `LiveError`.

    >>> target = Target("vLLM", "m", (("model_name", "m"),))
    >>> stats_of(target, {"rounds": 100, "drafted": 300, "accepted": 150}, {"positions": {}, "drafted_positions": {}},
    ...          300, ()).mean_acceptance_length
    2.5
    """
    _check(values, target, window_s)
    engine = target.names
    rounds, k = values["rounds"], _draft_length(values, positions)
    drafted, accepted = _drafted(values), _accepted(values)
    if drafted is not None and accepted is not None:
        accepted = min(accepted, drafted)
    by_position, more = _by_position(positions["positions"], rounds, accepted)
    stats = SpecStats(
        engine.name,
        SOURCE,
        model=target.model or None,
        label=Verbatim(target.model),
        estimated=True,
        num_speculative_tokens=k,
        num_rounds=_rounded(rounds),
        num_draft_tokens=_rounded(drafted),
        num_accepted_draft_tokens=_rounded(accepted),
        accepted_per_position=by_position,
        drafted_per_position=_drafted_by_position(positions["drafted_positions"], rounds),
        window_s=float(window_s),
        notes=(EXTRAPOLATED, *engine.notes, *more, *_restarts(values), *notes),
    )
    return stats.replace(**_served(values))


def _accepted(values: Values) -> float | None:
    """As counted, or output tokens less rounds and first tokens."""
    if "accepted" in values:
        return values["accepted"]
    if "generated" not in values:
        return None
    return max(values["generated"] - values.get("first_tokens", 0.0) - values["rounds"], 0.0)


def _drafted(values: Values) -> float | None:
    """As counted, or rounds × k where every round drafted a chain of the same k; None where that is not known."""
    if "drafted" in values:
        return values["drafted"]
    steps = values.get("most_steps")
    chain = steps is not None and steps == values.get("fewest_steps") == values.get("verified", 0) - 1
    return values["rounds"] * steps if chain and steps else None


def _draft_length(values: Values, positions: Positions) -> int | None:
    """k: the positions that the engine has, the longest draft where it tells that, or what a round drafted."""
    if positions["positions"]:
        return max(positions["positions"]) + 1
    return int(values["most_steps"]) or None if "most_steps" in values else None


def _by_position(
    found: Mapping[int, float], rounds: float, accepted: float | None
) -> tuple[tuple[float, ...] | None, tuple[Message, ...]]:
    """A_1 … A_k scaled to the accepted tokens and made to never rise, with notes on what that changed."""
    counts = [found.get(position, 0.0) for position in range(max(found, default=-1) + 1)]
    if not counts or accepted is None:
        return None, ()
    total = sum(counts)
    if abs(total - accepted) > LOOSE * max(accepted, 1.0):
        values = {"sum": total, "accepted": accepted}
        text = "accepted by position adds up to {sum:,.0f} and {accepted:,.0f} were accepted: positions are left out"
        return None, (Message(text, values),)
    scale = accepted / total if total else 1.0
    clipped, most, moved = [], rounds, 0.0
    for count in counts:
        most = min(most, count * scale)
        moved = max(moved, count * scale - most)
        clipped.append(_rounded(most) or 0.0)
    if moved <= 0.001 * rounds:
        return tuple(clipped), ()
    text = "acceptance by position rose by {share:.1%} of the rounds somewhere, by extrapolation: it was cut there"
    return tuple(clipped), (Message(text, {"share": moved / rounds}),)


def _drafted_by_position(found: Mapping[int, float], rounds: float) -> tuple[float, ...] | None:
    """Drafted by position where that is counted and not nearly the same everywhere."""
    counts = [found.get(position, 0.0) for position in range(max(found, default=-1) + 1)]
    if not counts or min(counts) >= rounds * (1 - LOOSE):
        return None
    return tuple(_rounded(min(count, rounds)) or 0.0 for count in counts)


def _mean_ms(values: Values, seconds: str, count: str) -> float | None:
    if not values.get(count) or seconds not in values:
        return None
    return 1000 * values[seconds] / values[count]


def _rounded(value: float | None) -> float | None:
    """Large counts as whole numbers; small ones keep two places, so that ratios stay what they are."""
    return None if value is None else float(round(value)) if value >= 10_000 else round(value, 2)


def _restarts(values: Values) -> tuple[Message, ...]:
    """A note on counters that fell: `increase` counts on from 0 there."""
    if values.get("resets", 0.0) <= 0:
        return ()
    text = "an engine was started anew in the window ({count:.0f} times): what it counted since its last scrape is lost"
    return (Message(text, {"count": values["resets"]}),)
