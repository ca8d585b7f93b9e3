"""The control that copies the link, and keeps the browser's address and `<html lang>` equal to the state."""

from collections.abc import Mapping
from urllib.parse import urlencode

from specmodel.dashboard.parts.assets import element
from specmodel.dashboard.session.translation import Translator

HTML = '<div class="share"></div>'


def share_link(query: Mapping[str, str], page: str, translate: Translator) -> None:
    """Draw the control for a state given as a query.

    The browser writes the address itself: that adds no entry to its history, and it happens a moment after the last
    change, so that dragging a slider does not flood it.
    """
    data = {
        "query": urlencode(query),
        "page": page,  # a new page starts with a bare address: it must be written again, though the query is the same
        "language": translate.language,
        "label": translate("Copy link"),
        "copied": translate("Link copied"),
        "manual": translate("Copy it from here:"),
        "hint": translate("The link carries every value, the pinned scenario, the views and the language."),
    }
    element("share", HTML, isolate_styles=True)(key="share", data=data)
