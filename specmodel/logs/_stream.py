"""A file as blocks of whole lines in UTF-8, whatever it came as: gzip, UTF-16, CRLF, colour codes, no last line end."""

import codecs
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from specmodel.logs._format import LogError

BLOCK = 2**20
MAX_LINE = 64 * 2**20
HEAD = 2**16
_COLOUR = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_WIDE = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass
class Source:
    """The bytes of a file, unpacked and made UTF-8, with a bound on what unpacking may give.

    >>> [bytes(block) for block in Source(io.BytesIO(b"\\x1b[32ma\\x1b[0m\\r\\nb"), limit=100).blocks()]
    [b'a\\n', b'b\\n']
    """

    file: BinaryIO
    limit: int | None
    progress: Callable[[int], None] | None = None
    cut_off: bool = field(default=False, init=False)
    _start: bytes = field(default=b"", init=False)
    _read: int = field(default=0, init=False)
    _last: bytes = field(default=b"", init=False)

    def __post_init__(self) -> None:
        raw = self.file
        magic = raw.read(4)
        rest = _Rejoined(magic, raw)
        self._body: BinaryIO = gzip.GzipFile(fileobj=rest) if magic[:2] == b"\x1f\x8b" else rest  # type: ignore[assignment]
        first = self._some(4)
        wide = next((name for mark, name in _WIDE.items() if first.startswith(mark)), None)
        self._decode = codecs.getincrementaldecoder(wide)("replace") if wide else None
        self._start = first[2:] if wide else first.removeprefix(codecs.BOM_UTF8)
        if self._start != first and not wide:
            self._start = first[3:]

    def head(self) -> bytes:
        """The first part of the file, which stays to be read; zero bytes before it (a log truncated in use) do not."""
        raw = self._start + self._some(HEAD)
        while not self._decode and not raw.strip(b"\0") and (more := self._some(BLOCK)):
            raw = more
        self._start = raw
        text = self._decode.decode(raw).encode() if self._decode else raw
        if self._decode:
            self._decode.reset()
        return _plain(text)

    def ends_in(self, mark: bytes) -> bool:
        """Whether what stands behind the last line end ends in a mark."""
        return self._last.rstrip().endswith(mark)

    def whole(self, most: int) -> str:
        """All of it as text, or `LogError` where it is larger than `most` bytes."""
        parts, size = [], 0
        for block in self.blocks():
            size += len(block)
            if size > most:
                raise LogError(
                    "a single JSON document or scrape of more than {limit} MiB cannot be read; JSON lines and logs can",
                    limit=most // 2**20,
                )
            parts.append(block)
        return b"".join(parts).decode("utf-8", "replace")

    def blocks(self) -> Iterator[bytes]:
        """Blocks that end with a line end."""
        begun: list[bytes] = []  # of a line whose end was not read yet: joined once, however long it is
        while block := self._next():
            end = block.rfind(b"\n") + 1
            if end:
                yield _plain(b"".join((*begun, block[:end])))
                begun = []
            begun.append(block[end:])
            if sum(map(len, begun)) > MAX_LINE:
                raise LogError("a line of more than {limit} MiB cannot be read", limit=MAX_LINE // 2**20)
        if last := b"".join(begun):
            self.cut_off, self._last = True, last
            yield _plain(last + b"\n")

    def _next(self) -> bytes:
        raw, self._start = self._start or self._some(BLOCK), b""
        if not self._decode:
            return raw
        return self._decode.decode(raw, final=not raw).encode("utf-8", "replace")

    def _some(self, size: int) -> bytes:
        try:
            found = self._body.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise LogError("the file is damaged and cannot be unpacked (gzip): {reason}", reason=str(error)) from error
        self._read += len(found)
        if self.limit is not None and self._read > self.limit:
            raise LogError(
                "the file is larger than {limit} MiB (unpacked); read it where it is: python -m specmodel.logs FILE",
                limit=self.limit // 2**20,
            )
        if self.progress:
            self.progress(self._read)
        return found


class _Rejoined(io.RawIOBase):
    """A file whose first bytes were read already."""

    def __init__(self, first: bytes, rest: BinaryIO):
        self._first, self._rest = first, rest

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            size = 2**62
        found, self._first = self._first[:size], self._first[size:]
        return found + self._rest.read(size - len(found)) if size > len(found) else found


def _plain(block: bytes) -> bytes:
    """Line ends made single, colour codes and zero bytes taken out."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\x1b" in block:
        block = _COLOUR.sub(b"", block)
    return block.replace(b"\0", b"") if b"\0" in block else block
