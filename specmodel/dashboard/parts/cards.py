"""A row of cards with numbers as one element: a label with its definition, the value, and the pinned value.

`st.metric` costs every run one message a card, and the browser's work on it.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.answer import Card
from specmodel.dashboard.parts.assets import element, routed
from specmodel.dashboard.parts.entries import LINK, entry_link, with_link

HELP = N_("Help: {label}")
HTML = '<div class="cards-box" style="min-height:84px"></div>'


def card_row(cards: Sequence[Card], *, key: str, translate: Callable[[str], str] = str) -> None:
    """Draw the cards side by side; without the route of the scripts as `st.metric`, which tests can read."""
    if not routed():
        _stock(cards, key, translate)
        return
    data = {"cards": [_data(card, translate) for card in cards]}
    element("cards", HTML, isolate_styles=True, styles=("tip",))(key=f"cards:{key}", data=data)


def _data(card: Card, translate: Callable[[str], str]) -> dict[str, str]:
    return {
        "label": card.label,
        "value": card.value,
        "help": card.help,
        "pinned": card.below,
        "helpLabel": translate(HELP).format(label=card.label),
        "entry": entry_link(card.entry, translate) if card.entry else "",
        "entryLabel": translate(LINK),
    }


def _stock(cards: Sequence[Card], key: str, translate: Callable[[str], str]) -> None:
    with st.container(horizontal=True, key=f"cards_{key}"):
        for card in cards:
            note = card.below or None
            help = with_link(card.help, card.entry, translate) if card.entry else card.help
            st.metric(card.label, card.value, note, delta_color="off", delta_arrow="off", help=help)
