"""`SpecStats`: the counters that were read from a serving engine, under this project's names; an unknown is None.

Counters add up, means are weighted by what they are means of, and rates are only ever computed from sums: sum the
counters, then divide.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from specmodel.base.messages import Message, SpecmodelError
from specmodel.measured.adding_up import COUNTERS, MEANS, SHARED, added, by_position, mean, printed_together, same
from specmodel.measured.sampling_units import Units
from specmodel.model.acceptance import Acceptance

__all__ = ["COUNTERS", "MAX_POSITIONS", "MEANS", "SHARED", "TYPED", "Printed", "SpecStats", "StatsError", "total"]

MAX_POSITIONS = 1024
TYPED = "typed"
"""The source of numbers that a visitor typed: they were counted by nobody here."""


class StatsError(SpecmodelError):
    """Counters that do not hold what was asked of them; the message says what is missing."""


@dataclass(frozen=True)
class Printed:
    """One number as the engine printed it: its name there, the value, and which definition it follows.

    `definition` is a key of `specmodel.measured.definitions.DEFINITIONS`, or empty for a number that is no rate.
    """

    name: str
    value: float
    definition: str = ""


@dataclass(frozen=True)
class SpecStats:
    """Counters of one engine over one window. Times are means in ms, throughputs are in tokens per second.

    A *round* is a draft-and-verify cycle that carried a draft, counted per sequence; `num_steps` are all decoding steps
    of the sequences, those without a draft included. `accepted_per_position[i]` counts the rounds in which draft i + 1
    was accepted; `drafted_per_position[i]` those that drafted so far, None where every round drafts k.
    `speculation` is False for a run without any: a baseline. `estimated` is True where the counts themselves were
    worked out from printed ratios. `plain_ms` is a plain step that was measured beside the rounds. `context_tokens` are
    those that an output token follows, on average; `request_rate` is the fixed rate (per second) at which a benchmark
    sent its requests, None where it sent them as others ended, or nobody knows. `parts` are the groups or the settings
    of a file with several; settings are never added up. `model` is the target as it was named. `groups` are kinds of
    prompts that the lines of a file name themselves, each perhaps with settings. `units` are the counters of requests,
    windows or rounds; `pace` holds the decoded tokens and the milliseconds of each request.

    >>> stats = SpecStats("vLLM", "log", num_rounds=100, num_draft_tokens=300, num_accepted_draft_tokens=180)
    >>> stats.mean_acceptance_length, stats.draft_acceptance_rate
    (2.8, 0.6)
    """

    engine: str
    source: str
    version: str | None = None
    model: str | None = None
    label: str = ""
    speculation: bool = True
    estimated: bool = False
    num_speculative_tokens: int | None = None
    num_rounds: float | None = None
    num_draft_tokens: float | None = None
    num_accepted_draft_tokens: float | None = None
    accepted_per_position: tuple[float, ...] | None = None
    drafted_per_position: tuple[float, ...] | None = None
    generated_tokens: float | None = None
    num_steps: float | None = None
    num_requests: float | None = None
    window_s: float | None = None
    printed_length: float | None = None
    step_ms: float | None = None
    itl_ms: float | None = None
    tpot_ms: float | None = None
    ttft_ms: float | None = None
    request_ms: float | None = None
    draft_ms: float | None = None
    verify_ms: float | None = None
    plain_ms: float | None = None
    batch_size: float | None = None
    output_tokens_per_s: float | None = None
    peak_tokens_per_s: float | None = None
    memory_gb: float | None = None
    temperature: float | None = None
    context_tokens: float | None = None
    request_rate: float | None = None
    units: Units | None = None
    pace: Units | None = None
    printed: tuple[Printed, ...] = ()
    notes: tuple[Message, ...] = ()
    parts: tuple["SpecStats", ...] = ()
    parts_are_settings: bool = False
    groups: tuple["SpecStats", ...] = ()

    @property
    def _accepted(self) -> float | None:
        """Accepted drafts, which those by position add up to."""
        if self.num_accepted_draft_tokens is None and self.accepted_per_position is not None:
            return sum(self.accepted_per_position)
        return self.num_accepted_draft_tokens

    @property
    def mean_acceptance_length(self) -> float | None:
        """tau = 1 + accepted ÷ rounds, bonus token included; as printed where rounds are unknown."""
        if self.num_rounds and self._accepted is not None:
            return 1 + self._accepted / self.num_rounds
        return self.printed_length

    @property
    def draft_acceptance_rate(self) -> float | None:
        """Accepted ÷ drafted; from tau and k where the counters are unknown and every round drafts k."""
        if self.num_draft_tokens and self._accepted is not None:
            return self._accepted / self.num_draft_tokens
        length, k = self.mean_acceptance_length, self.num_speculative_tokens
        return (length - 1) / k if length is not None and k and not self.num_draft_tokens else None

    @property
    def per_position_acceptance(self) -> tuple[float, ...] | None:
        """S_1 … S_k: share of all rounds in which position i was accepted."""
        if self.accepted_per_position is None or not self.num_rounds:
            return None
        return tuple(count / self.num_rounds for count in self.accepted_per_position)

    @property
    def tokens_per_step(self) -> float | None:
        """Tokens per decoding step, steps without a draft included: what speed depends on. None where unknown.

        The first token of a request comes from its prompt, so it is not counted.
        """
        tokens = (self.generated_tokens or 0) - (self.num_requests or 0)
        if self.num_steps and self.generated_tokens is not None and tokens >= 0:
            return tokens / self.num_steps
        if self.num_steps and self._accepted is not None:
            return 1 + self._accepted / self.num_steps
        if self.itl_ms and self.tpot_ms and self.engine == "vLLM" and math.isfinite(self.itl_ms / self.tpot_ms):
            return self.itl_ms / self.tpot_ms
        return None

    @property
    def mean_draft_length(self) -> float | None:
        """Draft tokens per round; equal to k where the length is fixed."""
        if self.num_rounds and self.num_draft_tokens is not None:
            return self.num_draft_tokens / self.num_rounds
        return float(self.num_speculative_tokens) if self.num_speculative_tokens else None

    def acceptance(self, num_speculative_tokens: int | None = None) -> Acceptance:
        """The distribution of accepted drafts: by position where the file has it, else one alpha that gives its tau.

        A single rate needs k to become an alpha: pass it where the file does not say.

        >>> SpecStats("a", "log", num_rounds=100, accepted_per_position=(76, 59)).acceptance().per_position_acceptance
        (0.76, 0.59)
        >>> round(SpecStats("SGLang", "log", printed_length=1.875).acceptance(3).per_position_acceptance[0], 3)
        0.5
        """
        if self.per_position_acceptance is not None:
            return Acceptance.from_per_position(self.per_position_acceptance)
        tau, k = self.mean_acceptance_length, num_speculative_tokens or self.num_speculative_tokens
        if tau is None and not self.num_draft_tokens:
            raise StatsError(Message("neither tokens per round nor acceptance by position is known here"))
        if not k or tau is None:
            raise StatsError(Message("draft tokens per round (k) are not in the file: a single rate needs them"))
        return Acceptance.from_mean_acceptance_length(tau, k)

    def __add__(self, other: "SpecStats") -> "SpecStats":
        """Both windows together; an unknown in either makes the sum unknown."""
        return total((self, other))

    def replace(self, **changes: object) -> "SpecStats":
        """A copy with some fields changed; ten times as fast as `dataclasses.replace`, for long files."""
        copy = object.__new__(SpecStats)
        copy.__dict__.update(self.__dict__)
        copy.__dict__.update(changes)
        if len(copy.__dict__) != len(self.__dict__):
            raise TypeError(f"SpecStats has no {', '.join(sorted(changes.keys() - self.__dict__.keys()))}")
        return copy


_DEFAULTS = {field.name: field.default for field in fields(SpecStats)}


def _init(self: SpecStats, engine: str, source: str, **others: object) -> None:
    """What the dataclass does, which sets one field after another and takes five times as long: see `replace`."""
    self.__dict__.update(_DEFAULTS)
    self.__dict__.update(others, engine=engine, source=source)
    if len(self.__dict__) != len(_DEFAULTS):
        raise TypeError(f"SpecStats has no {', '.join(sorted(others.keys() - _DEFAULTS.keys()))}")


SpecStats.__init__ = _init  # type: ignore[method-assign,assignment]


def total(stats: Sequence[SpecStats]) -> SpecStats:
    """The sum of several windows of one engine: counters added, means weighted, what differs or is unknown None.

    Raises `StatsError` for none at all.

    >>> a, b = SpecStats("a", "log", num_rounds=1, step_ms=4.0), SpecStats("a", "log", num_rounds=3, step_ms=8.0)
    >>> (a + b).step_ms
    7.0
    """
    if not stats:
        raise StatsError(Message("there is nothing to add up"))
    if len(stats) == 1:
        return stats[0]
    # column by column, with loops in C only: long logs come through here a window at a time
    every = [each.__dict__ for each in stats]
    columns: dict[str, list[Any]] = {name: [each[name] for each in every] for name in every[0]}
    changes: dict[str, object] = {name: added(columns[name]) for name in COUNTERS}
    changes |= {name: mean(columns, name) for name in MEANS}
    changes |= {name: same(columns[name]) for name in SHARED}
    units = [each for each in columns["units"] if each is not None]
    pace = [each for each in columns["pace"] if each is not None]
    summed = stats[-1].replace(
        **changes,
        accepted_per_position=by_position(columns["accepted_per_position"]),
        drafted_per_position=_drafted(stats),
        label=same(columns["label"]) or "",
        speculation=any(columns["speculation"]),
        estimated=any(columns["estimated"]),
        units=Units.joined(units) if len(units) == len(stats) else None,
        pace=Units.joined(pace) if len(pace) == len(stats) else None,
        notes=tuple({str(note): note for each in stats for note in each.notes}.values()),
        parts=(),
        groups=(),
    )
    return summed.replace(printed=tuple(printed_together(columns["printed"], summed)))


def _drafted(stats: Sequence[SpecStats]) -> tuple[float, ...] | None:
    """Drafted by position: what is written down, or rounds × k where every round drafts k; None if k is the same."""
    alike = len({each.num_speculative_tokens for each in stats}) == 1
    if alike and all(each.drafted_per_position is None for each in stats):
        return None
    return by_position([_own_drafted(each) for each in stats])


def _own_drafted(stats: SpecStats) -> tuple[float, ...] | None:
    if stats.drafted_per_position is not None:
        return stats.drafted_per_position
    k, rounds = stats.num_speculative_tokens, stats.num_rounds
    full = k and k <= MAX_POSITIONS and rounds is not None and stats.num_draft_tokens == k * rounds
    return (rounds,) * k if full and k and rounds is not None else None
