"""Draft trees: several candidates for one position, of which the target keeps the path that it agrees with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.numbers import outside, whole_number, whole_numbers_between

MAX_NODES = 4096
NODES = N_("Nodes of the tree, root counted")


@dataclass(frozen=True)
class DraftTree:
    """A tree of draft tokens: `parents[i]` is the node above node i, `ranks[i]` its place among the candidates there.

    Node 0 is the root, the last token of the text so far (parent −1, rank 0); every other node comes after its parent
    and has a rank of 1 or more that no sibling has. Ranks may be left out: what a tree offers is a choice.

    >>> DraftTree(parents=(-1, 0, 0, 1), ranks=(0, 1, 2, 1)).depths
    (0, 1, 1, 2)
    """

    parents: tuple[int, ...]
    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parents", _whole(self.parents, "parents", -1))
        object.__setattr__(self, "ranks", _whole(self.ranks, "ranks", 0))
        whole_number(len(self.parents), NODES, 1, MAX_NODES)
        if len(self.ranks) != len(self.parents):
            message = "a tree of {nodes} nodes needs as many ranks; got {ranks}"
            raise SpecmodelError(Message(message, {"nodes": len(self.parents), "ranks": len(self.ranks)}))
        if (self.parents[0], self.ranks[0]) != (-1, 0):
            message = "node 0 is the root: expected parent -1 and rank 0; got {parent} and {rank}"
            raise SpecmodelError(Message(message, {"parent": self.parents[0], "rank": self.ranks[0]}))
        self._check_nodes()

    def _check_nodes(self) -> None:
        taken = set()
        for node, place in enumerate(zip(self.parents[1:], self.ranks[1:], strict=True), start=1):
            values = {"node": node, "parent": place[0], "rank": place[1], "last": node - 1}
            if not 0 <= place[0] < node:
                message = "node {node} has parent {parent}: expected a node before it, 0 to {last}"
                raise SpecmodelError(Message(message, values))
            if place[1] < 1:
                raise SpecmodelError(Message("node {node} has rank {rank}: expected 1 or more", values))
            if place in taken:
                raise SpecmodelError(Message("two children of node {parent} have rank {rank}", values))
            taken.add(place)

    @classmethod
    def chain(cls, num_speculative_tokens: int) -> "DraftTree":
        """The chain of k drafts, each the likeliest candidate: speculation without branches.

        >>> DraftTree.chain(3).parents
        (-1, 0, 1, 2)
        """
        return cls.full([1] * whole_number(num_speculative_tokens, N_("Draft tokens in a chain"), 0, MAX_NODES - 1))

    @classmethod
    def full(cls, branching: Sequence[int]) -> "DraftTree":
        """The tree in which every node of level i has branching[i] children, the root being level 0.

        >>> DraftTree.full([4, 2, 1]).num_nodes
        21
        """
        parents, ranks, level = [-1], [0], range(1)
        for width in _whole(branching, N_("Children of a node")):
            whole_number(len(parents) + len(level) * width, NODES, 1, MAX_NODES)
            first = len(parents)
            parents += [node for node in level for _ in range(width)]
            ranks += list(range(1, width + 1)) * len(level)
            level = range(first, len(parents))
        return cls(tuple(parents), tuple(ranks))

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[int]]) -> "DraftTree":
        """From the choices that Medusa lists: each path holds the candidate taken at every level, counted from 0.

        Nodes on the way that the list leaves out are added; the order of the list does not matter.

        >>> DraftTree.from_paths([(0,), (1,), (0, 0), (2, 1)]).num_nodes
        6
        """
        found: set[tuple[int, ...]] = {()}
        for path in paths:
            steps = _whole(path, "paths", 0)
            found |= {steps[:length] for length in range(1, len(steps) + 1)}
        wanted = sorted(found, key=lambda path: (len(path), path))
        number = {path: node for node, path in enumerate(wanted)}
        parents = tuple(number[path[:-1]] for path in wanted[1:])
        return cls((-1, *parents), (0, *(path[-1] + 1 for path in wanted[1:])))

    @property
    def num_nodes(self) -> int:
        """Nodes with the root: the tokens that one pass of the target verifies."""
        return len(self.parents)

    @property
    def num_draft_tokens(self) -> int:
        """Draft tokens of a round: the nodes without the root."""
        return self.num_nodes - 1

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Levels below the root, for each node."""
        depths = [0]
        for parent in self.parents[1:]:
            depths.append(depths[parent] + 1)
        return tuple(depths)

    @property
    def depth(self) -> int:
        """Levels below the root: the most drafts that one round can accept."""
        return max(self.depths)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node, by rank."""
        found: list[list[int]] = [[] for _ in self.parents]
        for node in sorted(range(1, self.num_nodes), key=self.ranks.__getitem__):
            found[self.parents[node]].append(node)
        return tuple(map(tuple, found))


def layout(tree: DraftTree) -> tuple[Floats, Ints]:
    """Places to draw the nodes at: (x, depth). Leaves are one apart, parents above the middle of their children.

    >>> [places.tolist() for places in layout(DraftTree.full([2, 1]))]
    [[0.5, 0.0, 1.0, 0.0, 1.0], [0, 1, 1, 2, 2]]
    """
    x = np.zeros(tree.num_nodes)
    waiting, order = [0], []
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(tree.children[order[-1]])
    leaves = [node for node in order if not tree.children[node]]
    x[leaves] = np.arange(len(leaves))
    for node in reversed(order):
        if below := tree.children[node]:
            x[node] = (x[below[0]] + x[below[-1]]) / 2
    return x, np.array(tree.depths)


def _whole(values: Iterable[int], name: str, low: int = 1) -> tuple[int, ...]:
    if not isinstance(values, Iterable):
        raise outside(name, values, low, MAX_NODES, whole=True)
    return tuple(whole_numbers_between(list(values), name, low, MAX_NODES).tolist())
