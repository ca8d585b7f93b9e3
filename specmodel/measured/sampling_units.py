"""Counters by sampling unit (a round, a request, a window of a log): what honest intervals are made from.

Rounds of one request resemble each other, so an interval that counts every draft as a trial of its own is too narrow.
Where a file shows the counters of smaller units, those units are what a bootstrap draws.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from specmodel.base.arrays import Floats

UnitKind = Literal["rounds", "requests", "windows"]
COLUMNS = ("num_rounds", "num_draft_tokens", "num_accepted_draft_tokens")
MAX_UNITS = 4096
FEW = 64
Row = tuple[float, float, float, tuple[float, ...] | None]
MOST_DEPENDENT_FIRST: tuple[UnitKind, ...] = ("rounds", "windows", "requests")


class Units:
    """`counts[u]` holds rounds, drafted and accepted tokens of unit u, then A_1 … A_k where positions are known.

    Not more than `MAX_UNITS` are kept: neighbours are added up, which leaves the sums as they are.

    The counters are held in one of two forms. Up to `FEW` units are held as the rows that they were made from, and
    `counts` makes the array when it is first asked for. More are held as that array from the start. The reason is
    speed: reading a long log makes a million `Units` of one row each, of which only `joined` is ever used, and it
    writes their rows into one array; an array for each of them would take most of the time.

    >>> units = Units.of("requests", [(100, 300, 180, (76, 59, 45)), (10, 30, 12, (6, 4, 2))])
    >>> units.counts.shape, units.counts.sum(axis=0).tolist()
    ((2, 6), [110.0, 330.0, 192.0, 82.0, 63.0, 47.0])
    """

    def __init__(self, kind: UnitKind, counts: Floats | None, rows: Sequence[Row] = ()):
        self.kind = kind
        self._counts = counts
        self._rows = rows

    @classmethod
    def of(cls, kind: UnitKind, rows: Iterable[Row]) -> "Units":
        """From rows of (rounds, drafted, accepted, accepted by position or None); one None drops all positions."""
        units = cls(kind, None, list(rows))
        return units if len(units._rows) <= FEW else cls(kind, units.counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Units) and self.kind == other.kind and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    @property
    def counts(self) -> Floats:
        """A row a unit; cannot be written to."""
        if self._counts is None:
            counts = np.zeros((len(self._rows), len(COLUMNS) + self._width))
            _fill(counts, self._rows)
            self._counts = _bounded(counts)
        return self._counts

    @property
    def _width(self) -> int:
        """How many positions are counted by position: 0 where one unit does not tell them."""
        if self._counts is not None:
            return int(self._counts.shape[1]) - len(COLUMNS)
        known = all(row[3] is not None for row in self._rows)
        return max((len(row[3] or ()) for row in self._rows), default=0) if known else 0

    @classmethod
    def joined(cls, units: "Sequence[Units]") -> "Units":
        """All of them, one after the other; positions are kept only where all have them.

        Of several kinds the most dependent one is assumed: single rounds are later joined to blocks of neighbours.

        >>> two = [Units.of("requests", [(2, 4, 1, (1, 0))]), Units.of("requests", [(1, 3, 0, (0, 0, 0))])]
        >>> Units.joined(two).counts.shape
        (2, 6)
        """
        widths = [each._width for each in units]
        sizes = [len(each._rows) if each._counts is None else len(each._counts) for each in units]
        counts = np.zeros((sum(sizes), len(COLUMNS) + (max(widths) if all(widths) else 0)))
        rows: list[Row] = []  # of the units held as rows that end just before `at`, not written yet
        at = 0
        for each, size in zip(units, sizes, strict=True):
            if each._counts is None:
                rows.extend(each._rows)
            else:
                _fill(counts[at - len(rows) : at], rows)
                rows = []
                kept = each._counts[:, : counts.shape[1]]
                counts[at : at + size, : kept.shape[1]] = kept
            at += size
        _fill(counts[at - len(rows) :], rows)
        kinds = {each.kind for each in units}
        kind = next(each for each in MOST_DEPENDENT_FIRST if each in kinds)
        return cls(kind, _bounded(counts))


def _fill(counts: Floats, rows: Sequence[Row]) -> None:
    """Write rows into an array: in one go where each has as many positions as the array has columns, else row by row.

    Columns for positions that a row does not have stay 0.
    """
    if not rows:
        return
    width = counts.shape[1] - len(COLUMNS)
    if not width:
        counts[:] = [row[:3] for row in rows]
    elif all(row[3] is not None and len(row[3]) == width for row in rows):
        counts[:] = [(rounds, drafted, accepted, *(positions or ())) for rounds, drafted, accepted, positions in rows]
    else:
        for index, (*first, positions) in enumerate(rows):
            counts[index, : len(COLUMNS)] = first
            counts[index, len(COLUMNS) : len(COLUMNS) + len(positions or ())] = positions or ()


def _bounded(counts: Floats) -> Floats:
    while len(counts) > MAX_UNITS:
        if len(counts) % 2:
            counts = np.concatenate((counts, np.zeros((1, counts.shape[1]))))
        counts = counts[::2] + counts[1::2]
    counts.setflags(write=False)
    return counts
