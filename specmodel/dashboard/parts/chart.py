"""Draw a plotly figure in place: the one adapter through which every chart of the dashboard goes.

`st.plotly_chart` builds a new chart at every change of data, which costs about 45 ms of browser time a chart, shows
blank frames, and loses the visitor's zoom and hidden legend entries. Here the browser keeps one chart and updates it.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.answer import Chart
from specmodel.dashboard.parts.assets import PLOTLY_URL, element, routed
from specmodel.dashboard.parts.element_data import element_data
from specmodel.figures.style import enlarged

LABELS = {
    "png": N_("Download as PNG"),
    "svg": N_("Download as SVG"),
    "zoom": N_("Zoom"),
    "pan": N_("Pan"),
    "reset": N_("Reset axes"),
    "hint": N_("Double-click to zoom back out"),
    "failed": N_("This chart could not be drawn. Reload the page to try again."),
}
"""Every text that the element itself shows."""


@dataclass(frozen=True)
class Pull:
    """Grouped bars on an axis from 0 to 1 that follow the pointer: the names of the series, in their order.

    `on_pull(series, place, value, final)` runs before the script reruns; `final` is False while the bar is held.
    """

    series: Sequence[str]
    on_pull: Callable[[str, int, float, bool], None]

    def told(self, event: Mapping[str, Any]) -> None:
        """Pass on what the browser says, if it can be: it is never trusted."""
        name, _, place = str(event.get("key")).partition(":")
        value = event.get("value")
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            return
        if name in self.series and place.isdecimal():
            self.on_pull(name, int(place), float(value), bool(event.get("final")))


STOCK_CHARTS = "SPECMODEL_STOCK_CHARTS"
HTML = '<p class="live-chart-title" hidden></p><div class="live-chart"></div>'
TITLE_PX = 32  # as in chart.css


def chart(
    part: Chart,
    *,
    key: str,
    filename: str,
    translate: Callable[[str], str] = str,
    name: str = "",
    titled: bool = True,
    larger: float = 1.0,
    pull: Pull | None = None,
    caption: str = "",
) -> None:
    """Show a chart and keep the visitor's zoom and hidden legend entries when its data change.

    The figure carries data colours only; backgrounds, text, grid and legend follow the theme in the browser. A plain
    dict is its fast form. `name` is that of the part in the page's answer, `filename` the download's without its
    ending; the title stands above it if `titled`. `larger` makes its type larger, `pull` lets the visitor pull its
    bars, `caption` stands below it in a downloaded picture. Set SPECMODEL_STOCK_CHARTS=1 to draw with
    `st.plotly_chart` instead.
    """
    titled = titled and bool(part.title)
    if os.environ.get(STOCK_CHARTS, "") not in ("", "0") or not routed():
        if titled:
            st.markdown(f"**{part.title}**")
        _stock(part.figure if larger == 1 else enlarged(part.figure, larger), key, part.alt, filename, part.height)
        return
    data: dict[str, Any] = {
        "part": element_data(part, translate, larger),
        "name": name,
        "titled": titled,
        "plotly": PLOTLY_URL,
        "filename": filename,
        "caption": caption,
        "labels": {label: translate(text) for label, text in LABELS.items()},
    }
    whole, element_key = part.height + (TITLE_PX if titled else 0), f"chart:{key}"
    draw = element("chart", HTML, isolate_styles=False)
    if pull is None:
        draw(key=element_key, height=whole, data=data)
        return
    ack = f"{element_key}:ack"
    data["pull"] = {"series": list(pull.series), "ack": st.session_state.get(ack)}

    def pulled() -> None:
        event = st.session_state[element_key]["pulled"]
        st.session_state[ack] = event.get("id")
        pull.told(event)

    draw(key=element_key, height=whole, data=data, on_pulled_change=pulled)


def _stock(figure: Mapping[str, Any] | go.Figure, key: str, alt: str, filename: str, height: int) -> None:
    options = {"filename": filename, "format": "png", "scale": 2}
    config = {"displaylogo": False, "showSendToCloud": False, "toImageButtonOptions": options}
    whole = figure if isinstance(figure, go.Figure) else dict(figure)
    st.plotly_chart(whole, key=f"chart:{key}", alt=alt, height=height, config=config)
