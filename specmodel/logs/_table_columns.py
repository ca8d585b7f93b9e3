"""The columns of a table as they are understood: by their names, and by their values where a name leaves it open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from specmodel.logs._cells import Number, is_empty, length_of, list_of, number_of
from specmodel.logs._columns import (
    ACCEPTANCE,
    ACCEPTANCE_UNSURE,
    DRAFTS_UNSURE,
    ROLES,
    SPEEDS,
    TIME_UNSURE,
    acceptance_readings,
    role_of,
)
from specmodel.logs._grid import Grid
from specmodel.logs._table_acceptance import LONGEST, NOISE, Known, Row, list_readings, readings_left

SEVERAL = ("name", "kind", "per_position", "conditional", "ignore", "")
CONDITIONS = ("name", "kind", "p_min", "top_k", "batch", "context", "temperature", "request_rate")


@dataclass(frozen=True)
class Column:
    """A column: its name in the table, what it is taken for ("" where that is not known), and what else it may be.

    `readings` has more than one entry where the visitor has to say which; `role` is then "".
    """

    header: str
    role: str
    readings: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether it is known what it holds."""
        return bool(self.role)


@dataclass(frozen=True)
class Columns:
    """The columns of a table and its cells by what they hold."""

    grid: Grid
    columns: tuple[Column, ...]

    def cells(self, role: str) -> list[list[str]]:
        """The cells of the columns of a role, row by row."""
        at = [place for place, each in enumerate(self.columns) if each.role == role]
        return [[row[place] for place in at] for _, row in self.grid.rows]

    def numbers(self, place: int) -> list[Number | None]:
        """The numbers of a column; None where there is none."""
        return [number_of(row[place]) for _, row in self.grid.rows]

    def with_role(self, place: int, role: str) -> "Columns":
        """The same with another role of one column."""
        columns = list(self.columns)
        columns[place] = replace(columns[place], role=role)
        return replace(self, columns=tuple(columns))

    @property
    def tells(self) -> int:
        """How many columns hold a speed or an acceptance: without one it is no table of speculation."""
        told = {*ACCEPTANCE, *SPEEDS, "speedup", "accepted", "request_ms"}
        return sum(each.role in told or len(each.readings) > 1 for each in self.columns)

    @property
    def known(self) -> int:
        """How many columns are known, or nearly."""
        return sum(each.is_sure or len(each.readings) > 1 for each in self.columns)


def understood(grid: Grid, chosen: Sequence[str] = (), tells_of_sglang: bool = False) -> Columns:
    """What each column of a table holds; `chosen` are roles that the visitor gave, "" or missing: as understood.

    >>> grid = Grid(1, ("k", "tok/s", "accept"), ((2, ("1", "80", "0.9")), (3, ("3", "99", "0.7"))))
    >>> [each.role for each in understood(grid).columns]
    ['k', 'tokens_per_s', 'accepted_per_drafted']
    """
    given = [chosen[at] if at < len(chosen) and chosen[at] in ROLES else "" for at in range(len(grid.header))]
    named = [each or role_of(header) for each, header in zip(given, grid.header, strict=True)]
    found = Columns(grid, tuple(map(Column, grid.header, named)))
    found = _with(found, DRAFTS_UNSURE, lambda place: _drafts(found, place))
    found = _once_each(found)
    before = found
    sure = _with(found, ACCEPTANCE_UNSURE, lambda place: _acceptance(before, place, tells_of_sglang))
    # those that are sure tell what the others are
    first = [now if now.is_sure else each for now, each in zip(sure.columns, before.columns, strict=True)]
    beside = replace(found, columns=tuple(first))
    found = _with(beside, ACCEPTANCE_UNSURE, lambda place: _acceptance(beside, place, tells_of_sglang))
    known = found
    found = _with(found, TIME_UNSURE, lambda place: _time(known, place))
    return _once_each(found)


def _with(found: Columns, unsure: str, read: Callable[[int], tuple[str, ...]]) -> Columns:
    columns = []
    for place, each in enumerate(found.columns):
        if each.role == unsure:
            readings = read(place)
            each = replace(each, role=readings[0] if len(readings) == 1 else "", readings=readings)
        columns.append(each)
    return replace(found, columns=tuple(columns))


def _once_each(found: Columns) -> Columns:
    """Of two columns of one role the first counts."""
    seen: set[str] = set()
    columns = []
    for each in found.columns:
        again = each.role in seen and each.role not in SEVERAL and not each.role.endswith("?")
        columns.append(replace(each, role="ignore") if again else each)
        seen.add(each.role)
    return replace(found, columns=tuple(columns))


def _drafts(found: Columns, place: int) -> tuple[str, ...]:
    """Draft tokens: a setting where all are few, else a count."""
    lengths = [length_of(row[place]) for _, row in found.grid.rows if not is_empty(row[place])]
    few = all(each is not None and each <= LONGEST for each in lengths)
    return ("k",) if few and not any(each.role == "k" for each in found.columns) else ("drafted",)


def _time(found: Columns, place: int) -> tuple[str, ...]:
    """A time without a name: that of a token, a step or a request, where the speeds beside it tell."""
    open_ = ("tpot_ms", "step_ms", "request_ms")
    speeds = next((at for at, each in enumerate(found.columns) if each.role.startswith("tokens_per_s")), None)
    if speeds is None:
        return open_
    both = [
        (ms.value, each.value)
        for ms, each in zip(found.numbers(place), found.numbers(speeds), strict=True)
        if ms is not None and each is not None and each.value
    ]
    if both and all(abs(ms * each / 1000 - 1) < NOISE for ms, each in both):
        return ("tpot_ms",)
    return open_


def _acceptance(found: Columns, place: int, tells_of_sglang: bool) -> tuple[str, ...]:
    header = found.columns[place].header
    cells = [row[place] for _, row in found.grid.rows if not is_empty(row[place])]
    if cells and all(list_of(each) is not None for each in cells):
        return list_readings(cells)
    rows = _rows(found, place)
    whole = bool(rows) and all(value.value == int(value.value) and not value.unit for *_, value in rows)
    beyond = any(each.value > (k or LONGEST) + 1 for _, k, each in rows)
    if whole and beyond and any(each.role in ("drafted", "rounds") for each in found.columns):
        return ("accepted",)
    return readings_left(acceptance_readings(header, tells_of_sglang), header, rows, _beside(found))


def _beside(found: Columns) -> list[Known]:
    """The columns whose acceptance is known by their names."""
    told = ("accepted_per_drafted", "length_with_bonus", "length_without_bonus")
    return [(each.role, each.header, _rows(found, at)) for at, each in enumerate(found.columns) if each.role in told]


def _rows(found: Columns, place: int) -> list[Row]:
    """Conditions, draft length and value of every row that speculates."""
    rows = []
    ks, conditions = found.cells("k"), [found.cells(role) for role in CONDITIONS]
    for at, value in enumerate(found.numbers(place)):
        k = length_of(ks[at][0]) if ks[at] else None
        if value is not None and k != 0 and value.value >= 0:
            rows.append((tuple(cell for each in conditions for cell in each[at]), k, value))
    return rows
