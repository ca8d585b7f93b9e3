"""Checks of what a caller gives: numbers, distributions and seeds inside their domain, else an error that names them.

`name` says in an error what the value is: a name of the code, or a label, which the dashboard translates.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message, SpecmodelError, Verbatim

MAX_SEED = 2**63
TOLERANCE = 1e-6
"""How far the sum of probabilities may be from 1, as single-precision softmax leaves it."""
SAME = 1e-12
"""Numbers that differ by a smaller share are equal: what is between them is rounding, not a difference."""


class OutOfDomain(SpecmodelError):
    """A value outside its domain; the message names the value, what is allowed, and the label of a declared one."""


def outside(name: str, value: Any, low: float, high: float, label: str = "", *, whole: bool = False) -> OutOfDomain:
    """The error for a value that is no number, or no whole number, from low to high.

    >>> str(outside("batch", 9, 1, 8, "Batch", whole=True))
    'batch = 9 is not a whole number from 1 to 8 (Batch)'
    """
    ends = {"low": Verbatim(f"{low:,.10g}"), "high": Verbatim(f"{int(high):,}" if whole else f"{high:,.10g}")}
    values = {"name": name, "value": _text(value), "label": label, **ends}
    if whole:
        message = "{name} = {value} is not a whole number from {low} to {high}"
        labelled = "{name} = {value} is not a whole number from {low} to {high} ({label})"
    elif math.isinf(high):
        message = labelled = "{name} = {value} is not a number of at least {low}"
    else:
        message = "{name} = {value} is outside {low} to {high}"
        labelled = "{name} = {value} is outside {low} to {high} ({label})"
    return OutOfDomain(Message(labelled if label else message, values))


def _text(value: Any) -> Verbatim:
    """A value as an error writes it, cut where it is long."""
    plain = value.item() if isinstance(value, np.generic) else value
    return shortened(str(plain) if isinstance(plain, int | float) else repr(plain), 40)


def shortened(text: str, most: int = 80) -> Verbatim:
    """A text from outside as a sentence quotes it: its first characters, at most so many.

    >>> shortened("abcdef", 3)
    'abc…'
    """
    return Verbatim(text if len(text) <= most else text[:most] + "…")


def as_number(value: Any) -> float | None:
    """The finite number that a value is, or that a text says; None for anything else, truth values too.

    >>> as_number("2.5"), as_number("many"), as_number(True)
    (2.5, None, None)
    """
    if isinstance(value, bool | np.bool_ | np.ndarray):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def number_between(value: float, name: str, low: float, high: float = math.inf) -> float:
    """The value as a float, if it is one finite number from low to high.

    >>> number_between(2, "skill", 0, 1)
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: skill = 2 is outside 0 to 1
    """
    number = None if isinstance(value, str) else as_number(value)
    if number is None or not low <= number <= high:
        raise outside(name, value, low, high)
    return number


def share_above_zero(value: float, name: str) -> float:
    """The value as a float, if it is a number above 0 and at most 1.

    >>> share_above_zero(0.5, "lenience")
    0.5
    """
    number = as_number(value)
    if number is None or not 0 < number <= 1:
        message = "{name} = {value} is outside 0 to 1, 0 itself excluded"
        raise OutOfDomain(Message(message, {"name": name, "value": _text(value)}))
    return number


def whole_number(value: float, name: str, low: int, high: int) -> int:
    """The value as an int, if it is a whole number from low to high.

    >>> whole_number(2.0, "draws", 1, 10)
    2
    """
    number = None if isinstance(value, str) else as_number(value)
    if number is None or not low <= number <= high or number % 1:
        raise outside(name, value, low, high, whole=True)
    return int(value)


def numbers(values: ArrayLike, name: str) -> Floats:
    """The values as an array of floats, or an error that names them.

    >>> numbers("abc", "logits")
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: logits must be numbers; got 'abc'
    """
    try:
        array = np.asarray(values)
        found = None if np.iscomplexobj(array) else array.astype(float)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None:
        raise OutOfDomain(Message("{name} must be numbers; got {values}", {"name": name, "values": _text(values)}))
    return found


def numbers_between(
    values: ArrayLike, name: str, low: float, high: float = math.inf, label: str = "", *, whole: bool = False
) -> Floats:
    """A copy of the values as floats, if each is a finite number from low to high; else the first that is not is named.

    >>> numbers_between([0.5, 2], "alpha", 0, 1)
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: alpha[1] = 2.0 is outside 0 to 1
    """
    array = numbers(values, name)
    inside = (array >= low) & (array <= high) & np.isfinite(array)
    right = inside & (array == np.rint(array)) if whole else inside
    if not right.all():
        wrong = tuple(np.argwhere(~right)[0])
        place = "".join(f"[{index}]" for index in wrong)
        raise outside(name + place, float(array[wrong]), low, high, label, whole=whole)
    return array


def whole_numbers_between(values: ArrayLike, name: str, low: int, high: int) -> Ints:
    """The values as ints, if each is a whole number from low to high; else the first that is not is named.

    >>> whole_numbers_between([1, 2.0], "tokens", 0, 3).tolist()
    [1, 2]
    """
    return numbers_between(values, name, low, high, whole=True).astype(np.int64)


def distribution(values: ArrayLike, name: str) -> Floats:
    """The values as probabilities that add up to 1, or an error that says which entry is wrong and how.

    Sums within a millionth of 1 are taken and divided out.

    >>> distribution([0.25, 0.75], "target_probs").tolist()
    [0.25, 0.75]
    >>> distribution([0.5, 0.4], "target_probs")
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: target_probs must add up to 1; its 2 entries add up to 0.9
    """
    probs = numbers_between(values, name, 0)
    if probs.ndim != 1 or probs.size == 0:
        message = "{name} must be a list with one probability for each token; got an array of shape {shape}"
        raise OutOfDomain(Message(message, {"name": name, "shape": probs.shape}))
    with np.errstate(over="ignore"):
        total = float(probs.sum())
    if not abs(total - 1) <= TOLERANCE:
        message = "{name} must add up to 1; its {size} entries add up to {total:.7g}"
        raise OutOfDomain(Message(message, {"name": name, "size": probs.size, "total": total}))
    rounding = probs.size * np.finfo(float).eps
    return probs if abs(total - 1) <= rounding else probs / total


def distributions(target_probs: ArrayLike, draft_probs: ArrayLike) -> tuple[Floats, Floats]:
    """Two distributions over the same tokens, or an error.

    >>> distributions([1.0], [0.5, 0.5])
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: target_probs and draft_probs must be over the same tokens; got 1 and 2
    """
    target, draft = distribution(target_probs, "target_probs"), distribution(draft_probs, "draft_probs")
    if target.size != draft.size:
        message = "target_probs and draft_probs must be over the same tokens; got {target} and {draft}"
        raise OutOfDomain(Message(message, {"target": target.size, "draft": draft.size}))
    return target, draft


def seed_numbers(seed: int | Sequence[int]) -> tuple[int, ...]:
    """The whole numbers of a seed, one or several; numpy makes the same of (3,) as of 3.

    >>> seed_numbers(3), seed_numbers((3, 1))
    ((3,), (3, 1))
    """
    parts: Sequence[int] = seed if isinstance(seed, list | tuple) else [seed]  # type: ignore[list-item]
    return tuple(whole_number(part, "seed", 0, MAX_SEED) for part in parts)


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """The random numbers of a seed; a generator is taken as it is, and so moves on.

    >>> generator(-1)
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: seed = -1 is not a whole number from 0 to 9,223,372,036,854,775,808
    """
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_numbers(seed))


def first_highest(values: Floats) -> Any:
    """Where each row, along the last axis, has its highest value for the first time, up to rounding.

    >>> first_highest(np.array([[1.0, 0.9], [1.0, 1.2]])).tolist()
    [0, 1]
    """
    return np.argmax(values >= values.max(axis=-1, keepdims=True) * (1 - SAME), axis=-1)


def first_lowest(values: Floats) -> Any:
    """Where each row, along the last axis, has its lowest value for the first time, up to rounding.

    >>> first_lowest(np.array([1.0, 0.5, 0.5])).item()
    1
    """
    return np.argmax(values <= values.min(axis=-1, keepdims=True) * (1 + SAME), axis=-1)


def one_of(key: str, offered: Any, what: str) -> Any:
    """What a mapping offers under a key, or an error that lists its keys; `what` says in the error what they name.

    >>> one_of("b", {"a": 1}, "policy")
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: there is no policy b: expected one of a
    """
    if key not in offered:
        message = "there is no {what} {key}: expected one of {offered}"
        values = {"key": shortened(str(key), 40), "what": what, "offered": Verbatim(", ".join(offered))}
        raise OutOfDomain(Message(message, values))
    return offered[key]
