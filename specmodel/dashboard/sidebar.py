"""The sidebar: language, scenarios to start from, the sliders, comparing, and the link. Drawn once, by the frame."""

import streamlit as st

from specmodel.dashboard import share as link_control
from specmodel.dashboard import state
from specmodel.dashboard.language import LANGUAGES, Translator
from specmodel.dashboard.plotly_js import wanted
from specmodel.dashboard.slider import LABELS, Fold, SliderSpec, slider_panel
from specmodel.messages import N_
from specmodel.params import Param, declarations
from specmodel.presets import PRESETS
from specmodel.scenario import Scenario

Translate = Translator
MAIN = ("alpha", "num_speculative_tokens", "target_ms", "draft_ms", "vocabulary_overlap", "output_tokens")
MORE = ("verify_ms_per_token", "overhead_ms")
SLIDER_TEXTS = (
    N_("Help: {label}"),
    N_("{label}, exact value"),
    N_("{label}: “{text}” is not a number from {low} to {high}."),
    N_("{label}: “{text}” is not a whole number from {low} to {high}."),
    N_("{label}: “{text}” is not a number of at least {low}."),
    N_("{label}: “{text}” is not a whole number of at least {low}."),
)


def draw(page: str, translate: Translate, *, with_scenario: bool) -> None:
    """The whole sidebar, beside a page that has run: the link holds the options that the page has set."""
    with st.sidebar:
        if with_scenario:
            _presets(translate)
            _sliders(translate)
            _shape(translate)
            _compare(translate)
        link_control.share_link(state.query(), page, translate)
        _language(translate)


def _presets(translate: Translate) -> None:
    label = translate("Start from an example")
    with st.popover(label, width="stretch", key="presets", on_change="rerun") as examples:
        for preset in PRESETS if wanted(examples) else ():
            st.button(
                translate(preset.label),
                key=f"preset:{preset.key}",
                on_click=state.start_from,
                args=(preset.scenario,),
                width="stretch",
                help=translate(preset.shows),
            )


def _sliders(translate: Translate) -> None:
    scenario, declared = state.scenario(), declarations(Scenario)
    slider_panel(
        [_slider(declared[name], getattr(scenario, name), translate) for name in (*MAIN, *MORE)],
        key="scenario",
        on_change=lambda name, value, final: state.change(**{name: value}),
        labels={key: translate(text) for key, text in LABELS.items()},
        more=Fold(translate("More costs of a round"), MORE, open=any(getattr(scenario, name) for name in MORE)),
    )


def _shape(translate: Translate) -> None:
    """What a measurement said about later positions, and the way back to one α for all."""
    scenario = state.scenario()
    if not scenario.acceptance_shape:
        return
    declared = declarations(Scenario)["acceptance_shape"]
    shown = declared.show(scenario.acceptance_shape, translate)
    st.caption(
        translate("α by position, as measured: × {factors}").format(factors=shown), help=translate(declared.help)
    )
    label = translate("One α for every position")
    st.button(label, key="one_alpha", on_click=_one_alpha, width="stretch")


def _one_alpha() -> None:
    """One α for every position that leaves the tokens per round as they are."""
    state.start_from(state.scenario().with_one_alpha())


def _slider(declared: Param, value: float, translate: Translate) -> SliderSpec:
    low, high, step = declared.slider
    return SliderSpec(
        key=declared.name,
        label=f"{translate(declared.label)} {declared.letter}".strip(),
        value=value,
        low=low,
        high=high,
        step=step,
        decimals=0 if declared.integer else 2,
        hard_low=declared.low,
        hard_high=declared.high,
        unit=declared.unit_in(translate),
        help=translate(declared.help),
    )


def _compare(translate: Translate) -> None:
    kept = state.pinned()
    if kept is None:
        note = translate("Keep this scenario in every figure as a ghost and compare the numbers with it.")
        pin = translate("Pin to compare")
        st.button(pin, key="pin", on_click=state.pin, args=(state.scenario(),), width="stretch", help=note)
        return
    differs = [
        f"{declared.letter or translate(declared.label)} {declared.show(getattr(kept, name), translate)}"
        for name, declared in declarations(Scenario).items()
        if getattr(kept, name) != getattr(state.scenario(), name)
    ]
    values = translate.listed(differs) if differs else translate("the same as now")
    st.caption(translate("Pinned: {values}").format(values=values))
    with st.container(horizontal=True):
        st.button(translate("Back to it"), key="restore", on_click=state.start_from, args=(kept,), width="stretch")
        st.button(translate("Unpin"), key="unpin", on_click=state.pin, args=(None,), width="stretch")


def _language(translate: Translate) -> None:
    st.segmented_control(
        "Language / 言語",
        list(LANGUAGES),
        default=translate.language,
        format_func=LANGUAGES.__getitem__,
        key="language_control",
        label_visibility="collapsed",
        required=True,
        on_change=lambda: state.set_option("lang", st.session_state["language_control"]),
    )
