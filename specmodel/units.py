"""Counters by sampling unit (a round, a request, a window of a log): what honest intervals are made from.

Rounds of one request resemble each other, so an interval that counts every draft as a trial of its own is too narrow.
Where a file shows the counters of smaller units, those units are what a bootstrap draws.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["rounds", "requests", "windows"]
COLUMNS = ("num_rounds", "num_draft_tokens", "num_accepted_draft_tokens")
MAX_UNITS = 4096


@dataclass(frozen=True, eq=False)
class Units:
    """`counts[u]` holds rounds, drafted and accepted tokens of unit u, then A_1 … A_k where positions are known.

    Not more than `MAX_UNITS` are kept: neighbours are added up, which leaves the sums as they are.

    >>> units = Units.of("requests", [(100, 300, 180, (76, 59, 45)), (10, 30, 12, (6, 4, 2))])
    >>> units.counts.shape, units.counts.sum(axis=0).tolist()
    ((2, 6), [110.0, 330.0, 192.0, 82.0, 63.0, 47.0])
    """

    kind: Kind
    counts: NDArray[np.float64]

    @classmethod
    def of(cls, kind: Kind, rows: Iterable[tuple[float, float, float, tuple[float, ...] | None]]) -> "Units":
        """From rows of (rounds, drafted, accepted, accepted by position or None); one None drops all positions."""
        listed = list(rows)
        known = all(row[3] is not None for row in listed)
        width = max((len(row[3] or ()) for row in listed), default=0) if known else 0
        counts = np.zeros((len(listed), len(COLUMNS) + width))
        for index, (rounds, drafted, accepted, positions) in enumerate(listed):
            counts[index, :3] = rounds, drafted, accepted
            if width and positions:
                counts[index, 3 : 3 + len(positions)] = positions
        return cls(kind, _bounded(counts))

    @classmethod
    def joined(cls, units: "Sequence[Units]") -> "Units":
        """All of them, one after the other; positions are kept only where all have them.

        >>> two = [Units.of("requests", [(2, 4, 1, (1, 0))]), Units.of("requests", [(1, 3, 0, (0, 0, 0))])]
        >>> Units.joined(two).counts.shape
        (2, 6)
        """
        known = all(each.counts.shape[1] > len(COLUMNS) for each in units)
        width = max(each.counts.shape[1] for each in units) if known else len(COLUMNS)
        counts = np.zeros((sum(len(each.counts) for each in units), width))
        row = 0
        for each in units:
            size = len(each.counts)
            kept = each.counts[:, :width]
            counts[row : row + size, : kept.shape[1]] = kept
            row += size
        return cls(units[0].kind, _bounded(counts))


def _bounded(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    while len(counts) > MAX_UNITS:
        if len(counts) % 2:
            counts = np.concatenate((counts, np.zeros((1, counts.shape[1]))))
        counts = counts[::2] + counts[1::2]
    counts.setflags(write=False)
    return counts
