"""Expected rounds until N tokens are out, without their distribution: by the renewal equation, or its closed form."""

import math
from functools import lru_cache

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.model.acceptance import Acceptance

NOTHING = 1e-18
"""Terms below this share of the first are left out of a sum."""
_TERMS_AT_ONCE = 4096


@lru_cache(maxsize=2048)
def mean_rounds(acceptance: Acceptance, output_tokens: int) -> float:
    """Expected rounds to emit at least N tokens, alone and fast: M(n) = 1 + Σ_t P(T = t)·M(n − t), M(n ≤ 0) = 0.

    The renewal equation, run as a recursive filter; all terms are positive, so nothing cancels.

    >>> round(mean_rounds(Acceptance.iid(0.9, 8), 20), 3)
    3.84
    """
    from scipy.signal import lfilter  # slow to load, and not needed to read logs

    recursion = np.concatenate(([1.0], -acceptance.pmf))
    return float(lfilter([1.0], recursion, np.ones(output_tokens))[-1])


def mean_rounds_by_length(alpha: float, max_speculative_tokens: int, output_tokens: int) -> Floats:
    """Expected rounds to emit at least N tokens at every k = 0 … max, where each draft has the chance alpha.

    One alpha gives the renewal equation a closed form. With K = k + 1 the tokens of a round have the generating
    function P(z) = 1 − (1 − z)·Q(z), Q(z) = Σ_{t=0}^{k} (αz)^t = (1 − (αz)^K) ÷ (1 − αz), and the mean rounds that of
    z ÷ ((1 − z)²·Q(z)). Since 1/Q = (1 − αz)·Σ_m (αz)^{mK},

        M(N) = Σ_m α^{mK} · [(N − mK)⁺ − α·(N − mK − 1)⁺],  m = 0, 1, …

    whose terms are all positive, so that nothing cancels. Derived here; a test holds it to `mean_rounds`.

    >>> mean_rounds_by_length(0.9, 8, 20).round(3)[[0, 8]].tolist()
    [20.0, 3.84]
    """
    size = np.arange(1, max_speculative_tokens + 2)
    if alpha == 1:
        return np.ceil(output_tokens / size)
    found = np.zeros(size.size)
    decay = -math.log(alpha) if alpha else math.inf
    terms = output_tokens if decay * output_tokens < -math.log(NOTHING) else math.ceil(-math.log(NOTHING) / decay)
    for start in range(0, terms // 2 + 1, _TERMS_AT_ONCE):  # of two tokens a round and more
        spent = np.arange(start, min(start + _TERMS_AT_ONCE, terms // 2 + 1))[:, None] * size
        left = np.maximum(output_tokens - spent, 0)
        found += (alpha**spent * (left - alpha * np.maximum(left - 1, 0))).sum(axis=0)
    found[0] = output_tokens  # one token a round
    return found
