"""speculators: the acceptance.csv of its evaluation.

Format read in the evaluation scripts (commit c05b95b3, 2026-08-20). One row a subset of the benchmark, with the
counters of vLLM over it; `acceptance_at_pos_i` are shares of its rounds, empty where a run drafts fewer tokens.
"""

import re
from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, number
from specmodel.logs._format import LogError, Tables
from specmodel.logs._positions import counts_from_rates
from specmodel.logs._printed import MOST_SETTINGS, agree
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats, total

ENGINE = "speculators"
_POSITION = re.compile(r"acceptance_at_pos_(\d{1,4})")


class _Rows:
    """Rows of the same subset are added up, and subsets become parts."""

    def __init__(self) -> None:
        self._subsets: dict[str, Tally] = {}

    def take(self, line: int, found: Any) -> bool:
        subset = found.get("subset", "").strip()[:120]
        stats = _row(found, line).replace(label=subset)
        self._subsets.setdefault(subset, Tally()).add(stats)
        if len(self._subsets) > MOST_SETTINGS:
            raise LogError("line {line}: more than {limit} subsets", line=line, limit=MOST_SETTINGS)
        return True

    def result(self) -> SpecStats | None:
        parts = [stats for tally in self._subsets.values() if (stats := tally.total()) is not None]
        if len(parts) < 2:
            return parts[0] if parts else None
        return total(parts).replace(parts=tuple(parts), printed=())


def _row(found: Mapping[str, str], line: int) -> SpecStats:
    rounds, drafted, accepted = (
        count(found[name].strip(), line, name) for name in ("num_drafts", "num_draft_tokens", "num_accepted_tokens")
    )
    shares = sorted(
        (int(match[1]), number(cell.strip(), line, name))
        for name, cell in found.items()
        if (match := _POSITION.fullmatch(name)) and cell.strip()
    )
    if [position for position, _ in shares] != list(range(len(shares))):
        raise LogError("line {line}: the positions of acceptance_at_pos are not 0, 1, 2, …", line=line)
    rates = [share for _, share in shares]
    positions = counts_from_rates(rates, rounds, accepted, line) if rates else None
    length = found["acceptance_length"].strip()
    printed: tuple[Printed, ...] = ()
    if length and rounds:
        agree(number(length, line, "acceptance_length"), 1 + accepted / rounds, 0.005, line, "acceptance_length")
        printed = (Printed("acceptance_length", number(length, line, "acceptance_length"), "length_with_bonus"),)
    stats = SpecStats(
        ENGINE,
        ROWS.source,
        speculation=rounds > 0,
        num_speculative_tokens=len(rates) or None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        units=Units.of("windows", [(rounds, drafted, accepted, positions)]),
        printed=printed,
    )
    return checked(stats, line)


ROWS = Tables(
    ENGINE,
    N_("acceptance.csv"),
    ("num_drafts", "num_draft_tokens", "num_accepted_tokens", "acceptance_length"),
    _Rows,
)
FORMATS = (ROWS,)
