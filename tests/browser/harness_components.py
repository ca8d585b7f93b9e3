"""The elements of the dashboard alone: sliders, a preset, two charts and two pages. See test_components.py.

The address can slow the page down (?slow=0.2) as a heavy simulation would. `runs` counts runs that were not stopped.
"""

import time

import numpy as np
import streamlit as st

from specmodel.base.params import Param
from specmodel.dashboard.parts.answer import Card, Cards, Chart
from specmodel.dashboard.parts.blocks import blocks
from specmodel.dashboard.parts.chart import chart
from specmodel.dashboard.parts.slider import Fold, Slider, slider_panel

CONTEXTS = tuple(sorted(start * 2**power for start in (128, 192) for power in range(11)))[:-1]
"""128, 192, 256, 384 ... 131,072 tokens: twenty even steps of a geometric track."""

state = st.session_state
for name, default in {
    "alpha": 0.6,
    "draft_ms": 3.0,
    "context": int(st.query_params.get("context", 2048)),
    "overhead": float(st.query_params.get("overhead", 0)),
    "heard": [],
    "runs": 0,
    "finals": 0,
}.items():
    state.setdefault(name, default)


def heard(name: str, value: float, final: bool) -> None:
    """What the sidebar will do: keep the value, and write the address only when it is final."""
    state[name] = value
    state.heard.append((name, value, final))
    if final:
        state.finals += 1
        st.query_params[name] = f"{value:g}"


def preset() -> None:
    state.alpha, state.draft_ms, state.context = 0.85, 1.5, 4096


def sidebar() -> None:
    chance = "The chance that a draft is accepted, given that all the drafts before it were."
    declared = {
        "alpha": Param("alpha", "Acceptance alpha", chance, high=1, slider=(0, 0.95, 0.01)),
        "draft_ms": Param("draft_ms", "Draft step", "", unit="ms", high=10_000, slider=(0, 10, 0.1)),
        "context": Param("context", "Context", "", unit="tokens", low=1, high=1_000_000, stops=CONTEXTS, integer=True),
        "overhead": Param("overhead", "Overhead", "", unit="ms", slider=(0, 10, 0.1)),
    }
    sliders = [Slider(key, each, state[key]) for key, each in declared.items()]
    with st.sidebar:
        slider_panel(
            sliders, key="harness", on_change=heard, more=Fold("More costs", ["overhead"], open=state.overhead > 0)
        )
        st.button("Preset", on_click=preset)


def figure(alpha: float, draft_ms: float, title: str) -> dict[str, object]:
    drafts = np.arange(0, 200) / 10
    curves = {f"Target {target} ms": target for target in (10, 22, 40, 80)}
    speedup = {
        name: (1 - alpha ** (drafts + 1)) / (1 - alpha) / (1 + drafts * draft_ms / target)
        for name, target in curves.items()
    }
    colours = ["#3b82c4", "#d9822b", "#3a9d6e", "#b86bb8"]
    data = [
        {"type": "scatter", "mode": "lines", "name": name, "x": drafts, "y": y, "line": {"color": colour, "width": 2}}
        for (name, y), colour in zip(speedup.items(), colours, strict=True)
    ]
    axes = {"xaxis": {"title": {"text": "Draft tokens per round"}}, "yaxis": {"title": {"text": title}}}
    return {"data": data, "layout": axes | {"hovermode": "x unified"}}


CARDS = [
    Card("Speedup", "1.42×", "Time without ÷ time with speculation.", "pinned 1.54×"),
    Card("Time per output token", "15.52 ms", "Mean time between two tokens."),
    Card("Break-even acceptance α*", "0.408", "Where both take the same time."),
    Card("Wasted per token", "1.52 drafts", "Drafts thrown away."),
]


def charts_page() -> None:
    st.title("Charts")
    blocks({"cards": Cards(tuple(CARDS))}, key="harness")
    st.text(f"alpha={state.alpha:g} draft_ms={state.draft_ms:g}")
    st.text(f"context={state.context}")
    time.sleep(float(st.query_params.get("slow", 0)))
    for name in ("first", "second"):
        chart(
            Chart(
                figure(state.alpha, state.draft_ms, "Speedup (×)"), "",
                f"The {name} chart: speedup against draft tokens", 360,
            ),
            key=name, filename=f"speedup-{name}", caption=f"alpha {state.alpha}",
        )  # fmt: skip
    state.runs += 1
    live, final = len(state.heard) - state.finals, state.finals
    st.text(f"runs={state.runs} live={live} final={final} last={state.heard[-1:]}")


def other_page() -> None:
    st.title("Other")
    st.text(f"alpha={state.alpha:g} draft_ms={state.draft_ms:g}")


st.set_page_config(layout="wide")
page = st.navigation([st.Page(charts_page, default=True), st.Page(other_page, url_path="other")])
sidebar()
page.run()
