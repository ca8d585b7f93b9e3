"""One request in a log of llama-server: rounds are not printed and are worked out from what is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from specmodel.logs._format import LogError
from specmodel.logs._llama_cpp import Answer
from specmodel.logs._positions import counts_from_rates
from specmodel.measured.spec_stats import Printed

MAX_TRIES = 2000


@dataclass
class Request:
    """What the lines of one request in a log told so far."""

    line: int
    task: str = ""
    prompt_ms: float | None = None
    decode_ms: float | None = None
    tokens: int | None = None
    drafted: int = 0
    accepted: int = 0
    length: float | None = None
    rates: tuple[float, ...] | None = None
    version: str | None = None
    printed: tuple[Printed, ...] = ()
    ended: bool = False

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
        low, high = self._by_rates(low, min(high, self.drafted))
        if max(low, fewest) <= min(high, most):
            low, high = max(low, fewest), min(high, most)
        likeliest = min(max(round(self.accepted / max(self.length - 1, 0.001)), low), high)
        found: list[int] = []
        tries = MAX_TRIES // (1 + len(self.rates or ()) // 16)
        for away in range(min(high - low + 1, tries)):
            near = {likeliest - away, likeliest + away}
            found += [each for each in sorted(near) if low <= each <= high and self.fits(each)]
            if len(found) > 1:
                return found[:2]
        if not found and high - low < tries:
            raise LogError(
                "line {line}: no number of rounds gives a mean length of {length:.10g} with {accepted:,} accepted",
                line=self.line, length=self.length, accepted=self.accepted,
            )  # fmt: skip
        return found

    def verified(self, drafts: int, calls: int) -> int:
        """Drafts that were verified: those generated, or the calls of `accept` where some were thrown away before.

        >>> Request(1, drafted=330, accepted=180, length=2.8).verified(110, 100)
        100
        """
        rounds = next((each for each in (drafts, calls) if self.fits(each)), None)
        if rounds is None:
            raise LogError(
                "line {line}: #mean acc len is {length:.10g}, but {accepted:,} tokens were accepted of {drafts:,} "
                "drafts",
                line=self.line, length=self.length, accepted=self.accepted, drafts=drafts,
            )  # fmt: skip
        return rounds

    def _by_rates(self, low: int, high: int) -> tuple[int, int]:
        """The part of a range of rounds in which rates of three decimals can add up to what was accepted."""
        together, slack = sum(self.rates or ()), 0.0005 * len(self.rates or ())
        if slack:
            low = max(low, math.ceil(self.accepted / (together + slack) - 0.01))
            high = min(high, math.floor(self.accepted / (together - slack) + 0.01)) if together > slack else high
        return low, high

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
