"""Checks that every reader makes: numbers that are numbers, and the identities that counters of speculation obey."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from specmodel.logs._format import LogError
from specmodel.spec_stats import SpecStats, total

MAX_COUNT = 1e15


def number(value: Any, line: int, name: str) -> float:
    """A finite number that is not negative, or `LogError` naming the line.

    >>> number("2.80", 7, "mean len")
    2.8
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if MAX_COUNT < found < math.inf:
        raise LogError(
            "line {line}: {name} is {value}, more than can have been counted", line=line, name=name, value=str(value)
        )
    if not 0 <= found < math.inf:
        raise LogError(
            "line {line}: {name} is {value}, expected a number that is not negative",
            line=line, name=name, value=str(value),
        )  # fmt: skip
    return found


def count(value: Any, line: int, name: str) -> int:
    """A whole number that is not negative.

    >>> count(300, 7, "draft_n")
    300
    """
    found = number(value, line, name)
    if found != int(found):
        raise LogError(
            "line {line}: {name} is {value}, expected a whole number", line=line, name=name, value=str(value)
        )
    return int(found)


def counts(values: Any, line: int, name: str) -> tuple[int, ...]:
    """A list of whole numbers, at most 1,024 of them.

    >>> counts([24, 17], 1, "acceptance_histogram")
    (24, 17)
    """
    if not isinstance(values, list) or len(values) > 1024:
        raise LogError("line {line}: {name} is no list of counts", line=line, name=name)
    return tuple(count(value, line, name) for value in values)


def checked(stats: SpecStats, line: int) -> SpecStats:
    """The same counters, or `LogError` with the line and the numbers of the identity that they break.

    accepted ≤ drafted; accepted by position adds up to accepted, never rises and is never more than the rounds; not
    more is drafted than k × rounds (only noted where k is a cap that the engine may exceed: pass k as None).

    >>> checked(SpecStats("a", "log", num_draft_tokens=3, num_accepted_draft_tokens=4), 9)
    Traceback (most recent call last):
    specmodel.logs._format.LogError: line 9: 4 accepted draft tokens are more than the 3 drafted
    """
    drafted, accepted, rounds = stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds
    if drafted is not None and accepted is not None and accepted > drafted:
        raise LogError(
            "line {line}: {accepted:,.10g} accepted draft tokens are more than the {drafted:,.10g} drafted",
            line=line, accepted=accepted, drafted=drafted,
        )  # fmt: skip
    if stats.accepted_per_position is not None:
        _check_positions(stats.accepted_per_position, accepted, rounds, line)
    if rounds is not None and accepted and not rounds:
        raise LogError("line {line}: {accepted:,.10g} drafts accepted in no round", line=line, accepted=accepted)
    return stats


def _check_positions(positions: Sequence[float], accepted: float | None, rounds: float | None, line: int) -> None:
    shown = ", ".join(f"{value:,.10g}" for value in positions)
    if any(later > earlier + 1e-9 for earlier, later in pairwise(positions)):
        raise LogError("line {line}: accepted by position may never rise; found {shown}", line=line, shown=shown)
    if accepted is not None and abs(sum(positions) - accepted) > 1e-6 * max(accepted, 1):
        raise LogError(
            "line {line}: accepted by position adds up to {sum:,.10g}, but {accepted:,.10g} were accepted ({shown})",
            line=line, sum=sum(positions), accepted=accepted, shown=shown,
        )  # fmt: skip
    if rounds is not None and positions and positions[0] > rounds * (1 + 1e-9):
        raise LogError(
            "line {line}: position 1 was accepted {first:,.10g} times in {rounds:,.10g} rounds",
            line=line, first=positions[0], rounds=rounds,
        )  # fmt: skip


def accepted_from_histogram(histogram: Sequence[int], rounds: float | None, line: int) -> tuple[int, ...]:
    """A_1 … A_k from histogram[j] = rounds that accepted exactly j; the histogram must add up to the rounds.

    >>> accepted_from_histogram((24, 17, 14, 45), 100, 1)
    (76, 59, 45)
    """
    if rounds is not None and sum(histogram) != rounds:
        raise LogError(
            "line {line}: the histogram adds up to {sum:,} rounds, but {rounds:,.10g} are given",
            line=line, sum=sum(histogram), rounds=rounds,
        )  # fmt: skip
    return tuple(sum(histogram[position:]) for position in range(1, len(histogram)))


def counts_from_rates(
    rates: Sequence[float], rounds: int, accepted: int | None, line: int, half_step: float = 0.0005
) -> tuple[int, ...]:
    """A_1 … A_k as whole numbers from printed rates A_i ÷ rounds, each within the rounding of what was printed.

    Among the whole numbers that print as these rates those are taken that add up to `accepted`, each as near to its
    rate as that allows. `half_step` is half of the last printed digit. `LogError` where there are none.

    >>> counts_from_rates((0.750, 0.580, 0.434), 3180, 5610, 1)
    (2385, 1845, 1380)
    """
    low = [math.ceil((rate - half_step) * rounds - 1e-6) for rate in rates]
    high = [math.floor((rate + half_step) * rounds + 1e-6) for rate in rates]
    found = [min(max(round(rate * rounds), a), b) for rate, a, b in zip(rates, low, high, strict=True)]
    if accepted is None:
        return tuple(found)
    left = accepted - sum(found)
    room = [b - f if left > 0 else f - a for f, a, b in zip(found, low, high, strict=True)]
    if abs(left) > sum(room) or any(a > b for a, b in zip(low, high, strict=True)):
        raise LogError(
            "line {line}: the rates by position {rates} of {rounds:,} rounds do not add up to {accepted:,} accepted",
            line=line, rates=", ".join(f"{rate:g}" for rate in rates), rounds=rounds, accepted=accepted,
        )  # fmt: skip
    return _spread(found, [rate * rounds for rate in rates], room, left)


def _spread(found: list[int], exact: Sequence[float], room: list[int], left: int) -> tuple[int, ...]:
    """Move `left` counts, shared as evenly as the room allows, first where the exact value is nearest."""
    step = 1 if left > 0 else -1
    left = abs(left)
    while left:
        order = [index for index in range(len(found)) if room[index]]
        order.sort(key=lambda index: abs(found[index] + step - exact[index]))
        share = max(left // len(order), 1)
        for index in order[:left]:
            moved = min(share, room[index], left)
            found[index] += step * moved
            room[index] -= moved
            left -= moved
    return tuple(found)


class Tally:
    """Adds up any number of windows in bounded memory.

    >>> tally = Tally()
    >>> tally.add(SpecStats("a", "log", num_rounds=2)), tally.add(SpecStats("a", "log", num_rounds=3))
    (None, None)
    >>> tally.total().num_rounds
    5
    """

    def __init__(self, stats: Iterable[SpecStats] = ()):
        self._parts = list(stats)

    def add(self, stats: SpecStats) -> None:
        """One more window."""
        self._parts.append(stats)
        if len(self._parts) >= 512:
            self._parts = [total(self._parts)]

    def total(self) -> SpecStats | None:
        """All of them together; None if there were none."""
        return total(self._parts) if self._parts else None
