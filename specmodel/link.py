"""A scenario as the query of a link, and back. A value that cannot be used is named and its default used instead."""

from collections.abc import Iterable, Mapping

from specmodel.messages import Message, Verbatim
from specmodel.params import Factors, OutOfDomain, Param, declarations
from specmodel.scenario import Scenario

_BY_KEY: dict[str, Param] = {declared.key: declared for declared in declarations(Scenario).values()}
PLAIN = "default"


def to_query(scenario: Scenario) -> dict[str, str]:
    """The values that differ from the default scenario, by link key; exact, so that a round trip changes nothing.

    >>> to_query(Scenario(alpha=0.8))
    {'alpha': '0.8'}
    """
    return {
        key: declared.text(getattr(scenario, declared.name))
        for key, declared in _BY_KEY.items()
        if getattr(scenario, declared.name) != declared.default
    }


def from_query(query: Mapping[str, str], other_keys: Iterable[str] = ()) -> tuple[Scenario, tuple[Message, ...]]:
    """The scenario of a link, and a message for every value that was left out; `other_keys` are known elsewhere.

    >>> scenario, complaints = from_query({"alpha": "0.8", "k": "many"})
    >>> scenario.alpha, str(complaints[0])
    (0.8, "The link was opened with 5 instead: num_speculative_tokens = 'many' is not a whole number from 0 to 64 \
(Draft tokens per round).")
    """
    values, complaints, known = {}, [], {*other_keys, *_BY_KEY}
    for key, text in query.items():
        if key not in known:
            complaints.append(
                Message(
                    "The link holds a value {name} that this app does not know; it was left out.", {"name": _shown(key)}
                )
            )
        elif key in _BY_KEY:
            try:
                values[_BY_KEY[key].name] = _BY_KEY[key].check(text)
            except OutOfDomain as error:
                default = _shown_default(_BY_KEY[key])
                complaints.append(
                    Message(
                        "The link was opened with {default} instead: {error}.",
                        {"default": default, "error": error.message},
                    )
                )
    return Scenario().replace(**values), tuple(complaints)


def _shown_default(declared: Param) -> str:
    """The default without its unit; words for an empty list, which the reader's language may translate."""
    return declared.show(()) if isinstance(declared, Factors) else Verbatim(f"{declared.default:,g}")


def _shown(text: str) -> Verbatim:
    return Verbatim(text if len(text) <= 40 else text[:40] + "…")


def pack(scenario: Scenario) -> str:
    """A whole scenario as one link value, for the pinned one.

    >>> pack(Scenario(alpha=0.8, num_speculative_tokens=3))
    'alpha:0.8,k:3'
    """
    return ",".join(f"{key}:{value}" for key, value in to_query(scenario).items()) or PLAIN


def unpack(text: str) -> tuple[Scenario, tuple[Message, ...]]:
    """The scenario that `pack` wrote, and what had to be left out.

    >>> unpack("alpha:0.8,k:3")[0] == Scenario(alpha=0.8, num_speculative_tokens=3)
    True
    """
    pairs = (item.partition(":") for item in text.split(",") if item and text != PLAIN)
    return from_query({key: value for key, _, value in pairs})
