"""Two runs that both speculate: which is faster at like load, by how much, how sure, and which part differs.

The time per output token is the time of a decoding step ÷ the tokens that it emits, so the ratio of two speeds is the
product of two parts: tokens per step (the acceptance) and the time of a step (draft, verification, overhead). Each part
is drawn with what another run of either might have shown; the two runs vary on their own.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_, Message, Verbatim
from specmodel.engine.case import EngineCase
from specmodel.engine.comparable import Comparability, comparable, tpot_ms
from specmodel.engine.draws import load_factors
from specmodel.engine.repeat_draws import two_setting_logs
from specmodel.engine.sentences import listed, number, sentences
from specmodel.measured.assumed_spread import TIME_SEED, times_of_other_runs
from specmodel.measured.intervals import RESAMPLES, Estimate, estimate
from specmodel.measured.pace import log_speedup_draws
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.outcome import CLOSE

APART_SEED = 84
MOSTLY = 2.0
"""A part makes the difference where its log ratio is at least twice the other one's."""

WHY = {
    "tokens": N_(
        "A step emits {tokens:.2f} tokens instead of {before:.2f} and takes {ms:.2f} ms instead of {ms_before:.2f} ms: "
        "the acceptance makes the difference."
    ),
    "step": N_(
        "A step emits {tokens:.2f} tokens instead of {before:.2f} and takes {ms:.2f} ms instead of {ms_before:.2f} ms: "
        "the time of a step makes the difference."
    ),
    "both": N_(
        "A step emits {tokens:.2f} tokens instead of {before:.2f} and takes {ms:.2f} ms instead of {ms_before:.2f} ms: "
        "both make the difference."
    ),
    "against": N_(
        "A step emits {tokens:.2f} tokens instead of {before:.2f} and takes {ms:.2f} ms instead of {ms_before:.2f} ms: "
        "the two work against each other."
    ),
}
UNLIKE = {
    "requests_in_decode": N_("{second} requests decoding at once in the second and {first} in the first"),
    "context_tokens": N_("{second} tokens of context in the second and {first} in the first"),
    "temperature": N_("temperature {second} in the second and {first} in the first"),
}
Kind = Literal["second", "first", "too_close", "not_comparable", "unknown"]
Part = Literal["tokens", "step", "both", "against"]


