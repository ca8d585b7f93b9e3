"""Numbers of speculation that could not be read: without them a file would pass for a run without speculation."""

import re
from collections.abc import Iterable, Mapping, Sequence

from specmodel.logs._format import Families, LogError
from specmodel.measured.spec_stats import SpecStats

MOST_NAMED = 4
_WORDS = re.compile(r"accept|draft|spec(?:ulat|[_ -]?dec)|\b(?:len|length|(?<!hit )rate): ", re.IGNORECASE)
_NAMES = re.compile(r"accept|draft|spec_", re.IGNORECASE)


def tells_of_speculation(line: str) -> bool:
    """Whether a line that could not be read looks like one of acceptance or drafts.

    >>> tells_of_speculation("SpecDecoding metrics: Mean accepted length: 3.20")
    True
    >>> tells_of_speculation("Engine 000: Avg prompt throughput: 0.0 tokens/s, Prefix cache hit rate: 0.0%")
    False
    """
    return _WORDS.search(line) is not None


def checked_plain(stats: SpecStats, engine: str, lines: Iterable[int]) -> SpecStats:
    """The same, or `LogError` where a file without speculation has lines of it that were left out.

    >>> checked_plain(SpecStats("a", "b", speculation=False), "a", [2])
    Traceback (most recent call last):
    specmodel.logs._format.LogError: the file has lines of a's speculation that could not be read (2): what is left
    would pass for a run without speculation, and so it is no baseline either
    """
    left_out = sorted(set(lines))
    if stats.speculation or not left_out:
        return stats
    raise LogError(
        "the file has lines of {engine}'s speculation that could not be read ({lines}): what is left would pass for a "
        "run without speculation, and so it is no baseline either",
        engine=engine, lines=_named(left_out),
    )  # fmt: skip


def _named(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:MOST_NAMED]))
    return f"{shown}, …" if len(lines) > MOST_NAMED else shown


def checked_page(stats: SpecStats, found: Families, prefixes: tuple[str, ...]) -> SpecStats:
    """The same for a /metrics page: `LogError` where it counts something of speculation that is not known here.

    >>> checked_page(SpecStats("a", "b", speculation=False), {}, ("a:",)).speculation
    False
    """
    if stats.speculation:
        return stats
    counted = [name for name, samples in found.items() if name.startswith(prefixes) and _is_counted(name, samples)]
    if not counted:
        return stats
    raise LogError(
        "the page counts speculation under names that are not known here ({names}): it is no baseline either",
        names=", ".join(counted[:MOST_NAMED]),
    )


def _is_counted(name: str, samples: Sequence[object]) -> bool:
    return _NAMES.search(name) is not None and any(getattr(each, "value", 0) > 0 for each in samples)


def checked_record(found: Mapping[str, object], line: int) -> None:
    """`LogError` for a record that is taken for one without speculation and has a length or a count of accepted tokens.

    A length of 1, or none, is what is written without speculation.

    >>> checked_record({"accept_length": None, "duration": 3.0}, 1)
    """
    names = [name for name, value in found.items() if _NAMES.search(name) and _is_above_one(value)]
    if names:
        raise LogError(
            "line {line}: the record tells of speculation ({names}), but not what is known here: it is no baseline "
            "either",
            line=line, names=", ".join(names[:MOST_NAMED]),
        )  # fmt: skip


def counts_drafts(found: object) -> bool:
    """Whether an object, or one inside it, has a number of accepted or drafted tokens above 1.

    >>> counts_drafts({"usage": {"total_draft_tokens_count": 400}}), counts_drafts({"usage": {"draft": None}})
    (True, False)
    """
    inside = [found]
    while inside:
        each = inside.pop()
        if isinstance(each, Mapping):
            if any(_is_above_one(value) and _NAMES.search(name) for name, value in each.items()):
                return True
            inside.extend(each.values())
        elif isinstance(each, list):
            inside.extend(value for value in each if isinstance(value, Mapping | list))
    return False


def _is_above_one(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 1
