"""What a run with speculation and one without say about speed, side by side, and where the time of a round goes.

Inter-token latency, time per output token and throughput are not the same thing under speculation: a stream chunk holds
several tokens, and prefill does not shrink. So each ratio is named, and they stand beside each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.engine.case import EngineCase
from specmodel.engine.comparable import tpot_ms
from specmodel.measured.spec_stats import SpecStats


@dataclass(frozen=True)
class Ratio:
    """One measure of speed, without and with speculation; `speedup` above 1 means faster with it."""

    key: str
    label: str
    meaning: str
    without: float
    with_speculation: float
    unit: str
    higher_is_faster: bool = False

    @property
    def speedup(self) -> float:
        """Without ÷ with, or with ÷ without where more is faster."""
        above, below = self.without, self.with_speculation
        return below / above if self.higher_is_faster else above / below


MEASURES = (
    ("tpot_ms", N_("Time per output token"), N_("Decode speedup: prefill is not in it."), "ms", False),
    (
        "itl_ms",
        N_("Gap between stream chunks (ITL)"),
        N_("Not a speedup: with speculation a chunk holds several tokens, so this is the time of a round."),
        "ms",
        False,
    ),
    (
        "output_tokens_per_s",
        N_("Output throughput"),
        N_("The whole run, prefill and waiting included: what a user of the server gets."),
        "tokens/s",
        True,
    ),
    ("request_ms", N_("Time of a request"), N_("Prefill and decoding together."), "ms", False),
    ("ttft_ms", N_("Time to first token"), N_("Speculation cannot shorten it; drafting may lengthen it."), "ms", False),
)


WHOLE = ("output_tokens_per_s", "request_ms")
"""What a user gets: prefill and waiting are in it."""
APART = 0.1
PER_TOKEN = ("tpot_ms", "itl_ms")
"""What depends on how many requests decode at once."""


def side_by_side(stats: SpecStats, baseline: SpecStats | None) -> tuple[Ratio, ...]:
    """Every measure of speed that both runs have.

    >>> found = side_by_side(SpecStats("a", "b", tpot_ms=5.0), SpecStats("a", "b", speculation=False, tpot_ms=10.0))
    >>> found[0].key, found[0].speedup
    ('tpot_ms', 2.0)
    """
    if baseline is None:
        return ()
    found = []
    for key, label, meaning, unit, higher in MEASURES:
        both = [_value(each, key) for each in (baseline, stats)]
        if both[0] and both[1]:
            found.append(Ratio(key, label, meaning, both[0], both[1], unit, higher))
    return tuple(found)


def _value(stats: SpecStats, key: str) -> float | None:
    if key == "tpot_ms":
        return tpot_ms(stats)
    value: float | None = getattr(stats, key)
    return request_ms(stats) if key == "request_ms" else value


def measures(case: EngineCase) -> tuple[Ratio, ...]:
    """The measures of speed that say something of a run and its baseline: of two runs at unlike load those of the whole
    run only, since their times per token are of different batches; of a baseline that speculates itself none.

    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=18.0, output_tokens_per_s=1000.0)
    >>> [each.key for each in measures(EngineCase(SpecStats("a", "b", tpot_ms=10.0, output_tokens_per_s=800.0), plain))]
    ['output_tokens_per_s']
    """
    if case.comparability is None or case.comparability.no_baseline is not None:
        return ()
    found = side_by_side(case.stats, case.baseline)
    return found if case.plain_run is not None else tuple(each for each in found if each.key not in PER_TOKEN)


def request_ms(stats: SpecStats) -> float | None:
    """Time of a request: as measured, or time to first token + time per output token × the tokens after the first.

    The second is exact where all requests are as long, and close where their length does not go with their speed.

    >>> request_ms(SpecStats("a", "b", ttft_ms=100.0, tpot_ms=10.0, generated_tokens=110.0, num_requests=10.0))
    200.0
    """
    if stats.request_ms is not None or not stats.num_requests or stats.generated_tokens is None:
        return stats.request_ms
    if stats.ttft_ms is None or stats.tpot_ms is None:
        return None
    return stats.ttft_ms + stats.tpot_ms * max(stats.generated_tokens / stats.num_requests - 1, 0.0)


def disagreeing(ratios: Sequence[Ratio], speedup: float) -> tuple[Ratio, ...]:
    """The measures of what a user gets that tell another story than the decode speedup.

    Throughput and the time of a request, where they differ from it by more than a tenth or fall on the other side of 1;
    the time to the first token, which speculation cannot shorten, where it became more than a tenth longer.

    >>> [each.key for each in disagreeing([Ratio("output_tokens_per_s", "", "", 100.0, 80.0, "tokens/s", True)], 1.8)]
    ['output_tokens_per_s']
    """
    found = []
    for each in ratios:
        if each.key in WHOLE:
            differs = max(each.speedup, speedup) > (1 + APART) * min(each.speedup, speedup)
            if differs or (each.speedup - 1) * (speedup - 1) < 0:
                found.append(each)
        elif each.key == "ttft_ms" and each.speedup < 1 / (1 + APART):
            found.append(each)
    return tuple(found)


def contradicting(ratios: Sequence[Ratio], speedup: float, close: float) -> tuple[Ratio, ...]:
    """The measures of the whole run on the other side of 1, by more than what is too close to tell apart.

    >>> slower = Ratio("output_tokens_per_s", "", "", 100.0, 80.0, "tokens/s", True)
    >>> [each.key for each in contradicting([slower], 1.8, 0.02)], contradicting([slower], 0.9, 0.02)
    (['output_tokens_per_s'], ())
    """
    whole = [each for each in ratios if each.key in WHOLE]
    return tuple(each for each in whole if (each.speedup < 1 - close if speedup > 1 else each.speedup > 1 + close))


@dataclass(frozen=True)
class RoundParts:
    """Where the time of a round goes, in ms. `rest_ms` is what neither model accounts for; None where unknown."""

    draft_ms: float | None
    verify_ms: float | None
    rest_ms: float | None
    round_ms: float
    plain_ms: float | None


def round_parts(case: EngineCase) -> RoundParts | None:
    """Drafting, verification and the rest of a round, beside a plain step; None where the round was not timed.

    >>> round_parts(EngineCase(SpecStats("a", "b", step_ms=12.5, draft_ms=2.5, verify_ms=9.0))).rest_ms
    1.0
    """
    if case.round_ms is None:
        return None
    stats = case.stats
    rest = None
    if stats.draft_ms is not None and stats.verify_ms is not None:
        rest = max(case.round_ms - stats.draft_ms - stats.verify_ms, 0.0)
    return RoundParts(stats.draft_ms, stats.verify_ms, rest, case.round_ms, case.plain_ms)


def speedup_ceiling(case: EngineCase) -> float | None:
    """The most that a run without baseline can have won: its verification cost at least one plain step.

        speedup ≤ tokens per step × verify_ms ÷ (d·draft_ms + verify_ms),  d = share of the steps that carry a draft

    Derived here: a pass over several tokens is not faster than one over a single token. None without both times.

    >>> speedup_ceiling(EngineCase(SpecStats("a", "b", printed_length=2.0, draft_ms=2.0, verify_ms=8.0)))
    1.6
    """
    draft, verify, tokens = case.stats.draft_ms, case.stats.verify_ms, case.tokens_per_step
    if draft is None or verify is None or not tokens or draft + verify <= 0:
        return None
    return tokens * verify / (case.share_with_draft * draft + verify)
