"""The state of one reader's session: the scenario, the pinned one, the options, and what was wrong with the link.

Streamlit's session state holds it all; nothing here is shared between readers. The address is read once, when a
session starts, and written by the share control after every run, so it survives changing the page.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from specmodel import link
from specmodel.dashboard.language import Translator
from specmodel.dashboard.options import OPTIONS, from_link
from specmodel.messages import Message
from specmodel.scenario import Scenario

_OWN_KEYS = ("pin", "embed", "embed_options")


def begin() -> None:
    """Read the link when the session starts."""
    if "scenario" in st.session_state:
        return
    query = st.query_params.to_dict()
    scenario, wrong = link.from_query(query, (*OPTIONS, *_OWN_KEYS))
    options, wrong_options = from_link(query)
    pinned, wrong_pin = link.unpack(query["pin"]) if "pin" in query else (None, ())
    if wrong_pin and pinned == Scenario():
        pinned = None  # nothing of it could be used
    st.session_state.update(options)
    st.session_state.update(scenario=scenario, pinned=pinned, complaints=wrong + wrong_options + wrong_pin)


def scenario() -> Scenario:
    """The current scenario."""
    return st.session_state["scenario"]  # type: ignore[no-any-return]


def pinned() -> Scenario | None:
    """The scenario to compare with, if one is pinned."""
    return st.session_state["pinned"]  # type: ignore[no-any-return]


def complaints() -> tuple[Message, ...]:
    """What the link held that could not be used; shown until it is dismissed."""
    return st.session_state["complaints"]  # type: ignore[no-any-return]


def change(**values: Any) -> None:
    """Change some values of the scenario; for callbacks of controls."""
    st.session_state["scenario"] = scenario().replace(**values)


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
