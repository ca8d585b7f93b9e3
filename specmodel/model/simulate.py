"""Seeded Monte Carlo of rounds, and the trace of one run that the round page plays.

The simulation is the independent check of the exact distribution: it uses nothing of it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.numbers import generator, whole_number
from specmodel.model.acceptance import Acceptance
from specmodel.model.scenario import Scenario

MAX_RUNS = 10_000_000
_CELLS_AT_ONCE = 250_000


@dataclass(frozen=True)
class Trace:
    """One run round by round. `accepted[r]` drafts were kept in round r; every array has shape (rounds,)."""

    scenario: Scenario
    accepted: Ints

    @cached_property
    def emitted(self) -> Ints:
        """Tokens out of each round: accepted drafts and the bonus token."""
        return self.accepted + 1

    @cached_property
    def start_ms(self) -> Floats:
        """When each round starts, ms since the start of the run."""
        starts: Floats = np.arange(self.accepted.size, dtype=float) * float(self.scenario.round_cost.round_ms)
        return starts

    @property
    def wasted(self) -> Ints:
        """Drafts thrown away in each round."""
        return self.scenario.num_speculative_tokens - self.accepted


@dataclass(frozen=True)
class Simulation:
    """Totals per run, each of shape (runs,)."""

    scenario: Scenario
    rounds: Ints
    tokens: Ints

    @property
    def draft_tokens(self) -> Ints:
        """Tokens proposed by the drafter."""
        return self.rounds * self.scenario.num_speculative_tokens

    @property
    def accepted_draft_tokens(self) -> Ints:
        """Proposed tokens kept: tokens out − one bonus token per round."""
        return self.tokens - self.rounds

    @property
    def wasted_draft_tokens(self) -> Ints:
        """Proposed tokens thrown away."""
        return self.draft_tokens - self.accepted_draft_tokens

    @property
    def total_ms(self) -> Floats:
        """Decoding time in ms."""
        return self.rounds.astype(float) * float(self.scenario.round_cost.round_ms)


def simulate(scenario: Scenario, runs: int = 1000, seed: int | np.random.Generator = 0) -> Simulation:
    """Play `runs` outputs of the scenario to their end; rounds, tokens and ms of each.

    Most rounds of a run are drawn at once, as one multinomial draw of how often each J occurs, leaving three standard
    deviations to the end; the rest are drawn one by one until the output is complete. A run that is complete sooner
    (one in a thousand) is put into an order: given how often each J occurs, all orders are equally likely. So every
    run has exactly the distribution of drawing round after round, and memory does not grow with the output length.

    >>> simulate(Scenario(), runs=3, seed=0).rounds.shape
    (3,)
    """
    runs, random, acceptance = whole_number(runs, "runs", 1, MAX_RUNS), generator(seed), scenario.acceptance
    by_one = _rounds_by_one(acceptance, scenario.output_tokens)
    most = max(_CELLS_AT_ONCE // max(by_one, scenario.num_speculative_tokens + 1), 1)
    parts = [_play(acceptance, scenario.output_tokens, min(most, runs - at), random) for at in range(0, runs, most)]
    return Simulation(scenario, *(np.concatenate(column) for column in zip(*parts, strict=True)))


def _rounds_by_one(acceptance: Acceptance, output_tokens: int) -> int:
    """Three standard deviations of the number of rounds (central limit theorem for renewal processes), at least 8."""
    tau = acceptance.mean_acceptance_length
    return 8 + int(3 * math.sqrt(acceptance.variance * output_tokens / tau) / tau)


def _play(acceptance: Acceptance, output_tokens: int, runs: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Rounds and tokens of each of some runs, each played until it has emitted `output_tokens`."""
    per_round = np.arange(1, acceptance.num_speculative_tokens + 2)
    by_one = _rounds_by_one(acceptance, output_tokens)
    at_once = max(int((output_tokens - 1) / acceptance.mean_acceptance_length) - by_one, 0)
    counts = random.multinomial(at_once, acceptance.pmf, size=runs)
    rounds, tokens = np.full(runs, at_once), counts @ per_round
    for run in np.flatnonzero(tokens >= output_tokens):
        emitted = np.cumsum(random.permutation(np.repeat(per_round, counts[run])))
        last = int(np.searchsorted(emitted, output_tokens))
        rounds[run], tokens[run] = last + 1, emitted[last]
    unfinished = np.flatnonzero(tokens < output_tokens)
    while unfinished.size:
        block = _emitted(acceptance, (unfinished.size, by_one + by_one // 2), random)
        emitted = np.cumsum(block, axis=1, dtype=np.int32)
        enough = emitted >= (output_tokens - tokens[unfinished])[:, None]
        last = np.where(enough[:, -1], enough.argmax(axis=1), block.shape[1] - 1)
        rounds[unfinished] += last + 1
        tokens[unfinished] += emitted[np.arange(unfinished.size), last]
        unfinished = unfinished[tokens[unfinished] < output_tokens]
    return rounds, tokens


def _emitted(acceptance: Acceptance, shape: tuple[int, int], random: np.random.Generator) -> NDArray[np.int8]:
    """Tokens of independent rounds, 1 + J: J ≥ j exactly when a uniform number lies below S_j."""
    uniform, emitted = random.random(shape), np.ones(shape, dtype=np.int8)
    for survival in acceptance.per_position_acceptance:
        emitted += (uniform < survival).view(np.int8)
    return emitted


def trace(scenario: Scenario, seed: int | np.random.Generator = 0) -> Trace:
    """One run round by round until the output is complete, drawn draft by draft.

    >>> run = trace(Scenario(output_tokens=10), seed=1)
    >>> int(run.emitted.sum()) >= 10
    True
    """
    blocks, missing = [], scenario.output_tokens
    for accepted in _rounds_one_by_one(scenario.acceptance, generator(seed)):
        emitted = np.cumsum(accepted + 1)
        enough = int(np.searchsorted(emitted, missing)) + 1
        blocks.append(accepted[:enough])
        missing -= int(emitted[min(enough, emitted.size) - 1])
        if missing <= 0:
            break
    return Trace(scenario, np.concatenate(blocks))


def _rounds_one_by_one(acceptance: Acceptance, random: np.random.Generator) -> Iterator[Ints]:
    """Accepted drafts of 1,024 rounds at a time: the first draft to be rejected ends a round."""
    conditional = np.nan_to_num(np.asarray(acceptance.conditional_acceptance))
    while True:
        kept = random.random((1024, conditional.size)) < conditional
        yield np.cumprod(kept, axis=1).sum(axis=1).astype(np.int64)
