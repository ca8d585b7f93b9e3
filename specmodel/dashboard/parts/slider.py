"""Sliders that speak while they are dragged, each with a box for an exact value: `st.slider` is silent until release.

All of them are one element, because each element costs every run a message and some work of the browser. Python holds
the truth: the caller keeps the values in its own session state, passes them in, and hears of changes by a callback.
The browser sends one value at a time and waits for its echo (`ack`), so a slow server is never flooded.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from specmodel.dashboard.parts.assets import element

LABELS = {
    "help": "Help: {label}",
    "exact": "{label}, exact value",
    "refused": "{label}: “{text}” is not a number from {low} to {high}.",
    "refused_whole": "{label}: “{text}” is not a whole number from {low} to {high}.",
    "refused_at_least": "{label}: “{text}” is not a number of at least {low}.",
    "refused_whole_at_least": "{label}: “{text}” is not a whole number of at least {low}.",
}
"""Every text that the element itself shows, in English; a caller passes a translated copy as `labels`."""

SLIDER_PX = 62


@dataclass(frozen=True)
class SliderSpec:
    """One slider at its current value.

    `low..high` is the track; [hard_low, hard_high] is what may be typed (the track stretches to a typed value outside
    it). `decimals=0` means whole numbers only. `stops`, rising values, take the place of `low`, `high` and `step`: the
    thumb moves over them in even steps, whatever lies between them.
    """

    key: str
    label: str
    value: float
    low: float
    high: float
    step: float
    decimals: int
    hard_low: float
    hard_high: float
    unit: str = ""
    help: str = ""
    stops: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        rising = list(self.stops) == sorted(set(self.stops))
        if not rising or any(self.accepted(stop) is None for stop in self.stops):
            raise ValueError(f"{self.key}: the stops {self.stops} are not rising values of its domain")

    def accepted(self, value: Any) -> float | None:
        """The value if it is a number inside the domain, else None: what a browser sends is never trusted.

        >>> slider = SliderSpec("k", "Draft tokens", 4, 0, 16, 1, 0, 0, 64)
        >>> slider.accepted(7.0), slider.accepted(7.5), slider.accepted("7"), slider.accepted(65)
        (7, None, None, None)
        """
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not self.hard_low <= value <= self.hard_high
        ):
            return None
        if self.decimals == 0:
            return int(value) if value == int(value) else None
        return float(value)


@dataclass(frozen=True)
class Fold:
    """The sliders that stand in a group which can be folded, and whether it is to be open."""

    label: str
    keys: Collection[str]
    open: bool = False


def slider_panel(
    sliders: Sequence[SliderSpec],
    *,
    key: str,
    on_change: Callable[[str, float, bool], None],
    labels: Mapping[str, str] | None = None,
    more: Fold | None = None,
) -> None:
    """Draw the sliders; `on_change(key of the slider, new value, final)` runs before the script reruns.

    `final` is False while the thumb is dragged or an arrow key is held, and True for the value that was settled on.
    """
    name = f"sliders:{key}"
    ack = f"{name}:ack"
    known = {slider.key: slider for slider in sliders}

    def moved() -> None:
        event = st.session_state[name]["moved"]
        st.session_state[ack] = event.get("id")
        slider = known.get(event.get("key"))
        number = slider.accepted(event.get("value")) if slider else None
        if slider and number is not None:
            on_change(slider.key, number, bool(event.get("final")))

    texts = {**LABELS, **(labels or {})}
    folded = more.keys if more else ()
    data = {
        "sliders": [_data(slider, texts) | {"more": slider.key in folded} for slider in sliders],
        "more": more and {"label": more.label, "open": more.open},
        "ack": st.session_state.get(ack),
    }
    html = f'<div class="slider-panel" style="min-height:{SLIDER_PX * (len(sliders) - len(folded))}px"></div>'
    element("slider_panel", html, isolate_styles=True, styles=("tip", "slider"))(
        key=name, data=data, on_moved_change=moved
    )


def _data(slider: SliderSpec, texts: Mapping[str, str]) -> dict[str, Any]:
    track = slider.stops or (slider.low, slider.high)
    return {
        "key": slider.key,
        "label": slider.label,
        "unit": slider.unit,
        "help": slider.help,
        "value": slider.value,
        "low": track[0],
        "high": track[-1],
        "step": slider.step,
        "stops": slider.stops,
        "decimals": slider.decimals,
        "hardLow": _finite(slider.hard_low),
        "hardHigh": _finite(slider.hard_high),
        "refused": _refusal(texts, slider),
        "helpLabel": texts["help"].format(label=slider.label),
        "exactLabel": texts["exact"].format(label=slider.label),
    }


def _refusal(texts: Mapping[str, str], slider: SliderSpec) -> str:
    """The message for a refused text; {text} stays in it for the browser to fill in."""
    kind = ("refused_whole" if slider.decimals == 0 else "refused") + ("_at_least" * math.isinf(slider.hard_high))
    low, high = f"{slider.hard_low:,.10g}", f"{slider.hard_high:,.10g}"
    return texts[kind].format(label=slider.label, low=low, high=high, text="{text}")


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
