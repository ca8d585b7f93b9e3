"""Counts rounds one by one: how many tokens each accepted, and how many it drafted where that is known."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from specmodel.logs._printed import draft_length
from specmodel.measured.sampling_units import MAX_UNITS, UnitKind, Units
from specmodel.measured.spec_stats import SpecStats

MAX_CELLS = 32 * 4 * MAX_UNITS
"""Units × positions: with drafts of more than 128 tokens fewer units are kept."""
_Unit = Counter[tuple[int, int]]  # (accepted, drafted) -> rounds


class Lengths:
    """The rounds of a file in bounded memory, by number of tokens accepted and drafted.

    A unit is a request where `add` is told which, else `span` rounds in a row. Where there are more units than a
    bootstrap needs, neighbours are put together, all of them alike. Units hold 0 drafted where that is unknown.

    >>> lengths = Lengths()
    >>> for accepted in (2, 1, 0, 3, 1): lengths.add(accepted, 1)
    >>> lengths.stats("mlx-lm", "dump").accepted_per_position
    (4, 2, 1)
    """

    def __init__(self, span: int = 1):
        self.accepted: Counter[int] = Counter()
        self.drafted: Counter[int] = Counter()
        self.by_request = False
        self._span = span
        self._unknown = False
        self._open: dict[Hashable, _Unit] = {}
        self._closed: list[_Unit] = []
        self._together = 1
        self._rounds = 0

    def add(self, accepted: int, line: int, drafted: int | None = None, request: Hashable = None) -> None:
        """One round that had a draft."""
        draft_length(max(accepted, drafted or 0), line, "accepted")
        self.accepted[accepted] += 1
        self._unknown |= drafted is None
        self.drafted[drafted or 0] += 1
        self.by_request |= request is not None
        key = request if request is not None else self._rounds // self._span
        self._rounds += 1
        self._unit(key)[accepted, drafted or 0] += 1

    def add_in_turn(self, rounds: Sequence[tuple[int, int]], known: bool = True) -> None:
        """Rounds one after another, (accepted, drafted) each, of no known request; drafted is 0 where it is not known.

        >>> lengths = Lengths(span=2)
        >>> lengths.add_in_turn([(2, 3), (0, 3), (1, 3)])
        >>> lengths.num_accepted, lengths.units("rounds").counts[:, 0].tolist()
        (3, [2.0, 1.0])
        """
        for (accepted, drafted), times in Counter(rounds).items():
            self.accepted[accepted] += times
            self.drafted[drafted] += times
        self._unknown |= not known and bool(rounds)
        at = 0
        while at < len(rounds):
            if self._rounds % self._span == 0:
                self._make_room(self._together)
            # units that would be put together are counted together; the last ones stay open
            whole = self._span * self._together
            if not self._open and len(rounds) - at > whole:
                size = whole
                self._close([Counter(rounds[at : at + size])])
            else:
                size = min(self._span - self._rounds % self._span, len(rounds) - at)
                self._unit(self._rounds // self._span).update(rounds[at : at + size])
            self._rounds += size
            at += size

    def _unit(self, key: Hashable) -> _Unit:
        unit = self._open.get(key)
        if unit is None:
            self._make_room(4 * MAX_UNITS if self.by_request else self._together)
            unit = self._open[key] = Counter()
        return unit

    def _make_room(self, most: int) -> None:
        """Close the open units where there are too many (rounds of several requests may take turns)."""
        if len(self._open) >= most:
            units = list(self._open.values())
            self._open.clear()
            self._close(_together(units, self._together))

    def _close(self, units: list[_Unit]) -> None:
        self._closed.extend(units)
        if len(self._closed) >= 4 * MAX_UNITS:
            self._closed = _together(self._closed, 2)
            self._together *= 2

    @property
    def num_rounds(self) -> int:
        """All rounds so far."""
        return self._rounds

    @property
    def num_accepted(self) -> int:
        """Draft tokens accepted so far."""
        return sum(length * times for length, times in self.accepted.items())

    def units(self, kind: UnitKind) -> Units | None:
        """Rounds, drafted, accepted and accepted by position of every unit."""
        counters = [*self._closed, *self._open.values()]
        width = max(self.accepted, default=0)
        while len(counters) > 1 and len(counters) * width > MAX_CELLS:
            counters = _together(counters, 2)
        return Units.of(kind, [_row(each) for each in counters]) if counters else None

    def stats(self, engine: str, source: str, **fields: Any) -> SpecStats:
        """The counters, with further fields of `SpecStats`."""
        known = not self._unknown and self._rounds > 0
        drafted = sum(length * times for length, times in self.drafted.items())
        same = known and len(self.drafted) == 1
        k = next(iter(self.drafted)) if same else None
        drafts = reached(self.drafted) if known and not same else None
        positions = reached(self.accepted)
        width = k or len(drafts or ())
        given: dict[str, Any] = {
            "num_speculative_tokens": k,
            "num_rounds": self._rounds,
            "num_draft_tokens": drafted if known else None,
            "num_accepted_draft_tokens": self.num_accepted,
            "accepted_per_position": positions + (0,) * (width - len(positions)),
            "drafted_per_position": drafts,
            "units": self.units("requests" if self.by_request else "rounds"),
        }
        return SpecStats(engine, source, **{**given, **fields})


def reached(lengths: Counter[int]) -> tuple[int, ...]:
    """How many rounds had at least 1, 2, … tokens, from how many had each number of them.

    >>> reached(Counter([3, 1, 0, 3]))
    (3, 2, 2)
    """
    longest = max(lengths, default=0)
    return tuple(accumulate(lengths[length] for length in range(longest, 0, -1)))[::-1]


def units_of_rounds(accepted: Sequence[int], drafted: Sequence[int], k: int) -> Units:
    """Single rounds of at most k drafts; neighbours are added up where there are more than a bootstrap needs.

    >>> units_of_rounds([2, 0, 1], [2, 2, 2], 2).counts.tolist()
    [[1.0, 2.0, 2.0, 1.0, 1.0], [1.0, 2.0, 0.0, 0.0, 0.0], [1.0, 2.0, 1.0, 1.0, 0.0]]
    """
    size = 1
    while len(accepted) > size * MAX_UNITS:
        size *= 2
    unit, lengths = np.arange(len(accepted)) // size, np.minimum(accepted, k)
    rows = -(-len(accepted) // size)
    by_length = np.bincount(unit * (k + 1) + lengths, minlength=rows * (k + 1)).reshape(rows, k + 1)
    by_position = by_length[:, :0:-1].cumsum(axis=1)[:, ::-1]
    sums = [np.bincount(unit, weights=values, minlength=rows) for values in (None, drafted, accepted)]
    return Units("rounds", np.column_stack([*sums, by_position]).astype(float))


def _together(units: list[_Unit], size: int) -> list[_Unit]:
    return units if size == 1 else [sum(units[at : at + size], _Unit()) for at in range(0, len(units), size)]


def _row(unit: _Unit) -> tuple[float, float, float, tuple[float, ...]]:
    accepted: Counter[int] = Counter()
    for (length, _), times in unit.items():
        accepted[length] += times
    drafted = sum(length * times for (_, length), times in unit.items())
    return sum(unit.values()), drafted, sum(n * times for n, times in accepted.items()), reached(accepted)
