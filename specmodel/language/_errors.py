"""What cannot be used by the language models, said in a sentence."""

from specmodel.messages import Message, SpecmodelError


class LanguageError(SpecmodelError):
    """A kind of text, a length or a temperature that the language models cannot use, or no text to learn from."""


def check_range(value: float, low: float, high: float, label: str) -> None:
    """Raise `LanguageError` where a number is outside low … high; `label` names it.

    >>> check_range(3, 0, 16, "drafts a round")
    """
    if not low <= value <= high:
        message = "{label} = {value} is outside {low} to {high}"
        raise LanguageError(Message(message, {"label": label, "value": value, "low": low, "high": high}))
