"""Sections of the engine page below its verdict: groups, symptoms, measures of speed, rates by definition, the file."""

from collections.abc import Iterator, Sequence

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.engine.files import is_scrape
from specmodel.dashboard.engine.tables import (
    group_columns,
    group_data,
    length_columns,
    length_data,
    rate_columns,
    setting_columns,
    speed_columns,
    speed_data,
)
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import GroupRow, Mix
from specmodel.engine.lengths import LengthChoice
from specmodel.engine.run import EngineRun
from specmodel.engine.speed import disagree, round_parts, side_by_side, speedup_ceiling
from specmodel.engine.sweep import MeasuredSetting, best_by_batch
from specmodel.engine.symptoms import Symptom
from specmodel.figures.engine import acceptance_figure, groups_figure, lengths_figure, time_parts_figure
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.measured.definitions import DEFINITIONS, Rates, one_alpha
from specmodel.measured.intervals import INTERVAL_METHODS
from specmodel.measured.spec_stats import TYPED, SpecStats
from specmodel.measured.stats_link import pack_stats


def figures(
    page: Page,
    case: EngineCase,
    known: MeasuredAcceptance | None,
    choices: Sequence[LengthChoice],
    best: LengthChoice | None,
) -> None:
    """Acceptance by position, speed by draft length, and where the time goes."""
    _ = page.translate
    left, right = st.columns(2, gap="medium")
    if known is not None:
        with left:
            alt = _("Measured acceptance by draft position, of all rounds and given all before, with 95 % intervals.")
            page.chart(acceptance_figure(known, _), "positions", _("Acceptance by position"), alt, height=280)
            page.note(_kind_of_acceptance(page, case, known))
    if choices:
        with right:
            title = _("Decode speedup by draft length") if best else _("Tokens per step by draft length")
            alt = _("By draft length: measured up to the one it ran with, extrapolated beyond, with 95 % intervals.")
            ran = case.num_speculative_tokens or 0
            figure = lengths_figure(choices, ran, best.num_speculative_tokens if best else None, _)
            page.chart(figure, "lengths", title, alt, height=280)
            page.note(_(LENGTHS_NOTE) if any(each.extrapolated for each in choices) else _(MEASURED_NOTE))


MEASURED_NOTE = N_("Every point was measured with its own draft length.")
LENGTHS_NOTE = N_(
    "Up to the measured length a draft is the same round stopped earlier (within 5 % on one real sweep). Beyond it "
    "the last acceptance is carried on: 7 to 20 % too long on that sweep, so the band widens. Times between are in a "
    "straight line."
)


def _kind_of_acceptance(page: Page, case: EngineCase, known: MeasuredAcceptance) -> str:
    _ = page.translate
    if case.stats.source == TYPED and known.by_position:
        return _("As typed, so without intervals.")
    method = _("95 % intervals: {method}.").format(method=_(INTERVAL_METHODS[known.method]))
    if known.by_position:
        return _.sentences(_("Measured."), method)
    assumed = _("Only tokens per round are known: one α for all positions is assumed.")
    return _.sentences(assumed, method)


def time_section(page: Page, case: EngineCase) -> None:
    """Measures of speed side by side, and where the time of a step goes."""
    _ = page.translate
    parts, ratios = round_parts(case), side_by_side(case.stats, case.baseline)
    if (parts is None or (parts.plain_ms is None and parts.draft_ms is None)) and not ratios:
        _ceiling(page, case)
        return
    st.subheader(_("Where the time goes"), anchor=False)
    if parts is not None and (parts.plain_ms is not None or parts.draft_ms is not None):
        alt = _("Milliseconds of one plain step and of one step with speculation.")
        page.chart(time_parts_figure(parts, case.tokens_per_step, _), "parts", _("Time of a step"), alt, height=190)
    _ceiling(page, case)
    if ratios:
        page.table("speed", _("Speed without and with speculation"), speed_columns(ratios, _), data=speed_data(ratios))
    if disagree(ratios):
        page.note(
            _("They disagree, and both are right: throughput holds prefill and waiting, decode speedup does not.")
        )


