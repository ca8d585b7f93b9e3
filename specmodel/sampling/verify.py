"""One draft token and the test it has to pass: how often it is kept, and what comes out, by the rule of the test.

All arrays hold one probability for each token of a small vocabulary. Everything here is enumerated over that
vocabulary, nothing is drawn: `specmodel.sampling.draws` plays the same steps with random numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_, Message, Verbatim
from specmodel.base.numbers import OutOfDomain, distributions, numbers, one_of, share_above_zero, shortened
from specmodel.sampling.distributions import ratios

RULES: Mapping[str, str] = {
    "rejection": N_("Rejection sampling"),
    "exact_match": N_("Exact match"),
    "union": N_("Union of the vocabularies"),
    "tli": N_("Shared tokens only (TLI)"),
    "lenient": N_("Lenient"),
}
"""Every rule and its label."""

LOSSLESS = ("rejection", "exact_match", "union", "tli")
"""The rules whose output is the target's distribution, whatever the drafter proposes."""


def acceptance_probabilities(target_probs: ArrayLike, draft_probs: ArrayLike) -> Floats:
    """The chance that each token is kept once it was drafted: min(1, target ÷ draft).

    A token that the drafter underrates is always kept; one that it overrates is kept as often as the target would
    have it (Leviathan et al. 2023, algorithm 1). Where draft is 0 the token is never drafted: 1 if the target knows
    it, else 0. Shape (tokens,).

    >>> acceptance_probabilities([0.6, 0.2, 0.2], [0.5, 0.5, 0]).tolist()
    [1.0, 0.4, 1.0]
    """
    target, draft = distributions(target_probs, draft_probs)
    return ratios(np.minimum(target, draft), draft, never=target > 0)


def residual(target_probs: ArrayLike, draft_probs: ArrayLike) -> Floats:
    """What a rejected draft is replaced from: max(0, target − draft), divided by its sum.

    It holds what accepted drafts leave out, so that both together give the target's distribution (Leviathan et al.
    2023, algorithm 1). Where the two are the same nothing is rejected and nothing is left: all zeros. Shape (tokens,).

    >>> residual([0.75, 0.25, 0], [0.5, 0.25, 0.25]).tolist()
    [1.0, 0.0, 0.0]
    """
    left = np.maximum(np.subtract(*distributions(target_probs, draft_probs)), 0)
    total = left.sum()
    return left / total if total > 0 else left


@dataclass(frozen=True)
class Verification:
    """One draft token and its test, enumerated: every array has one entry for each token.

    `draft_probs` is what the draft token is drawn from, `accepted` the chance that a token is drawn and kept (it adds
    up to the acceptance), `recovered` the distribution of the token that replaces a rejected one.

    >>> step = verify([0.7, 0.2, 0.1], [0.5, 0.2, 0.3])
    >>> round(step.acceptance, 3), step.output.round(3).tolist()
    (0.8, [0.7, 0.2, 0.1])
    """

    rule: str
    target_probs: Floats
    draft_probs: Floats
    accepted: Floats
    recovered: Floats

    @property
    def acceptance(self) -> float:
        """The chance that the draft token is kept."""
        return min(float(self.accepted.sum()), 1.0)

    @property
    def keep(self) -> Floats:
        """The chance that each token is kept once it was drafted; 0 for one that never is."""
        return np.minimum(ratios(self.accepted, self.draft_probs), 1.0)

    @property
    def output(self) -> Floats:
        """The distribution of the emitted token: accepted + (1 − acceptance) · recovered."""
        return self.accepted + (1 - self.acceptance) * self.recovered

    def lumped(self, first: int) -> "Verification":
        """The same test with the tokens from `first` on counted as one, the last: for showing a large vocabulary.

        >>> verify([0.5, 0.25, 0.25], [0.5, 0.125, 0.375]).lumped(1).target_probs.tolist()
        [0.5, 0.5]
        """
        arrays = (self.target_probs, self.draft_probs, self.accepted, self.recovered)
        return Verification(self.rule, *(np.append(probs[:first], probs[first:].sum()) for probs in arrays))

    @property
    def total_variation(self) -> float:
        """How far the output is from the target, ½ Σ |output − target|: 0 up to rounding when nothing is lost.

        At least acceptance − Σ min(target, draft): what a rule accepts beyond the overlap, it accepts where the target
        has less (derived here: Σ max(0, output − target) ≥ Σ accepted − Σ min(accepted, target)).
        """
        return float(np.abs(self.output - self.target_probs).sum() / 2)


def recovering(rule: str, target: Floats, draft: Floats, accepted: Floats, left: Floats) -> Verification:
    """A test whose rejected drafts are replaced in proportion to `left`; by the target's own sample if that is empty.

    >>> half = np.array([0.5, 0.5])
    >>> recovering("rejection", half, half, half, np.zeros(2)).recovered.tolist()
    [0.5, 0.5]
    """
    total = left.sum()
    return Verification(rule, target, draft, accepted, left / total if total > 0 else target)


