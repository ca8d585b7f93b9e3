"""SGLang's adaptive steps: a few draft lengths, and a moving average of accepted drafts that moves between them."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.numbers import SAME
from specmodel.base.params import Declared, param
from specmodel.drift.policies import _fields
from specmodel.drift.policies._policy import Case, Policy, State
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS


@dataclass(frozen=True)
class Tiers(Declared):
    """The tiers 1, 3, 5 … and the moving average; the defaults are SGLang's for one request at a time."""

    smallest: int = param(
        "Smallest tier",
        "0: speculation may be switched off, and the next decision tries one draft again; 1: it may not.",
        default=1,
        low=0,
        high=1,
        format="d",
        integer=True,
        key="drift_tier_min",
    )
    largest: int = param(
        "Largest tier",
        "The tiers are the odd draft lengths up to this.",
        default=7,
        low=1,
        high=MAX_SPECULATIVE_TOKENS,
        format="d",
        integer=True,
        key="drift_tier_max",
    )
    weight: float = _fields.weight("drift_tier_weight", 0.2)
    interval: int = param(
        "Rounds between decisions",
        "The tier is looked at again after so many rounds.",
        default=5,
        low=1,
        high=100_000,
        format="d",
        integer=True,
        key="drift_tier_every",
    )
    warmup: int = param(
        "Rounds before the first decision",
        "The first tier is kept for so many rounds, and one interval more.",
        default=10,
        low=0,
        high=100_000,
        format="d",
        integer=True,
        key="drift_tier_warmup",
    )
    down_hysteresis: float = param(
        "Added to the threshold downwards",
        "Below 0 the tier is left later than the rule says; above 0 sooner.",
        default=-0.25,
        low=-8,
        high=8,
        format="+.2f",
        key="drift_tier_down",
    )
    up_hysteresis: float = param(
        "Added to the threshold upwards",
        "Above 0 a longer tier is tried later than the rule says; below 0 sooner.",
        default=0,
        low=-8,
        high=8,
        format="+.2f",
        key="drift_tier_up",
    )

    def lengths(self, max_k: int) -> list[int]:
        """The tiers that have a cost.

        >>> Tiers(smallest=0).lengths(4)
        [0, 1, 3]
        """
        return [0] * (self.smallest == 0) + list(range(1, min(self.largest, max_k) + 1, 2))


class _Tiers:
    def __init__(self, values: Tiers, max_k: int) -> None:
        self.values, self.lengths = values, values.lengths(max_k)
        self.at = len(self.lengths) // 2
        self.mean = float(self.lengths[self.at] - 1)
        self.weight, self.left = values.weight, values.warmup + values.interval

    def choose(self, state: State) -> int:
        return self.lengths[self.at]

    def observe(self, num_speculative_tokens: int, accepted: int) -> None:
        if num_speculative_tokens:
            self.mean += self.weight * (accepted - self.mean)
        self.left -= 1
        if not self.left:
            self.left = self.values.interval
            self.at = self._next()

    def _next(self) -> int:
        """Leave a tier for the shorter one at its length − ½ or below, for the longer one above its own − ½."""
        lengths, at = self.lengths, self.at
        if not lengths[at]:
            return min(at + 1, len(lengths) - 1)
        while at and self.mean <= max(lengths[at - 1], 1) - 0.5 + self.values.down_hysteresis + SAME:
            at -= 1
        if at == self.at:
            while at < len(lengths) - 1 and self.mean > lengths[at] - 0.5 + self.values.up_hysteresis + SAME:
                at += 1
        return at


def _start(values: Tiers, case: Case) -> _Tiers:
    return _Tiers(values, case.costs.max_k)


POLICY = Policy(
    "tiers",
    50,
    label=N_("Moving-average tiers"),
    rule=N_(
        "Keeps a moving average of the drafts accepted in a round, without the bonus token, and drafts one more than "
        "that, rounded up to one of a few tiers; looks again every few rounds."
    ),
    source="SGLang, --speculative-adaptive (adaptive_spec_params.py)",
    params=Tiers,
    start=_start,
)
