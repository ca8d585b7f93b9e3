"""The draft tree of the Methods page: the best one of n nodes and d levels, drawn, and what it is worth."""

from collections.abc import Sequence

import streamlit as st

from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.options import OPTIONS
from specmodel.figures.tree import tree_figure
from specmodel.methods import MethodRow, drawn_tree
from specmodel.model.best_tree import SEQUOIA, AcceptanceByRank, best_tree, expected_tokens
from specmodel.model.draft_tree import DraftTree


def tree_section(page: Page, rows: Sequence[MethodRow]) -> None:
    """The best tree of n nodes and d levels for the chosen method's candidates, or for Sequoia's published vector."""
    _ = page.translate
    choice = next(each for each in rows if each.method.key == state.option("look")).choice
    found = drawn_tree(choice)
    by_rank: AcceptanceByRank = SEQUOIA if found is None else found
    name = _(choice.method.label) if found is not None else _("Sequoia's published vector (arXiv 2402.12374)")
    st.subheader(_("The draft tree"), anchor=False)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        with st.container(horizontal=True):
            _size(page, "nodes", _("Nodes, root counted"))
            _size(page, "levels", _("Levels, root counted"))
        tree = best_tree(int(state.option("nodes")), int(state.option("levels")), by_rank)
        lines = [_("Candidates of: {name}.").format(name=name), *_tree_words(page, tree, by_rank)]
        st.markdown("\n\n".join(lines))
        page.shown.notes += [line.replace("**", "") for line in lines]
    with right:
        alt = _("The draft tree from the root down; larger nodes are accepted more often.")
        page.chart(tree_figure(tree, by_rank, _), "tree", _("Its best shape"), alt, height=380)


def _size(page: Page, key: str, label: str) -> None:
    allowed = OPTIONS[key].values
    if isinstance(allowed, range):
        st.number_input(
            label, min_value=allowed[0], max_value=allowed[-1], step=1, key=key, persist_state="session", width=170
        )


def _tree_words(page: Page, tree: DraftTree, by_rank: AcceptanceByRank) -> list[str]:
    """What the tree gives, beside a chain through the same levels."""
    _ = page.translate
    best = _("The best tree of {nodes} nodes in {levels} levels emits **{tokens:.3f}** tokens a round on average.")
    chain = _("A chain through the same levels emits {tokens:.3f}.")
    tokens = expected_tokens(DraftTree.chain(tree.depth), by_rank)
    return [
        best.format(nodes=tree.num_nodes, levels=tree.depth + 1, tokens=expected_tokens(tree, by_rank)),
        chain.format(tokens=tokens),
        _(
            "A tree checks all its nodes in one pass: under load each of them costs. Siblings exclude each other, so "
            "their chances add up; independent drafts of one position are accepted less often than 1 − (1 − α)^K."
        ),
    ]
