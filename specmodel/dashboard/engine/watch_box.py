"""The boxes of what to watch: the service level, the model, and the files to take along."""

import streamlit as st

from specmodel.base.messages import N_, SpecmodelError
from specmodel.dashboard.engine.how_long_part import typed_number
from specmodel.dashboard.engine.watched import LEVEL, MODEL, watched
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.engine.answer import EngineAnswer
from specmodel.watch import dashboard_json, rules_yaml

LEVEL_HELP = N_("The most that your service level allows for an output token: an alert then says when it takes longer.")
MODEL_HELP = N_("The label model_name of the metrics. Empty: every model of this engine, whatever it is.")


def watch_box(page: Page, measured: EngineAnswer) -> None:
    """Folded away: what is watched, two boxes, the rules as text and as a file, the dashboard as a file."""
    _ = page.translate
    if not ("watch" in page.answer or "watch_error" in page.answer):
        return
    label = _("Watch it: Prometheus rules and a Grafana dashboard")
    with st.expander(label, key="watch_open", on_change="rerun") as section:
        if not wanted(section):
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(_("Service level, ms per output token"), key=LEVEL, persist_state="session", width=280,
                          help=_(LEVEL_HELP))  # fmt: skip
            st.text_input(_("Model in the metrics"), key=MODEL, persist_state="session", width=280, help=_(MODEL_HELP))
        text = str(state.option(LEVEL)).strip()
        if text and typed_number(text) is None:
            st.error(_("“{text}” is no number above 0; it was left out.").format(text=escaped(text[:40])))
        page.show("watch_error", "watch_levels", "watch_note")
        _files(page, measured)
        page.show("watch")
        page.forget("watch")  # a file of rules is no page of a report


def _files(page: Page, measured: EngineAnswer) -> None:
    _ = page.translate
    address = (st.context.url or "").split("?")[0]
    try:
        levels = watched(state.chosen(), measured, address)
    except SpecmodelError:
        return  # the sentence stands above
    with st.container(horizontal=True):
        st.download_button(_("Rules (YAML)"), lambda: rules_yaml(levels), "speculation-rules.yml", "application/yaml",
                           key="watch_rules", on_click="ignore")  # fmt: skip
        st.download_button(_("Dashboard (JSON)"), lambda: dashboard_json(levels), "speculation-dashboard.json",
                           "application/json", key="watch_dashboard", on_click="ignore")  # fmt: skip
