"""Accepted drafts by position, worked out from a histogram or from printed rates."""

import math
from collections.abc import Sequence
from itertools import accumulate
from operator import gt, lt, sub

from specmodel.logs._checks import LONGEST
from specmodel.logs._format import LogError


def accepted_from_histogram(histogram: Sequence[int], rounds: float | None, line: int) -> tuple[int, ...]:
    """A_1 … A_k from histogram[j] = rounds that accepted exactly j; the histogram must add up to the rounds.

    >>> accepted_from_histogram((24, 17, 14, 45), 100, 1)
    (76, 59, 45)
    """
    if rounds is not None and sum(histogram) != rounds:
        raise LogError(
            "line {line}: the histogram adds up to {sum:,} rounds, but {rounds:,.10g} are given",
            line=line, sum=sum(histogram), rounds=rounds,
        )  # fmt: skip
    return tuple(accumulate(histogram[:0:-1]))[::-1]


def counts_from_rates(
    rates: Sequence[float], rounds: int, accepted: int | None, line: int, half_step: float = 0.0005
) -> tuple[int, ...]:
    """A_1 … A_k as whole numbers from printed rates A_i ÷ rounds, each within the rounding of what was printed.

    Among the whole numbers that print as these rates those are taken that add up to `accepted`, each as near to its
    rate as that allows; they rise nowhere where the rates do not. `half_step` is half of the last printed digit.
    `LogError` where there are none.

    >>> counts_from_rates((0.750, 0.580, 0.434), 3180, 5610, 1)
    (2385, 1845, 1380)
    >>> counts_from_rates((0.001, 0.000, 0.000), 64_001, 33, 1)
    (33, 0, 0)
    """
    if len(rates) > LONGEST:
        raise LogError(
            "line {line}: a round of {found} draft tokens, expected at most {limit}",
            line=line, found=len(rates), limit=LONGEST,
        )  # fmt: skip
    low = [max(math.ceil((rate - half_step) * rounds - 1e-6), 0) for rate in rates]
    high = [min(math.floor((rate + half_step) * rounds + 1e-6), rounds) for rate in rates]
    exact = [rate * rounds for rate in rates]
    # the middle one of three numbers, where low <= high
    found = [sorted((a, round(value), b))[1] if a <= b else b for a, value, b in zip(low, exact, high, strict=True)]
    if accepted is None:
        return tuple(found)
    left = accepted - sum(found)
    room = list(map(sub, high, found) if left > 0 else map(sub, found, low))
    if abs(left) > sum(room) or any(map(gt, low, high)):
        raise LogError(
            "line {line}: the rates by position {rates} of {rounds:,} rounds do not add up to {accepted:,} accepted",
            line=line, rates=", ".join(f"{rate:g}" for rate in rates), rounds=rounds, accepted=accepted,
        )  # fmt: skip
    if not left:
        return tuple(found)
    spread = _spread(found, exact, room, left)
    # where the rates fall, the bounds do: in order, each count still lies between its own
    return spread if any(map(lt, rates, rates[1:])) else tuple(sorted(spread, reverse=True))


def _spread(found: list[int], exact: Sequence[float], room: list[int], left: int) -> tuple[int, ...]:
    """Move `left` counts, shared as evenly as the room allows, first where the exact value is nearest."""
    step = 1 if left > 0 else -1
    left = abs(left)
    while left:
        order = [index for index in range(len(found)) if room[index]]
        order.sort(key=lambda index: abs(found[index] + step - exact[index]))
        share = max(left // len(order), 1)
        for index in order[:left]:
            moved = min(share, room[index], left)
            found[index] += step * moved
            room[index] -= moved
            left -= moved
    return tuple(found)
