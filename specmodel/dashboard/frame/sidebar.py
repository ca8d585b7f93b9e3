"""The sidebar: language, scenarios to start from, the sliders, comparing, and the link. Drawn once, by the frame."""

from collections.abc import Mapping

import streamlit as st

from specmodel.base.params import Declared, declarations
from specmodel.dashboard.frame import share as link_control
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.entries import help_text
from specmodel.dashboard.parts.live import live_panel
from specmodel.dashboard.parts.slider import Fold, Slider, slider_panel
from specmodel.dashboard.parts.way import shape_words
from specmodel.dashboard.session import state
from specmodel.dashboard.session.chosen import Chosen, write_link
from specmodel.dashboard.session.declaration import Panel
from specmodel.dashboard.session.pages import options, pages
from specmodel.dashboard.session.translation import LANGUAGES, Translator
from specmodel.model.presets import Preset
from specmodel.model.scenario import Scenario
from specmodel.serving.presets import LoadPreset


def draw(page: str, translate: Translator) -> None:
    """The whole sidebar, beside a page that has run: the link holds the options that the page has set."""
    chosen = state.chosen()
    query, panel = write_link(chosen), pages()[page].panel(chosen.options)
    with st.sidebar:
        if panel is not None:
            if panel.presets:
                _presets(panel, translate)
            _sliders(page, panel, query, translate)
            if (Scenario, "alpha") in panel.main:
                _shape(chosen, translate)
                _compare(translate)
                if state.pinned() and any(kind is not Scenario for kind, _ in (*panel.main, *panel.more)):
                    st.caption(
                        translate("Load, model and accelerators are not pinned: both are compared at those of now.")
                    )
        link_control.share_link(query, page, translate)
        _language(translate)


def _presets(panel: Panel, translate: Translator) -> None:
    label = translate("Start from an example")
    with st.popover(label, width="stretch", key="presets", on_change="rerun") as examples:
        for preset in panel.presets if wanted(examples) else ():
            st.button(
                translate(preset.label),
                key=f"preset:{preset.key}",
                on_click=_start,
                args=(preset,),
                width="stretch",
                help=translate(preset.shows),
            )


def _start(preset: Preset | LoadPreset) -> None:
    """Take over a whole scenario, or a whole load with its model, accelerator and choices."""
    if isinstance(preset, Preset):
        state.start_from(preset.scenario)
        return
    state.start_from(preset.of(state.scenario()))
    for values in preset.groups:
        state.set_group(values)
    for key in ("cost", "llm", "gpu", "runs", "prec", "passes", "sizes", "drafting", "load_by"):
        state.set_option(key, preset.options.get(key, options()[key].default))


def _sliders(page: str, panel: Panel, query: Mapping[str, str], translate: Translator) -> None:
    fields = {f"{kind.__name__}.{name}": (kind, name) for kind, name in (*panel.main, *panel.more)}
    values = {kind: _values(kind) for kind, _ in fields.values()}
    sliders = [
        Slider(key, declarations(kind)[name], getattr(values[kind], name)) for key, (kind, name) in fields.items()
    ]
    folded = {f"{kind.__name__}.{name}" for kind, name in panel.more}

    def changed(key: str, value: float, final: bool) -> None:
        kind, name = fields[key]
        state.change(kind, **{name: value})

    differs = [getattr(values[kind], name) != declarations(kind)[name].default for kind, name in panel.more]
    slider_panel(
        sliders,
        key=panel.key,
        on_change=changed,
        translate=translate,
        more=Fold(translate(panel.more_label), folded, open=any(differs)) if folded else None,
        live=live_panel(page, fields, query, translate),
    )


def _values(kind: type[Declared]) -> Declared:
    return state.scenario() if kind is Scenario else state.group(kind)


def _shape(chosen: Chosen, translate: Translator) -> None:
    """What is known about later positions, and the way back to one α for all."""
    if not chosen.scenario.acceptance_shape:
        return
    declared = declarations(Scenario)["acceptance_shape"]
    st.caption(shape_words(chosen, translate), help=help_text(declared, translate))
    label = translate("One α for every position")
    st.button(label, key="one_alpha", on_click=_one_alpha, width="stretch")


def _one_alpha() -> None:
    """One α for every position that leaves the tokens per round as they are."""
    state.start_from(state.scenario().with_one_alpha())


def _compare(translate: Translator) -> None:
    kept = state.pinned()
    if kept is None:
        note = translate("Keep this scenario in every figure as a ghost and compare the numbers with it.")
        pin = translate("Pin to compare")
        st.button(pin, key="pin", on_click=_pin, width="stretch", help=note)
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


def _pin() -> None:
    """Pin what the sliders say when the button is heard of, which may be later than the run that drew it."""
    state.pin(state.scenario())


def _language(translate: Translator) -> None:
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
