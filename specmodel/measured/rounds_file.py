"""The one reader of a table of rounds: which columns are known, what each may hold, and a clear refusal of the rest.

Rows come as columns of text, many at a time, so that a file may have any size; the numbers are kept, the text is not.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Ints
from specmodel.base.messages import N_, Message
from specmodel.base.params import Param
from specmodel.base.table_file import Body, RoundsError, open_table

MAX_PROPOSED = 64
LONGEST_LABEL = 120
ROWS_AT_ONCE = 2**14
BYTES_AT_ONCE = 2**19
REQUIRED = ("proposed", "accepted")

NUMBERS: tuple[Param, ...] = (
    Param("proposed", N_("Proposed"), N_("Draft tokens proposed in the round; 0 when nothing was drafted."),
          unit="tokens", high=MAX_PROPOSED, integer=True),
    Param("accepted", N_("Accepted"), N_("Draft tokens accepted in the round, the bonus token not counted."),
          unit="tokens", high=MAX_PROPOSED, integer=True),
    Param("k", N_("Draft tokens allowed"), N_("The number of draft tokens the round was allowed to propose."),
          unit="tokens", high=MAX_PROPOSED, integer=True),
    Param("temperature", N_("Temperature"), N_("Sampling temperature; 0 is greedy.")),
    Param("draft_ms", N_("Drafting"), N_("Time to draft all tokens of the round."), unit="ms"),
    Param("verify_ms", N_("Verification"), N_("Time of the target's pass over the drafts."), unit="ms"),
    Param("overhead_ms", N_("Overhead"), N_("Time of the round outside both models, such as sampling."), unit="ms"),
    Param("baseline_ms", N_("Plain step"), N_("Time of one plain decoding step measured beside the round."), unit="ms"),
)  # fmt: skip
TEXTS = ("category", "prompt", "run_id")
CALLED_CATEGORY = ("prompt_type", "group", "model_pair")
"""Columns that stand for `category` where the file has none of that name."""
_WHOLE = {str(value): value for value in range(MAX_PROPOSED + 1)}


@dataclass(frozen=True, eq=False)
class Table:
    """The known columns of a file by name, and the names of the rest.

    `category` holds places in `categories`, and `request` numbers the requests: the prompts within their categories, or
    else the runs, in the order in which they appear.
    """

    columns: dict[str, NDArray[Any]]
    categories: tuple[str, ...]
    ignored: tuple[str, ...]


class TableReader:
    """Takes the rows of a table batch after batch; raises `RoundsError` for the first cell that cannot be used.

    >>> reader = TableReader(("proposed", "accepted", "note"))
    >>> reader.take((2, 3), {"proposed": ("4", "4"), "accepted": ("2", "0"), "note": ("x", "y")})
    >>> reader.table().columns["accepted"].tolist(), reader.table().ignored
    ([2, 0], ('note',))
    """

    def __init__(self, header: Iterable[str]):
        names = tuple(header)
        texts = {"category": ("category", *CALLED_CATEGORY), "request": ("prompt", "run_id")}
        found = {name: next((each for each in columns if each in names), "") for name, columns in texts.items()}
        self._texts = {name: column for name, column in found.items() if column}
        self._numbers = [param for param in NUMBERS if param.name in names]
        used = {*TEXTS, *self._texts.values(), *(param.name for param in self._numbers)}
        self._ignored = tuple(name for name in names if name not in used)
        self._batches: dict[str, list[NDArray[Any]]] = {}
        self._labels = {name: _Labels() for name in self._texts}
        self._prompts: defaultdict[tuple[int, int], int] = defaultdict(count().__next__)  # by prompt and category
        self.num_rows = 0
        """Rows taken since the last `table`."""

    def take(self, lines: Sequence[int], cells: Mapping[str, Sequence[str]]) -> None:
        """Take rows, given column by column, and the line of each."""
        batch = {param.name: _numbers(cells[param.name], param, lines) for param in self._numbers}
        _check_accepted(batch, lines)
        for name, numbers in self._labels.items():
            batch[name] = numbers.of(cells[self._texts[name]], self._texts[name], lines)
        if self._texts.get("request") == "prompt" and "category" in batch:
            prompts = zip(batch["request"].tolist(), batch["category"].tolist(), strict=True)
            batch["request"] = np.fromiter(map(self._prompts.__getitem__, prompts), np.int64, len(lines))
        for name, values in batch.items():
            self._batches.setdefault(name, []).append(values)
        self.num_rows += len(lines)

    def table(self) -> Table:
        """The rows taken since the last time that this was asked for; requests go on being the same ones."""
        columns = {name: np.concatenate(arrays) for name, arrays in self._batches.items()}
        self._batches, self.num_rows = {}, 0
        categories = tuple(self._labels["category"].numbers) if "category" in self._labels else ()
        return Table(columns, categories, self._ignored)


def read_table(source: str | bytes | Path) -> Table:
    """The known columns of a table of rounds as arrays; text is CSV, a path is a file, bytes may be gzip.

    >>> table = read_table("proposed,accepted,note\\n4,2,x\\n4,0,y\\n")
    >>> table.columns["accepted"].tolist(), table.ignored
    ([2, 0], ('note',))
    >>> read_table("proposed,accepted\\n4,5\\n")
    Traceback (most recent call last):
    specmodel.base.table_file.RoundsError: line 2: accepted = 5 is more than proposed = 4
    """
    body = open_table(source, REQUIRED)
    reader = TableReader(body.header)
    try:
        for lines, rows in _quoted(body) if b'"' in body.data else _plain(body):
            reader.take(lines, rows)
    except csv.Error as error:
        raise RoundsError("the file cannot be read as a table: {reason}", reason=str(error)) from error
    return reader.table()


Batch = tuple[Sequence[int], Mapping[str, Sequence[str]]]


def _plain(body: Body) -> Iterator[Batch]:
    """The rows of a table without quotes, many at a time: its cells are what lies between delimiters."""
    at, line, width = 0, 2, len(body.header)
    while at < len(body.data):
        end = body.data.find(b"\n", at + BYTES_AT_ONCE)
        end = len(body.data) if end < 0 else end
        cells = body.data[at:end].replace(b"\n", body.delimiter.encode()).decode("utf-8").split(body.delimiter)
        rows = len(cells) // width
        yield range(line, line + rows), {name: cells[place::width] for place, name in enumerate(body.header)}
        at, line = end + 1, line + rows


def _quoted(body: Body) -> Iterator[Batch]:
    """The same for a table with quotes, by the reader of CSV of the standard library."""
    records = body.reader()
    while rows := [(records.line_num + 1, cells) for cells in islice(records, ROWS_AT_ONCE)]:
        lines, cells = zip(*rows, strict=True)
        yield lines, dict(zip(body.header, zip(*cells, strict=True), strict=True))


def _numbers(cells: Sequence[str], param: Param, lines: Sequence[int]) -> NDArray[Any]:
    """A column of numbers inside the domain of `param`; whole ones, which are small, in one byte each."""
    if param.integer:
        with suppress(KeyError):
            return np.fromiter(map(_WHOLE.__getitem__, cells), np.int8, len(cells))
    try:
        values = np.fromiter(map(float, cells), float, len(cells))
    except ValueError:
        values = np.fromiter(map(_number, cells), float, len(cells))
    wrong = ~(np.isfinite(values) & (values >= param.low) & (values <= param.high))
    if param.integer:
        wrong |= values != np.floor(values)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise _cell_error(cells[row], param.name, lines[row], _expected(param))
    return values.astype(np.int8) if param.integer else values


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def _expected(param: Param) -> Message:
    if param.integer:
        return Message("a whole number from {low} to {high}", {"low": int(param.low), "high": int(param.high)})
    return Message("a finite number, {low} or more", {"low": int(param.low)})


def _cell_error(cell: str, name: str, line: int, expected: Message) -> RoundsError:
    found = cell.strip()
    if not found:
        text = "line {line}, column {column}: nothing found, expected {expected}"
        return RoundsError(text, line=line, column=name, expected=expected)
    text = "line {line}, column {column}: found {found}, expected {expected}"
    return RoundsError(text, line=line, column=name, found=found, expected=expected)


def _check_accepted(columns: Mapping[str, NDArray[Any]], lines: Sequence[int]) -> None:
    wrong = columns["accepted"] > columns["proposed"]
    if wrong.any():
        row = int(np.argmax(wrong))
        raise RoundsError(
            "line {line}: accepted = {accepted} is more than proposed = {proposed}",
            line=lines[row], accepted=int(columns["accepted"][row]), proposed=int(columns["proposed"][row]),
        )  # fmt: skip


class _Labels(dict[str, int]):
    """The number of each label of a column, new ones in the order in which they appear; spaces around one do not count.

    It is asked for every cell of a file, so that a cell that was met before costs no more than a look-up.
    """

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {}

    def __missing__(self, cell: str) -> int:
        number = self[cell] = self.numbers.setdefault(cell.strip()[:LONGEST_LABEL], len(self.numbers))
        return number

    def of(self, cells: Sequence[str], name: str, lines: Sequence[int]) -> Ints:
        """The numbers of some cells; a blank one is refused."""
        codes: Ints = np.fromiter(map(self.__getitem__, cells), np.int64, len(cells))
        if "" in self.numbers:
            row = next(row for row, cell in enumerate(cells) if not cell.strip())
            raise _cell_error("", name, lines[row], Message("a label"))
        return codes
