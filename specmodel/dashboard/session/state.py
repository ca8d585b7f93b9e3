"""The state of one reader's session: the scenario, the pinned one, load and hardware, the options, what was wrong with
the link.

Streamlit's session state holds it all; nothing here is shared between readers. The address is read once, when a
session starts, and written by the share control after every run, so it survives changing the page.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st

from specmodel.base import link
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.params import Declared, declarations
from specmodel.dashboard.lesson.values import DriftLesson, ExactnessLesson, LessonSeed, TextLesson
from specmodel.dashboard.session.options import OPTIONS, from_link
from specmodel.dashboard.session.translation import Translator
from specmodel.drift.adaptation import Adaptation
from specmodel.methods import Method, Task, methods
from specmodel.model.scenario import Scenario
from specmodel.serving.hardware import accelerators, target_models
from specmodel.serving.load import USUAL_RATIOS, Drafter, Load
from specmodel.serving.passes import AffinePass

_OWN_KEYS = ("pin", "embed", "embed_options")
Group = TypeVar("Group", bound=Declared)


def begin() -> None:
    """Read the link when the session starts."""
    if "scenario" in st.session_state:
        return
    query = st.query_params.to_dict()
    options, wrong_options = from_link(query)
    st.session_state.update(options)
    groups, wrong = link.read(query, (Scenario(), *_bases()), (*OPTIONS, *_OWN_KEYS, *_method_keys()))
    changes, wrong_changes = _method_changes(query)
    pinned, wrong_pin = link.unpack(query["pin"], Scenario()) if "pin" in query else (None, ())
    if wrong_pin and pinned == Scenario():
        pinned = None  # nothing of it could be used
    st.session_state.update({_name(type(group)): group for group in groups[1:]})
    st.session_state.update(scenario=groups[0], pinned=pinned, method_changes=changes)
    st.session_state["complaints"] = wrong + wrong_options + wrong_pin + wrong_changes


def _bases() -> tuple[Declared, ...]:
    """Every group of values beside the scenario, as the chosen presets have it: a link holds what differs from them."""
    chosen = (accelerators()[option("gpu")].values, target_models()[option("llm")].values)
    drafter = Drafter(draft_cost_ratio=USUAL_RATIOS[option("drafting")])
    lessons = (ExactnessLesson(), TextLesson(), DriftLesson(), LessonSeed(), Adaptation())
    return (Load(), drafter, AffinePass(), *chosen, *lessons)


def _name(kind: type[Declared]) -> str:
    return f"group:{kind.__name__}"


def group(kind: type[Group]) -> Group:
    """The reader's values of one group: load, drafter, accelerator, target model, line."""
    return st.session_state[_name(kind)]  # type: ignore[no-any-return]


def set_group(values: Declared) -> None:
    """Take over a whole group, as a preset does."""
    st.session_state[_name(type(values))] = values


def change_group(kind: type[Declared], **values: Any) -> None:
    """Change some values of a group; what contradicts the others is refused with the reason, and nothing changes."""
    try:
        set_group(group(kind).replace(**values))
    except SpecmodelError as error:
        st.session_state["complaints"] = (*complaints(), error.message)


def scenario() -> Scenario:
    """The current scenario."""
    return st.session_state["scenario"]  # type: ignore[no-any-return]


def pinned() -> Scenario | None:
    """The scenario to compare with, if one is pinned."""
    return st.session_state["pinned"]  # type: ignore[no-any-return]


def complaints() -> tuple[Message, ...]:
    """What the link held that could not be used; shown until it is dismissed."""
    return st.session_state["complaints"]  # type: ignore[no-any-return]


def method_changes() -> Mapping[str, Mapping[str, Any]]:
    """What the reader changed of the published numbers of the ways of drafting: method -> parameter -> value."""
    return st.session_state["method_changes"]  # type: ignore[no-any-return]


def change_method(method: Method, name: str, value: Any) -> None:
    """Change one number of a way of drafting; what it refuses leaves it as it is, with the reason."""
    before = method_changes()
    changed = {**before.get(method.key, {}), name: value}
    try:
        method.propose(method.values(Task(), changed))
    except SpecmodelError as error:
        st.session_state["complaints"] = (*complaints(), error.message)
        return
    st.session_state["method_changes"] = {**before, method.key: changed}


def reset_method(key: str) -> None:
    """Go back to the published numbers of a way of drafting."""
    st.session_state["method_changes"] = {name: each for name, each in method_changes().items() if name != key}


def _method_changes(query: Mapping[str, str]) -> tuple[dict[str, dict[str, Any]], tuple[Message, ...]]:
    """The changes that a link holds, and what of it could not be used."""
    found: dict[str, dict[str, Any]] = {}
    wrong: list[Message] = []
    for method in methods():
        known = {declared.key: declared for declared in declarations(method.params).values() if declared.key}
        (values,), complaints = link.read({key: query[key] for key in known.keys() & query.keys()}, (method.params(),))
        wrong += complaints
        given = {declared.name: getattr(values, declared.name) for key, declared in known.items() if key in query}
        if given and not complaints:
            found[method.key] = given
    return found, tuple(wrong)


def _method_keys() -> set[str]:
    return {declared.key for method in methods() for declared in declarations(method.params).values() if declared.key}


def change(kind: type[Declared] = Scenario, **values: Any) -> None:
    """Change some values of the scenario, or of another group; for callbacks of controls."""
    if kind is Scenario:
        st.session_state["scenario"] = scenario().replace(**values)
    else:
        change_group(kind, **values)


def start_from(other: Scenario) -> None:
    """Take over a whole scenario; for presets, whose list closes."""
    st.session_state["presets"] = False
    st.session_state["scenario"] = other


def pin(other: Scenario | None) -> None:
    """Keep a scenario to compare with, or forget it."""
    st.session_state["pinned"] = other


def dismiss() -> None:
    """Forget the complaints about the link."""
    st.session_state["complaints"] = ()


def set_option(key: str, value: str | int) -> None:
    """Choose an option from a callback."""
    st.session_state[key] = value


def option(key: str) -> Any:
    """The current value of an option."""
    return st.session_state.get(key, OPTIONS[key].default)


def query() -> Mapping[str, str]:
    """The whole state as the query of a link: only what differs from the defaults."""
    values = link.to_query(scenario())
    for base in _bases():
        values |= link.to_query(group(type(base)), base)
    for method in methods():
        declared = declarations(method.params)
        for name, value in method_changes().get(method.key, {}).items():
            values[declared[name].key] = declared[name].text(value)
    kept = pinned()
    if kept is not None:
        values["pin"] = link.pack(kept)
    values |= {key: str(option(key)) for key, declared in OPTIONS.items() if option(key) != declared.default}
    return _portable(values)


def _portable(values: dict[str, str]) -> dict[str, str]:
    """A link cannot carry a file: where the engine page shows one, the link brings the file's counters instead."""
    source = values.get("src", OPTIONS["src"].default)
    if source in ("files", "paste") and "counts" in values:
        return values | {"src": "link"}
    return values if source == "link" else {key: text for key, text in values.items() if key not in ("counts", "base")}


def remember_translator(translate: Translator) -> None:
    """Keep this run's translator for the page."""
    st.session_state["translate"] = translate


def translate() -> Translator:
    """The translator of this run."""
    return st.session_state["translate"]  # type: ignore[no-any-return]
