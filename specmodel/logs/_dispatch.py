"""Gives what a file holds to the formats that may know it, and lets exactly one engine answer."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from specmodel.logs._finder import Finder
from specmodel.logs._format import Format, Lines, LogError, Metrics, Objects, Reader, Tables, note
from specmodel.logs._json_lines import NotJson, decoded, object_of
from specmodel.logs._prometheus import by_label, families
from specmodel.logs._stream import Source
from specmodel.messages import Message
from specmodel.spec_stats import SpecStats, total

MAX_DOCUMENT = 64 * 2**20
MAX_REMEMBERED = 100_000
_SAMPLE = re.compile(rb"^(?:# (?:HELP|TYPE) )?([a-zA-Z_:][a-zA-Z0-9_:]*)[ {]", re.MULTILINE)
_CLOCK = re.compile(rb"\d\d:\d\d:\d\d")
_COLONS = re.compile(rb":\d\d:")  # starts with a literal, so that it passes over long lines of JSON ten times as fast


@dataclass
class _Open:
    """A format at work on this file."""

    format: Lines | Objects | Tables
    reader: Reader
    first_line: int = 0
    unread: list[int] = field(default_factory=list)

    def take(self, line: int, found: Any) -> bool:
        used = self.reader.take(line, found)
        if used:
            self.first_line = self.first_line or line
        elif len(self.unread) < 4:
            self.unread.append(line)
        return used


class Dispatcher:
    """All formats at work on one file."""

    def __init__(self, formats: Iterable[Format]):
        self.formats = list(formats)
        self.notes: list[Message] = []
        self._open = [_Open(each, each.reader()) for each in self.formats if isinstance(each, Lines | Objects | Tables)]
        self._finder = Finder(marker for each in self.formats for marker in _markers(each))
        self._by_bits: dict[int, tuple[list[tuple[_Open, bool]], bool]] = {}
        self._seen: dict[bytes, int] = {}

    def read(self, source: Source) -> SpecStats:
        """The counters of the file, or `LogError`."""
        head = source.head()
        if not head.strip():
            raise LogError("the file is empty")
        found: list[tuple[int, Format, SpecStats]]
        if prefixes := self._metrics(head):
            found = self._scrape(source.whole(MAX_DOCUMENT), prefixes)
        elif table := self._table(head):
            self._rows(source, table)
            found = self._results()
        elif _is_document(head):
            self._documents(source.whole(MAX_DOCUMENT))
            found = self._results()
        else:
            self._lines(source)
            found = self._results()
        if source.cut_off and not source.ends_in(b"}") and not _is_document(head):
            self.notes.append(note("the file does not end with a line end: its last line may be cut off"))
        return self._one(found)

    def _metrics(self, head: bytes) -> list[Metrics]:
        names = {match.decode() for match in _SAMPLE.findall(head[: head.rfind(b"\n") + 1] or head)}
        return [
            each
            for each in self.formats
            if isinstance(each, Metrics) and any(name.startswith(each.prefixes) for name in names)
        ]

    def _scrape(self, text: str, formats: list[Metrics]) -> list[tuple[int, Format, SpecStats]]:
        return read_families(families(text), formats)

    def _table(self, head: bytes) -> list[_Open]:
        header = {cell.strip() for cell in next(csv.reader([head.split(b"\n")[0].decode("utf-8", "replace")]), [])}
        return [each for each in self._open if isinstance(each.format, Tables) and header >= {*each.format.columns}]

    def _rows(self, source: Source, opened: list[_Open]) -> None:
        lines = (
            line for block in source.blocks() for line in block.decode("utf-8", "replace").splitlines(keepends=True)
        )
        reader = csv.reader(lines)
        try:
            header = [cell.strip() for cell in next(reader)]
            for cells in reader:
                if len(cells) != len(header) and source.cut_off:
                    self.notes.append(
                        note("line {line}, the last one, is cut off and was left out", line=reader.line_num)
                    )
                    break
                if len(cells) != len(header):
                    raise LogError(
                        "line {line}: number of columns is {found}, expected {expected} as in the header",
                        line=reader.line_num, found=len(cells), expected=len(header),
                    )  # fmt: skip
                row = dict(zip(header, cells, strict=True))
                for each in opened:
                    each.take(reader.line_num, row)
        except csv.Error as error:
            raise LogError("line {line} cannot be split into columns", line=reader.line_num) from error

    def _documents(self, text: str) -> None:
        for line, found in _decoded(text):
            for item in found if isinstance(found, list) else [found]:
                if isinstance(item, dict):
                    for each in self._open:
                        if isinstance(each.format, Objects):
                            each.take(line, item)

    def _lines(self, source: Source) -> None:
        line = 1
        for block in source.blocks():
            for number, raw, bits, item in self._marked(block, line):
                try:
                    self._line(number, raw, bits, item)
                except NotJson:
                    if not source.cut_off:
                        raise
                    self.notes.append(note("line {line}, the last one, is cut off and was left out", line=number))
            line += block.count(b"\n")

    def _marked(self, block: bytes, line: int) -> Iterator[tuple[int, bytes, int, dict[str, Any] | None]]:
        """The lines of a block that hold a marker, with the bits of their markers and their JSON object."""
        found = list(self._finder.lines(block, line))
        lines = [block[start:end] for _, start, end, _ in found]
        wanted = [self._wanted(bits)[1] for *_, bits in found]
        objects = iter(decoded([raw for raw, objects in zip(lines, wanted, strict=True) if objects]))
        for (number, _, _, bits), raw, has_object in zip(found, lines, wanted, strict=True):
            yield number, raw, bits, next(objects) if has_object else None

    def _wanted(self, bits: int) -> tuple[list[tuple[_Open, bool]], bool]:
        """Which formats a line with these markers goes to and which of them read objects, and whether any does."""
        wanted = self._by_bits.get(bits)
        if wanted is None:
            markers = {marker for index, marker in enumerate(self._finder.markers) if bits >> index & 1}
            opened = [
                (each, isinstance(each.format, Objects))
                for each in self._open
                if not markers.isdisjoint(_markers(each.format))
            ]
            wanted = self._by_bits[bits] = opened, any(objects for _, objects in opened)
        return wanted

    def _line(self, line: int, raw: bytes, bits: int, item: dict[str, Any] | None) -> None:
        if len(self._seen) < MAX_REMEMBERED:
            self._remember(line, raw)
        wanted, has_objects = self._by_bits[bits]
        text = "" if item is not None and len(wanted) == 1 else raw.decode("utf-8", "replace")
        if has_objects and item is None:
            item = object_of(text, line)
        for each, takes_objects in wanted:
            if not takes_objects:
                each.take(line, text)
            elif item is not None:
                each.take(line, item)

    def _remember(self, line: int, raw: bytes) -> None:
        """Note a line with a time of day that stands in the file twice: a file that was put together twice."""
        if not _COLONS.search(raw) or not _CLOCK.search(raw):
            return
        before = self._seen.setdefault(hash(raw).to_bytes(8, "big", signed=True), line)
        if before != line and len(self.notes) < 3:
            self.notes.append(
                note(
                    "line {line} is the same as line {before}, time of day included; both were counted",
                    line=line,
                    before=before,
                )
            )

    def _results(self) -> list[tuple[int, Format, SpecStats]]:
        found: list[tuple[int, Format, SpecStats]] = []
        for each in self._open:
            if each.first_line and (stats := each.reader.result()) is not None:
                found.append((each.first_line, each.format, stats))
                if each.unread and isinstance(each.format, Lines):
                    self.notes.append(
                        note(
                            "lines that look like those of {engine} but could not be read were left out: {lines}",
                            engine=each.format.engine, lines=", ".join(map(str, each.unread)),
                        )
                    )  # fmt: skip
        return found

    def _one(self, found: list[tuple[int, Format, SpecStats]]) -> SpecStats:
        """The answer of the one engine that knew the file; its best format where several of its formats did."""
        if not found:
            self._refuse()
        engines = {each[1].engine: each for each in reversed(found)}
        if len(engines) > 1:
            (one, first, _), (two, second, _) = sorted(engines.values(), key=lambda each: each[0])[:2]
            raise LogError(
                "the file looks like two engines: {first} (line {one}) and {second} (line {two}); give two files",
                first=first.engine, one=one, second=second.engine, two=two,
            )  # fmt: skip
        speculating = [each for each in found if each[2].speculation] or found
        _, chosen, stats = min(speculating, key=lambda each: self.formats.index(each[1]))
        for _, other, _ in found:
            if other is not chosen:
                self.notes.append(
                    note(
                        "the file also holds what {engine} prints as “{source}”; that was not used",
                        engine=other.engine, source=other.source,
                    )
                )  # fmt: skip
        return stats.replace(notes=(*stats.notes, *self.notes))

    def _refuse(self) -> None:
        unread = [
            (each.unread[0], each.format) for each in self._open if each.unread and isinstance(each.format, Lines)
        ]
        if unread:
            line, format = min(unread, key=lambda each: each[0])
            raise LogError(
                "line {line} looks like {engine}, but it could not be read: cut off, or a version not known here",
                line=line, engine=format.engine,
            )  # fmt: skip
        raise LogError(
            "no numbers of speculative decoding were found: no log line, /metrics page, benchmark file or JSON answer "
            "of an engine known here"
        )


def read_families(found: Any, formats: Iterable[Metrics]) -> list[tuple[int, Format, SpecStats]]:
    """What each format makes of a scrape; a scrape of several models becomes one part for each.

    >>> read_families({}, [])
    []
    """
    results: list[tuple[int, Format, SpecStats]] = []
    for each in formats:
        names = [name for name in found if name.startswith(each.prefixes)]
        models = dict.fromkeys(model for name in names for model in by_label(found, name, "model_name") if model)
        parts = [(model, each.read(_of_model(found, model))) for model in models] if len(models) > 1 else []
        known = [stats.replace(label=model) for model, stats in parts if stats is not None]
        stats = total(known).replace(label="", parts=tuple(known)) if known else each.read(found)
        if stats is not None:
            results.append((1, each, stats))
    return results


def _of_model(found: Any, model: str) -> Any:
    return {
        name: kept
        for name, samples in found.items()
        if (kept := [each for each in samples if each.labels.get("model_name", model) == model])
    }


def _markers(format: Format) -> list[bytes]:
    if isinstance(format, Lines):
        return [marker.encode() for marker in format.markers]
    return [f'"{key}"'.encode() for key in format.keys] if isinstance(format, Objects) else []


def _is_document(head: bytes) -> bool:
    """Whether a file is one JSON document, or several that span lines, rather than a log or JSON lines."""
    start = head.lstrip()
    if start[:1] == b"[":
        return start[1:].lstrip()[:1] == b"{"
    if start[:1] != b"{":
        return False
    first, ended, _ = start.partition(b"\n")
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return bool(ended) or len(head) < len(start) + 1
    return False


def _decoded(text: str) -> Iterator[tuple[int, Any]]:
    """JSON documents one after another, each with the line on which it starts."""
    decoder, at, line = json.JSONDecoder(), 0, 1
    while at < len(text):
        space = re.compile(r"\s*").match(text, at)
        start = space.end() if space else at
        line += text.count("\n", at, start)
        if start >= len(text):
            return
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            at_line = line + text.count("\n", start, getattr(error, "pos", start))
            raise LogError(
                "line {line} is not JSON: {reason}", line=at_line, reason=getattr(error, "msg", "")
            ) from error
        yield line, found
        line += text.count("\n", start, end)
        at = end
