"""JSON documents that span lines, one after another in a text."""

import json
import re
from collections.abc import Iterator
from typing import Any

from specmodel.logs._format import LogError

_SOLID = re.compile(r"\S")


def is_document(head: bytes) -> bool:
    """Whether a file is one JSON document, or several that span lines, rather than a log or JSON lines.

    >>> is_document(b'[{"a": 1}]'), is_document(b'{"a": 1}\\n')
    (True, False)
    """
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


def documents_of(text: str) -> Iterator[tuple[int, Any]]:
    """JSON documents one after another, each with the line on which it starts.

    >>> list(documents_of('{"a": 1}\\n[2]'))
    [(1, {'a': 1}), (2, [2])]
    """
    decoder, at, line = json.JSONDecoder(), 0, 1
    while at < len(text):
        start = len(text) if (space := _SOLID.search(text, at)) is None else space.start()
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


def keys_of(found: Any) -> set[str]:
    """The keys of an object and of everything inside it.

    >>> sorted(keys_of({"a": [{"b": 1}], "c": 2}))
    ['a', 'b', 'c']
    """
    keys: set[str] = set()
    inside = [found]
    while inside:
        each = inside.pop()
        if isinstance(each, dict):
            keys.update(each)
            each = each.values()
        inside.extend(value for value in each if isinstance(value, dict | list))
    return keys
