"""What draft trees bring: tokens per round of a given tree, and the best tree of a size.

The chances are Sequoia's positional acceptance (Chen et al. 2024, arXiv 2402.12374, Def. 3.1 to 3.3): given that a node
was accepted, its child of rank r (the drafter's r-th candidate) is the accepted one with chance p_r. At most one child
is, so p_1 + p_2 + … ≤ 1. A node is then accepted in a share of the rounds that is the product of the p on its path.
"""

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.base.numbers import whole_number
from specmodel.model.acceptance import Acceptance
from specmodel.model.draft_tree import MAX_NODES, NODES, DraftTree

AcceptanceByRank = Sequence[float] | Sequence[Sequence[float]] | Floats
"""p_1, p_2, … by rank: one vector for every depth, or one vector for each depth (heads of Medusa differ by depth)."""

SEQUOIA = (0.6341829, 0.1079460, 0.0569715, 0.0224888, 0.0194903, 0.0149925, 0.0044978, 0.0029985)
"""p_1 … p_8 of a published drafter: the first eight children in `acceptance-rate-vector.pt`, which comes with the code
of Sequoia (Chen et al. 2024, arXiv 2402.12374)."""

LEVELS = N_("Levels of the tree, root counted")


def path_probabilities(tree: DraftTree, acceptance_by_rank: AcceptanceByRank) -> Floats:
    """Share of rounds in which each node is accepted: the product of the chances on its path, 1 at the root.

    This is f(v) of Sequoia (Prop. 3.4). Medusa multiplies the accuracies of its heads in the same way
    (arXiv 2401.10774, App. C). Shape (num_nodes,).

    >>> path_probabilities(DraftTree.full([2, 1]), [0.5, 0.25]).tolist()
    [1.0, 0.5, 0.25, 0.25, 0.125]
    """
    by_depth = _by_depth(acceptance_by_rank, tree.depth)
    if len(by_depth) < tree.depth:
        message = "the tree has {depth} levels of drafts, but acceptance_by_rank only {known}"
        raise SpecmodelError(Message(message, {"depth": tree.depth, "known": len(by_depth)}))
    product = np.ones(tree.num_nodes)
    for node in range(1, tree.num_nodes):
        chances, rank = by_depth[tree.depths[node] - 1], tree.ranks[node]
        if rank > chances.size:
            message = "node {node} has rank {rank}: acceptance_by_rank knows 1 to {known} at depth {depth}"
            values = {"node": node, "rank": rank, "known": chances.size, "depth": tree.depths[node]}
            raise SpecmodelError(Message(message, values))
        product[node] = product[tree.parents[node]] * chances[rank - 1]
    return product


def expected_tokens(tree: DraftTree, acceptance_by_rank: AcceptanceByRank) -> float:
    """Tokens per round of a draft tree: its nodes, each counted by the share of rounds that accept it.

        F = Σ over nodes of the product of the chances on the path

    The root counts 1 and stands for the token that the target adds itself (Sequoia, Prop. 3.4).

    >>> expected_tokens(DraftTree.full([2, 1]), [0.5, 0.25])
    2.125
    """
    return float(path_probabilities(tree, acceptance_by_rank).sum())


def tree_acceptance(tree: DraftTree, acceptance_by_rank: AcceptanceByRank) -> Acceptance:
    """Accepted drafts of a round with a tree: S_j is the sum of the path products at depth j.

    No two nodes of one depth are accepted in the same round, because siblings exclude each other; so their shares add
    up (derived here). A position is a depth here: what is verified, and wasted, is every node of the tree.

    >>> tree_acceptance(DraftTree.full([2, 1]), [0.5, 0.25]).per_position_acceptance
    (0.75, 0.375)
    """
    shares = np.bincount(tree.depths, weights=path_probabilities(tree, acceptance_by_rank))
    never_rising = np.minimum.accumulate(shares)  # sums of floats may rise by one ulp
    return Acceptance.from_per_position(never_rising[1:].tolist())


def best_tree(num_nodes: int, levels: int, acceptance_by_rank: AcceptanceByRank) -> DraftTree:
    """The tree of at most `num_nodes` nodes in at most `levels` levels (both with the root) with the most tokens.

    It holds the nodes with the largest path products. No tree of that size can have more, and these nodes are a tree:
    a chance is at most 1, so a parent's product is never below that of its child (derived here; where the chances fall
    with the rank, it equals the dynamic programme of Sequoia, Alg. 1). That holds for one vector and for one vector
    for each depth, which also limits the depth.

    The nodes come by falling product, so the first m of them are the best tree of m nodes. Nodes that are never
    accepted are left out.

    >>> best_tree(4, 3, [0.6, 0.3]).parents
    (-1, 0, 1, 0)
    """
    depth = min(whole_number(num_nodes, NODES, 1, MAX_NODES), whole_number(levels, LEVELS, 1, MAX_NODES)) - 1
    by_depth = _by_depth(acceptance_by_rank, depth)[:depth]
    by_chance = [np.argsort(-chances, kind="stable") for chances in by_depth]
    parents, ranks = [-1], [0]
    waiting: list[tuple[float, int, int, int, float]] = []

    def offer(parent: int, depth: int, place: int, product: float) -> None:
        """Put a child on the heap: the one at `place` by falling chance, below a node with that product."""
        if depth <= len(by_depth) and place < by_depth[depth - 1].size:
            chance = product * float(by_depth[depth - 1][by_chance[depth - 1][place]])
            if chance > 0:
                heapq.heappush(waiting, (-chance, depth, parent, place, product))

    offer(0, 1, 0, 1.0)
    while waiting and len(parents) < num_nodes:
        negative, depth, parent, place, product = heapq.heappop(waiting)
        parents.append(parent)
        ranks.append(int(by_chance[depth - 1][place]) + 1)
        offer(len(parents) - 1, depth + 1, 0, -negative)
        offer(parent, depth, place + 1, product)
    return DraftTree(tuple(parents), tuple(ranks))


def _by_depth(acceptance_by_rank: AcceptanceByRank, depth: int) -> list[Floats]:
    """The vector of each depth from 1; one vector alone holds at every depth."""
    rows = list(acceptance_by_rank)
    if any(np.iterable(row) for row in rows):
        return [_chances(row) for row in rows]
    return [_chances(rows)] * depth


def _chances(values: ArrayLike) -> Floats:
    try:
        chances = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        chances = np.array([np.nan])
    if chances.ndim != 1 or not np.all(chances >= 0) or not chances.sum() <= 1 + 1e-9:
        message = "acceptance_by_rank must be chances of 0 or more that add up to 1 at most; got {values}"
        raise SpecmodelError(Message(message, {"values": Verbatim(repr(values)[:80])}))
    return chances
