"""The cost of a pass that the choices of a link give, with what is known of the machine behind it. No Streamlit."""

from dataclasses import dataclass, field, replace

import numpy as np

from specmodel.base.messages import SpecmodelError
from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import Note, Notice, Parts
from specmodel.dashboard.passes.computed import computed
from specmodel.dashboard.passes.declared import OWN_MODEL, machine
from specmodel.dashboard.passes.known import band_words, fixed_cost
from specmodel.dashboard.passes.model_name import model_name
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.pages import options
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.model.costs import DraftCost
from specmodel.model.scenario import Scenario
from specmodel.serving.calibrate import Measured
from specmodel.serving.cost_band import EXACT, Banded, Off, banded
from specmodel.serving.hardware import Accelerator, accelerators, target_models
from specmodel.serving.load import Drafter, Load
from specmodel.serving.memory import Capacity, capacity
from specmodel.serving.pass_tables import captured_sizes, pass_tables
from specmodel.serving.passes import AffinePass, MeasuredPass, PassMs, Points
from specmodel.serving.served_model import Serving
from specmodel.serving.target_model import TargetModel


@dataclass(frozen=True)
class OwnPasses:
    """Measured passes that no link carries: of a visitor's file, and of the engine of the Measure page.

    `engine_leads`: acceptance and drafting came from that engine, and the machine was not chosen since.
    """

    file: Points | None = None
    engine: Points | None = None
    engine_leads: bool = False

    def decide(self, chosen: Chosen) -> bool:
        """Whether what a page shows rests on them, and not on the link alone."""
        return self.engine_leads or (chosen.option("cost") == "points" and chosen.option("passes") in OWN_TABLES)


NO_PASSES = OwnPasses()
OWN_TABLES = ("upload", "engine")
FIRST_TABLE = str(options()["passes"].default)


@dataclass(frozen=True)
class PassSource:
    """The chosen cost of a pass, what it is in a sentence, and what is known of the machine behind it.

    `off` says how far such costs were off, `measured` what they are calibrated by: `pass_ms` is calibrated, `bare_ms`
    is not, `known` says all of it. `warnings` say what of the choices could not be used, as Markdown.
    """

    pass_ms: PassMs
    kind: str
    note: str
    model: TargetModel | None
    hardware: Accelerator
    step_ms: MeasuredPass | None = None
    turn: float | None = None
    largest: float | None = None
    off: Off = EXACT
    measured: Measured = field(default_factory=Measured)
    known: str = ""
    bare_ms: PassMs | None = None
    warnings: tuple[str, ...] = ()

    def room(self, load: Load, drafter: Drafter | None) -> Capacity | None:
        """Memory with this drafter, or without one; None where the model is not known."""
        if self.model is None:
            return None
        if drafter is None:
            return capacity(self.model, self.hardware, load.context_tokens)
        return capacity(
            self.model,
            self.hardware,
            load.context_tokens,
            drafter_billions=drafter.weights_billions,
            drafter_cache_bytes=drafter.cache_bytes_per_token,
        )

    def serving(self, chosen: Chosen, scenario: Scenario) -> Serving:
        """The served model with the chosen drafter, calibrated, for the acceptance of a scenario."""
        return self.banded(chosen, scenario).value

    def banded(self, chosen: Chosen, scenario: Scenario) -> Banded:
        """The same, and at the ends of what its costs may be."""
        fixed, choice = fixed_cost(chosen)
        bare = replace(self._bare(chosen, scenario), fixed=fixed)
        return banded(bare, self.off, choice, self.measured)

    def _bare(self, chosen: Chosen, scenario: Scenario) -> Serving:
        load, cost = chosen.group(Load), chosen.group(Drafter).cost(chosen.option("drafting"))
        if self.step_ms is not None:
            measured = self.step_ms
            cost = DraftCost("parallel", step_ms=lambda batch: measured(1, batch, 0))
        alpha, shape = scenario.effective_alpha, scenario.acceptance_shape
        most = self.largest or np.inf
        return Serving(self.bare_ms or self.pass_ms, alpha, cost, shape, scenario.overhead_ms, load.standing_cost, most)


def pass_source(chosen: Chosen, translate: Translator, own: OwnPasses = NO_PASSES) -> PassSource:
    """The cost of a pass that is chosen: of measured operators or a roofline, of a line, or of measured points.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> pass_source(read_link({"cost": "points", "passes": "pair"})[0], translator("en")).largest
    13.0
    """
    kind = chosen.option("cost")
    if kind == "points":
        source = _interpolated(chosen, translate, own)
    else:
        source = _line(chosen, translate) if kind == "fit" else _machine(chosen, translate)
    if own.engine_leads and chosen.option("passes") != "engine":
        of_model = translate(
            "Acceptance, draft length and the cost of a draft step are your engine's. Its file tells of too few "
            "passes: those here are of the model and the accelerator chosen above, so choose yours."
        )
        source = replace(source, warnings=(*source.warnings, of_model))
    return _calibrated(source, chosen, translate)


