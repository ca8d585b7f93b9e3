"""Everything that a visitor has chosen, as one value; read from a link and written to one. No Streamlit.

The link holds the whole state, so what a page shows is a function of a `Chosen` and a language.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from specmodel.base import link
from specmodel.base.messages import Message, Verbatim
from specmodel.base.numbers import shortened
from specmodel.base.params import Declared, declarations
from specmodel.dashboard.session.declaration import Option, Options
from specmodel.dashboard.session.pages import all_declared, groups, options
from specmodel.methods import methods
from specmodel.model.scenario import Scenario

Group = TypeVar("Group", bound=Declared)
MethodChanges = Mapping[str, Mapping[str, Any]]
_OWN_KEYS = ("pin", "embed", "embed_options")


@dataclass(frozen=True)
class Chosen:
    """The scenario, the pinned one, the groups of values, the options, and changes to the ways of drafting.

    `method_changes` holds what was changed of the published numbers: way of drafting -> parameter -> value.
    """

    scenario: Scenario
    pinned: Scenario | None
    groups: Mapping[type[Declared], Declared]
    options: Options
    method_changes: MethodChanges

    def group(self, kind: type[Group]) -> Group:
        """The values of one group: load, drafter, accelerator, target model, line.

        >>> from specmodel.serving.load import Load
        >>> read_link({"batch": "8"})[0].group(Load).batch_size
        8
        """
        return cast(Group, self.groups[kind])

    def option(self, key: str) -> Any:
        """The value of an option.

        >>> read_link({"show": "time_ratio"})[0].option("show")
        'time_ratio'
        """
        return self.options[key]


def read_link(query: Mapping[str, str]) -> tuple[Chosen, tuple[Message, ...]]:
    """What the query of a link chooses, and a message for each value that cannot be used; its default stands instead.

    >>> chosen, complaints = read_link({"alpha": "0.8", "show": "elephants"})
    >>> chosen.scenario.alpha, len(complaints)
    (0.8, 1)
    """
    for each in all_declared():
        query = each.older(query)
    chosen_options, wrong_options = _read_options(query)
    bases = (Scenario(), *groups(chosen_options))
    (scenario, *values), wrong = link.read(query, bases, (*options(), *_OWN_KEYS, *_method_keys()))
    method_changes, wrong_changes = _read_method_changes(query)
    wrong_mine = _settle(query, chosen_options)
    pinned, wrong_pin = link.unpack(query["pin"], Scenario()) if "pin" in query else (None, ())
    if wrong_pin and pinned == Scenario():
        pinned = None  # nothing of it could be used
    chosen = Chosen(scenario, pinned, {type(each): each for each in values}, chosen_options, method_changes)
    return chosen, wrong + wrong_options + wrong_mine + wrong_pin + wrong_changes


def write_link(chosen: Chosen) -> Mapping[str, str]:
    """The query of a link that opens the app as it is: only what differs from the defaults.

    >>> dict(write_link(read_link({"alpha": "0.8", "show": "time_ratio"})[0]))
    {'alpha': '0.8', 'show': 'time_ratio'}
    """
    query = link.to_query(chosen.scenario)
    for base in groups(chosen.options):
        query |= link.to_query(chosen.groups[type(base)], base)
    for each in all_declared():
        query = dict(each.written(query, chosen.groups))
    for method in methods():
        declared = declarations(method.params)
        for name, value in chosen.method_changes.get(method.key, {}).items():
            query[declared[name].key] = declared[name].text(value)
    if chosen.pinned is not None:
        query["pin"] = link.pack(chosen.pinned)
    query |= {key: str(chosen.options[key]) for key, one in options().items() if chosen.options[key] != one.default}
    if "rps" in query:
        query["load_by"] = str(chosen.options["load_by"])  # the rate would decide where nothing is said
    return _portable(query)


def _portable(query: dict[str, str]) -> dict[str, str]:
    """A link cannot carry a file: where the engine page shows one, the link brings the file's counters instead."""
    source = query.get("src", options()["src"].default)
    if source in ("files", "paste") and "counts" in query:
        return query | {"src": "link"}
    return query if source == "link" else {key: text for key, text in query.items() if key not in ("counts", "base")}


def _read_options(query: Mapping[str, str]) -> tuple[dict[str, str | int], tuple[Message, ...]]:
    values: dict[str, str | int] = {key: option.default for key, option in options().items()}
    complaints = []
    for key in query.keys() & options().keys():
        value = options()[key].read(query[key])
        if value is None:
            complaints.append(_none_of(options()[key], query[key]))
        else:
            values[key] = value
    return values, tuple(complaints)


def _settle(query: Mapping[str, str], values: dict[str, str | int]) -> tuple[Message, ...]:
    """Settle options that depend on the rest of the link, and say what of them could not be used.

    The rate decides where a link holds one and does not say what decides: a link holds a rate only where somebody
    entered it. A measured scenario that cannot be read whole is none.
    """
    wrong: tuple[Message, ...] = ()
    if "load_by" not in query and "rps" in query:
        values["load_by"] = "rate"
        if "batch" in query:
            both = "The link holds a batch of {batch} and a request rate of {rate} /s: the rate decides the batch here."
            wrong = (Message(both, {"batch": shortened(query["batch"], 20), "rate": shortened(query["rps"], 20)}),)
    _mine, unusable = link.unpack(str(values["mine"]), Scenario()) if values["mine"] else (None, ())
    if unusable:
        values["mine"] = ""
    if values["way"] == "measured" and not values["mine"]:
        values["way"] = ""
        unusable = (
            *unusable,
            Message("The link leads with a measured way of drafting but holds none: the sliders lead."),
        )
    return wrong + unusable


def _none_of(option: Option, text: str) -> Message:
    values = option.values or ()
    allowed = f"{values[0]}–{values[-1]}" if isinstance(values, range) else ", ".join(filter(None, values))
    return Message(
        "The link's {name} = {value} is none of {allowed}; the page shows its default.",
        {"name": Verbatim(option.key), "value": Verbatim(text[:40]), "allowed": Verbatim(allowed)},
    )


def _read_method_changes(query: Mapping[str, str]) -> tuple[dict[str, dict[str, Any]], tuple[Message, ...]]:
    """The changes of the ways of drafting that a link holds, and what of it could not be used."""
    changes: dict[str, dict[str, Any]] = {}
    wrong: list[Message] = []
    for method in methods():
        by_key = {declared.key: declared for declared in declarations(method.params).values() if declared.key}
        if not by_key.keys() & query.keys():
            continue
        (values,), complaints = link.read({key: query[key] for key in by_key.keys() & query.keys()}, (method.params(),))
        wrong += complaints
        given = {declared.name: getattr(values, declared.name) for key, declared in by_key.items() if key in query}
        if given and not complaints:
            changes[method.key] = given
    return changes, tuple(wrong)


def _method_keys() -> set[str]:
    return {declared.key for method in methods() for declared in declarations(method.params).values() if declared.key}
