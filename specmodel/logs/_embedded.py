"""JSON objects that begin at the end of a log line and go on over the lines after it.

A server that logs its answers writes `… prediction: {`, the object's lines, and a closing brace at the start of a line.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from specmodel.base.messages import Message
from specmodel.logs._documents import keys_of
from specmodel.logs._format import Objects, note
from specmodel.logs._open_format import Open
from specmodel.logs._unread import MOST_NAMED, tells_of_speculation

MAX_OBJECT = 4 * 2**20
_BEGINS = b" {\n"
_ENDS = b"\n}\n"


class Embedded:
    """Finds such objects in blocks of whole lines, and gives each to the formats that know one of its keys."""

    def __init__(self, opened: Iterable[Open]):
        self.unread: list[int] = []
        self._opened = [(each, each.format.keys) for each in opened if isinstance(each.format, Objects)]
        self._body = b""
        self._line = self._broken = 0

    def take(self, block: bytes, line: int) -> None:
        """Look through a block whose first line is `line`."""
        at = 0
        while True:
            if not self._body:
                start = _begin(block, at)
                if start < 0:
                    return
                self._line = line + block.count(b"\n", 0, start)
                self._body, at = b"{\n", start + len(_BEGINS)
            end = block.find(_ENDS, at - 1)
            stop = len(block) if end < 0 else end + len(_ENDS)
            self._body += block[at:stop]
            at = stop
            if end < 0 and len(self._body) <= MAX_OBJECT:
                return
            self._close()

    def _close(self) -> None:
        body, self._body = self._body.decode("utf-8", "replace"), b""
        if not body:
            return
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            self._left_out(body)
            return
        self._give(found)

    def _left_out(self, body: str) -> None:
        """Of what is no JSON, a log's line that happens to end in a brace is nobody's business."""
        if any(f'"{key}"' in body for _, keys in self._opened for key in keys):
            self._broken += 1
            if tells_of_speculation(body) and len(self.unread) <= MOST_NAMED:
                self.unread.append(self._line)

    def _give(self, found: dict[str, Any]) -> None:
        keys = keys_of(found)
        for each, wanted in self._opened:
            if not keys.isdisjoint(wanted):
                each.take(self._line, found)

    def end(self) -> Iterator[Message]:
        """What is to be said of the file when all of it was seen."""
        self._close()
        if self._broken:
            yield note("{count:,} JSON objects in the log are cut off or broken and were left out", count=self._broken)


def _begin(block: bytes, at: int) -> int:
    """Where the brace after a line's own text is; −1 where there is none. Lines inside an object start with a space."""
    while (start := block.find(_BEGINS, at)) >= 0:
        first = block[block.rfind(b"\n", 0, start) + 1 : start + 1][:1]
        if first and first not in b' \t{}"':
            return start
        at = start + len(_BEGINS)
    return -1
