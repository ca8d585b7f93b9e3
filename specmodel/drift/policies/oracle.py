"""The best that can be done without knowing the draws: the plan of `specmodel.drift.plan`."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared
from specmodel.drift.plan import best_plan
from specmodel.drift.policies._policy import Case, Policy, State


@dataclass(frozen=True)
class Oracle(Declared):
    """Nothing to set: it follows from the workload and the costs."""


class _Free:
    """Changing k is free: what was done before does not matter."""

    def __init__(self, lengths: list[int]) -> None:
        self.lengths = lengths

    def choose(self, state: State) -> int:
        return self.lengths[state.token]

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        pass


class _Carried:
    """Changing k costs something: what to do depends on the k of the round before."""

    def __init__(self, lengths: list[list[int]]) -> None:
        self.lengths, self.k = lengths, 0

    def choose(self, state: State) -> int:
        self.k = self.lengths[state.token][self.k]
        return self.k

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        pass


def _start(values: Oracle, case: Case) -> _Free | _Carried:
    lengths = best_plan(case.rounds, case.costs).lengths
    return _Free(lengths[:, 0].tolist()) if lengths.shape[1] == 1 else _Carried(lengths.tolist())


POLICY = Policy(
    "oracle",
    90,
    label=N_("Oracle"),
    rule=N_(
        "Knows the acceptance of every answer and its length, but not the draws, and minimises the expected time, "
        "changes of the draft length included. No rule without that knowledge does better on average; on one set of "
        "draws one may be luckier."
    ),
    source="",
    params=Oracle,
    start=_start,
)
