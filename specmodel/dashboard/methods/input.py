"""The controls of the Methods page: workload, which methods are listed, one method's numbers, the size of a tree."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Param, declarations
from specmodel.dashboard.methods.compared import FILTERS, SORTS, shown_methods
from specmodel.dashboard.parts.entries import help_text
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import options, script
from specmodel.dashboard.session.way import CONFIGURED_AS, MEASURED, OF_SLIDERS, as_scenario, choice_of, drafter_values
from specmodel.methods import PROMPT_KINDS, Choice, Method
from specmodel.serving.load import Drafter

TEMPERATURES = {"0": N_("greedy"), "1": N_("temperature 1")}


def choose_workload(page: Page) -> None:
    """The kind of prompt and the temperature."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("What it is asked"),
            list(PROMPT_KINDS),
            format_func=lambda key: _(PROMPT_KINDS[key]),
            key="kind",
            persist_state="session",
            width=300,
        )
        st.segmented_control(
            _("Sampling"),
            list(TEMPERATURES),
            format_func=lambda key: _(TEMPERATURES[key]),
            key="sampling",
            required=True,
            persist_state="session",
        )


def sort_and_filter(page: Page) -> None:
    """The order of the methods, and which of them are listed."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Sort by"),
            list(SORTS),
            format_func=lambda key: _(SORTS[key]),
            key="sort",
            persist_state="session",
            width=230,
        )
        st.pills(
            _("Show only"),
            list(FILTERS),
            format_func=lambda key: _(FILTERS[key]),
            selection_mode="multi",
            default=[key for key in page.chosen.option("only").split("_") if key in FILTERS],
            key="only_pills",
            on_change=lambda: state.set_option("only", _only(st.session_state["only_pills"])),
        )


def _only(filters: Sequence[str]) -> str:
    """The filters as the option writes them, in one order."""
    return "_".join(key for key in FILTERS if key in filters)


def choose_method(page: Page) -> None:
    """The method that is looked at closer."""
    _ = page.translate
    st.selectbox(
        _("Way of drafting"),
        shown_methods(page.chosen),
        format_func=lambda key: _(choice_of(key, page.chosen).method.label),
        key="look",
        persist_state="session",
        width=330,
    )


def change_numbers(page: Page) -> None:
    """A box for each number of the method that is looked at; those of the measured one are sliders of other pages."""
    choice = choice_of(page.chosen.option("look"), page.chosen)
    method = choice.method
    if method.key == MEASURED:
        return
    columns = st.columns(2, gap="small")
    for index, (name, declared) in enumerate(declarations(method.params).items()):
        with columns[index % 2]:
            _box(page, method, declared, getattr(choice.values, name))
    if page.chosen.method_changes.get(method.key):
        label = page.translate("Back to the published numbers")
        st.button(label, key="reset_method", on_click=state.reset_method, args=(method.key,))


def _box(page: Page, method: Method, declared: Param, value: Any) -> None:
    _ = page.translate
    key = f"method:{method.key}.{declared.name}"
    st.session_state[key] = int(value) if declared.integer else float(value)
    unit = declared.unit_in(_)
    st.number_input(
        f"{_(declared.label)} ({unit})" if unit else _(declared.label),
        step=1 if declared.integer else None,
        format="%d" if declared.integer else "%.6g",
        key=key,
        help=help_text(declared, _),
        on_change=lambda: state.change_method(method, declared.name, st.session_state[key]),
    )


def take_along(page: Page) -> None:
    """The buttons that lead the other pages with the method that is looked at: under load whole, else as a chain."""
    _, choice = page.translate, choice_of(page.chosen.option("look"), page.chosen)
    if choice.method == OF_SLIDERS:
        return
    with st.container(horizontal=True):
        if st.button(_("Take it to Serving load"), key="take_to_serving", type="primary"):
            _take(choice, "serving")
        if choice.method.key != MEASURED and st.button(_("Take it to the Explore pages"), key="take_method"):
            _take(choice, "speedup")


def _take(choice: Choice, page: str) -> None:
    """Lead the pages with a way of drafting; the batch is the one that it is looked at with here."""
    if choice.method.key != MEASURED:
        state.start_from(as_scenario(choice, state.scenario()))
        state.set_option("drafting", choice.proposal.draft.shape)
        state.change(Drafter, **drafter_values(choice))
    state.set_option("way", choice.method.key)
    state.set_option("load_by", "batch")
    state.set_option("method", CONFIGURED_AS.get(choice.method.key, choice.method.key))
    st.switch_page(script(page))


def size_of_tree(page: Page) -> None:
    """How many nodes and levels the tree may have."""
    _ = page.translate
    with st.container(horizontal=True):
        for key, label in (("nodes", _("Nodes, root counted")), ("levels", _("Levels, root counted"))):
            allowed = options()[key].values
            assert isinstance(allowed, range)
            st.number_input(
                label, min_value=allowed[0], max_value=allowed[-1], step=1, key=key, persist_state="session", width=170
            )
