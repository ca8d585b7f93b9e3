"""What may be wrong with an engine's speculation: patterns in its counters, each with evidence and a likely cause.

A symptom, not a diagnosis: the counters cannot see a wiring fault, only what one has looked like elsewhere.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message
from specmodel.measured.spec_stats import SpecStats

FEW_ROUNDS = 50
FEW_UNITS = 6
CLEAR = 4.0  # standard errors: a few units follow no normal distribution


@dataclass(frozen=True)
class Symptom:
    """One pattern: what was seen, what has caused it elsewhere, and where that was reported."""

    key: str
    evidence: Message
    cause: Message
    seen_at: str = ""


def symptoms(stats: SpecStats) -> tuple[Symptom, ...]:
    """Every known pattern that these counters show, the gravest first; see `group_symptoms` for those among groups.

    >>> stats = SpecStats("a", "b", num_rounds=1000, num_draft_tokens=3000, num_accepted_draft_tokens=620,
    ...                   accepted_per_position=(600, 15, 5))
    >>> [each.key for each in symptoms(stats)]
    ['first_only']
    """
    return tuple(symptom for pattern in PATTERNS for symptom in pattern(stats))


def _nothing_drafted(stats: SpecStats) -> Iterator[Symptom]:
    if stats.speculation and stats.num_draft_tokens == 0:
        yield Symptom(
            "nothing_drafted",
            Message("Speculation is configured, but not one token was drafted."),
            Message(
                "The drafter was not loaded or not used: a vocabulary that does not fit the target's, a missing file, "
                "a lookup that never finds anything. Search the engine's start-up messages for a warning."
            ),
            "llama.cpp #27151, vLLM #38174",
        )


def _collapsed(stats: SpecStats) -> Iterator[Symptom]:
    survival, rate = _counted(stats), stats.draft_acceptance_rate
    if survival and len(survival) > 1 and survival[0] < 0.2:
        evidence = Message(
            "Already the first draft is accepted in only {first:.1%} of {rounds:,.0f} rounds, and so no later one can "
            "do better.",
            {"first": survival[0], "rounds": stats.num_rounds},
        )
    elif not survival and rate is not None and rate < 0.03 and _many(stats) and stats.num_draft_tokens != 0:
        evidence = Message("Only {rate:.1%} of all drafts are accepted.", {"rate": rate})
    else:
        return
    cause = Message(
        "All positions low at once: a drafter made for another model or chat template, a draft length above the block "
        "that a block drafter was trained for, or wiring. One that is just too weak looks the same."
    )
    yield Symptom("collapsed", evidence, cause, "vLLM #41834, #41789, llama.cpp #27151")


def _first_only(stats: SpecStats) -> Iterator[Symptom]:
    survival = _counted(stats)
    if survival and len(survival) > 1 and survival[0] >= 0.4 and _second(survival) < min(0.3, 0.6 * survival[0]):
        yield Symptom(
            "first_only",
            Message(
                "The first draft is accepted in {first:.0%} of the rounds, the second only in {second:.0%} of those.",
                {"first": survival[0], "second": survival[1] / survival[0]},
            ),
            Message(
                "Position 1 works and the rest is dead: the drafter's own state is not carried on from one draft to "
                "the next, or one prediction layer is used again that was trained for one step."
            ),
            "vLLM #51009, ik_llama.cpp #1814",
        )


def _second(survival: Sequence[float]) -> float:
    """Acceptance of the second draft, given the first."""
    return survival[1] / survival[0]


def _many(stats: SpecStats) -> bool:
    """Whether enough was drafted to speak of a pattern; a file of ratios alone does not say."""
    if stats.num_rounds is not None:
        return stats.num_rounds >= FEW_ROUNDS
    return stats.num_draft_tokens is None or stats.num_draft_tokens >= 4 * FEW_ROUNDS


def _too_good(stats: SpecStats) -> Iterator[Symptom]:
    rate = stats.draft_acceptance_rate
    if rate is not None and rate > 0.97 and _many(stats) and (stats.num_speculative_tokens or 2) > 1:
        yield Symptom(
            "too_good",
            Message("{rate:.1%} of all drafts are accepted.", {"rate": rate}),
            Message(
                "Read some of the answers: a target that repeats itself in a loop is easy to draft for, and its speed "
                "says nothing about real work. The same is seen where the drafter is the target."
            ),
            "tokenspeed #1305",
        )


def _more_than_k(stats: SpecStats) -> Iterator[Symptom]:
    k, rounds, drafted = stats.num_speculative_tokens, stats.num_rounds, stats.num_draft_tokens
    if k and rounds and drafted and drafted > k * rounds * 1.001:
        yield Symptom(
            "more_than_k",
            Message(
                "{drafted:,.0f} tokens were drafted in {rounds:,.0f} rounds of at most {k}.",
                {"drafted": drafted, "rounds": rounds, "k": k},
            ),
            Message("The draft length was changed during the run, drafts are trees, or rounds are counted elsewhere."),
        )


def _peak_below_mean(stats: SpecStats) -> Iterator[Symptom]:
    peak, mean = stats.peak_tokens_per_s, stats.output_tokens_per_s
    if peak and mean and peak < mean:
        yield Symptom(
            "peak_below_mean",
            Message(
                "The peak throughput ({peak:,.0f} tokens/s) is below the mean ({mean:,.0f} tokens/s).",
                {"peak": peak, "mean": mean},
            ),
            Message(
                "The benchmark counts one token per stream chunk for its peak, but a chunk holds several with "
                "speculation. Use the mean throughput."
            ),
            "vLLM #35471, #51742",
        )


def _seldom_drafts(stats: SpecStats) -> Iterator[Symptom]:
    steps, rounds = stats.num_steps, stats.num_rounds
    if steps and rounds is not None and steps >= FEW_ROUNDS and 0 < rounds / steps < 0.5:
        yield Symptom(
            "seldom_drafts",
            Message("Only {share:.0%} of the decoding steps carried a draft.", {"share": rounds / steps}),
            Message(
                "Usual for a lookup, which often finds nothing. Tokens per round then flatter it: what counts for "
                "speed are the tokens of all steps."
            ),
        )


def _falls_with_time(stats: SpecStats) -> Iterator[Symptom]:
    """The first and the last third of the units, where they differ by more than the units do among themselves."""
    if stats.units is None or stats.units.kind == "rounds" or len(stats.units.counts) < 3 * FEW_UNITS:
        return
    counts = stats.units.counts
    third = len(counts) // 3
    if not counts[:third, 1].any() or not counts[-third:, 1].any():
        return
    (first, spread), (last, spread_end) = _spread(counts[:third]), _spread(counts[-third:])
    if last < first * 0.9 and first - last > CLEAR * math.hypot(spread, spread_end):
        yield Symptom(
            "falls_with_time",
            Message(
                "Accepted ÷ drafted falls from {first:.0%} in the first third of the file to {last:.0%} in the last.",
                {"first": first, "last": last},
            ),
            Message(
                "Contexts grew, or the kind of work changed. Acceptance falls with the length of the context for many "
                "drafters; a mean over the whole file then describes neither end."
            ),
            "vLLM #47602, speculators #684",
        )


def _spread(counts: Floats) -> tuple[float, float]:
    """Accepted ÷ drafted of some units, and its standard error from how the units differ (Cochran 1977, eq. 6.10)."""
    drafted, kept = counts[:, 1], counts[:, 2]
    rate, size = kept.sum() / drafted.sum(), len(counts)
    squares = float(np.sum((kept - rate * drafted) ** 2))
    return float(rate), math.sqrt(squares * size / (size - 1)) / float(drafted.sum())


def _counted(stats: SpecStats) -> tuple[float, ...] | None:
    """Acceptance by position where enough rounds were counted to speak of a pattern."""
    survival = stats.per_position_acceptance
    return survival if survival and (stats.num_rounds or 0) >= FEW_ROUNDS else None


PATTERNS: tuple[Callable[[SpecStats], Iterator[Symptom]], ...] = (
    _nothing_drafted,
    _collapsed,
    _first_only,
    _too_good,
    _more_than_k,
    _peak_below_mean,
    _seldom_drafts,
    _falls_with_time,
)
