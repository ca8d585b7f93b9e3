"""All rules over a set of rows: which rows predict which."""

from collections.abc import Iterator, Sequence

from specmodel.validation.acceptance_rules import acceptance_points
from specmodel.validation.cost_rules import cost_points, fitted_points, other_text_points, parts_points
from specmodel.validation.engine_rule import engine_points
from specmodel.validation.length_rules import length_points
from specmodel.validation.load_rules import calibrated_points, roofline_points
from specmodel.validation.point import Point
from specmodel.validation.points import Row


def judge(rows: Sequence[Row]) -> tuple[Point, ...]:
    """Every prediction that these rows allow, beside what was measured.

    A row stands for itself where a rule stays at its draft length. Rows of one group predict each other: another k of
    the same text and batch, another text at the same k, another batch.

    >>> rows = [Row("a", group="g", k=k, tau=tau, speedup=1.5) for k, tau in ((1, 1.6), (3, 2.1))]
    >>> sorted({point.rule for point in judge(rows)})
    ['engine', 'fixed_per_draft', 'free', 'longer', 'one_alpha_elsewhere', 'one_rate', 'straight_line']
    """
    return tuple(_points(rows))


def _points(rows: Sequence[Row]) -> Iterator[Point]:
    for row in rows:
        yield from acceptance_points(row)
        yield from parts_points(row)
        yield from roofline_points(row)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row.group:
            groups.setdefault(row.group, []).append(row)
    for members in groups.values():
        yield from _of_group(members)


def _of_group(rows: Sequence[Row]) -> Iterator[Point]:
    yield from calibrated_points(rows)
    for row in rows:
        others = [each for each in rows if row.alike(each, "k") and row.k and each.k and row.k != each.k]
        yield from engine_points(row, others)
        yield from fitted_points(row, others)
        for other in others:
            yield from length_points(row, other)
            yield from cost_points(row, other)
        for other in rows:
            if row.alike(other, "text") and row.text != other.text and row.k:
                yield from other_text_points(row, other)
