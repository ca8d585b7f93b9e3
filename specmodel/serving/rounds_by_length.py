"""What a round of each draft length emits, checks and costs: of one drafter in a row, or of a whole way of drafting.

A draft length is what an engine is set to: k drafts in a row, or the drafts of a tree. `Serving` asks for rounds of
every length that is offered, so that it knows nothing of how they are drafted.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message, SpecmodelError
from specmodel.model.acceptance import Acceptance, mean_acceptance_lengths
from specmodel.model.costs import DraftCost
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.proposal import Proposal

NOTHING_DRAFTED = Proposal(Acceptance(()), 0, 1, DraftCost(), 0)
"""A plain decoding step."""


class RoundsByLength(Protocol):
    """Rounds by draft length k = 0 … `most`: arrays of shape (most + 1,), nan where a length is not offered."""

    @property
    def most(self) -> int:
        """The longest draft length."""

    @property
    def offered(self) -> NDArray[np.bool_]:
        """Which draft lengths there are; 0 (off) always."""

    @property
    def tau(self) -> Floats:
        """Tokens per round, bonus included."""

    @property
    def drafts(self) -> Floats:
        """Drafts that a round proposes, on average."""

    @property
    def verified(self) -> Floats:
        """Tokens of one sequence in the checking pass, on average."""

    def acceptance(self, num_speculative_tokens: int) -> Acceptance:
        """The accepted drafts of a round of this length."""

    def draft_ms(self, num_speculative_tokens: Any, plain_ms: Any, batch_size: Any) -> Any:
        """Milliseconds of drafting in one round, beside a plain step of `plain_ms`; arrays broadcast."""


@dataclass(frozen=True)
class ChainRounds:
    """k drafts in a row, each accepted with alpha × its factor of `shape`; all of them and one token more are checked.

    >>> ChainRounds(0.5, DraftCost(ratio=0.1)).tau[:3].tolist()
    [1.0, 1.5, 1.75]
    """

    alpha: float
    draft: DraftCost
    shape: tuple[float, ...] = ()
    most: int = field(default=MAX_SPECULATIVE_TOKENS, init=False)

    @cached_property
    def offered(self) -> NDArray[np.bool_]:
        """Every length."""
        return np.ones(self.most + 1, dtype=bool)

    @cached_property
    def tau(self) -> Floats:
        """Tokens per round, bonus included."""
        return mean_acceptance_lengths(self.alpha, self.most, self.shape)

    @cached_property
    def drafts(self) -> Floats:
        """k drafts."""
        return np.arange(self.most + 1.0)

    @cached_property
    def verified(self) -> Floats:
        """k + 1 tokens."""
        return self.drafts + 1.0

    def acceptance(self, num_speculative_tokens: int) -> Acceptance:
        """The accepted drafts of a round of k."""
        return Acceptance.shaped(self.alpha, num_speculative_tokens, self.shape)

    def draft_ms(self, num_speculative_tokens: Any, plain_ms: Any, batch_size: Any) -> Any:
        """Milliseconds of drafting in one round."""
        return self.draft.draft_ms(num_speculative_tokens, plain_ms, batch_size)


@dataclass(frozen=True)
class ListedRounds:
    """One proposal for each draft length, None for lengths that are not offered; the first is that of no drafts.

    >>> tree = Proposal(Acceptance((0.8, 0.5)), 6, 7, DraftCost(ratio=0.1), 2)
    >>> rounds = ListedRounds((NOTHING_DRAFTED, *[None] * 5, tree))
    >>> rounds.tau[[0, 6]].tolist(), float(rounds.draft_ms(6, 10.0, 1))
    ([1.0, 2.3], 2.0)
    """

    by_length: tuple[Proposal | None, ...]

    def __post_init__(self) -> None:
        first = self.by_length[0] if self.by_length else None
        if first is None or first.num_draft_tokens or first.verified_tokens != 1:
            raise SpecmodelError(Message("the round of draft length 0 drafts nothing and checks one token"))

    @property
    def most(self) -> int:
        """The longest draft length."""
        return len(self.by_length) - 1

    @cached_property
    def offered(self) -> NDArray[np.bool_]:
        """Which draft lengths there are."""
        return np.array([each is not None for each in self.by_length])

    def _array(self, name: str) -> Floats:
        return np.array([np.nan if each is None else getattr(each, name) for each in self.by_length], dtype=float)

    @cached_property
    def tau(self) -> Floats:
        """Tokens per round, bonus included."""
        return self._array("tau")

    @cached_property
    def drafts(self) -> Floats:
        """Drafts that a round proposes, on average."""
        return self._array("num_draft_tokens")

    @cached_property
    def verified(self) -> Floats:
        """Tokens of one sequence in the checking pass, on average."""
        return self._array("verified_tokens")

    def acceptance(self, num_speculative_tokens: int) -> Acceptance:
        """The accepted drafts of a round of this length, by depth."""
        found = self.by_length[num_speculative_tokens]
        assert found is not None  # only offered lengths are asked for
        return found.acceptance

    @cached_property
    def _measured(self) -> tuple[int, ...]:
        """The lengths whose drafting has a time of its own that depends on the batch."""
        return tuple(k for k, each in enumerate(self.by_length) if each is not None and each.draft.step_ms is not None)

    @cached_property
    def _costs(self) -> tuple[Floats, Floats]:
        """What drafting a round of each length costs: in plain steps, and in ms whatever they take."""
        costs = [(0.0, 0.0) if each is None else _cost(each) for each in self.by_length]
        in_steps, in_ms = np.array(costs).T
        return in_steps, in_ms

    def draft_ms(self, num_speculative_tokens: Any, plain_ms: Any, batch_size: Any) -> Any:
        """Milliseconds of drafting in one round: that of each length's own proposal."""
        drafts, (in_steps, in_ms) = np.asarray(num_speculative_tokens), self._costs
        found = in_steps[drafts] * np.asarray(plain_ms, dtype=float) + in_ms[drafts]
        for k in self._measured:
            each = self.by_length[k]
            assert each is not None
            found = np.where(drafts == k, each.draft_ms(plain_ms, batch_size), found)
        return found


def _cost(proposal: Proposal) -> tuple[float, float]:
    steps = float(proposal.draft.steps(proposal.draft_steps))
    return proposal.draft.ratio * steps, proposal.draft.ms * steps