def _ceiling(page: Page, case: EngineCase) -> None:
    ceiling = speedup_ceiling(case)
    if ceiling is not None and case.rho is None:
        text = page.translate(
            "Decode speedup is at most {ceiling:.2f}×: a verification pass costs at least one plain step."
        )
        page.note(text.format(ceiling=ceiling))


def groups_section(page: Page, rows: Sequence[GroupRow], mixed: Mix | None) -> None:
    """One row for each group, and what the mix gives."""
    _ = page.translate
    if not rows or (len(rows) == 1 and rows[0].tokens_per_ms is None):
        return
    if len(rows) > 1:
        st.subheader(_("By kind of prompt"), anchor=False)
    page.table("groups", _("Progress per millisecond"), group_columns(rows, _), data=group_data(rows))
    page.note(
        _("Speculate for a kind of prompt only where its tokens per millisecond rise above those of plain decoding.")
    )
    if len(rows) < 2:
        return
    if mixed is not None:
        _mix(page, mixed)
    st.text_input(
        _("Another mix: shares of the output tokens in the order of the rows"), key="mix", persist_state="session",
        placeholder=", ".join(f"{row.share:.0%}" for row in rows if row.share is not None),
    )  # fmt: skip
    if state.option("mix") and not typed_shares(len(rows)):
        st.error(_("A mix needs {n} numbers above 0 with commas between them; it was left out.").format(n=len(rows)))
    if any(row.tokens_per_ms is not None for row in rows):
        alt = _("Tokens per millisecond of each group, with speculation and without.")
        height = 120 + 46 * len(rows)
        page.chart(groups_figure(rows, _), "groups", _("Tokens per millisecond by group"), alt, height=height)


def typed_shares(groups: int) -> list[float]:
    """The mix that was typed, as shares; empty where none was, or not one positive number for each group."""
    try:
        typed = [float(part.strip().removesuffix("%")) for part in str(state.option("mix")).split(",")]
    except ValueError:
        return []
    if len(typed) != groups or not all(0 <= each < 1e9 for each in typed) or not sum(typed):
        return []
    return [each / sum(typed) for each in typed]


def _mix(page: Page, found: Mix) -> None:
    _ = page.translate
    parts = []
    if found.tokens_per_step is not None:
        text = _("All groups together emit {tokens:.2f} tokens a step (harmonic mean by their shares of the tokens).")
        parts.append(text.format(tokens=found.tokens_per_step))
    if found.speedup is not None and found.selective_speedup is not None:
        text = _("On for all: {all:.2f}×. On only where it pays: {chosen:.2f}×.")
        parts.append(text.format(all=found.speedup, chosen=found.selective_speedup))
    if parts:
        page.note(_.sentences(*parts))


def settings_section(page: Page, found: Sequence[MeasuredSetting]) -> None:
    """The measured settings of a sweep, the fastest of each batch marked."""
    if not found:
        return
    _ = page.translate
    best = best_by_batch(found)
    st.subheader(_("Measured settings"), anchor=False)
    columns = setting_columns(found, list(best.values()), _)
    page.table("settings", _("Every setting of the file"), columns)
    lines = [
        _("batch {batch:,.0f}: {setting}, {speedup:.2f}×").format(
            batch=batch,
            setting=_("off") if not each.num_speculative_tokens else f"k = {each.num_speculative_tokens}",
            speedup=each.speedup or 1,
        )
        for batch, each in best.items()
    ]  # fmt: skip
    if lines:
        page.note(_("Fastest chain at {list}.").format(list=_.listed(lines)))
    if any(each.is_tree for each in found):
        page.note(_("Trees are in the table only: the answer below is for chains."))


