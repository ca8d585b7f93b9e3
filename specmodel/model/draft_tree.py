"""Draft trees: several candidates for one position, of which the target keeps the path that it agrees with."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim

MAX_NODES = 4096
NODES = N_("Nodes of the tree, root counted")


class TreeError(SpecmodelError):
    """Nodes that form no draft tree, or chances that do not fit one."""


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
        object.__setattr__(self, "parents", _whole(self.parents, "parents"))
        object.__setattr__(self, "ranks", _whole(self.ranks, "ranks"))
        within(len(self.parents), NODES)
        if len(self.ranks) != len(self.parents):
            message = "a tree of {nodes} nodes needs as many ranks; got {ranks}"
            raise TreeError(Message(message, {"nodes": len(self.parents), "ranks": len(self.ranks)}))
        if (self.parents[0], self.ranks[0]) != (-1, 0):
            message = "node 0 is the root: expected parent -1 and rank 0; got {parent} and {rank}"
            raise TreeError(Message(message, {"parent": self.parents[0], "rank": self.ranks[0]}))
        self._check_nodes()

    def _check_nodes(self) -> None:
        taken = set()
        for node, place in enumerate(zip(self.parents[1:], self.ranks[1:], strict=True), start=1):
            values = {"node": node, "parent": place[0], "rank": place[1], "last": node - 1}
            if not 0 <= place[0] < node:
                message = "node {node} has parent {parent}: expected a node before it, 0 to {last}"
                raise TreeError(Message(message, values))
            if place[1] < 1:
                raise TreeError(Message("node {node} has rank {rank}: expected 1 or more", values))
            if place in taken:
                raise TreeError(Message("two children of node {parent} have rank {rank}", values))
            taken.add(place)

    @classmethod
    def chain(cls, num_speculative_tokens: int) -> "DraftTree":
        """The chain of k drafts, each the likeliest candidate: speculation without branches.

        >>> DraftTree.chain(3).parents
        (-1, 0, 1, 2)
        """
        return cls.full([1] * within(num_speculative_tokens, N_("Draft tokens in a chain"), low=0, high=MAX_NODES - 1))

    @classmethod
    def full(cls, branching: Sequence[int]) -> "DraftTree":
        """The tree in which every node of level i has branching[i] children, the root being level 0.

        >>> DraftTree.full([4, 2, 1]).num_nodes
        21
        """
        parents, ranks, level = [-1], [0], range(1)
        for width in _whole(branching, "branching"):
            within(width, N_("Children of a node"))
            within(len(parents) + len(level) * width, NODES)
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
            steps = _whole(path, "paths")
            if any(step < 0 for step in steps):
                raise TreeError(Message("paths count from 0; got {values}", {"values": Verbatim(steps)}))
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


def layout(tree: DraftTree) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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


def _whole(values: Iterable[int], name: str) -> tuple[int, ...]:
    try:
        return tuple(operator.index(value) for value in values)
    except TypeError:
        message = "{name} must be whole numbers; got {values}"
        raise TreeError(Message(message, {"name": name, "values": Verbatim(repr(values)[:40])})) from None


def within(value: int, label: str, *, low: int = 1, high: int = MAX_NODES) -> int:
    """The value, if it is a whole number in that range; the label says in an error what it is.

    >>> within(3, "Nodes")
    3
    """
    (whole,) = _whole([value], label)
    if not low <= whole <= high:
        message = "{value} is outside {low} to {high} ({label})"
        raise TreeError(Message(message, {"value": whole, "low": low, "high": high, "label": label}))
    return whole
