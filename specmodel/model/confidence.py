"""Drafting that stops below a confidence (llama.cpp's p-min): how often each position is drafted, and what it is worth.

A drafter gives each token a probability, its confidence c. It drafts token after token and stops before the first one
with c below p-min. Whether it stops does not depend on whether the target accepts: that is known only afterwards.

Derived here. Let a_i be the acceptance at position i without p-min, given that all before it were accepted, and let
the drafter be calibrated: a token of confidence c is accepted with probability c. Then E[c] = a_i. With p-min position
i is drafted, given that the one before was, with chance g_i = P(c ≥ p), and accepted with chance E[c | c ≥ p]. It
adds a token if it is drafted and accepted: h_i = g_i · E[c | c ≥ p] = E[c; c ≥ p]. So a round emits
1 + Σ_i h_1 … h_i tokens, and drafts D = Σ_i g_1 … g_i. It runs the drafter once more where it stops: the token that was
not sure enough was computed too, so Σ_{i<k} g_1 … g_i steps. How confidences are spread is assumed: a beta distribution
of mean a_i and concentration s, c ~ Beta(a·s, (1 − a)·s), whose partial mean is E[c; c ≥ p] = a·(1 − I_p(a·s + 1,
(1 − a)·s)), I the regularised incomplete beta function. A small s is a drafter that is sure or clueless, which p-min
can tell apart; a large one has the same confidence everywhere, and p-min then drafts all or nothing.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from specmodel.base.arrays import Floats
from specmodel.base.numbers import first_highest
from specmodel.base.params import Declared, param
from specmodel.model.acceptance import Acceptance
from specmodel.model.outcome import CLOSE
from specmodel.model.scenario import Scenario

GRID: Floats = np.round(np.arange(0, 0.96, 0.05), 2)


@dataclass(frozen=True)
class Stopping(Declared):
    """Below which confidence a drafter stops, and how its confidences are spread.

    >>> Stopping().p_min
    0.0
    """

    p_min: float = param(
        "Stop below a confidence (p-min)",
        "The drafter stops before a token that it gives a smaller probability than this; 0 always drafts k. "
        "llama.cpp and its relatives have this setting; the Draft length page shows what it is worth.",
        default=0,
        low=0,
        high=0.99,
        slider=(0, 0.95, 0.05),
        format=".2f",
        symbol="p",
        key="pmin",
    )
    concentration: float = param(
        "Sameness of confidences",
        "How alike the drafter's confidences are (concentration of a beta distribution, assumed). Small: some tokens "
        "are nearly sure, others nearly hopeless. Large: all are about as sure as the acceptance.",
        default=1,
        low=0.05,
        high=1000,
        slider=(0.1, 10, 0.1),
        format=".2f",
        symbol="s",
        key="psame",
    )


@dataclass(frozen=True)
class StoppedRounds:
    """Rounds of a drafter that stops below a confidence. All are exact means for the assumed spread.

    `drafted_chance[i]` is the chance that position i + 1 is drafted at all, `acceptance_if_drafted[i]` that it is then
    accepted, given that all before it were; `drafts` are drafted tokens of a round, `steps` steps of the drafter.
    """

    p_min: float
    acceptance: Acceptance
    drafted_chance: tuple[float, ...]
    acceptance_if_drafted: tuple[float, ...]
    drafts: float
    steps: float
    round_ms: float
    speedup: float

    @property
    def draft_acceptance_rate(self) -> float | None:
        """Accepted ÷ drafted tokens; None where nothing is drafted."""
        return (self.acceptance.mean_acceptance_length - 1) / self.drafts if self.drafts else None

    @property
    def wasted_drafts(self) -> float:
        """Drafts thrown away in a round."""
        return self.drafts - (self.acceptance.mean_acceptance_length - 1)


def stopped_rounds(scenario: Scenario, stopping: Stopping) -> StoppedRounds:
    """What the scenario's rounds come to where its drafter stops below a confidence; k is the most that it drafts.

    >>> always = stopped_rounds(Scenario(), Stopping())
    >>> always.drafts, round(always.speedup, 3)
    (5.0, 1.417)
    >>> sure = stopped_rounds(Scenario(), Stopping(p_min=0.5))
    >>> round(sure.drafts, 2), round(sure.draft_acceptance_rate, 2), round(sure.speedup, 2)
    (1.46, 0.72, 1.55)
    """
    mean = np.nan_to_num(scenario.acceptance.conditional_acceptance, nan=0.0)  # after a position that always fails
    goes_on, adds = kept(mean, stopping.p_min, stopping.concentration)
    drafted = np.cumprod(goes_on)
    acceptance = Acceptance.from_conditional(np.minimum(adds, 1.0).tolist())
    drafts, steps = float(drafted.sum()), float(np.append(1.0, drafted)[: mean.size].sum())
    overhead = scenario.overhead_ms if mean.size else 0.0
    round_ms = steps * scenario.draft_ms + scenario.target_ms + drafts * scenario.verify_ms_per_token + overhead
    given = np.divide(adds, goes_on, out=np.zeros_like(adds), where=goes_on > 0)
    return StoppedRounds(
        p_min=stopping.p_min,
        acceptance=acceptance,
        drafted_chance=tuple(drafted.tolist()),
        acceptance_if_drafted=tuple(np.minimum(given, 1.0).tolist()),
        drafts=drafts,
        steps=steps,
        round_ms=round_ms,
        speedup=acceptance.mean_acceptance_length * scenario.target_ms / round_ms,
    )


def kept(acceptance: Floats, p_min: float, concentration: float) -> tuple[Floats, Floats]:
    """Chance that a position is drafted, and that it is drafted and accepted, by its acceptance without p-min.

    >>> goes_on, adds = kept(np.array([0.5]), 0.5, 2.0)  # uniform confidences: half of them, with mean 3/4
    >>> float(goes_on[0]), float(adds[0])
    (0.5, 0.375)
    """
    inside = np.clip(acceptance, 1e-12, 1 - 1e-12)
    first, second = inside * concentration, (1 - inside) * concentration
    goes_on = 1 - betainc(first, second, p_min)
    adds = inside * (1 - betainc(first + 1, second, p_min))
    certain = (acceptance <= 0) | (acceptance >= 1)  # always the same confidence
    return (
        np.where(certain, (acceptance >= p_min).astype(float), goes_on),
        np.where(certain, np.where(acceptance >= p_min, acceptance, 0.0), adds),
    )


@dataclass(frozen=True)
class Thresholds:
    """The same scenario at many thresholds: `best` is the fastest, `ties` those that are no 2 % slower."""

    rounds: tuple[StoppedRounds, ...]
    best: StoppedRounds
    ties: tuple[float, ...]


def thresholds(scenario: Scenario, concentration: float) -> Thresholds:
    """Every p-min from 0 to 0.95 in steps of 0.05. Of equals the smallest is best: it drafts most.

    >>> found = thresholds(Scenario(), 1.0)
    >>> found.best.p_min, len(found.rounds)
    (0.3, 20)
    """
    rounds = tuple(stopped_rounds(scenario, Stopping(float(p), concentration)) for p in GRID)
    speedups = np.array([each.speedup for each in rounds])
    best = int(first_highest(speedups))
    near = speedups >= speedups[best] / (1 + CLOSE)
    ties = tuple(float(p) for p, is_near in zip(GRID, near, strict=True) if is_near and p != GRID[best])
    return Thresholds(rounds, rounds[best], ties)
