"""The sidebar: language, scenarios to start from, the sliders, comparing, and the link. Drawn once, by the frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Declared, Param, declarations
from specmodel.dashboard.frame import share as link_control
from specmodel.dashboard.lesson.values import DriftLesson, ExactnessLesson, LessonSeed, TextLesson
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.slider import LABELS, Fold, SliderSpec, slider_panel
from specmodel.dashboard.session import state
from specmodel.dashboard.session.options import OPTIONS
from specmodel.dashboard.session.translation import LANGUAGES, Translator
from specmodel.drift.adaptation import Adaptation
from specmodel.model.presets import PRESETS, Preset
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Drafter, Load
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.presets import LOAD_PRESETS, LoadPreset

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
Field = tuple[type[Declared], str]


@dataclass(frozen=True)
class Panel:
    """The sliders beside a page: those always shown, and those in a group that can be folded."""

    key: str
    main: tuple[Field, ...]
    more: tuple[Field, ...]
    more_label: str


def _of(kind: type[Declared], *names: str) -> tuple[Field, ...]:
    return tuple((kind, name) for name in names)


EXPLORE = Panel("scenario", _of(Scenario, *MAIN), _of(Scenario, *MORE), N_("More costs of a round"))
METHODS = Panel(
    "methods",
    _of(Load, "batch_size", "context_tokens"),
    _of(Scenario, "overhead_ms"),
    N_("More costs of a round"),
)


def _serving() -> Panel:
    """The sliders of the Serving load page: measured passes tell of no memory, and some tables bring their drafter."""
    table = pass_tables().get(str(state.option("passes")))
    points = state.option("cost") == "points"
    drafts = not (points and table is not None and table.drafter)
    return Panel(
        "serving",
        (
            *_of(Load, "batch_size", "context_tokens"),
            *_of(Scenario, "alpha", "num_speculative_tokens"),
            *_of(Drafter, *(["draft_cost_ratio"] if drafts else [])),
            *_of(Load, "request_rate"),
            *_of(Scenario, "output_tokens"),
        ),
        (
            *_of(Scenario, "vocabulary_overlap", "overhead_ms"),
            *_of(Drafter, *(["draft_step_ms"] if drafts else [])),
            *_of(Drafter, *([] if points else ["weights_billions", "cache_bytes_per_token"])),
            *_of(Load, "prefill_ms", "max_sequences", "standing_cost", "tolerance", "price_per_hour"),
        ),
        N_("Engine, drafter and price"),
    )


LESSONS = {
    "exactness": Panel(
        "exactness",
        _of(ExactnessLesson, "skill", "target_temperature", "draft_temperature", "vocabulary_size", "seed"),
        _of(
            ExactnessLesson,
            *("unknown_tokens", "top_k", "top_p", "lenience", "told_temperature", "typical_threshold", "draws"),
        ),
        N_("More to change"),
    ),
    "live_text": Panel(
        "live_text",
        (
            *_of(TextLesson, "num_speculative_tokens", "temperature", "draft_order", "max_tokens"),
            *_of(LessonSeed, "lesson_seed"),
        ),
        (),
        "",
    ),
    "drift": Panel(
        "drift",
        (
            *_of(Scenario, "num_speculative_tokens", "target_ms", "draft_ms"),
            *_of(DriftLesson, "switching_ms"),
            *_of(LessonSeed, "lesson_seed"),
        ),
        (
            *_of(Scenario, "verify_ms_per_token", "overhead_ms"),
            *_of(DriftLesson, "spread"),
            *_of(Adaptation, "learning_rate", "gain", "training_share", "training_ms"),
        ),
        N_("Costs, requests and learning"),
    ),
}

PANELS: Mapping[str, Panel | None] = {"methods": METHODS, "engine": None, **LESSONS}
"""Pages with other controls than the scenario; None for a page that has only its own."""


def _panel(page: str) -> Panel | None:
    """The sliders beside a page."""
    if page == "serving":
        return _serving()
    panel = PANELS.get(page, EXPLORE)
    if page == "live_text" and panel is not None and state.option("textdraft") == "lookup":
        return replace(panel, key="live-lookup", main=tuple(each for each in panel.main if each[1] != "draft_order"))
    if page == "exactness" and panel is not None and state.option("dists") != "sliders":
        made_up = ("skill", "vocabulary_size")
        return replace(panel, key="exactness-given", main=tuple(each for each in panel.main if each[1] not in made_up))
    return panel


def draw(page: str, translate: Translate) -> None:
    """The whole sidebar, beside a page that has run: the link holds the options that the page has set."""
    panel = _panel(page)
    with st.sidebar:
        if panel is not None:
            if panel.key in EXAMPLES:
                _presets(panel.key, translate)
            _sliders(panel, translate)
            if (Scenario, "alpha") in panel.main:
                _shape(translate)
                _compare(translate)
        link_control.share_link(state.query(), page, translate)
        _language(translate)


EXAMPLES: Mapping[str, Sequence[Preset] | Sequence[LoadPreset]] = {"scenario": PRESETS, "serving": LOAD_PRESETS}


def _presets(panel: str, translate: Translate) -> None:
    label = translate("Start from an example")
    with st.popover(label, width="stretch", key="presets", on_change="rerun") as examples:
        for preset in EXAMPLES[panel] if wanted(examples) else ():
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
    for key in ("cost", "llm", "gpu", "passes", "sizes", "drafting"):
        state.set_option(key, preset.options.get(key, OPTIONS[key].default))


def _sliders(panel: Panel, translate: Translate) -> None:
    fields = {f"{kind.__name__}.{name}": (kind, name) for kind, name in (*panel.main, *panel.more)}
    values = {kind: _values(kind) for kind, _ in fields.values()}
    sliders = [
        _slider(key, declarations(kind)[name], getattr(values[kind], name), translate)
        for key, (kind, name) in fields.items()
    ]
    folded = {f"{kind.__name__}.{name}" for kind, name in panel.more}

    def changed(key: str, value: float, final: bool) -> None:
        kind, name = fields[key]
        state.change(kind, **{name: value})

    differs = [getattr(values[kind], name) != declarations(kind)[name].default for kind, name in panel.more]
    slider_panel(
        sliders,
        key="-".join([panel.key, *fields]) if panel.key == "serving" else panel.key,
        on_change=changed,
        labels={key: translate(text) for key, text in LABELS.items()},
        more=Fold(translate(panel.more_label), folded, open=any(differs)) if folded else None,
    )


def _values(kind: type[Declared]) -> Declared:
    return state.scenario() if kind is Scenario else state.group(kind)


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


def _slider(key: str, declared: Param, value: float, translate: Translate) -> SliderSpec:
    low, high, step = declared.slider
    return SliderSpec(
        key=key,
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
        stops=declared.stops,
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
