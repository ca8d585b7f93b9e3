"""Tables of the engine page: groups (its heart), rates in all definitions, measures of speed, lengths, settings."""

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.dashboard.engine.cards import chance
from specmodel.dashboard.engine.words import setting_name, shown
from specmodel.dashboard.parts.answer import Column, Table, table_of
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.groups import GroupRow
from specmodel.engine.lengths import LengthChoice
from specmodel.engine.speed import Ratio
from specmodel.engine.sweep import MeasuredSetting
from specmodel.measured.definitions import DEFINITIONS, Rates
from specmodel.measured.intervals import Estimate
from specmodel.measured.spec_stats import SpecStats

UNKNOWN = "–"


def _number(value: float | None, pattern: str, unit: str = "") -> str:
    return UNKNOWN if value is None else f"{format(value, pattern)}{unit}"


def _without_unknown(columns: Sequence[Column]) -> list[Column]:
    """The columns, for the CSV only where nobody knows anything to show."""
    return [
        each if any(text != UNKNOWN for text in each.texts or each.values) else Column("", each.name, each.values)
        for each in columns
    ]


def in_cell(text: str) -> str:
    """A text as a cell of a table, where a > at its start would make it a quotation.

    >>> in_cell("> 99 %"), in_cell("< 1 %")
    ('≥ 99 %', '< 1 %')
    """
    return text.replace("> ", "≥ ", 1) if text.startswith("> ") else text


def groups_table(rows: Sequence[GroupRow], translate: Translator) -> Table:
    """One row a group, everything that is known of it, and on or off; a column that nobody knows is left out."""
    _ = translate
    verdicts = {None: UNKNOWN, True: _("on"), False: _("off")}

    def column(header: str, name: str, pattern: str, unit: str = "") -> Column:
        values = [getattr(row, name) for row in rows]
        return Column(header, name, values, [_number(value, pattern, unit) for value in values])

    shares = column(_("share of tokens"), "share", ".0%")
    columns = [
        Column(_("group"), "label", [row.label for row in rows], [row.label or UNKNOWN for row in rows]),
        Column(_("speculate?"), "pays", [row.pays for row in rows], [verdicts[row.pays] for row in rows]),
        column(_("speedup"), "speedup", ".2f", "×"),
        column(_("best k"), "best_num_speculative_tokens", "d"),
        column(_("accepted per ms"), "accepted_per_ms", ".4f"),
        column(_("tokens per ms"), "tokens_per_ms", ".4f"),
        column(_("plain tokens per ms"), "plain_tokens_per_ms", ".4f"),
        column(_("drafted"), "proposed", ",.0f"),
        column(_("accepted"), "accepted", ",.0f"),
        column(_("accepted per round"), "accepted_length", ".2f"),
        column(_("first rejected at"), "first_rejected", ".2f"),
        column(_("draft (ms)"), "draft_ms", ",.2f"),
        column(_("verify (ms)"), "verify_ms", ",.2f"),
        column(_("step (ms)"), "round_ms", ",.2f"),
        column(_("request (ms)"), "latency_ms", ",.0f"),
        column(_("tokens per second"), "tokens_per_s", ",.1f"),
        column(_("memory (GB)"), "memory_gb", ".1f"),
        shares if len(rows) > 1 else Column("", "share", shares.values),
    ]
    named = {each.name for each in columns}
    others = [name for name in GroupRow.__dataclass_fields__ if name not in named]
    columns += [Column("", name, [getattr(row, name) for row in rows]) for name in others]
    return table_of(_("Progress per millisecond"), _without_unknown(columns), "groups")


def rates_table(rates: Rates, stats: SpecStats, translate: Translator) -> Table:
    """Every definition with its value, its formula, what this engine prints, and who else uses it."""
    _ = translate
    printed = {each.definition: each for each in stats.printed if each.definition}
    values = rates.values
    chosen = [declared for key, declared in DEFINITIONS.items() if key in values]
    prints = [
        f"{printed[declared.key].name} {_rate(printed[declared.key].value, declared.percent)}".strip()
        if declared.key in printed and printed[declared.key].name
        else UNKNOWN
        for declared in chosen
    ]
    shown = [_rate(values[declared.key], declared.percent) for declared in chosen]
    columns = [
        Column(_("definition"), "definition", [each.key for each in chosen], [_(each.label) for each in chosen]),
        Column(_("value"), "value", [_listed(values[declared.key]) for declared in chosen], shown),
        Column(_("formula"), "formula", [declared.formula for declared in chosen]),
        Column(_("your engine prints"), "printed", prints),
        Column(_("used by"), "used_by", [declared.used_by for declared in chosen]),
    ]
    return table_of(_("One acceptance in every definition"), columns)


