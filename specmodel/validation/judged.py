"""How often rules were right: error, share within 10 %, and how often the stated band held, by whatever is asked."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from specmodel.validation.point import RULES, Point

Key = TypeVar("Key", bound=Hashable)
NEAR_ENOUGH = 0.10


@dataclass(frozen=True)
class Record:
    """What a set of judged points comes to; shares are from 0 to 1, None where nothing was judged.

    `median_error` is that of |predicted ÷ measured − 1|, `bias` the median with its sign; `coverage` is over the
    `num_banded` points whose rule states a band, `half_width` the median of (high − low) ÷ 2·predicted there: a band
    that holds everything may still be too wide to decide by.
    """

    num_points: int
    median_error: float | None
    bias: float | None
    within_10: float | None
    num_banded: int
    coverage: float | None
    half_width: float | None


def records(points: Sequence[Point]) -> Record:
    """The record of these points together.

    >>> points = [Point("free", "speedup", "a", "", 2.0, 1.6), Point("longer", "tokens", "a", "", 2.0, 2.1, 1.8, 2.2)]
    >>> found = records(points)
    >>> found.num_points, round(found.median_error, 3), found.within_10, found.num_banded, found.coverage
    (2, 0.149, 0.5, 1, 1.0)
    """
    if not points:
        return Record(0, None, None, None, 0, None, None)
    errors = [point.error for point in points]
    held = [point.held for point in points if point.held is not None]
    widths = [point.half_width for point in points if point.half_width is not None]
    return Record(
        len(points),
        median(abs(error) for error in errors),
        median(errors),
        sum(abs(error) <= NEAR_ENOUGH for error in errors) / len(errors),
        len(held),
        sum(held) / len(held) if held else None,
        median(widths) if widths else None,
    )


def summary(points: Sequence[Point], by: Callable[[Point], Key]) -> Mapping[Key, Record]:
    """The record of each kind of point, in the order in which kinds first appear.

    >>> points = [Point("free", "speedup", "a", "", 2.0, 1.6), Point("free", "speedup", "b", "", 2.0, 2.0)]
    >>> [(key, found.num_points) for key, found in summary(points, lambda point: point.source).items()]
    [('a', 1), ('b', 1)]
    """
    kinds: dict[Key, list[Point]] = {}
    for point in points:
        kinds.setdefault(by(point), []).append(point)
    return {key: records(each) for key, each in kinds.items()}


def by_rule(points: Sequence[Point]) -> Mapping[tuple[str, str, str], Record]:
    """The record by rule, quantity and reach (same k, shorter, longer), in the order of the rules.

    >>> list(by_rule([Point("free", "speedup", "a", "", 2.0, 1.6, k_from=3, k_to=3)]))
    [('free', 'speedup', 'same')]
    """
    order = {rule: place for place, rule in enumerate(RULES)}
    found = summary(points, lambda point: (point.rule, point.quantity, point.reach))
    reach = ("same", "shorter", "longer")
    return dict(sorted(found.items(), key=lambda item: (order[item[0][0]], item[0][1], reach.index(item[0][2]))))


def worst(points: Sequence[Point], most: int = 12, of_each: int = 2) -> tuple[Point, ...]:
    """The points with the largest errors (of predicted ÷ measured, either way), at most `of_each` of a rule and source.

    >>> points = [Point("free", "speedup", "a", "", value, 1.0) for value in (1.5, 0.5, 3.0)]
    >>> [point.predicted for point in worst(points)]
    [3.0, 0.5]
    """
    taken: dict[tuple[str, str], int] = {}
    found: list[Point] = []
    for point in sorted(points, key=lambda each: -max(each.predicted / each.measured, each.measured / each.predicted)):
        key = (point.rule, point.source)
        if taken.get(key, 0) < of_each and len(found) < most:
            taken[key] = taken.get(key, 0) + 1
            found.append(point)
    return tuple(found)
