"""The interface of a policy: what it is told, what it answers, and how it is declared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.base.params import Declared
from specmodel.drift.round_costs import RoundCosts
from specmodel.drift.rounds import Rounds


class State:
    """Where a run is when a policy is asked: the number of the request, and of the token its round starts at.

    Both are counted through the whole workload. A new `request` is how a policy sees that an answer has begun.
    """

    __slots__ = ("request", "token")

    def __init__(self) -> None:
        self.request = 0
        self.token = 0


@dataclass(frozen=True)
class Case:
    """What is known when a run starts. The costs are any policy's to use; `rounds` is only for an oracle."""

    costs: RoundCosts
    rounds: Rounds


class Controller(Protocol):
    """A policy at work in one run: asked before each round, told after it."""

    def choose(self, state: State) -> int:
        """How many tokens to draft in the round that starts now; 0 is a plain decoding step."""

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        """What that round was: k drafts, of which so many were accepted."""


@dataclass(frozen=True)
class Policy:
    """A rule that chooses the draft length of each round.

    `order` is its place in lists, `label` its name, `rule` a sentence that says what it does, `source` where the rule
    comes from; `params` declares its parameters and `start(values, case)` begins a run. A module in this folder that
    defines POLICY is known: to add one is to add a file.
    """

    key: str
    order: int
    label: str
    rule: str
    source: str
    params: type[Declared]
    start: Callable[[Any, Case], Controller]


@dataclass(frozen=True)
class PolicyChoice:
    """A policy with the values of its parameters, and the name that its run goes by."""

    policy: Policy
    values: Any
    name: str

    def start(self, case: Case) -> Controller:
        """Begin a run."""
        return self.policy.start(self.values, case)


class Unused:
    """A policy without parameters has nothing to declare and nothing to learn."""

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        """Nothing is learned from a round."""


def in_order(name: str, low: float, other: str, high: float) -> None:
    """Refuse two parameters of which the first is above the second.

    >>> in_order("off_below", 0.2, "on_above", 0.3)
    """
    if low > high:
        message = "{name} = {low} is above {other} = {high}: expected at most that"
        values = {"name": Verbatim(name), "low": low, "other": Verbatim(other), "high": high}
        raise SpecmodelError(Message(message, values))
