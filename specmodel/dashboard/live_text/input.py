"""The choices of the Live text page: kind of text, drafter, the text to continue.

A text that a visitor types stays in the session, and so does what comes of it.
"""

import streamlit as st

from specmodel.dashboard.live_text.run import DRAFTERS, LONGEST, OWN, Store
from specmodel.dashboard.live_text.words import one_line
from specmodel.dashboard.parts.entries import term_entry, with_link
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.ngram import KINDS, language_models

TYPED = "live_text:typed"
KEPT = "live_text:own"
LONGEST_LABEL = 36


def draw_choices(page: Page) -> None:
    """Draw the choices; the models are trained on first use."""
    _ = page.translate
    with st.spinner(_("Training two small language models on each kind of text: once, for a second or two…")):
        prompts = {kind: language_models(kind).corpus.prompts for kind in KINDS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = select(page, "textkind", _("Kind of text"), list(KINDS), lambda key: _(KINDS[key].label), width=170)
        select(page, "textdraft", _("Drafter"), list(DRAFTERS), lambda key: _(DRAFTERS[key]), width=170)
        _opening(page, prompts[kind])


def _opening(page: Page, prompts: tuple[str, ...]) -> None:
    """An opening that no model has seen, or what the visitor types."""
    _ = page.translate
    places = [*map(str, range(len(prompts))), OWN]
    if state.option("textprompt") not in places:
        state.set_option("textprompt", "0")

    def label(place: str) -> str:
        return _("A text of my own") if place == OWN else one_line(prompts[int(place)], LONGEST_LABEL)

    if select(page, "textprompt", _("Text to continue"), places, label, width=380) == OWN:
        st.session_state[TYPED] = own_text()
        st.text_input(
            _("My own text"),
            key=TYPED,
            max_chars=LONGEST,
            width=320,
            placeholder=one_line(prompts[0], LONGEST_LABEL),
            help=with_link(
                _("Up to 200 characters. It stays in this session and is not in the link."), term_entry("prompt"), _
            ),
            on_change=_keep_typed,
        )


def own_text() -> str:
    """What the visitor has typed; kept while the box is not there."""
    return str(st.session_state.get(KEPT, ""))


def _keep_typed() -> None:
    typed = str(st.session_state[TYPED])[:LONGEST]
    st.session_state[KEPT] = typed.encode("utf-8", "replace").decode("utf-8")


def store() -> Store:
    """Where this visitor's results are kept: in the session, which no other visitor reads."""
    kept: Store = st.session_state.setdefault("live_text:results", {})
    return kept
