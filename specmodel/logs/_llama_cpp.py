"""Answers of llama.cpp added up: what its log and its JSON tell of each is the same.

A target pass of decoding yields one token more than it accepts, and the first token comes from the prompt's pass:
passes = tokens − 1 − accepted, those without a draft included. Accepted tokens are counted before a stop condition cuts
the rest, so that the last pass may make this too small; there are never fewer passes than rounds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specmodel.logs._checks import Tally, checked, counts_from_rates
from specmodel.logs._format import LogError
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "llama.cpp"
MAX_TRIES = 2000


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


@dataclass
class Request:
    """What the lines of one request in a log told so far."""

    line: int
    prompt_ms: float | None = None
    decode_ms: float | None = None
    tokens: int | None = None
    drafted: int = 0
    accepted: int = 0
    length: float | None = None
    rates: tuple[float, ...] | None = None
    version: str | None = None
    printed: tuple[Printed, ...] = ()

    def answer(self, exact: int | None, k: int | None) -> Answer:
        """Its counters, with rounds from the statistics or, where those do not tell, from the mean length.

        >>> Request(1, drafted=192, accepted=14, length=1.29, rates=(0.250, 0.042, 0.0, 0.0)).answer(None, 4).rounds
        48
        """
        if not self.drafted:
            return Answer(self.tokens, self.decode_ms, self.prompt_ms)
        fitting = [exact] if exact is not None else self.rounds(k)
        rounds = fitting[0] if fitting else None
        positions = None
        if rounds and self.rates is not None:
            positions = counted(self.rates, rounds, self.accepted, self.line)
        elif self.rates is not None and not self.accepted:
            positions = (0,) * len(self.rates)
        return Answer(
            self.tokens,
            self.decode_ms,
            self.prompt_ms,
            self.drafted,
            self.accepted,
            rounds,
            positions,
            version=self.version,
            estimated=len(fitting) > 1,
            printed=self.printed,
        )

    def rounds(self, k: int | None) -> list[int]:
        """Numbers of rounds that print as what was printed, the likeliest first, at most two; none if there is no end.

        >>> Request(7, drafted=300, accepted=180, length=2.8).rounds(3)
        [100]
        >>> Request(7, drafted=300, accepted=180, length=1.4).rounds(3)
        Traceback (most recent call last):
        specmodel.logs._format.LogError: line 7: no number of rounds gives a mean length of 1.4 with 180 accepted
        """
        fewest, most = self._bounds(k)
        if not self.accepted or self.length is None:
            return [fewest] if fewest == most else []
        low = max(math.ceil(self.accepted / (self.length - 1 + 0.005) - 1e-9), 1) if self.length > 0.996 else most + 1
        high = math.floor(self.accepted / (self.length - 1.005) + 1e-9) if self.length > 1.0051 else max(most, low)
        high = min(high, self.drafted)
        if max(low, fewest) <= min(high, most):
            low, high = max(low, fewest), min(high, most)
        likeliest = min(max(round(self.accepted / max(self.length - 1, 0.001)), low), high)
        found: list[int] = []
        for away in range(min(high - low + 1, MAX_TRIES)):
            near = {likeliest - away, likeliest + away}
            found += [each for each in sorted(near) if low <= each <= high and self.fits(each)]
            if len(found) > 1:
                return found[:2]
        if not found and high - low < MAX_TRIES:
            raise LogError(
                "line {line}: no number of rounds gives a mean length of {length:.10g} with {accepted:,} accepted",
                line=self.line, length=self.length, accepted=self.accepted,
            )  # fmt: skip
        return found

    def _bounds(self, k: int | None) -> tuple[int, int]:
        """A round drafts 1 to k tokens, and there are no more rounds than passes (which may be k too few)."""
        fewest = -(-self.drafted // k) if k else 1
        if self.tokens is None:
            return fewest, self.drafted
        over = (k or self.drafted) if self.accepted else 0
        return fewest, min(self.drafted, max(self.tokens - 1 - self.accepted + over, fewest))

    def fits(self, rounds: float) -> bool:
        """Whether these rounds print as the length and the rates that were printed.

        >>> Request(1, drafted=300, accepted=180, length=2.8).fits(100)
        True
        """
        if not rounds:
            return False
        if self.length is not None and abs(1 + self.accepted / rounds - self.length) > 0.005001:
            return False
        if not self.rates:
            return True
        low = sum(math.ceil((rate - 0.0005) * rounds - 1e-6) for rate in self.rates)
        high = sum(math.floor((rate + 0.0005) * rounds + 1e-6) for rate in self.rates)
        each = all(
            math.ceil((rate - 0.0005) * rounds - 1e-6) <= math.floor((rate + 0.0005) * rounds + 1e-6)
            for rate in self.rates
        )
        return each and low <= self.accepted <= high


def counted(rates: Sequence[float], rounds: int, accepted: int, line: int) -> tuple[int, ...]:
    """Counts by position from printed rates; where two of them print the same, the larger count comes first.

    >>> counted((0.750, 0.580, 0.434), 3180, 5610, 1)
    (2385, 1845, 1380)
    """
    found = counts_from_rates(rates, rounds, accepted, line)
    return tuple(sorted(found, reverse=True)) if list(rates) == sorted(rates, reverse=True) else found
