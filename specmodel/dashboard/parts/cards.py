"""A row of cards with numbers as one element: a label with its definition, the value, and the pinned value.

`st.metric` costs every run one message a card, and the browser's work on it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from specmodel.dashboard.parts.assets import element, routed

HTML = '<div class="cards-box" style="min-height:84px"></div>'


@dataclass(frozen=True)
class Card:
    """What one card says, as text; `pinned` is empty where nothing is pinned."""

    label: str
    value: str
    help: str
    pinned: str = ""


def card_row(cards: Sequence[Card], *, key: str, help_label: str = "Help: {label}") -> None:
    """Draw the cards side by side; without the route of the scripts as `st.metric`, which tests can read."""
    if not routed():
        _stock(cards, key)
        return
    data = {"cards": [asdict(card) | {"helpLabel": help_label.format(label=card.label)} for card in cards]}
    element("cards", HTML, isolate_styles=True, styles=("tip",))(key=f"cards:{key}", data=data)


def _stock(cards: Sequence[Card], key: str) -> None:
    with st.container(horizontal=True, key=f"cards_{key}"):
        for card in cards:
            note = card.pinned or None
            st.metric(card.label, card.value, note, delta_color="off", delta_arrow="off", help=card.help)
