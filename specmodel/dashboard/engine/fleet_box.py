"""All models of the configured Prometheus, folded away until they are asked for."""

import streamlit as st

from specmodel.dashboard.engine.fleet_part import fleet_parts
from specmodel.dashboard.engine.live import live_fleet
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.logs.prometheus import LiveError

KEPT = ("window", "lang")


def fleet_box(page: Page) -> None:
    """The table, where the numbers come from a live server."""
    _ = page.translate
    if state.option("src") != "live":
        return
    with st.expander(_("All models on this Prometheus"), key="fleet_open", on_change="rerun") as section:
        if not wanted(section):
            return
        try:
            rows = live_fleet()
        except LiveError as error:
            st.info(escaped(_.message(error.message)))
            return
        query = {key: text for key, text in state.query().items() if key in KEPT}
        for name, part in fleet_parts(rows, query, _).items():
            if part is not None:
                page.draw(name, part)
