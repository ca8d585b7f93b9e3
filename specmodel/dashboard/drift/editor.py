"""The table in which a visitor makes phases of a workload, and the published rows that can be added to it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.params import declarations
from specmodel.dashboard.drift.declared import OWN
from specmodel.dashboard.drift.phases import MOST_PHASES, check_phases, name, read_phases, write_phases
from specmodel.dashboard.drift.race import phases_in_link
from specmodel.dashboard.lesson.lesson import presenting
from specmodel.dashboard.parts.entries import help_text
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.drift.phases import MAX_TOKENS, Phase, Workload
from specmodel.drift.published import DOMAINS, PublishedPhase, published_phase, published_phases

NEW_KIND = N_("My text")
_OPTION, _START, _EDITION, _ROWS, _ROW = "phases", "drift:start", "drift:edition", "drift:rows", "drift:row"
NEEDED = ("alpha", "requests", "tokens")


def edit_phases(page: Page, start: Workload) -> None:
    """The table of the visitor's own phases, where these are chosen: those of the link, else those of `start`. What it
    becomes goes into the link."""
    if state.option("workload") != OWN:
        _leave()
        return
    _ = page.translate
    if not state.option(_OPTION):
        st.session_state[_START] = write_phases(start.phases)
        state.set_option(_OPTION, st.session_state[_START])
    with st.expander(_("The phases of my workload"), expanded=not presenting()):
        count = _edited(page, phases_in_link(state.chosen(), start)[0])
        _add(page, count, start)
        st.caption(
            _(
                "α is the chance that a draft is accepted if all before it were. A published α keeps its source, and "
                "its course over the positions, until you change it; then the phase is assumed. At most {most} phases "
                "and {tokens:,} tokens; everything is in the link."
            ).format(most=MOST_PHASES, tokens=MAX_TOKENS)
        )


def _leave() -> None:
    """Forget phases that were never changed when another workload is chosen, so that the next one is the start."""
    if state.option(_OPTION) and state.option(_OPTION) == st.session_state.get(_START):
        state.set_option(_OPTION, "")


def _edited(page: Page, kept: tuple[Phase, ...]) -> int:
    """The editor and how many phases it leaves; those that can be used go into the link, others are refused and leave
    the last ones as they are."""
    _ = page.translate
    key = f"drift:editor:{st.session_state.get(_EDITION, 0)}:{_.language}"
    if key not in st.session_state:  # a new editor: what it starts from stays, since it keeps the edits to that
        st.session_state[_ROWS] = kept
    rows: tuple[Phase, ...] = st.session_state[_ROWS]
    edited = st.data_editor(
        _frame(rows, _),
        hide_index=True,
        key=key,
        column_config=_columns(_),
        num_rows="dynamic",
        height="content",
        placeholder="–",
    )
    try:
        phases = _phases(edited, rows, _)
        check_phases(phases)
    except SpecmodelError as error:
        st.warning(escaped(_.message(_refused(error))))
        return len(kept)
    if not phases:
        st.warning(_("A workload needs a phase with α, requests and tokens: the page shows the phases before."))
        return len(kept)
    text = write_phases(phases)
    if text != write_phases(kept):
        state.set_option(_OPTION, text)
    return len(phases)


def _refused(error: SpecmodelError) -> Message:
    return Message("Not taken over: {error}.", {"error": error.message})


def _frame(rows: Sequence[Phase], translate: Translator) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "from": [str(at) for at in range(len(rows))],
            "kind": [translate(phase.label) for phase in rows],
            "alpha": [round(phase.alpha, 3) for phase in rows],
            "last": [_last(phase) for phase in rows],
            "requests": [phase.requests for phase in rows],
            "tokens": [phase.output_tokens for phase in rows],
        }
    ).astype({"last": float})


def _last(phase: Phase) -> float | None:
    return round(phase.alpha + phase.change, 3) if phase.change else None


def _columns(translate: Translator) -> dict[str, Any]:
    _, declared = translate, declarations(Phase)
    number, alpha = st.column_config.NumberColumn, declared["alpha"]
    requests, tokens = declared["requests"], declared["output_tokens"]
    return {
        "from": None,
        "kind": st.column_config.TextColumn(_("kind of text"), default=_(NEW_KIND), width="medium"),
        "alpha": number("α", help=help_text(alpha, _), default=0.6, min_value=0.0, max_value=1.0, step=0.001),
        "last": number(
            _("α at its end"),
            help=_("Where the acceptance changes evenly over the phase; empty: it does not."),
            min_value=0.0,
            max_value=1.0,
            step=0.001,
        ),
        "requests": number(
            _("requests"), help=help_text(requests, _), default=12, min_value=1, max_value=10_000, step=1
        ),
        "tokens": number(
            _("tokens of an answer"), help=help_text(tokens, _), default=150, min_value=1, max_value=MAX_TOKENS, step=1
        ),
    }  # fmt: skip


def _phases(edited: pd.DataFrame, rows: Sequence[Phase], translate: Translator) -> tuple[Phase, ...]:
    """The rows of the editor as phases; those that still lack a number are left out."""
    whole = edited.dropna(subset=list(NEEDED)).astype(dict.fromkeys(NEEDED, float))
    origins = [rows[int(at)] if pd.notna(at) else None for at in whole["from"]]
    return tuple(_phase(row, before, translate) for row, before in zip(whole.to_dict("records"), origins, strict=True))


def _phase(row: dict[Any, Any], before: Phase | None, translate: Translator) -> Phase:
    """A row as a phase; where its acceptance was not touched it stays that of the phase that the row was before."""
    label = name(str(row["kind"])) if pd.notna(row["kind"]) else ""
    label = label or translate(NEW_KIND)
    if before and label == translate(before.label):
        label = before.label
    requests, tokens = _whole(row["requests"]), _whole(row["tokens"])
    alpha, last = float(row["alpha"]), float(row["last"]) if pd.notna(row["last"]) else None
    if before and (alpha, last) == (round(before.alpha, 3), _last(before)):
        return replace(before, label=label, requests=requests, output_tokens=tokens)
    change = 0.0 if last is None else last - alpha
    return Phase(label, alpha=alpha, change=change, requests=requests, output_tokens=tokens)


def _whole(value: float) -> int:
    if not value.is_integer():
        raise SpecmodelError(Message("{value} is no whole number of requests or tokens", {"value": value}))
    return int(value)


def _add(page: Page, count: int, start: Workload) -> None:
    """The published rows, one of which can be added, and the way back to the workload before."""
    _ = page.translate
    rows = {row.key: row for row in published_phases()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("A published phase"),
            list(rows),
            format_func=lambda key: _row_label(rows[key], _),
            key=_ROW,
            width=440,
            help=_("Kind of text, α at the first position, and what it was measured with."),
        )
        st.button(_("Add"), key="drift:add", on_click=_append, disabled=count >= MOST_PHASES)
        label = _("Start over: {workload}").format(workload=_(start.label))
        st.button(label, key="drift:over", on_click=_restart, type="tertiary")


def _row_label(row: PublishedPhase, translate: Translator) -> str:
    return f"{translate(DOMAINS[row.domain])} · α {row.alpha:.2f} · {row.setup}"


def _append() -> None:
    """Put the chosen row behind the phases, unless that is too much."""
    phases = (*read_phases(str(state.option(_OPTION)))[0], published_phase(st.session_state[_ROW]).phase())
    try:
        check_phases(phases)
    except SpecmodelError as error:
        st.session_state["complaints"] = (*state.complaints(), _refused(error))
        return
    _renew(write_phases(phases))


def _restart() -> None:
    _renew("")


def _renew(text: str) -> None:
    """Set the phases from outside the editor: a new editor starts from them."""
    state.set_option(_OPTION, text)
    st.session_state[_EDITION] = st.session_state.get(_EDITION, 0) + 1
