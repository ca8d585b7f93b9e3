"""Gives what a file holds to the formats that may know it, and lets exactly one engine answer."""

import csv
import re
from collections.abc import Iterable, Sequence
from typing import Any

from specmodel.base.messages import Message
from specmodel.logs._documents import documents_of, is_document, keys_of
from specmodel.logs._embedded import taken_out
from specmodel.logs._finder import Finder
from specmodel.logs._format import Format, Lines, LogError, Metrics, Objects, ObjectsReader, RowsReader, Tables, note
from specmodel.logs._group_labels import names_groups
from specmodel.logs._json_lines import NotJson, decoded, object_inside, object_of
from specmodel.logs._open_format import Open
from specmodel.logs._scrape import read_scrape
from specmodel.logs._stream import Source
from specmodel.logs._sweep_table import read_sweep
from specmodel.logs._table import BATCH, Table
from specmodel.logs._unread import checked_plain
from specmodel.measured.spec_stats import SpecStats

MAX_DOCUMENT = 64 * 2**20
MAX_REMEMBERED = 100_000
MAX_COMBINATIONS = 4096
_SAMPLE = re.compile(rb"^(?:# (?:HELP|TYPE) )?([a-zA-Z_:][a-zA-Z0-9_:]*)[ {]", re.MULTILINE)
_CLOCK = re.compile(rb"\d\d:\d\d:\d\d")
_COLONS = re.compile(rb":\d\d:")  # starts with a literal, so that it passes over long lines of JSON ten times as fast


# formats that want a line, each with whether it reads objects, and whether any of them does
_Wanted = tuple[list[tuple[Open, bool]], bool]
_Marked = tuple[int, bytes, _Wanted, dict[str, Any] | None]  # line, its bytes, who wants it, its object


