"""A draft that goes on learning while it serves, against one that stays as it was trained.

Online Speculative Decoding (Liu et al. 2023, arXiv 2310.07177) trains the draft on what the target says while it
serves, and reports acceptance higher by 0.1 to 0.65. Here, a model of that: in each phase the draft starts at the
acceptance it came with, and closes the gap to a ceiling at a rate per token that it has seen,

    alpha(m) = ceiling − (ceiling − alpha)·exp(−rate·m),   ceiling = alpha + gain·(1 − alpha)

with m the tokens of the phase so far, whether they were drafted or not. What it learned is lost at the next phase,
also where that phase was there before. Curve, rate and gain are assumed: the paper's acceptance curves differ by data.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.params import Declared, param
from specmodel.drift.phases import Workload
from specmodel.drift.policies import PolicyChoice
from specmodel.drift.round_costs import RoundCosts
from specmodel.drift.run import DriftRun, simulate_drift


@dataclass(frozen=True)
class Adaptation(Declared):
    """How fast the draft learns, how far it can get, and what its training costs.

    >>> Adaptation(learning_rate=0).learned(np.array([0.5]), np.array([1000.0])).tolist()
    [0.5]
    """

    learning_rate: float = param(
        "Learning rate",
        "Share of the gap between the acceptance and its ceiling that closes with each token seen: at 0.002 half of it "
        "is closed after 350 tokens.",
        default=0.002,
        low=0,
        high=1,
        slider=(0, 0.02, 0.0005),
        format=".4g",
        key="drift_learn",
    )
    gain: float = param(
        "Rejections that training removes",
        "How far the acceptance can rise: the ceiling is this share of the way from the acceptance of the draft as it "
        "came to 1.",
        default=0.4,
        low=0,
        high=1,
        slider=(0, 1, 0.01),
        format=".0%",
        key="drift_gain",
    )
    training_share: float = param(
        "Training, share of the time",
        "What training takes of the machine, as a share of the decoding time: 0.1 makes everything a tenth longer.",
        default=0,
        low=0,
        high=100,
        slider=(0, 1, 0.01),
        format=".0%",
        key="drift_train_share",
    )
    training_ms: float = param(
        "Training per round",
        "What training adds to each round.",
        default=0,
        low=0,
        high=100_000,
        slider=(0, 10, 0.1),
        format=",.2f",
        unit="ms",
        key="drift_train_ms",
    )

    def ceiling(self, alpha: Floats) -> Floats:
        """The acceptance that training can reach."""
        reached: Floats = alpha + self.gain * (1 - alpha)
        return reached

    def learned(self, alpha: Floats, tokens_seen: Floats) -> Floats:
        """The acceptance after so many tokens of a phase, from that of the draft as it came; arrays broadcast."""
        closed: Floats = alpha + self.gain * (1 - alpha) * -np.expm1(-self.learning_rate * tokens_seen)
        return closed


@dataclass(frozen=True)
class AlphaCurve:
    """Mean acceptance at each token of a workload, shape (tokens,): static, adapted and the ceiling."""

    static: Floats
    adapted: Floats
    ceiling: Floats


def acceptance_over_tokens(workload: Workload, adaptation: Adaptation) -> AlphaCurve:
    """The acceptance of a draft that learns and of one that does not, token by token, without the spread of answers.

    >>> from specmodel.drift.phases import Phase
    >>> own = Workload("own", "Own", (Phase("Chat", alpha=0.5, requests=1, output_tokens=2000),))
    >>> curve = acceptance_over_tokens(own, Adaptation(learning_rate=0.01, gain=0.5))
    >>> float(curve.adapted[0]), curve.adapted[-1].round(4).item()
    (0.5, 0.75)
    """
    static = np.concatenate([np.repeat(phase.alphas, phase.output_tokens) for phase in workload.phases])
    seen = np.concatenate([np.arange(phase.num_tokens, dtype=float) for phase in workload.phases])
    return AlphaCurve(static, adaptation.learned(static, seen), adaptation.ceiling(static))


@dataclass(frozen=True, eq=False)
class AdaptationOutcome:
    """The same policies on the same draws with a draft that learns and with one that does not.

    Times leave nothing out: that of the draft that learns holds its training. A policy is named as in the runs.
    """

    adaptation: Adaptation
    static: DriftRun
    adapted: DriftRun

    def training_ms(self, name: str) -> float:
        """Time that training took: its share of the decoding time, and its part of each round."""
        run = self.adapted.run(name)
        return run.total_ms() * self.adaptation.training_share + run.num_rounds * self.adaptation.training_ms

    def static_ms(self, name: str) -> float:
        """Time with the draft that does not learn."""
        return self.static.run(name).total_ms()

    def adapted_ms(self, name: str) -> float:
        """Time with the draft that learns, training included."""
        return self.adapted.run(name).total_ms() + self.training_ms(name)

    def speedup(self, name: str) -> float:
        """Time without speculation ÷ time with the draft that learns, training included."""
        return self.adapted.plain_ms / self.adapted_ms(name)

    def gain(self, name: str) -> float:
        """Time with the draft that does not learn ÷ time with the one that does: above 1 the training paid."""
        return self.static_ms(name) / self.adapted_ms(name)

    def break_even_share(self, name: str) -> float:
        """The share of the decoding time that training may cost at most: what it saves ÷ the time it leaves.

        For training that costs nothing else. Below 0 learning does not pay even where training is free.
        """
        return self.static_ms(name) / self.adapted.run(name).total_ms() - 1

    def break_even_ms(self, name: str) -> float:
        """What training may add to each round at most, in ms, where it costs nothing else."""
        run = self.adapted.run(name)
        return (self.static_ms(name) - run.total_ms()) / run.num_rounds


def compare_adaptation(
    workload: Workload, costs: RoundCosts, policies: Sequence[PolicyChoice | str], adaptation: Adaptation, seed: int = 0
) -> AdaptationOutcome:
    """Play policies with a draft that learns and with one that does not, on the same draws; see the module.

    >>> from specmodel.drift.published import workload
    >>> costs = RoundCosts([22, 25, 28, 31])
    >>> paid = compare_adaptation(workload("shift"), costs, ["tiers"], Adaptation(training_share=0.05))
    >>> bool(paid.break_even_share("tiers") > 0.05), bool(paid.gain("tiers") > 1)
    (True, True)
    """
    static = simulate_drift(workload, costs, policies, seed)
    adapted = simulate_drift(workload, costs, policies, seed, adaptation)
    return AdaptationOutcome(adaptation, static, adapted)
