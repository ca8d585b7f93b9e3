"""The traffic of a day by the hour, as shares of its peak: shapes to start from, or 24 numbers of the visitor."""

from collections.abc import Mapping

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim

HOURS = 24
OWN = "own"
DAYS: Mapping[str, str] = {
    "office": N_("Office hours (assumed)"),
    "evening": N_("Evening peak (assumed)"),
    "flat": N_("The same all day"),
    OWN: N_("24 numbers of mine"),
}
_SHAPES: Mapping[str, tuple[float, ...]] = {
    "office": (
        0.08, 0.06, 0.05, 0.05, 0.06, 0.1, 0.2, 0.4, 0.7, 0.92, 1.0, 0.97, 0.85, 0.9, 0.98, 1.0, 0.95, 0.8, 0.55, 0.38,
        0.28, 0.2, 0.15, 0.1,
    ),
    "evening": (
        0.45, 0.3, 0.2, 0.14, 0.12, 0.12, 0.16, 0.25, 0.35, 0.42, 0.47, 0.52, 0.58, 0.58, 0.56, 0.57, 0.62, 0.7, 0.8,
        0.9, 0.97, 1.0, 0.88, 0.65,
    ),
    "flat": (1.0,) * HOURS,
}  # fmt: skip


def shares(shape: str, text: str) -> tuple[float, ...]:
    """The 24 shares of the peak; numbers of the visitor are divided by the largest of them.

    >>> shares("flat", "")[:2], shares("own", "1, 2 4" + " 0" * 21)[:3]
    ((1.0, 1.0), (0.25, 0.5, 1.0))
    >>> shares("own", "1 2")
    Traceback (most recent call last):
    specmodel.base.messages.SpecmodelError: a day has 24 numbers, one for each hour: there are 2
    """
    if shape != OWN:
        return _SHAPES[shape]
    words = text.replace(",", " ").replace(";", " ").split()
    if len(words) != HOURS:
        text = "a day has {hours} numbers, one for each hour: there are {count}"
        raise SpecmodelError(Message(text, {"hours": HOURS, "count": len(words)}))
    numbers = [_number(word) for word in words]
    if not max(numbers):
        raise SpecmodelError(Message("a day in which nothing comes needs no accelerator"))
    return tuple(number / max(numbers) for number in numbers)


def _number(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e12:
        raise SpecmodelError(Message("{word} is no number of requests", {"word": Verbatim(word[:20])}))
    return value
