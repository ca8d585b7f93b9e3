"""What cannot be used by the language models, said in a sentence."""

from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import whole_number


def whole(value: float, low: int, high: int, label: str) -> int:
    """The value as an int, if it is a whole number from low to high, else `SpecmodelError`; `label` names it.

    >>> whole(3.0, 1, 16, "drafts a round")
    3
    """
    return whole_number(value, label, low, high)


def check_range(value: float, low: float, high: float, label: str) -> None:
    """Raise `SpecmodelError` where a number is outside low … high; `label` names it.

    >>> check_range(0.5, 0, 5, "temperature")
    """
    if not low <= value <= high:
        message = "{label} = {value} is outside {low} to {high}"
        raise SpecmodelError(Message(message, {"label": label, "value": value, "low": low, "high": high}))
