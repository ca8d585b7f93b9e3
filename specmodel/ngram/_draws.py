"""Temperature and draws, the same for target and draft."""

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_
from specmodel.base.numbers import number_between

MAX_TEMPERATURE = 5.0


def tempered(probs: Floats, temperature: float) -> Floats:
    """probs^(1/temperature), normalised; at temperature 0 all on the most probable token, the first of equal ones.

    >>> tempered(np.array([0.2, 0.4, 0.4]), 0).tolist(), tempered(np.array([0.2, 0.8]), 0.5).round(3).tolist()
    ([0.0, 1.0, 0.0], [0.059, 0.941])
    """
    number_between(temperature, N_("temperature"), 0, MAX_TEMPERATURE)
    if temperature == 1:
        return probs
    if temperature == 0:
        return one_hot(int(probs.argmax()), probs.size)
    with np.errstate(divide="ignore", over="ignore"):
        powers = np.exp(np.log(probs / probs.max()) / temperature)
    sharpened: Floats = powers / powers.sum()
    return sharpened


def one_hot(token: int, size: int) -> Floats:
    """All probability on one token.

    >>> one_hot(1, 3).tolist()
    [0.0, 1.0, 0.0]
    """
    probs = np.zeros(size)
    probs[token] = 1.0
    return probs


def draw(weights: Floats, rng: np.random.Generator) -> int:
    """A token in proportion to its weight, by the inverse of the cumulative sum; never one of weight 0.

    >>> draw(np.array([0.0, 2.0, 0.0]), np.random.default_rng(0))
    1
    """
    sums = weights.cumsum()
    found = int(sums.searchsorted(sums[-1] * rng.random(), side="right"))
    return found if found < weights.size else int(sums.searchsorted(sums[-1]))
