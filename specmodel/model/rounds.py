"""The exact distribution of the rounds needed to emit N tokens, and so of the time and of the wasted drafts.

Rounds run until at least N tokens are out. With S_r the tokens of r rounds, R = min{r : S_r ≥ N} is a stopping time
of a renewal process; its mean is not N/tau, because the last round overshoots by O tokens, 0 ≤ O ≤ k.

How it is computed (derived here). R = r with overshoot o happens when S_{r−1} = N − 1 − i for some 0 ≤ i ≤ k and the
last round emits 1 + i + o tokens. The k + 1 probabilities P(S_{r−1} = N − 1 − i) are Fourier coefficients of phi^(r−1),
phi the characteristic function of the tokens of one round, taken on a grid of M angles around the circle:

    P(S_r = s) = 1/M · Σ_j phi(θ_j)^r · e^(−i θ_j s)

The sum is exact but for aliasing: values of S_r outside a window of M values around N fold into it. M is chosen by
Bernstein's inequality so that this mass is below `TAIL`, as is the mass of the rounds left out at both ends. Angles
where |phi|^r < `TAIL` are dropped: near the mean |phi|^r falls like exp(−r·variance·θ²/2), so a few dozen angles remain
whatever N is. Together with rounding the error of any probability is below 1e-10 (checked against the plain dynamic
programme in the tests; typically 1e-13).
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.numbers import numbers_between
from specmodel.model.acceptance import Acceptance

TAIL = 1e-15
NOISE = 1e-14
_STRIDE = 32


@dataclass(frozen=True)
class Distribution:
    """A distribution over numbers: `support` in rising order, and `pmf` of the same shape.

    >>> Distribution(np.array([1.0, 2.0]), np.array([0.25, 0.75])).mean
    1.75
    """

    support: Floats
    pmf: Floats

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.support @ self.pmf)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return math.sqrt(max(float((self.support - self.mean) ** 2 @ self.pmf), 0.0))

    def quantile(self, q: ArrayLike) -> Floats:
        """Smallest value v with P(X ≤ v) ≥ q, for each q in [0, 1]; the shape of `q`.

        >>> Distribution(np.array([1.0, 2.0]), np.array([0.25, 0.75])).quantile([0.2, 0.5]).tolist()
        [1.0, 2.0]
        """
        wanted = numbers_between(q, "q", 0, 1)
        index = np.searchsorted(np.cumsum(self.pmf), wanted - 1e-12)
        found: Floats = self.support[np.minimum(index, self.support.size - 1)]
        return found

    def scaled(self, factor: float) -> "Distribution":
        """The distribution of factor × value, for a factor ≥ 0."""
        return Distribution(self.support * factor, self.pmf)


@dataclass(frozen=True)
class RoundsToEmit(Distribution):
    """Distribution of the rounds R needed to emit at least N tokens; `support` holds rounds.

    `joint[a, o]` is P(R = support[a], overshoot = o), shape (len(support), k + 1).
    """

    joint: Floats
    output_tokens: int
    round_ms: float

    @cached_property
    def total_ms(self) -> Distribution:
        """Distribution of the decoding time in ms: rounds × ms of a round."""
        return self.scaled(self.round_ms)

    @cached_property
    def wasted_draft_tokens(self) -> Distribution:
        """Distribution of k·R − accepted, with accepted = tokens out − R, so (k + 1)·R − N − overshoot."""
        most = self.joint.shape[1]
        wasted = most * self.support[:, None] - self.output_tokens - np.arange(most, dtype=float)
        low = int(wasted.min())
        pmf: Floats = np.bincount((wasted - low).astype(int).ravel(), weights=self.joint.ravel()).astype(float)
        pmf[: max(-low, 0)] = 0  # a negative waste cannot be: what stands there is rounding
        kept = np.flatnonzero(pmf > NOISE)
        return Distribution(kept.astype(float) + low, pmf[kept])


def rounds_distribution(acceptance: Acceptance, output_tokens: int, round_ms: float = 1.0) -> RoundsToEmit:
    """The whole distribution of the rounds needed to emit at least `output_tokens` tokens (exact; see the module).

    >>> exact = rounds_distribution(Acceptance.iid(0.8, 5), 128)
    >>> round(exact.mean, 2), round(128 / 3.689, 2)
    (35.2, 34.7)
    """
    rounds, joint = _rounds_and_joint(acceptance, output_tokens)
    return RoundsToEmit(rounds, joint.sum(axis=1), joint, output_tokens, round_ms)


def rounds_needed(acceptance: Acceptance, output_tokens: int) -> Distribution:
    """The distribution of the rounds alone, without the overshoot of the last one: a third of the work.

    >>> alone, whole = rounds_needed(Acceptance.iid(0.8, 5), 128), rounds_distribution(Acceptance.iid(0.8, 5), 128)
    >>> bool(abs(alone.pmf - whole.pmf).max() < 1e-12)
    True
    """
    rounds, spectrum, shift = _before_the_last(acceptance, output_tokens)
    emits_more = np.array([1.0, *acceptance.per_position_acceptance])  # P(the last round emits more than i)
    pmf = np.clip(spectrum.sums((emits_more @ shift)[None])[:, 0], 0, None)
    return Distribution(rounds.astype(float), pmf / pmf.sum())


def _before_the_last(acceptance: Acceptance, output_tokens: int) -> tuple[Ints, "_Spectrum", NDArray[np.complex128]]:
    """Rounds R, and what gives P(S_{R−1} = N − 1 − i) for i = 0 … k: the spectrum with a row of factors for each i."""
    rounds = _plausible_rounds(acceptance, output_tokens)
    spectrum = _spectrum(acceptance, output_tokens, rounds - 1)
    before = output_tokens - np.arange(1, acceptance.num_speculative_tokens + 2)
    return rounds, spectrum, spectrum.weight * np.exp(-1j * spectrum.angles * before[:, None])


@lru_cache(maxsize=32)
def _rounds_and_joint(acceptance: Acceptance, output_tokens: int) -> tuple[Floats, Floats]:
    rounds, spectrum, shift = _before_the_last(acceptance, output_tokens)
    size = acceptance.num_speculative_tokens + 1
    last = np.zeros((size, size))  # last[i, o] = P(the last round emits 1 + i + o)
    for i in range(size):
        last[i, : size - i] = acceptance.pmf[i:]
    joint = np.clip(spectrum.sums(shift) @ last, 0, None)
    joint /= joint.sum()
    return rounds.astype(float), joint


@dataclass(frozen=True)
class _Spectrum:
    """The angles that matter, log phi and quadrature weight there, for a range of rounds; see the module."""

    angles: Floats
    log_phi: NDArray[np.complex128]
    weight: Floats
    rounds: Ints

    def sums(self, factors: NDArray[np.complex128]) -> Floats:
        """Re Σ_j factors[i, j]·phi_j^r for every r of the range and every i, shape (rounds, i).

        With r = far + near, phi^r = phi^far · phi^near: the sums over angles are one product of two small matrices.
        """
        near = np.exp(self.log_phi[:, None] * np.arange(_STRIDE))
        far = factors[:, None, :] * np.exp(self.rounds[::_STRIDE, None] * self.log_phi)
        sums = far.real @ near.real - far.imag @ near.imag
        found: Floats = sums.reshape(len(factors), -1)[:, : self.rounds.size].T
        return found


def _spectrum(acceptance: Acceptance, output_tokens: int, rounds: Ints) -> _Spectrum:
    from scipy.fft import next_fast_len  # slow to load, and not needed to read logs

    size = int(next_fast_len(2 * _half_window(acceptance, output_tokens, rounds)))
    phi = _phi(acceptance, size)
    kept = np.flatnonzero(abs(phi) >= (TAIL ** (1 / rounds[0]) if rounds[0] else 0.0))
    angles: Floats = 2 * np.pi / size * kept.astype(float)
    weight = np.where((kept == 0) | (2 * kept == size), 1.0, 2.0) / size
    return _Spectrum(angles, np.log(phi[kept]), weight, rounds)


def _phi(acceptance: Acceptance, size: int) -> NDArray[np.complex128]:
    """The characteristic function of the tokens of one round at the angles 2π·j/size, j = 0 … size/2; nowhere 0."""
    phi = np.conj(np.fft.rfft(np.concatenate(([0.0], acceptance.pmf)), size))
    return np.where(phi == 0, 1e-300, phi)


def _largest(acceptance: Acceptance, output_tokens: int) -> int:
    """b such that no round of the run accepts more than b drafts, but for TAIL: N·S_j ≤ TAIL for every j > b."""
    return sum(survival * output_tokens > TAIL for survival in acceptance.per_position_acceptance)


def _spread(acceptance: Acceptance, rounds: float, deviation: int) -> float:
    """x with P(|S_r − r·tau| ≥ x) ≤ TAIL, by Bernstein's inequality: deviations up to `deviation`, known variance."""
    log_tail = math.log(2 / TAIL)
    largest = log_tail * deviation / 3
    return largest + math.sqrt(largest**2 + 2 * log_tail * acceptance.variance * rounds)


