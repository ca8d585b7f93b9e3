"""Probabilities of the tokens of a small vocabulary, and how much two of them have in common."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.numbers import distribution, distributions


def overlap(target_probs: ArrayLike, draft_probs: ArrayLike) -> float:
    """What the two distributions have in common: Σ min(target, draft), from 0 to 1.

    It is the acceptance of rejection sampling (Leviathan et al. 2023, theorem 3.5). No rule that emits the target's
    distribution can keep a token drawn from draft_probs more often (the coupling lemma).

    >>> round(overlap([0.7, 0.2, 0.1], [0.5, 0.2, 0.3]), 3)
    0.8
    """
    target, draft = distributions(target_probs, draft_probs)
    return min(float(np.minimum(target, draft).sum()), 1.0)


def total_variation(probs: ArrayLike, other_probs: ArrayLike) -> float:
    """How far two distributions are apart: ½ Σ |difference|, from 0 (the same) to 1 (nothing in common).

    It is the largest difference between the chances that they give to any set of tokens, and 1 − `overlap`
    (Leviathan et al. 2023, lemma 3.3).

    >>> round(total_variation([0.7, 0.2, 0.1], [0.5, 0.2, 0.3]), 3)
    0.2
    """
    one, other = distributions(probs, other_probs)
    return float(np.abs(one - other).sum() / 2)


def with_probability(probs: ArrayLike, index: int, value: float) -> Floats:
    """The distribution with one probability set to `value` and the others in proportion. Shape (tokens,).

    Where the others have nothing, what is left is spread evenly over them.

    >>> with_probability([0.5, 0.3, 0.2], 0, 0.0).round(3).tolist()
    [0.0, 0.6, 0.4]
    >>> with_probability([1.0, 0.0, 0.0], 0, 0.5).tolist()
    [0.5, 0.25, 0.25]
    """
    result = distribution(probs, "probs").copy()
    others = np.arange(result.size) != index
    total = result[others].sum()
    result[others] = (1 - value) * (result[others] / total if total > 0 else 1 / max(result.size - 1, 1))
    result[index] = value
    return result


def ratios(part: Floats, whole: Floats, never: Any = 0.0) -> Floats:
    """part ÷ whole for each token, `never` where the whole is 0.

    >>> ratios(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    result: Floats = np.array(np.broadcast_to(never, whole.shape), dtype=float)
    return np.divide(part, whole, out=result, where=whole > 0)
