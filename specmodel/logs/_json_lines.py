"""The JSON objects of the lines of a block, decoded all at once: a third of the time of one after another."""

import json
from collections.abc import Sequence
from typing import Any

from specmodel.logs._format import LogError


class NotJson(LogError):
    """A line that starts like a JSON object and is none."""


def decoded(lines: Sequence[bytes]) -> list[dict[str, Any] | None]:
    """The object of each line; None where `object_of` has to look at the line by itself.

    Each line becomes a list of its own, and a string may not span lines: so no line can end inside another one's
    object, and as many lists of one item as lines are exactly what the lines hold.

    >>> decoded([b'{"a": 1}', b'data: {"a": 2}', b'INFO {"a": 3}']), decoded([b'{"a": 1}', b'{"a": 2}, {}'])
    ([{'a': 1}, {'a': 2}, None], [None, None])
    """
    bodies = [line.strip().removeprefix(b"data:").strip() for line in lines]
    plain = [body for body in bodies if body[:1] == b"{" and body[-1:] == b"}"]
    try:
        found = json.loads("[[" + b"],\n[".join(plain).decode("utf-8", "replace") + "]]") if plain else []
    except (ValueError, RecursionError):
        found = []
    if len(found) != len(plain) or set(map(len, found)) - {1}:
        return [None] * len(lines)
    if len(plain) == len(lines):
        return [each for (each,) in found]
    objects = iter(found)
    return [next(objects)[0] if body[:1] == b"{" and body[-1:] == b"}" else None for body in bodies]


def object_inside(text: str) -> dict[str, Any] | None:
    """The first JSON object behind other text of a log line; None where there is none.

    >>> object_inside('INFO answer: {"a": 3}'), object_inside("args: {'a': 3}")
    ({'a': 3}, None)
    """
    at = text.find('{"')
    if at < 0:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def object_of(text: str, line: int) -> dict[str, Any] | None:
    """The JSON object of a line, also behind `data:` of a stream; None where the line is none.

    >>> object_of('data: {"a": 3}', 1), object_of("data: [DONE]", 1)
    ({'a': 3}, None)
    """
    body = text.strip().removeprefix("data:").strip()
    if not body.startswith("{"):
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotJson("line {line} is not JSON: {reason}", line=line, reason=getattr(error, "msg", "")) from error
    return found if isinstance(found, dict) else None
