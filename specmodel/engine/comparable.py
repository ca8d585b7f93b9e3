"""Whether a run with speculation and one without are a pair: the same load, context and temperature, and a plain one.

The time of a plain step depends on how many requests decode at once, so a time per token at 8 requests beside one at 18
is no speedup of speculation. How much a difference leaves open is bounded: between memory-bound decoding (the time of a
step does not depend on the batch) and compute-bound decoding (it grows in proportion), a load r times as high makes a
plain step 1 to r times as long. The same bounds hold for the context, which only the attention of a step depends on.
"""

from dataclasses import dataclass
from typing import Literal

from specmodel.base.messages import Message, Verbatim
from specmodel.measured.spec_stats import SpecStats

TOLERANCE = 1.25
"""Loads (or contexts) up to this ratio are alike: they leave at most a quarter of the speedup open."""
EQUAL = 1.05
"""Throughputs up to this ratio are equal where both runs were sent the same requests a second."""
KEPT_UP = 0.8
"""A server keeps up with a rate where it answers four fifths of it: the last answers end after the last request."""
SEVERAL = 1.1
"""Tokens per step from which a run must have drafted: what is printed scatters by some percent."""

ConditionKey = Literal["requests_in_decode", "context_tokens", "temperature"]


@dataclass(frozen=True)
class Condition:
    """One condition under which both runs were measured, and whether it was alike."""

    key: ConditionKey
    without: float
    with_speculation: float
    alike: bool

    @property
    def ratio(self) -> float:
        """With ÷ without speculation; infinite where only the first is above 0, 1 where both are 0."""
        if self.without == self.with_speculation:
            return 1.0
        return self.with_speculation / self.without if self.without else float("inf")


@dataclass(frozen=True)
class Comparability:
    """What was compared of two runs. `offered_rate` is the request rate (per second) that both were sent and kept up
    with; `no_baseline` says why the second run is no baseline at all.

    >>> fast = SpecStats("a", "b", tpot_ms=10.0, output_tokens_per_s=800.0)
    >>> found = comparable(fast, SpecStats("a", "b", speculation=False, tpot_ms=18.0, output_tokens_per_s=1000.0))
    >>> found.is_pair, [(each.key, round(each.ratio, 2)) for each in found.unlike]
    (False, [('requests_in_decode', 0.44)])
    """

    conditions: tuple[Condition, ...] = ()
    offered_rate: float | None = None
    no_baseline: Message | None = None

    def condition(self, key: ConditionKey) -> Condition | None:
        """What was compared under this key; None where one of the runs does not tell it."""
        return next((each for each in self.conditions if each.key == key), None)

    @property
    def unlike(self) -> tuple[Condition, ...]:
        """The conditions that differ; at the same offered rate the requests in decode follow from the speed."""
        return tuple(
            each
            for each in self.conditions
            if not each.alike and not (each.key == "requests_in_decode" and self.offered_rate is not None)
        )

    @property
    def is_pair(self) -> bool:
        """Whether a speedup may be read off the two runs: nothing that is known of them speaks against it."""
        return self.no_baseline is None and not self.unlike

    @property
    def load_is_known(self) -> bool:
        """Whether both runs tell their load."""
        return self.offered_rate is not None or self.condition("requests_in_decode") is not None


def comparable(stats: SpecStats, baseline: SpecStats) -> Comparability:
    """What a run and its baseline have in common, as far as both tell it.

    Loads and contexts are alike up to `TOLERANCE`; the reason stands at the top of this module. A mean of up to one
    request in decode is one at a time. Two runs that were sent the same requests a second and answered them are alike
    in load whatever decodes at once: equal throughput is then the load that was offered.

    >>> fast = SpecStats("a", "b", batch_size=10.999999999999996, temperature=0.0)
    >>> comparable(fast, SpecStats("a", "b", speculation=False, batch_size=11.0, temperature=0.0)).is_pair
    True
    """
    found = []
    load = _loads(stats, baseline)
    if load is not None:
        found.append(_scaled("requests_in_decode", *load, least=1.0))
    if stats.context_tokens and baseline.context_tokens:
        found.append(_scaled("context_tokens", baseline.context_tokens, stats.context_tokens))
    if stats.temperature is not None and baseline.temperature is not None:
        alike = abs(stats.temperature - baseline.temperature) < 1e-6
        found.append(Condition("temperature", baseline.temperature, stats.temperature, alike))
    return Comparability(tuple(found), _offered_rate(stats, baseline), no_baseline(baseline))


