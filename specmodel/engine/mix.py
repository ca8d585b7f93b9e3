"""A mix of groups of requests: what all of them give together, by their shares of the output tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from specmodel.base.messages import Message
from specmodel.engine.groups import GroupRow
from specmodel.measured.spec_stats import SpecStats, StatsError


@dataclass(frozen=True)
class Mix:
    """All groups together, by shares of the output tokens.

    `tokens_per_step` is the harmonic mean of the groups'. `speedup` has speculation on everywhere, `selective_speedup`
    only where it pays; None where a time is unknown.
    """

    tokens_per_step: float | None
    speedup: float | None
    selective_speedup: float | None


def mix(rows: Sequence[GroupRow]) -> Mix:
    """The mix by the rows' shares; without shares all groups count the same.

        tokens per step = 1 ÷ Σ w_g/tau_g,   time of a token = Σ w_g·t_g

    Requests of equal length add up their rounds, so their tau is a harmonic mean (derived here).

    >>> from specmodel.engine.case import EngineCase
    >>> from specmodel.engine.groups import group_row
    >>> even = [group_row(EngineCase(SpecStats("a", "b", printed_length=tau, step_ms=12.0), plain_ms_typed=8.0))
    ...         for tau in (1.0, 3.0)]
    >>> found = mix(even)
    >>> found.tokens_per_step, found.speedup, round(found.selective_speedup, 3)
    (1.5, 1.0, 1.333)
    """
    if not rows:
        raise StatsError(Message("there is nothing to add up"))
    shares = _shares(rows)
    lengths = [row.tokens_per_step for row in rows]
    tau = None if not all(lengths) else 1 / sum(w / length for w, length in zip(shares, lengths, strict=True) if length)
    if any(row.tokens_per_ms is None or row.plain_tokens_per_ms is None for row in rows):
        return Mix(tau, None, None)
    plain = [1 / (row.plain_tokens_per_ms or 1) for row in rows]
    fast = [1 / (row.tokens_per_ms or 1) for row in rows]
    total = sum(w * t for w, t in zip(shares, plain, strict=True))
    on = sum(w * t for w, t in zip(shares, fast, strict=True))
    chosen = sum(w * min(t, p) for w, t, p in zip(shares, fast, plain, strict=True))
    return Mix(tau, total / on if on else None, total / chosen if chosen else None)


def _shares(rows: Sequence[GroupRow]) -> list[float]:
    given = [row.share for row in rows]
    if any(share is None for share in given) or not sum(share or 0 for share in given):
        return [1 / len(rows)] * len(rows)
    whole = sum(share or 0 for share in given)
    return [(share or 0) / whole for share in given]


def token_shares(groups: Sequence[SpecStats]) -> tuple[float, ...] | None:
    """Each group's share of the output tokens as measured; None where that is unknown for any of them.

    >>> token_shares([SpecStats("a", "b", generated_tokens=30), SpecStats("a", "b", generated_tokens=10)])
    (0.75, 0.25)
    """
    tokens = [_tokens(each) for each in groups]
    if not tokens or any(each is None for each in tokens) or not sum(each or 0 for each in tokens):
        return None
    return tuple((each or 0) / sum(other or 0 for other in tokens) for each in tokens)


def _tokens(stats: SpecStats) -> float | None:
    if stats.generated_tokens is not None:
        return stats.generated_tokens
    if stats.num_rounds is None or stats.num_accepted_draft_tokens is None:
        return None
    return stats.num_rounds + stats.num_accepted_draft_tokens
