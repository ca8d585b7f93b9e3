"""Numbers estimated from counts, each with its 95 % interval and the method that made it, for all pages.

The rounds of one request resemble each other, so an interval that counts every round as a trial of its own is too
narrow. Where a file tells smaller units apart (requests, windows of a log, blocks of neighbouring rounds), whole units
are drawn with replacement and the counters summed before dividing. Without units, what differs between runs is assumed
(`assumed_spread`); with fewer than 5 units the wider of the two is taken.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_, Message, SpecmodelError

LEVEL = 0.95
RESAMPLES = 1000
FEW_GROUPS = 5
MAX_GROUPS = 500
WILSON = N_("Wilson score interval")
NO_TRIALS = N_("unknown: there was no trial")
INTERVAL_METHODS = {
    "requests": N_("bootstrap over requests"),
    "windows": N_("bootstrap over the windows of the log"),
    "rounds": N_("bootstrap over blocks of neighbouring rounds"),
    "few": N_("bootstrap over fewer than 5 requests or blocks of neighbours, or the assumed one where that is wider"),
    "assumed": N_("assumed: how much runs and requests differ is not in the file"),
    "independent": N_("rounds taken as independent, which they are not: the interval is too narrow"),
    "timed": N_("bootstrap over requests, their times included"),
    "timed_windows": N_("bootstrap over the windows of the log; their times are inferred, assumed to be good to 5 %"),
    "timed_rounds": N_("bootstrap over blocks of neighbouring rounds, their times included"),
    "timed_once": N_("acceptance as counted; times that were measured once are assumed to be good to 5 %"),
    "repeats": N_("spread between repeated runs"),
    "none": N_("no interval: there are ratios but no counts"),
}


@dataclass(frozen=True)
class Estimate:
    """An estimate with the bounds of its interval; whatever is not known is None.

    >>> Estimate(0.5, 0.25, 0.75).half_width
    0.25
    """

    value: float | None
    low: float | None
    high: float | None
    level: float = LEVEL
    successes: float | None = None
    trials: float | None = None
    method: str = WILSON

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def scaled(self, factor: float, most: float = float("inf")) -> "Estimate":
        """Value and bounds times a factor that is exact; bounds stop at `most`."""
        value, low, high = (None if each is None else each * factor for each in (self.value, self.low, self.high))
        low, high = (None if each is None else min(each, most) for each in (low, high))
        return Estimate(value, low, high, self.level, method=self.method)


def estimate(value: float, draws: Floats | None, method: str) -> Estimate:
    """A value with the interval that the middle 95 % of its draws fill, and that always holds the value itself.

    `method` is a key of `INTERVAL_METHODS`; without draws there is no interval.

    >>> found = estimate(1.0, np.linspace(0, 4, 401), "requests")
    >>> round(found.low, 2), round(found.high, 2)
    (0.1, 3.9)
    """
    if draws is None:
        return Estimate(value, None, None, method=INTERVAL_METHODS[method])
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, min(float(low), value), max(float(high), value), method=INTERVAL_METHODS[method])


class BadCounts(SpecmodelError):
    """Counts that cannot be: more successes than trials, or fewer than none."""


def proportion(successes: float, trials: float, level: float = 0.95) -> Estimate:
    """A share of independent trials with its Wilson score interval.

    With share s of n trials and z the normal quantile of the level, the bounds are

        (s + z²/2n ± z·sqrt(s·(1 − s)/n + z²/4n²)) / (1 + z²/n)

    They stay inside [0, 1] and keep their coverage near both ends, where s ± z·sqrt(s·(1 − s)/n) fails.

    Source: Wilson (1927), J. Amer. Statist. Assoc. 22; recommended by Brown, Cai and DasGupta (2001), Statist. Sci. 16.

    >>> share = proportion(8, 10)
    >>> share.value, round(share.low, 3), round(share.high, 3)
    (0.8, 0.49, 0.943)
    >>> proportion(0, 0).value is None
    True
    """
    if not 0 <= successes <= trials or not 0 < level < 1:
        raise BadCounts(
            Message(
                "{successes} successes of {trials} trials at level {level} is not a share",
                {"successes": successes, "trials": trials, "level": level},
            )
        )
    if trials == 0:
        return Estimate(None, None, None, level, 0, 0, NO_TRIALS)
    share = successes / trials
    z = float(ndtri((1 + level) / 2))
    centre = share + z * z / (2 * trials)
    half = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low = 0.0 if successes == 0 else min(float((centre - half) / scale), share)
    high = 1.0 if successes == trials else max(float((centre + half) / scale), share)
    return Estimate(share, low, high, level, successes, trials, WILSON)


def clustered_share(
    successes: ArrayLike, trials: ArrayLike, kind: str, *, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """A share of trials that come in units: successes and trials of each unit, and what the units are (`kind`).

    Units are drawn with replacement, the sums divided, and the draws spread out as `expanded` says. Where fewer than 5
    units had a trial, or all of them went the same way, the independent interval takes its place if it is wider: draws
    from Beta(successes + ½, failures + ½), the posterior under Jeffreys' prior (Brown, Cai and DasGupta 2001).

    >>> share = clustered_share(np.array([5.0, 0, 4, 1] * 5), np.full(20, 5.0), "requests")
    >>> share.value, share.half_width > proportion(50, 100).half_width
    (0.5, True)
    """
    counts = np.column_stack((np.asarray(successes, dtype=float), np.asarray(trials, dtype=float)))
    above, below = grouped(counts, kind).T
    kept, tried = float(above.sum()), float(below.sum())
    if tried <= 0:
        return Estimate(None, None, None, successes=0, trials=0, method=NO_TRIALS)
    independent = np.random.default_rng(seed).beta(kept + 0.5, tried - kept + 0.5, resamples)
    drawn, method = independent, "independent"
    units = int(np.count_nonzero(below))
    if units > 1:
        sums = resampled(len(above), resamples, seed) @ np.column_stack((above, below))
        sums = sums[sums[:, 1] > 0]
        shares = np.clip(expanded(sums[:, 0] / sums[:, 1], units), 0.0, 1.0)
        if units >= FEW_GROUPS and shares.std() > 0:
            drawn, method = shares, kind
        elif shares.std() > independent.std():
            drawn, method = shares, "few"
    found = estimate(kept / tried, drawn, method)
    return replace(found, successes=kept, trials=tried)


def expanded(drawn: Floats, groups: int) -> Floats:
    """Draws spread out by t·√(n/(n − 1)) ÷ z around their mean, which a bootstrap of n units lacks (n from 2 on).

    Source: Hesterberg (2015), What Teachers Should Know About the Bootstrap, Amer. Statist. 69 (expanded percentile).

    >>> expanded(np.array([1.0, 3.0]), 10).round(2).tolist()
    [0.78, 3.22]
    """
    tail = (1 + LEVEL) / 2
    factor = float(stdtrit(groups - 1, tail) / ndtri(tail) * np.sqrt(groups / (groups - 1)))
    centre = drawn.mean(axis=0)
    spread: Floats = centre + factor * (drawn - centre)
    return spread


def grouped(counts: Floats, kind: str, above: int | None = None, below: int = 0) -> Floats:
    """The counters of what is drawn: units; rounds and windows in blocks of n^(1/3) neighbours (Kunsch 1989).

    Neighbouring windows of a log hold the same requests. With `above` and `below`, the columns of the ratio that is
    drawn, blocks are longer where it resembles that of the window before: n^(1/3)·(√6·r ÷ (1 − r²))^(2/3) for a
    correlation r (the best block of a mean under first-order dependence: Carlstein 1986), at most a fifth of all. More
    than 500 units are joined too, which bounds the work and leaves the spread of a ratio as it is.

    >>> grouped(np.ones((27, 1)), "rounds").tolist() == [[3.0]] * 9
    True
    """
    size = max(len(counts), 1)
    block = int(np.ceil(size ** (1 / 3))) if kind in ("rounds", "windows") else 1
    if kind == "windows" and above is not None and size > 2 * FEW_GROUPS:
        alike = _correlation(counts[:, above], counts[:, below])
        longer = size ** (1 / 3) * (np.sqrt(6) * alike / (1 - alike**2)) ** (2 / 3)
        block = max(block, min(int(np.ceil(longer)), size // FEW_GROUPS))
    block = max(block, -(-size // MAX_GROUPS))
    if block == 1:
        return counts
    joined: Floats = np.add.reduceat(counts, np.arange(0, size, block), axis=0)
    return joined


def _correlation(above: Floats, below: Floats) -> float:
    """How much a ratio resembles that of the unit before, from 0 to 0.98; lifted by 1/n, which its estimate lacks."""
    told = below > 0
    ratio = above[told] / below[told]
    if ratio.size < 3 or not ratio.std():
        return 0.0
    moved = ratio - ratio.mean()
    found = float(moved[1:] @ moved[:-1] / (moved @ moved))
    return float(np.clip(found + (1 + 3 * max(found, 0.0)) / ratio.size, 0.0, 0.98))


@lru_cache(maxsize=8)
def resampled(groups: int, resamples: int, seed: int) -> Floats:
    """How often each group is drawn in each resample, shape (resamples, groups); depends on no data, so it is kept.

    >>> resampled(4, 2, seed=0).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    drawn = np.random.default_rng(seed).integers(groups, size=(resamples, groups))
    drawn += groups * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * groups).reshape(resamples, groups).astype(float)
