"""A line of vLLM's speculation as named fields: versions add some, leave some out, and order them as they like."""

import re
from typing import NamedTuple

_MARKER = re.compile(r"(SpecDecoding|Speculative) metrics: ")
_COUNT = re.compile(r"(\d+) tokens(?![/\w])")
_VALUE = re.compile(r"(?:\d+(?:\.\d+)?|nan)(?![\w.])")
_SHARE = re.compile(r"(?:\d\.\d{3}|nan)(?![\w.])")


class Line(NamedTuple):
    """The fields as they are printed, None where the line lacks one; a rate counts in `rate_of` (100 is per cent)."""

    accepted: str
    drafted: str
    rate: str | None
    rate_of: int
    length: str | None
    rates: list[str] | None
    speed: str | None
    accepted_speed: str | None


def fields_of(body: str) -> dict[str, list[str]]:
    """Name -> values of `name: value, name: value, value, …`; of a name that stands there twice, none.

    >>> fields_of("Accepted: 3 tokens, Per-position acceptance rate: 0.850, 0.650")
    {'Accepted': ['3 tokens'], 'Per-position acceptance rate': ['0.850', '0.650']}
    """
    fields: dict[str, list[str]] = {}
    values: list[str] = []
    for part in body.split(", "):
        name, colon, value = part.partition(": ")
        if not colon:
            values.append(part)
            continue
        values = [value] if name not in fields else []
        fields[name] = values
    return fields


def line_of(text: str, own_words: bool = False) -> Line | None:
    """The fields of a line; None where it is no such line, lacks its counts, or is cut off in a field.

    `own_words` takes the line for one of vLLM's words whoever printed it (LMDeploy does, behind words of its own).

    Unknown fields are passed over, but not an unknown length beside rates by position: it is what shows that the rates
    are all there.

    >>> line_of("SpecDecoding metrics: Depth: 4, Drafted: 9 tokens, Accepted: 6 tokens").accepted
    '6'
    """
    marker = _MARKER.search(text)
    if marker is None or ("Avg thr (in/out)" in text and not own_words):
        return None
    fields, current = fields_of(text[marker.end() :].strip()), marker[1] == "SpecDecoding"
    accepted = _count(fields, "Accepted") if current else _plain(fields, "Number of accepted tokens")
    drafted = _count(fields, "Drafted") if current else _plain(fields, "Number of draft tokens")
    if accepted is None or drafted is None:
        return None
    rates = fields.get("Per-position acceptance rate")
    if rates is not None and not (rates and all(map(_SHARE.match, rates))):
        return None
    length = _plain(fields, "Mean acceptance length")
    if rates is not None and length is None and any("length" in name for name in fields):
        return None
    rate = _rate(fields, "%" if current else "")
    if rate == "":
        return None
    speeds = _plain(fields, "Drafted throughput"), _plain(fields, "Accepted throughput")
    shares = rates and [_first(each) for each in rates]
    return Line(accepted, drafted, rate, 100 if current else 1, length, shares, *speeds)


def _first(value: str) -> str:
    found = _VALUE.match(value)
    return found[0] if found else ""


def _plain(fields: dict[str, list[str]], name: str) -> str | None:
    """The number of a field that has one."""
    values = fields.get(name)
    return (_first(values[0]) or None) if values else None


def _count(fields: dict[str, list[str]], name: str) -> str | None:
    """The number of a field that is printed with its unit; without it the line is cut off."""
    values = fields.get(name)
    found = _COUNT.match(values[0]) if values else None
    return found[1] if found else None


def _rate(fields: dict[str, list[str]], unit: str) -> str | None:
    """The rate of accepted drafts, None where the line has none; empty where it is cut off before its unit."""
    values = fields.get("Avg Draft acceptance rate") or fields.get("Draft acceptance rate")
    if not values:
        return None
    found = _first(values[0])
    return found if values[0][len(found) :].startswith(unit) else ""
