"""The table of all models that a Prometheus knows, first those where switching would gain most. No Streamlit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from specmodel import engine
from specmodel.base.messages import N_, SpecmodelError
from specmodel.dashboard.engine.words import shown
from specmodel.dashboard.parts.answer import Column, Note, Part, table_of
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.run import assemble
from specmodel.logs.prometheus import FleetRow
from specmodel.measured.spec_stats import SpecStats

VERDICTS = {
    "pays": N_("pays"),
    "does_not_pay": N_("does not pay"),
    "too_close": N_("too close to call"),
    "not_comparable": N_("unknown: no pair"),
    "off": N_("unknown"),
}
ORDER = ("does_not_pay", "too_close", "not_comparable", "off", "pays")


@dataclass(frozen=True)
class Judged:
    """A row of the fleet with its verdict; `kind` is "off" where nothing can be said."""

    row: FleetRow
    answer: EngineAnswer | None

    @property
    def kind(self) -> str:
        """The kind of its verdict."""
        return self.answer.verdict.kind if self.answer is not None else "off"

    @property
    def speedup(self) -> float | None:
        """How many times as fast as its plain instances decode."""
        found = self.answer.speedup if self.answer is not None else None
        return found.value if found is not None else None

    @property
    def wasted_per_hour(self) -> float | None:
        """Draft tokens thrown away in an hour, at the rate of the window."""
        stats = self.row.stats
        if stats is None or stats.num_draft_tokens is None or stats.num_accepted_draft_tokens is None:
            return None
        return (stats.num_draft_tokens - stats.num_accepted_draft_tokens) * 3600 / (stats.window_s or 3600)


def judged(rows: Sequence[FleetRow]) -> tuple[Judged, ...]:
    """The rows with their verdicts: those that lose first, the greatest loss on top, those that win last.

    >>> judged(())
    ()
    """
    found = [Judged(row, _answer(row)) for row in rows]
    return tuple(sorted(found, key=_place))


def _place(each: Judged) -> tuple[float, ...]:
    speedup = each.speedup if each.speedup is not None else 1.0
    return ORDER.index(each.kind), speedup, -(each.wasted_per_hour or 0.0)


def _answer(row: FleetRow) -> EngineAnswer | None:
    if row.stats is None:
        return None
    runs = [row.stats] if row.plain is None else [row.stats, row.plain]
    try:
        return engine.answer(assemble(runs))
    except SpecmodelError:
        return None


def fleet_parts(rows: Sequence[FleetRow], query: Mapping[str, str], translate: Translator) -> Mapping[str, Part | None]:
    """The table; the name of each model is a link to its whole verdict, with the rest of `query` kept."""
    _, found = translate, judged(rows)
    speedups = [each.answer.speedup if each.answer is not None else None for each in found]
    stats = [each.row.stats for each in found]
    tokens = [_tokens(each) for each in stats]
    rate = [each.draft_acceptance_rate if each is not None else None for each in stats]
    wasted = [each.wasted_per_hour for each in found]
    names = [" · ".join(filter(None, (each.row.target.model, each.row.target.where))) for each in found]
    links = [f"engine?{urlencode({**query, 'src': 'live', 'model': each.row.target.key})}" for each in found]
    linked = [f"[{escaped(name)}]({link})" for name, link in zip(names, links, strict=True)]
    columns = [
        Column(_("model"), "model", names, linked),
        Column(_("engine"), "engine", [each.row.target.engine for each in found]),
        Column(_("verdict"), "verdict", [each.kind for each in found], [_(VERDICTS[each.kind]) for each in found]),
        Column(_("speedup"), "speedup", [each.speedup for each in found],
               ["–" if each is None else f"{shown(each, '.2f')}" for each in speedups]),
        Column(_("tokens per step"), "tokens_per_step", tokens, _texts(tokens, ".2f")),
        Column(_("drafts accepted"), "draft_acceptance_rate", rate, _texts(rate, ".0%")),
        Column(_("drafts wasted an hour"), "wasted_drafts_per_hour", wasted, _texts(wasted, ",.0f")),
        Column(_("why not known"), "missing", [_missing(each, _) for each in found]),
    ]  # fmt: skip
    note = _(
        "First what loses most, last what wins most. A verdict needs instances of the same model that do not speculate "
        "and answer at like load; the name opens it, where the time of a plain step can be typed instead."
    )
    return {"fleet": table_of(_("By model"), columns, "models"), "fleet_note": Note(note)}


def _tokens(stats: SpecStats | None) -> float | None:
    return None if stats is None else stats.tokens_per_step or stats.mean_acceptance_length


def _texts(values: Sequence[float | None], pattern: str) -> list[str]:
    return ["–" if value is None else format(value, pattern) for value in values]


def _missing(each: Judged, translate: Translator) -> str:
    if each.row.missing is not None:
        return translate.message(each.row.missing)
    return translate("no plain instances") if each.row.plain is None and each.kind == "off" else ""
