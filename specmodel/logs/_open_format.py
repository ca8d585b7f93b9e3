"""A format at work on a file: its reader, the groups that its objects name, and the lines that it could not read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from specmodel.logs._format import Lines, Objects, ObjectsReader, Reader, Tables
from specmodel.logs._group_labels import group_label
from specmodel.logs._unread import MOST_NAMED, counts_drafts, tells_of_speculation
from specmodel.measured.spec_stats import SpecStats

MAX_GROUPS = 64


@dataclass
class Open:
    """A format at work on this file."""

    format: Lines | Objects | Tables
    reader: Reader
    first_line: int = 0
    unread: list[int] = field(default_factory=list)
    unread_drafts: list[int] = field(default_factory=list)
    groups: dict[str, Reader] = field(default_factory=dict)

    def take(self, line: int, found: Any) -> bool:
        """Use what stands at a line; whether the reader could."""
        used = self.reader.take(line, found)
        if used:
            self.first_line = self.first_line or line
            if len(self.unread_drafts) <= MOST_NAMED and isinstance(found, dict) and counts_drafts(found):
                self.unread_drafts.append(line)  # read or not: it counts only where the file passes for a plain run
            if isinstance(found, dict) and (label := group_label(found)) and len(self.groups) <= MAX_GROUPS:
                self.groups.setdefault(label, self.format.reader()).take(line, found)
            return used
        if len(self.unread) < 4:
            self.unread.append(line)
        if len(self.unread_drafts) <= MOST_NAMED and isinstance(found, str) and tells_of_speculation(found):
            self.unread_drafts.append(line)
        return used

    def take_all(self, lines: Sequence[int], found: Sequence[dict[str, Any]]) -> bool:
        """Use objects that name no group, all at once; False, with none used, where the reader cannot."""
        used = isinstance(self.reader, ObjectsReader) and self.reader.take_objects(lines, found)
        if used:
            self.first_line = self.first_line or lines[0]
        return used

    def left_out(self, stats: SpecStats | None) -> list[int]:
        """Lines that the reader could not use; of one without any result only those that tell of speculation."""
        return self.unread if stats is not None else self.unread_drafts

    def result(self) -> SpecStats | None:
        """What all of it adds up to, and what each group does where the objects name more than one."""
        stats = self.reader.result()
        if stats is None or not 1 < len(self.groups) <= MAX_GROUPS:
            return stats
        named = [(label, reader.result()) for label, reader in self.groups.items()]
        return stats.replace(groups=tuple(each.replace(label=label) for label, each in named if each is not None))
