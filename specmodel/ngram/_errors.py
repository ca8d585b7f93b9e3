"""What cannot be used by the language models, said in a sentence."""

from specmodel.base.messages import Message, SpecmodelError
from specmodel.sampling.distributions import whole_number


class LanguageError(SpecmodelError):
    """A kind of text, a length or a temperature that the language models cannot use, or no text to learn from."""


def whole(value: float, low: int, high: int, label: str) -> int:
    """The value as an int, if it is a whole number from low to high, else `LanguageError`; `label` names it.

    >>> whole(3.0, 1, 16, "drafts a round")
    3
    """
    return whole_number(value, label, low, high, LanguageError)


def check_range(value: float, low: float, high: float, label: str) -> None:
    """Raise `LanguageError` where a number is outside low … high; `label` names it.

    >>> check_range(0.5, 0, 5, "temperature")
    """
    if not low <= value <= high:
        message = "{label} = {value} is outside {low} to {high}"
        raise LanguageError(Message(message, {"label": label, "value": value, "low": low, "high": high}))