def tpot_ms(stats: SpecStats) -> float | None:
    """Time per output token: as measured, or the time of a step ÷ tokens per step.

    >>> tpot_ms(SpecStats("a", "b", printed_length=2.0, step_ms=10.0))
    5.0
    """
    if stats.tpot_ms is not None:
        return stats.tpot_ms
    tokens = 1.0 if not stats.speculation else (stats.tokens_per_step or stats.mean_acceptance_length)
    return stats.step_ms / tokens if stats.step_ms is not None and tokens else None


def requests_in_decode(stats: SpecStats) -> float | None:
    """Requests that decode at once, by Little's law: output tokens per second × time per output token.

    Prefill and waiting are not in it, so it is what the time of a step depends on; where one of the two was not
    measured, the requests that the engine says were running. (J. D. C. Little 1961: a mean number present is a rate of
    arrival × a mean time of stay. Here a token stays for the time until it is out.)

    >>> requests_in_decode(SpecStats("a", "b", tpot_ms=18.0, output_tokens_per_s=1000.0))
    18.0
    """
    by_law = _by_law(stats)
    return stats.batch_size if by_law is None else by_law


def _by_law(stats: SpecStats) -> float | None:
    per_s, ms = stats.output_tokens_per_s, tpot_ms(stats)
    if not per_s and stats.generated_tokens and stats.window_s:
        per_s = stats.generated_tokens / stats.window_s
    return per_s * ms / 1000 if per_s and ms else None


def _loads(stats: SpecStats, baseline: SpecStats) -> tuple[float, float] | None:
    """Requests in decode without and with speculation, of like measurements: a cap on them is no mean of them."""
    for value in (_by_law, lambda each: each.batch_size):
        without, fast = value(baseline), value(stats)
        if without and fast:
            return without, fast
    return _beyond_its_cap(stats, baseline)


def _beyond_its_cap(stats: SpecStats, baseline: SpecStats) -> tuple[float, float] | None:
    """Where one run tells what decoded at once and the other only what may: more than may is unlike; else unknown."""
    law, cap = _by_law(baseline), stats.batch_size
    if law and cap:
        return (law, cap) if law > cap * TOLERANCE else None
    law, cap = _by_law(stats), baseline.batch_size
    return (cap, law) if law and cap and law > cap * TOLERANCE else None


def _scaled(key: ConditionKey, without: float, fast: float, least: float = 0.0) -> Condition:
    low, high = sorted((max(without, least), max(fast, least)))
    return Condition(key, without, fast, high <= low * TOLERANCE * (1 + 1e-9))


def _offered_rate(stats: SpecStats, baseline: SpecStats) -> float | None:
    """The rate at which both were sent requests, where both answered them; None where one did not keep up."""
    rate = stats.request_rate
    if not rate or not baseline.request_rate or abs(baseline.request_rate / rate - 1) > 1e-6:
        return None
    if any(_answered(each) < KEPT_UP * rate for each in (stats, baseline)):
        return None
    given = [each.output_tokens_per_s for each in (stats, baseline)]
    if given[0] and given[1] and max(given[0], given[1]) > EQUAL * min(given[0], given[1]):
        return None
    return rate


def _answered(stats: SpecStats) -> float:
    """Requests answered per second; 0 where that is unknown."""
    return stats.num_requests / stats.window_s if stats.num_requests and stats.window_s else 0.0


def no_baseline(baseline: SpecStats) -> Message | None:
    """Why a run cannot stand for one without speculation: it drafts, or a step of it gives several tokens; else None.

    >>> print(no_baseline(SpecStats("a", "b", label="x.log", num_speculative_tokens=3)))
    The run given as baseline (x.log) speculates itself, with 3 draft tokens a round: it is none.
    """
    known = baseline.num_speculative_tokens, baseline.num_draft_tokens, baseline.mean_acceptance_length
    several = (baseline.tokens_per_step or 1.0) > SEVERAL
    if not baseline.speculation or baseline.num_draft_tokens == 0 or not (any(known) or several):
        return None
    values = {"name": Verbatim(baseline.label or "–"), "k": baseline.num_speculative_tokens}
    if baseline.num_speculative_tokens:
        text = "The run given as baseline ({name}) speculates itself, with {k} draft tokens a round: it is none."
        return Message(text, values)
    return Message("The run given as baseline ({name}) speculates itself: it is none.", values)
