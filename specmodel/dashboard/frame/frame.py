"""The frame around every page: page settings, language, navigation in sections, the sidebar, then the page itself.

Streamlit runs this script on every interaction. The sidebar is drawn here, once, so that the scenario, the link and
the language survive changing the page; and after the page, because only then the page has set its own options.
"""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from specmodel.dashboard.frame import sidebar
from specmodel.dashboard.frame.first_page import FIRST
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.run_queue import turn
from specmodel.dashboard.session.translation import Translator, choose, translator

PAGES = Path(__file__).parents[3] / "pages"
FRONTEND = Path(__file__).parents[1] / "frontend"


def _navigation(translate: Translator) -> StreamlitPage:
    """Pages by section, in menus above the page."""
    sections: dict[str, list[StreamlitPage]] = {}
    for key, page in pages().items():
        made = st.Page(PAGES / f"{key}.py", title=translate(page.title), url_path=key, default=key == FIRST)
        sections.setdefault(translate(page.section), []).append(made)
    return st.navigation(sections, position="top")


def main() -> None:
    """Draw one run of the app."""
    state.begin()
    translate = translator(choose(state.option("lang"), st.context.locale))
    st.set_page_config(
        page_title=translate("Speculative decoding explorer"),
        page_icon=str(FRONTEND / "icon.png"),
        layout="wide",
        initial_sidebar_state="auto",
        menu_items={"About": translate("Should speculative decoding be on here, with how many draft tokens?")},
    )
    st.html(FRONTEND / "frame.css")
    page = _navigation(translate)
    state.remember_translator(translate)
    try:
        page.run()  # first, so that its figures are on their way to the browser while the rest is put together
    finally:
        sidebar.draw(page.url_path or FIRST, translate)


with turn():
    main()
