"""The candidates that a method's tree is made of, so that it can be drawn and built larger or smaller."""

from collections.abc import Sequence

from specmodel.base.arrays import Floats
from specmodel.methods._by_depth import candidates
from specmodel.methods._method import Choice


def drawn_tree(choice: Choice) -> Sequence[Sequence[float]] | Floats | None:
    """Chances by rank of each level of the method's tree; None where it drafts no tree.

    >>> from specmodel.methods import Task, find
    >>> drawn_tree(find("ngram").choose(Task())) is None
    True
    >>> len(drawn_tree(find("eagle3").choose(Task())))
    8
    """
    values = choice.values
    by_rank = getattr(values, "by_rank", None)
    if by_rank is not None:
        found: Sequence[Sequence[float]] | Floats = by_rank
        return found
    if not hasattr(values, "next_candidate"):
        return None
    return candidates(values.first_acceptance, values.later_acceptance, values.next_candidate, values.depth)
