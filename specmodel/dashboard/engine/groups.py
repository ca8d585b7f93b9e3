"""Groups and settings on the engine page: one row each, what a mix of the groups gives, the fastest setting a batch."""

from collections.abc import Mapping, Sequence

from specmodel.base.messages import N_
from specmodel.dashboard.engine.tables import groups_table, settings_table
from specmodel.dashboard.engine.typed import typed_shares
from specmodel.dashboard.parts.answer import Chart, Heading, Note, Notice, Part
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.groups import GroupRow
from specmodel.engine.mix import Mix
from specmodel.figures.engine import groups_figure

REPEATS_NOTE = N_(
    "95 % intervals: how far repeated runs of a setting lie apart, pooled over all settings that were repeated; a "
    "setting that ran once gets the same spread."
)


def group_parts(chosen: Chosen, measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """One row for each group, and what the mix gives; nothing for a single group that has no times."""
    _, rows = translate, measured.groups
    if not rows or (len(rows) == 1 and rows[0].tokens_per_ms is None):
        return {}
    note = _("Speculate for a kind of prompt only where its tokens per millisecond rise above those of plain decoding.")
    several = len(rows) > 1
    return {
        "groups_heading": Heading(_("By kind of prompt")) if several else None,
        "groups_table": groups_table(rows, _),
        "groups_note": Note(note),
        "mix_note": _mix(measured.mix, _) if measured.mix is not None else None,
        "mix_error": _wrong_mix(str(chosen.option("mix")), len(rows), _) if several else None,
        "groups": _groups_chart(rows, _) if several else None,
    }


def _mix(mix: Mix, translate: Translator) -> Note | None:
    _ = translate
    sentences = []
    if mix.tokens_per_step is not None:
        text = _("All groups together emit {tokens:.2f} tokens a step (harmonic mean by their shares of the tokens).")
        sentences.append(text.format(tokens=mix.tokens_per_step))
    if mix.speedup is not None and mix.selective_speedup is not None:
        text = _("On for all: {all:.2f}×. On only where it pays: {chosen:.2f}×.")
        sentences.append(text.format(all=mix.speedup, chosen=mix.selective_speedup))
    return Note(_.sentences(*sentences)) if sentences else None


def _wrong_mix(text: str, groups: int, translate: Translator) -> Notice | None:
    if not text or typed_shares(text, groups):
        return None
    message = translate("A mix needs {n} numbers above 0 with commas between them; it was left out.")
    return Notice("error", message.format(n=groups))


def _groups_chart(rows: Sequence[GroupRow], translate: Translator) -> Chart | None:
    _ = translate
    if all(row.tokens_per_ms is None for row in rows):
        return None
    alt = _("Tokens per millisecond of each group, with speculation and without.")
    return Chart(groups_figure(rows, _), _("Tokens per millisecond by group"), alt, 120 + 46 * len(rows))


def setting_parts(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """The measured settings of a sweep, the fastest of each batch named."""
    _, settings, best = translate, measured.sweep, measured.best_by_batch
    if len(settings) < 2 or (not best and len(measured.tried) > 1):
        return {}  # of one batch only: they stand among the settings tried
    lines = [
        _("batch {batch:,.0f}: {setting}, {speedup:.2f}×").format(
            batch=batch,
            setting=_("off") if not each.num_speculative_tokens else f"k = {each.num_speculative_tokens}",
            speedup=each.speedup or 1,
        )
        for batch, each in best.items()
    ]
    trees = any(each.is_tree for each in settings)
    return {
        "settings_heading": Heading(_("Measured settings")),
        "settings": settings_table(settings, list(best.values()), _),
        "settings_note": Note(_("Fastest chain at {list}.").format(list=_.listed(lines))) if lines else None,
        "repeats_note": Note(_(REPEATS_NOTE)) if any(each.low is not None for each in settings) else None,
        "trees_note": Note(_("Trees are in the table only: the answer below is for chains.")) if trees else None,
    }
