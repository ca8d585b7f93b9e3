"""Several drafts of one round that know nothing of each other: how many more tokens they bring.

Drawn at one position, they help less than independent trials would; as whole chains, of which the longest accepted
beginning counts, they are such trials.
"""

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_
from specmodel.base.numbers import distributions, whole_number
from specmodel.model.acceptance import Acceptance
from specmodel.model.draft_tree import MAX_NODES


def recursive_rejection(target_probs: ArrayLike, draft_probs: ArrayLike, num_drafts: int) -> Floats:
    """Chance that draft r of K independent ones is the accepted one: the positional acceptance of a draft tree.

    The K drafts of one position are drawn from draft_probs and tried in turn (recursive rejection sampling, SpecInfer,
    arXiv 2305.09781; Sequoia draws without replacement instead). Draft r is accepted with chance
    min(1, residual ÷ draft_probs) of its token, so with a_r = Σ min(residual, draft_probs) overall. The residual is
    target_probs at first, and after each rejection what is left of it:

        residual ← normalised max(0, residual − draft_probs)

    The residual does not depend on the token that was rejected, so p_r = a_r · Π over i < r of (1 − a_i) is exact
    (derived here). Shape (K,); usable as `acceptance_by_rank`.

    >>> recursive_rejection([0.5, 0.5, 0], [0, 0.5, 0.5], 2).tolist()
    [0.5, 0.0]
    """
    target, draft = (probs / probs.sum() for probs in distributions(target_probs, draft_probs))
    by_draft = np.zeros(whole_number(num_drafts, N_("Drafts at one position"), 1, MAX_NODES))
    rejected, residual = 1.0, target
    for index in range(by_draft.size):
        accepted = min(float(np.minimum(residual, draft).sum()), 1.0)
        by_draft[index] = rejected * accepted
        rejected *= 1 - accepted
        left = np.maximum(residual - draft, 0)
        if not left.sum() > 0:
            break
        residual = left / left.sum()
    return by_draft


def recursive_rejection_acceptance(target_probs: ArrayLike, draft_probs: ArrayLike, num_drafts: int) -> float:
    """Chance that one of K independent drafts at one position is accepted, by recursive rejection; exact.

    It never exceeds 1 − (1 − a)^K with a = Σ min(target_probs, draft_probs), and often lies far below. A draft is
    rejected with chance Σ max(0, draft_probs − residual). After a rejection nothing is left of the residual on the
    tokens that the drafter overrates, so there the sum can only grow; it had no other terms before. Each further draft
    is thus accepted with a chance of at most a (derived here).

    >>> round(recursive_rejection_acceptance([0.5, 0.3, 0.2], [0.1, 0.1, 0.8], 2), 3), 1 - (1 - 0.4) ** 2
    (0.52, 0.64)
    """
    return float(recursive_rejection(target_probs, draft_probs, num_drafts).sum())


def lookahead_acceptance(alpha: float, num_speculative_tokens: int, num_chains: int) -> Acceptance:
    """Accepted drafts of a round with b independent chains of k drafts each, of which the longest beginning is kept.

    Each draft is accepted with chance alpha, given those before it in its chain. A chain keeps at least i drafts with
    chance alpha^i, and at least one of b chains does with

        S_i = 1 − (1 − alpha^i)^b

    so tokens per round are (k + 1) − Σ over i = 1 … k of (1 − alpha^i)^b (Lookahead decoding, Fu et al. 2024,
    arXiv 2402.02057; derived here).

    >>> lookahead_acceptance(0.5, 2, 2).per_position_acceptance
    (0.75, 0.4375)
    """
    chains = whole_number(num_chains, N_("Chains of drafts"), 1, MAX_NODES)
    one = Acceptance.iid(alpha, whole_number(num_speculative_tokens, N_("Drafts in a chain"), 0, MAX_NODES))
    return Acceptance.from_per_position((1 - (1 - np.array(one.per_position_acceptance)) ** chains).tolist())
