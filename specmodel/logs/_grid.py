"""Tables in a text: Markdown, drawn with lines, CSV, TSV, or columns with spaces between them."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from specmodel.logs._cells import bare

MOST_COLUMNS = 64
MOST_ROWS = 500
LONGEST_CELL = 300
_RULE = re.compile(r"[\s|+:=\-─━═┼╪╫╬├┤┌┐└┘┬┴╞╡╔╗╚╝╠╣╦╩┏┓┗┛┳┻╋┠┨┯┷┡┩╇╈]*")
_BARS = str.maketrans("│┃║¦", "||||")


@dataclass(frozen=True)
class Grid:
    """A table as text: its header, and each row with its line. All rows have as many cells as the header."""

    line: int
    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    odd: tuple[int, int] | None = None
    """The first line with another number of cells, and that number."""
    by_spaces: bool = False
    """Whether nothing but single spaces divides its cells."""

    def transposed(self) -> "Grid | None":
        """Rows as columns; None where they are too many."""
        if len(self.rows) >= MOST_COLUMNS:
            return None
        header = (self.header[0], *(cells[0] for _, cells in self.rows))
        rows = [(name, *(cells[at] for _, cells in self.rows)) for at, name in enumerate(self.header) if at]
        return Grid(self.line, header, tuple((self.line, row) for row in rows), self.odd, self.by_spaces)


def grids(text: str) -> Iterator[list[Grid]]:
    """Every table of a text in their order: each of them in all the ways in which its lines divide into columns.

    >>> [each.rows for ways in grids("| k | t/s |\\n|--:|--:|\\n| 3 | 84 |") for each in ways]
    [((3, ('3', '84')),)]
    >>> [[each.header for each in ways] for ways in grids("k  tok/s\\n1  80\\n2  90")]
    [[('k', 'tok/s')]]
    """
    for block in _blocks(text):
        found: dict[tuple[str, ...], Grid] = {}
        for split in _ways(block):
            if (grid := _grid(block, split)) is not None:
                found.setdefault(grid.header, replace(grid, by_spaces=split is str.split))
        if found:
            yield list(found.values())


Line = tuple[int, str]


def _blocks(text: str) -> Iterator[list[Line]]:
    """Lines that follow each other without a blank one; lines that only draw a rule are left out."""
    block: list[Line] = []
    piped = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.translate(_BARS).rstrip(" \r")
        solid = line.strip()
        if solid and (_RULE.fullmatch(solid) or solid.startswith("```")):
            continue
        if not solid or ("|" in line) != piped:
            if block:
                yield block
            block, piped = [], "|" in line
        if solid:
            block.append((number, line))
    if block:
        yield block


def _ways(block: Sequence[Line]) -> Iterator[Callable[[str], list[str]]]:
    first = block[0][1]
    if "|" in first:
        yield _by_pipes
        return
    for mark in ("\t", ";", ","):
        if mark in first:
            yield lambda line, mark=mark: next(csv.reader([line], delimiter=mark), [])  # type: ignore[misc]
    if re.search(r"\S {2,}\S", first):
        yield lambda line: re.split(r"\s{2,}|\t", line.strip())
    yield str.split


def _by_pipes(line: str) -> list[str]:
    body = line.strip()
    body = body.removeprefix("|")
    if body.endswith("|") and not body.endswith("\\|"):
        body = body[:-1]
    return [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", body)]


def _grid(block: Sequence[Line], split: Callable[[str], list[str]]) -> Grid | None:
    """The rows below the header that have as many cells; of a block whose first lines are prose, from where it fits."""
    try:
        cells = [
            (number, tuple(bare(each[:LONGEST_CELL]) for each in split(line)))
            for number, line in block[: MOST_ROWS + 10]
        ]
    except csv.Error:
        return None
    for start in range(min(len(cells) - 1, 8)):
        width = len(cells[start][1])
        if not 2 <= width <= MOST_COLUMNS or len(cells[start + 1][1]) != width:
            continue
        rows: list[tuple[int, tuple[str, ...]]] = []
        for number, row in cells[start + 1 :]:
            if len(row) != width:
                return Grid(cells[start][0], cells[start][1], tuple(rows), (number, len(row)))
            rows.append((number, row))
        return Grid(cells[start][0], cells[start][1], tuple(rows))
    return None
