"""Open a table in a text file (CSV, plain or gzip); refuse what is no table, naming the line and what was expected."""

import csv
import gzip
import io
import re
import zlib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import Message, SpecmodelError, Verbatim

MAX_BYTES = 64 * 2**20
MAX_LINE_BYTES = 65_536
MAX_ROUNDS = 2_000_000


class RoundsError(SpecmodelError):
    """A file of rounds that cannot be used; the message names the line, what was found and what was expected."""

    def __init__(self, template: str, **values: Any):
        shown = {name: Verbatim(_short(value)) if isinstance(value, str) else value for name, value in values.items()}
        super().__init__(Message(template, shown))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


@dataclass(frozen=True)
class Body:
    """The lines under the header, still as bytes, and how they are split.

    >>> body = open_table("proposed;accepted\\n4;2\\n4;0\\n", ("proposed", "accepted"))
    >>> body.delimiter, body.header, body.record(1)
    (';', ('proposed', 'accepted'), (3, ['4', '0']))
    """

    data: bytes
    delimiter: str
    header: tuple[str, ...]

    def cell_error(self, record: int, name: str, expected: Message) -> RoundsError:
        """What to say about one cell: its line, the text found there, and what was expected."""
        line, cells = self.record(record)
        found = dict(zip(self.header, cells, strict=False)).get(name, "").strip()
        if not found:
            return RoundsError(
                "line {line}, column {column}: nothing found, expected {expected}",
                line=line, column=name, expected=expected,
            )  # fmt: skip
        return RoundsError(
            "line {line}, column {column}: found {found}, expected {expected}",
            line=line, column=name, found=found, expected=expected,
        )  # fmt: skip

    def record(self, index: int) -> tuple[int, list[str]]:
        """The line number on which a record ends, counted from the header as line 1, and its cells."""
        reader = self.reader()
        cells: list[str] = next(islice(reader, index, None), [])
        return reader.line_num + 1, cells

    def reader(self) -> Any:
        """The records under the header; `line_num` counts the lines read."""
        lines = io.StringIO(self.data.decode("utf-8"), newline="")
        return csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True, strict=True)


def open_table(source: str | bytes | Path, needed: tuple[str, ...]) -> Body:
    """The header and the lines of a table; text is CSV, a path is a file, bytes may be gzip.

    Every record has as many cells as the header afterwards.

    >>> open_table("a,b\\n1,2\\n1\\n", ("a", "b"))
    Traceback (most recent call last):
    specmodel.base.table_file.RoundsError: line 3: number of columns is 1, expected 2 as in the header
    """
    first, _, rest = _plain_text(_load(source)).partition(b"\n")
    delimiter, header = _header(first, needed)
    body = Body(rest.rstrip(b"\n"), delimiter, header)
    if not body.data:
        raise RoundsError("the file has a header but no rounds; expected one line for each round")
    if body.data.count(b"\n") >= MAX_ROUNDS:
        raise RoundsError("the file has too many lines: at most {limit} rounds can be read", limit=MAX_ROUNDS)
    _check_widths(body)
    return body


def _load(source: str | bytes | Path) -> bytes:
    if isinstance(source, str):
        data = source.encode("utf-8", "surrogatepass")
    elif isinstance(source, Path):
        data = _read_file(source)
    else:
        data = bytes(source)
    _check_size(data)
    return _unpack(data) if data[:2] == b"\x1f\x8b" else data


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise RoundsError("the file {name} cannot be opened: {reason}", name=path.name, reason=reason) from error


def _unpack(data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            unpacked = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RoundsError("the file is damaged and cannot be unpacked (gzip): {reason}", reason=str(error)) from error
    _check_size(unpacked)
    return unpacked


def _check_size(data: bytes) -> None:
    if len(data) > MAX_BYTES:
        raise RoundsError("the file is too large: at most {limit} MiB can be read", limit=MAX_BYTES // 2**20)


def _plain_text(data: bytes) -> bytes:
    """UTF-8 without byte order mark, lines ending in a single newline."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not data.strip():
        raise RoundsError("the file is empty; expected a header and one line for each round")
    if (at := data.find(b"\0")) >= 0:
        raise RoundsError(
            "line {line} holds a zero byte: this is a binary file or not UTF-8, expected a CSV text file",
            line=data.count(b"\n", 0, at) + 1,
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RoundsError(
            "line {line} is not UTF-8 text; expected a CSV text file", line=data.count(b"\n", 0, error.start) + 1
        ) from error
    return data


def _header(first: bytes, needed: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The delimiter (comma, semicolon or tab) under which the header has the needed columns, and their names."""
    if len(first) > MAX_LINE_BYTES or first.count(b'"') % 2:
        raise RoundsError("line 1 is not a header: it is too long or has an open quotation mark")
    line = first.decode("utf-8")
    splits = {mark: _names(line, mark) for mark in (",", ";", "\t")}
    delimiter = max(splits, key=lambda mark: (len(set(needed) & set(splits[mark])), len(splits[mark])))
    header = splits[delimiter]
    missing = [name for name in needed if name not in header]
    if missing:
        raise RoundsError(
            "line 1 has no column {missing}; found {found}, expected at least {needed}",
            missing=", ".join(missing), found=", ".join(header), needed=", ".join(needed),
        )  # fmt: skip
    for name in header:
        if name and header.count(name) > 1:
            raise RoundsError("line 1 has the column {name} more than once", name=name)
    return delimiter, header


def _names(line: str, delimiter: str) -> tuple[str, ...]:
    cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    return tuple(re.sub(r"\s+", " ", cell).strip().lower() for cell in cells)


def _check_widths(body: Body) -> None:
    """Every record has as many columns as the header."""
    widths = _widths(body)
    wrong = np.flatnonzero(widths != len(body.header))
    if wrong.size == 0:
        return
    record = int(wrong[0])
    line, cells = body.record(record)
    if not "".join(cells).strip():
        raise RoundsError("line {line} is empty; expected a round on each line", line=line)
    raise RoundsError(
        "line {line}: number of columns is {found}, expected {expected} as in the header",
        line=line, found=len(cells), expected=len(body.header),
    )  # fmt: skip


def _widths(body: Body) -> NDArray[np.int64]:
    """Columns in each record; without quotation marks that is a matter of counting delimiters."""
    if b'"' in body.data:
        reader = body.reader()
        try:
            return np.fromiter((len(cells) for cells in reader), dtype=np.int64)
        except csv.Error as error:
            raise RoundsError(
                "line {line} cannot be split into columns: {reason}", line=reader.line_num + 1, reason=str(error)
            ) from error
    raw = np.frombuffer(body.data, dtype=np.uint8)
    ends = np.append(np.flatnonzero(raw == ord("\n")), raw.size)
    long = np.flatnonzero(np.diff(ends, prepend=-1) > MAX_LINE_BYTES)
    if long.size:
        raise RoundsError(
            "line {line} is too long, expected at most {limit} bytes", line=int(long[0]) + 2, limit=MAX_LINE_BYTES
        )
    marks = np.flatnonzero(raw == ord(body.delimiter))
    return np.diff(np.searchsorted(marks, ends), prepend=0) + 1
