"""What the browser's elements are told of a part of an answer: the one function that makes it for pages and for the
live channel, so that the two cannot differ. No Streamlit."""

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from specmodel.base.messages import N_
from specmodel.dashboard.parts import answer as parts
from specmodel.dashboard.parts.answer import Card, Part
from specmodel.dashboard.parts.entries import LINK, entry_link
from specmodel.figures.style import enlarged

BLOCKS = (parts.Said, parts.Cards, parts.Note, parts.Text, parts.Notice)
"""The kinds of parts that stand together in one element."""
COLOURS = {
    "pays": "success",
    "does_not_pay": "error",
    "too_close": "warning",
    "off": "info",
    "does_not_fit": "error",
    "saturated": "error",
    "prefill_bound": "error",
    "only_with": "success",
    "extrapolated": "warning",
    "not_comparable": "warning",
    "says": "info",
    "info": "info",
    "warning": "warning",
    "error": "error",
    "success": "success",
}
"""What is said, by its kind -> the box that it stands in."""
HELP = N_("Help: {label}")
SHORT = 24
Translate = Callable[[str], str]


def element_data(part: Part, translate: Translate, larger: float = 1.0) -> dict[str, Any] | None:
    """What the browser draws of a part: of a chart its figure, of text and numbers what stands there.

    None for a part that Streamlit draws (tables, code). `larger` makes the type of figures larger.

    >>> element_data(parts.Said("pays", "Yes.", "It pays."), str)
    {'kind': 'success', 'text': '**Yes.** It pays.'}
    >>> element_data(parts.Code("k = 2"), str) is None
    True
    """
    if isinstance(part, parts.Chart):
        figure = part.figure if larger == 1 else enlarged(part.figure, larger)
        return {"figure": plain(figure), "title": part.title, "alt": part.alt, "height": part.height}
    if isinstance(part, parts.Cards):
        return {"kind": "cards", "cards": [_card(each, translate) for each in part.cards]}
    if isinstance(part, parts.Said):
        return {"kind": COLOURS[part.kind], "text": said_text(part)}
    if isinstance(part, parts.Notice):
        return {"kind": COLOURS[part.kind], "text": part.markdown}
    if isinstance(part, parts.Note):
        return {"kind": "note", "text": part.text}
    if isinstance(part, parts.Text):
        return {"kind": "text", "text": part.markdown}
    return None


def said_text(part: parts.Said) -> str:
    """What is said as Markdown, its headline in bold type where a reason follows.

    >>> said_text(parts.Said("says", "Two."))
    'Two.'
    """
    return f"**{part.headline}** {part.reason}" if part.reason else part.headline  # markdown wants the space


def _card(card: Card, translate: Translate) -> dict[str, str]:
    return {
        "label": card.label,
        "value": card.value,
        "help": card.help,
        "pinned": card.below,
        "helpLabel": translate(HELP).format(label=card.label),
        "entry": entry_link(card.entry, translate) if card.entry else "",
        "entryLabel": translate(LINK),
    }


def plain(figure: Mapping[str, Any] | Any) -> dict[str, Any]:
    """The figure as small JSON-able data: arrays as base64 float32, missing numbers as null, no template.

    >>> plain({"data": [{"y": [1.0, float("nan")]}], "layout": {"template": "plotly"}})
    {'data': [{'y': [1.0, None]}], 'layout': {}}
    """
    whole = figure if isinstance(figure, Mapping) else figure.to_dict()
    layout = {name: value for name, value in whole.get("layout", {}).items() if name != "template"}
    return {"data": _plain(whole.get("data", [])), "layout": _plain(layout)}


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is dict:
        return {name: _plain(item) for name, item in value.items()}
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _array(value)
    return _unusual(value)


def _unusual(value: Any) -> Any:
    """What figures seldom hold: numbers of numpy, subclasses, other collections, parts of a plotly figure."""
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return _plain(float(value))
    if isinstance(value, Mapping):
        return _plain(dict(value))
    if isinstance(value, list | tuple):
        return _plain(list(value))
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
