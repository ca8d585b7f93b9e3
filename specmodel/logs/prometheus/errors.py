"""What may go wrong between this program and a Prometheus."""

from typing import Literal

from specmodel.base.messages import Message, SpecmodelError

Kind = Literal[
    "config",
    "down",
    "slow",
    "credentials",
    "http",
    "not_prometheus",
    "refused",
    "too_large",
    "no_metrics",
    "no_data",
    "idle",
    "unknown_target",
]


class LiveError(SpecmodelError):
    """A question to a Prometheus that has no answer; `kind` says why, for those who treat them differently.

    >>> LiveError(Message("nothing was drafted"), "idle").kind
    'idle'
    """

    def __init__(self, message: Message, kind: Kind):
        super().__init__(message)
        self.kind = kind
