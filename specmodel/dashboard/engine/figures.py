"""Figures of the engine page and what kind of numbers they show: acceptance, draft lengths, where the time goes."""

from collections.abc import Mapping

from specmodel.base.messages import N_
from specmodel.dashboard.engine.tables import speed_table
from specmodel.dashboard.parts.answer import Chart, Heading, Note, Part
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.speed import measures, round_parts, speedup_ceiling
from specmodel.figures.engine import acceptance_figure, lengths_figure, time_parts_figure
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.measured.intervals import INTERVAL_METHODS
from specmodel.measured.spec_stats import TYPED, SpecStats
from specmodel.validation import record

MEASURED_NOTE = N_("Every point was measured with its own draft length.")
LENGTHS_NOTE = N_(
    "Only the length that ran is measured. Shorter ones replay its rounds (the band reaches down to the same rounds "
    "stopped earlier), longer ones lie between one α and the last acceptance carried on. What a round costs beyond a "
    "plain step may be fixed or grow with the drafts: the bands hold both."
)
ONE_RATE_NOTE = N_(
    "Only the length that ran is measured, and only its tokens per round: shorter ones lie between constant and "
    "falling acceptance, longer ones near one α. What a round costs beyond a plain step may be fixed or grow with the "
    "drafts: the bands hold both."
)


def acceptance_parts(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """Acceptance by position, and how sure it is."""
    _, acceptance = translate, measured.acceptance
    if acceptance is None:
        return {}
    alt = _("Measured acceptance by draft position, of all rounds and given all before, with 95 % intervals.")
    return {
        "positions": Chart(acceptance_figure(acceptance, _), _("Acceptance by position"), alt, 330),
        "positions_note": Note(_kind_of_acceptance(measured.stats, acceptance, _)),
    }


def _kind_of_acceptance(stats: SpecStats, acceptance: MeasuredAcceptance, translate: Translator) -> str:
    _ = translate
    method = _("95 % intervals: {method}.").format(method=_(INTERVAL_METHODS[acceptance.method]))
    if acceptance.by_position:
        return _.sentences(_("As typed.") if stats.source == TYPED else _("Measured."), method)
    assumed = _("Only tokens per round are known: one α for all positions is assumed.")
    return _.sentences(assumed, method)


def length_parts(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """Speed (or tokens) by draft length, and which of it was measured."""
    _, lengths, best = translate, measured.lengths, measured.best
    if not lengths:
        return {}
    title = _("Decode speedup by draft length") if best else _("Tokens per step by draft length")
    alt = _("By draft length: measured where it ran, predicted below, extrapolated beyond, with 95 % intervals.")
    ran = measured.case.num_speculative_tokens or 0
    figure = lengths_figure(lengths, ran, best.num_speculative_tokens if best else None, _)
    return {"lengths": Chart(figure, title, alt, 330), "lengths_note": Note(_lengths_note(measured, _))}


def _lengths_note(measured: EngineAnswer, translate: Translator) -> str:
    """What was measured and what not, and by which rules that is told."""
    _, cost = translate, measured.step_cost
    if cost is not None:
        fit = _(
            "Squares were measured with their own draft length. The others take the tokens of the next longer run, and "
            "what a round costs beside the plain step from a fit: {fixed:.2f} plain steps at once and {per_draft:.3f} "
            "for each draft."
        )
        return fit.format(fixed=cost.fixed, per_draft=cost.per_draft)
    if not any(each.extrapolated for each in measured.lengths):
        return _(MEASURED_NOTE)
    by_position = measured.acceptance is None or measured.acceptance.by_position
    return _.sentences(_(LENGTHS_NOTE) if by_position else _(ONE_RATE_NOTE), _own_record(measured, _))


def _own_record(measured: EngineAnswer, translate: Translator) -> str:
    """How often such bands held what was measured, on runs that they were not made from."""
    found = record("engine", "speedup" if measured.best is not None else "tokens")
    text = translate(
        "Their record, from one run to another of {pairs:,} measured pairs that none of this was tuned to: they held "
        "{held:.0%}, and missed by {error:.0%} in the median (page Validation)."
    )
    return text.format(pairs=found.num_banded, held=found.coverage or 0.0, error=found.median_error or 0.0)


def time_parts(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """Where the time of a step goes, and measures of speed side by side."""
    _, case = translate, measured.case
    parts, ratios = round_parts(case), measures(case)
    split = parts is not None and (parts.plain_ms is not None or parts.draft_ms is not None)
    alt = _("Milliseconds of one plain step and of one step with speculation.")
    figure = time_parts_figure(parts, case.tokens_per_step, _) if parts is not None and split else None
    return {
        "time_heading": Heading(_("Where the time goes")) if split or ratios else None,
        "parts": None if figure is None else Chart(figure, _("Time of a step"), alt, 190),
        "ceiling": _ceiling(measured, _),
        "speed": speed_table(ratios, _) if ratios else None,
    }


def _ceiling(measured: EngineAnswer, translate: Translator) -> Note | None:
    ceiling = speedup_ceiling(measured.case)
    if ceiling is None or measured.case.rho is not None:
        return None
    text = translate("Decode speedup is at most {ceiling:.2f}×: a verification pass costs at least one plain step.")
    return Note(text.format(ceiling=ceiling))
