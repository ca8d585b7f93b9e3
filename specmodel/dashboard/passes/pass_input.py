"""Where the cost of a pass comes from: hardware and model, a fitted line, or measured points; and how it drafts."""

from collections.abc import Mapping

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Declared, declarations
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.number_boxes import number_fields
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.passes.pass_points import choose_table, points_source, uploaded_points
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session import state
from specmodel.serving.fit import fit_affine
from specmodel.serving.hardware import Accelerator, PresetRow, accelerators, target_models
from specmodel.serving.load import USUAL_RATIOS, Drafter
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.passes import AffinePass, Points
from specmodel.serving.roofline import RooflinePass, turning_tokens
from specmodel.serving.target_model import TargetModel

SOURCES = {
    "roofline": N_("Model and accelerator"),
    "fit": N_("Fitted line"),
    "points": N_("Measured passes"),
}
SHAPES = {
    "sequential": N_("one after another"),
    "parallel": N_("all in one pass"),
    "lookup": N_("lookup on the host"),
    "heads": N_("heads of the target"),
}


def pass_input(page: Page, *, drafting: bool = True) -> PassSource:
    """Draw the choice of a source and what belongs to it; the cost of a pass that it gives."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        select(page, "cost", _("Cost of a pass from"), list(SOURCES), lambda key: _(SOURCES[key]), width=200)
        if state.option("cost") == "points":
            choose_table(page)
        else:
            _choose_preset(page, "llm", _("Target model"), target_models())
            _choose_preset(page, "gpu", _("Accelerator"), accelerators())
            _count(page)
        if drafting:
            _drafting(page)
    with st.container(horizontal=True, vertical_alignment="center"):
        said = st.container()
        found = {"roofline": _roofline, "fit": _fit, "points": points_source}[state.option("cost")](page)
    with said:
        page.note(found.note)
    if st.session_state.get("from_engine") and state.option("passes") != "engine":
        st.warning(
            _(
                "Acceptance, draft length and the cost of a draft step are your engine's. Its file tells of too few "
                "passes: those here are of the model and the accelerator chosen above, so choose yours."
            )
        )
    return found


def _choose_preset(page: Page, key: str, label: str, presets: Mapping[str, PresetRow]) -> None:
    select(
        page,
        key,
        label,
        list(presets),
        lambda chosen: presets[chosen].name,
        width=235,
        on_change=lambda: _take_preset(presets[state.option(key)]),
    )


def _take_preset(preset: PresetRow) -> None:
    """Its numbers, and no more word that they are not those of a measured engine: the reader has chosen."""
    values = preset.values
    if isinstance(values, Accelerator):
        values = values.replace(count=state.group(Accelerator).count)
    state.set_group(values)
    st.session_state["from_engine"] = None


def _count(page: Page) -> None:
    declared = declarations(Accelerator)["count"]
    key = f"{page.key}:count"
    st.session_state[key] = state.group(Accelerator).count
    st.number_input(
        page.translate(declared.label),
        min_value=1,
        max_value=int(declared.high),
        step=1,
        key=key,
        width=120,
        help=page.translate(declared.help),
        on_change=lambda: state.change_group(Accelerator, count=st.session_state[key]),
    )


def _roofline(page: Page) -> PassSource:
    _ = page.translate
    model, hardware = state.group(TargetModel), state.group(Accelerator)
    _numbers(page, _("Numbers and sources"), TargetModel, Accelerator)
    note = _("Computed by a roofline from the numbers of model and accelerator; the shares of peak are assumed.")
    turn = turning_tokens(model, hardware)
    return PassSource(RooflinePass(model, hardware), "roofline", note, model, hardware, turn=turn)


def _numbers(page: Page, title: str, *kinds: type[Declared]) -> None:
    """An expander with a box for each number; sent only while it is open."""
    with st.popover(title, key="numbers", on_change="rerun") as opened:
        if wanted(opened):
            for kind in kinds:
                number_fields(kind, page.translate)
            for line in _sources(page):
                st.caption(escaped(line))


def _sources(page: Page) -> list[str]:
    _ = page.translate
    lines = []
    for key, presets, kind in (("llm", target_models(), TargetModel), ("gpu", accelerators(), Accelerator)):
        preset = presets[state.option(key)]
        line = _("{name}: {source}.").format(name=preset.name, source=preset.source)
        if preset.assumed:
            labels = [_(declarations(kind)[name].label) for name in preset.assumed]
            line = _.sentences(line, _("Assumed: {labels}.").format(labels=_.listed(labels)))
        if state.group(kind) != preset.values:
            line = _.sentences(line, _("Some of its numbers were changed."))
        lines.append(line)
    return lines


def _fit(page: Page) -> PassSource:
    _ = page.translate
    line = state.group(AffinePass)
    title = _("Numbers of the line, and fitting it to your passes")
    with st.popover(title, key="numbers", on_change="rerun") as opened:
        if wanted(opened):
            number_fields(AffinePass, _)
            points = uploaded_points(page, "fit_file")
            if points is not None:
                _fitted(page, points)
            for text in _sources(page):
                st.caption(escaped(text))
    published = line == AffinePass()
    note = (
        _("Published fit for Llama-3.1-8B on one H100 with vLLM (SpecDecode-Bench, arXiv 2601.11580).")
        if published
        else _("A line with your numbers.")
    )
    model = state.group(TargetModel)
    return PassSource(
        line,
        "fit",
        _.sentences(note, _("Memory is that of the model and accelerator above.")),
        model,
        state.group(Accelerator),
    )


def _fitted(page: Page, points: Points) -> None:
    """Offer the line that fits a reader's passes, with what it misses."""
    _ = page.translate
    found = fit_affine(points)
    rows = zip(points.tokens, points.context_tokens, points.ms, found.residual_ms, strict=True)
    st.caption(_("The fitted line misses no point by more than {share:.1%}.").format(share=found.largest_error))
    st.table(
        [
            {
                _("tokens"): f"{tokens:,.0f}",
                _("context"): f"{context:,.0f}",
                "ms": f"{ms:,.3f}",
                _("measured − fitted"): f"{round(left, 3) + 0.0:+,.3f}",
            }
            for tokens, context, ms, left in rows
        ][:40]
    )
    st.button(_("Use the fitted line"), key="use_fit", on_click=state.set_group, args=(found.line,))


def _usual_ratio() -> None:
    """Another shape of drafting starts from the cost that it usually has."""
    state.change(Drafter, draft_cost_ratio=USUAL_RATIOS[state.option("drafting")])


def _drafting(page: Page) -> None:
    """How the drafter drafts; a measured table may bring its own drafter, which drafts in one pass."""
    _ = page.translate
    table = pass_tables().get(str(state.option("passes")))
    if state.option("cost") == "points" and table is not None and table.drafter:
        return
    select(
        page,
        "drafting",
        _("It drafts"),
        list(SHAPES),
        lambda key: _(SHAPES[key]),
        width=190,
        on_change=_usual_ratio,
    )
