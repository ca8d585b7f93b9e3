"""Parameters that several ways of drafting have: declared once, with a link key and a default of each method's own.

What the scenario or the drafter of the load declares already is declared like there.
"""

from typing import Any

from specmodel.base.messages import N_
from specmodel.base.params import declarations, like, param
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Drafter

_SCENARIO, _DRAFTER = declarations(Scenario), declarations(Drafter)
MAX_TREE_DRAFTS = 1024
MAX_DEPTH = 32


def alpha(key: str, default: float) -> Any:
    """One chance at every position.

    >>> alpha("x_alpha", 0.5).default
    0.5
    """
    return like(_SCENARIO["alpha"], default=default, key=key)


def _chance(label: str, help: str, key: str, default: float) -> Any:
    return like(_SCENARIO["alpha"], label=label, help=help, symbol="", default=default, key=key)


def first_acceptance(key: str, default: float) -> Any:
    """The chance at the first position.

    >>> first_acceptance("x_first", 0.5).default
    0.5
    """
    return _chance(
        N_("First draft right"),
        N_("Chance that the likeliest candidate for the first draft of a round is accepted."),
        key,
        default,
    )


def later_acceptance(key: str, default: float) -> Any:
    """The chance at each later position.

    >>> later_acceptance("x_later", 0.5).default
    0.5
    """
    return _chance(
        N_("Later drafts right"),
        N_("The same chance for each later draft, given that all drafts before it were accepted."),
        key,
        default,
    )


def second_acceptance(key: str, default: float) -> Any:
    """The chance at the second position.

    >>> second_acceptance("x_second", 0.5).default
    0.5
    """
    return _chance(
        N_("Second draft right"),
        N_("The same chance for the second draft, given that the first was accepted."),
        key,
        default,
    )


def later_factor(key: str, default: float) -> Any:
    """By what factor the chance differs from each position to the next, from the third on.

    >>> later_factor("x_factor", 0.9).default
    0.9
    """
    return param(
        "Each further draft",
        "Chance of the third draft ÷ chance of the second, of the fourth ÷ the third, and so on. Below 1 acceptance "
        "falls with the position; no chance grows beyond 1.",
        default=default,
        low=0,
        high=2,
        format=".3f",
        unit="×",
        key=key,
    )


def length(key: str, default: int) -> Any:
    """Drafts in a row.

    >>> length("x_k", 5).default
    5
    """
    return like(_SCENARIO["num_speculative_tokens"], default=default, key=key)


def nodes(key: str, default: int) -> Any:
    """Drafts in a tree.

    >>> nodes("x_nodes", 60).default
    60
    """
    return param(
        "Draft tokens in the tree",
        "All of them are checked in one pass. Where they are no more than the levels, they form one chain.",
        default=default,
        low=1,
        high=MAX_TREE_DRAFTS,
        format="d",
        unit="drafts",
        key=key,
        integer=True,
    )


def depth(key: str, default: int) -> Any:
    """Levels of drafts in a tree.

    >>> depth("x_depth", 6).default
    6
    """
    return param(
        "Levels of the tree",
        "The longest row of drafts: the drafter runs once for each level.",
        default=default,
        low=1,
        high=MAX_DEPTH,
        format="d",
        key=key,
        integer=True,
    )


def next_candidate(key: str, default: float) -> Any:
    """How much less likely each further candidate for a position is.

    >>> next_candidate("x_next", 0.2).default
    0.2
    """
    return _chance(
        N_("Next candidate"),
        N_("Chance that the next likeliest candidate of a position is the right one ÷ chance of the one before it."),
        key,
        default,
    )


def step_cost(key: str, default: float) -> Any:
    """What each of several steps costs.

    >>> step_cost("x_c", 0.1).default
    0.1
    """
    return like(_DRAFTER["draft_cost_ratio"], default=default, key=key, format=".3f")


def round_cost(key: str, default: float) -> Any:
    """What drafting costs once a round.

    >>> round_cost("x_c", 0.1).default
    0.1
    """
    label = N_("Cost of drafting a round")
    help = N_("Time of all drafting in a round ÷ plain target step, at the same batch and context.")
    return like(_DRAFTER["draft_cost_ratio"], label=label, help=help, default=default, key=key, format=".3f", symbol="")


def drafting_ms(key: str) -> Any:
    """A fixed time of drafting, once a round.

    >>> drafting_ms("x_ms").default
    0
    """
    help = N_("What all drafting of a round takes beside that, whatever the batch.")
    return like(_DRAFTER["draft_step_ms"], label=N_("Fixed time of drafting"), help=help, key=key)


def weights(key: str, default: float = 0) -> Any:
    """What the drafter adds to memory once.

    >>> weights("x_size").default
    0
    """
    return like(_DRAFTER["weights_billions"], default=default, key=key)


def cache_bytes(key: str, default: int = 0) -> Any:
    """What the drafter adds to memory with every token.

    >>> cache_bytes("x_kv").default
    0
    """
    return like(_DRAFTER["cache_bytes_per_token"], default=default, key=key)
