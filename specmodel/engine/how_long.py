"""How long must one measure until the answer is known, and is it enough now.

The variance of the log of a measured speedup (or of tokens per round, where no times are known) has a part that falls
with the units that were measured and one that does not:

    V(n) = V_units·n₀/n + V_floor

n₀ are the units so far: requests, windows or rounds that a file tells apart, or the requests that are assumed behind a
rate; V_floor is what is assumed to differ between runs however long they are, which only repeats of whole runs reduce.
The answer is known when the half-width of the 95 % interval is no more than the larger of the effect itself (its sign
is then sure) and the difference that matters (what is smaller then does not matter). What is needed is told for the
difference that matters: the effect seen so far may be luck, so what it would need counts only as the earliest end.
Since V_units is itself estimated from n₀ units, it is taken (n₀ − 1)/χ²₀.₁(n₀ − 1) times as large: so long a run is
then enough in nine of ten cases (the second stage of Stein 1945, Ann. Math. Statist. 16, with a margin for the first).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import chdtri, ndtri

from specmodel.base.arrays import Floats
from specmodel.base.numbers import number_between
from specmodel.engine.case import EngineCase
from specmodel.engine.repeats import own_part, same_setting
from specmodel.measured.assumed_spread import REQUEST, RUN, TIME, assumed_requests
from specmodel.measured.intervals import LEVEL
from specmodel.measured.spec_stats import TYPED

SURE = 0.9
"""The chance that so long a run is enough."""
FEWEST = 5
MOST_RUNS = 100

Unit = Literal["requests", "windows", "rounds", "runs"]
What = Literal["speedup", "tokens"]


@dataclass(frozen=True)
class HowLong:
    """What is judged, its 95 % half-width now as a share (`margin`), what `matters`, what is `wanted`.

    `needed` are the units in all, None where no length of one run is enough; `runs` are then the runs of that length.
    `soonest` are the units that are enough if the effect stays as large as it is now; None where it is no larger than
    what matters.
    `seconds` is how long one unit takes, None where unknown; `is_assumed` says that the spread is an assumption.
    """

    what: What
    unit: Unit
    now: float
    margin: float
    matters: float
    wanted: float
    needed: int | None
    runs: int | None = None
    soonest: int | None = None
    seconds: float | None = None
    is_assumed: bool = False

    @property
    def is_enough(self) -> bool:
        """Whether the answer is known now."""
        return self.margin <= self.wanted

    @property
    def minutes(self) -> float | None:
        """Minutes still to measure; None where the pace is unknown, or no length is enough."""
        if self.needed is None or self.seconds is None:
            return None
        return max(self.needed - self.now, 0.0) * self.seconds / 60


def how_long(case: EngineCase, matters: float = 0.05, per_minute: float | None = None) -> HowLong | None:
    """How much more to measure until a difference of `matters` (a share of the speed) is told; None without acceptance.

    `per_minute` are the requests (or runs) that end in a minute, where the file does not tell it. Raises
    `SpecmodelError` for a difference that is not above 0 and below 1.

    >>> from specmodel.measured.sampling_units import Units
    >>> from specmodel.measured.spec_stats import SpecStats
    >>> pace = Units.of("requests", [(100, 1000.0 + 300 * (at % 3), 0, None) for at in range(12)])
    >>> stats = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, tpot_ms=13.0, pace=pace)
    >>> found = how_long(EngineCase(stats, plain_ms_typed=13.5))
    >>> found.what, found.unit, found.is_enough, 12 < found.needed < 300
    ('speedup', 'requests', False, True)
    """
    number_between(matters, "matters", 1e-6, 0.999999)
    what, draws, value = _judged(case)
    if draws is None or value is None:
        return None
    total = float(np.var(np.log(np.maximum(draws, 1e-12))))
    unit, now, share, assumed = _units(case, what, total)
    z = float(ndtri((1 + LEVEL) / 2))
    effect = abs(math.log(value)) if what == "speedup" and value > 0 else 0.0
    wanted = max(effect, math.log1p(matters))
    is_sure = assumed or unit == "runs"
    needed, runs = _needed(total, share, now, math.log1p(matters) / z, is_sure)
    soonest = _needed(total, share, now, effect / z, is_sure)[0] if effect > math.log1p(matters) else None
    return HowLong(
        what, unit, now, math.expm1(z * math.sqrt(total)), matters, math.expm1(wanted), needed, runs, soonest,
        _seconds(case, unit, now, per_minute), assumed,
    )  # fmt: skip


def _judged(case: EngineCase) -> tuple[What, Floats | None, float | None]:
    if case.speedup_draws is not None:
        return "speedup", case.speedup_draws, case.decode_speedup
    return "tokens", case.length_draws(), case.tokens_per_step


def _units(case: EngineCase, what: What, total: float) -> tuple[Unit, float, float, bool]:
    """The unit, how many there are, the share of the variance that falls with them, and whether that is assumed."""
    method, stats = case.speedup_method, case.stats
    if what == "speedup" and method == "repeats":
        own = own_part(stats) or stats
        return "runs", max(float(sum(same_setting(each, own) for each in stats.parts)), 1.0), 1.0, False
    if what == "speedup" and method.startswith("timed") and method != "timed_once" and stats.pace is not None:
        fixed = TIME**2 if method == "timed_windows" else 0.0
        return stats.pace.kind, float(len(stats.pace.counts)), max(1 - fixed / total, 0.0) if total else 0.0, False
    known = case.acceptance_or_none
    draws = case.length_draws()
    of_tokens = float(np.var(np.log(draws))) if draws is not None else 0.0
    part = min(of_tokens / total, 1.0) if total else 0.0
    if known is not None and known.method in ("requests", "windows", "rounds") and stats.units is not None:
        return stats.units.kind, float(len(stats.units.counts)), part, False
    requests = assumed_requests(stats)
    within = REQUEST**2 / requests / (RUN**2 + REQUEST**2 / requests)
    return "requests", requests, part * within, True


def _needed(total: float, share: float, now: float, sd: float, is_sure: bool) -> tuple[int | None, int | None]:
    """Units for a standard deviation of `sd`, or where no number is enough the runs of this length that are."""
    falls, stays = total * share, total * (1 - share)
    margin = 1.0 if is_sure or now < 2 else (now - 1) / float(chdtri(now - 1, SURE))
    room = sd**2 - stays
    if room > 0 and falls * margin * now / room < 1e7:
        return max(math.ceil(falls * margin * now / room - 1e-9), FEWEST if share else 1), None
    return None, min(max(math.ceil(total / sd**2), 2), 10**6)


def _seconds(case: EngineCase, unit: Unit, now: float, per_minute: float | None) -> float | None:
    """Seconds that one unit takes: as asked, at the rate of the file, or its own window."""
    stats = case.stats
    if per_minute:
        return 60 / per_minute
    if unit == "windows" and stats.window_s and now:
        return stats.window_s / now
    if unit != "requests" or stats.source == TYPED:
        return None
    if stats.num_requests and stats.window_s:
        return stats.window_s / stats.num_requests
    return 1 / stats.request_rate if stats.request_rate else None
