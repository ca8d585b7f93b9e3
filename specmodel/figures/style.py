"""Colours and layout that all figures share. A colour stands for one thing, in every figure and on both themes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from specmodel.base.params import Quantity

Figure = dict[str, Any]
Translate = Callable[[str], str]

# each is readable (contrast of 3 or more) on white and on the dark background; a test measures it
SPECULATION = "#2f7ed8"  # decoding with speculation, the current scenario
BASELINE = "#868e99"  # plain decoding, and the line where both take the same time
BREAK_EVEN = "#b07d0a"  # the break-even point
ACCEPTED = "#2a9563"  # accepted drafts, and time well spent on them
WASTED = "#d9603b"  # rejected drafts, and the time lost on them
BONUS = "#8f63c9"  # the token of the target itself: bonus or recovered
OVERHEAD = "#4f7f96"  # time of a round that is neither drafting nor the target
BEST = "#13919b"  # the best draft length
MEASURED = "#c2379b"  # what was measured
DISTANCE = "#8c6d5c"  # how far an output is from the target's distribution

FAINT = 0.6
FASTER, SLOWER = "#3f6fb5", "#b0532f"  # time saved and time lost, on the map and by one more draft
SLOWER_TO_FASTER = [[0.0, SLOWER], [0.25, "#d79a80"], [0.5, "#f1ede4"], [0.75, "#96b5dc"], [1.0, FASTER]]


def plain_text(text: str, most: int = 80) -> str:
    """A text from a file, a link or a visitor as a figure shows it: plotly reads a little HTML, which it may not be.

    >>> plain_text("<b>bold</b> & more"), plain_text("a long label", 6)
    ('&lt;b>bold&lt;/b> &amp; more', 'a long…')
    """
    short = text if len(text) <= most else text[:most] + "…"
    return short.replace("&", "&amp;").replace("<", "&lt;")


def faded(colour: str, opacity: float) -> str:
    """A hex colour with an opacity, as CSS.

    >>> faded("#000000", 0.5)
    'rgba(0,0,0,0.5)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def line(x: Any, y: Any, name: str, colour: str, **more: Any) -> Figure:
    """A line trace; `width`, `dash` and `opacity` go to the line, anything else to the trace."""
    stroke = {"color": colour, "width": more.pop("width", 2.5)}
    if "dash" in more:
        stroke["dash"] = more.pop("dash")
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": stroke, **more}


def band(x: Any, low: Any, high: Any, name: str, colour: str) -> Figure:
    """A filled band between two curves, as one closed outline."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.concatenate((x, x[::-1])),
        "y": np.concatenate((low, high[::-1])),
        "fill": "toself",
        "fillcolor": faded(colour, 0.18),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "name": name,
    }


def points(x: Any, y: Any, name: str, colour: str, **more: Any) -> Figure:
    """Markers, with text beside them where `text` is given; `symbol` and `size` go to the marker."""
    marker: Figure = {"color": colour, "size": more.pop("size", 11), "symbol": more.pop("symbol", "circle")}
    marker["line"] = more.pop("outline", {"width": 0})
    mode = "markers+text" if "text" in more else "markers"
    return {"type": "scatter", "mode": mode, "x": x, "y": y, "name": name, "marker": marker, **more}


def bars(x: Any, y: Any, name: str, colour: str, **more: Any) -> Figure:
    """Bars of one colour, or of a list of colours."""
    return {"type": "bar", "x": x, "y": y, "name": name, "marker": {"color": colour}, **more}


def layout(x_title: str, y_title: str, **more: Any) -> Figure:
    """The shared layout: axis titles, a legend above the plot, room for labels, zoom kept between updates."""
    x_axis = {"title": {"text": x_title}, "automargin": True, **more.pop("xaxis", {})}
    y_axis = {"title": {"text": y_title}, "automargin": True, **more.pop("yaxis", {})}
    return {
        "xaxis": x_axis,
        "yaxis": y_axis,
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}, "itemwidth": 30},
        "hovermode": "closest",
        "font": {"size": 13},
        "uirevision": "keep",
        "bargap": 0.25,
        **more,
    }


def up_to(highest: float) -> Figure:
    """A y axis from 0, cut off at `highest`: not as a range, which would undo a visitor's zoom when it changes."""
    return {"autorange": True, "rangemode": "tozero", "autorangeoptions": {"clipmin": 0, "clipmax": highest}}


