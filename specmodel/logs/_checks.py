"""Checks that every reader makes: numbers that are numbers, and the identities that counters of speculation obey."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from specmodel.logs._format import LogError
from specmodel.measured.spec_stats import COUNTERS, MEANS, SpecStats, total

MAX_COUNT = 1e15
SMALLEST = 1e-12
"""What is above 0 and below this was never measured: it would make other numbers infinite."""
LONGEST = 1024  # draft tokens in a round
MAX_NOTES = 64
PRINTED = 1e-5  # large counters are printed in 6 digits by some


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
    if found == 0 or SMALLEST <= found <= MAX_COUNT:
        return found
    if 0 < found < SMALLEST:
        raise LogError(
            "line {line}: {name} is {value}, less than anything that is measured",
            line=line, name=name, value=str(value),
        )  # fmt: skip
    if MAX_COUNT < found < math.inf:
        raise LogError(
            "line {line}: {name} is {value}, more than can have been counted", line=line, name=name, value=str(value)
        )
    raise LogError(
        "line {line}: {name} is {value}, expected a number that is not negative",
        line=line, name=name, value=str(value),
    )  # fmt: skip


def count(value: Any, line: int, name: str) -> int:
    """A whole number that is not negative.

    >>> count(300, 7, "draft_n")
    300
    """
    if type(value) is int and 0 <= value <= MAX_COUNT:  # what nearly all of them are
        return value
    found = number(value, line, name)
    if found != int(found):
        raise LogError(
            "line {line}: {name} is {value}, expected a whole number", line=line, name=name, value=str(value)
        )
    return int(found)


def share(value: Any, line: int, name: str) -> float:
    """A number between 0 and 1.

    >>> share("0.76", 1, "acceptance at token 0")
    0.76
    """
    found = number(value, line, name)
    if found > 1:
        raise LogError("line {line}: {name} is {value}, expected a share between 0 and 1",
                       line=line, name=name, value=str(value))  # fmt: skip
    return found


def counts(values: Any, line: int, name: str) -> tuple[int, ...]:
    """A list of whole numbers, at most 1,024 of them.

    >>> counts([24, 17], 1, "acceptance_histogram")
    (24, 17)
    """
    if not isinstance(values, list) or len(values) > 1024:
        raise LogError("line {line}: {name} is no list of counts", line=line, name=name)
    return tuple(count(value, line, name) for value in values)


def checked(stats: SpecStats, line: int, slack: float = 0) -> SpecStats:
    """The same counters, or `LogError` with the line and the numbers of the identity that they break.

    accepted ≤ drafted; accepted by position adds up to accepted, never rises and is never more than the rounds; not
    more is drafted than k × rounds (only noted where k is a cap that the engine may exceed: pass k as None). `slack` is
    by how much of it a counter may be rounded.

    >>> checked(SpecStats("a", "log", num_draft_tokens=3, num_accepted_draft_tokens=4), 9)
    Traceback (most recent call last):
    specmodel.logs._format.LogError: line 9: 4 accepted draft tokens are more than the 3 drafted
    """
    drafted, accepted, rounds = stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds
    if drafted is not None and accepted is not None and accepted > drafted * (1 + slack):
        raise LogError(
            "line {line}: {accepted:,.10g} accepted draft tokens are more than the {drafted:,.10g} drafted",
            line=line, accepted=accepted, drafted=drafted,
        )  # fmt: skip
    if stats.accepted_per_position is not None:
        _check_positions(stats.accepted_per_position, accepted, rounds, line, max(slack, 1e-6))
    if rounds is not None and accepted and not rounds:
        raise LogError("line {line}: {accepted:,.10g} drafts accepted in no round", line=line, accepted=accepted)
    return stats


def _check_positions(
    positions: Sequence[float], accepted: float | None, rounds: float | None, line: int, slack: float
) -> None:
    if len(positions) > LONGEST:
        raise LogError(
            "line {line}: a round of {found} draft tokens, expected at most {limit}",
            line=line, found=len(positions), limit=LONGEST,
        )  # fmt: skip
    if _rises(positions):
        raise LogError(
            "line {line}: accepted by position may never rise; found {shown}", line=line, shown=_shown(positions)
        )
    if accepted is not None and abs(sum(positions) - accepted) > slack * max(accepted, 1):
        raise LogError(
            "line {line}: accepted by position adds up to {sum:,.10g}, but {accepted:,.10g} were accepted ({shown})",
            line=line, sum=sum(positions), accepted=accepted, shown=_shown(positions),
        )  # fmt: skip
    if rounds is not None and positions and positions[0] > rounds * (1 + 1e-9):
        raise LogError(
            "line {line}: position 1 was accepted {first:,.10g} times in {rounds:,.10g} rounds",
            line=line, first=positions[0], rounds=rounds,
        )  # fmt: skip


def _rises(positions: Sequence[float]) -> bool:
    """A plain loop: a generator takes three times as long to start as this to run, for every line of a long log."""
    before = math.inf
    for each in positions:
        if each > before + 1e-9:
            return True
        before = each
    return False


def _shown(positions: Sequence[float]) -> str:
    return ", ".join(f"{value:,.10g}" for value in positions)


def plausible(stats: SpecStats) -> SpecStats:
    """The same result, or `LogError` where no run can have given it, whatever was printed; slack is that of 6 digits.

    Some count the first token, which comes from the prompt, with the rounds: up to k + 2 tokens per round may be.

    >>> plausible(SpecStats("a", "log", num_speculative_tokens=3, printed_length=28.1))
    Traceback (most recent call last):
    specmodel.logs._format.LogError: 28.1 tokens per round are not possible with 3 draft tokens
    """
    for name in (*COUNTERS, *MEANS, "peak_tokens_per_s"):
        value = getattr(stats, name)
        if value and not SMALLEST <= value <= MAX_COUNT:
            raise LogError("{name} comes to {value:.6g}, which cannot be", name=name, value=value)
    tokens = stats.tokens_per_step
    if tokens is not None and tokens > LONGEST + 2:
        raise LogError("{length:,.6g} tokens per decoding step are not possible", length=tokens)
    _check_lengths(stats)
    _check_printed(stats)
    drafted, accepted, positions = (
        stats.num_draft_tokens,
        stats.num_accepted_draft_tokens,
        stats.per_position_acceptance,
    )
    if drafted is not None and accepted is not None and accepted > drafted * (1 + PRINTED):
        raise LogError(
            "{accepted:,.10g} accepted draft tokens are more than the {drafted:,.10g} drafted",
            accepted=accepted, drafted=drafted,
        )  # fmt: skip
    if any(later > earlier + PRINTED for earlier, later in pairwise((1.0, *(positions or ())))):
        shown = ", ".join(f"{value:.6g}" for value in positions or ())
        raise LogError("acceptance by position may never rise, nor be above 1; found {shown}", shown=shown)
    for part in (*stats.parts, *stats.groups):
        plausible(part)
    return stats


def _check_lengths(stats: SpecStats) -> None:
    length, k = stats.mean_acceptance_length, stats.num_speculative_tokens
    if k is not None and k > LONGEST:
        raise LogError("a round of {found} draft tokens, expected at most {limit}", found=k, limit=LONGEST)
    for each in (length, stats.printed_length):
        if each is not None and each < 1:
            raise LogError("{length:.6g} tokens per round, but each round gives one at least", length=each)
    if length is not None and k and length > (k + 2) * (1 + PRINTED):
        raise LogError("{length:.6g} tokens per round are not possible with {k} draft tokens", length=length, k=k)


def _check_printed(stats: SpecStats) -> None:
    for each in stats.printed:
        if not each.value <= MAX_COUNT:
            raise LogError("{name} comes to {value:.6g}, which cannot be", name=each.name, value=each.value)


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
            sums = total(self._parts)
            self._parts = [sums.replace(notes=sums.notes[:MAX_NOTES])]

    def total(self) -> SpecStats | None:
        """All of them together; None if there were none."""
        return total(self._parts) if self._parts else None
