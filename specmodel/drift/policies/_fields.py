"""Parameters that several policies have: declared once, with a link key and a default of each policy's own."""

from typing import Any

from specmodel.base.messages import N_
from specmodel.base.params import declarations, like, param
from specmodel.model.scenario import Scenario


def length(key: str, default: int) -> Any:
    """The draft length while speculation is on.

    >>> length("x_k", 5).default
    5
    """
    help = N_("How many tokens the policy drafts in a round while it speculates.")
    return like(declarations(Scenario)["num_speculative_tokens"], help=help, default=default, low=1, key=key)


def probe_every(key: str, default: int) -> Any:
    """How long a policy that has switched off waits before it tries again.

    >>> probe_every("x_probe", 16).default
    16
    """
    return param(
        "Plain steps between probes",
        "Without drafts nothing is learned about acceptance: after so many plain steps one round is drafted to see.",
        default=default,
        low=1,
        high=100_000,
        format="d",
        integer=True,
        key=key,
    )


def weight(key: str, default: float) -> Any:
    """How fast a moving average follows the last round.

    >>> weight("x_weight", 0.1).default
    0.1
    """
    return param(
        "Weight of the last round",
        "Share of the moving average that the last round has; the rest is what it was before.",
        default=default,
        low=0.001,
        high=1,
        format=".3g",
        key=key,
    )
