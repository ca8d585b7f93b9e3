"""Groups of requests (kind of prompt, pair of models, temperature), one row each.

An engine should speculate for a kind of prompt only where the tokens it gets per millisecond rise: tau ÷ time of a
round against 1 ÷ time of a plain step.
"""

from dataclasses import dataclass

from specmodel.base.messages import SpecmodelError
from specmodel.engine.case import EngineCase
from specmodel.engine.lengths import best_choice, length_choices
from specmodel.measured.spec_stats import SpecStats


@dataclass(frozen=True)
class GroupRow:
    """One group. Times in ms; None where the file does not say. `share` is its share of the output tokens.

    `first_rejected` is the mean position of the first rejected draft over the rounds that rejected one.
    `accepted_per_ms` counts accepted drafts per millisecond of a round, bonus tokens not counted; `tokens_per_ms` all.
    `best_num_speculative_tokens` is the fastest draft length for this group, 0 for off; None without both times.
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
    best_num_speculative_tokens: int | None

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
        best_num_speculative_tokens=_best(case),
    )


def _best(case: EngineCase) -> int | None:
    if case.rho is None:
        return None
    try:
        best = best_choice(length_choices(case, beyond=0))
    except SpecmodelError:
        return None  # a group whose positions are unknown has no other draft lengths
    return best.num_speculative_tokens if best is not None else None


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
