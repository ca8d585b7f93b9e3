"""Tables of the Validation page: by rule, by source, the worst cases, what no model reaches, what was left out."""

from collections.abc import Mapping, Sequence

from specmodel.dashboard.parts.answer import Column, Table, table_of
from specmodel.dashboard.session.translation import Translator
from specmodel.dashboard.validation.words import band, held, number, percent, reach, reach_name
from specmodel.validation.judged import Record, by_rule, summary, worst
from specmodel.validation.left_out import REASONS, left_out
from specmodel.validation.point import QUANTITIES, RULES, Point
from specmodel.validation.points import NUMBERS, TEXTS
from specmodel.validation.reasons import reason


def rules_table(points: Sequence[Point], translate: Translator) -> Table:
    """The record by rule, quantity and reach."""
    _, found = translate, by_rule(points)
    keys = list(found)
    columns = [
        Column(_("rule"), "rule", [key[0] for key in keys], [_(RULES[key[0]].name) for key in keys]),
        Column(_("predicted"), "quantity", [key[1] for key in keys], [_(QUANTITIES[key[1]]) for key in keys]),
        Column(_("draft length"), "reach", [key[2] for key in keys], [reach_name(key[2], _) for key in keys]),
        *_record_columns(list(found.values()), _),
    ]
    return table_of(_("By rule"), columns, "rules")


def sources_table(points: Sequence[Point], translate: Translator) -> Table:
    """The record of the chosen rule by source."""
    found: Mapping[str, Record] = summary(points, lambda point: point.source)
    names = sorted(found)
    columns = [Column(translate("source"), "source", names)]
    columns += _record_columns([found[name] for name in names], translate)
    return table_of(translate("By source"), columns, "sources")


def _record_columns(found: Sequence[Record], translate: Translator) -> list[Column]:
    _ = translate
    errors, biases = [each.median_error for each in found], [each.bias for each in found]
    near, coverages = [each.within_10 for each in found], [each.coverage for each in found]
    widths = [each.half_width for each in found]
    return [
        Column(_("points"), "points", [each.num_points for each in found], [f"{each.num_points:,}" for each in found]),
        Column(_("median error"), "median_error", errors, [percent(value, ".1%") for value in errors]),
        Column(_("within 10 %"), "within_10", near, [percent(value) for value in near]),
        Column(_("bias"), "bias", biases, [percent(value, "+.1%") for value in biases]),
        Column(_("band held"), "band_held", coverages, [held(each, _) for each in found]),
        Column("", "points_with_band", [each.num_banded for each in found]),
        Column(_("± of the band"), "half_width", widths, [percent(value) for value in widths]),
    ]


def worst_table(points: Sequence[Point], translate: Translator) -> Table:
    """The largest errors of the chosen points, at most two of a rule and source, each with its reason."""
    found = worst([point for point in points if not point.unreachable])
    return table_of(translate("The worst cases"), _explained(found, translate), "worst")


def unreachable_table(points: Sequence[Point], translate: Translator) -> Table | None:
    """What no model of tokens per round and cost can reach; None where there is nothing of it."""
    found = [point for point in points if point.unreachable]
    if not found:
        return None
    return table_of(translate("What no such model can reach"), _explained(found, translate), "unreachable")


def _explained(points: Sequence[Point], translate: Translator) -> list[Column]:
    _ = translate
    reasons = [reason(point) for point in points]
    return [
        *_columns(points, _),
        Column(_("why"), "why", [str(each) for each in reasons], [_.message(each) for each in reasons]),
        Column(_("note"), "note", [point.note for point in points]),
    ]


def points_table(points: Sequence[Point], translate: Translator) -> Table:
    """Every chosen point: source, rule, what was given, what was predicted and measured."""
    columns = [
        *_columns(points, translate),
        Column(translate("note"), "note", [point.note for point in points]),
    ]
    return table_of(translate("Every point"), columns, "points")


def _columns(points: Sequence[Point], translate: Translator) -> list[Column]:
    _ = translate
    rules, quantities = [point.rule for point in points], [point.quantity for point in points]
    errors = [point.error for point in points]
    return [
        Column(_("source"), "source", [point.source for point in points]),
        Column(_("what was measured"), "setup", [point.setup for point in points]),
        Column(_("rule"), "rule", rules, [_(RULES[rule].name) for rule in rules]),
        Column(_("draft length"), "k_from", [point.k_from for point in points], [reach(point) for point in points]),
        Column("", "k_to", [point.k_to for point in points]),
        Column(_("predicted"), "quantity", quantities, [_predicted(point, _) for point in points]),
        Column("", "predicted", [point.predicted for point in points]),
        Column(_("stated band"), "low", [point.low for point in points], [band(point) for point in points]),
        Column("", "high", [point.high for point in points]),
        Column(
            _("measured"),
            "measured",
            [point.measured for point in points],
            [number(point.measured) for point in points],
        ),
        Column(_("error"), "error", errors, [percent(value, "+.0%") for value in errors]),
    ]


def _predicted(point: Point, translate: Translator) -> str:
    return f"{number(point.predicted)} ({translate(QUANTITIES[point.quantity])})"


def left_out_table(translate: Translator) -> Table:
    """What was collected and tells too little to be judged, with how many rows and why."""
    _, rows = translate, left_out()
    columns = [
        Column(_("source"), "source", [row.source for row in rows]),
        Column(_("rows"), "rows", [row.rows for row in rows]),
        Column(_("why"), "reason", [row.reason for row in rows], [_(REASONS[row.reason]) for row in rows]),
    ]
    return table_of(_("Collected, but telling too little"), columns, "left_out")


def form_table(translate: Translator) -> Table:
    """The columns of a file of one's own rows."""
    _ = translate
    texts = [(name, _(meaning), "") for name, meaning in TEXTS.items()]
    numbers = [(name, _(meaning), f"{low:g} … {high:g}") for name, (low, high, meaning) in NUMBERS.items()]
    rows = [*texts, *numbers]
    columns = [
        Column(_("column"), "column", [row[0] for row in rows]),
        Column(_("what it holds"), "meaning", [row[1] for row in rows]),
        Column(_("from … to"), "range", [row[2] for row in rows]),
    ]
    return table_of(_("The columns of a file"), columns, "columns")
