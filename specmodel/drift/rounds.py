"""The seeded draws of a workload, made once: every policy is played on the same ones.

A uniform number is attached to each token of each answer. The draft for a token is accepted if that number lies below
the chance at the draft's position in the round. So a round of k drafts that starts at a token accepts
min(k, `longest` at that token), whoever asks for it: two policies that start a round of equal k at the same token see
the same round. A number is used at most once by a policy (the bonus token needs none, and the round after a rejection
starts behind the rejected draft), so the rounds of one policy are independent of each other given the acceptance.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.numbers import MAX_SEED, whole_number
from specmodel.drift.phases import Phase, Workload
from specmodel.model.acceptance import factors
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS


class Learning(Protocol):
    """What changes acceptance as tokens of a phase go by; `specmodel.drift.adaptation` has one."""

    def __hash__(self) -> int:
        """Equal ones have equal draws."""

    def learned(self, alpha: Floats, tokens_seen: Floats) -> Floats:
        """The acceptance after so many tokens of the phase, from that of the draft as it came."""


@dataclass(frozen=True, eq=False)
class Rounds:
    """Every round that a policy could ask for. Tokens are numbered through the whole workload.

    `starts` has the first token of each request and, at the end, the number of tokens: shape (requests + 1,). By
    token, shape (tokens,): `alpha`, the acceptance at the first position of a round that starts there, and `longest`,
    how many of `max_k` drafts that round would accept. By request: `phase`, its index in the workload.

    >>> drawn = draw_rounds(Workload("own", "Own", (Phase("Chat", alpha=1, requests=2, output_tokens=3),)), 2)
    >>> drawn.longest.tolist(), drawn.starts.tolist()
    ([2, 2, 2, 2, 2, 2], [0, 3, 6])
    """

    workload: Workload
    max_k: int
    starts: Ints
    phase: Ints
    alpha: Floats
    longest: Ints

    @property
    def num_requests(self) -> int:
        """Requests of the workload."""
        return int(self.phase.size)

    @property
    def num_tokens(self) -> int:
        """Tokens of all answers."""
        return int(self.starts[-1])

    @property
    def tokens(self) -> Ints:
        """Tokens of each answer, shape (requests,)."""
        return np.diff(self.starts)

    @property
    def phase_starts(self) -> Ints:
        """The token at which each phase starts and, at the end, the number of tokens: shape (phases + 1,)."""
        return np.cumsum([0, *(phase.num_tokens for phase in self.workload.phases)])

    @cached_property
    def survival(self) -> Floats:
        """S_1 … S_max of a round that starts at each token, shape (tokens, max_k)."""
        shape = [factors(phase.acceptance_shape, self.max_k) for phase in self.workload.phases]
        by_token = np.repeat(self.phase, self.tokens)
        conditional: Floats = np.minimum(self.alpha[:, None] * np.array(shape)[by_token], 1.0)
        return np.cumprod(conditional, axis=1, dtype=np.float64)


def draw_rounds(workload: Workload, max_k: int, seed: int = 0, learning: Learning | None = None) -> Rounds:
    """The draws of a workload for rounds of up to `max_k` drafts.

    The numbers depend on the seed, the place of the phase and the lengths only: a larger `max_k`, another acceptance
    or a draft that learns is played on the same ones.

    >>> from specmodel.drift.published import workload
    >>> few, more = (draw_rounds(workload("day"), k, seed=1) for k in (3, 8))
    >>> bool((few.longest == np.minimum(more.longest, 3)).all())
    True
    """
    max_k = whole_number(max_k, "max_k", 1, MAX_SPECULATIVE_TOKENS)
    return _drawn(workload, max_k, whole_number(seed, "seed", 0, MAX_SEED), learning)


@lru_cache(maxsize=8)
def _drawn(workload: Workload, max_k: int, seed: int, learning: Learning | None) -> Rounds:
    parts = [_phase(phase, max_k, (seed, at), learning) for at, phase in enumerate(workload.phases)]
    lengths = np.concatenate([np.full(phase.requests, phase.output_tokens) for phase in workload.phases])
    return Rounds(
        workload,
        max_k,
        starts=np.concatenate(([0], np.cumsum(lengths))),
        phase=np.repeat(np.arange(len(parts)), [phase.requests for phase in workload.phases]),
        alpha=np.concatenate([alpha.ravel() for alpha, _ in parts]),
        longest=np.concatenate([longest.ravel() for _, longest in parts]),
    )


def _phase(phase: Phase, max_k: int, seed: tuple[int, int], learning: Learning | None) -> tuple[Floats, Ints]:
    """Acceptance and longest rounds by request and token, each of shape (requests, output_tokens)."""
    quantiles = np.random.default_rng((*seed, 0)).random(phase.requests)
    uniform = np.random.default_rng((*seed, 1)).random((phase.requests, phase.output_tokens + MAX_SPECULATIVE_TOKENS))
    alpha = np.repeat(phase.request_alphas(quantiles)[:, None], phase.output_tokens, axis=1)
    if learning:
        seen = np.arange(phase.num_tokens, dtype=float).reshape(alpha.shape)
        alpha = learning.learned(alpha, seen)
    alive, longest = np.ones(alpha.shape, dtype=bool), np.zeros(alpha.shape, dtype=np.int64)
    for position, factor in enumerate(factors(phase.acceptance_shape, max_k)):
        alive &= uniform[:, position : position + phase.output_tokens] < alpha * factor
        longest += alive
    return alpha, longest
