"""Numbers estimated from counts, each with its interval and the name of the method that made it.

Two intervals: Wilson's for a share of independent trials, and a bootstrap over whole requests (or blocks of
neighbouring rounds) for a ratio of sums, because the rounds of one request resemble each other.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from specmodel.base.messages import N_, Message, SpecmodelError

WILSON = N_("Wilson score interval")
BOOTSTRAP_REQUESTS = N_("bootstrap over requests")
BOOTSTRAP_BLOCKS = N_("bootstrap over blocks of neighbouring rounds")
BOOTSTRAP_FEW = N_("bootstrap over fewer than 8 requests or blocks: likely too narrow")
WIDER = N_("the wider of the Wilson interval and a bootstrap over requests or blocks of rounds")
WIDER_FEW = N_(
    "the wider of the Wilson interval and a bootstrap over fewer than 8 requests or blocks: likely too narrow"
)
NO_INTERVAL = N_("no interval: there is only one request or block of rounds")
NO_TRIALS = N_("unknown: there was no trial")

FEW_GROUPS = 8
MAX_GROUPS = 500


@dataclass(frozen=True)
class Estimate:
    """An estimate with the bounds of its interval; whatever is not known is None.

    >>> Estimate(0.5, 0.25, 0.75, method=WILSON).half_width
    0.25
    """

    value: float | None
    low: float | None
    high: float | None
    level: float = 0.95
    successes: float | None = None
    trials: float | None = None
    method: str = WILSON

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


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


def block_bootstrap_ratio(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 1000,
) -> Estimate:
    """A ratio of two sums with a bootstrap interval that respects dependence between rounds.

    Whole clusters (requests, prompts) are drawn with replacement, the two sums are divided, and the interval lies
    between the quantiles (1 - level)/2 and (1 + level)/2 of those ratios. Without clusters, blocks of neighbouring
    rounds take their place, n^(1/3) rounds long. More than 500 clusters or blocks are first joined to 500 groups of
    neighbours, which bounds the work and leaves the spread of the ratio as it is. With few clusters the interval
    is too narrow (the method says so), with one there is none.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 8 and 13; blocks of a series:
    Carlstein (1986), Ann. Statist. 14, and Kunsch (1989), Ann. Statist. 17 (there overlapping).

    >>> ratio = block_bootstrap_ratio([3, 2, 4, 3] * 25, [1] * 100, seed=1)
    >>> ratio.value, ratio.low < 3 < ratio.high, ratio.method
    (3.0, True, 'bootstrap over blocks of neighbouring rounds')
    """
    above, below = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    codes, groups = _groups(above.size, clusters)
    total = float(below.sum())
    if total <= 0:
        return Estimate(None, None, None, level, float(above.sum()), total, NO_TRIALS)
    value = float(above.sum()) / total
    if groups < 2:
        return Estimate(value, None, None, level, float(above.sum()), total, NO_INTERVAL)
    weights = resampled(groups, resamples, seed)
    sums = weights @ np.bincount(codes, above, groups), weights @ np.bincount(codes, below, groups)
    drawn = sums[0][sums[1] > 0] / sums[1][sums[1] > 0]
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]) if drawn.size else (value, value)
    method = BOOTSTRAP_BLOCKS if clusters is None else BOOTSTRAP_REQUESTS
    method = BOOTSTRAP_FEW if groups < FEW_GROUPS else method
    return Estimate(value, min(float(low), value), max(float(high), value), level, float(above.sum()), total, method)


def clustered_proportion(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 1000,
) -> Estimate:
    """A share of trials that come in requests: on each side the wider bound of Wilson's interval and the bootstrap's.

    Wilson's covers the chance of counting, also where every trial went the same way and a bootstrap would show
    no spread at all; the bootstrap covers what the rounds of one request have in common.

    >>> share = clustered_proportion([5, 0, 4, 1] * 5, [5] * 20, clusters=range(20))
    >>> share.value, share.half_width > proportion(50, 100).half_width
    (0.5, True)
    """
    whole = proportion(float(np.sum(np.asarray(successes))), float(np.sum(np.asarray(trials))), level)
    if whole.low is None or whole.high is None:
        return whole
    drawn = block_bootstrap_ratio(successes, trials, clusters=clusters, level=level, seed=seed, resamples=resamples)
    if drawn.low is None or drawn.high is None:
        return whole
    method = WIDER_FEW if drawn.method == BOOTSTRAP_FEW else WIDER
    return replace(whole, low=min(whole.low, drawn.low), high=max(whole.high, drawn.high), method=method)


def _groups(count: int, clusters: ArrayLike | None) -> tuple[NDArray[np.int64], int]:
    """The group of each round, and how many groups there are: at most `MAX_GROUPS`."""
    if count == 0:
        return np.zeros(0, dtype=np.int64), 0
    if clusters is None:
        codes = np.arange(count, dtype=np.int64) // int(np.ceil(count ** (1 / 3)))
    else:
        codes = np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)
    groups = int(codes.max()) + 1
    if groups > MAX_GROUPS:
        codes, groups = codes * MAX_GROUPS // groups, MAX_GROUPS
    return codes, groups


@lru_cache(maxsize=8)
def resampled(groups: int, resamples: int, seed: int) -> NDArray[np.float64]:
    """How often each group is drawn in each resample, shape (resamples, groups); depends on no data, so it is kept.

    >>> resampled(4, 2, seed=0).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    drawn = np.random.default_rng(seed).integers(groups, size=(resamples, groups))
    drawn += groups * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * groups).reshape(resamples, groups).astype(float)
