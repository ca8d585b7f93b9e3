"""Parameters that several policies have: declared once, with a link key and a default of each policy's own."""

from typing import Any

from specmodel.base.params import param
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS


def length(key: str, default: int) -> Any:
    """The draft length while speculation is on.

    >>> length("x_k", 5).default
    5
    """
    return param(
        "Draft tokens per round",
        "How many tokens the policy drafts in a round while it speculates.",
        default=default,
        low=1,
        high=MAX_SPECULATIVE_TOKENS,
        slider=(1, 16, 1),
        format="d",
        symbol="k",
        key=key,
        integer=True,
    )


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
        slider=(1, 128, 1),
        format="d",
        integer=True,
        key=key,
    )
