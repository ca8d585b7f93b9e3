"""The rows of a CSV file, many at a time."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from specmodel.base.messages import Message
from specmodel.logs._format import LogError, note
from specmodel.logs._stream import Source

BATCH = 2**14


@dataclass
class Batch:
    """Rows as columns of text, and the line on which each of them ends; of two columns of one name the last counts."""

    lines: Sequence[int]
    columns: Mapping[str, Sequence[str]]

    def dicts(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Row by row.

        >>> list(Batch([2, 3], {"a": "13", "b": "24"}).dicts())
        [(2, {'a': '1', 'b': '2'}), (3, {'a': '3', 'b': '4'})]
        """
        for line, *cells in zip(self.lines, *self.columns.values(), strict=True):
            yield line, dict(zip(self.columns, cells, strict=True))


class Table:
    """A CSV file as a stream. What is wrong is raised only after the rows before it were given out.

    >>> import io
    >>> [batch.columns for batch in Table(Source(io.BytesIO(b"a,b\\n1,2\\n3,4\\n"), None)).batches()]
    [{'a': ['1', '3'], 'b': ['2', '4']}]
    """

    def __init__(self, source: Source):
        self.notes: list[Message] = []
        self._source = source

    def batches(self, size: int = BATCH) -> Iterator[Batch]:
        """All rows, not more than `size` at a time; without quotes they are split faster, without a parser."""
        header: list[str] = []
        line = 1
        texts = (block.decode("utf-8", "replace") for block in self._source.blocks())
        for text in texts:
            cells = _plain_cells(text, len(header))
            if cells is None:
                yield from self._quoted(chain((text,), texts), header, line, size)
                return
            rows = text.count("\n")
            if not header:
                header = [cell.strip() for cell in cells[: len(cells) // rows]]
                cells, line, rows = cells[len(header) :], line + 1, rows - 1
            width = len(header)
            for at in range(0, rows, size):
                part = cells[at * width : (at + size) * width]
                columns = {name: part[place::width] for place, name in enumerate(header)}
                yield Batch(range(line + at, line + min(at + size, rows)), columns)
            line += rows

    def _quoted(self, texts: Iterable[str], header: list[str], line: int, size: int) -> Iterator[Batch]:
        """The same by the reader of CSV of the standard library."""
        reader = csv.reader(chain.from_iterable(text.splitlines(keepends=True) for text in texts))
        lines: list[int] = []
        rows: list[list[str]] = []
        wrong: LogError | None = None
        try:
            header = header or [cell.strip() for cell in next(filter(None, reader))]
            for cells in filter(None, reader):
                if len(cells) != len(header):
                    wrong = self._odd(len(cells), len(header), line - 1 + reader.line_num)
                    break
                lines.append(line - 1 + reader.line_num)
                rows.append(cells)
                if len(rows) >= size:
                    yield _batch(header, lines, rows)
                    lines, rows = [], []
        except csv.Error:
            wrong = LogError("line {line} cannot be split into columns", line=line - 1 + reader.line_num)
        except LogError as error:
            wrong = error
        if rows:
            yield _batch(header, lines, rows)
        if wrong is not None:
            raise wrong

    def _odd(self, found: int, expected: int, line: int) -> LogError | None:
        """What to say of a row with another number of cells: nothing is wrong if it is the last and cut off."""
        if self._source.cut_off:
            self.notes.append(note("line {line}, the last one, is cut off and was left out", line=line))
            return None
        return LogError(
            "line {line}: number of columns is {found}, expected {expected} as in the header",
            line=line, found=found, expected=expected,
        )  # fmt: skip


def _batch(header: list[str], lines: list[int], rows: list[list[str]]) -> Batch:
    return Batch(lines, dict(zip(header, zip(*rows, strict=True), strict=True)))


def _plain_cells(text: str, width: int) -> list[str] | None:
    """All cells of whole lines, one row after another; None where a row has quotes, another line end or another width.

    >>> _plain_cells("1,2\\n3,4\\n", 2), _plain_cells("1,2\\n3,4,5\\n", 2)
    (['1', '2', '3', '4'], None)
    """
    lines = text.splitlines()
    if '"' in text or len(lines) != text.count("\n") or len(max(lines, key=len)) > csv.field_size_limit():
        return None
    commas = set(map(str.count, lines, repeat(",")))
    if len(commas) > 1 or commas == {0} or (width and commas != {width - 1}):
        return None
    return text[:-1].replace("\n", ",").split(",")
