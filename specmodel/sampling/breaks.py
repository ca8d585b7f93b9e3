"""What breaks the promise that the output is the target's, how far off it then is, and what only looks like it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats, Ints
from specmodel.base.numbers import distribution, distributions, generator, number_between, numbers, whole_number
from specmodel.sampling.verify import Verification, acceptance_probabilities, recovering

MAX_ROUNDED = 100_000
"""The most positions, tokens and products of a score in `rounding`."""


def wrong_draft_output(
    target_probs: ArrayLike, true_draft_probs: ArrayLike, used_draft_probs: ArrayLike
) -> Verification:
    """Rejection sampling that is told a wrong draft distribution, enumerated.

    Draft tokens come from true_draft_probs, but their test and their replacement use used_draft_probs, for instance
    because a temperature was applied to one of the two only. With k(x) = min(1, target ÷ used) a token comes out with

        true · k + (1 − Σ true · k) · normalised max(0, target − used)

    which is the target's distribution when used = true (derived here). The acceptance may look better than the right
    one. A drafted token with used = 0 is kept if the target knows it; where target = used leaves no residual, the
    target's own sample replaces a rejected draft.

    >>> wrong = wrong_draft_output([0.5, 0.5], [0.9, 0.1], [0.5, 0.5])
    >>> wrong.acceptance, round(wrong.total_variation, 3)
    (1.0, 0.4)
    """
    target, used = distributions(target_probs, used_draft_probs)
    _, true = distributions(target_probs, true_draft_probs)
    accepted = true * acceptance_probabilities(target, used)
    return recovering("wrong_draft", target, true, accepted, np.maximum(target - used, 0))


def typical_acceptance(
    target_probs: ArrayLike, draft_probs: ArrayLike, threshold: float = 0.09, entropy_factor: float = 0.3
) -> Verification:
    """Typical acceptance, enumerated: keep every draft that the target finds likely enough, whatever drafted it.

        keep if target > min(threshold, entropy_factor · exp(−H)),  H = −Σ target · ln(target)

    so that the bar is lower where the target itself is unsure (Medusa, Cai et al. 2024, arXiv 2401.10774; ε and
    δ = √ε there, .09 and .3 by default in its code). Not exact: the drafter's preferences come through. It keeps more
    drafts than rejection sampling on most pairs, fewer where many unlikely tokens share the probability. A rejected
    draft is replaced by the target's own sample.

    >>> typical = typical_acceptance([0.6, 0.3, 0.1], [0.1, 0.8, 0.1])
    >>> round(typical.acceptance, 3), round(typical.total_variation, 3)
    (1.0, 0.5)
    """
    target, draft = distributions(target_probs, draft_probs)
    threshold, factor = number_between(threshold, "threshold", 0), number_between(entropy_factor, "entropy_factor", 0)
    bar = min(threshold, factor * float(np.exp(-entropy(target))))
    return recovering("typical", target, draft, np.where(target > bar, draft, 0), target)


def entropy(probs: ArrayLike) -> float:
    """How unsure a distribution is, −Σ probs · ln(probs) in nats: 0 when one token is certain, ln(n) when n are even.

    >>> entropy([1.0, 0.0]), round(entropy([0.5, 0.5]), 4)
    (0.0, 0.6931)
    """
    values = distribution(probs, "probs")
    values = values[values > 0]
    return max(0.0, -float((values * np.log(values)).sum()))


def bf16(values: ArrayLike) -> Floats:
    """The values as bfloat16 holds them: 8 significant bits, so about 2 to 3 decimal digits.

    bfloat16 is the upper half of a float32, rounded to the nearest, ties to even. Half a step is at most 1/256 of the
    value. Infinities and nan stay; values beyond the range become infinite.

    >>> bf16([1.0, 1.003, 1.005, 20.03]).tolist()
    [1.0, 1.0, 1.0078125, 20.0]
    """
    with np.errstate(over="ignore"):
        single = numbers(values, "values").astype(np.float32)
    bits = single.view(np.uint32)
    upper = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(single), np.nan, upper.view(np.float32).astype(float))


@dataclass(frozen=True)
class Rounding:
    """The same scores twice in bfloat16, summed in another order: rows are positions of a text, columns tokens.

    `logits` is free of rounding, shape (positions, tokens); `plain` and `verified` are both correct roundings of it, as
    a step over one token and a pass over several would sum them up. Ties go to the first token.
    """

    logits: Floats
    plain: Floats
    verified: Floats

    @property
    def tokens(self) -> Ints:
        """The token with the largest score at each position, in exact, plain and verified scores: shape (3, rows)."""
        return np.array([scores.argmax(axis=1) for scores in (self.logits, self.plain, self.verified)])

    @property
    def differing(self) -> Ints:
        """The positions at which plain decoding and verification choose another token, though nothing is wrong."""
        _, plain, verified = self.tokens
        return np.flatnonzero(plain != verified)

    @property
    def margins(self) -> Floats:
        """How far the best score is ahead of the second best at each position, without rounding."""
        highest = np.sort(self.logits, axis=1)
        margins: Floats = highest[:, -1] - highest[:, -2]
        return margins


def rounding(positions: int = 200, tokens: int = 500, width: int = 64, seed: int = 0) -> Rounding:
    """Why greedy text may differ in bfloat16 although the rule is exact: a demonstration with random numbers.

    A score is a sum of `width` products. Computers add such a sum in parts, and the size of the parts depends on how
    many tokens a pass holds; each partial result is rounded. Here a plain step adds four parts and a verification
    eight, each rounded to bfloat16. Where the two best scores lie closer together than the rounding, either may win:
    the texts part there, neither of them is wrong, and the acceptance test has nothing to do with it. With more digits
    (float32: 16 more bits) such near-ties are some 65,000 times rarer.

    >>> case = rounding(seed=1)
    >>> 0 < case.differing.size < 40
    True
    >>> bool(case.margins[case.differing].max() < np.median(case.margins))
    True
    """
    positions = whole_number(positions, "positions", 1, MAX_ROUNDED)
    tokens = whole_number(tokens, "tokens", 2, MAX_ROUNDED)
    width = whole_number(width, "width", 1, MAX_ROUNDED)
    random = generator(seed)
    hidden, weights = bf16(random.normal(size=(positions, width))), bf16(random.normal(size=(width, tokens)))
    return Rounding(hidden @ weights, _added(hidden, weights, 4), _added(hidden, weights, 8))


def _added(hidden: Floats, weights: Floats, parts: int) -> Floats:
    """hidden @ weights, added part by part, with every partial sum rounded to bfloat16."""
    total = np.zeros((hidden.shape[0], weights.shape[1]))
    for columns in np.array_split(np.arange(hidden.shape[1]), parts):
        total = bf16(total + hidden[:, columns] @ weights[columns])
    return total
