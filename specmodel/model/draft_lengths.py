"""Choosing the draft length, and asking the same question for many values of a parameter."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import N_
from specmodel.base.numbers import first_highest, first_lowest
from specmodel.base.params import Quantity, UnknownParameter, declarations
from specmodel.model.acceptance import mean_acceptance_lengths
from specmodel.model.outcome import Outcome, band_ms, evaluate
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS, Scenario, costs_at, mean_rounds_at

BEST_LENGTH = Quantity(
    "best",
    N_("Best draft length"),
    N_("Draft tokens per round with the smallest expected time; 0 means off. The figure below marks those that tie."),
    symbol="k*",
    format="d",
)


@dataclass(frozen=True)
class DraftLengths:
    """One scenario at every draft length k = 0 … max; arrays of shape (max + 1,), index = k.

    `best` has the smallest expected time; `ties` are the draft lengths whose expected time lies inside the 5 to 95 %
    spread of one output at the best one: a single answer cannot tell them apart.
    """

    num_speculative_tokens: Ints
    mean_acceptance_length: Floats
    num_rounds: Floats
    total_ms: Floats
    num_wasted_draft_tokens: Floats
    best: int
    best_low_ms: float
    best_high_ms: float
    ties: tuple[int, ...]


def draft_lengths(scenario: Scenario, max_speculative_tokens: int = 16) -> DraftLengths:
    """Time and waste at every draft length from 0 to `max_speculative_tokens`; exact means.

    >>> table = draft_lengths(Scenario(alpha=0.55))
    >>> table.best, round(float(table.total_ms[2]) / 1000, 1), round(float(table.num_wasted_draft_tokens[1]))
    (2, 60.5, 1161)
    """
    lengths = np.arange(max_speculative_tokens + 1)
    tau = mean_acceptance_lengths(scenario.effective_alpha, max_speculative_tokens, scenario.acceptance_shape)
    rounds = mean_rounds_at(scenario, max_speculative_tokens)
    total = rounds * costs_at(scenario, lengths).round_ms
    best = int(first_lowest(total))
    low, high = band_ms(scenario.replace(num_speculative_tokens=best))
    ties = np.flatnonzero((total <= max(high, total[best])) & (lengths != best))
    wasted = (lengths + 1 - tau) * rounds
    return DraftLengths(lengths, tau, rounds, total, wasted, best, low, high, tuple(ties.tolist()))


def covering(*scenarios: Scenario | None) -> int:
    """The longest draft worth showing: 16, each scenario's own, and each one's best.

    >>> covering(Scenario(alpha=0.95, draft_ms=1)), covering(Scenario(), None)
    (22, 16)
    """
    own = [max(each.num_speculative_tokens, best_num_speculative_tokens(each)) for each in scenarios if each]
    return max([16, *own])


def best_num_speculative_tokens(scenario: Scenario, max_speculative_tokens: int = MAX_SPECULATIVE_TOKENS) -> int:
    """The draft length with the smallest expected time for one output; 0 where not drafting at all is fastest.

    Rounds needed lie between N/tau and (N + k)/tau, since the last round overshoots by at most k tokens. Draft
    lengths that cannot win by these bounds are dropped; the exact mean decides among the others. Equal times go to
    the shorter draft.

    >>> best_num_speculative_tokens(Scenario(alpha=0.55))
    2
    >>> best_num_speculative_tokens(Scenario(draft_ms=22))
    0
    """
    lengths = np.arange(max_speculative_tokens + 1)
    tau = mean_acceptance_lengths(scenario.effective_alpha, max_speculative_tokens, scenario.acceptance_shape)
    per_token = costs_at(scenario, lengths).round_ms / tau
    at_least, at_most = scenario.output_tokens * per_token, (scenario.output_tokens + lengths) * per_token
    able = lengths[at_least <= at_most.min() * (1 + 1e-12)]
    total = mean_rounds_at(scenario, int(able[-1]))[able] * costs_at(scenario, able).round_ms
    return int(able[first_lowest(total)])


def marginal_gain_ms(table: DraftLengths) -> Floats:
    """Time saved by the k-th draft token, in ms for one output: total(k − 1) − total(k), for k = 1 … max.

    >>> bool(marginal_gain_ms(draft_lengths(Scenario(alpha=0.55)))[2] < 0)
    True
    """
    gain: Floats = -np.diff(table.total_ms)
    return gain


@dataclass(frozen=True)
class SpeedupMap:
    """Long-run speedup for every alpha and k: `speedup[a, k]`; `best[a]` is the fastest k (0 = off) at each alpha."""

    alpha: Floats
    num_speculative_tokens: Ints
    speedup: Floats
    best: Ints


def speedup_map(scenario: Scenario, alpha: Floats, max_speculative_tokens: int = 16) -> SpeedupMap:
    """Speedup = tau/rho over acceptance × draft length, the scenario's costs and vocabulary overlap kept.

    >>> speedup_map(Scenario(), np.array([0.1, 0.9])).best.tolist()
    [0, 8]
    """
    lengths = np.arange(max_speculative_tokens + 1)
    effective = alpha * scenario.vocabulary_overlap
    tau = mean_acceptance_lengths(effective, max_speculative_tokens, scenario.acceptance_shape)
    speedup = tau * scenario.target_ms / costs_at(scenario, lengths).round_ms
    return SpeedupMap(alpha, lengths, speedup, first_highest(speedup))


@dataclass(frozen=True)
class Sweep:
    """Outcomes of one scenario for many values of some parameters, in the order of the values."""

    scenarios: tuple[Scenario, ...]
    outcomes: tuple[Outcome, ...]

    def column(self, name: str) -> NDArray[np.generic]:
        """One parameter or result of every row as an array of shape (rows,); None becomes nan."""
        rows = self.scenarios if name in declarations(Scenario) else self.outcomes
        if name not in (*declarations(Scenario), *declarations(Outcome)):
            raise UnknownParameter(name, [*declarations(Scenario), *declarations(Outcome)])
        return np.array([getattr(row, name) for row in rows], dtype=float)


def sweep(scenario: Scenario, **values: Iterable[float]) -> Sweep:
    """Evaluate a scenario for every value of one parameter, or every combination of several.

    Raises `UnknownParameter` for a misspelt name and `OutOfDomain` for a value outside its domain.

    >>> sweep(Scenario(), alpha=[0.2, 0.6]).column("speedup").round(2).tolist()
    [0.74, 1.42]
    """
    combinations = itertools.product(*values.values())
    scenarios = tuple(scenario.replace(**dict(zip(values, combination, strict=True))) for combination in combinations)
    return Sweep(scenarios, tuple(evaluate(each) for each in scenarios))