@dataclass(frozen=True)
class TwoRuns:
    """The second of two runs beside the first; every ratio above 1 says that the second is better there.

    `speed` is the ratio of their speeds in decoding, `tokens` that of tokens per step, `step` that of the speed of a
    step (time of the first ÷ time of the second); None where one of the runs does not tell it.
    """

    first: EngineCase
    second: EngineCase

    @cached_property
    def comparability(self) -> Comparability:
        """Load, context and temperature of both; that both speculate is no matter here."""
        return replace(comparable(self.second.stats, self.first.stats), no_baseline=None)

    @cached_property
    def _ratios(self) -> tuple[float | None, float | None, float | None]:
        ms = [tpot_ms(each.stats) for each in (self.first, self.second)]
        tokens = [each.tokens_per_step for each in (self.first, self.second)]
        steps = [each.round_ms for each in (self.first, self.second)]
        speed = ms[0] / ms[1] if ms[0] and ms[1] else None
        of_tokens = tokens[1] / tokens[0] if tokens[0] and tokens[1] else None
        of_steps = steps[0] / steps[1] if steps[0] and steps[1] else None
        if speed is None and of_tokens and of_steps:
            speed = of_tokens * of_steps
        return speed, of_tokens, of_steps

    @cached_property
    def speed(self) -> Estimate | None:
        """Speed of the second in decoding ÷ that of the first; None at unlike load, or without times."""
        value = self._ratios[0]
        if value is None or not self.comparability.is_pair:
            return None
        return estimate(value, value * self._factors, self.method)

    @cached_property
    def tokens(self) -> Estimate | None:
        """Tokens per step of the second ÷ those of the first."""
        value = self._ratios[1]
        return None if value is None else estimate(value, value * self._token_factors, "assumed")

    @cached_property
    def step(self) -> Estimate | None:
        """Time of a step of the first ÷ that of the second; its spread is at most that of speed and tokens together."""
        value = self._ratios[2]
        if value is None or not self.comparability.is_pair:
            return None
        spread = self._factors if self._timed is not None else self._times
        return estimate(value, value * spread, self.method)

    @property
    def method(self) -> str:
        """How the interval of the speed was made: a key of `INTERVAL_METHODS`."""
        return "timed_once" if self._timed is None else self._timed[1]

    @cached_property
    def chance_second_faster(self) -> float | None:
        """Share of the draws in which the second is faster."""
        speed = self.speed
        return None if speed is None or speed.value is None else float(np.mean(speed.value * self._factors > 1))

    @property
    def times_vary(self) -> bool:
        """Whether the times of both carry a spread of their own."""
        return self._timed is not None

    @property
    def kind(self) -> Kind:
        """Which is faster; "too_close" where the interval holds 1, or both are within 2 %."""
        if not self.comparability.is_pair:
            return "not_comparable"
        if self.speed is None or self.speed.value is None:
            return "unknown"
        low, high = self.speed.low or self.speed.value, self.speed.high or self.speed.value
        if min(low, self.speed.value / (1 + CLOSE)) <= 1 <= max(high, self.speed.value * (1 + CLOSE)):
            return "too_close"
        return "second" if self.speed.value > 1 else "first"

    @property
    def part(self) -> Part | None:
        """Which part makes the difference: the acceptance (tokens per step), the time of a step, both, or each against
        the other; None where one of them is not known."""
        tokens, step = self.tokens, self.step
        if tokens is None or step is None or not tokens.value or not step.value:
            return None
        first, second = np.log(tokens.value), np.log(step.value)
        if abs(first) >= MOSTLY * abs(second):
            return "tokens"
        if abs(second) >= MOSTLY * abs(first):
            return "step"
        return "both" if first * second > 0 else "against"

    @cached_property
    def _timed(self) -> tuple[Floats, str] | None:
        """Factors on the ratio of speeds from the times of requests, windows or repeats; None where a file has none."""
        found = two_setting_logs(self.first.stats, self.second.stats)
        if found is not None:
            return np.exp(found), "repeats"
        one, other = self.first.stats.pace, self.second.stats.pace
        logs = log_speedup_draws(one, other)
        if logs is None or one is None or other is None or one.kind != other.kind:
            return None
        factors: Floats = np.exp(logs)
        kind = {"requests": "timed", "windows": "timed_windows", "rounds": "timed_rounds"}[one.kind]
        return (factors * self._times if one.kind == "windows" else factors), kind

    @cached_property
    def _factors(self) -> Floats:
        factors = self._timed[0] if self._timed is not None else self._times * self._token_factors
        loads = [self.comparability.condition(key) for key in ("requests_in_decode", "context_tokens")]
        if self.comparability.offered_rate is None:
            for each in loads:
                if each is not None and each.without and each.with_speculation:
                    factors = factors * load_factors(each.ratio, len(factors))
        return factors

    @cached_property
    def _times(self) -> Floats:
        """Both times were measured once, each on its own."""
        one, other = (times_of_other_runs(RESAMPLES, TIME_SEED + 100 + at) for at in range(2))
        factors: Floats = one / other
        return factors

    @cached_property
    def _token_factors(self) -> Floats:
        """Tokens per step of the second ÷ of the first, as factors; the draws of the second in another order, since one
        seed makes both."""
        draws = []
        for each in (self.first, self.second):
            found = each.length_draws()
            draws.append(
                np.ones(RESAMPLES) if found is None or not each.tokens_per_step else found / each.tokens_per_step
            )
        other = np.random.default_rng(APART_SEED).permutation(draws[1])
        factors: Floats = other / draws[0]
        return factors


def compare_runs(first: SpecStats, second: SpecStats, num_speculative_tokens: int | None = None) -> TwoRuns:
    """Two measured runs side by side, both speculating or not; `num_speculative_tokens` where a file does not tell it.

    >>> one = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, step_ms=10.0)
    >>> found = compare_runs(one, one.replace(printed_length=3.0, step_ms=11.0))
    >>> round(found.speed.value, 3), found.kind, found.part
    (1.364, 'second', 'tokens')
    """
    return TwoRuns(
        EngineCase(first, k_typed=num_speculative_tokens), EngineCase(second, k_typed=num_speculative_tokens)
    )


def why(found: TwoRuns) -> Message | None:
    """Which part differs, in a sentence; None where it is not known.

    >>> one = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, step_ms=10.0)
    >>> str(why(compare_runs(one, one.replace(printed_length=3.0, step_ms=11.0))))[-36:]
    'the acceptance makes the difference.'
    """
    numbers = {
        "tokens": found.second.tokens_per_step, "before": found.first.tokens_per_step,
        "ms": found.second.round_ms, "ms_before": found.first.round_ms,
    }  # fmt: skip
    if found.part is None or any(each is None for each in numbers.values()):
        return None
    return Message(WHY[found.part], numbers)


def unlike(found: TwoRuns) -> Message | None:
    """Why no ratio of two speeds is read off the runs, and what to run instead; None where they are alike.

    >>> one = SpecStats("a", "b", step_ms=10.0, batch_size=1.0)
    >>> print(unlike(compare_runs(one, one.replace(batch_size=8.0))))
    These runs are not alike: 8 requests decoding at once in the second and 1 in the first. Run both at the same load.
    """
    told = [
        Message(
            UNLIKE[each.key],
            {"second": Verbatim(number(each.with_speculation)), "first": Verbatim(number(each.without))},
        )
        for each in found.comparability.unlike
    ]
    if not told:
        return None
    reasons = Message("These runs are not alike: {reasons}.", {"reasons": listed(told)})
    return sentences(reasons, Message("Run both at the same load."))
