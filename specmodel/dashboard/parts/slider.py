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

from specmodel.base.messages import N_
from specmodel.base.params import Param
from specmodel.dashboard.parts.assets import element
from specmodel.dashboard.parts.entries import LINK, entry_link, number_entry

HELP = N_("Help: {label}")
EXACT = N_("{label}, exact value")
# (whole numbers only, without an upper bound) -> what is said of a text that is refused
REFUSED = {
    (False, False): N_("{label}: “{text}” is not a number from {low} to {high}."),
    (True, False): N_("{label}: “{text}” is not a whole number from {low} to {high}."),
    (False, True): N_("{label}: “{text}” is not a number of at least {low}."),
    (True, True): N_("{label}: “{text}” is not a whole number of at least {low}."),
}
SLIDER_PX = 62
Translate = Callable[[str], str]


@dataclass(frozen=True)
class Slider:
    """A declared number at its current value.

    Its declaration's `slider` is the track; what may be typed is its domain (the track stretches to a typed value
    outside it). `stops`, rising values, take the place of the track: the thumb moves over them in even steps, whatever
    lies between them.
    """

    key: str
    declared: Param
    value: float

    def __post_init__(self) -> None:
        stops = self.declared.stops
        rising = list(stops) == sorted(set(stops))
        if not rising or any(self.accepted(stop) is None for stop in stops):
            raise ValueError(f"{self.key}: the stops {stops} are not rising values of its domain")

    def accepted(self, value: Any) -> float | None:
        """The value if it is a number inside the domain, else None: what a browser sends is never trusted.

        >>> slider = Slider("k", Param("k", "Draft tokens", "", low=0, high=64, integer=True), 4)
        >>> slider.accepted(7.0), slider.accepted(7.5), slider.accepted("7"), slider.accepted(65)
        (7, None, None, None)
        """
        low, high = self.declared.low, self.declared.high
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            return None
        if self.declared.integer:
            return int(value) if value == int(value) else None
        return float(value)

    def data(self, translate: Translate) -> dict[str, Any]:
        """What the browser is told of it."""
        declared, label = self.declared, self.label(translate)
        low, high, step = declared.slider or (declared.low, declared.high, 1)  # stops need no range of their own
        track = declared.stops or (low, high)
        return {
            "key": self.key,
            "label": label,
            "unit": declared.unit_in(translate),
            "help": translate(declared.help),
            "value": self.value,
            "low": track[0],
            "high": track[-1],
            "step": step,
            "stops": declared.stops,
            "decimals": 0 if declared.integer else 2,
            "hardLow": _finite(declared.low),
            "hardHigh": _finite(declared.high),
            "refused": self._refusal(translate),
            "helpLabel": translate(HELP).format(label=label),
            "entry": entry_link(number_entry(declared), translate),
            "entryLabel": translate(LINK),
            "exactLabel": translate(EXACT).format(label=label),
        }

    def label(self, translate: Translate) -> str:
        """Its name with its letter."""
        return f"{translate(self.declared.label)} {self.declared.letter}".strip()

    def _refusal(self, translate: Translate) -> str:
        """The message for a refused text; {text} stays in it for the browser to fill in."""
        declared = self.declared
        low, high = f"{declared.low:,.10g}", f"{declared.high:,.10g}"
        text = translate(REFUSED[declared.integer, math.isinf(declared.high)])
        return text.format(label=self.label(translate), low=low, high=high, text="{text}")


@dataclass(frozen=True)
class Fold:
    """The sliders that stand in a group which can be folded, and whether it is to be open."""

    label: str
    keys: Collection[str]
    open: bool = False


def slider_panel(
    sliders: Sequence[Slider],
    *,
    key: str,
    on_change: Callable[[str, float, bool], None],
    translate: Translate = str,
    more: Fold | None = None,
    live: Mapping[str, Any] | None = None,
) -> None:
    """Draw the sliders; `on_change(key of the slider, new value, final)` runs before the script reruns.

    `final` is False while the thumb is dragged or an arrow key is held, and True for the value that was settled on.
    `live` tells of the live channel: see `parts.live`.
    """
    name = f"sliders:{key}"
    ack = f"{name}:ack"
    by_key: Mapping[str, Slider] = {slider.key: slider for slider in sliders}

    def moved() -> None:
        event = st.session_state[name]["moved"]
        st.session_state[ack] = event.get("id")
        slider = by_key.get(event.get("key"))
        number = slider.accepted(event.get("value")) if slider else None
        if slider and number is not None:
            on_change(slider.key, number, bool(event.get("final")))

    folded = more.keys if more else ()
    data = {
        "sliders": [slider.data(translate) | {"more": slider.key in folded} for slider in sliders],
        "more": more and {"label": more.label, "open": more.open},
        "ack": st.session_state.get(ack),
        "live": live,
    }
    html = f'<div class="slider-panel" style="min-height:{SLIDER_PX * (len(sliders) - len(folded))}px"></div>'
    element("slider_panel", html, isolate_styles=True, styles=("tip", "slider"))(
        key=name, data=data, on_moved_change=moved
    )


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
