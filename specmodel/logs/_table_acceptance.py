"""Which acceptance a column of a table holds, told apart by laws that every definition obeys.

A share of the drafts lies between 0 and 1 and does not rise with the draft length; a length with the bonus token lies
between 1 and k + 1, without it between 0 and k, and neither falls with k. Another column that is known by its name may
decide too. Only where one reading is left, or all that are left mean the same, it is taken.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from specmodel.base.messages import SpecmodelError
from specmodel.logs._cells import Number, list_of
from specmodel.measured.definitions import translate_rate

LONGEST = 64
NOISE = 0.05
"""Two runs differ by that much for no reason: only more than that breaks a law between two rows."""
SAME = 0.01
Row = tuple[tuple[str, ...], int | None, Number]
"""Conditions, draft length and value of a row that speculates."""
Known = tuple[str, str, Sequence[Row]]
"""Role, name and rows of a column whose acceptance is known."""


def readings_left(open_: Sequence[str], header: str, rows: Sequence[Row], beside: Sequence[Known]) -> tuple[str, ...]:
    """Of the definitions that a name leaves open those that the values allow; the first where they allow none.

    >>> rows = [((), 1, Number(0.9)), ((), 3, Number(0.7))]
    >>> readings_left(("accepted_per_drafted", "length_with_bonus", "length_without_bonus"), "accept", rows, [])
    ('accepted_per_drafted',)
    """
    left = [each for each in open_ if _obeys(each, rows, header)]
    left = _agreeing(left, rows, beside) if len(left) > 1 else left
    return tuple(left[:1] if len(left) > 1 and _mean_the_same(left, rows, header) else left) or tuple(open_[:1])


def list_readings(cells: Sequence[str]) -> tuple[str, ...]:
    """What lists of shares by position may be: those that rise anywhere are no shares of all rounds.

    >>> list_readings(["0.5 0.7"]), list_readings(["0.7 0.5"])
    (('conditional',), ('per_position', 'conditional'))
    """
    rises = any(b > a for each in cells for a, b in pairwise(list_of(each) or []))
    return ("conditional",) if rises else ("per_position", "conditional")


def share(value: Number, of_hundred: bool) -> float:
    """A number of a column of shares: per cent where the column is.

    >>> share(Number(62.0), True), share(Number(0.62), False), share(Number(62.0, percent=True), False)
    (0.62, 0.62, 0.62)
    """
    return value.value / 100 if value.percent or of_hundred else value.value


def is_of_hundred(header: str, values: Iterable[Number | None]) -> bool:
    """Whether a column of shares is in per cent: it says so, or a value is too large for a share.

    >>> is_of_hundred("rate", [Number(0.9), None]), is_of_hundred("rate", [Number(62.0), Number(100.0)])
    (False, True)
    """
    plain = [each.value for each in values if each is not None and not each.percent]
    told = "%" in header or "pct" in header.lower() or "percent" in header.lower()
    return (told and (not plain or max(plain) > 1)) or any(value > 1.5 for value in plain)


def _obeys(reading: str, rows: Sequence[Row], header: str) -> bool:
    """Whether the values obey the laws of a definition."""
    is_share = reading in ("accepted_per_drafted", "sglang_old_rate", "alpha")
    if not is_share and any(each.percent for *_, each in rows):
        return False
    of_hundred = is_share and is_of_hundred(header, [each for *_, each in rows])
    values = [(conditions, k, share(each, of_hundred) if is_share else each.value) for conditions, k, each in rows]
    if not all(_possible(reading, value, k) for _, k, value in values):
        return False
    if of_hundred and not all(each.percent for *_, each in rows) and max((each[2] for each in values), default=1) < 0.1:
        return False  # a handful of tokens, not a few per cent
    return reading in ("sglang_old_rate", "alpha") or _moves_as(reading, values)


def _moves_as(reading: str, values: Sequence[tuple[tuple[str, ...], int | None, float]]) -> bool:
    """Whether a share falls and a length rises with the draft length, where nothing else differs; repeats as a mean."""
    found: dict[tuple[str, ...], dict[int, list[float]]] = {}
    for conditions, k, value in values:
        if k:
            found.setdefault(conditions, {}).setdefault(k, []).append(value)
    for by_length in found.values():
        means = [fmean(by_length[k]) for k in sorted(by_length)]
        for early, late in pairwise(means):
            if late > early * (1 + NOISE) if reading == "accepted_per_drafted" else late < early * (1 - NOISE):
                return False
    return True


def _possible(reading: str, value: float, k: int | None) -> bool:
    least, most = {
        "accepted_per_drafted": (0.0, 1.0),
        "alpha": (0.0, 1.0),
        "sglang_old_rate": (0.98 / ((k or LONGEST) + 1), 1.0),
        "length_with_bonus": (1.0, (k or LONGEST) + 1.0),
        "length_without_bonus": (0.0, float(k or LONGEST)),
    }[reading]
    return least <= value <= most * (1 + SAME / 2)


def _agreeing(left: list[str], rows: Sequence[Row], beside: Sequence[Known]) -> list[str]:
    """Those that agree with a column beside it whose acceptance is known by its name."""
    for role, header, told in beside:
        there = _lengths(role, told, is_of_hundred(header, [each for *_, each in told]))
        ours = {each: _lengths(each, rows, is_of_hundred("", [row[2] for row in rows])) for each in left}
        fits = [each for each in left if _close(ours[each], there)]
        if len(fits) == 1:
            return fits
    return left


def _lengths(reading: str, rows: Sequence[Row], of_hundred: bool) -> list[float | None]:
    is_share = not reading.startswith("length")
    return [tokens(reading, share(each, of_hundred) if is_share else each.value, k) for _, k, each in rows]


def _close(ours: Sequence[float | None], theirs: Sequence[float | None]) -> bool:
    both = [(a, b) for a, b in zip(ours, theirs, strict=False) if a is not None and b is not None]
    return bool(both) and all(abs(a - b) <= NOISE / 2 * b for a, b in both)


def _mean_the_same(left: Sequence[str], rows: Sequence[Row], header: str) -> bool:
    of_hundred = is_of_hundred(header, [each for *_, each in rows])
    first, *others = (_lengths(each, rows, of_hundred) for each in left)
    if None in first:
        return False
    return all(
        each is not None and one is not None and abs(each - one) <= SAME
        for other in others
        for one, each in zip(first, other, strict=True)
    )


def tokens(reading: str, value: float, k: int | None) -> float | None:
    """Tokens per round that a value of a definition means; None where it cannot be, or needs a k that is unknown.

    >>> tokens("accepted_per_drafted", 0.6, 3), tokens("alpha", 0.5, 2), tokens("length_with_bonus", 2.5, None)
    (2.8, 1.75, 2.5)
    """
    if reading == "alpha":
        return sum(value**each for each in range(k + 1)) if k and 0 <= value <= 1 else None
    if not k:
        free: Mapping[str, float] = {"length_with_bonus": value, "length_without_bonus": value + 1}
        return free.get(reading)
    try:
        return round(translate_rate(reading, value, k).acceptance.mean_acceptance_length, 9)
    except SpecmodelError:
        return None