def on_line(x: float, y: float, text: str, colour: str, **more: Any) -> Figure:
    """A small text on a line of the figure, instead of a legend entry."""
    place = {"xanchor": "right", "yanchor": "bottom", "showarrow": False, **more}
    return {"x": x, "y": y, "text": text, "font": {"color": colour, "size": 12}, **place}


def label(x: float, y: float, text: str, colour: str, side: str = "top left") -> Figure:
    """The same as a trace of one text: plotly redraws that in less time than an annotation."""
    font = {"color": colour, "size": 12}
    return {
        "type": "scatter",
        "mode": "text",
        "name": "",
        "x": [x],
        "y": [y],
        "text": [text],
        "textposition": side,
        "textfont": font,
        "showlegend": False,
        "hoverinfo": "skip",
        "cliponaxis": False,
    }


def title_of(declared: Quantity, translate: Translate) -> str:
    """An axis title: the label of a declared quantity and its symbol."""
    return f"{translate(declared.label)} {declared.symbol}"


def ring(x: Any, y: Any, name: str, colour: str, **more: Any) -> Figure:
    """Empty circles around what other traces draw; `width` goes to the outline."""
    return points(x, y, name, "rgba(0,0,0,0)", outline={"width": more.pop("width", 2), "color": colour}, **more)


def spot(x: Any, y: Any, name: str, **more: Any) -> Figure:
    """Where the page stands now: a point of the current scenario with a white edge."""
    return points(x, y, name, SPECULATION, outline={"width": 2.5, "color": "#ffffff"}, **more)


def pinned(x: Any, y: Any, name: str, **more: Any) -> Figure:
    """The same curve for the pinned scenario, as a ghost."""
    return line(x, y, name, faded(BASELINE, 0.8), width=2, dash="dashdot", **more)


def even(x: Any, level: float = 1) -> Figure:
    """The line on which speculation and plain decoding take the same time; its text stands in the figure."""
    return line(x, [level, level], "", BASELINE, width=1.5, dash="dash", hoverinfo="skip", showlegend=False)


def errors(values: Any, lows: Any, highs: Any, colour: str, *, thickness: float = 1.5, width: int = 4) -> Figure:
    """Error bars from the ends of intervals; an end that is not known has none."""
    ends = list(zip(values, lows, highs, strict=True))
    return {
        "type": "data",
        "array": [high - value if high is not None else 0.0 for value, _, high in ends],
        "arrayminus": [value - low if low is not None else 0.0 for value, low, _ in ends],
        "color": colour,
        "thickness": thickness,
        "width": width,
    }


def with_unit(label: str, unit: str) -> str:
    """An axis title: the label and, where there is one, the unit.

    >>> with_unit("Time", "s")
    'Time (s)'
    """
    return f"{label} ({unit})" if unit else label


def enlarged(figure: Figure, by: float) -> Figure:
    """The figure with larger type, for in front of a class.

    >>> enlarged({"data": [], "layout": {"font": {"color": "red"}}}, 2)["layout"]["font"]
    {'color': 'red', 'size': 26}
    """
    layout, size = {**figure["layout"]}, round(13 * by)
    layout["font"] = {**layout.get("font", {}), "size": size}
    for name, each in layout.items():
        if name == "legend":
            layout[name] = {**each, "font": {"size": size}}
        elif name.startswith(("xaxis", "yaxis")):
            title = {**each.get("title", {}), "font": {"size": size}}
            layout[name] = {**each, "tickfont": {"size": size}, "title": title}
    notes = [{**each, "font": {**each.get("font", {}), "size": size}} for each in layout.get("annotations", ())]
    return {**figure, "layout": {**layout, "annotations": notes} if notes else layout}
