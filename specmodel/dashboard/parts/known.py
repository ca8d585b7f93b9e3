"""The number of a card as plain data: its value, its interval, and what kind of number it is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["exact", "simulated", "measured", "assumed", "extrapolated"]
Range = tuple[float, float | None]
"""From, to; None: without end."""


@dataclass(frozen=True)
class Known:
    """A number as it is known, in the unit of its quantity; shares are fractions of 1.

    Exact: computed by the model without sampling, for the values that were chosen. Simulated: drawn. Measured: counted
    or timed in a run. Assumed: resting on more than was chosen or measured – a number typed beside a measurement, costs
    known only within a band, figures published for another setup. Extrapolated: beyond what was measured.

    `low` and `high` are its interval, where it has one; `ranges` stands for a number that is a set of ranges, such as
    batch sizes.
    """

    kind: Kind
    value: float | None = None
    low: float | None = None
    high: float | None = None
    ranges: tuple[Range, ...] | None = None


def known(kind: Kind, value: Any = None, low: Any = None, high: Any = None) -> Known:
    """A number with its interval; one that is not finite is none, and half an interval is none.

    >>> known("measured", 0.5, 0.4, 0.6)
    Known(kind='measured', value=0.5, low=0.4, high=0.6, ranges=None)
    >>> known("exact", float("inf")).value is None
    True
    """
    ends = _plain(low), _plain(high)
    return Known(kind, _plain(value), *(ends if None not in ends else (None, None)))


def known_ranges(kind: Kind, ranges: Sequence[tuple[float, float]], most: float = math.inf) -> Known:
    """Ranges as they are known; one that reaches `most` has no end.

    >>> known_ranges("exact", [(4, 13), (57, 256)], 256).ranges
    ((4, 13), (57, None))
    """
    ended = tuple((float(first) if first % 1 else int(first), _end(last, most)) for first, last in ranges)
    return Known(kind, ranges=ended)


def _end(last: float, most: float) -> float | None:
    return None if last >= most else float(last) if last % 1 else int(last)


def _plain(value: Any) -> float | None:
    """A number of Python's own; whole ones stay whole."""
    if value is None or not math.isfinite(value):
        return None
    number: float = value.item() if hasattr(value, "item") else value
    return number
