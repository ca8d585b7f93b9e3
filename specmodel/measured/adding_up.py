"""How fields of several windows add up: counters as sums, means by what they are means of; an unknown stays unknown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from operator import mul
from typing import Any

COUNTERS = (
    "num_rounds",
    "num_draft_tokens",
    "num_accepted_draft_tokens",
    "generated_tokens",
    "num_steps",
    "num_requests",
    "window_s",
)
# mean -> the counters it may be weighted by, best first
MEANS = {
    "printed_length": ("num_rounds",),
    "step_ms": ("num_steps", "num_rounds"),
    "itl_ms": ("num_steps", "num_rounds"),
    "tpot_ms": ("generated_tokens",),
    "ttft_ms": ("num_requests",),
    "request_ms": ("num_requests",),
    "draft_ms": ("num_rounds",),
    "verify_ms": ("num_rounds",),
    "plain_ms": ("num_steps", "num_rounds"),
    "batch_size": ("window_s", "num_rounds"),
    "output_tokens_per_s": ("window_s",),
}
# kept in a sum only where they are the same everywhere
SHARED = (
    *("version", "model", "num_speculative_tokens", "memory_gb", "temperature", "peak_tokens_per_s", "context_tokens"),
    "request_rate",
)


def added(values: Sequence[float | None]) -> float | None:
    """The sum; None where one of them is unknown.

    >>> added([1, 2]), added([1, None])
    (3, None)
    """
    return None if None in values else sum(values)  # type: ignore[arg-type]


def same(values: Sequence[Any]) -> Any:
    """What all of them are; None where they differ.

    >>> same(["a", "a"]), same(["a", "b"])
    ('a', None)
    """
    return values[0] if values.count(values[0]) == len(values) else None


def mean(columns: Mapping[str, Sequence[Any]], name: str) -> float | None:
    """A mean over all windows, weighted by the first counter that every one of them has; None if there is none such.

    >>> mean({"step_ms": [4.0, 8.0], "num_steps": [None, 1], "num_rounds": [1, 3]}, "step_ms")
    7.0
    """
    values: Sequence[Any] = columns[name]
    if None in values:
        return None
    for counter in MEANS[name]:
        weights = columns[counter]
        if None not in weights and (weight := sum(weights)):
            return float(sum(map(mul, values, weights)) / weight)
    return values[0] if len(set(values)) == 1 else None


def by_position(tuples: Sequence[tuple[float, ...] | None]) -> tuple[float, ...] | None:
    """Counts by position added up; shorter ones had none at the later positions.

    >>> by_position([(2, 1), (3,)])
    (5, 1.0)
    """
    if None in tuples:
        return None
    columns = zip_longest(*(each or () for each in tuples), fillvalue=0.0)
    return tuple(sum(column) for column in columns)


RATES = {
    "accepted_per_drafted": "draft_acceptance_rate",
    "length_with_bonus": "mean_acceptance_length",
}
"""Definition of a printed number -> what the sums give for it."""


def printed_together(printed: Sequence[Sequence[Any]], summed: Any) -> Iterator[Any]:
    """What all windows printed: a number that was the same in all, and a rate as their sums give it; others are none.

    The last window's number is not that of all. `printed` has the numbers of each window, `summed` the sums.

    >>> from specmodel.measured.spec_stats import Printed, SpecStats
    >>> rates = [[Printed("rate", 0.5, "accepted_per_drafted")], [Printed("rate", 0.7, "accepted_per_drafted")]]
    >>> summed = SpecStats("a", "b", num_draft_tokens=300, num_accepted_draft_tokens=180)
    >>> [each.value for each in printed_together(rates, summed)]
    [0.6]
    """
    if all(each is printed[0] or each == printed[0] for each in printed):
        yield from printed[0]
        return
    named = [{(each.name, each.definition): each for each in window} for window in printed if window]
    for key, first in named[0].items():
        found = [window[key] for window in named if key in window]
        if len(found) < len(named):
            continue
        rate = getattr(summed, RATES[first.definition], None) if first.definition in RATES else None
        if all(each.value == first.value for each in found):
            yield first
        elif rate is not None:
            yield replace(first, value=rate)
