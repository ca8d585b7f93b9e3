"""Buttons that try something on a part of a lesson, say what to look at, and put everything back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from specmodel.base.params import Declared
from specmodel.dashboard.session import state
from specmodel.dashboard.session.declaration import Experiment
from specmodel.dashboard.session.translation import Translator
from specmodel.model.scenario import Scenario

_KEY = "tried"


@dataclass(frozen=True)
class Tried:
    """The experiment that is on: which, and what the visitor had before."""

    part: str
    label: str
    values: Mapping[type[Declared], Mapping[str, Any]]
    options: Mapping[str, str | int]


def draw_experiments(part: str, experiments: Sequence[Experiment], translate: Translator) -> None:
    """A button for each; while one is on, what to look at, and the way back. `part` tells the parts of pages apart."""
    experiments = [each for each in experiments if each.offered(state.chosen().options)]
    if not experiments:
        return
    _, tried = translate, st.session_state.get(_KEY)
    on = next((each for each in experiments if tried and (tried.part, tried.label) == (part, each.label)), None)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{_('Try it:')}**", width="content")
        for each in experiments:
            st.button(
                _(each.label),
                key=f"try:{part}.{each.label}",
                type="primary" if each is on else "secondary",
                on_click=_start,
                args=(part, each),
            )
        if on:
            st.button(_("As before"), key=f"try:{part}.back", type="tertiary", on_click=put_back)
    if on:
        st.info(_(on.look))


def _start(part: str, experiment: Experiment) -> None:
    put_back()
    values = {kind: {name: getattr(_group(kind), name) for name in new} for kind, new in experiment.values.items()}
    options = {key: state.option(key) for key in experiment.options}
    st.session_state[_KEY] = Tried(part, experiment.label, values, options)
    _set(experiment.values, experiment.options)


def put_back() -> None:
    """Undo the experiment that is on, if there is one."""
    tried: Tried | None = st.session_state.pop(_KEY, None)
    if tried:
        _set(tried.values, tried.options)


def _set(values: Mapping[type[Declared], Mapping[str, Any]], options: Mapping[str, str | int]) -> None:
    for kind, new in values.items():
        state.change(kind, **new)
    for key, value in options.items():
        state.set_option(key, value)


def _group(kind: type[Declared]) -> Declared:
    return state.scenario() if kind is Scenario else state.group(kind)