def _calibrated(source: PassSource, chosen: Chosen, translate: Translator) -> PassSource:
    """The source with what was measured of an engine; what contradicts it is named and left out."""
    measured = chosen.group(Measured)
    for part in ({}, {"round_ms": 0.0}, {"plain_ms": 0.0, "round_ms": 0.0}):
        tried = replace(source, measured=measured.replace(**part))
        try:
            tried.banded(chosen, chosen.scenario)
        except SpecmodelError as error:
            source = replace(source, warnings=(*source.warnings, escaped(translate.message(error.message))))
        else:
            words = band_words(source.off, tried.measured, chosen, translate)
            in_line = tried.banded(chosen, chosen.scenario).value.pass_ms
            return replace(tried, pass_ms=in_line, bare_ms=source.pass_ms, known=words, warnings=source.warnings)
    return source


def pass_parts(source: PassSource) -> Parts:
    """What a page says of its cost of a pass, beside the choice of it."""
    warning = Notice("warning", "\n\n".join(source.warnings)) if source.warnings else None
    known = Note(source.known) if source.known else None
    return {"pass_cost": Note(source.note), "pass_known": known, "pass_warning": warning}


def preset_sources(chosen: Chosen, translate: Translator) -> list[str]:
    """Where the numbers of the chosen model and accelerator come from, and whether some were changed; plain text."""
    _, lines = translate, []
    bases = dict(zip((TargetModel, Accelerator), machine(chosen.options), strict=True))
    for key, presets, kind in (("llm", target_models(), TargetModel), ("gpu", accelerators(), Accelerator)):
        preset = presets[chosen.option(key)]
        line = _("{name}: {source}.").format(name=preset.name, source=preset.source)
        if preset.assumed:
            labels = [_(declarations(kind)[name].label) for name in preset.assumed]
            line = _.sentences(line, _("Assumed: {labels}.").format(labels=_.listed(labels)))
        if chosen.group(kind) != bases[kind]:
            own = model_name(chosen, _) if kind is TargetModel and chosen.option(OWN_MODEL) else ""
            if own:
                line = _("{name}: counted from the config.json that was given.").format(name=own)
            else:
                line = _.sentences(line, _("Some of its numbers were changed."))
        lines.append(line)
    return lines


def _machine(chosen: Chosen, translate: Translator) -> PassSource:
    model, hardware, found = chosen.group(TargetModel), chosen.group(Accelerator), computed(chosen, translate)
    largest = getattr(found.pass_ms, "largest", None)
    return PassSource(
        found.pass_ms, found.kind, found.note, model, hardware, turn=found.turn, largest=largest, off=found.off
    )


def _line(chosen: Chosen, translate: Translator) -> PassSource:
    _, line = translate, chosen.group(AffinePass)
    note = _("A line with your numbers.")
    if line == AffinePass():
        note = _("Published fit for Llama-3.1-8B on one H100 with vLLM (SpecDecode-Bench, arXiv 2601.11580).")
    note = _.sentences(note, _("Memory is that of the model and accelerator above."))
    return PassSource(line, "fit", note, chosen.group(TargetModel), chosen.group(Accelerator))


def _interpolated(chosen: Chosen, translate: Translator, own: OwnPasses) -> PassSource:
    """Interpolation between the chosen points; the first table stands for points that are not there."""
    _, name, tables = translate, chosen.option("passes"), pass_tables()
    sizes, warnings = _sizes(chosen, translate)
    step = None
    points = {"upload": own.file, "engine": own.engine}.get(name)
    if name == "engine" and points is None:
        name = FIRST_TABLE
        lost = _("The passes of an engine's file do not come with a link: the page shows the first table instead.")
        warnings = (lost, *warnings)
    if name in tables:
        points, step = tables[name].points, tables[name].drafter_pass
        note = _.sentences(_("Interpolated between measured passes."), _(tables[name].source))
    elif points is None:
        points = tables[FIRST_TABLE].points
        note = _("Give a file with the columns tokens and ms (and context): until then the page shows the first table.")
    elif name == "upload":
        note = _("Interpolated between the passes of your file.")
    else:
        note = _("Interpolated between the passes that your engine's file tells of.")
    measured = MeasuredPass(points, sizes)
    beyond = _("Beyond {most:,.0f} tokens a pass the line through its last two points goes on: extrapolated.")
    note = _.sentences(note, beyond.format(most=measured.largest))
    if step is not None and not chosen.option("way"):
        own_drafter = _("Its drafter was measured too and drafts in one pass: that time counts, not the slider.")
        note = _.sentences(note, own_drafter)
    hardware, most = chosen.group(Accelerator), measured.largest
    return PassSource(measured, "points", note, None, hardware, step_ms=step, largest=most, warnings=warnings)


def _sizes(chosen: Chosen, translate: Translator) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """The captured sizes that are typed in, and a warning where they cannot be: they are left out then."""
    try:
        sizes = captured_sizes(str(chosen.option("sizes")))
        MeasuredPass(Points(*([1.0],) * 3), sizes)
    except SpecmodelError as error:
        return (), (escaped(translate.message(error.message)),)
    return sizes, ()
