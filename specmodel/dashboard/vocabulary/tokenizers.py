"""Choosing a pair of real tokenizers, from boxes or from the table of all of them."""

import pandas as pd
import streamlit as st

from specmodel.base.params import declarations
from specmodel.dashboard.parts.entries import help_text
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.dashboard.vocabulary.answer import IN_TABLE, listed_pairs, overlap_of, pair_of
from specmodel.dashboard.vocabulary.declared import MEASURES, TOKENIZERS
from specmodel.model.vocabulary import TokenizerPair


def _take() -> None:
    """Set the overlap to the chosen share of the chosen pair."""
    state.change(vocabulary_overlap=overlap_of(state.chosen()))


def choose_pair(page: Page) -> None:
    """Two tokenizers and which share of the vocabulary counts. Choosing sets the overlap; a button brings it back."""
    _, names = page.translate, declarations(TokenizerPair)
    st.markdown(f"**{_('A pair of real tokenizers')}**")
    with st.container(horizontal=True):
        st.selectbox(_("Target"), TOKENIZERS, key="to", persist_state="session", on_change=_take)
        st.selectbox(_("Drafter"), TOKENIZERS, key="from", persist_state="session", on_change=_take)
    pair = pair_of(state.chosen())
    st.selectbox(
        _("Take as overlap"),
        MEASURES,
        format_func=lambda name: _("{label}: {value}").format(
            label=_(names[name].label), value=names[name].show(getattr(pair, name))
        ),
        key="by",
        persist_state="session",
        on_change=_take,
        help=help_text(names[state.option("by")], _),
    )
    share = overlap_of(state.chosen())
    with st.container(key="follows_pair"):
        if share == page.scenario.vocabulary_overlap:
            st.caption(_("Verdict and numbers above hold for this pair."))
        else:
            text = _("Set the overlap to {share:.3f}").format(share=share)
            st.button(text, key="use_pair", on_click=_take)


def wanted_name() -> str:
    """What is looked for in the names of the pairs."""
    return str(st.session_state.get("find_tokenizer", ""))


def find_pairs(page: Page) -> None:
    """The box for what to look for in the names of the pairs; says so where no pair has it."""
    label = page.translate("Find a tokenizer")
    wanted = st.text_input(label, key="find_tokenizer", placeholder="llama3, qwen3, gemma3 …")
    if not listed_pairs(wanted):
        st.warning(page.translate("No pair has a name with “{text}” in it.").format(text=escaped(wanted)))


def selectable(page: Page, frame: pd.DataFrame, find: str) -> None:
    """The table of the pairs; selecting a row chooses the pair."""
    _, names, rows = page.translate, declarations(TokenizerPair), listed_pairs(find)
    formats = {name: "percent" if names[name].format == ".1%" else "localized" for name in IN_TABLE[2:]}
    config = {
        _(names[name].label): st.column_config.NumberColumn(help=help_text(names[name], _), format=formats[name])
        for name in IN_TABLE[2:]
    }

    def choose() -> None:
        picked = st.session_state["tokenizer_table"]["selection"]["rows"]
        if picked:
            state.set_option("to", rows[picked[0]].target)
            state.set_option("from", rows[picked[0]].draft)
            _take()

    st.dataframe(
        frame,
        key="tokenizer_table",
        hide_index=True,
        column_config=config,
        on_select=choose,
        selection_mode="single-row",
        height=330,
    )
    st.caption(_("Select a row to choose that pair. Shares are of the target's tokens: direction matters."))
