"""What EAGLE, EAGLE-2 and EAGLE-3 share: a small head that drafts a level at a time."""

from typing import Protocol

from specmodel.methods._by_depth import tree_proposal
from specmodel.model.costs import DraftCost
from specmodel.serving.proposal import Proposal


class Head(Protocol):
    """The parameters that such a head has."""

    @property
    def first_acceptance(self) -> float:
        """Chance of the likeliest candidate for the first draft."""

    @property
    def later_acceptance(self) -> float:
        """The same for each later draft."""

    @property
    def next_candidate(self) -> float:
        """Chance of the next candidate ÷ chance of the one before it."""

    @property
    def num_draft_tokens(self) -> int:
        """Drafts in the tree."""

    @property
    def depth(self) -> int:
        """Levels of the tree."""

    @property
    def draft_cost_ratio(self) -> float:
        """Cost of a step of the head in plain target steps."""

    @property
    def drafting_ms(self) -> float:
        """What drafting takes beside that, once a round."""


def propose(values: Head) -> Proposal:
    """A round of such a head: the best tree of its size, drafted level by level.

    >>> from specmodel.methods.eagle3 import Eagle3
    >>> round(propose(Eagle3()).tau, 2)
    6.13
    """
    levels = min(values.num_draft_tokens, values.depth)
    cost = DraftCost(ratio=values.draft_cost_ratio, ms=values.drafting_ms / levels)
    first, later = values.first_acceptance, values.later_acceptance
    return tree_proposal(first, later, values.next_candidate, values.num_draft_tokens, values.depth, cost)
