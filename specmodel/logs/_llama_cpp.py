"""Answers of llama.cpp added up: what its log and its JSON tell of each is the same.

A target pass of decoding yields one token more than it accepts, and the first token comes from the prompt's pass:
passes = tokens − 1 − accepted, those without a draft included. Accepted tokens are counted before a stop condition cuts
the rest, so that the last pass may make this too small; there are never fewer passes than rounds.
"""

from dataclasses import dataclass
from typing import Any

from specmodel.logs._checks import Tally, checked
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "llama.cpp"


@dataclass(frozen=True)
class Answer:
    """What is known of one request; unknown is None, and an answer without a draft has 0 of everything."""

    tokens: int | None = None
    decode_ms: float | None = None
    prompt_ms: float | None = None
    drafted: int = 0
    accepted: int | None = 0
    rounds: int | None = 0
    positions: tuple[int, ...] | None = ()
    drafted_by_position: tuple[int, ...] | None = None
    temperature: float | None = None
    version: str | None = None
    estimated: bool = False
    printed: tuple[Printed, ...] = ()

    @property
    def steps(self) -> int | None:
        """Target passes of decoding.

        >>> Answer(tokens=281, drafted=300, accepted=180).steps, Answer(tokens=5, drafted=8, accepted=8, rounds=1).steps
        (100, 1)
        """
        if self.tokens is None or self.accepted is None:
            return None
        fewest = self.rounds or min(self.drafted, 1)
        return max(self.tokens - 1 - self.accepted, fewest)

    @property
    def _pace(self) -> Units | None:
        """Decoded tokens and their milliseconds; the first token is of the prompt's pass."""
        if self.tokens is None or self.tokens < 2 or not self.decode_ms:
            return None
        return Units.of("requests", [(self.tokens - 1, self.decode_ms, 0, None)])

    def stats(self, source: str) -> SpecStats:
        """Its counters.

        >>> Answer(tokens=281, drafted=300, accepted=180, rounds=100, positions=None).stats("log").tokens_per_step
        2.8
        """
        known = self.rounds is not None and self.accepted is not None
        row = (self.rounds or 0, self.drafted, self.accepted or 0, self.positions)
        return SpecStats(
            ENGINE,
            source,
            version=self.version,
            speculation=self.drafted > 0,
            estimated=self.estimated,
            num_rounds=self.rounds,
            num_draft_tokens=self.drafted,
            num_accepted_draft_tokens=self.accepted,
            accepted_per_position=self.positions,
            drafted_per_position=self.drafted_by_position,
            generated_tokens=self.tokens,
            num_steps=self.steps,
            num_requests=1,
            temperature=self.temperature,
            units=Units.of("requests", [row]) if known else None,
            pace=self._pace,
            printed=self.printed,
        )


class Answers:
    """Any number of answers in bounded memory; times are divided after they were summed.

    >>> answers = Answers("log")
    >>> answers.add(Answer(tokens=281, decode_ms=2525.0, drafted=300, accepted=180, rounds=100, positions=None), 1)
    >>> answers.total().step_ms
    25.25
    """

    def __init__(self, source: str):
        self.drafted = self.accepted = self.count = self.without_draft = 0
        self.decode_ms: float | None = 0.0
        self._source = source
        self._tally = Tally()
        self._prompt_ms: float | None = 0.0
        self._gaps = 0

    def add(self, answer: Answer, line: int) -> None:
        """One more, which stands at this line."""
        self._tally.add(checked(answer.stats(self._source), line))
        self.count += 1
        self.without_draft += not answer.drafted
        self.drafted += answer.drafted
        self.accepted += answer.accepted or 0
        self.decode_ms = _plus(self.decode_ms, answer.decode_ms)
        self._prompt_ms = _plus(self._prompt_ms, answer.prompt_ms)
        self._gaps += max((answer.tokens or 0) - 1, 0)

    def joined(self, other: "Answers") -> "Answers":
        """These and others."""
        both = Answers(self._source)
        for each in (self, other):
            if (stats := each._tally.total()) is not None:
                both._tally.add(stats)
            both.count += each.count
            both.without_draft += each.without_draft
            both.drafted += each.drafted
            both.accepted += each.accepted
            both.decode_ms = _plus(both.decode_ms, each.decode_ms)
            both._prompt_ms = _plus(both._prompt_ms, each._prompt_ms)
            both._gaps += each._gaps
        return both

    def total(self, **fields: Any) -> SpecStats | None:
        """All of them together, with further fields of `SpecStats`; None without any."""
        stats = self._tally.total()
        if stats is None:
            return None
        decode, prompt = self.decode_ms, self._prompt_ms
        times: dict[str, Any] = {
            "step_ms": decode / stats.num_steps if decode is not None and stats.num_steps else None,
            "tpot_ms": decode / self._gaps if decode is not None and self._gaps else None,
            "ttft_ms": prompt / self.count if prompt is not None else None,
            "request_ms": (prompt + decode) / self.count if prompt is not None and decode is not None else None,
            "accepted_per_position": stats.accepted_per_position or None,
            "drafted_per_position": stats.drafted_per_position or None,
            "units": stats.units if stats.speculation else None,
            "printed": stats.printed if self.count == 1 else (),
        }
        return stats.replace(**{**times, **fields})


def _plus(total: float | None, value: float | None) -> float | None:
    return None if total is None or value is None else total + value
