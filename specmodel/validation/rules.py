"""All rules over a set of rows: which rows predict which."""

from collections.abc import Iterator, Mapping, Sequence

from specmodel.base.messages import Message, SpecmodelError
from specmodel.validation.acceptance_rules import acceptance_points
from specmodel.validation.cost_rules import cost_points, fitted_points, other_text_points, parts_points
from specmodel.validation.engine_rule import engine_points
from specmodel.validation.length_rules import length_points
from specmodel.validation.load_rules import calibrated_points, roofline_points
from specmodel.validation.point import Point
from specmodel.validation.points import Row

MOST_PAIRS = 800
"""Pairs of draft lengths that predict each other: more of them would keep a visitor waiting."""


def judge(rows: Sequence[Row]) -> tuple[Point, ...]:
    """Every prediction that these rows allow, beside what was measured.

    A row stands for itself where a rule stays at its draft length. Rows of one group predict each other: another k of
    the same text and batch, another text at the same k, another batch. Raises `SpecmodelError` for more than 800
    pairs of draft lengths.

    >>> rows = [Row("a", group="g", k=k, tau=tau, speedup=1.5) for k, tau in ((1, 1.6), (3, 2.1))]
    >>> sorted({point.rule for point in judge(rows)})
    ['engine', 'fixed_per_draft', 'free', 'longer', 'one_alpha_elsewhere', 'one_rate', 'straight_line']
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if row.group:
            groups.setdefault(row.group, []).append(row)
    partners = [(row, _partners(row, members)) for members in groups.values() for row in members]
    pairs = sum(len(lengths) for _, (lengths, _) in partners)
    if pairs > MOST_PAIRS:
        values: dict[str, object] = {"pairs": pairs, "most": MOST_PAIRS}
        raise SpecmodelError(
            Message("{pairs} pairs of draft lengths predict each other; at most {most} are judged", values)
        )
    return tuple(_points(rows, groups, partners))


def _partners(row: Row, members: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of a group that differ from this one in k alone, and those that differ in the text alone."""
    if not row.k:
        return [], []
    lengths = [each for each in members if each.k and each.k != row.k and row.alike(each, "k")]
    return lengths, [each for each in members if each.text != row.text and row.alike(each, "text")]


def _points(
    rows: Sequence[Row],
    groups: Mapping[str, Sequence[Row]],
    partners: Sequence[tuple[Row, tuple[Sequence[Row], Sequence[Row]]]],
) -> Iterator[Point]:
    for row in rows:
        yield from acceptance_points(row)
        yield from parts_points(row)
        yield from roofline_points(row)
    for members in groups.values():
        yield from calibrated_points(members)
    for row, (lengths, texts) in partners:
        if lengths:
            yield from engine_points(row, lengths)
            yield from fitted_points(row, lengths)
        for other in lengths:
            yield from length_points(row, other)
            yield from cost_points(row, other)
        for other in texts:
            yield from other_text_points(row, other)
