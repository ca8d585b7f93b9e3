"""What the panel of sliders is told of the live channel: where to ask, with which link, under which key each slider is.

While a slider moves, the browser asks the route `live/<page>` for the answer to the link with its new value, and the
elements of the page show that at once; when it rests, the value goes to Streamlit, whose run then draws the same. That
works where the link holds everything that the page shows: a page says what it does not (`outside_link`).
"""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from specmodel.base.params import declarations
from specmodel.dashboard.parts.assets import routed
from specmodel.dashboard.session.declaration import Field
from specmodel.dashboard.session.translation import Translator

SWITCH = "SPECMODEL_LIVE"
FOLDER = "live"
_OUTSIDE = "live:outside"


def switched_on() -> bool:
    """Whether this server answers the live channel: SPECMODEL_LIVE=0 switches it off."""
    return os.environ.get(SWITCH, "1").strip().lower() not in ("0", "off", "false", "no")


def begin_page() -> None:
    """A page starts its run: until it says otherwise, the link holds all that it shows."""
    st.session_state[_OUTSIDE] = False


def outside_link() -> None:
    """This page shows something that no link holds, such as a visitor's file: its sliders go to Streamlit alone."""
    st.session_state[_OUTSIDE] = True


def live_panel(
    page: str, fields: Mapping[str, Field], query: Mapping[str, str], translate: Translator
) -> dict[str, Any] | None:
    """For the sliders `fields` beside a page, by their keys: the address, the link as it is now, each one's link key.

    None where the channel is switched off, there is no route, or the link does not hold what the page shows.
    """
    if not (switched_on() and routed()) or st.session_state.get(_OUTSIDE, True):
        return None
    keys = {key: declarations(kind)[name].key for key, (kind, name) in fields.items() if declarations(kind)[name].key}
    return {
        "path": f"{FOLDER}/{page}",
        "query": urlencode({**query, "lang": translate.language}),
        "keys": {key: each for key, each in keys.items() if each},
    }
