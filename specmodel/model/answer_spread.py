"""Quantiles of the rounds of single answers whose prompts are not equally easy: a mixture of exact distributions.

Acceptance is one number for the mean over prompts; single prompts differ, on real runs between .18 and .90. With a
standard deviation s between answers the alpha of an answer is taken from the Beta distribution of mean alpha and that s
(assumed; the same as on the Drift page), at `NODES` points of equal probability, and the exact distributions of rounds
are mixed. Means stay those of the one alpha: only the band of single answers is about single prompts. Derived here.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.model.acceptance import Acceptance
from specmodel.model.rounds import Distribution, rounds_needed

NODES = 9
MOST_OF_ROOM = 0.98


@lru_cache(maxsize=20_000)
def rounds_quantiles(
    alpha: float, drafts: int, output_tokens: int, shape: tuple[float, ...], spread: float, q: tuple[float, ...]
) -> tuple[float, ...]:
    """Quantiles q of the rounds that an answer of N tokens needs, where the alpha of answers has this spread.

    >>> rounds_quantiles(0.6, 5, 4000, (), 0.0, (0.05, 0.95)), rounds_quantiles(0.6, 5, 4000, (), 0.1, (0.05, 0.95))
    ((1635.0, 1723.0), (1200.0, 2277.0))
    """
    mixed = [rounds_needed(Acceptance.shaped(a, drafts, shape), output_tokens) for a in _alphas(alpha, spread)]
    if len(mixed) > 1:
        return tuple(_mixture(mixed).quantile(q).tolist())
    return tuple(mixed[0].quantile(q).tolist())


def _mixture(parts: Sequence[Distribution]) -> Distribution:
    values = np.concatenate([each.support for each in parts])
    order = np.argsort(values, kind="stable")
    chances = np.concatenate([each.pmf for each in parts])[order] / len(parts)
    return Distribution(values[order], chances)


def _alphas(alpha: float, spread: float) -> Floats:
    """The alphas of equally frequent answers; only the mean itself where there is no spread or no room for one.

    A Beta distribution of mean m whose two parameters add up to n has the variance m·(1 − m)/(n + 1).
    """
    room = alpha * (1 - alpha)
    if spread <= 0 or room <= 0:
        return np.array([alpha])
    from scipy.special import betaincinv  # slow to load, and not needed without a spread

    total = room / min(spread**2, MOST_OF_ROOM * room) - 1
    middles = (np.arange(NODES) + 0.5) / NODES
    alphas: Floats = np.clip(betaincinv(alpha * total, (1 - alpha) * total, middles), 0.0, 1.0)
    return alphas
