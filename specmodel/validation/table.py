"""The judged points of the rows that come with the package, kept as a table so that a record is read, not computed.

`python -m specmodel.validation --write` makes the table anew; a test holds it to what the rules say now.
"""

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from specmodel.validation.judged import Record, records
from specmodel.validation.own_runs import own_rows
from specmodel.validation.point import Point
from specmodel.validation.points import Row, read_rows
from specmodel.validation.rules import judge

_DATA = Path(__file__).parents[1] / "data"
ROWS = _DATA / "validation_rows.csv"
POINTS = _DATA / "validation_points.csv.gz"
COLUMNS = tuple(field.name for field in fields(Point))
TEXTS = ("rule", "quantity", "source", "setup", "drafter", "note")
WHOLE = ("k_from", "k_to")


def bundled_rows() -> tuple[Row, ...]:
    """Published and public rows, then those of our own runs.

    >>> bundled_rows()[0].source
    'Leviathan et al. 2023 (arXiv 2211.17192), Table 4'
    """
    return (*read_rows(ROWS, None), *own_rows())


@cache
def judged_points() -> tuple[Point, ...]:
    """Every judged point of the bundled rows, from the table.

    >>> len(judged_points()) > 1000
    True
    """
    with gzip.open(POINTS, "rt", encoding="utf-8", newline="") as file:
        return tuple(_point(row) for row in csv.DictReader(file))


def record(rule: str, quantity: str | None = None, reach: str | None = None, far: bool | None = None) -> Record:
    """A rule's own record on the bundled rows: how often its band held, how many points, its median error.

    `quantity` is one of `QUANTITIES`, `reach` one of `REACHES`; `far` True takes those where k + 1 more than doubles or
    halves, False the others; None takes all.

    >>> found = record("engine", "speedup")
    >>> found.num_points > 100, 0 < found.coverage <= 1
    (True, True)
    """
    return _record(rule, quantity, reach, far)


@cache
def _record(rule: str, quantity: str | None, reach: str | None, far: bool | None) -> Record:
    wanted = {"rule": rule, "quantity": quantity, "reach": reach, "far": far}
    chosen = {name: value for name, value in wanted.items() if value is not None}
    return records([point for point in judged_points() if all(getattr(point, name) == chosen[name] for name in chosen)])


def write_points() -> int:
    """Judge the bundled rows and keep the points; how many there are.

    >>> from unittest.mock import patch
    >>> with patch.object(Path, "write_bytes") as written:
    ...     write_points() > 1000, written.call_count
    (True, 1)
    """
    points = judge(bundled_rows())
    POINTS.write_bytes(gzip.compress(points_csv(points).encode(), mtime=0))
    return len(points)


def points_csv(points: Sequence[Point]) -> str:
    """Points as CSV, numbers with six digits.

    >>> points_csv([Point("free", "speedup", "a", "", 2.0, 1.5)]).splitlines()[1]
    'free,speedup,a,,2,1.5,,,,,,,,,,,'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_text(getattr(point, name)) for name in COLUMNS] for point in points)
    return out.getvalue()


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value is None else f"{value:.6g}" if isinstance(value, int | float) else str(value)


def _point(row: Mapping[str, str]) -> Point:
    values: dict[str, Any] = {name: row[name] for name in TEXTS}
    for name in COLUMNS:
        if name not in TEXTS and name != "experts" and row[name]:
            values[name] = int(row[name]) if name in WHOLE else float(row[name])
    return Point(**values, experts=row["experts"] == "yes")
