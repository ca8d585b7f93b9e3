"""The three tables of the article that started the project, and what the exact distribution says about them."""

from dataclasses import dataclass

import pytest

from specmodel.model.break_even import break_even_alpha
from specmodel.model.draft_lengths import best_num_speculative_tokens, draft_lengths
from specmodel.model.outcome import evaluate
from specmodel.model.presets import PRESETS
from specmodel.model.scenario import Scenario, rounds_to_emit
from specmodel.model.vocabulary import ARTICLE_PAIRINGS

# alpha, k, exact mean of the rounds, and the 95 % interval of one draw where the issue gives it
EXACT = [
    (0.2, 5, 3200.4, (3151, 3250)),
    (0.4, 5, 2410.3, (2351, 2469)),
    (0.6, 5, 1678.8, (1626, 1732)),
    (0.8, 5, 1084.7, (1051, 1120)),
    (0.95, 5, 755.4, (741, 771)),
    (0.55, 1, 2580.9, (2549, 2613)),
    (0.55, 2, 2159.6, None),
    (0.55, 4, 1895.8, None),
    (0.55, 8, 1808.9, None),
    (0.55, 16, 1800.6, (1739, 1862)),
]


@dataclass(frozen=True)
class Row:
    """One row of the article: one random draw with 22 ms target, 3 ms draft, 4,000 tokens."""

    alpha: float
    k: int
    tokens_per_round: float
    rounds: int
    seconds: float
    time_ratio: float | None
    wasted: int | None

    @property
    def scenario(self):
        return Scenario(alpha=self.alpha, num_speculative_tokens=self.k)


# The numbers below are the article's own: its first table (by acceptance) and its second (by draft length).
ARTICLE = [
    Row(0.20, 5, 1.23, 3249, 120.2, 1.37, None),
    Row(0.40, 5, 1.68, 2375, 87.9, 1.00, None),
    Row(0.60, 5, 2.41, 1657, 61.3, 0.70, None),
    Row(0.80, 5, 3.78, 1059, 39.2, 0.45, None),
    Row(0.95, 5, 5.31, 754, 27.9, 0.32, None),
    Row(0.55, 1, 1.55, 2578, 64.5, None, 1156),
    Row(0.55, 2, 1.85, 2159, 60.5, None, 2477),
    Row(0.55, 4, 2.10, 1905, 64.8, None, 5525),
    Row(0.55, 8, 2.18, 1839, 84.6, None, 12551),
    Row(0.55, 16, 2.17, 1847, 129.3, None, 27397),
]
every_row = pytest.mark.parametrize("row", ARTICLE, ids=lambda row: f"{row.alpha}-{row.k}")


@pytest.mark.parametrize(("alpha", "k", "mean", "interval"), EXACT)
def test_exact_rounds(alpha, k, mean, interval):
    scenario = Scenario(alpha=alpha, num_speculative_tokens=k)
    exact = rounds_to_emit(scenario)
    assert round(exact.mean, 1) == mean
    assert round(evaluate(scenario).num_rounds, 1) == mean
    if interval:
        assert tuple(exact.quantile([0.025, 0.975])) == interval


@every_row
def test_its_rounds_lie_in_the_exact_interval(row):
    low, high = rounds_to_emit(row.scenario).quantile([0.025, 0.975])
    assert low <= row.rounds <= high


@every_row
def test_its_rows_agree_with_themselves(row):
    """Its seconds, tokens per round and time ratio are its rounds × our cost of a round, and 4,000 ÷ its rounds."""
    round_ms = float(row.scenario.round_cost.round_ms)
    assert row.seconds == pytest.approx(row.rounds * round_ms / 1000, abs=0.051)
    assert row.tokens_per_round == pytest.approx(4000 / row.rounds, abs=0.0051)
    if row.time_ratio is not None:
        assert row.time_ratio == pytest.approx(row.rounds * round_ms / row.scenario.baseline_ms, abs=0.0051)


@every_row
def test_its_seconds_and_tokens_per_round_are_near_the_exact_ones(row):
    outcome = evaluate(row.scenario)
    low, high = rounds_to_emit(row.scenario).total_ms.quantile([0.025, 0.975]) / 1000
    assert low - 0.05 <= row.seconds <= high + 0.05
    assert row.seconds == pytest.approx(outcome.total_ms / 1000, rel=0.03)
    assert row.tokens_per_round == pytest.approx(outcome.mean_acceptance_length, rel=0.03)
    if row.time_ratio is not None:
        assert row.time_ratio == pytest.approx(outcome.time_ratio, rel=0.03)


@pytest.mark.parametrize("row", [row for row in ARTICLE if row.wasted], ids=lambda row: f"{row.alpha}-{row.k}")
def test_its_wasted_drafts_lie_in_the_exact_distribution(row):
    wasted = rounds_to_emit(row.scenario).wasted_draft_tokens
    low, high = wasted.quantile([0.0005, 0.9995])
    assert low <= row.wasted <= high
    assert row.wasted == pytest.approx(evaluate(row.scenario).num_wasted_draft_tokens, rel=0.04)


@pytest.mark.parametrize("row", [row for row in ARTICLE if row.wasted], ids=lambda row: f"{row.alpha}-{row.k}")
def test_its_accounting_is_ours(row):
    """Wasted = k·rounds − accepted, accepted = tokens out − rounds: tokens out lie in 4,000 … 4,000 + k."""
    tokens = (row.k + 1) * row.rounds - row.wasted
    assert 4000 <= tokens <= 4000 + row.k


def test_its_40_percent_is_one_draw():
    outcome = evaluate(Scenario(alpha=0.4))
    assert outcome.time_ratio == pytest.approx(1.013, abs=5e-4)
    assert outcome.total_ms / outcome.baseline_ms == pytest.approx(1.013, abs=1e-3)
    assert outcome.verdict.kind == "too_close"
    assert outcome.total_ms_low < outcome.baseline_ms < outcome.total_ms_high


def test_its_break_even():
    assert break_even_alpha(Scenario()) == pytest.approx(0.408, abs=5e-4)
    assert evaluate(Scenario(alpha=0.4)).speedup < 1 < evaluate(Scenario(alpha=0.41)).speedup


def test_its_best_draft_length():
    table = draft_lengths(Scenario(alpha=0.55))
    assert table.best == best_num_speculative_tokens(Scenario(alpha=0.55)) == 2
    assert round(table.total_ms[2] / 1000, 1) == 60.5


def test_its_vocabulary_table():
    # overlap, base alpha and effective alpha as the article prints them
    printed = [(1.0, 0.6, 0.6), (0.72, 0.6, 0.432), (0.4, 0.6, 0.24)]
    rows = [(row.vocabulary_overlap, row.base_alpha, row.effective_alpha) for row in ARTICLE_PAIRINGS]
    assert rows == printed
    kinds = []
    for overlap, alpha, effective in printed:
        outcome = evaluate(Scenario(alpha=alpha, vocabulary_overlap=overlap))
        assert outcome.effective_alpha == pytest.approx(effective)
        kinds.append((outcome.verdict.kind, outcome.speedup > 1))
    assert kinds == [("pays", True), ("pays", True), ("does_not_pay", False)]


def test_the_presets_quote_it():
    presets = {preset.key: preset.scenario for preset in PRESETS}
    assert len(presets) == len(PRESETS)
    assert presets["article"] == Scenario()
    assert presets["one_draw"] == Scenario(alpha=0.4)
    assert presets["long_draft"] == ARTICLE[-1].scenario
    assert evaluate(presets["slow_drafter"]).speedup < 1 < evaluate(presets["good_pair"]).speedup
