"""Playing a step of speculative sampling with random numbers, once or very often, and testing what comes out.

Nothing here uses the enumerated output: it draws a draft token, tests it, and replaces it, as an engine does.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.base.messages import N_, Message, Verbatim
from specmodel.sampling.distributions import (
    Floats,
    SamplingError,
    distribution,
    generator,
    number_between,
    numbers,
    whole_number,
)
from specmodel.sampling.verify import Verification, verify

Integers = NDArray[np.int64]

MAX_DRAWS = 10_000_000
MAX_COUNTED = 1e15
"""The most draws that can be tested: floats still tell one more from one less."""
POOLED_BELOW = 5.0
"""Cells that expect fewer draws than this are pooled (Cochran's rule)."""


@dataclass(frozen=True)
class Step:
    """One draft token and its test.

    The draft is kept when `uniform`, a random number from 0 to 1, is below `keep`. `recovered` is the token that
    replaces a rejected draft, None when it was kept; `token` is what comes out. With exact match the target draws
    `token` by itself, `uniform` picks it, and the draft is kept when it is the same.
    """

    draft_token: int
    keep: float
    uniform: float
    accepted: bool
    recovered: int | None
    token: int


@dataclass(frozen=True)
class Steps:
    """Many independent steps: every array has one entry for each, and the fields are those of `Step`."""

    draft_tokens: Integers
    uniform: Floats
    accepted: NDArray[np.bool_]
    tokens: Integers

    @property
    def acceptance(self) -> float:
        """The share of the draft tokens that were kept."""
        return float(self.accepted.mean())


class ChiSquare(NamedTuple):
    """Pearson's statistic, its degrees of freedom, and the chance of at least that much if the counts fit."""

    statistic: float
    degrees: int
    p_value: float


def play(verification: Verification, n: int, seed: int | np.random.Generator = 0) -> Steps:
    """n independent steps of a test, drawn as an engine draws them: draft token, test, recovered token.

    Three random numbers a step, in this order; so n steps of one generator are the same one by one or at once.

    >>> from specmodel.sampling.verify import verify
    >>> play(verify([0.7, 0.2, 0.1], [0.5, 0.2, 0.3]), 1000, seed=1).acceptance
    0.789
    """
    n, random = whole_number(n, N_("draws"), 1, MAX_DRAWS), generator(seed)
    first, uniform, last = np.ascontiguousarray(random.random((n, 3)).T)
    drafts = _picked(verification.draft_probs, first)
    if verification.rule == "exact_match":
        tokens = _picked(verification.target_probs, uniform)
        return Steps(drafts, uniform, drafts == tokens, tokens)
    accepted = uniform < verification.keep[drafts]
    return Steps(drafts, uniform, accepted, np.where(accepted, drafts, _picked(verification.recovered, last)))


def _picked(probs: Floats, uniform: Floats) -> Integers:
    """The token at which the cumulated probabilities first exceed each random number."""
    cumulated = np.cumsum(probs)
    picked = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
    last = np.flatnonzero(probs)[-1]  # where the product rounds up to the sum
    tokens: Integers = np.minimum(picked, last).astype(np.int64)
    return tokens


def draw_step(
    target_probs: ArrayLike,
    draft_probs: ArrayLike,
    rule: str = "rejection",
    seed: int | np.random.Generator = 0,
    *,
    shared: ArrayLike | None = None,
    lenience: float = 1.0,
) -> Step:
    """One step of a rule of `verify`; a generator given as seed moves on, so that the next call is the next step.

    >>> step = draw_step([0.25, 0.75], [1.0, 0.0], seed=4)
    >>> step.draft_token, step.keep, round(step.uniform, 3), step.accepted, step.recovered, step.token
    (0, 0.25, 0.511, False, 1, 1)
    """
    verification = verify(target_probs, draft_probs, rule, shared=shared, lenience=lenience)
    steps = play(verification, 1, seed)
    draft, token, accepted = int(steps.draft_tokens[0]), int(steps.tokens[0]), bool(steps.accepted[0])
    keep, uniform = float(verification.keep[draft]), float(steps.uniform[0])
    return Step(draft, keep, uniform, accepted, None if accepted else token, token)


def draw(
    target_probs: ArrayLike,
    draft_probs: ArrayLike,
    n: int,
    rule: str = "rejection",
    seed: int | np.random.Generator = 0,
    *,
    shared: ArrayLike | None = None,
    lenience: float = 1.0,
) -> Integers:
    """How often each token comes out of n independent steps of a rule of `verify`. Shape (tokens,).

    >>> draw([0.7, 0.2, 0.1], [0.5, 0.2, 0.3], 1000, seed=1).tolist()
    [725, 179, 96]
    """
    verification = verify(target_probs, draft_probs, rule, shared=shared, lenience=lenience)
    return counted(play(verification, n, seed), verification.target_probs.size)


def counted(steps: Steps, num_tokens: int) -> Integers:
    """How often each of `num_tokens` tokens came out. Shape (num_tokens,).

    >>> counted(play(verify([1.0, 0.0], [0.5, 0.5]), 10), 2).tolist()
    [10, 0]
    """
    return np.bincount(steps.tokens, minlength=num_tokens).astype(np.int64)


def chi_square(counts: ArrayLike, probs: ArrayLike) -> ChiSquare:
    """Do the counts fit the probabilities? Pearson's chi-square test: Σ (count − expected)² ÷ expected.

    The p-value is the chance that counts which do come from the probabilities look at least as far off: evenly spread
    over 0 to 1 when they do, tiny when they do not. Cells that expect fewer than five are pooled into one, and that
    one with the next smallest if it still expects fewer. A count where the probability is 0 rules the fit out: infinite
    statistic, p-value 0. With a single cell there is nothing to test: p-value 1.

    >>> chi_square([60, 40], [0.5, 0.5]).statistic
    4.0
    >>> round(chi_square([60, 40], [0.5, 0.5]).p_value, 4)
    0.0455
    """
    observed, expected = _counts(counts), distribution(probs, "probs")
    if observed.shape != expected.shape:
        message = "counts and probs must be over the same tokens; got {counts} and {probs}"
        raise SamplingError(Message(message, {"counts": observed.size, "probs": expected.size}))
    impossible = bool(np.any(observed[expected == 0] > 0))
    observed, expected = _pooled(observed, expected * observed.sum())
    degrees = max(observed.size - 1, 0)
    if impossible:
        return ChiSquare(float("inf"), degrees, 0.0)
    statistic = float((np.square(observed - expected) / expected).sum()) if degrees else 0.0
    from scipy.special import chdtrc  # takes longer to load than everything else here

    return ChiSquare(statistic, degrees, float(chdtrc(degrees, statistic)) if degrees else 1.0)


def _counts(values: ArrayLike) -> Floats:
    counts = numbers(values, "counts")
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    if counts.ndim != 1 or not np.all((counts >= 0) & (counts < np.inf)) or not total > 0:
        message = "counts must be numbers of 0 or more, not all 0; got {values}"
        raise SamplingError(Message(message, {"values": Verbatim(repr(values)[:80])}))
    number_between(total, "sum(counts)", 0, MAX_COUNTED)
    return counts


def _pooled(observed: Floats, expected: Floats) -> tuple[Floats, Floats]:
    """The cells by falling expectation, the small ones added up in the last."""
    order = np.argsort(-expected, kind="stable")
    observed, expected = observed[order], expected[order]
    alone = int(np.sum(expected >= POOLED_BELOW))
    if alone and expected[alone:].sum() < POOLED_BELOW and alone < expected.size:
        alone -= 1
    if alone >= expected.size:
        return observed, expected
    return np.append(observed[:alone], observed[alone:].sum()), np.append(expected[:alone], expected[alone:].sum())
