"""The heuristic of Hugging Face transformers: two drafts more after a round that was accepted whole, else one less."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared, param
from specmodel.drift.policies import _fields
from specmodel.drift.policies._policy import Case, Policy, State


@dataclass(frozen=True)
class Heuristic(Declared):
    """Where it starts, and whether each answer starts there again."""

    num_speculative_tokens: int = _fields.length("drift_hf_k", 5)
    transient: int = param(
        "Start again with each answer",
        "1: each answer starts at the first draft length; 0: the draft length is kept from one answer to the next.",
        default=0,
        low=0,
        high=1,
        format="d",
        integer=True,
        key="drift_hf_transient",
    )


class _Heuristic:
    def __init__(self, values: Heuristic, max_k: int) -> None:
        self.first = self.k = min(values.num_speculative_tokens, max_k)
        self.max_k, self.transient, self.request = max_k, values.transient, 0

    def choose(self, state: State) -> int:
        if self.transient and state.request != self.request:
            self.request, self.k = state.request, self.first
        return self.k

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        if accepted == num_speculative_tokens:
            self.k = min(self.k + 2, self.max_k)
        else:
            self.k = max(self.k - 1, 1)


def _start(values: Heuristic, case: Case) -> _Heuristic:
    return _Heuristic(values, case.costs.max_k)


POLICY = Policy(
    "heuristic",
    30,
    label=N_("Two more, or one less"),
    rule=N_(
        "Two drafts more after a round that was accepted whole, else one less, never below 1 (so never off) and never "
        "above the longest draft that has a cost."
    ),
    source="Hugging Face transformers, num_assistant_tokens_schedule 'heuristic' and 'heuristic_transient'",
    params=Heuristic,
    start=_start,
)
