"""The draft length with the most expected tokens per time, from a running estimate of the acceptance."""

from dataclasses import dataclass

import numpy as np

from specmodel.base.messages import N_
from specmodel.base.params import Declared, param
from specmodel.drift.policies import _fields
from specmodel.drift.policies._policy import Case, Policy, State
from specmodel.drift.round_costs import RoundCosts, best_lengths
from specmodel.model.acceptance import mean_acceptance_lengths

_STEPS = 1000


@dataclass(frozen=True)
class Goodput(Declared):
    """What it starts from, how fast it forgets, when a change is worth it, and how often to probe."""

    first_alpha: float = param(
        "Acceptance at the start",
        "What the policy takes the acceptance for before it has seen anything; weighs as much as eight drafts.",
        default=0.6,
        low=0,
        high=1,
        format=".2f",
        key="drift_good_alpha",
    )
    memory: float = param(
        "Memory",
        "How many of the last drafts the estimate of the acceptance rests on; older ones count less and less.",
        default=100,
        low=1,
        high=1_000_000_000,
        format=",.0f",
        unit="drafts",
        key="drift_good_memory",
    )
    margin: float = param(
        "Gain that a change must promise",
        "Another draft length is taken only if it is expected to be faster by this share. Keeps a noisy estimate from "
        "switching to and fro.",
        default=0,
        low=0,
        high=1,
        format=".1%",
        key="drift_good_margin",
    )
    probe_every: int = _fields.probe_every("drift_good_probe", 16)
    probe_length: int = _fields.length("drift_good_probe_k", 2)


class _Goodput:
    """The estimate is accepted ÷ tried, both fading: a draft behind the first rejected one was not tried."""

    def __init__(self, values: Goodput, costs: RoundCosts) -> None:
        tau = mean_acceptance_lengths(np.arange(_STEPS + 1) / _STEPS, costs.max_k)
        self.best = best_lengths(tau, costs.round_ms).tolist()
        self.speed = (tau / np.array(costs.round_ms)).tolist()
        keep = 1 - 1 / values.memory
        self.fade = [keep**tried for tried in range(costs.max_k + 1)]
        self.tried = 8.0
        self.accepted = self.tried * values.first_alpha
        self.needed, self.probe_every = 1 + values.margin, values.probe_every
        self.probe_length = min(values.probe_length, costs.max_k)
        self.k, self.waited = self.best[round(values.first_alpha * _STEPS)], 0

    def choose(self, state: State) -> int:
        return self.probe_length if self.waited >= self.probe_every else self.k

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        if not num_speculative_tokens:
            self.waited += 1
            return
        self.waited = 0
        tried = accepted + (accepted < num_speculative_tokens)
        fade = self.fade[tried]
        self.accepted = self.accepted * fade + accepted
        self.tried = self.tried * fade + tried
        step = int(self.accepted / self.tried * _STEPS + 0.5)
        best = self.best[step]
        if best != self.k and self.speed[step][best] >= self.speed[step][self.k] * self.needed:
            self.k = best


def _start(values: Goodput, case: Case) -> _Goodput:
    return _Goodput(values, case.costs)


POLICY = Policy(
    "goodput",
    60,
    label=N_("Most tokens per time"),
    rule=N_(
        "Estimates one acceptance for all positions from the last drafts and takes the draft length with the most "
        "expected tokens per time, tau ÷ round time; where that is 0 it probes now and then."
    ),
    source="SmartSpec / TurboSpec (arXiv 2406.14066): the draft length with the most goodput",
    params=Goodput,
    start=_start,
)
