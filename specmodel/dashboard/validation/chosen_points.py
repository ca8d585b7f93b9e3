"""The judged points that the page is about: of the chosen rule and source, of the package or a visitor's file."""

from collections.abc import Sequence
from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.validation.declared import EVERY
from specmodel.validation.own_runs import OURS
from specmodel.validation.point import Point
from specmodel.validation.table import judged_points

OTHERS = "others"
PROJECT = "project"
ORIGINS = {
    "": N_("all sources"),
    OTHERS: N_("published by others"),
    PROJECT: N_("measured by the project"),
}


@dataclass(frozen=True)
class Judged:
    """All points there are, those that are chosen, and whether they are a visitor's own."""

    every: tuple[Point, ...]
    shown: tuple[Point, ...]
    rule: str
    origin: str
    own: bool


def chosen_points(chosen: Chosen, own: Sequence[Point] | None = None) -> Judged:
    """The points of the package, or `own` ones, as rule and source are chosen; an unknown source stands for all.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> found = chosen_points(read_link({"judged": "by_position"})[0])
    >>> len(found.shown), {point.rule for point in found.shown}
    (9, {'by_position'})
    """
    every = judged_points() if own is None else tuple(own)
    rule, origin = str(chosen.option("judged")), str(chosen.option("origin"))
    if own is not None and not any(point.rule == rule for point in every):
        rule = EVERY
    of_rule = [point for point in every if rule in (EVERY, point.rule)]
    if origin not in (*ORIGINS, *sources(every)):
        origin = ""
    return Judged(every, tuple(point for point in of_rule if _comes_from(point, origin)), rule, origin, own is not None)


def sources(points: Sequence[Point]) -> tuple[str, ...]:
    """The sources of these points, each once.

    >>> sources([Point("free", "speedup", "b", "", 1, 1), Point("free", "speedup", "a", "", 1, 1)])
    ('a', 'b')
    """
    return tuple(sorted({point.source for point in points}))


def _comes_from(point: Point, origin: str) -> bool:
    if origin == OTHERS:
        return point.source != OURS
    return origin in ("", point.source) or (origin == PROJECT and point.source == OURS)
