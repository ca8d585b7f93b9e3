"""The choice where the cost of a pass comes from: hardware and model, a fitted line, or measured points; and how it
drafts."""

from collections.abc import Mapping

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Declared, declarations
from specmodel.dashboard.parts.answer import Answer
from specmodel.dashboard.parts.assets import wanted
from specmodel.dashboard.parts.entries import help_text, term_entry, with_link
from specmodel.dashboard.parts.number_boxes import number_fields
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.parts.select_box import select, text
from specmodel.dashboard.passes.calibration import calibration
from specmodel.dashboard.passes.computed import offered_precisions
from specmodel.dashboard.passes.declared import OWN_MODEL, machine
from specmodel.dashboard.passes.model_name import model_name
from specmodel.dashboard.passes.own_model import paste_model
from specmodel.dashboard.passes.own_passes import choose_machine, own_passes, upload_points
from specmodel.dashboard.passes.pass_source import FIRST_TABLE, OwnPasses, pass_parts, pass_source, preset_sources
from specmodel.dashboard.session import state
from specmodel.serving.fit import fit_affine
from specmodel.serving.hardware import Accelerator, PresetRow, accelerators, target_models
from specmodel.serving.load import USUAL_RATIOS, Drafter
from specmodel.serving.operator_passes import ENGINES
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.passes import AffinePass, Points
from specmodel.serving.precision import OWN, PRECISIONS
from specmodel.serving.target_model import TargetModel

SOURCES = {
    "operators": N_("Measured operators, else roofline"),
    "roofline": N_("Roofline"),
    "fit": N_("Fitted line"),
    "points": N_("Measured passes"),
}
SHAPES = {
    "sequential": N_("one after another"),
    "parallel": N_("all in one pass"),
    "lookup": N_("lookup on the host"),
    "heads": N_("heads of the target"),
}
UPLOADED = N_("A file of mine")
FROM_ENGINE = N_("The engine of the Measure page")


def pass_input(page: Page, *, drafting: bool = True) -> OwnPasses:
    """Draw the choice of a source, what belongs to it, and what it is; the passes that the visitor brought."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        select(page, "cost", _("Cost of a pass from"), list(SOURCES), lambda key: _(SOURCES[key]), width=200)
        if state.option("cost") == "points":
            _choose_table(page)
        else:
            _choose_preset(page, "llm", _("Target model"), target_models())
            _choose_precision(page)
            _choose_preset(page, "gpu", _("Accelerator"), accelerators())
            _count(page)
            if state.option("cost") == "operators":
                select(page, "runs", _("Measured under"), list(ENGINES), lambda key: ENGINES[key], width=150)
        if drafting:
            _drafting(page)
    with st.container(horizontal=True, vertical_alignment="center"):
        beside = st.container()
        {"fit": _line_numbers, "points": _own_points}.get(state.option("cost"), _machine_numbers)(page)
        calibration(page)
    own = own_passes()
    page.answer = Answer(pass_parts(pass_source(page.chosen, _, own)))
    with beside:
        page.show("pass_cost")
    page.show("pass_known", "pass_warning")
    return own


def _choose_table(page: Page) -> None:
    """The choice of a measured table, and the captured sizes that passes are padded to."""
    _, tables = page.translate, pass_tables()
    offered = [*tables, "upload", *(["engine"] if own_passes().engine is not None else [])]
    if state.option("passes") not in offered:
        state.set_option("passes", FIRST_TABLE)  # the link brought no passes of an engine: a warning below says so
    names = {key: table.name for key, table in tables.items()} | {"upload": UPLOADED, "engine": FROM_ENGINE}
    select(page, "passes", _("Measured passes"), offered, lambda key: _(names[key]), width=380)
    text(
        page,
        "sizes",
        _("Captured sizes"),
        width=220,
        placeholder="1, 2, 4, 8, 16 …",
        help=with_link(
            _("Token counts for which the engine has captured graphs: a pass is padded to the next one."),
            term_entry("captured_sizes"),
            _,
        ),
    )


def _own_points(page: Page) -> None:
    if state.option("passes") == "upload":
        upload_points(page, "points_file")


def _choose_preset(page: Page, key: str, label: str, presets: Mapping[str, PresetRow]) -> None:
    names = {name: preset.name for name, preset in presets.items()}
    if key == "llm":
        names[state.option(key)] = model_name(
            page.chosen, page.translate
        )  # the numbers count, whatever row they began from
    select(
        page,
        key,
        label,
        list(presets),
        lambda chosen: names[chosen],
        width=235,
        on_change=_take_machine,
    )


def _choose_precision(page: Page) -> None:
    """The precisions that were measured of this model there, and the chosen one."""
    _, offered = page.translate, offered_precisions(state.option("llm"), state.option("gpu"))
    offered += [state.option("prec")] if state.option("prec") not in offered else []
    names = {key: _(PRECISIONS[key].label) for key in offered}
    select(page, "prec", _("Precision"), offered, lambda key: names[key], width=170, on_change=_take_machine)


def _take_machine() -> None:
    """Model and accelerator as they are chosen now, without changes made to the numbers of those before."""
    chosen = {key: state.option(key) for key in ("llm", "gpu", "prec")}
    if chosen["prec"] not in offered_precisions(chosen["llm"], chosen["gpu"]):
        chosen["prec"] = OWN
        state.set_option("prec", OWN)
    model, chip = machine(chosen)
    state.set_option(OWN_MODEL, "")
    state.set_group(model)
    state.set_group(chip.replace(count=state.group(Accelerator).count))
    choose_machine()


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
        help=help_text(declared, page.translate),
        on_change=lambda: state.change_group(Accelerator, count=st.session_state[key]),
    )


def _machine_numbers(page: Page) -> None:
    _numbers(page, page.translate("Numbers and sources"), TargetModel, Accelerator)


def _line_numbers(page: Page) -> None:
    _numbers(page, page.translate("Numbers of the line, and fitting it to your passes"), AffinePass)


def _numbers(page: Page, title: str, *kinds: type[Declared]) -> None:
    """A box for each number and where they come from; for a line also its fit to a file. Sent only while it is open."""
    with st.popover(title, key="numbers", on_change="rerun") as opened:
        if wanted(opened):
            if TargetModel in kinds:
                paste_model(page)
            for kind in kinds:
                number_fields(kind, page.translate)
            if AffinePass in kinds:
                points = upload_points(page, "fit_file")
                if points is not None:
                    _fitted(page, points)
            for line in preset_sources(page.chosen, page.translate):
                st.caption(escaped(line))


def _fitted(page: Page, points: Points) -> None:
    """Offer the line that fits a visitor's passes, with what it misses."""
    _, fit = page.translate, fit_affine(points)
    rows = zip(points.tokens, points.context_tokens, points.ms, fit.residual_ms, strict=True)
    st.caption(_("The fitted line misses no point by more than {share:.1%}.").format(share=fit.largest_error))
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
    st.button(_("Use the fitted line"), key="use_fit", on_click=state.set_group, args=(fit.line,))


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
