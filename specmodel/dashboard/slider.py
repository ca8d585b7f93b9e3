"""A slider that speaks while it is dragged, with a box to type an exact value: `st.slider` sends nothing until release.

Python holds the truth: the caller keeps the value in its own session state, passes it in, and hears of changes by a
callback. The browser sends one value at a time and waits for its echo (`ack`), so a slow server is never flooded.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from specmodel.dashboard.plotly_js import element

LABELS = {
    "help": "Help: {label}",
    "exact": "{label}, exact value",
    "refused": "{label}: “{text}” is not a number from {low} to {high}.",
    "refused_whole": "{label}: “{text}” is not a whole number from {low} to {high}.",
    "refused_at_least": "{label}: “{text}” is not a number of at least {low}.",
    "refused_whole_at_least": "{label}: “{text}” is not a whole number of at least {low}.",
}
"""Every text that the element itself shows, in English; a caller passes a translated copy as `labels`."""

HTML = '<div class="live-slider" style="min-height:52px"></div>'


def live_slider(
    label: str,
    *,
    key: str,
    value: float,
    low: float,
    high: float,
    step: float,
    decimals: int,
    hard_low: float,
    hard_high: float,
    on_change: Callable[[float, bool], None],
    unit: str = "",
    help: str = "",
    labels: Mapping[str, str] | None = None,
) -> float:
    """Draw the slider at `value` and return it; `on_change(new_value, final)` runs before the script reruns.

    `final` is False while the thumb is dragged or an arrow key is held, and True for the value that was settled on:
    write the address of the page only then. `low..high` is the track; [hard_low, hard_high] is what may be typed
    (the track stretches to a typed value outside it). `decimals=0` means whole numbers only.
    """
    name = f"slider:{key}"
    ack = f"{name}:ack"

    def moved() -> None:
        event = st.session_state[name]["moved"]
        st.session_state[ack] = event["id"]
        number = accepted(event.get("value"), hard_low, hard_high, whole=decimals == 0)
        if number is not None:
            on_change(number, bool(event.get("final")))

    texts = {**LABELS, **(labels or {})}
    data = {
        "label": label,
        "unit": unit,
        "help": help,
        "value": value,
        "low": low,
        "high": high,
        "step": step,
        "decimals": decimals,
        "hardLow": _finite(hard_low),
        "hardHigh": _finite(hard_high),
        "refused": _refusal(texts, label, hard_low, hard_high, decimals == 0),
        "helpLabel": texts["help"].format(label=label),
        "exactLabel": texts["exact"].format(label=label),
        "ack": st.session_state.get(ack),
    }
    element("slider", HTML, isolate_styles=True)(key=name, data=data, on_moved_change=moved)
    return value


def accepted(value: Any, low: float, high: float, *, whole: bool) -> float | None:
    """The value if it is a number inside the domain, else None: what a browser sends is never trusted.

    >>> accepted(0.7, 0, 1, whole=False), accepted(7.0, 0, 9, whole=True), accepted("7", 0, 9, whole=True)
    (0.7, 7, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        return None
    if whole:
        return int(value) if value == int(value) else None
    return float(value)


def _refusal(texts: Mapping[str, str], label: str, low: float, high: float, whole: bool) -> str:
    """The message for a refused text; {text} stays in it for the browser to fill in."""
    kind = ("refused_whole" if whole else "refused") + ("_at_least" if math.isinf(high) else "")
    return texts[kind].format(label=label, low=f"{low:,g}", high=f"{high:,g}", text="{text}")


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
