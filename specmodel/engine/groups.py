"""Groups of requests (kind of prompt, pair of models, temperature), one row each, and what a mix of them gives.

An engine should speculate for a kind of prompt only where the tokens it gets per millisecond rise: tau ÷ time of a
round against 1 ÷ time of a plain step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from specmodel.base.messages import Message
from specmodel.engine.case import EngineCase
from specmodel.measured.spec_stats import SpecStats, StatsError


@dataclass(frozen=True)
class GroupRow:
    """One group. Times in ms; None where the file does not say. `share` is its share of the output tokens.

    `first_rejected` is the mean position of the first rejected draft over the rounds that rejected one.
    `accepted_per_ms` counts accepted drafts per millisecond of a round, bonus tokens not counted; `tokens_per_ms` all.
    """

    label: str
    proposed: float | None
    accepted: float | None
    accepted_length: float | None
    first_rejected: float | None
    draft_ms: float | None
    verify_ms: float | None
    round_ms: float | None
    latency_ms: float | None
    tokens_per_s: float | None
    memory_gb: float | None
    accepted_per_ms: float | None
    tokens_per_ms: float | None
    plain_tokens_per_ms: float | None
    tokens_per_step: float | None
    share: float | None

    @property
    def speedup(self) -> float | None:
        """Tokens per ms with ÷ without speculation; None where either time is unknown."""
        if self.tokens_per_ms is None or not self.plain_tokens_per_ms:
            return None
        return self.tokens_per_ms / self.plain_tokens_per_ms

    @property
    def pays(self) -> bool | None:
        """On or off for this group."""
        return None if self.speedup is None else self.speedup > 1


def group_row(case: EngineCase, share: float | None = None) -> GroupRow:
    """The row of one group.

    >>> stats = SpecStats("a", "b", label="code", num_rounds=100, num_draft_tokens=300,
    ...                   num_accepted_draft_tokens=180, step_ms=12.0)
    >>> row = group_row(EngineCase(stats, plain_ms_typed=10.0))
    >>> round(row.accepted_length, 3), row.accepted_per_ms, round(row.speedup, 3)
    (1.8, 0.15, 2.333)
    """
    stats, round_ms, tokens = case.stats, case.round_ms, case.tokens_per_step
    tau = stats.mean_acceptance_length
    kept = None if tau is None else tau - 1
    plain, per_token = case.ms_per_token
    return GroupRow(
        label=stats.label,
        proposed=stats.num_draft_tokens,
        accepted=stats.num_accepted_draft_tokens,
        accepted_length=kept,
        first_rejected=first_rejected(stats),
        draft_ms=stats.draft_ms,
        verify_ms=stats.verify_ms,
        round_ms=round_ms,
        latency_ms=stats.request_ms,
        tokens_per_s=stats.output_tokens_per_s or (1000 / per_token if per_token else None),
        memory_gb=stats.memory_gb,
        accepted_per_ms=(tokens - 1) / round_ms if tokens and round_ms else None,
        tokens_per_ms=1 / per_token if per_token else None,
        plain_tokens_per_ms=1 / plain if plain else None,
        tokens_per_step=tokens,
        share=share,
    )


def first_rejected(stats: SpecStats) -> float | None:
    """Mean position of the first rejected draft, over the rounds that rejected one; None where that is unknown.

        Σ_{i=1..k} i·(S_{i−1} − S_i) ÷ (1 − S_k)

    (derived here; rounds that proposed fewer than k drafts count as rejected behind their last one)

    >>> first_rejected(SpecStats("a", "b", num_rounds=10, accepted_per_position=(5, 0)))
    1.5
    """
    survival = stats.per_position_acceptance
    if not survival or survival[-1] >= 1:
        return None
    before = (1.0, *survival[:-1])
    weighted = sum(i * (b - s) for i, (b, s) in enumerate(zip(before, survival, strict=True), start=1))
    return weighted / (1 - survival[-1])


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
