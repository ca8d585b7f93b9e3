"""Declared values as the query of a link, and back. A value that cannot be used is named; its default used."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.base.numbers import OutOfDomain, shortened
from specmodel.base.params import Declared, Factors, Param, declarations

PLAIN = "default"
Values = TypeVar("Values", bound=Declared)


def _by_key(values: Declared) -> dict[str, Param]:
    return {declared.key: declared for declared in declarations(type(values)).values() if declared.key}


def to_query(values: Declared, base: Declared | None = None) -> dict[str, str]:
    """The values that differ from those of `base` (the defaults), by link key; exact: a round trip changes nothing.

    >>> from specmodel.model.scenario import Scenario
    >>> to_query(Scenario(alpha=0.8))
    {'alpha': '0.8'}
    """
    start = type(values)() if base is None else base
    return {
        key: declared.text(getattr(values, declared.name))
        for key, declared in _by_key(values).items()
        if getattr(values, declared.name) != getattr(start, declared.name)
    }


def read(
    query: Mapping[str, str], bases: Sequence[Any], other_keys: Iterable[str] = ()
) -> tuple[tuple[Any, ...], tuple[Message, ...]]:
    """What a link changes of each of `bases`, in their order, and a message for every value that was left out.

    Values that are each possible but contradict each other leave their base as it is, with the reason.

    >>> from specmodel.model.scenario import Scenario
    >>> (scenario,), complaints = read({"alpha": "0.8", "k": "many"}, (Scenario(),))
    >>> scenario.alpha, str(complaints[0])
    (0.8, "The link was opened with 5 instead: num_speculative_tokens = 'many' is not a whole number from 0 to 64 \
(Draft tokens per round).")
    """
    known = {*other_keys, *(key for base in bases for key in _by_key(base))}
    strange = "The link holds a value {name} that this app does not know; it was left out."
    complaints = [Message(strange, {"name": shortened(key, 40)}) for key in query if key not in known]
    found = []
    for base in bases:
        values, wrong = _values(query, base)
        complaints += wrong
        try:
            found.append(base.replace(**values) if values else base)
        except SpecmodelError as error:
            found.append(base)
            complaints.append(Message("The link's values were left out: {error}.", {"error": error.message}))
    return tuple(found), tuple(complaints)


def _values(query: Mapping[str, str], base: Declared) -> tuple[dict[str, Any], list[Message]]:
    values, wrong = {}, []
    for key, declared in _by_key(base).items():
        if key in query:
            try:
                values[declared.name] = declared.check(query[key])
            except OutOfDomain as error:
                used = {"default": _default_text(declared, base), "error": error.message}
                wrong.append(Message("The link was opened with {default} instead: {error}.", used))
    return values, wrong


def _default_text(declared: Param, base: Declared) -> str:
    """The default without its unit; words for an empty list, which may be translated."""
    return declared.show(()) if isinstance(declared, Factors) else Verbatim(f"{getattr(base, declared.name):,g}")


def pack(values: Declared) -> str:
    """A whole group of values as one link value, for the pinned scenario.

    >>> from specmodel.model.scenario import Scenario
    >>> pack(Scenario(alpha=0.8, num_speculative_tokens=3))
    'alpha:0.8,k:3'
    """
    return ",".join(f"{key}:{value}" for key, value in to_query(values).items()) or PLAIN


def unpack(text: str, base: Values) -> tuple[Values, tuple[Message, ...]]:
    """What `pack` wrote, as changes of `base`, and what had to be left out.

    >>> from specmodel.model.scenario import Scenario
    >>> unpack("alpha:0.8,k:3", Scenario())[0] == Scenario(alpha=0.8, num_speculative_tokens=3)
    True
    """
    pairs = (item.partition(":") for item in text.split(",") if item and text != PLAIN)
    (values,), complaints = read({key: value for key, _, value in pairs}, (base,))
    return values, complaints
