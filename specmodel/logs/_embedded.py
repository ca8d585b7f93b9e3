"""JSON objects that begin in the middle of a log and go on over several lines, taken out of its blocks."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from specmodel.logs._documents import keys_of

MAX_OBJECT = 4 * 2**20
MAX_FAILED = 1000
"""What looks like an object and is none, in a block: more are not tried, since each failure is told with its line."""
_OPENED = re.compile(r'\{[ \t]*\n\s*(?:["}]|\Z)')
_SOLID = re.compile(r"\S")
_DECODER = json.JSONDecoder()

Found = list[tuple[int, dict[str, Any]]]
"""Objects, each with the number of line ends that stand before it in its block."""


def taken_out(blocks: Iterable[bytes], known: frozenset[str]) -> Iterator[tuple[bytes, Found]]:
    """Each block with line ends only where an object was that spans lines and has a `known` key, and these objects.

    An object that a block does not end is completed by the next ones. What looks like an object and is none stays.

    >>> blocks = [b'answer: {\\n "a":\\n', b' 1\\n}\\nend\\n']
    >>> for block, found in taken_out(blocks, frozenset("a")): print(block, found)
    b'answer: ' []
    b'\\n\\n\\n\\nend\\n' [(0, {'a': 1})]
    """
    begun = b""
    for block in blocks:
        block, begun = begun + block, b""
        if b"{" not in block or not (text := block.decode("utf-8", "replace")) or not _OPENED.search(text):
            yield block, []
            continue
        kept, found, rest = _parts(text, known)
        if len(rest) > MAX_OBJECT:
            kept, rest = kept + rest, ""
        begun = rest.encode()
        yield kept.encode(), found
    if begun:
        yield begun, []


def _parts(text: str, known: frozenset[str]) -> tuple[str, Found, str]:
    """The text without its objects, these, and the beginning of one that is not complete."""
    kept: list[str] = []
    found: Found = []
    at = looked = lines = failed = 0  # what is behind `at` is not kept yet, and from `looked` on it may begin an object
    while opened := _OPENED.search(text, looked):
        start = opened.start()
        try:
            item, end = _DECODER.raw_decode(text, start)
        except RecursionError:
            break
        except ValueError as error:
            looked, failed = max(getattr(error, "pos", 0), start + 1), failed + 1
            if failed > MAX_FAILED:
                break
            if _SOLID.search(text, looked):
                continue
            return "".join((*kept, text[at:start])), found, text[start:]
        looked = end
        if known.isdisjoint(keys_of(item)):
            continue
        lines += text.count("\n", at, start)
        found.append((lines, item))
        inside = text.count("\n", start, end)
        kept += text[at:start], "\n" * inside
        lines += inside
        at = end
    return "".join((*kept, text[at:])), found, ""
