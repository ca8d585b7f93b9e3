"""What an engine's file in this folder offers: formats, each with what marks it and what reads it.

A module of this folder without a leading underscore holds one engine and names its formats in `FORMATS`, best first.
`Lines` are read line by line, `Objects` from JSON or JSON lines, `Metrics` from Prometheus exposition text, `Tables`
from CSV. A reader is made for each file, is given what was found with its line number, and is asked for the result.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.measured.spec_stats import SpecStats

Families = Mapping[str, list["Sample"]]


@dataclass(frozen=True)
class Sample:
    """One sample of an exposition: its labels, its value, and the type of its family."""

    labels: Mapping[str, str]
    value: float
    type: str = "untyped"


class LogError(SpecmodelError):
    """A file that cannot be used; the message names the line, what was found and what was expected."""

    def __init__(self, template: str, **values: Any):
        shown = {name: Verbatim(_short(value)) if isinstance(value, str) else value for name, value in values.items()}
        super().__init__(Message(template, shown))


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:99] + "…"


def note(template: str, **values: Any) -> Message:
    """Something that a reader should know about a file; texts among the values are shown as they came.

    >>> str(note("line {line} was left out", line=3))
    'line 3 was left out'
    """
    return LogError(template, **values).message


class Reader(Protocol):
    """Takes what was found in one file. `take` says whether it could use it; `result` is None if nothing was usable."""

    def take(self, line: int, found: Any) -> bool:
        """Use a line (str), an object (dict) or a table row (dict of str) that stands at `line`."""

    def result(self) -> SpecStats | None:
        """What all of it adds up to."""


@runtime_checkable
class RowsReader(Protocol):
    """A reader of a table that takes many rows at once: several times as fast."""

    def take_rows(self, lines: Sequence[int], columns: Mapping[str, Sequence[str]]) -> None:
        """Use rows, given column by column, and the line of each; they have to count as if taken one by one."""


@runtime_checkable
class ObjectsReader(Protocol):
    """A reader of JSON lines that takes many objects at once: several times as fast where a line is a single token."""

    def take_objects(self, lines: Sequence[int], found: Sequence[Mapping[str, Any]]) -> bool:
        """Use objects, with the line of each, as if taken one by one; False, with none used, where it cannot."""


@dataclass(frozen=True)
class Lines:
    """Lines that hold one of the `markers` (plain text), given to the reader one after another."""

    engine: str
    source: str
    markers: tuple[str, ...]
    reader: Callable[[], Reader]


@dataclass(frozen=True)
class Objects:
    """JSON objects with one of the `keys` somewhere in their text, given to the reader one after another.

    `in_logs` tells whether one that stands in a log line, behind other text, counts as well.
    """

    engine: str
    source: str
    keys: tuple[str, ...]
    reader: Callable[[], Reader]
    in_logs: bool = True


@dataclass(frozen=True)
class Metrics:
    """Exposition text with a family whose name starts with one of the `prefixes`."""

    engine: str
    source: str
    prefixes: tuple[str, ...]
    read: Callable[[Families], SpecStats | None]


@dataclass(frozen=True)
class Tables:
    """A CSV file whose header has all of these columns; rows are given as dicts of text, or many to a `RowsReader`."""

    engine: str
    source: str
    columns: tuple[str, ...]
    reader: Callable[[], Reader]


Format = Lines | Objects | Metrics | Tables
