"""Acceptance by depth from few numbers: a first and a later chance, and how fast further candidates fall behind."""

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.model.acceptance import Acceptance
from specmodel.model.best_tree import best_tree, tree_acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.proposal import Proposal

RANKS = 10
"""Candidates of a position that are looked at: EAGLE-2 and EAGLE-3 take the ten likeliest of each node."""


def two_chances(first: float, later: float, num_speculative_tokens: int) -> Acceptance:
    """One chance for the first draft and one for each later one: S_j = first · later^(j − 1).

    Tokens per round are 1 + first·(1 − later^k) ÷ (1 − later), the hit rate × run length of a lookup.

    >>> two_chances(0.5, 0.8, 2).per_position_acceptance
    (0.5, 0.4)
    """
    return Acceptance.from_conditional(([first] + [later] * num_speculative_tokens)[:num_speculative_tokens])


def falling_chances(first: float, second: float, factor: float, num_speculative_tokens: int) -> Acceptance:
    """One chance for the first draft, one for the second, and a factor from each further position to the next.

        a_1 = first,  a_2 = second,  a_i = min(1, second · factor^(i − 2))

    With a factor below 1 acceptance falls with the position; with 1 it is that of one later chance. A shape with three
    numbers that reproduces what was published by position of drafters that read their own drafts (derived here).

    >>> [round(share, 2) for share in falling_chances(0.92, 0.7391, 0.7561, 3).per_position_acceptance]
    [0.92, 0.68, 0.38]
    """
    later = [min(1.0, second * factor**place) for place in range(num_speculative_tokens)]
    return Acceptance.from_conditional([first, *later][:num_speculative_tokens])


def candidates(first: float, later: float, next_candidate: float, depth: int) -> Floats:
    """The chances by rank of each level, shape (depth, ranks): each candidate is less likely by the same factor.

    p_r = p_1 · next^(r − 1), cut where they would add up to more than 1. A shape with one number that reproduces the
    published trees of different sizes (derived here).

    >>> [level[:3].round(3).tolist() for level in candidates(0.8, 0.7, 0.1, 2)]
    [[0.8, 0.08, 0.008], [0.7, 0.07, 0.007]]
    """
    falling = next_candidate ** np.arange(RANKS)
    together = [np.minimum(np.cumsum(best * falling), 1 - 1e-12) for best in [first] + [later] * (depth - 1)]
    return np.diff(np.array(together), prepend=0.0)


def tree_proposal(
    first: float, later: float, next_candidate: float, num_draft_tokens: int, depth: int, draft: DraftCost
) -> Proposal:
    """A round with the best tree of so many drafts in so many levels; a chain where there are no more than levels.

    >>> tree_proposal(0.5, 0.5, 0.2, 2, 4, DraftCost()).tau
    1.75
    """
    if num_draft_tokens <= depth:
        chain = two_chances(first, later, num_draft_tokens)
        return Proposal(chain, num_draft_tokens, num_draft_tokens + 1, draft, num_draft_tokens)
    by_rank = candidates(first, later, next_candidate, depth)
    tree = best_tree(num_draft_tokens + 1, depth + 1, by_rank)
    return Proposal(tree_acceptance(tree, by_rank), tree.num_draft_tokens, tree.num_nodes, draft, tree.depth)
