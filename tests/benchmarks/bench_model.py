"""How fast the model is: one evaluation, the exact distribution, simulated rounds, and what each page computes.

Figures, not tests: nothing here fails because a machine was busy. Run with `bash tests/run.sh bench`.
"""

import itertools
import random
import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from specmodel.dashboard.parts.chart import plain
from specmodel.dashboard.vocabulary.tokenizers import pair_bounds, pairing_marks
from specmodel.figures.draft_length import accepted_figure, map_figure, marginal_figure, waste_figure
from specmodel.figures.one_round import Moment, round_figure
from specmodel.figures.speedup import speedup_figure
from specmodel.figures.time import time_figure, time_per_token_figure
from specmodel.figures.vocabulary import bounds_figure, overlap_figure
from specmodel.model.acceptance import Acceptance
from specmodel.model.draft_lengths import best_num_speculative_tokens, draft_lengths, speedup_map
from specmodel.model.outcome import evaluate
from specmodel.model.rounds import rounds_distribution
from specmodel.model.scenario import Scenario
from specmodel.model.simulate import simulate, trace
from specmodel.model.speedup_curve import ALPHAS, long_run_speedups, neighbours, speedup_curve
from specmodel.model.vocabulary import tokenizer_pair

STEPS = itertools.count(1)


def moved() -> Scenario:
    """A scenario that was not seen before, as after a slider move: nothing of it is in a cache."""
    return Scenario(alpha=0.3 + next(STEPS) % 60_000 / 100_000)


def english(text: str) -> str:
    return text


def speedup_page(scenario: Scenario) -> None:
    outcome, lengths = evaluate(scenario), draft_lengths(scenario)
    thin = {k: long_run_speedups(scenario, k) for k in neighbours(scenario)}
    plain(speedup_figure(speedup_curve(scenario), scenario, outcome, english, thin=thin))
    plain(time_figure(lengths, scenario, english))
    plain(time_per_token_figure(scenario, outcome, english))


def draft_length_page(scenario: Scenario) -> None:
    lengths = draft_lengths(scenario)
    evaluate(scenario.replace(num_speculative_tokens=lengths.best))
    plain(time_figure(lengths, scenario, english))
    plain(marginal_figure(lengths, english))
    plain(waste_figure(lengths, english))
    plain(accepted_figure(scenario.acceptance, english))
    plain(map_figure(speedup_map(scenario, ALPHAS), scenario, english))


def vocabulary_page(scenario: Scenario) -> None:
    outcome, pair = evaluate(scenario), tokenizer_pair("llama3", "qwen3")
    plain(overlap_figure(scenario, outcome, pairing_marks(english), None, english))  # type: ignore[arg-type]
    plain(bounds_figure(pair_bounds(pair, scenario.alpha, english), outcome, english))  # type: ignore[arg-type]


def one_round_page(scenario: Scenario) -> None:
    run = trace(scenario, seed=1)
    plain(round_figure(run, Moment(3, 6), english))


@pytest.mark.parametrize("computed", [speedup_page, draft_length_page, vocabulary_page, one_round_page])
def test_page_computation(benchmark: BenchmarkFixture, computed: object) -> None:
    """Everything a page computes after a slider move, figures included; the aim is under 10 ms."""
    speedup_curve(Scenario())
    benchmark(lambda: computed(moved()))  # type: ignore[operator]


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
