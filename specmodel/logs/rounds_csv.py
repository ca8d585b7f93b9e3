"""Rounds CSV: this project's own table of rounds, one row a draft-and-verify cycle.

Columns and what they may hold are those of `specmodel.measured.rounds_file`, what they add up to stands in
`specmodel.measured.rounds_counters`. A row that proposed nothing is a step without a draft. A unit is a request (a
prompt within its category, else a run), or 16 rounds in a row. Rows of several k or temperatures are several settings:
the main counters are those of the setting with most rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from specmodel.base.table_file import RoundsError
from specmodel.logs._format import LogError, Tables, note
from specmodel.measured.rounds import rounds_of
from specmodel.measured.rounds_counters import ENGINE, SOURCE, added_up, run_of, settings_of
from specmodel.measured.rounds_file import TableReader
from specmodel.measured.spec_stats import SpecStats

ROWS_KEPT = 2**19
"""After so many rows their counters take their place, so that memory stays flat in a file of any size."""


class _Rows:
    """One round a row."""

    def __init__(self) -> None:
        self._reader: TableReader | None = None
        self._counted: list[Sequence[SpecStats]] = []
        self._unused: tuple[str, ...] = ()

    def take(self, line: int, found: Any) -> bool:
        self.take_rows((line,), {name: (cell,) for name, cell in found.items()})
        return True

    def take_rows(self, lines: Sequence[int], columns: Mapping[str, Sequence[str]]) -> None:
        """Use rows, given column by column, and the line of each."""
        self._reader = self._reader or TableReader(columns)
        with _as_log_error():
            self._reader.take(lines, columns)
            if self._reader.num_rows >= ROWS_KEPT:
                self._count(self._reader)

    def _count(self, reader: TableReader) -> None:
        rounds = rounds_of(reader.table())
        self._unused = rounds.ignored_columns
        self._counted.append(settings_of(rounds))
        if len(self._counted) > 1:
            self._counted = [added_up(self._counted)]

    def result(self) -> SpecStats | None:
        if self._reader is None:
            return None
        if self._reader.num_rows:
            with _as_log_error():
                self._count(self._reader)
        stats = run_of(self._counted[0])
        unused = ", ".join(self._unused)
        return stats.replace(notes=(note("columns not used: {names}", names=unused),)) if unused else stats


@contextmanager
def _as_log_error() -> Iterator[None]:
    try:
        yield
    except RoundsError as error:
        raise LogError(error.message.template, **error.message.values) from error


ROWS = Tables(ENGINE, SOURCE, ("proposed", "accepted"), _Rows)
FORMATS = (ROWS,)
