"""The same draft length in every round, what most engines do unless told otherwise."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared
from specmodel.drift.policies import _fields
from specmodel.drift.policies._policy import Case, Policy, State, Unused


@dataclass(frozen=True)
class Fixed(Declared):
    """One draft length."""

    num_speculative_tokens: int = _fields.length("drift_k", 5)


class _Fixed(Unused):
    def __init__(self, k: int) -> None:
        self.k = k

    def choose(self, state: State) -> int:
        return self.k


def _start(values: Fixed, case: Case) -> _Fixed:
    return _Fixed(values.num_speculative_tokens)


POLICY = Policy(
    "fixed",
    20,
    label=N_("Fixed length"),
    rule=N_("Drafts the same number of tokens in every round, whatever is accepted."),
    source="Leviathan et al. 2023 (arXiv 2211.17192)",
    params=Fixed,
    start=_start,
)
