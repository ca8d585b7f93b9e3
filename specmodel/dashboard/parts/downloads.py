"""What a page gives away: every table as CSV, and the whole page as one HTML file that needs nothing else."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import pandas as pd
import streamlit as st

from specmodel.dashboard.parts.answer import Chart, Table
from specmodel.dashboard.parts.assets import PLOTLY_URL, element, routed
from specmodel.dashboard.parts.element_data import element_data
from specmodel.dashboard.parts.report import Report, report_html, rests_on
from specmodel.dashboard.session.translation import Translator

HTML = '<div class="report"></div>'


def link(query: Mapping[str, str]) -> str:
    """The address of the page with its whole state."""
    parts = urlsplit(st.context.url or "")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def draw(report: Report, translate: Translator) -> None:
    """The download buttons. A file is made only when it is asked for."""
    address = link(report.query)
    with st.container(horizontal=True, key="downloads"):
        for name, table in report.of(Table):
            data = table.columns if table.data is None else table.data
            st.download_button(
                translate("{title} (CSV)").format(title=table.title),
                data=_later(table_csv, data, rests_on(report, translate), address, translate),
                file_name=f"speculative-decoding_{report.key}_{table.name or name}.csv",
                mime="text/csv",
                key=f"csv_{report.key}_{name}",
                on_click="ignore",
            )
        if routed():
            _drawn_report(report, address, translate)
        st.download_button(
            translate("Report with interactive figures (HTML)"),
            data=_later(report_html, report, address, translate),
            file_name=f"speculative-decoding_{report.key}_interactive.html",
            mime="text/html",
            key=f"report_{report.key}",
            on_click="ignore",
            help=translate("Figures that zoom and tell their values; 5 MB, because plotly's script is inside."),
        )


def _drawn_report(report: Report, address: str, translate: Translator) -> None:
    """The button of the report whose figures the browser draws: it gets the file's text when it asks for it."""
    name = f"report:{report.key}"

    def asked() -> None:
        st.session_state[f"{name}:asked"] = st.session_state[name]["asked"]

    data: dict[str, Any] = {
        "label": translate("This page as a report (HTML)"),
        "hint": translate("One page for a design review, then figures, tables, assumptions and formulas. No internet."),
        "failed": translate("The report could not be made: try again, or take the one with interactive figures."),
    }
    wanted = st.session_state.pop(f"{name}:asked", None)
    if wanted is not None:
        data["file"] = {
            "id": wanted,
            "name": f"speculative-decoding_{report.key}.html",
            "text": report_html(report, address, translate, interactive=False),
            "figures": {each: element_data(chart, translate) for each, chart in report.of(Chart)},
            "plotly": PLOTLY_URL,
        }
    element("report", HTML, isolate_styles=True)(key=name, data=data, on_asked_change=asked)


def _later(make: Callable[..., str], *arguments: Any) -> Callable[[], str]:
    return lambda: make(*arguments)


def table_csv(
    data: Mapping[str, Any], rests_on: Sequence[tuple[str, str, str]], address: str, translate: Translator
) -> str:
    """The table with its parameters, their units and the link in comment lines above it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f"# {translate('Speculative decoding explorer')}"])
    for label, value, name in rests_on:
        writer.writerow([f"# {name}", value, label])
    writer.writerow([f"# {translate('link')}", address])
    pd.DataFrame(dict(data)).to_csv(out, index=False, lineterminator="\n")
    return out.getvalue()
