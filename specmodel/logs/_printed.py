"""What small readers share: values that may be missing, and a printed number held against the counters beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.logs._checks import LONGEST, count, number
from specmodel.logs._format import Families, LogError
from specmodel.logs._prometheus import summed
from specmodel.measured.spec_stats import SpecStats

MOST_SETTINGS = 1024
TWICE = 0.1
"""What rounding to one digit more, and then again, adds to half of the last digit."""


def known(found: Mapping[str, Any], key: str, line: int) -> float | None:
    """The number under a key; None where it is missing or null.

    >>> known({"a": 2, "b": None}, "a", 1), known({"a": 2, "b": None}, "b", 1)
    (2.0, None)
    """
    value = found.get(key)
    return None if value is None else number(value, line, key)


def draft_length(value: float, line: int, name: str) -> int:
    """A number of draft tokens per round: whole, and of a size that rounds have.

    >>> draft_length(3.0, 1, "num_spec_tokens")
    3
    """
    found = count(value, line, name)
    if found > LONGEST:
        raise LogError(
            "line {line}: a round of {found} draft tokens, expected at most {limit}",
            line=line, found=found, limit=LONGEST,
        )  # fmt: skip
    return found


def inner(found: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; an empty one where there is none.

    >>> inner({"usage": {"completion_tokens": 3}}, "usage"), inner({"usage": 3}, "usage")
    ({'completion_tokens': 3}, {})
    """
    value = found.get(key)
    return value if isinstance(value, dict) else {}


def text(found: Mapping[str, Any], key: str) -> str:
    """The text under a key, cut to a length that a label may have; empty where there is none.

    >>> text({"category": "coding"}, "category"), text({}, "category")
    ('coding', '')
    """
    value = found.get(key)
    return value[:120] if isinstance(value, str) else ""


def agree(printed: float, exact: float, half_step: float, line: int, name: str) -> None:
    """`LogError` where a printed number is not what the counters give; `half_step` is half of its last digit.

    Some tools round twice, to one digit more at first: 127 of 129 is 0.98450, then 0.985. That adds at most a tenth.

    >>> agree(0.60, 180 / 300, 0.005, 3, "acceptance"), agree(0.985, 127 / 129, 0.0005, 3, "acceptance")
    (None, None)
    >>> agree(0.70, 180 / 300, 0.005, 3, "acceptance")
    Traceback (most recent call last):
    specmodel.logs._format.LogError: line 3: acceptance is printed as 0.7, but the counters give 0.6
    """
    if abs(printed - exact) > (1 + TWICE) * half_step + 1e-6 * max(abs(exact), 1):
        raise LogError(
            "line {line}: {name} is printed as {printed:.6g}, but the counters give {exact:.6g}",
            line=line, name=name, printed=printed, exact=exact,
        )  # fmt: skip


def mean_ms(found: Families, name: str, **labels: str) -> float | None:
    """The mean of a histogram or summary in seconds, as ms; None without observations.

    >>> from specmodel.logs._format import Sample
    >>> mean_ms({"a_sum": [Sample({}, 0.18)], "a_count": [Sample({}, 40.0)]}, "a")
    4.5
    """
    total, count = summed(found, f"{name}_sum", **labels), summed(found, f"{name}_count", **labels)
    return 1000 * total / count if total is not None and count else None


def settings(parts: Sequence[SpecStats]) -> SpecStats | None:
    """Several runs of one file, never added up: the first that speculates at the smallest batch, all as its parts.

    >>> runs = SpecStats("a", "report", speculation=False), SpecStats("a", "report", batch_size=4.0)
    >>> settings(runs).batch_size, len(settings(runs).parts)
    (4.0, 2)
    """
    if len(parts) > MOST_SETTINGS:
        raise LogError("the file holds more than {limit} runs; give fewer in one file", limit=MOST_SETTINGS)
    if not parts:
        return None
    speculating = [each for each in parts if each.speculation] or list(parts)
    chosen = min(speculating, key=lambda each: each.batch_size or 0.0)
    return chosen.replace(parts=tuple(parts), parts_are_settings=True) if len(parts) > 1 else chosen
