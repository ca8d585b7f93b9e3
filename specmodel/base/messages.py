"""Sentences that the core writes and the dashboard may translate.

The core knows no language and no screen. It says what it has to say as a template with named values; `str()`
gives the English sentence, and the dashboard looks the template up in a catalogue before it fills the values in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Message:
    """One sentence: an English template and the values to put into it.

    >>> str(Message("{share:.0%} of {label}", {"share": 0.25, "label": "drafts"}))
    '25% of drafts'
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.values)

    def translated(self, translate: Callable[[str], str]) -> str:
        """The sentence in another language; values that are messages or labels are translated too.

        >>> Message("{label} is 3", {"label": "time"}).translated({"{label} is 3": "{label} = 3", "time": "t"}.get)
        't = 3'
        """
        values = {name: _translated_value(value, translate) for name, value in self.values.items()}
        return translate(self.template).format(**values)


def _translated_value(value: object, translate: Callable[[str], str]) -> object:
    if isinstance(value, Message):
        return value.translated(translate)
    if isinstance(value, Verbatim):
        return str(value)
    return translate(value) if isinstance(value, str) and value else value


class Verbatim(str):
    """Text that comes from outside (a file, a link) and is shown as it came, never translated."""


class SpecmodelError(ValueError):
    """An input that cannot be used; `message` says which value, what is allowed, and where it stands."""

    def __init__(self, message: Message):
        super().__init__(str(message))
        self.message = message


def N_(text: str) -> str:
    """Mark a literal as one that the dashboard will translate later; returns it unchanged.

    >>> N_("The article")
    'The article'
    """
    return text
