"""The numbers of the rules that a visitor has changed, as an option of the link writes them. No Streamlit."""

from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.base.params import Param, declarations
from specmodel.drift.policies import choice, policies

FIXED = "fixed"
"""The rule that drafts the same length in every round; its number is the slider's k."""
Changes = dict[str, dict[str, Any]]
"""Rule -> its number by name -> value."""


def tunable() -> dict[str, tuple[str, Param]]:
    """Every number of a rule by its link key, with the rule that it belongs to.

    >>> rule, number = tunable()["drift_th_off"]
    >>> rule, number.name
    ('threshold', 'off_below')
    """
    return {
        number.key: (rule.key, number)
        for rule in policies()
        if rule.key != FIXED
        for number in declarations(rule.params).values()
    }


def read_tuned(text: str) -> tuple[Changes, tuple[Message, ...]]:
    """What the option changes, by rule, and a message for each part that cannot be used.

    >>> changes, wrong = read_tuned("drift_tier_max:3,junk:1")
    >>> changes, str(wrong[0])
    ({'tiers': {'largest': 3}}, "The link's junk is not known and was left out.")
    """
    changes: Changes = {}
    wrong = []
    numbers = tunable()
    for part in filter(None, text.split(",")):
        key, _colon, value = part.partition(":")
        if key not in numbers:
            wrong.append(Message("The link's {name} is not known and was left out.", {"name": Verbatim(key[:40])}))
            continue
        rule, number = numbers[key]
        try:
            changes.setdefault(rule, {})[number.name] = number.check(value)
        except SpecmodelError as error:
            wrong.append(_left_out(error))
    for rule, values in [*changes.items()]:  # all of a rule's numbers together: they may need each other
        try:
            choice(rule, **values)
        except SpecmodelError as error:
            wrong.append(_left_out(error))
            del changes[rule]
    return changes, tuple(wrong)


def _left_out(error: SpecmodelError) -> Message:
    return Message("The link's values were left out: {error}.", {"error": error.message})


def write_tuned(changes: Mapping[str, Mapping[str, Any]]) -> str:
    """The changes as the option writes them; what is the default again is left out.

    >>> write_tuned({"tiers": {"largest": 3}, "threshold": {"off_below": 0.15}})
    'drift_tier_max:3'
    """
    return ",".join(
        f"{number.key}:{number.text(changes[rule][number.name])}"
        for rule, number in tunable().values()
        if changes.get(rule, {}).get(number.name, number.default) != number.default
    )