def _listed(value: float | tuple[float, ...]) -> float | list[float | None]:
    """A rate for a file; of those by position one that no round came to is None."""
    return [None if each != each else float(each) for each in value] if isinstance(value, tuple) else value


def _rate(value: float | tuple[float, ...], percent: bool) -> str:
    if isinstance(value, tuple):
        return ", ".join(UNKNOWN if each != each else f"{each:.3f}" for each in value)
    return f"{value:.1%}" if percent else f"{value:.3f}"


def speed_table(ratios: Sequence[Ratio], translate: Translator) -> Table:
    """Every measure of speed that both runs have, side by side."""
    _ = translate
    without, fast = [each.without for each in ratios], [each.with_speculation for each in ratios]
    speedups = [each.speedup for each in ratios]

    def timed(values: Sequence[float]) -> list[str]:
        return [f"{value:,.2f} {each.unit}" for value, each in zip(values, ratios, strict=True)]

    columns = [
        Column(_("measure"), "measure", [each.key for each in ratios], [_(each.label) for each in ratios]),
        Column(_("without"), "without", without, timed(without)),
        Column(_("with speculation"), "with", fast, timed(fast)),
        Column(_("ratio"), "ratio", speedups, [f"{value:.2f}×" for value in speedups]),
        Column(_("what it says"), "", [_(each.meaning) for each in ratios]),
    ]
    return table_of(_("Speed without and with speculation"), columns)


def lengths_table(choices: Sequence[LengthChoice], times_vary: bool, translate: Translator) -> Table:
    """One row a draft length: tokens, time, speedup, how likely it is the best, and what kind of number it is."""
    _ = translate

    def column(
        header: str, name: str, value: Callable[[LengthChoice], Any], text: Callable[[Any], str] = str
    ) -> Column:
        values = [value(each) for each in choices]
        return Column(header, name, values, [UNKNOWN if each is None else text(each) for each in values])

    speedups = [UNKNOWN if each.speedup is None else shown(each.speedup, ".2f") + "×" for each in choices]

    def likely(value: float) -> str:
        return in_cell(chance(value, times_vary))

    columns = [
        Column("k", "num_speculative_tokens", [each.num_speculative_tokens for each in choices]),
        Column(_("tokens per step"), "", [shown(each.tokens_per_step, ".2f") for each in choices]),
        column("", "tokens_per_step", lambda each: each.tokens_per_step.value),
        column("", "tokens_per_step_low", lambda each: each.tokens_per_step.low),
        column("", "tokens_per_step_high", lambda each: each.tokens_per_step.high),
        column(_("step"), "round_ms", lambda each: each.round_ms, lambda value: f"{value:,.2f} ms"),
        Column(_("decode speedup"), "", speedups),
        column("", "speedup", lambda each: each.speedup.value if each.speedup else None),
        column("", "speedup_low", lambda each: each.speedup.low if each.speedup else None),
        column("", "speedup_high", lambda each: each.speedup.high if each.speedup else None),
        column(_("chance to be best"), "chance_best", lambda each: each.chance_best, likely),
        column(_("lost if another is best"), "regret", lambda each: each.regret, lambda value: f"{value:.1%}"),
        Column("", "extrapolated", [each.extrapolated for each in choices]),
        Column(_("kind"), "", [_kind(each, translate) for each in choices]),
    ]
    return table_of(_("By draft length"), _without_unknown(columns), "lengths")


def _kind(choice: LengthChoice, translate: Translator) -> str:
    if choice.num_speculative_tokens == 0:
        return translate("off")
    if choice.extrapolated:
        return translate("extrapolated")
    if choice.ties:
        return translate("ties with the best")
    return translate("measured") if choice.measured else translate("predicted")


def settings_table(
    settings: Sequence[MeasuredSetting], best: Sequence[MeasuredSetting], translate: Translator
) -> Table:
    """One row a measured setting, the fastest of each batch marked."""
    _ = translate
    columns = {
        _("batch"): [_number(each.batch_size, ",.0f") for each in settings],
        _("setting"): [setting_name(each, translate) for each in settings],
        _("tokens per round"): [_number(each.stats.mean_acceptance_length, ".2f") for each in settings],
        _("step"): [_number(each.stats.step_ms, ",.2f", " ms") for each in settings],
        _("decode speedup"): [
            UNKNOWN if each.speedup is None else f"{shown(Estimate(each.speedup, each.low, each.high), '.2f')}×"
            for each in settings
        ],
        **({_("runs"): [str(each.runs) for each in settings]} if any(each.runs > 1 for each in settings) else {}),
        _("fastest"): ["✓" if any(each is one for one in best) else "" for each in settings],
    }
    return Table(_("Every setting of the file"), columns)
