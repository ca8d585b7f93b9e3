"""The draft tree of the Methods page: the best one of n nodes and d levels, drawn, and what it is worth."""

from specmodel.dashboard.parts.answer import Chart, Parts, Text
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.tree import tree_figure
from specmodel.methods import Choice, drawn_tree
from specmodel.model.best_tree import SEQUOIA, AcceptanceByRank, best_tree, expected_tokens
from specmodel.model.draft_tree import DraftTree


def tree_parts(choice: Choice, chosen: Chosen, translate: Translator) -> Parts:
    """The best tree of the chosen size for the method's candidates, or for Sequoia's published vector."""
    _, candidates = translate, drawn_tree(choice)
    by_rank: AcceptanceByRank = SEQUOIA if candidates is None else candidates
    name = _("Sequoia's published vector (arXiv 2402.12374)") if candidates is None else _(choice.method.label)
    tree = best_tree(chosen.option("nodes"), chosen.option("levels"), by_rank)
    lines = [_("Candidates of: {name}.").format(name=name), *_tree_words(tree, by_rank, _)]
    return {
        "tree_words": Text("\n\n".join(lines)),
        "tree": lambda: Chart(
            tree_figure(tree, by_rank, _),
            _("Its best shape"),
            _("The draft tree from the root down; larger nodes are accepted more often."),
        ),
    }


def _tree_words(tree: DraftTree, by_rank: AcceptanceByRank, translate: Translator) -> list[str]:
    """What the tree gives, beside a chain through the same levels."""
    _ = translate
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
