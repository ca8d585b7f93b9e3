"""Acceptance by kind of text as it was published (data/phases.csv, a source per row), and workloads made of it."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from specmodel.base.messages import N_
from specmodel.base.numbers import one_of
from specmodel.drift.phases import Phase, Workload
from specmodel.model.acceptance import Acceptance

_FILE = Path(__file__).parents[1] / "data" / "phases.csv"

DOMAINS: Mapping[str, str] = {
    "chat": N_("Chat"),
    "code": N_("Code"),
    "math": N_("Mathematics"),
    "documents": N_("Answers from documents"),
    "languages": N_("Several languages"),
    "reasoning": N_("Reasoning"),
    "science": N_("Science and engineering"),
    "summary": N_("Summaries"),
    "humanities": N_("Humanities"),
    "qa": N_("Questions"),
    "writing": N_("Creative writing"),
    "roleplay": N_("Role play"),
    "long": N_("Long context"),
    "translation": N_("Translation"),
    "mixed": N_("A mix of tasks"),
}
"""What is asked of the model: key -> label."""


@dataclass(frozen=True)
class PublishedPhase:
    """Acceptance of one drafter on one kind of text: alpha at the first position and the factors of later ones.

    `kind` is "published" where alpha was printed, and "derived" where it was solved for: from the tokens per round one
    alpha at every position, from shares by position S_i the chances a_i = S_i/S_{i−1}. `temperature` is None where it
    was not stated.

    >>> row = published_phase("minimax_code")
    >>> round(row.alpha, 3), row.kind, row.source[:20]
    (0.877, 'derived', 'vLLM blog 2026-07-13')
    """

    key: str
    domain: str
    temperature: float | None
    alpha: float
    shape: tuple[float, ...]
    tau: float | None
    num_speculative_tokens: int | None
    kind: str
    setup: str
    source: str

    def phase(self, label: str = "", **values: object) -> Phase:
        """A phase with this acceptance; other values are those of `Phase`.

        >>> published_phase("t5_summary_t1").phase(requests=2).label
        'Summaries'
        """
        phase = Phase(
            label or DOMAINS[self.domain],
            alpha=self.alpha,
            acceptance_shape=self.shape,
            temperature=self.temperature,
            source="; ".join((self.source, self.setup)),
            kind=self.kind,
        )
        return replace(phase, **values)  # type: ignore[arg-type]


@cache
def published_phases() -> tuple[PublishedPhase, ...]:
    """All rows of data/phases.csv, in their order.

    >>> len({row.source for row in published_phases()})
    5
    """
    with _FILE.open(newline="", encoding="utf-8") as file:
        return tuple(_row(row) for row in csv.DictReader(file))


def published_phase(key: str) -> PublishedPhase:
    """The row with this key.

    >>> published_phase("kimi_chat").tau
    2.85
    """
    row: PublishedPhase = one_of(key, {row.key: row for row in published_phases()}, N_("published phase"))
    return row


def _row(row: Mapping[str, str]) -> PublishedPhase:
    chances = _chances(row)
    first = chances[0]
    shape = tuple(round(chance / first, 6) for chance in chances[1:]) if row["per_position"] else ()
    return PublishedPhase(
        key=row["key"],
        domain=row["domain"],
        temperature=float(row["temperature"]) if row["temperature"] else None,
        alpha=first,
        shape=shape,
        tau=float(row["tau"]) if row["tau"] else None,
        num_speculative_tokens=int(row["num_speculative_tokens"]) if row["num_speculative_tokens"] else None,
        kind=row["kind"],
        setup=row["setup"],
        source=row["source"],
    )


def _chances(row: Mapping[str, str]) -> tuple[float, ...]:
    if row["alpha"]:
        return (float(row["alpha"]),)
    if row["per_position"]:
        return Acceptance.from_per_position(map(float, row["per_position"].split())).conditional_acceptance
    solved = Acceptance.from_mean_acceptance_length(float(row["tau"]), int(row["num_speculative_tokens"]))
    return solved.conditional_acceptance


@cache
def workloads() -> tuple[Workload, ...]:
    """The workloads that come with the package; how long a phase lasts and its persistence are assumed.

    >>> [each.key for each in workloads()]
    ['day', 'shift', 'slow', 'domains', 'temperature']
    """
    return (_day(), _shift(), _slow(), _domains(), _temperature())


def workload(key: str) -> Workload:
    """The workload with this key.

    >>> [phase.label for phase in workload("shift").phases]
    ['Code', 'Role play', 'Code']
    """
    found: Workload = one_of(key, {workload.key: workload for workload in workloads()}, N_("workload"))
    return found


def _day() -> Workload:
    kinds = ("chat", "code", "languages", "writing", "long")
    return Workload(
        "day",
        N_("A day of an assistant"),
        tuple(published_phase("kimi_" + kind).phase() for kind in kinds),
        N_("Chat, code, other languages, creative writing, long context: one drafter (DSpark for Kimi K3) on each."),
    )


def _shift() -> Workload:
    code, play = (published_phase("minimax_" + kind).phase(requests=20) for kind in ("code", "roleplay"))
    return Workload(
        "shift",
        N_("A sudden shift"),
        (code, play, code),
        N_("From code to role play and back: the best and the worst domain of one drafter (EAGLE-3 for MiniMax-M3)."),
    )


def _slow() -> Workload:
    code, play = (published_phase("minimax_" + kind) for kind in ("code", "roleplay"))
    phase = code.phase(N_("From code to role play"), requests=60, change=play.alpha - code.alpha)
    return Workload(
        "slow",
        N_("A slow drift"),
        (phase,),
        N_("The same two domains, but the acceptance falls evenly from the one to the other; the pace is assumed."),
    )


def _domains() -> Workload:
    rows = [row for row in published_phases() if row.key.startswith("minimax_")]
    rows.sort(key=lambda row: row.alpha, reverse=True)
    return Workload(
        "domains",
        N_("Eleven domains, best to worst"),
        tuple(row.phase(requests=6) for row in rows),
        N_("Every domain that was measured with one drafter (EAGLE-3 for MiniMax-M3), from code down to role play."),
    )


def _temperature() -> Workload:
    labels = {
        "t5_translation_t0": N_("Translation, greedy"),
        "t5_translation_t1": N_("Translation at temperature 1"),
        "t5_summary_t0": N_("Summaries, greedy"),
        "t5_summary_t1": N_("Summaries at temperature 1"),
        "lamda_chat_t0": N_("Chat, greedy"),
        "lamda_chat_t1": N_("Chat at temperature 1"),
    }
    return Workload(
        "temperature",
        N_("The temperature changes"),
        tuple(published_phase(key).phase(label) for key, label in labels.items()),
        N_(
            "Three tasks, each greedy and then sampled at temperature 1. Translation and summaries (T5-XXL with "
            "T5-base as drafter) lose acceptance, chat (LaMDA 137B with LaMDA 2B) does not."
        ),
    )
