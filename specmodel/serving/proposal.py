"""What one round of a way of drafting proposes: drafts, tokens checked, accepted drafts and the cost of drafting."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.base.messages import Message, SpecmodelError
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.fixed_cost import NONE, FixedCost
from specmodel.serving.passes import PassMs


@dataclass(frozen=True)
class Proposal:
    """One round of a way of drafting.

    `acceptance` is by depth; `num_draft_tokens` are proposed in a round on average (the nodes of a tree without the
    root; a lookup that finds nothing proposes none), `verified_tokens` are checked of one sequence in the target's
    pass, the root included; `draft_steps` are steps of the drafter: one for each level where it drafts one token after
    another, else 1, and 0 where nothing is drafted.

    >>> proposal = Proposal(Acceptance.iid(0.5, 2), 2, 3, DraftCost(ratio=0.1), 2)
    >>> proposal.tau, proposal.num_wasted_draft_tokens
    (1.75, 1.25)
    >>> float(proposal.speedup(lambda q, b, s: 20.0, 1, 0)).__round__(4)
    1.4583
    """

    acceptance: Acceptance
    num_draft_tokens: float
    verified_tokens: float
    draft: DraftCost
    draft_steps: int = 1

    def __post_init__(self) -> None:
        wrong = not self.num_draft_tokens >= self.tau - 1 - 1e-9 or not 1 <= self.verified_tokens < np.inf
        if wrong or self.draft_steps < 0:
            message = (
                "a round cannot propose {drafts} drafts, check {verified} tokens and keep {tau} tokens: it keeps at "
                "most one more than it proposes, and checks at least 1"
            )
            values = {"drafts": self.num_draft_tokens, "verified": self.verified_tokens, "tau": self.tau}
            raise SpecmodelError(Message(message, values))

    @property
    def tau(self) -> float:
        """Tokens per round, bonus included."""
        return self.acceptance.mean_acceptance_length

    @property
    def num_wasted_draft_tokens(self) -> float:
        """Drafts thrown away in a round: proposed − accepted."""
        return max(self.num_draft_tokens - (self.tau - 1), 0.0)

    @property
    def wasted_per_token(self) -> float:
        """Drafts thrown away for each token that comes out."""
        return self.num_wasted_draft_tokens / self.tau

    def draft_ms(self, plain_ms: Any, batch_size: Any = 1) -> Any:
        """Milliseconds of drafting in a round, beside a plain step of `plain_ms`; arrays broadcast."""
        return self.draft.draft_ms(self.draft_steps, plain_ms, batch_size)

    def round_ms(
        self,
        pass_ms: PassMs,
        batch_size: Any,
        context_tokens: Any,
        overhead_ms: float = 0.0,
        fixed: FixedCost = NONE,
    ) -> Any:
        """A round: drafting, the checking pass, overhead and fixed cost where anything is drafted; in ms.

        Arrays broadcast.
        """
        plain = pass_ms(1.0, batch_size, context_tokens)
        drafting = self.draft_ms(plain, batch_size)
        overhead = overhead_ms + fixed.plain_steps(batch_size) * plain if self.num_draft_tokens > 0 else 0.0
        return drafting + pass_ms(self.verified_tokens, batch_size, context_tokens) + overhead

    def speedup(self, pass_ms: PassMs, batch_size: Any, context_tokens: Any, overhead_ms: float = 0.0) -> Any:
        """Speedup = tau ÷ rho against plain decoding of the same batch; arrays broadcast."""
        plain = pass_ms(1.0, batch_size, context_tokens)
        return self.tau * plain / self.round_ms(pass_ms, batch_size, context_tokens, overhead_ms)
