"""The cells of one row of a table by what they hold, as numbers; what is wrong is named with its line and column."""

import re

from specmodel.logs._cells import Number, is_empty, number_of
from specmodel.logs._checks import number
from specmodel.logs._columns import normal
from specmodel.logs._format import LogError
from specmodel.logs._table_columns import Columns


class Row:
    """The cells of one row by role, as numbers with the line and the name in what is said of a wrong one."""

    def __init__(self, line: int, columns: Columns, cells: tuple[str, ...]):
        self.line, self.spread = line, False
        self._columns, self._cells = columns.columns, cells

    def texts(self, role: str) -> list[str]:
        """What stands in the columns of a role, blanks left out."""
        return [
            cell
            for each, cell in zip(self._columns, self._cells, strict=True)
            if each.role == role and not (is_empty(cell) and cell.lower() != "none")
        ]

    def text(self, role: str) -> str:
        """What stands in the first column of a role."""
        return next(iter(self.texts(role)), "")

    def header(self, role: str) -> str:
        """The name of the first column of a role."""
        return next((each.header for each in self._columns if each.role == role), role)

    def found(self, role: str) -> tuple[int | None, Number | None]:
        """The place and the number of the first column of a role; `LogError` where something else stands there."""
        for place, each in enumerate(self._columns):
            cell = self._cells[place]
            if each.role != role or is_empty(cell):
                continue
            value = number_of(cell)
            if value is None:
                number(cell, self.line, each.header)
            if value is not None:
                number(value.value, self.line, each.header)
                self.spread = self.spread or value.spread
            return place, value
        return None, None

    def number(self, role: str, above_zero: bool = False) -> float | None:
        """The number of a role; None where nothing stands there."""
        _, value = self.found(role)
        if value is None:
            return None
        if above_zero and not value.value:
            raise LogError("line {line}: {name} is {value}, expected a number above 0",
                           line=self.line, name=self.header(role), value=self.text(role))  # fmt: skip
        return value.value

    def count(self, role: str) -> float | None:
        """The whole number of a role."""
        value = self.number(role)
        if value is not None and value != int(value):
            raise LogError("line {line}: {name} is {value}, expected a whole number",
                           line=self.line, name=self.header(role), value=self.text(role))  # fmt: skip
        return value

    def time(self, role: str) -> float | None:
        """A time in ms: in seconds where its cell or its column says so."""
        _, value = self.found(role)
        if value is None:
            return None
        name = normal(self.header(role))
        seconds = value.unit in ("s", "sec") or (
            not value.unit and re.search(r"[(\[, ](?:s|sec|seconds)[)\]]?$|\bs/t", name) is not None
        )
        ms = value.value * (1000 if seconds else 1)
        return ms or None

    def ratio(self, role: str) -> float | None:
        """A speedup: 1.32×, or +32 %."""
        value = number_of(self.text(role))
        if value is None:
            return None
        found = 1 + value.value / 100 if value.percent else value.value
        return found if found > 0 else None
