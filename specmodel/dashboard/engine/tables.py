"""Tables of the engine page: groups (its heart), rates in all definitions, measures of speed, lengths, settings."""

from collections.abc import Sequence
from typing import Any

from specmodel.dashboard.engine.words import chance, setting_name, shown
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.groups import GroupRow
from specmodel.engine.lengths import LengthChoice
from specmodel.engine.speed import Ratio
from specmodel.engine.sweep import MeasuredSetting
from specmodel.measured.definitions import DEFINITIONS, Rates
from specmodel.measured.spec_stats import SpecStats

Columns = dict[str, list[Any]]


def _number(value: float | None, pattern: str, unit: str = "") -> str:
    return "–" if value is None else f"{format(value, pattern)}{unit}"


def group_columns(rows: Sequence[GroupRow], translate: Translator) -> Columns:
    """One row a group, everything that is known of it, and on or off; a column that nobody knows is left out."""
    _ = translate
    verdicts = {None: "–", True: _("on"), False: _("off")}
    columns: Columns = {
        _("group"): [row.label or "–" for row in rows],
        _("speculate?"): [verdicts[row.pays] for row in rows],
        _("speedup"): [_number(row.speedup, ".2f", "×") for row in rows],
        _("accepted per ms"): [_number(row.accepted_per_ms, ".4f") for row in rows],
        _("tokens per ms"): [_number(row.tokens_per_ms, ".4f") for row in rows],
        _("plain tokens per ms"): [_number(row.plain_tokens_per_ms, ".4f") for row in rows],
        _("drafted"): [_number(row.proposed, ",.0f") for row in rows],
        _("accepted"): [_number(row.accepted, ",.0f") for row in rows],
        _("accepted per round"): [_number(row.accepted_length, ".2f") for row in rows],
        _("first rejected at"): [_number(row.first_rejected, ".2f") for row in rows],
        _("draft (ms)"): [_number(row.draft_ms, ",.2f") for row in rows],
        _("verify (ms)"): [_number(row.verify_ms, ",.2f") for row in rows],
        _("step (ms)"): [_number(row.round_ms, ",.2f") for row in rows],
        _("request (ms)"): [_number(row.latency_ms, ",.0f") for row in rows],
        _("tokens per second"): [_number(row.tokens_per_s, ",.1f") for row in rows],
        _("memory (GB)"): [_number(row.memory_gb, ".1f") for row in rows],
        _("share of tokens"): [_number(row.share, ".0%") for row in rows] if len(rows) > 1 else ["–"],
    }
    return {name: values for name, values in columns.items() if any(value != "–" for value in values)}


def group_data(rows: Sequence[GroupRow]) -> Columns:
    """The same as plain numbers."""
    names = list(GroupRow.__dataclass_fields__)
    return {name: [getattr(row, name) for row in rows] for name in [*names, "speedup", "pays"]}


def rate_columns(rates: Rates, stats: SpecStats, translate: Translator) -> Columns:
    """Every definition with its value, its formula, what this engine prints, and who else uses it."""
    _ = translate
    printed = {each.definition: each for each in stats.printed if each.definition}
    values = rates.values
    chosen = [declared for key, declared in DEFINITIONS.items() if key in values]
    return {
        _("definition"): [_(declared.label) for declared in chosen],
        _("value"): [_value(values[declared.key], declared.percent) for declared in chosen],
        _("formula"): [declared.formula for declared in chosen],
        _("your engine prints"): [
            f"{printed[declared.key].name} {_value(printed[declared.key].value, declared.percent)}".strip()
            if declared.key in printed and printed[declared.key].name
            else "–"
            for declared in chosen
        ],
        _("used by"): [declared.used_by for declared in chosen],
    }


def _value(value: float | tuple[float, ...], percent: bool) -> str:
    if isinstance(value, tuple):
        return ", ".join("–" if each != each else f"{each:.3f}" for each in value)
    return f"{value:.1%}" if percent else f"{value:.3f}"


def speed_columns(ratios: Sequence[Ratio], translate: Translator) -> Columns:
    """Every measure of speed that both runs have, side by side."""
    _ = translate
    return {
        _("measure"): [_(each.label) for each in ratios],
        _("without"): [f"{each.without:,.2f} {each.unit}" for each in ratios],
        _("with speculation"): [f"{each.with_speculation:,.2f} {each.unit}" for each in ratios],
        _("ratio"): [f"{each.speedup:.2f}×" for each in ratios],
        _("what it says"): [_(each.meaning) for each in ratios],
    }


def speed_data(ratios: Sequence[Ratio]) -> Columns:
    """The same as plain numbers."""
    return {
        "measure": [each.key for each in ratios],
        "without": [each.without for each in ratios],
        "with": [each.with_speculation for each in ratios],
        "ratio": [each.speedup for each in ratios],
    }


def length_columns(choices: Sequence[LengthChoice], translate: Translator) -> Columns:
    """One row a draft length: tokens, time, speedup, how likely it is the best, and what kind of number it is."""
    _ = translate
    columns: Columns = {
        "k": [each.num_speculative_tokens for each in choices],
        _("tokens per step"): [shown(each.tokens_per_step, ".2f") for each in choices],
        _("step"): [_number(each.round_ms, ",.2f", " ms") for each in choices],
        _("decode speedup"): ["–" if each.speedup is None else shown(each.speedup, ".2f") + "×" for each in choices],
        _("chance to be best"): ["–" if each.chance_best is None else chance(each.chance_best) for each in choices],
        _("kind"): [_kind(each, translate) for each in choices],
    }
    return {name: values for name, values in columns.items() if any(value != "–" for value in values)}


def _kind(choice: LengthChoice, translate: Translator) -> str:
    if choice.num_speculative_tokens == 0:
        return translate("off")
    if choice.extrapolated:
        return translate("extrapolated")
    return translate("ties with the best") if choice.ties else translate("up to the measured k")


def length_data(choices: Sequence[LengthChoice]) -> Columns:
    """The same as plain numbers."""
    return {
        "num_speculative_tokens": [each.num_speculative_tokens for each in choices],
        "tokens_per_step": [each.tokens_per_step.value for each in choices],
        "tokens_per_step_low": [each.tokens_per_step.low for each in choices],
        "tokens_per_step_high": [each.tokens_per_step.high for each in choices],
        "round_ms": [each.round_ms for each in choices],
        "speedup": [each.speedup.value if each.speedup else None for each in choices],
        "speedup_low": [each.speedup.low if each.speedup else None for each in choices],
        "speedup_high": [each.speedup.high if each.speedup else None for each in choices],
        "chance_best": [each.chance_best for each in choices],
        "extrapolated": [each.extrapolated for each in choices],
    }


def setting_columns(
    found: Sequence[MeasuredSetting], best: Sequence[MeasuredSetting], translate: Translator
) -> Columns:
    """One row a measured setting, the fastest of each batch marked."""
    _ = translate
    return {
        _("batch"): [_number(each.batch_size, ",.0f") for each in found],
        _("setting"): [setting_name(each, translate) for each in found],
        _("tokens per round"): [_number(each.stats.mean_acceptance_length, ".2f") for each in found],
        _("step"): [_number(each.stats.step_ms, ",.2f", " ms") for each in found],
        _("decode speedup"): [_number(each.speedup, ".2f", "×") for each in found],
        _("fastest"): ["✓" if any(each is one for one in best) else "" for each in found],
    }