def _plausible_rounds(acceptance: Acceptance, output_tokens: int) -> Ints:
    """Every r at which R may stop with more than TAIL probability, within [N/(k + 1), N]."""
    fewest = -(-output_tokens // (acceptance.num_speculative_tokens + 1))
    tau = acceptance.mean_acceptance_length
    if acceptance.variance * output_tokens < TAIL:
        only = -(-output_tokens // round(tau))
        return np.arange(only, only + 1)
    possible, most = range(fewest, output_tokens + 1), _largest(acceptance, output_tokens)
    start = bisect_left(possible, True, key=lambda r: r * tau + _spread(acceptance, r, most) >= output_tokens)
    stop = bisect_left(possible, True, key=lambda r: r * tau - _spread(acceptance, r, most) >= output_tokens)
    return np.arange(fewest + start, min(fewest + stop, output_tokens) + 1)


def _half_window(acceptance: Acceptance, output_tokens: int, rounds: Ints) -> int:
    """h such that S_r, for every r asked, lies within N ± h but for TAIL; the grid has 2·h angles."""
    tau, most = acceptance.mean_acceptance_length, acceptance.num_speculative_tokens + 1
    ends = (int(rounds[0]), int(rounds[-1]))
    deviation = _largest(acceptance, output_tokens)
    reach = max(abs(r * tau - output_tokens) + _spread(acceptance, r, deviation) for r in ends)
    farthest = max(ends[1] * most - output_tokens, output_tokens)
    return min(math.ceil(reach), farthest) + most + 1
