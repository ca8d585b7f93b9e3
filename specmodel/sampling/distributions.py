"""Probabilities of the tokens of a small vocabulary: checking them, and how much two of them have in common.

The checks of a caller's numbers, draft lengths and seeds that sampling, language and drift share stand here too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from specmodel.base.messages import Message, SpecmodelError, Verbatim

Floats = NDArray[np.float64]

TOLERANCE = 1e-6
"""How far the sum of probabilities may be from 1, as single-precision softmax leaves it."""
MAX_SEED = 2**63


class SamplingError(SpecmodelError):
    """Numbers that are no distribution, or distributions and a rule that do not fit each other."""


def distribution(values: ArrayLike, name: str) -> Floats:
    """The values as probabilities that add up to 1, or an error that says which entry is wrong and how.

    Sums within a millionth of 1 are taken and divided out.

    >>> distribution([0.25, 0.75], "target_probs").tolist()
    [0.25, 0.75]
    >>> distribution([0.5, 0.4], "target_probs")
    Traceback (most recent call last):
    specmodel.sampling.distributions.SamplingError: target_probs must add up to 1; its 2 entries add up to 0.9
    """
    probs, label = numbers(values, name), Verbatim(name)
    if probs.ndim != 1 or probs.size == 0:
        message = "{name} must be a list with one probability for each token; got an array of shape {shape}"
        raise SamplingError(Message(message, {"name": label, "shape": probs.shape}))
    wrong = np.flatnonzero(~((probs >= 0) & (probs < np.inf)))
    if wrong.size:
        message = "{name}[{index}] = {value} is no probability: expected 0 to 1"
        at = int(wrong[0])
        raise SamplingError(Message(message, {"name": label, "index": at, "value": float(probs[at])}))
    with np.errstate(over="ignore"):
        total = float(probs.sum())
    if not abs(total - 1) <= TOLERANCE:
        message = "{name} must add up to 1; its {size} entries add up to {total:.7g}"
        raise SamplingError(Message(message, {"name": label, "size": probs.size, "total": total}))
    rounding = probs.size * np.finfo(float).eps
    return probs if abs(total - 1) <= rounding else probs / total


def numbers(values: ArrayLike, name: str, error: type[SpecmodelError] = SamplingError) -> Floats:
    """The values as an array of floats, or an error that names them.

    >>> numbers("abc", "logits")
    Traceback (most recent call last):
    specmodel.sampling.distributions.SamplingError: logits must be numbers; got 'abc'
    """
    try:
        array = np.asarray(values)
        found = None if np.iscomplexobj(array) else array.astype(float)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None:
        message = "{name} must be numbers; got {values}"
        raise error(Message(message, {"name": Verbatim(name), "values": Verbatim(repr(values)[:80])}))
    return found


def number_between(
    value: float, name: str, low: float, high: float, error: type[SpecmodelError] = SamplingError
) -> float:
    """The value as a float, if it is one number from low to high.

    >>> number_between(2, "skill", 0, 1)
    Traceback (most recent call last):
    specmodel.sampling.distributions.SamplingError: skill = 2.0 is outside 0 to 1
    """
    found = numbers(value, name, error)
    if found.ndim or not low <= found <= high:
        message = "{name} = {value} is outside {low:g} to {high:g}"
        shown = {"name": Verbatim(name), "value": Verbatim(str(found)[:40]), "low": low, "high": high}
        raise error(Message(message, shown))
    return float(found)


def whole_number(value: float, label: str, low: int, high: int, error: type[SpecmodelError] = SamplingError) -> int:
    """The value as an int, if it is a whole number from low to high; the label says in an error what it is.

    >>> whole_number(2.0, "draws", 1, 10)
    2
    """
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high or number % 1:
        message = "{name} = {value} is not a whole number from {low} to {high}"
        shown = {"name": label, "value": Verbatim(repr(number)[:40]), "low": low, "high": high}
        raise error(Message(message, shown))
    return int(number)


def seed_numbers(seed: int | Sequence[int], error: type[SpecmodelError] = SamplingError) -> tuple[int, ...]:
    """The whole numbers of a seed, one or several; numpy makes the same of (3,) as of 3.

    >>> seed_numbers(3), seed_numbers((3, 1))
    ((3,), (3, 1))
    """
    parts: Sequence[Any] = seed if isinstance(seed, list | tuple) else [seed]
    return tuple(whole_number(part, Verbatim("seed"), 0, MAX_SEED, error) for part in parts)


def generator(seed: int | np.random.Generator, error: type[SpecmodelError] = SamplingError) -> np.random.Generator:
    """The random numbers of a seed; a generator is taken as it is, and so moves on.

    >>> generator(-1)
    Traceback (most recent call last):
    specmodel.sampling.distributions.SamplingError: seed = -1 is not a whole number from 0 to 9223372036854775808
    """
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_numbers(seed, error))


def distributions(target_probs: ArrayLike, draft_probs: ArrayLike) -> tuple[Floats, Floats]:
    """Target and draft as two distributions over the same tokens, or an error.

    >>> distributions([1.0], [0.5, 0.5])
    Traceback (most recent call last):
    specmodel.sampling.distributions.SamplingError: target_probs and draft_probs must be over the same tokens;
        got 1 and 2
    """
    target, draft = distribution(target_probs, "target_probs"), distribution(draft_probs, "draft_probs")
    if target.size != draft.size:
        message = "target_probs and draft_probs must be over the same tokens; got {target} and {draft}"
        raise SamplingError(Message(message, {"target": target.size, "draft": draft.size}))
    return target, draft


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
