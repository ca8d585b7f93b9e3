"""A row of cards with numbers as one element: a label with its definition, the value, and the pinned value.

`st.metric` costs every run one message a card, and the browser's work on it.
"""

from collections.abc import Sequence

import streamlit as st

from specmodel.dashboard.parts.answer import Card
from specmodel.dashboard.parts.assets import element, routed

HTML = '<div class="cards-box" style="min-height:84px"></div>'


def card_row(cards: Sequence[Card], *, key: str, help_label: str = "Help: {label}") -> None:
    """Draw the cards side by side; without the route of the scripts as `st.metric`, which tests can read."""
    if not routed():
        _stock(cards, key)
        return
    data = {"cards": [_data(card, help_label) for card in cards]}
    element("cards", HTML, isolate_styles=True, styles=("tip",))(key=f"cards:{key}", data=data)


def _data(card: Card, help_label: str) -> dict[str, str]:
    label = help_label.format(label=card.label)
    return {"label": card.label, "value": card.value, "help": card.help, "pinned": card.below, "helpLabel": label}


def _stock(cards: Sequence[Card], key: str) -> None:
    with st.container(horizontal=True, key=f"cards_{key}"):
        for card in cards:
            note = card.below or None
            st.metric(card.label, card.value, note, delta_color="off", delta_arrow="off", help=card.help)
