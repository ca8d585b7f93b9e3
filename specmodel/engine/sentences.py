"""Sentences put together from others, each of which is translated on its own."""

from collections.abc import Sequence
from functools import reduce

from specmodel.base.messages import Message


def sentences(*messages: Message | None) -> Message:
    """One after another; those that are None are left out.

    >>> str(sentences(Message("One."), None, Message("Two.")))
    'One. Two.'
    """
    told = [each for each in messages if each is not None]
    return reduce(lambda first, next: Message("{first} {next}", {"first": first, "next": next}), told)


def listed(messages: Sequence[Message]) -> Message:
    """Several things in a row.

    >>> str(listed([Message("a"), Message("b"), Message("c")]))
    'a, b, c'
    """
    return reduce(lambda first, next: Message("{first}, {next}", {"first": first, "next": next}), messages)


def number(value: float) -> str:
    """A number with three digits: more were not measured; whole ones keep all of theirs.

    >>> number(1234.5), number(18.0), number(0.123456), number(0)
    ('1,234', '18', '0.123', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def duration(ms: float) -> str:
    """A time in the unit that suits it.

    >>> duration(60.1), duration(220000.0)
    ('60.1 ms', '220 s')
    """
    return f"{number(ms)} ms" if ms < 1000 else f"{number(ms / 1000)} s"
