"""Draft trees. The dynamic programme and the enumerations here are written independently of the code they check."""

from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.model.acceptance import Acceptance
from specmodel.model.best_tree import best_tree, expected_tokens, path_probabilities, tree_acceptance
from specmodel.model.draft_tree import MAX_NODES, DraftTree, layout

ISSUE_VECTOR = (0.6341829, 0.1079460, 0.0569715, 0.0224888, 0.0194903, 0.0149925, 0.0044978, 0.0029985)


WRONG: list[Any] = [0.5, "{x}", [0], 2.5]


def best_expected_tokens(nodes, levels, rates):
    return expected_tokens(best_tree(nodes, levels, rates), rates)


@st.composite
def trees(draw, most=12):
    parents, ranks, taken = [-1], [0], set()
    for node in range(1, draw(st.integers(1, most))):
        parent = draw(st.integers(0, node - 1))
        rank = draw(st.sampled_from([rank for rank in range(1, max(20, most) + 1) if (parent, rank) not in taken]))
        taken.add((parent, rank))
        parents.append(parent)
        ranks.append(rank)
    return DraftTree(tuple(parents), tuple(ranks))


def vectors(size):
    """Chances by rank that add up to 1 at most, in any order; the last share is that of no candidate."""
    weights = st.lists(st.integers(0, 100), min_size=size + 1, max_size=size + 1).filter(any)
    return weights.map(lambda drawn: [weight / sum(drawn) for weight in drawn[:-1]])


def per_depth(size, depth):
    return st.lists(vectors(size), min_size=depth, max_size=depth)


@given(trees())
def test_children_and_parents_agree(tree):
    for parent, below in enumerate(tree.children):
        assert all(tree.parents[node] == parent and tree.depths[node] == tree.depths[parent] + 1 for node in below)
        assert [tree.ranks[node] for node in below] == sorted(tree.ranks[node] for node in below)
    assert sum(map(len, tree.children)) == tree.num_draft_tokens == tree.num_nodes - 1
    assert tree.depth == max(tree.depths)


@given(st.lists(st.integers(1, 4), max_size=4))
def test_a_full_tree_has_every_node(branching):
    tree = DraftTree.full(branching)
    assert tree.num_nodes == sum(np.prod(branching[:level], dtype=int) for level in range(len(branching) + 1))
    assert tree.depth == len(branching)
    for node, below in enumerate(tree.children):
        width = 0 if tree.depths[node] == len(branching) else branching[tree.depths[node]]
        assert [tree.ranks[child] for child in below] == list(range(1, width + 1))


@given(trees(), st.randoms())
def test_a_tree_comes_back_from_its_paths(tree, random):
    paths = [()]
    for node in range(1, tree.num_nodes):
        paths.append((*paths[tree.parents[node]], tree.ranks[node] - 1))
    leaves = [path for node, path in enumerate(paths) if not tree.children[node]]
    random.shuffle(leaves)
    rates = [1 / 20] * 20
    again = DraftTree.from_paths(leaves)
    assert sorted(path_probabilities(again, rates)) == sorted(path_probabilities(tree, rates))
    assert again == DraftTree.from_paths(paths)
    assert sorted(zip(again.depths, again.ranks, strict=True)) == sorted(zip(tree.depths, tree.ranks, strict=True))


def test_the_root_alone_is_a_tree():
    root = DraftTree((-1,), (0,))
    assert root == DraftTree.chain(0) == DraftTree.full([]) == DraftTree.from_paths([]) == DraftTree.from_paths([()])
    assert (root.depth, root.num_draft_tokens, expected_tokens(root, [])) == (0, 0, 1)
    assert tree_acceptance(root, [0.5]).num_speculative_tokens == 0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: DraftTree((), ()), "Nodes of the tree, root counted = 0 is not a whole number from 1 to 4,096"),
        (lambda: DraftTree((-1, 0), (0,)), "2 nodes needs as many ranks; got 1"),
        (lambda: DraftTree((0,), (0,)), "expected parent -1 and rank 0; got 0 and 0"),
        (lambda: DraftTree((-1,), (1,)), "expected parent -1 and rank 0; got -1 and 1"),
        (lambda: DraftTree((-1, 1), (0, 1)), "node 1 has parent 1: expected a node before it, 0 to 0"),
        (lambda: DraftTree((-1, 2, 1), (0, 1, 1)), "node 1 has parent 2: expected a node before it"),
        (lambda: DraftTree((-1, -1), (0, 1)), "node 1 has parent -1"),
        (lambda: DraftTree((-1, 0), (0, 0)), "node 1 has rank 0: expected 1 or more"),
        (lambda: DraftTree((-1, 0, 0), (0, 2, 2)), "two children of node 0 have rank 2"),
        (lambda: DraftTree((-1, WRONG[0]), (0, 1)), "parents[1] = 0.5 is not a whole number"),
        (lambda: DraftTree((-1, 0), (0, WRONG[1])), "ranks must be numbers; got [0, '{x}']"),
        (lambda: DraftTree.chain(-1), "Draft tokens in a chain = -1 is not a whole number from 0 to 4,095"),
        (lambda: DraftTree.full([2, 0]), "Children of a node[1] = 0.0 is not a whole number from 1 to 4,096"),
        (lambda: DraftTree.full([64, 64]), "root counted = 4161 is not a whole number from 1 to 4,096"),
        (lambda: DraftTree.from_paths([(0,), (0, -1)]), "paths[1] = -1.0 is not a whole number from 0 to 4,096"),
        (lambda: DraftTree.from_paths(WRONG[2]), "paths = 0 is not a whole number from 0 to 4,096"),
        (lambda: best_tree(0, 3, [0.5]), "Nodes of the tree, root counted = 0 is not a whole number from 1 to 4,096"),
        (lambda: best_tree(3, 0, [0.5]), "Levels of the tree, root counted = 0 is not a whole number"),
        (lambda: best_tree(MAX_NODES + 1, 3, [0.5]), "= 4097 is not a whole number from 1 to 4,096"),
        (lambda: best_tree(WRONG[3], 3, [0.5]), "root counted = 2.5 is not a whole number"),
    ],
)
def test_what_is_no_tree_is_refused(make, says):
    with pytest.raises(SpecmodelError) as refused:
        make()
    assert says in str(refused.value)
    assert isinstance(refused.value, SpecmodelError)


