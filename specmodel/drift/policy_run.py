"""What one policy did on the rounds of a workload: round by round, by request, and in one phase.

A round of k drafts that accepts j yields j + 1 tokens, but no more than the answer still needs; the last round of an
answer is paid for in full. Drafts that became no token of the answer are wasted: k + 1 − tokens of the round.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.numbers import SAME
from specmodel.base.params import quantity
from specmodel.drift.policies import PolicyChoice
from specmodel.drift.round_costs import RoundCosts
from specmodel.drift.rounds import Rounds


@dataclass(frozen=True, eq=False)
class PolicyRun:
    """One policy on the rounds of a workload; every array is by round, shape (rounds,).

    `num_speculative_tokens` is the k it chose, `accepted` the drafts that the target kept, `start` the token at which
    the round starts, `request` the answer it belongs to.
    """

    choice: PolicyChoice
    rounds: Rounds
    costs: RoundCosts
    num_speculative_tokens: Ints
    accepted: Ints
    request: Ints
    start: Ints

    @property
    def num_rounds(self) -> int:
        """Rounds of the whole workload, plain steps included."""
        return int(self.start.size)

    @property
    def num_switches(self) -> int:
        """How often the draft length changed."""
        return int(self.switched.sum())

    @property
    def num_wasted_draft_tokens(self) -> int:
        """Drafts that became no token of an answer."""
        return int(self.wasted.sum())

    @cached_property
    def tokens(self) -> Ints:
        """Tokens of each round that belong to the answer: accepted drafts and the bonus token, up to its end."""
        left = self.rounds.starts[1:][self.request] - self.start
        tokens: Ints = np.minimum(self.accepted + 1, left)
        return tokens

    @cached_property
    def wasted(self) -> Ints:
        """Drafts of each round that became no token of the answer."""
        wasted: Ints = self.num_speculative_tokens + 1 - self.tokens
        return wasted

    @cached_property
    def phase(self) -> Ints:
        """The phase of each round."""
        phase: Ints = self.rounds.phase[self.request]
        return phase

    @cached_property
    def switched(self) -> NDArray[np.bool_]:
        """Whether k differs from that of the round before."""
        k = self.num_speculative_tokens
        return np.concatenate(([False], k[1:] != k[:-1]))

    @cached_property
    def resumed(self) -> NDArray[np.bool_]:
        """Whether speculation was off in the round before and is on now."""
        k = self.num_speculative_tokens
        return np.concatenate(([False], (k[1:] > 0) & (k[:-1] == 0)))

    @cached_property
    def ms(self) -> Floats:
        """Time of each round, the change of the draft length before it included."""
        changes = self.costs.switching_ms * self.switched + self.costs.resume_ms * self.resumed
        ms: Floats = np.array(self.costs.round_ms)[self.num_speculative_tokens] + changes
        return ms

    def total_ms(self, rounds: NDArray[np.bool_] | None = None) -> float:
        """Time of all rounds, or of those chosen: rounds of each k times their cost, so that off is exactly plain."""
        chosen = slice(None) if rounds is None else rounds
        counts = np.bincount(self.num_speculative_tokens[chosen], minlength=self.costs.max_k + 1)
        drafted = sum(count * ms for count, ms in zip(counts.tolist(), self.costs.round_ms, strict=True))
        changes = self.costs.switching_ms * int(self.switched[chosen].sum())
        return float(drafted + changes + self.costs.resume_ms * int(self.resumed[chosen].sum()))

    @cached_property
    def request_ms(self) -> Floats:
        """Time of each answer, shape (requests,)."""
        return np.bincount(self.request, weights=self.ms).astype(np.float64)

    @cached_property
    def request_k(self) -> Floats:
        """Mean draft length of the rounds of each answer, shape (requests,)."""
        drafted = np.bincount(self.request, weights=self.num_speculative_tokens).astype(np.float64)
        mean: Floats = drafted / np.bincount(self.request)
        return mean


@dataclass(frozen=True)
class PhaseOutcome:
    """One policy in one phase; a workload may come back to a phase, and then it has an outcome for each time.

    `speedup` is against plain decoding; `loses` where that is below 1. `regret_ms` is the time beyond the oracle's.
    """

    label: str
    num_tokens: int = quantity("Tokens", "Tokens of all answers of the phase.", unit="tokens", format=",d")
    num_rounds: int = quantity("Rounds", "Rounds of the phase, plain steps included.", format=",d")
    num_draft_tokens: int = quantity("Drafts", "Tokens that were drafted.", unit="drafts", format=",d")
    num_accepted_draft_tokens: int = quantity(
        "Accepted drafts", "Drafts that became tokens of an answer.", unit="drafts", format=",d"
    )
    num_wasted_draft_tokens: int = quantity(
        "Wasted drafts",
        "Drafts that became no token of an answer: rejected, or behind its end.",
        unit="drafts",
        format=",d",
    )
    num_switches: int = quantity(
        "Changes of the draft length", "Rounds that drafted another number of tokens than the one before.", format=",d"
    )
    ms: float = quantity("Time", "Time of all rounds and of the changes of the draft length.", unit="ms")
    speedup: float = quantity("Speedup", "Time without speculation ÷ time of the policy.", unit="×")
    regret_ms: float = quantity(
        "Regret", "Time beyond the oracle's on the same draws; by luck it can be below 0.", unit="ms"
    )

    @property
    def loses(self) -> bool:
        """Whether plain decoding would have been faster."""
        return self.speedup < 1 - SAME
