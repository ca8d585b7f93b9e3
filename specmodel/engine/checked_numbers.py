"""Numbers of a measurement that cannot be: refused by name before anything is computed from them."""

from dataclasses import fields

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.measured.spec_stats import COUNTERS, MAX_POSITIONS, SpecStats

SHORTEST_MS, LONGEST_MS = 1e-6, 1e12
PARTS_OF_A_ROUND = ("draft_ms", "verify_ms")
"""Times that may be as short as one likes: nothing is divided by one of them alone."""
TIMES = tuple(field.name for field in fields(SpecStats) if field.name.endswith("_ms"))

COUNTS = (
    *COUNTERS,
    "printed_length",
    "batch_size",
    "context_tokens",
    "output_tokens_per_s",
    "temperature",
    "request_rate",
)
MOST_COUNTED = 1e18
MOST_TOKENS = 1e5


class CaseError(SpecmodelError):
    """A number of a file, or typed beside it, that cannot be."""


def check_numbers(stats: SpecStats) -> None:
    """`CaseError` for a time that no engine can have needed, or a count that is no number: ratios would be none either.

    0 stands for a time that was not measured.

    >>> check_numbers(SpecStats("a", "log", step_ms=1e-320))
    Traceback (most recent call last):
    specmodel.engine.checked_numbers.CaseError: step_ms is 1e-320 ms, expected a time from 1e-06 to 1e+12 ms
    """
    for name in TIMES:
        value = getattr(stats, name)
        shortest = 0.0 if name in PARTS_OF_A_ROUND else SHORTEST_MS
        if value and not shortest <= value <= LONGEST_MS:
            text = "{name} is {value} ms, expected a time from {low:g} to {high:g} ms"
            values = {"name": Verbatim(name), "value": value, "low": shortest, "high": LONGEST_MS}
            raise CaseError(Message(text, values))
    for name in COUNTS:
        value = getattr(stats, name)
        if value is not None and not 0 <= value <= MOST_COUNTED:
            text = "{name} is {value}, expected a number from 0 to {high:g}"
            raise CaseError(Message(text, {"name": Verbatim(name), "value": value, "high": MOST_COUNTED}))
    _check_lists(stats)
    k, tokens = stats.num_speculative_tokens, stats.tokens_per_step
    if k is not None and not (isinstance(k, int) and 0 <= k <= MAX_POSITIONS):
        text = "{value} is no draft length: expected a whole number from 1 to {most}"
        raise CaseError(Message(text, {"value": Verbatim(k), "most": MAX_POSITIONS}))
    if tokens is not None and not 0 <= tokens <= MOST_TOKENS:
        raise CaseError(Message("{tokens:g} tokens in a step cannot be", {"tokens": tokens}))


def _check_lists(stats: SpecStats) -> None:
    """Counters by position and by unit are numbers from 0 on, and there is at least one of them."""
    units = {name: getattr(stats, name) for name in ("units", "pace")}
    lists = {name: getattr(stats, name) for name in ("accepted_per_position", "drafted_per_position")}
    lists |= {name: each.counts.ravel() for name, each in units.items() if each is not None}
    for name, values in lists.items():
        if values is not None and not (len(values) and all(0 <= value <= MOST_COUNTED for value in values)):
            raise CaseError(Message("{name} holds what is no number of 0 or more", {"name": Verbatim(name)}))
