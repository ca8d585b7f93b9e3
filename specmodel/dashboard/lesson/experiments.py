"""Buttons that try something on a part of a lesson, say what to look at, and put everything back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from specmodel.base.params import Declared, declarations
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator
from specmodel.model.scenario import Scenario

_KEY = "tried"


@dataclass(frozen=True)
class Experiment:
    """One thing to try: what is changed, in words and in values, and what to look at then.

    `values` are numbers by the group they belong to, `options` choices of the link. It is offered where the options in
    `needs` are chosen.
    """

    label: str
    look: str
    values: Mapping[type[Declared], Mapping[str, Any]] = field(default_factory=dict)
    options: Mapping[str, str | int] = field(default_factory=dict)
    needs: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def offered(self) -> bool:
        """Whether it makes sense with what the reader has chosen."""
        return all(state.option(key) == value for key, value in self.needs.items())

    def settings(self, translate: Translator) -> str:
        """The numbers that it sets, by name: for paper."""
        shown = []
        for kind, new in self.values.items():
            declared, usual = declarations(kind), kind()
            for name, value in new.items():
                if declared[name].symbol or getattr(usual, name) != value:
                    shown.append(f"{translate(declared[name].label)} {declared[name].show(value, translate)}")
        return translate.listed(shown)


@dataclass(frozen=True)
class Part:
    """A part of a lesson: about how many minutes it takes a class, and what to try in it."""

    minutes: int
    experiments: tuple[Experiment, ...] = ()


@dataclass(frozen=True)
class Tried:
    """The experiment that is on: which, and what the reader had before."""

    part: str
    label: str
    values: Mapping[type[Declared], Mapping[str, Any]]
    options: Mapping[str, str | int]


def draw_experiments(part: str, experiments: Sequence[Experiment], translate: Translator) -> None:
    """A button for each; while one is on, what to look at, and the way back. `part` tells the parts of pages apart."""
    experiments = [each for each in experiments if each.offered]
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