def symptoms_section(page: Page, found: Sequence[Symptom]) -> None:
    """Patterns that something may be wrong."""
    _ = page.translate
    if not found:
        return
    st.subheader(_("Worth a look"), anchor=False)
    st.caption(_("Leads, not diagnoses: what these counters have meant elsewhere."))
    for symptom in found:
        seen = _("Seen at: {places}.").format(places=symptom.seen_at) if symptom.seen_at else ""
        text = _.sentences(_.message(symptom.cause), seen)
        st.markdown(f"- **{escaped(_.message(symptom.evidence))}** {escaped(text)}")


def rates_section(page: Page, case: EngineCase, known: MeasuredAcceptance | None) -> None:
    """The same acceptance in every definition, and what this engine calls it."""
    if known is None:
        return
    _, acceptance = page.translate, known.acceptance
    tau, k = acceptance.mean_acceptance_length, acceptance.num_speculative_tokens
    rates = Rates(k, acceptance, one_alpha(min(tau, k + 1), k), not known.by_position)
    with st.expander(_("What the engines call it"), expanded=case.stats.source == TYPED, key="rates_open"):
        page.table("rates", _("One acceptance in every definition"), rate_columns(rates, case.stats, _))
        text = _("For rounds that draft {k}. One α that gives the same tokens per round: {alpha:.3f}.")
        page.note(text.format(k=k, alpha=rates.alpha))


def lengths_section(page: Page, choices: Sequence[LengthChoice]) -> None:
    """The numbers behind the figure by draft length."""
    if choices:
        _ = page.translate
        with st.expander(_("By draft length"), key="lengths_open"):
            page.table("lengths", _("By draft length"), length_columns(choices, _), data=length_data(choices))


def about_section(page: Page, run: EngineRun) -> None:
    """What was read: engine, format, version, and what the engine calls its numbers; warnings about the files."""
    _, stats = page.translate, run.stats
    if stats.source != TYPED:
        since = _("since the engine started") if is_scrape(stats) else ""
        parts = [stats.engine, _(stats.source), stats.version or "", _units(page, stats), since]
        st.caption(escaped(" · ".join([*filter(None, parts), *_called(page, stats)])))
    for warning in run.notes:
        st.warning(escaped(_.message(warning)))


def _called(page: Page, stats: SpecStats) -> Iterator[str]:
    """What the engine calls the numbers that it printed, and what they are called here."""
    _ = page.translate
    for each in stats.printed:
        if each.definition in DEFINITIONS and each.name:
            declared = DEFINITIONS[each.definition]
            value = f"{each.value:.1%}" if declared.percent else f"{each.value:.3g}"
            text = _("your engine calls it “{name}” ({value}), here: {label}")
            yield text.format(name=each.name, value=value, label=_(declared.label))


def notes_section(page: Page, run: EngineRun) -> None:
    """What a reader should know about how the numbers were read; folded away where it is much."""
    _ = page.translate
    notes = [_.message(each) for each in (*run.stats.notes, *(run.baseline.notes if run.baseline else ()))]
    lines = [f"- {escaped(note[:1].upper() + note[1:])}" for note in dict.fromkeys(notes)]
    if not lines:
        return
    if len(lines) <= 2:
        st.caption("\n".join(lines))
        return
    with st.expander(_("Notes on these numbers ({n})").format(n=len(lines))):
        st.markdown("\n".join(lines))


def _units(page: Page, stats: SpecStats) -> str:
    """How many requests, windows or rounds the file tells apart; rounds may be kept in blocks."""
    if stats.units is None:
        return ""
    n = round(stats.num_rounds or 0) if stats.units.kind == "rounds" else len(stats.units.counts)
    texts = {
        "requests": page.translate.plural("{n:,} request", "{n:,} requests", n),
        "windows": page.translate.plural("{n:,} window", "{n:,} windows", n),
        "rounds": page.translate.plural("{n:,} round", "{n:,} rounds", n),
    }
    return texts[stats.units.kind].format(n=n)


def given(page: Page, run: EngineRun, case: EngineCase) -> None:
    """What the answer rests on, for the downloads: the counters, and times with where they are from."""
    _ = page.translate
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
    page.rests_on(rows)


def _known(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"
