"""The state of one visitor's session: the scenario, the pinned one, load and hardware, the options, what was wrong with
the link.

Streamlit's session state holds it all; nothing here is shared between visitors. The address is read once, when a
session starts, and written by the share control after every run, so it survives changing the page.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import streamlit as st

from specmodel.base import link
from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.params import Declared
from specmodel.dashboard.session.chosen import Chosen, MethodChanges, read_link, write_link
from specmodel.dashboard.session.pages import group_kinds, options
from specmodel.dashboard.session.translation import Translator
from specmodel.methods import Method, Task
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Drafter

Group = TypeVar("Group", bound=Declared)


def begin() -> None:
    """Read the link when the session starts."""
    if "scenario" in st.session_state:
        return
    chosen, complaints = read_link(st.query_params.to_dict())
    st.session_state.update(chosen.options)
    st.session_state.update({_name(kind): values for kind, values in chosen.groups.items()})
    st.session_state.update(scenario=chosen.scenario, pinned=chosen.pinned, method_changes=chosen.method_changes)
    st.session_state["complaints"] = complaints


def chosen() -> Chosen:
    """Everything that the visitor has chosen, as it is now."""
    held = st.session_state.to_dict()  # at once: asked for one by one, the values take a third of a run
    now = {key: held.get(key, each.default) for key, each in options().items()}
    values = {kind: held[_name(kind)] for kind in group_kinds()}
    return Chosen(held["scenario"], held["pinned"], values, now, held["method_changes"])


def _name(kind: type[Declared]) -> str:
    return f"group:{kind.__name__}"


def group(kind: type[Group]) -> Group:
    """The visitor's values of one group: load, drafter, accelerator, target model, line."""
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


def method_changes() -> MethodChanges:
    """What the visitor changed of the published numbers of the ways of drafting: method -> parameter -> value."""
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


def change(kind: type[Declared] = Scenario, **values: Any) -> None:
    """Change some values of the scenario, or of another group; for callbacks of controls."""
    if kind is Scenario:
        st.session_state["scenario"] = scenario().replace(**values)
    else:
        change_group(kind, **values)


def start_from(other: Scenario) -> None:
    """Take over a whole scenario; for presets, whose list closes. No way of drafting leads the pages any more."""
    st.session_state["presets"] = False
    st.session_state["scenario"] = other
    set_option("way", "")


def start_from_measured(other: Scenario) -> None:
    """Take over what was measured, and remember it as that; drafting under load is what the scenario says of it."""
    start_from(other)
    set_option("mine", link.pack(other))
    set_option("drafting", "sequential")
    change(Drafter, draft_cost_ratio=min(other.draft_ms / other.target_ms, 100.0), draft_step_ms=0)


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
    return st.session_state.get(key, options()[key].default)


def query() -> Mapping[str, str]:
    """The whole state as the query of a link: only what differs from the defaults."""
    return write_link(chosen())


def remember_translator(translate: Translator) -> None:
    """Keep this run's translator for the page."""
    st.session_state["translate"] = translate


def translate() -> Translator:
    """The translator of this run."""
    return st.session_state["translate"]  # type: ignore[no-any-return]
