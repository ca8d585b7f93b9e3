"""A way of drafting at every length that it can be set to, and as the chain that a page without trees can hold."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from specmodel.base.params import declarations
from specmodel.methods._method import Choice, Method
from specmodel.model.acceptance import Acceptance
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.proposal import Proposal
from specmodel.serving.rounds_by_length import NOTHING_DRAFTED, ListedRounds


def draft_length(choice: Choice) -> int:
    """What the way of drafting is set to: k drafts in a row, of a tree all of its drafts; the longest of a suffix tree.

    >>> from specmodel.methods import Task, find
    >>> [draft_length(find(key).choose(Task())) for key in ("draft_model", "eagle3", "lookahead")]
    [5, 60, 4]
    """
    method = choice.method
    if not method.length:
        return choice.proposal.acceptance.num_speculative_tokens
    return int(getattr(choice.values, method.length)) - method.nothing_drafted


def rounds_by_length(choice: Choice) -> ListedRounds:
    """Rounds of every length up to 64 that the way of drafting can be set to, and of its own.

    A shorter or longer tree is the best one of so many drafts in no more levels; all else stays as it is. Where tokens
    per round were measured or the text decides the length, nothing is known of other lengths: off and its own are left.

    >>> from specmodel.methods import Task, find
    >>> eagle3, suffix = (rounds_by_length(find(key).choose(Task())) for key in ("eagle3", "suffix"))
    >>> eagle3.most, round(float(eagle3.tau[60]), 2), int(eagle3.verified[60]), int(suffix.offered.sum())
    (64, 6.13, 61, 2)
    """
    return _rounds(choice.method, choice.values, draft_length(choice), choice.proposal)


@lru_cache(maxsize=64)
def _rounds(method: Method, values: Any, own: int, proposal: Proposal) -> ListedRounds:
    by_length: list[Proposal | None] = [None] * (max(own, _longest(method, values)) + 1)
    for k in range(1, _longest(method, values) + 1):
        by_length[k] = method.propose(values.replace(**{method.length: k + method.nothing_drafted}))
    if own:
        by_length[own] = proposal
    by_length[0] = NOTHING_DRAFTED
    return ListedRounds(tuple(by_length))


def _longest(method: Method, values: Any) -> int:
    """The longest length that is tried beside its own; 0 where nothing is known of others."""
    if not method.length or getattr(values, "given_tau", 0) >= 1:
        return 0
    return min(MAX_SPECULATIVE_TOKENS, int(declarations(method.params)[method.length].high) - method.nothing_drafted)


def is_tree(choice: Choice) -> bool:
    """Whether more tokens are checked than a chain of its levels holds.

    >>> from specmodel.methods import Task, find
    >>> is_tree(find("eagle3").choose(Task())), is_tree(find("eagle3").choose(Task(), {"num_draft_tokens": 3}))
    (True, False)
    """
    proposal = choice.proposal
    return bool(proposal.verified_tokens > proposal.acceptance.num_speculative_tokens + 1)


def chain(choice: Choice) -> Proposal:
    """The way of drafting as a chain of its likeliest candidates, with its own chance per draft and cost of drafting.

    A chain stays what it is. A tree, or several n-grams at once, is cut to the first candidate of each level: k + 1
    tokens are checked, and the other candidates, which made a level likelier, are gone. Where the text decides how much
    is drafted, a round without a match becomes one whose drafts are all rejected.

    >>> from specmodel.methods import Task, find
    >>> found = chain(find("eagle3").choose(Task()))
    >>> [round(chance, 2) for chance in found.acceptance.conditional_acceptance[:3]], round(found.tau, 2)
    ([0.79, 0.79, 0.79], 4.19)
    """
    proposal = choice.proposal
    accepted = _likeliest(choice)
    k = accepted.num_speculative_tokens
    return replace(proposal, acceptance=accepted, num_draft_tokens=k, verified_tokens=k + 1)


def _likeliest(choice: Choice) -> Acceptance:
    """Acceptance of the first candidate of each level."""
    proposal, values = choice.proposal, choice.values
    levels = proposal.acceptance.num_speculative_tokens
    if not is_tree(choice):
        return proposal.acceptance
    if hasattr(values, "by_rank"):
        return Acceptance.from_conditional(values.by_rank[:levels, 0].tolist())
    if hasattr(values, "next_candidate"):
        return Acceptance.from_conditional([values.first_acceptance, *[values.later_acceptance] * (levels - 1)])
    return Acceptance.iid(values.alpha, levels)
