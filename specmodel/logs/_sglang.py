"""What the readers of SGLang share: what k is there, which acceptance rate is meant, and files of several settings."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from specmodel.base.messages import Message
from specmodel.logs._checks import number
from specmodel.logs._format import LogError, note
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "SGLang"
NEW_RATE, OLD_RATE = "accepted_per_drafted", "sglang_old_rate"
VERSIONS = {NEW_RATE: "0.5.12 or newer", OLD_RATE: "0.5.3–0.5.10"}
MAX_DRAFTS = 1024
TREE = "top-k"
MAX_SETTINGS = 1000


def draft_length(steps: int, topk: int, draft_tokens: int) -> tuple[int, tuple[Message, ...]]:
    """k from --speculative-num-steps, -eagle-topk and -num-draft-tokens (which counts the root), and a note on it.

    A chain drafts one token a step, a block drafter all in one step; of a tree k is the depth.

    >>> draft_length(3, 1, 4)[0], draft_length(1, 1, 16)[0], draft_length(3, 4, 16)[0]
    (3, 15, 3)
    """
    if max(steps, draft_tokens) > MAX_DRAFTS:
        raise LogError(
            "{found:,} draft tokens a round are more than {most:,}", found=max(steps, draft_tokens), most=MAX_DRAFTS
        )
    if topk <= 1:
        return max(steps, draft_tokens - 1), ()
    return steps, (note("with a top-k above 1 the drafts are a tree: k is its depth, not the number of draft tokens"),)


class Identity:
    """Decides from pairs of accept length and accept rate which definition the rate follows, and k.

    The rate is (length − 1) ÷ k since 0.5.12 and length ÷ (k + 1) before; both numbers are rounded.

    >>> identity = Identity()
    >>> identity.add(2.8, 0.6), identity.decide()
    (True, (3, 'accepted_per_drafted'))
    """

    def __init__(self) -> None:
        self._bounds = {NEW_RATE: (1.0, float(MAX_DRAFTS)), OLD_RATE: (1.0, float(MAX_DRAFTS))}
        self._never = {NEW_RATE: False, OLD_RATE: False}

    def add(self, length: float, rate: float, half_step: float = 0.005) -> bool:
        """Narrow k down by one pair; False where the pair fits no k at all, which is then left out."""
        bounds = _bounds(length, rate, half_step)
        for name, (low, high, fits) in bounds.items():
            before = self._bounds[name]
            if low > before[0] or high < before[1]:
                self._bounds[name] = max(before[0], low), min(before[1], high)
            if not fits:
                self._never[name] = True
        return bool(bounds)

    @property
    def contradicts(self) -> bool:
        """Whether each pair fits a k, but no k fits all of them: lines of runs with other draft lengths.

        >>> identity = Identity()
        >>> identity.add(2.8, 0.6), identity.contradicts, identity.add(3.4, 0.48), identity.contradicts
        (True, False, True, True)
        """
        empty = [not _whole(*bounds) for bounds in self._bounds.values()]
        return all(empty) and not all(self._never.values())

    def decide(self, k: int | None = None) -> tuple[int | None, str]:
        """k where only one fits all pairs, else None; the definition where only one fits (the k given), else ""."""
        fits = {name: _whole(low, high) for name, (low, high) in self._bounds.items()}
        names = [name for name, found in fits.items() if (k in found if k else found)]
        possible = {end for name in names for end in (fits[name][0], fits[name][-1])}
        names = names or [name for name, never in self._never.items() if not never]
        return possible.pop() if len(possible) == 1 else None, names[0] if len(names) == 1 else ""


@lru_cache(maxsize=4096)  # numbers of two digits: a log holds few different pairs
def _bounds(length: float, rate: float, half_step: float) -> dict[str, tuple[float, float, bool]]:
    """By definition the least and the greatest k of one pair, and whether a whole number is between; {} if in none."""
    error = half_step + 1e-9
    rates = rate + error, max(rate - error, 1e-9)
    new = (length - 1 - error) / rates[0], (length - 1 + error) / rates[1]
    old = ((length - error) / rates[0] - 1, (length + error) / rates[1] - 1) if rate else (math.inf, 0.0)
    found = {name: (*bounds, bool(_whole(*bounds))) for name, bounds in ((NEW_RATE, new), (OLD_RATE, old))}
    return found if any(fits for *_, fits in found.values()) else {}


def _whole(low: float, high: float) -> range:
    """The whole numbers of drafts between two bounds."""
    low, high = max(low, 1.0), min(high, float(MAX_DRAFTS))
    return range(math.ceil(low), math.floor(high) + 1) if low <= high else range(0)


def length_of(found: dict[str, Any], name: str, line: int) -> float | None:
    """Tokens per round; None where the value is one of those that stand for no speculation.

    >>> length_of({"acc_length": 2.8}, "acc_length", 1), length_of({"acc_length": -1}, "acc_length", 1)
    (2.8, None)
    """
    if found.get(name) is None or found[name] == -1:
        return None
    length = number(found[name], line, name)
    if 0 < length < 1:
        raise LogError("line {line}: {name} is {length:g}, expected at least 1", line=line, name=name, length=length)
    return length if length > 1 else None


def printed_length(name: str, length: float | None) -> tuple[Printed, ...]:
    """It, as it was printed.

    >>> printed_length("acc_length", 2.8)[0].definition
    'length_with_bonus'
    """
    return () if length is None else (Printed(name, length, "length_with_bonus"),)


def setting_label(k: int, topk: int, draft_tokens: int, batch: int) -> str:
    """What a setting is called among others.

    >>> setting_label(3, 1, 4, 1), setting_label(3, 4, 16, 8)
    ('k=3, batch 1', 'k=3, top-k 4, 16 draft tokens, batch 8')
    """
    tree = f", {TREE} {topk}, {draft_tokens} draft tokens" if topk > 1 else ""
    return f"k={k}{tree}, batch {batch}"


def settings(parts: Sequence[SpecStats]) -> SpecStats | None:
    """One setting as it is; of several the fastest chain of the smallest batch, with all of them as its parts.

    >>> slow, fast = (SpecStats("SGLang", "file", label=f"{v}", output_tokens_per_s=v) for v in (1.0, 2.0))
    >>> settings([slow, fast]).label
    '2.0'
    """
    if len(parts) <= 1:
        return parts[0] if parts else None
    if len(parts) > MAX_SETTINGS:
        raise LogError("the file holds more than {limit} settings", limit=MAX_SETTINGS)

    def rank(stats: SpecStats) -> tuple[bool, float, bool, float]:
        batch = math.inf if stats.batch_size is None else stats.batch_size
        return not stats.speculation, batch, TREE in stats.label, -(stats.output_tokens_per_s or 0)

    notes = {str(each): each for stats in parts for each in stats.notes}
    return min(parts, key=rank).replace(parts=tuple(parts), parts_are_settings=True, notes=tuple(notes.values()))
