"""How fast the model is: one evaluation, the exact distribution, simulated rounds, and what each page computes.

Figures, not tests: nothing here fails because a machine was busy. Run with `bash tests/run.sh bench`.
"""

import dataclasses
import importlib
import itertools
import random
import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from specmodel.dashboard.parts.answer import Chart
from specmodel.dashboard.parts.element_data import plain
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import translator
from specmodel.model.acceptance import Acceptance
from specmodel.model.draft_lengths import best_num_speculative_tokens
from specmodel.model.outcome import evaluate
from specmodel.model.rounds import rounds_distribution
from specmodel.model.scenario import Scenario
from specmodel.model.simulate import simulate

STEPS = itertools.count(1)


def moved() -> Scenario:
    """A scenario that was not seen before, as after a slider move: nothing of it is in a cache."""
    return Scenario(alpha=0.3 + next(STEPS) % 60_000 / 100_000)


@pytest.mark.parametrize("page", ["speedup", "draft_length", "vocabulary", "one_round"])
def test_page_computation(benchmark: BenchmarkFixture, page: str) -> None:
    """Everything a page computes after a slider move, figures included; the aim is under 10 ms."""
    answer = importlib.import_module(f"specmodel.dashboard.{page}.answer").answer
    start, _ = read_link({})

    def computed() -> None:
        parts = answer(dataclasses.replace(start, scenario=moved()), translator("en"))
        for name in parts:
            if isinstance(parts[name], Chart):
                plain(parts[name].figure)

    computed()
    benchmark(computed)


def test_evaluate(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: evaluate(moved()))


def test_best_draft_length(benchmark: BenchmarkFixture) -> None:
    benchmark(lambda: best_num_speculative_tokens(moved()))


@pytest.mark.parametrize("output_tokens", [4_000, 100_000])
def test_exact_distribution(benchmark: BenchmarkFixture, output_tokens: int) -> None:
    """All three quantiles; the aim is under 10 ms for 4,000 tokens and under 100 ms for 100,000."""
    benchmark(
        lambda: rounds_distribution(Acceptance.iid(moved().alpha, 5), output_tokens).quantile([0.025, 0.5, 0.975])
    )


def plain_loop(alpha: float, k: int, output_tokens: int, runs: int, draw: random.Random) -> int:
    """The obvious simulation, draft by draft; returns the rounds it played."""
    rounds = 0
    for _ in range(runs):
        tokens = 0
        while tokens < output_tokens:
            accepted = 0
            while accepted < k and draw.random() < alpha:
                accepted += 1
            tokens += accepted + 1
            rounds += 1
    return rounds


def test_simulation_against_the_plain_loop(benchmark: BenchmarkFixture) -> None:
    """Rounds per second, and how many times the plain loop in the same process; the aim is 200."""
    article = Scenario()
    started = time.perf_counter()
    loop_rounds = plain_loop(article.alpha, 5, article.output_tokens, 100, random.Random(0))
    loop_rate = loop_rounds / (time.perf_counter() - started)
    played = benchmark(lambda: int(simulate(article, runs=20_000, seed=next(STEPS)).rounds.sum()))
    rate = played / benchmark.stats.stats.median  # type: ignore[union-attr]
    benchmark.extra_info["times_the_loop"] = round(rate / loop_rate)
    print(f"\n{rate:,.0f} rounds/s, the plain loop {loop_rate:,.0f}: {rate / loop_rate:,.0f} times")
