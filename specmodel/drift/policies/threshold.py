"""Off below a threshold of acceptance, on again when a probe says so."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.numbers import SAME
from specmodel.base.params import Declared, param
from specmodel.drift.policies import _fields
from specmodel.drift.policies._policy import Case, Policy, State, in_order


@dataclass(frozen=True)
class Threshold(Declared):
    """The draft length while on, the two thresholds, the weight of the last round, and how often to probe."""

    num_speculative_tokens: int = _fields.length("drift_th_k", 5)
    off_below: float = param(
        "Off below",
        "Speculation is switched off when the moving average of accepted ÷ drafted falls below this.",
        default=0.15,
        low=0,
        high=1,
        format=".2f",
        key="drift_th_off",
    )
    on_above: float = param(
        "On again above",
        "Speculation is switched on again when probes have brought the moving average to this.",
        default=0.2,
        low=0,
        high=1,
        format=".2f",
        key="drift_th_on",
    )
    weight: float = _fields.weight("drift_th_weight", 0.1)
    probe_every: int = _fields.probe_every("drift_th_probe", 16)

    def __post_init__(self) -> None:
        super().__post_init__()
        in_order("off_below", self.off_below, "on_above", self.on_above)


class _Threshold:
    def __init__(self, values: Threshold) -> None:
        self.k, self.weight = values.num_speculative_tokens, values.weight
        self.off_below, self.on_above = values.off_below - SAME, values.on_above - SAME
        self.probe_every = values.probe_every
        self.mean, self.on, self.waited = values.on_above, True, 0

    def choose(self, state: State) -> int:
        return self.k if self.on or self.waited >= self.probe_every else 0

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        if not num_speculative_tokens:
            self.waited += 1
            return
        self.waited = 0
        self.mean += self.weight * (accepted / num_speculative_tokens - self.mean)
        self.on = self.mean >= (self.off_below if self.on else self.on_above)


def _start(values: Threshold, case: Case) -> _Threshold:
    return _Threshold(values)


POLICY = Policy(
    "threshold",
    40,
    label=N_("Threshold"),
    rule=N_(
        "Drafts a fixed number of tokens while the moving average of accepted ÷ drafted is above a threshold, else "
        "decodes plainly and probes now and then. The average starts at the upper threshold."
    ),
    source="",
    params=Threshold,
    start=_start,
)
