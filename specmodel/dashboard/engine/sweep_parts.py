"""A sweep on the engine page: every setting compared, the best with what ties with it, and what to measure next."""

from collections.abc import Mapping

from specmodel.base.messages import N_
from specmodel.dashboard.engine.cards import chance
from specmodel.dashboard.engine.tables import UNKNOWN, in_cell
from specmodel.dashboard.engine.words import shown
from specmodel.dashboard.parts.answer import Column, Heading, Note, Part, Table, Text, table_of
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.next_setting import NextSetting
from specmodel.engine.repeats import Spread, by_setting
from specmodel.engine.tried import Tried

NEXT = {
    "plain": N_("Measure next: the same without speculation."),
    "length": N_("Measure next: k = {k}."),
    "acceptance": N_("Measure next: the acceptance of the same settings."),
    "repeat": N_("Measure next: the settings that tie, again."),
    "nothing": N_("Nothing else to measure here."),
}
TRIED_ONCE = N_("Each ran once: ± 5 % between two runs is assumed.")
TRIED_OFTEN = N_("How far repeated runs lie apart is measured, pooled over all settings that were repeated.")


def sweep_parts(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """The settings of a file compared, and what to measure next; nothing for any other file."""
    _, tried, further = translate, measured.tried, measured.next_setting
    if further is None or not tried:
        return {}
    return {
        "tried_heading": Heading(_("Settings tried")) if len(tried) > 1 else None,
        "best_setting": Text(_best(tried, _)) if len(tried) > 1 else None,
        "tried": tried_table(tried, _) if len(tried) > 1 else None,
        "tried_note": Note(_kind(measured, _)) if len(tried) > 1 else None,
        "next_setting": Text(_next(further, _)),
    }


def _best(tried: tuple[Tried, ...], translate: Translator) -> str:
    """The setting that loses least, and those that cannot be told from it."""
    _ = translate
    best = next(each for each in tried if each.is_best)
    name = escaped(setting(best, _))
    if best.speedup is not None and best.stats.speculation:
        said = _("**Best: {setting}**, {speedup}× as fast as without.")
        said = said.format(setting=name, speedup=shown(best.speedup, ".2f"))
    else:
        said = _("**Best: {setting}**.").format(setting=name)
    ties = [escaped(setting(each, _)) for each in tried if each.ties]
    if not ties:
        return said
    return f"{said} {_('What is known cannot tell it from {names}.').format(names=_.listed(ties))}"


def _kind(measured: EngineAnswer, translate: Translator) -> str:
    runs = by_setting(measured.stats.parts)
    return translate(TRIED_ONCE if Spread.of(runs) is None else TRIED_OFTEN)


def _next(further: NextSetting, translate: Translator) -> str:
    _ = translate
    head = _(NEXT[further.kind]).format(k=further.num_speculative_tokens)
    predicted = ""
    if further.speedup is not None and further.speedup.value is not None:
        predicted = _("Predicted: {speedup}×.").format(speedup=shown(further.speedup, ".2f"))
    return f"**{head}** {_.sentences(escaped(_.message(further.reason)), predicted)}"


def setting(tried: Tried, translate: Translator) -> str:
    """A setting in words: its label, which names draft length, p-min and way of drafting."""
    stats = tried.stats
    if not stats.speculation:
        return translate("off")
    return stats.label or f"k = {stats.num_speculative_tokens or '?'}"


def tried_table(tried: tuple[Tried, ...], translate: Translator) -> Table:
    """One row a setting, the fastest first."""
    _ = translate
    speedups = [UNKNOWN if each.speedup is None else f"{shown(each.speedup, '.2f')}×" for each in tried]
    lengths = [each.stats.mean_acceptance_length for each in tried]
    columns = [
        Column(_("setting"), "setting", [setting(each, _) for each in tried]),
        Column(
            _("time per token"), "ms_per_token", [each.ms for each in tried], [f"{each.ms:,.2f} ms" for each in tried]
        ),
        Column(
            _("tokens per round"), "tokens_per_round", lengths, [UNKNOWN if x is None else f"{x:.2f}" for x in lengths]
        ),
        Column(_("decode speedup"), "", speedups),
        Column("", "speedup", [each.speedup.value if each.speedup else None for each in tried]),
        Column("", "speedup_low", [each.speedup.low if each.speedup else None for each in tried]),
        Column("", "speedup_high", [each.speedup.high if each.speedup else None for each in tried]),
        Column(
            _("chance to be best"),
            "chance_best",
            [each.chance_best for each in tried],
            [in_cell(chance(each.chance_best, times_vary=False)) for each in tried],
        ),
        Column(
            _("lost if another is best"),
            "regret",
            [each.regret for each in tried],
            [f"{each.regret:.1%}" for each in tried],
        ),
        Column(_("runs"), "runs", [each.runs for each in tried]),
        Column(
            _("kind"),
            "",
            [_("best") if each.is_best else _("ties with the best") if each.ties else "" for each in tried],
        ),
    ]
    return table_of(_("Settings tried"), columns, "tried")
