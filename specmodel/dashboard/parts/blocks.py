"""Text and numbers of a page as one element: what is said, cards, notices and small print, in their order.

Streamlit's own boxes and `st.metric` cost every run one message each, and the browser's work on it; and they cannot
move while a slider does.
"""

from collections.abc import Callable, Collection, Mapping

import streamlit as st

from specmodel.dashboard.parts import answer as parts
from specmodel.dashboard.parts.answer import Card, Part
from specmodel.dashboard.parts.assets import element, routed
from specmodel.dashboard.parts.element_data import COLOURS, element_data, said_text
from specmodel.dashboard.parts.entries import with_link

HTML = '<div class="blocks" style="min-height:{height}px"></div>'
GAP_PX = 16
LEAST_PX = {parts.Said: 56, parts.Notice: 56, parts.Cards: 60, parts.Note: 22, parts.Text: 24}
"""What a part takes at least: reserved, so that the figures below stay where they are when the text comes."""
BOXES = {"success": st.success, "error": st.error, "warning": st.warning, "info": st.info}


def blocks(
    named: Mapping[str, Part | None],
    *,
    key: str,
    translate: Callable[[str], str] = str,
    fixed: Collection[str] = (),
) -> None:
    """Draw parts that are text or cards, by their names; one that is None may come while a slider moves.

    Those in `fixed` wait for Python: no link holds what they show.

    Without the route of the scripts they are Streamlit's own elements, which tests can read.
    """
    if not routed():
        for name, part in named.items():
            _stock(part, f"{key}_{name}", translate)
        return
    told = {name: part and element_data(part, translate) for name, part in named.items()}
    data = {"names": list(named), "parts": told, "live": [name for name in named if name not in fixed]}
    heights = [LEAST_PX[type(part)] for part in named.values() if part is not None]
    height = sum(heights) + GAP_PX * max(len(heights) - 1, 0)
    # as at first: an element with another frame is another element, and what stands in it is gone
    html = HTML.format(height=st.session_state.setdefault(f"blocks:{key}:height", height))
    element("blocks", html, isolate_styles=True, styles=("tip", "cards"))(key=f"blocks:{key}", data=data)


def _stock(part: Part | None, key: str, translate: Callable[[str], str]) -> None:
    if isinstance(part, parts.Cards):
        _metrics(part.cards, key, translate)
    elif isinstance(part, parts.Said):
        BOXES[COLOURS[part.kind]](said_text(part))
    elif isinstance(part, parts.Notice):
        BOXES[COLOURS[part.kind]](part.markdown)
    elif isinstance(part, parts.Note):
        st.caption(part.text)
    elif isinstance(part, parts.Text):
        st.markdown(part.markdown)


def _metrics(cards: tuple[Card, ...], key: str, translate: Callable[[str], str]) -> None:
    with st.container(horizontal=True, key=f"cards_{key}"):
        for card in cards:
            note = card.below or None
            help = with_link(card.help, card.entry, translate) if card.entry else card.help
            st.metric(card.label, card.value, note, delta_color="off", delta_arrow="off", help=help)
