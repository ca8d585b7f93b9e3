"""What the Validation page says: predicted against measured, by rule and by source. Pure: no Streamlit."""

from collections.abc import Sequence

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.parts.answer import Answer, Cards, Chart, Note, Notice, Said, Text, text_card
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.dashboard.validation.chosen_points import ORIGINS, OTHERS, PROJECT, Judged, chosen_points
from specmodel.dashboard.validation.declared import EVERY
from specmodel.dashboard.validation.tables import (
    form_table,
    left_out_table,
    points_table,
    rules_table,
    sources_table,
    unreachable_table,
    worst_table,
)
from specmodel.dashboard.validation.words import COUNTED, TUNED, headline, percent, rule_explained, told
from specmodel.figures import style
from specmodel.figures.validation import Spot, Spots, scatter_figure
from specmodel.validation.judged import Record, records
from specmodel.validation.own_runs import OURS
from specmodel.validation.point import RULES, Point

POINTS = Quantity("points", N_("Points"), N_("Predictions beside a measured value, as chosen below."))
MEDIAN_ERROR = Quantity("median_error", N_("Median error"), N_("Median of |predicted ÷ measured − 1|."))
WITHIN_10 = Quantity("within_10", N_("Within 10 %"), N_("Share of the points that are at most 10 % off."))
HELD = Quantity(
    "held",
    N_("Band held"),
    N_("Share of the measured values that lie in the band that the rule states beside its prediction."),
)


def answer(chosen: Chosen, translate: Translator, own: Sequence[Point] | None = None) -> Answer:
    """The parts of the page; `own` are the judged points of a visitor's file, which then take the place of ours."""
    _, judged = translate, chosen_points(chosen, own)
    return Answer(
        {
            "own": _own_notice(judged, _),
            "verdict": Said("says", headline(judged, _)),
            "numbers": _numbers(judged, _),
            "kind": Note(
                _("Measured values are others' and our own; predictions are computed here from the rest of the row.")
            ),
            "explained": None if judged.rule == EVERY else Text(rule_explained(judged.rule, _)),
            "scatter": _scatter(judged, _) if judged.shown else None,
            "scatter_note": Note(
                _(
                    "Vertical bars are the stated bands. A full circle: the band holds what was measured. A cross: it "
                    "does not. An empty circle: the rule states no band. Both axes are logarithmic."
                )
            ),
            "rules": lambda: rules_table(judged.every, _),
            "tuned": None if judged.own else Note(_(TUNED)),
            "sources": lambda: sources_table(judged.shown, _),
            "counted": Note(_(COUNTED)),
            "worst": lambda: worst_table(judged.shown, _),
            "unreachable": lambda: unreachable_table(_once(judged.every), _),
            "unreachable_note": _unreachable_note(judged, _),
            "points": lambda: points_table(judged.shown, _),
            "left_out": None if judged.own else lambda: left_out_table(_),
            "form": lambda: form_table(_),
        },
        leaves_out=(
            _("Published values are rounded, and say little of how they scatter: an error of 1 to 2 % means nothing."),
            _("What nobody published is not here: failures are reported less often than successes."),
            _("A row under load is judged only where model, accelerator, batch and context are named."),
        ),
        facts=_facts(judged, _),
    )


def _own_notice(judged: Judged, translate: Translator) -> Notice | None:
    if not judged.own:
        return None
    text = translate("This page is about your file now: {n:,} points. Take the file out to come back to ours.")
    return Notice("info", text.format(n=len(judged.every)))


def _numbers(judged: Judged, translate: Translator) -> Cards:
    _, found = translate, records(judged.shown)
    held = "" if found.half_width is None else _held_below(found, _)
    bias = _("bias {value}").format(value=percent(found.bias, "+.1%"))
    return Cards(
        (
            text_card(POINTS, f"{found.num_points:,}", _, known=known("measured", found.num_points)),
            text_card(
                MEDIAN_ERROR, percent(found.median_error, ".1%"), _, bias, known=known("measured", found.median_error)
            ),
            text_card(WITHIN_10, percent(found.within_10), _, known=known("measured", found.within_10)),
            text_card(HELD, percent(found.coverage), _, held, known=known("measured", found.coverage)),
        )
    )


def _held_below(found: Record, translate: Translator) -> str:
    return translate("{n:,} bands, ± {width:.0%}").format(n=found.num_banded, width=found.half_width)


def _scatter(judged: Judged, translate: Translator) -> Chart:
    _ = translate
    kinds = {OTHERS: style.SPECULATION, PROJECT: style.MEASURED}
    by_kind: dict[str, list[Spot]] = {}
    for point in judged.shown:
        by_kind.setdefault(PROJECT if point.source == OURS else OTHERS, []).append(_spot(point, _))
    groups = [Spots(_(ORIGINS[kind]), colour, by_kind.get(kind, [])) for kind, colour in kinds.items()]
    if judged.own:
        groups = [Spots(_("your rows"), style.BONUS, [_spot(point, _) for point in judged.shown])]
    figure = scatter_figure([group for group in groups if group.spots], _("Measured"), _("Predicted"), _)
    alt = _("Predicted over measured values of the chosen rule, with the diagonal and a corridor of 10 %.")
    return Chart(figure, _("Predicted against measured"), alt, 460)


def _spot(point: Point, translate: Translator) -> Spot:
    return Spot(point.measured, point.predicted, point.low, point.high, told(point, translate))


def _once(points: Sequence[Point]) -> list[Point]:
    """Each measured value once that no model reaches, whatever rules were tried on it."""
    found: dict[tuple[str, str, float], Point] = {}
    for point in points:
        if point.unreachable:
            found.setdefault((point.source, point.setup, point.measured), point)
    return list(found.values())


def _unreachable_note(judged: Judged, translate: Translator) -> Note | None:
    if not any(point.unreachable for point in judged.every):
        return None
    return Note(
        translate(
            "A speedup above the tokens of a round would need a round that costs less than a plain step. These count "
            "in the errors above all the same."
        )
    )


def _facts(judged: Judged, translate: Translator) -> tuple[tuple[str, str, str], ...]:
    _ = translate
    rule = _("all rules") if judged.rule == EVERY else _(RULES[judged.rule].name)
    origin = _(ORIGINS[judged.origin]) if judged.origin in ORIGINS else judged.origin
    return (
        (_("Rows"), _("a file of the visitor") if judged.own else _("those of the package"), "rows"),
        (_("Rule"), rule, "judged"),
        (_("Source"), origin, "origin"),
    )


def source_label(source: str, translate: Translator) -> str:
    """A source as a choice shows it."""
    return translate(ORIGINS[source]) if source in ORIGINS else escaped(source)