@pytest.mark.parametrize(
    "rates", [[0.5, 0.6], [-0.1, 0.2], [1.1], [float("nan")], [float("inf")], ["a"], [[0.5], [0.7, 0.4]], [[[0.5]]]]
)
def test_chances_that_are_none_are_refused(rates):
    for ask in (path_probabilities, expected_tokens, tree_acceptance):
        with pytest.raises(SpecmodelError, match="add up to 1 at most; got"):
            ask(DraftTree.chain(2), rates)
    with pytest.raises(SpecmodelError, match="add up to 1 at most; got"):
        best_tree(4, 3, rates)


def test_unknown_chances_are_not_filled_in():
    with pytest.raises(SpecmodelError, match="node 3 has rank 3: acceptance_by_rank knows 1 to 2 at depth 1"):
        expected_tokens(DraftTree.full([3]), [0.5, 0.2])
    with pytest.raises(SpecmodelError, match="the tree has 3 levels of drafts, but acceptance_by_rank only 2"):
        expected_tokens(DraftTree.chain(3), [[0.5], [0.5]])


@given(st.floats(0, 1), st.integers(0, 12))
def test_a_chain_is_plain_speculation(alpha, k):
    chain = DraftTree.chain(k)
    plain = Acceptance.iid(alpha, k)
    assert tree_acceptance(chain, [alpha]).per_position_acceptance == pytest.approx(plain.per_position_acceptance)
    assert expected_tokens(chain, [alpha]) == pytest.approx(plain.mean_acceptance_length)


@given(st.integers(1, 4).flatmap(vectors), st.integers(0, 4))
def test_a_full_tree_is_a_chain_of_its_levels(vector, depth):
    """A level of all b candidates is left with chance p_1 + … + p_b, whatever the path: tau = 1 + P + P² + …"""
    tree = DraftTree.full([len(vector)] * depth)
    whole = min(sum(vector), 1)
    assert tree_acceptance(tree, vector).per_position_acceptance == pytest.approx(
        [whole**level for level in range(1, depth + 1)]
    )


@given(trees(), per_depth(20, 12))
def test_the_acceptance_of_a_tree_is_a_distribution_with_its_tokens(tree, rates):
    for given_rates in (rates, rates[0], np.array(rates)):
        acceptance = tree_acceptance(tree, given_rates)
        assert acceptance.num_speculative_tokens == tree.depth
        assert acceptance.pmf.min() >= 0
        assert acceptance.mean_acceptance_length == pytest.approx(expected_tokens(tree, given_rates))


def test_played_rounds_accept_as_computed():
    tree, rates = best_tree(12, 4, ISSUE_VECTOR), np.array(ISSUE_VECTOR)
    random, rounds, kept = np.random.default_rng(3), 4000, np.zeros(5, dtype=int)
    for _ in range(rounds):
        node = 0
        for wanted in 1 + np.searchsorted(rates.cumsum(), random.random(4), side="right"):
            offered = {tree.ranks[child]: child for child in tree.children[node]}
            if wanted not in offered:
                break
            node = offered[wanted]
        kept[tree.depths[node]] += 1
    expected = np.zeros(5)
    pmf = tree_acceptance(tree, ISSUE_VECTOR).pmf
    expected[: pmf.size] = pmf
    assert np.all(np.abs(kept / rounds - expected) <= 4 * np.sqrt(expected * (1 - expected) / rounds) + 1e-12)


# The best tree


@pytest.mark.parametrize(("nodes", "levels", "tokens"), [(8, 3, 2.374), (16, 4, 2.865), (32, 9, 3.501)])
def test_the_values_that_the_issue_asks_for(nodes, levels, tokens):
    assert round(best_expected_tokens(nodes, levels, ISSUE_VECTOR), 3) == tokens


