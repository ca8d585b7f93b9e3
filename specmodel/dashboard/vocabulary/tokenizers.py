"""Choosing a pair of real tokenizers, and the tables of the Vocabulary page."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from specmodel.base.params import declarations
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.options import MEASURES, TOKENIZERS
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.vocabulary import Bounds, Pairing
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.vocabulary import (
    ARTICLE_PAIRINGS,
    TokenizerPair,
    alpha_ceiling,
    alpha_floor,
    effective_alpha,
    tokenizer_pair,
    tokenizer_pairs,
)

SHOWN = (
    "target", "draft", "overlap_of_target", "freq_overlap_code", "freq_overlap_prose_en", "freq_overlap_japanese",
    "overlap_of_draft", "shared_tokens", "shared_same_id", "target_vocab", "draft_vocab",
)  # fmt: skip


def pairing_marks(translate: Translator) -> list[Pairing]:
    """The article's three pairings, to mark on the curve."""
    return [Pairing(translate(row.pairing), row.vocabulary_overlap) for row in ARTICLE_PAIRINGS]


def article_columns(scenario: Scenario, translate: Translator) -> dict[str, Sequence[Any]]:
    """The article's third table, its pairings, at the current latencies and acceptance: does each pairing still pay?"""
    outcomes = [evaluate(scenario.replace(vocabulary_overlap=row.vocabulary_overlap)) for row in ARTICLE_PAIRINGS]
    return {
        translate("pairing"): [translate(row.pairing) for row in ARTICLE_PAIRINGS],
        translate("overlap"): [f"{row.vocabulary_overlap:.2f}" for row in ARTICLE_PAIRINGS],
        translate("acceptance"): [f"{scenario.alpha:.3f}"] * len(outcomes),
        translate("effective acceptance"): [f"{outcome.effective_alpha:.3f}" for outcome in outcomes],
        translate("speedup"): [f"{outcome.speedup:.2f}×" for outcome in outcomes],
        translate("usable"): [translate(row.usable) for row in ARTICLE_PAIRINGS],
    }


def article_data(scenario: Scenario) -> dict[str, Sequence[Any]]:
    """The same as plain numbers, for the CSV."""
    outcomes = [evaluate(scenario.replace(vocabulary_overlap=row.vocabulary_overlap)) for row in ARTICLE_PAIRINGS]
    return {
        "pairing": [row.pairing for row in ARTICLE_PAIRINGS],
        "vocabulary_overlap": [row.vocabulary_overlap for row in ARTICLE_PAIRINGS],
        "effective_alpha": [outcome.effective_alpha for outcome in outcomes],
        "speedup": [outcome.speedup for outcome in outcomes],
    }


def _pair() -> TokenizerPair:
    target, draft = state.option("to"), state.option("from")
    if target == draft:  # measured pairs are of two tokenizers; one with the same vocabulary stands for itself
        draft = next(pair.draft for pair in tokenizer_pairs() if pair.target == target and pair.jaccard == 1)
    return tokenizer_pair(target, draft)


def _take() -> None:
    """Set the overlap to the chosen share of the chosen pair."""
    state.change(vocabulary_overlap=getattr(_pair(), state.option("by")))


def chosen_pair(page: Page) -> tuple[TokenizerPair, Pairing]:
    """Two tokenizers and which share of the vocabulary counts. Choosing sets the overlap; a button brings it back."""
    _, names = page.translate, declarations(TokenizerPair)
    st.markdown(f"**{_('A pair of real tokenizers')}**")
    with st.container(horizontal=True):
        st.selectbox(_("Target"), TOKENIZERS, key="to", persist_state="session", on_change=_take)
        st.selectbox(_("Drafter"), TOKENIZERS, key="from", persist_state="session", on_change=_take)
    pair = _pair()
    st.selectbox(
        _("Take as overlap"),
        MEASURES,
        format_func=lambda name: _("{label}: {value}").format(
            label=_(names[name].label), value=names[name].show(getattr(pair, name))
        ),
        key="by",
        persist_state="session",
        on_change=_take,
        help=_(names[state.option("by")].help),
    )
    share = getattr(pair, state.option("by"))
    if share == page.scenario.vocabulary_overlap:
        st.caption(_("Verdict and numbers above hold for this pair."))
    else:
        text = _("Set the overlap to {share:.3f}").format(share=share)
        st.button(text, key="use_pair", on_click=_take)
    return pair, Pairing(f"{pair.draft} → {pair.target}", share)


def pair_bounds(pair: TokenizerPair, alpha: float, translate: Translator) -> list[Bounds]:
    """The article's rule and the exact bounds for each kind of text that was measured."""
    names = declarations(TokenizerPair)
    rows = [Bounds(translate(names["overlap_of_target"].label), effective_alpha(alpha, pair.overlap_of_target))]
    for name in MEASURES[1:]:
        mass = getattr(pair, name)
        rule, floor, ceiling = effective_alpha(alpha, mass), alpha_floor(alpha, mass), alpha_ceiling(alpha, mass)
        rows.append(Bounds(translate(names[name].label), rule, floor, ceiling))
    return rows


def pair_table(page: Page) -> None:
    """Every measured pair, searchable; selecting a row chooses the pair."""
    _, names = page.translate, declarations(TokenizerPair)
    wanted = st.text_input(_("Find a tokenizer"), key="find_tokenizer", placeholder="llama3, qwen3, gemma3 …")
    words = wanted.lower().split()
    rows = [pair for pair in tokenizer_pairs() if all(word in f"{pair.target} {pair.draft}".lower() for word in words)]
    columns = {_(names[name].label): [getattr(pair, name) for pair in rows] for name in SHOWN}
    if not rows:
        st.warning(_("No pair has a name with “{text}” in it.").format(text=wanted))
    title = _("All {n} measured pairs").format(n=len(tokenizer_pairs()))
    data = {name: [getattr(pair, name) for pair in rows] for name in SHOWN}
    page.table("tokenizers", title, columns, data=data, shown=lambda frame: _selectable(frame, rows, page))


def _selectable(frame: pd.DataFrame, rows: Sequence[TokenizerPair], page: Page) -> None:
    _, names = page.translate, declarations(TokenizerPair)
    formats = {name: "percent" if names[name].format == ".1%" else "localized" for name in SHOWN[2:]}
    config = {
        _(names[name].label): st.column_config.NumberColumn(help=_(names[name].help), format=formats[name])
        for name in SHOWN[2:]
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
