"""`python -m specmodel.validation` prints how far the rules were off, by rule and by source.

`--csv` prints every judged point instead, `--markdown` the table of the README; `--rows FILE` judges the rows of a CSV
in the documented form (`points.py`); `--write` judges the bundled rows anew and keeps the points.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from specmodel.base.messages import SpecmodelError
from specmodel.validation.judged import Record, by_rule, summary
from specmodel.validation.point import QUANTITIES, REACHES, RULES, Point
from specmodel.validation.points import read_rows
from specmodel.validation.rules import judge
from specmodel.validation.table import judged_points, points_csv, write_points

HEAD = ("", "points", "median error", "within 10 %", "bias", "band held", "± of the band")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the record; 1 if a file cannot be read.

    >>> main(["--rows", "no such file.csv"])
    1
    """
    options = _options(arguments)
    if options.write:
        print(f"{write_points()} points")
        return 0
    try:
        points = judge(read_rows(Path(options.rows))) if options.rows else judged_points()
    except SpecmodelError as error:
        print(f"{options.rows}: {error}", file=sys.stderr)
        return 1
    if options.csv:
        print(points_csv(points), end="")
    else:
        print("\n".join(_markdown(points) if options.markdown else _tables(points)))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m specmodel.validation", description="Predicted against measured: how far the rules are off."
    )
    parser.add_argument("--csv", action="store_true", help="print every judged point as CSV")
    parser.add_argument("--markdown", action="store_true", help="print the table by rule for the README")
    parser.add_argument("--rows", metavar="FILE", help="judge the rows of this CSV instead of those that come along")
    parser.add_argument("--write", action="store_true", help="judge the rows that come along anew and keep the points")
    return parser.parse_args(arguments)


def _rules(points: Sequence[Point]) -> Mapping[str, Record]:
    return {
        f"{RULES[rule].name}: {QUANTITIES[quantity]}, {REACHES[reach]}": found
        for (rule, quantity, reach), found in by_rule(points).items()
    }


def _markdown(points: Sequence[Point]) -> Iterable[str]:
    yield "| rule: what is predicted | points | median error | within 10 % | bias | band held | ± of the band |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for name, found in _rules(points).items():
        yield f"| {' | '.join((name, *_cells(found)))} |"


def _tables(points: Sequence[Point]) -> Iterable[str]:
    yield from _table("By rule", _rules(points))
    yield ""
    yield from _table("By source", summary(points, lambda point: point.source))


def _table(title: str, found: Mapping[str, Record]) -> Iterable[str]:
    rows = [(name, *_cells(each)) for name, each in found.items()]
    head = (title, *HEAD[1:])
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    for row in (head, *rows):
        first, *others = (cell.ljust(width) if not at else cell.rjust(width) for at, (cell, width) in
                          enumerate(zip(row, widths, strict=True)))  # fmt: skip
        yield "  ".join((first, *others))


def _cells(found: Record) -> tuple[str, ...]:
    held = "–" if found.coverage is None else f"{found.coverage:.0%} of {found.num_banded}"
    shares = (f"{found.median_error:.1%}", f"{found.within_10:.0%}", f"{found.bias:+.1%}")
    width = "–" if found.half_width is None else f"{found.half_width:.0%}"
    return (f"{found.num_points:,}", *shares, held, width)


if __name__ == "__main__":
    sys.exit(main())