def test_more_levels_add_nothing_to_32_nodes():
    nine = best_expected_tokens(32, 9, ISSUE_VECTOR)
    assert best_expected_tokens(32, 8, ISSUE_VECTOR) < nine
    assert best_expected_tokens(32, 40, ISSUE_VECTOR) == nine
    assert best_tree(32, 40, ISSUE_VECTOR).depth == 8


def sequoia(nodes, levels, by_depth):
    """T[n, b] of Sequoia's Alg. 1, with the depth as a third index: the first b children of a node hold the rest."""

    @cache
    def below(n, depth, b):
        """Most tokens of n nodes whose root lies at that depth and has exactly its first b children; or no tree."""
        if b == 0:
            return 1.0 if n == 1 else -np.inf
        chance = by_depth[depth][b - 1]
        return max(
            (below(n - m, depth, b - 1) + chance * best(m, depth + 1) for m in range(1, n - b + 1)), default=-np.inf
        )

    @cache
    def best(n, depth):
        widest = len(by_depth[depth]) if depth + 1 < levels else 0
        return max(below(n, depth, b) for b in range(min(n - 1, widest) + 1))

    return max(best(n, 0) for n in range(1, nodes + 1))


@given(per_depth(4, 4), st.integers(1, 14), st.integers(1, 5))
def test_falling_chances_give_what_the_dynamic_programme_gives(rates, nodes, levels):
    falling = [sorted(vector, reverse=True) for vector in rates]
    assert best_expected_tokens(nodes, levels, falling) == pytest.approx(sequoia(nodes, levels, falling))
    same = [falling[0]] * 4
    assert best_expected_tokens(nodes, levels, falling[0]) == pytest.approx(sequoia(nodes, levels, same))


@pytest.mark.parametrize(("nodes", "levels"), [(8, 3), (16, 4), (32, 9), (24, 24)])
def test_the_dynamic_programme_agrees_on_the_vector_of_the_issue(nodes, levels):
    expected = sequoia(nodes, levels, [ISSUE_VECTOR] * levels)
    assert best_expected_tokens(nodes, levels, ISSUE_VECTOR) == pytest.approx(expected, abs=1e-12)


def every_tree(nodes, levels, widest):
    """Every tree of some nodes, as a choice among all paths; few enough only for small trees."""
    paths = [path for depth in range(1, levels) for path in product(range(widest), repeat=depth)]
    for chosen in combinations(paths, nodes - 1):
        if all(path[:-1] in chosen or len(path) == 1 for path in chosen):
            yield DraftTree.from_paths(chosen)


SMALL_TREES = {(nodes, levels): list(every_tree(nodes, levels, 2)) for nodes in range(1, 6) for levels in range(1, 5)}


@given(per_depth(2, 3), st.sampled_from(sorted(SMALL_TREES)))
def test_no_small_tree_is_better(rates, size):
    assume(SMALL_TREES[size])
    for given_rates in (rates, rates[0]):
        most = max(expected_tokens(tree, given_rates) for tree in SMALL_TREES[size])
        assert best_expected_tokens(size[0], size[1], given_rates) == pytest.approx(most)


@given(st.integers(1, 30), st.integers(1, 8), st.integers(1, 5).flatmap(lambda ranks: per_depth(ranks, 7)))
def test_best_trees_keep_to_their_size_and_lie_inside_each_other(nodes, levels, rates):
    whole = best_tree(nodes, levels, rates)
    assert whole.num_nodes <= nodes and whole.depth < levels
    products = path_probabilities(whole, rates)
    assert products.min() > 0 and np.all(np.diff(products) <= 1e-12)
    for fewer in range(1, whole.num_nodes):
        assert best_tree(fewer, levels, rates) == DraftTree(whole.parents[:fewer], whole.ranks[:fewer])


def test_a_best_tree_ends_where_nothing_more_can_be_accepted():
    assert best_tree(50, 50, [0, 0]).num_nodes == 1
    assert best_tree(50, 3, [0.5, 0.2]).num_nodes == 7
    assert best_tree(50, 9, [[0.5], [0.5, 0.1]]) == DraftTree.from_paths([(0, 0), (0, 1)])
    assert best_tree(3, 3, [0.2, 0.6]).ranks == (0, 2, 2)


# Places to draw at


@given(trees(most=30))
def test_nodes_do_not_lie_on_each_other(tree):
    x, depth = layout(tree)
    assert len(set(zip(x.tolist(), depth.tolist(), strict=True))) == tree.num_nodes
    leaves = [node for node in range(tree.num_nodes) if not tree.children[node]]
    assert sorted(x[leaves]) == list(range(len(leaves)))


@given(trees(most=30))
def test_parents_lie_above_the_middle_and_children_by_rank(tree):
    x, depth = layout(tree)
    assert depth.tolist() == list(tree.depths)
    for node, below in enumerate(tree.children):
        places = [x[child] for child in below]
        assert places == sorted(places)
        assert not places or x[node] == (places[0] + places[-1]) / 2