def verify(
    target_probs: ArrayLike,
    draft_probs: ArrayLike,
    rule: str = "rejection",
    *,
    shared: ArrayLike | None = None,
    lenience: float = 1.0,
) -> Verification:
    """One step of a rule, enumerated: what is accepted, what replaces the rest, what comes out.

    - rejection: a draft is kept with chance min(1, target ÷ draft), else replaced from max(0, target − draft)
      (Leviathan et al. 2023; Chen et al. 2023). acceptance = Σ min(target, draft)
    - exact_match: the target draws its own token, and a draft that equals it is kept.
      acceptance = Σ target · draft, never above rejection
    - union: a drafted token outside `shared` cannot be accepted. acceptance = Σ over shared of min(target, draft)
    - tli: the drafter draws from its shared tokens only, draft ÷ Σ over shared of draft, and that goes through
      rejection sampling (token-level intersection, Timor et al. 2025). acceptance = Σ over shared of
      min(target, draft ÷ Σ over shared of draft)
    - lenient: kept with chance min(1, target ÷ (lenience · draft)), 0 < lenience ≤ 1 (Leviathan et al. 2023, A.5).
      acceptance = Σ min(target ÷ lenience, draft)

    The first four emit the target's distribution. The lenient rule does not. A rejected draft is replaced from
    max(0, target − draft) there too, as in algorithm 1; no other replacement stays closer to the target. The total
    variation is then exactly the acceptance gained, Σ min(target ÷ lenience, draft) − Σ min(target, draft) (derived
    here: what is rejected, Σ max(0, draft − target ÷ lenience), is at most Σ max(0, target − draft), so that it never
    fills a token beyond what the target gives it).

    `shared` says for each token whether the drafter knows it; union and tli need it, the other rules do not look at
    it. Only the lenient rule looks at `lenience`.

    >>> verify([0.5, 0.5], [0.9, 0.1], "lenient", lenience=0.625).acceptance
    0.9
    """
    target, draft = distributions(target_probs, draft_probs)
    enumerated: Verification = one_of(rule, _RULES, N_("rule of verification"))(target, draft, shared, lenience)
    return enumerated


def acceptance(
    target_probs: ArrayLike,
    draft_probs: ArrayLike,
    rule: str = "rejection",
    *,
    shared: ArrayLike | None = None,
    lenience: float = 1.0,
) -> float:
    """The exact chance that a draft token is accepted by a rule of `verify`.

    >>> target, draft = [0.7, 0.2, 0.1], [0.5, 0.2, 0.3]
    >>> round(acceptance(target, draft), 3), round(acceptance(target, draft, rule="exact_match"), 3)
    (0.8, 0.42)
    >>> round(acceptance(target, draft, rule="tli", shared=[True, True, False]), 3)
    0.9
    """
    return verify(target_probs, draft_probs, rule, shared=shared, lenience=lenience).acceptance


def output_distribution(
    target_probs: ArrayLike,
    draft_probs: ArrayLike,
    rule: str = "rejection",
    *,
    shared: ArrayLike | None = None,
    lenience: float = 1.0,
) -> Floats:
    """The exact distribution of the emitted token by a rule of `verify`: accepted + (1 − acceptance) · recovered.

    Enumerated, not taken from the target: that it equals the target's for a lossless rule is a result. Shape (tokens,).

    >>> output_distribution([0.7, 0.2, 0.1], [0.5, 0.2, 0.3]).round(3).tolist()
    [0.7, 0.2, 0.1]
    >>> output_distribution([0.5, 0.5], [0.9, 0.1], rule="lenient", lenience=0.625).round(3).tolist()
    [0.8, 0.2]
    """
    return verify(target_probs, draft_probs, rule, shared=shared, lenience=lenience).output


def _rejection(target: Floats, draft: Floats, shared: Any, lenience: float) -> Verification:
    return recovering("rejection", target, draft, np.minimum(target, draft), np.maximum(target - draft, 0))


def _exact_match(target: Floats, draft: Floats, shared: Any, lenience: float) -> Verification:
    return recovering("exact_match", target, draft, target * draft, target * (1 - draft))


def _union(target: Floats, draft: Floats, shared: Any, lenience: float) -> Verification:
    proposed = np.where(_known("union", shared, target.size), draft, 0)
    return recovering("union", target, draft, np.minimum(target, proposed), np.maximum(target - proposed, 0))


def _tli(target: Floats, draft: Floats, shared: Any, lenience: float) -> Verification:
    proposed = np.where(_known("tli", shared, target.size), draft, 0)
    if not proposed.sum() > 0:
        raise OutOfDomain(Message("draft_probs gives every shared token the probability 0: nothing can be drafted"))
    proposed = proposed / proposed.sum()
    return recovering("tli", target, proposed, np.minimum(target, proposed), np.maximum(target - proposed, 0))


def _lenient(target: Floats, draft: Floats, shared: Any, lenience: float) -> Verification:
    with np.errstate(over="ignore"):
        accepted = np.minimum(target / share_above_zero(lenience, "lenience"), draft)
    return recovering("lenient", target, draft, accepted, np.maximum(target - draft, 0))


def _known(rule: str, shared: ArrayLike | None, size: int) -> NDArray[np.bool_]:
    if shared is None:
        message = "the rule {rule} needs shared: for each token, whether the drafter knows it"
        raise OutOfDomain(Message(message, {"rule": Verbatim(rule)}))
    mask = numbers(shared, "shared")
    if mask.shape != (size,) or not np.all((mask == 0) | (mask == 1)):
        message = "shared must be one true or false for each of the {size} tokens; got {shared}"
        raise OutOfDomain(Message(message, {"size": size, "shared": shortened(repr(shared))}))
    return mask.astype(bool)


_RULES: Mapping[str, Callable[[Floats, Floats, Any, float], Verification]] = {
    "rejection": _rejection,
    "exact_match": _exact_match,
    "union": _union,
    "tli": _tli,
    "lenient": _lenient,
}