class Dispatcher:
    """All formats at work on one file."""

    def __init__(self, formats: Iterable[Format]):
        self.formats = list(formats)
        self.notes: list[Message] = []
        self._open = [Open(each, each.reader()) for each in self.formats if isinstance(each, Lines | Objects | Tables)]
        self._finder = Finder(marker for each in self.formats for marker in _markers(each))
        known = (each.keys for each in self.formats if isinstance(each, Objects) and each.in_logs)
        self._keys = frozenset(key for keys in known for key in keys)
        self._by_bits: dict[int, _Wanted] = {}
        self._seen: dict[int, int] = {}

    def read(self, source: Source) -> SpecStats:
        """The counters of the file, or `LogError`."""
        head = source.head()
        if not head.strip():
            raise LogError("the file is empty")
        found: list[tuple[int, Format, SpecStats]]
        if prefixes := self._metrics(head):
            found = read_scrape(source.whole(MAX_DOCUMENT), prefixes)
        elif table := self._table(head):
            self._rows(source, table)
            found = self._results()
        elif is_document(head):
            self._documents(source.whole(MAX_DOCUMENT))
            found = self._results()
        else:
            self._lines(source)
            found = self._results()
        if not found and (settings := read_sweep(head)) is not None:
            return settings
        if source.cut_off and not source.ends_in(b"}") and not is_document(head):
            self.notes.append(note("the file does not end with a line end: its last line may be cut off"))
        return self._one(found)

    def _metrics(self, head: bytes) -> list[Metrics]:
        names = {match.decode() for match in _SAMPLE.findall(head[: head.rfind(b"\n") + 1] or head)}
        return [
            each
            for each in self.formats
            if isinstance(each, Metrics) and any(name.startswith(each.prefixes) for name in names)
        ]

    def _table(self, head: bytes) -> list[Open]:
        header = {
            cell.strip() for cell in next(csv.reader([head.lstrip().split(b"\n")[0].decode("utf-8", "replace")]), [])
        }
        return [each for each in self._open if isinstance(each.format, Tables) and header >= {*each.format.columns}]

    def _rows(self, source: Source, opened: list[Open]) -> None:
        table = Table(source)
        # two readers take turns row by row, so that the first row that one of them refuses is the one that is named
        for batch in table.batches(BATCH if len(opened) == 1 else 1):
            for each in opened:
                if isinstance(each.reader, RowsReader):
                    each.reader.take_rows(batch.lines, batch.columns)
                    each.first_line = each.first_line or batch.lines[0]
                    continue
                for line, row in batch.dicts():
                    each.take(line, row)
        self.notes.extend(table.notes)

    def _documents(self, text: str) -> None:
        for line, found in documents_of(text):
            for item in found if isinstance(found, list) else [found]:
                self._give_document(line, item)

    def _give_document(self, line: int, item: Any, in_logs: bool = False) -> None:
        """An object to all that know one of its keys."""
        keys = keys_of(item) if isinstance(item, dict) else set()
        for each in self._open if keys else ():
            wanted = isinstance(each.format, Objects) and (each.format.in_logs or not in_logs)
            if wanted and isinstance(each.format, Objects) and not keys.isdisjoint(each.format.keys):
                each.take(line, item)

    def _lines(self, source: Source) -> None:
        line = 1
        for block, objects in taken_out(source.blocks(), self._keys):
            for behind, document in objects:
                self._give_document(line + behind, document, in_logs=True)
            clocks = len(self._seen) < MAX_REMEMBERED and _COLONS.search(block) is not None
            marked = self._marked(block, line)
            if not clocks and _given_at_once(block, marked):
                marked = []
            for number, raw, wanted, item in marked:
                if clocks:
                    self._remember(number, raw)
                try:
                    _give(number, raw, wanted, item)
                except NotJson:
                    if not source.cut_off:
                        raise
                    self.notes.append(note("line {line}, the last one, is cut off and was left out", line=number))
            line += block.count(b"\n")

    def _marked(self, block: bytes, line: int) -> list[_Marked]:
        """The lines of a block that hold a marker, which formats want them, and their JSON object."""
        found = self._finder.lines(block, line)
        lines = [block[start:end] for _, start, end, _ in found]
        wanted = [self._by_bits.get(bits) or self._wanted(bits) for *_, bits in found]
        objects = iter(decoded([raw for raw, (_, objects) in zip(lines, wanted, strict=True) if objects]))
        return [
            (number, raw, each, next(objects) if each[1] else None)
            for (number, *_), raw, each in zip(found, lines, wanted, strict=True)
        ]

    def _wanted(self, bits: int) -> _Wanted:
        """Which formats a line with these markers goes to."""
        markers = {marker for index, marker in enumerate(self._finder.markers) if bits >> index & 1}
        opened = [each for each in self._open if not markers.isdisjoint(_markers(each.format))]
        readers = [(each, isinstance(each.format, Objects)) for each in opened]
        if len(self._by_bits) >= MAX_COMBINATIONS:
            self._by_bits.clear()
        wanted = self._by_bits[bits] = readers, any(objects for _, objects in readers)
        return wanted

    def _remember(self, line: int, raw: bytes) -> None:
        """Note a line with a time of day that stands in the file twice: a file that was put together twice."""
        if len(self._seen) >= MAX_REMEMBERED or not _COLONS.search(raw) or not _CLOCK.search(raw):
            return
        before = self._seen.setdefault(hash(raw), line)
        if before != line and len(self.notes) < 3:
            self.notes.append(note(
                "line {line} is the same as line {before}, time of day included; both were counted",
                line=line, before=before,
            ))  # fmt: skip

    def _results(self) -> list[tuple[int, Format, SpecStats]]:
        found: list[tuple[int, Format, SpecStats]] = []
        for each in self._open:
            stats = each.result() if each.first_line else None
            if stats is not None:
                found.append((each.first_line, each.format, stats))
            answered = any(format.engine == each.format.engine for _, format, _ in found)
            if answered and isinstance(each.format, Lines) and (left_out := each.left_out(stats)):
                self.notes.append(note(
                    "lines that look like those of {engine} but could not be read were left out: {lines}",
                    engine=each.format.engine, lines=", ".join(map(str, left_out)),
                ))  # fmt: skip
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
        unread = (line for each in self._open if each.format.engine == chosen.engine for line in each.unread_drafts)
        checked_plain(stats, chosen.engine, unread)
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


def _given_at_once(block: bytes, marked: Sequence[_Marked]) -> bool:
    """Whether all marked lines of a block went to the one reader that wants them, in one call."""
    readers = marked[0][2][0] if marked else []
    alone = len(readers) == 1 and isinstance(readers[0][0].reader, ObjectsReader)
    if not alone or any(wanted[0] is not readers or item is None for _, _, wanted, item in marked):
        return False
    objects = [item for *_, item in marked if item is not None]
    return not names_groups(block) and readers[0][0].take_all([number for number, *_ in marked], objects)


def _give(line: int, raw: bytes, wanted: _Wanted, item: dict[str, Any] | None) -> None:
    """A line to those that want it, decoded only where one of them reads text."""
    readers, objects = wanted
    text = "" if item is not None and len(readers) == 1 else raw.decode("utf-8", "replace")
    inside = None
    if objects and item is None:
        item = object_of(text, line)
        inside = object_inside(text) if item is None else None
    for each, takes_objects in readers:
        if not takes_objects:
            each.take(line, text)
        elif item is not None:
            each.take(line, item)
        elif inside is not None and isinstance(each.format, Objects) and each.format.in_logs:
            each.take(line, inside)


def _markers(format: Format) -> list[bytes]:
    if isinstance(format, Lines):
        return [marker.encode() for marker in format.markers]
    return [f'"{key}"'.encode() for key in format.keys] if isinstance(format, Objects) else []
