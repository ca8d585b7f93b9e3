"""The controls of the Exactness page: where its two distributions come from, bars to pull, and the next draw."""

from functools import partial

import pandas as pd
import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.exactness.pair import (
    LETTERS,
    MOST_WEIGHT,
    SERIES,
    Weights,
    can_be_pulled,
    is_pair,
    number_of_opening,
    pulled_weights,
    read_weights,
    readable_weights,
    written,
)
from specmodel.dashboard.parts.chart import Pull
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.dashboard.session.chosen import Chosen
from specmodel.ngram import KINDS, language_models

SOURCES = {"sliders": N_("Sliders"), "edit": N_("My own numbers"), "text": N_("Language models")}
_START, _EDITION, _HELD = "exactness:start", "exactness:edition", "exactness:held"
_DRAWN = "exactness:drawn"


def choose_distributions(page: Page) -> Chosen:
    """Draw the choice of a source and what belongs to it; everything that is chosen then."""
    _ = page.translate
    key = "exactness:from"
    st.session_state[key] = state.option("dists")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Where the distributions come from"),
            list(SOURCES),
            format_func=lambda source: _(SOURCES[source]),
            key=key,
            required=True,
            on_change=lambda: state.set_option("dists", st.session_state[key]),
        )
        if state.option("dists") == "edit":
            _own_numbers(page)
        elif state.option("dists") == "text":
            _real_text(page)
    return state.chosen()


def _own_numbers(page: Page) -> None:
    """Weights that the visitor types; they stay in the link."""
    _ = page.translate
    if st.session_state.get(_HELD) == "before":  # let go of unseen: the chart was gone
        _let_go()
    weights = _edited(page)
    if not is_pair(weights):
        st.warning(_("Each distribution needs two tokens and a number above 0: the page shows the numbers before."))
    elif not st.session_state.get(_HELD):
        state.set_option("probs", written(weights))
    if st.session_state.get(_HELD):
        st.session_state[_HELD] = "before"


def _edited(page: Page) -> Weights:
    """The editor, and what it holds. It keeps its edits itself as long as it gets the numbers that it started from."""
    _, key = page.translate, f"exactness:editor:{st.session_state.setdefault(_EDITION, 0)}"
    if key not in st.session_state:
        if not readable_weights(state.option("probs")):
            st.warning(_("The numbers of the link could not be read: the page shows its own."))
        st.session_state[_START] = read_weights(state.option("probs"))
    target, draft = zip(*st.session_state[_START], strict=True)
    weight = partial(st.column_config.NumberColumn, min_value=0.0, max_value=MOST_WEIGHT, required=True)
    edited = st.data_editor(
        pd.DataFrame({"token": list(LETTERS[: len(target)]), "target": target, "draft": draft}),
        hide_index=True,
        key=key,
        column_config={
            "token": st.column_config.TextColumn(_("token"), disabled=True),
            "target": weight(_("target")),
            "draft": weight(_("drafter")),
        },
        width=360,
        height="content",
        num_rows="dynamic",
    ).dropna(subset=["target", "draft"])
    return list(zip(edited["target"].astype(float), edited["draft"].astype(float), strict=True))[: len(LETTERS)]


def bars_to_pull(page: Page) -> Pull | None:
    """The bars of the visitor's own numbers, as long as they show them."""
    return Pull(SERIES, _pulled) if can_be_pulled(page.chosen) else None


def _pulled(series: str, place: int, value: float, final: bool) -> None:
    """Take over a bar that was pulled: the weights that give it at the model's temperature, with the same sum."""
    weights = pulled_weights(state.chosen(), series, place, value)
    if weights is None:
        return
    state.set_option("probs", written(weights))
    st.session_state[_HELD] = "now"
    if final:
        _let_go()


def _let_go() -> None:
    """A new editor, which starts from what was pulled."""
    st.session_state.update({_HELD: None, _EDITION: st.session_state[_EDITION] + 1})


def _real_text(page: Page) -> None:
    """The kind of text and the place in it after which the language models go on."""
    _ = page.translate
    kind = select(page, "distkind", _("Kind of text"), list(KINDS), lambda key: _(KINDS[key].label), width=200)
    with st.spinner(_("Training the language models…")):
        openings = language_models(kind).corpus.prompts
    state.set_option("distprompt", str(number_of_opening(kind, state.option("distprompt"))))
    places = [str(number) for number in range(len(openings))]
    select(page, "distprompt", _("After the text"), places, lambda at: openings[int(at)][-40:], width=360)


def draws_played() -> int:
    """How many single draws the visitor has asked for so far."""
    return int(st.session_state.get(_DRAWN, 0))


def draw_button(page: Page) -> None:
    """The button that draws the next token."""
    st.button(page.translate("Draw the next token"), key="exactness:draw", on_click=_next_draw)


def _next_draw() -> None:
    st.session_state[_DRAWN] = draws_played() + 1
