"""What was read, for the engine page: engine, format, version, how it was counted, and what the answer rests on."""

from collections.abc import Iterator, Mapping

from specmodel.dashboard.parts.answer import Fact, Folded, Note, Notice, Part
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.run import EngineRun
from specmodel.logs import DIFFERENCE, is_scrape
from specmodel.measured.definitions import DEFINITIONS
from specmodel.measured.spec_stats import TYPED, SpecStats
from specmodel.measured.stats_link import pack_stats

FEW_NOTES = 2
MANY = 3


def about_parts(run: EngineRun, translate: Translator) -> Mapping[str, Part | None]:
    """What was read, what the engine calls its numbers, warnings about the files, and how the numbers were read."""
    _, stats = translate, run.stats
    about = None
    if stats.source != TYPED:
        since = _("since the engine started") if is_scrape(stats) else ""
        parts = [stats.engine, _(stats.source), stats.version or "", _units(stats, _), since]
        about = Note(escaped(" · ".join([*filter(None, parts), *_called(stats, _)])))
    warnings = {
        f"warning_{number}": Notice("warning", escaped(_.message(text))) for number, text in enumerate(run.notes)
    }
    return {"about": about, "taken": _taken(run, _), **warnings, "notes": _notes(run, _)}


def _taken(run: EngineRun, translate: Translator) -> Note | None:
    """What each file was taken for, where there are so many (or two became one) that this is not plain to see."""
    if len(run.taken) < MANY and not (len(run.taken) > 1 and run.stats.source == DIFFERENCE):
        return None
    lines = [f"- {escaped(each.name or '–')}: {escaped(translate.message(each.as_what))}" for each in run.taken]
    return Note("\n".join(lines))


def _units(stats: SpecStats, translate: Translator) -> str:
    """How many requests, windows or rounds the file tells apart; rounds may be kept in blocks."""
    if stats.units is None:
        return ""
    n = round(stats.num_rounds or 0) if stats.units.kind == "rounds" else len(stats.units.counts)
    texts = {
        "requests": translate.plural("{n:,} request", "{n:,} requests", n),
        "windows": translate.plural("{n:,} window", "{n:,} windows", n),
        "rounds": translate.plural("{n:,} round", "{n:,} rounds", n),
    }
    return texts[stats.units.kind].format(n=n)


def _called(stats: SpecStats, translate: Translator) -> Iterator[str]:
    """What the engine calls the numbers that it printed, and what they are called here."""
    _ = translate
    for printed in stats.printed:
        if printed.definition in DEFINITIONS and printed.name:
            declared = DEFINITIONS[printed.definition]
            value = f"{printed.value:.1%}" if declared.percent else f"{printed.value:.3g}"
            text = _("your engine calls it “{name}” ({value}), here: {label}")
            yield text.format(name=printed.name, value=value, label=_(declared.label))


def _notes(run: EngineRun, translate: Translator) -> Note | Folded | None:
    """What to know about how the numbers were read; folded away where it is much."""
    _ = translate
    notes = [_.message(each) for each in (*run.stats.notes, *(run.baseline.notes if run.baseline else ()))]
    lines = [f"- {escaped(note[:1].upper() + note[1:])}" for note in dict.fromkeys(notes)]
    if not lines:
        return None
    if len(lines) <= FEW_NOTES:
        return Note("\n".join(lines))
    return Folded(_("Notes on these numbers ({n})").format(n=len(lines)), "\n".join(lines))


def facts(measured: EngineAnswer, translate: Translator) -> tuple[Fact, ...]:
    """What the answer rests on, for the downloads: the counters, and times with where they are from."""
    _, run, case = translate, measured.run, measured.case
    rows = [
        (_("Engine"), run.stats.engine or "–", "engine"),
        (_("Source"), _(run.stats.source), "source"),
        (_("Draft tokens per round k"), _known(case.num_speculative_tokens), "num_speculative_tokens"),
        (_("Plain decoding step (ms)"), _known(case.plain_ms), "plain_ms"),
        (_("Step with speculation (ms)"), _known(case.round_ms), "round_ms"),
        (_("Counters"), pack_stats(run.stats), "counts"),
    ]
    if run.baseline is not None:
        rows.append((_("Counters without speculation"), pack_stats(run.baseline), "base"))
    return tuple(rows)


def asked(measured: EngineAnswer, translate: Translator) -> tuple[Fact, ...]:
    """What was given, by name: the engine and its file, how much was counted, and the times that the answer uses."""
    _, stats, case = translate, measured.run.stats, measured.case
    rows = [
        (_("Engine"), " ".join(filter(None, (stats.engine or "–", stats.version))), "engine"),
        (_("Source"), _(stats.source), "source"),
        (_("Named"), stats.label or "", "label"),
        (_("Requests"), f"{stats.num_requests:,.0f}" if stats.num_requests else "", "num_requests"),
        (_("Rounds"), f"{stats.num_rounds:,.0f}" if stats.num_rounds else "", "num_rounds"),
        (_("Requests running"), _known(stats.batch_size) if stats.batch_size else "", "batch_size"),
        (_("Draft tokens per round k"), _known(case.num_speculative_tokens), "num_speculative_tokens"),
        (_("Plain decoding step (ms)"), _known(case.plain_ms), "plain_ms"),
        (_("Step with speculation (ms)"), _known(case.round_ms), "round_ms"),
    ]
    return tuple(row for row in rows if row[1])


def _known(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"
