"""Two runs that both speculate, on the engine page: which is faster, how sure, and which part differs."""

from collections.abc import Mapping

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.engine.cards import chance
from specmodel.dashboard.engine.words import shown
from specmodel.dashboard.parts.answer import Column, Heading, Note, Notice, Part, Said, Table, table_of
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.speed import side_by_side
from specmodel.engine.two_runs import TwoRuns, compare_runs, unlike, why
from specmodel.measured.intervals import INTERVAL_METHODS, Estimate
from specmodel.measured.stats_link import unpack_stats

SOURCES = ("files", "paste", "link")
"""Where a second run may come from; it does not belong to an example or to what is typed."""


def two_runs_parts(chosen: Chosen, measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """The comparison with the other run of the link; nothing where there is none."""
    _, text = translate, str(chosen.option("other"))
    if not text or chosen.option("src") not in SOURCES:
        return {}
    try:
        other = unpack_stats(text)
        found = compare_runs(measured.stats, other, measured.case.k_typed)
        names = escaped(measured.stats.label or _("the first run")), escaped(other.label or _("the second run"))
        said = _said(found, names, _)
    except SpecmodelError as error:
        return {"two_runs_error": Notice("error", escaped(_.message(error.message)))}
    return {
        "two_runs_heading": Heading(_("Two runs compared")),
        "two_runs": said,
        "two_runs_table": _table(found, names, _),
        "two_runs_note": Note(_kind(found, _)),
    }


def _said(found: TwoRuns, names: tuple[str, str], translate: Translator) -> Said:
    """Which is faster, by how much, how sure, and why."""
    _, speed, kind = translate, found.speed, found.kind
    reason = why(found)
    because = "" if reason is None else escaped(_.message(reason))
    if kind == "not_comparable":
        message = unlike(found)
        return Said("not_comparable", _("These two runs are no pair."), escaped(_.message(message)) if message else "")
    if speed is None or speed.value is None:
        return Said("says", _("Which of the two is faster is not known: a time per token is missing."), because)
    first, second = names
    if kind == "too_close":
        text = _("Too close to call: {second} decodes {speed}× as fast as {first}.")
        return Said("too_close", text.format(first=first, second=second, speed=shown(speed, ".2f")), because)
    if kind == "first":
        first, second = second, first
        speed = Estimate(1 / speed.value, 1 / (speed.high or speed.value), 1 / (speed.low or speed.value))
    chance_ = found.chance_second_faster or 0.0
    sure = chance(chance_ if kind == "second" else 1 - chance_, found.times_vary)
    text = _("{faster} decodes {speed}× as fast as {slower} (chance {chance}).")
    said = text.format(faster=second, slower=first, speed=shown(speed, ".2f"), chance=sure)
    return Said("says", said, because)


def _table(found: TwoRuns, names: tuple[str, str], translate: Translator) -> Table | None:
    """The two parts of the speed, and every measure that both runs have."""
    _ = translate
    rows: list[tuple[str, float, float, str, Estimate | float | None]] = []
    one, other = found.first, found.second
    if one.tokens_per_step and other.tokens_per_step:
        rows.append((_("Tokens per decoding step"), one.tokens_per_step, other.tokens_per_step, "", found.tokens))
    if one.round_ms and other.round_ms:
        rows.append((_("Time of a decoding step"), one.round_ms, other.round_ms, "ms", found.step))
    for each in side_by_side(other.stats, one.stats):
        ratio: Estimate | float | None = found.speed if each.key == "tpot_ms" and found.speed else each.speedup
        rows.append((_(each.label), each.without, each.with_speculation, each.unit, ratio))
    if not rows:
        return None
    values = [row[4].value if isinstance(row[4], Estimate) else row[4] for row in rows]
    columns = [
        Column(_("measure"), "measure", [row[0] for row in rows]),
        Column(names[0], "first", [row[1] for row in rows], [f"{row[1]:,.2f} {row[3]}".strip() for row in rows]),
        Column(names[1], "second", [row[2] for row in rows], [f"{row[2]:,.2f} {row[3]}".strip() for row in rows]),
        Column(_("second is better by"), "ratio", values, [_ratio(row[4]) for row in rows]),
    ]
    return table_of(_("Two runs compared"), columns, "two_runs")


def _ratio(value: Estimate | float | None) -> str:
    if value is None:
        return "–"
    return f"{shown(value, '.2f')}×" if isinstance(value, Estimate) else f"{value:.2f}×"


def _kind(found: TwoRuns, translate: Translator) -> str:
    _ = translate
    load = (
        _("Whether both runs had the same load is not in the files.") if not found.comparability.load_is_known else ""
    )
    method = _("Interval of the speed: {method}.").format(method=_(INTERVAL_METHODS[found.method]))
    each = _("Both runs vary on their own; a ratio above 1 says that the second is better.")
    return _.sentences(each, method if found.speed is not None else "", load)
