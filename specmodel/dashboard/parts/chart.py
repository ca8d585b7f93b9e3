"""Draw a plotly figure in place: the one adapter through which every chart of the dashboard goes.

`st.plotly_chart` builds a new chart at every change of data, which costs about 45 ms of browser time a chart, shows
blank frames, and loses the visitor's zoom and hidden legend entries. Here the browser keeps one chart and updates it.
"""

import base64
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.assets import PLOTLY_URL, element, routed

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
SHORT = 24
HTML = '<p class="live-chart-title" hidden></p><div class="live-chart"></div>'
TITLE_PX = 32  # as in chart.css


def chart(
    figure: Mapping[str, Any] | go.Figure,
    *,
    key: str,
    alt: str,
    filename: str,
    height: int = 360,
    translate: Callable[[str], str] = str,
    title: str = "",
    pull: Pull | None = None,
) -> None:
    """Show a figure and keep the visitor's zoom and hidden legend entries when its data change.

    The figure carries data colours only; backgrounds, text, grid and legend follow the theme in the browser.
    `title` stands above it, `alt` is what a screen reader says, `filename` the download's name without its ending.
    `pull` lets the visitor pull its bars. A plain dict is the fast form. Set SPECMODEL_STOCK_CHARTS=1 to draw with
    `st.plotly_chart` instead.
    """
    if os.environ.get(STOCK_CHARTS, "") not in ("", "0") or not routed():
        if title:
            st.markdown(f"**{title}**")
        _stock(figure, key, alt, filename, height)
        return
    data = {
        "figure": plain(figure),
        "plotly": PLOTLY_URL,
        "title": title,
        "alt": alt,
        "filename": filename,
        "height": height,
        "labels": {name: translate(text) for name, text in LABELS.items()},
    }
    whole, name = height + (TITLE_PX if title else 0), f"chart:{key}"
    draw = element("chart", HTML, isolate_styles=False)
    if pull is None:
        draw(key=name, height=whole, data=data)
        return
    ack = f"{name}:ack"
    data["pull"] = {"series": list(pull.series), "ack": st.session_state.get(ack)}

    def pulled() -> None:
        event = st.session_state[name]["pulled"]
        st.session_state[ack] = event.get("id")
        pull.told(event)

    draw(key=name, height=whole, data=data, on_pulled_change=pulled)


def _stock(figure: Mapping[str, Any] | go.Figure, key: str, alt: str, filename: str, height: int) -> None:
    options = {"filename": filename, "format": "png", "scale": 2}
    config = {"displaylogo": False, "showSendToCloud": False, "toImageButtonOptions": options}
    whole = figure if isinstance(figure, go.Figure) else dict(figure)
    st.plotly_chart(whole, key=f"chart:{key}", alt=alt, height=height, config=config)


def plain(figure: Mapping[str, Any] | go.Figure) -> dict[str, Any]:
    """The figure as small JSON-able data: arrays as base64 float32, missing numbers as null, no template.

    >>> plain({"data": [{"y": [1.0, float("nan")]}], "layout": {"template": "plotly"}})
    {'data': [{'y': [1.0, None]}], 'layout': {}}
    """
    whole = figure.to_dict() if isinstance(figure, go.Figure) else figure
    layout = {name: value for name, value in whole.get("layout", {}).items() if name != "template"}
    return {"data": _plain(whole.get("data", [])), "layout": _plain(layout)}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str) or value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if hasattr(value, "__array__"):
        return _array(np.asarray(value))
    return _plain(value.to_plotly_json()) if hasattr(value, "to_plotly_json") else str(value)


def _array(values: np.ndarray[Any, Any]) -> Any:
    """plotly.js's typed array form; a list where that would not be shorter, or the type has no such form."""
    if values.size < SHORT or values.dtype.kind not in "fiu" or values.ndim not in (1, 2):
        return _plain(values.tolist())
    dtype = "i4" if values.dtype.kind in "iu" else "f4"
    if dtype == "i4" and (values.max() >= 2**31 or values.min() < -(2**31)):
        dtype = "f8"
    packed = np.ascontiguousarray(values, dtype=f"<{dtype}")
    spec = {"dtype": dtype, "bdata": base64.b64encode(packed.tobytes()).decode("ascii")}
    return spec if values.ndim == 1 else spec | {"shape": f"{values.shape[0]},{values.shape[1]}"}
