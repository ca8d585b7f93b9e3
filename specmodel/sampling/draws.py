"""Playing the check of a draft with random numbers, once or very often, and testing what comes out.

Nothing here uses the enumerated output: it draws a draft token, tests it, and replaces it, as an engine does.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import N_, Message
from specmodel.base.numbers import OutOfDomain, distribution, generator, number_between, numbers_between, whole_number
from specmodel.sampling.verify import Verification

MAX_DRAWS = 10_000_000
MAX_COUNTED = 1e15
"""The most draws that can be tested: floats still tell one more from one less."""
POOLED_BELOW = 5.0
"""Cells that expect fewer draws than this are pooled (Cochran's rule)."""


@dataclass(frozen=True)
class DraftCheck:
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
class DraftChecks:
    """Many independent checks: every array has one entry for each, and the fields are those of `DraftCheck`."""

    draft_tokens: Ints
    uniform: Floats
    accepted: NDArray[np.bool_]
    tokens: Ints

    @property
    def acceptance(self) -> float:
        """The share of the draft tokens that were kept."""
        return float(self.accepted.mean())


class ChiSquare(NamedTuple):
    """Pearson's statistic, its degrees of freedom, and the chance of at least that much if the counts fit."""

    statistic: float
    degrees: int
    p_value: float


def play(verification: Verification, n: int, seed: int | np.random.Generator = 0) -> DraftChecks:
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
        return DraftChecks(drafts, uniform, drafts == tokens, tokens)
    accepted = uniform < verification.keep[drafts]
    return DraftChecks(drafts, uniform, accepted, np.where(accepted, drafts, _picked(verification.recovered, last)))


def _picked(probs: Floats, uniform: Floats) -> Ints:
    """The token at which the cumulated probabilities first exceed each random number."""
    cumulated = np.cumsum(probs)
    picked = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
    last = np.flatnonzero(probs)[-1]  # where the product rounds up to the sum
    tokens: Ints = np.minimum(picked, last).astype(np.int64)
    return tokens


def draw_step(verification: Verification, seed: int | np.random.Generator = 0) -> DraftCheck:
    """One draft and its test; a generator given as seed moves on, so that the next call is the next step.

    >>> from specmodel.sampling.verify import verify
    >>> step = draw_step(verify([0.25, 0.75], [1.0, 0.0]), seed=4)
    >>> step.draft_token, step.keep, round(step.uniform, 3), step.accepted, step.recovered, step.token
    (0, 0.25, 0.511, False, 1, 1)
    """
    checks = play(verification, 1, seed)
    draft, token, accepted = int(checks.draft_tokens[0]), int(checks.tokens[0]), bool(checks.accepted[0])
    keep, uniform = float(verification.keep[draft]), float(checks.uniform[0])
    return DraftCheck(draft, keep, uniform, accepted, None if accepted else token, token)


def counted(checks: DraftChecks, num_tokens: int) -> Ints:
    """How often each of `num_tokens` tokens came out. Shape (num_tokens,).

    >>> from specmodel.sampling.verify import verify
    >>> counted(play(verify([1.0, 0.0], [0.5, 0.5]), 10), 2).tolist()
    [10, 0]
    """
    return np.bincount(checks.tokens, minlength=num_tokens).astype(np.int64)


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
        raise OutOfDomain(Message(message, {"counts": observed.size, "probs": expected.size}))
    impossible = bool(np.any(observed[expected == 0] > 0))
    observed, expected = _pooled(observed, expected * observed.sum())
    degrees = max(observed.size - 1, 0)
    if impossible:
        return ChiSquare(float("inf"), degrees, 0.0)
    statistic = float((np.square(observed - expected) / expected).sum()) if degrees else 0.0
    from scipy.special import chdtrc  # takes longer to load than everything else here

    return ChiSquare(statistic, degrees, float(chdtrc(degrees, statistic)) if degrees else 1.0)


def _counts(values: ArrayLike) -> Floats:
    counts = numbers_between(values, "counts", 0)
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    if counts.ndim != 1 or not total > 0:
        raise OutOfDomain(Message("counts must be a list, not all 0; got {values}", {"values": repr(values)[:80]}))
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
