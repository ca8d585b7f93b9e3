# mypy: disable-error-code="arg-type, operator, type-var, union-attr"
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.measured.acceptance import measured_acceptance
from specmodel.measured.assumed_spread import REQUEST, RUN
from specmodel.measured.intervals import INTERVAL_METHODS, MAX_GROUPS
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats, StatsError
from specmodel.model.acceptance import Acceptance
from tests.conftest import times

K, ROUNDS = 4, 60


def beta_engine(rng, requests, mean=0.7, concentration=6.0, rounds=ROUNDS):
    """Accepted or not, by request, round and position; each request has its own alpha, drawn from a beta."""
    alpha = rng.beta(concentration * mean, concentration * (1 - mean), requests)
    return np.cumprod(rng.random((requests, rounds, K)) < alpha[:, None, None], axis=2)


def beta_survival(mean=0.7, concentration=6.0):
    """S_i = E[alpha^i], the moments of the beta distribution."""
    a, i = concentration * mean, np.arange(K)
    return np.cumprod((a + i) / (concentration + i))


def counted(kept, kind=None, positions=True) -> SpecStats:
    """The counters of those rounds, with their requests as units where a kind is given."""
    requests, rounds, _ = kept.shape
    by_request = kept.sum(axis=1)
    at = tuple(by_request.sum(axis=0).tolist())
    rows = [(rounds, rounds * K, row.sum(), tuple(row) if positions else None) for row in by_request]
    return SpecStats(
        "an engine",
        "simulation",
        num_speculative_tokens=K,
        num_rounds=requests * rounds,
        num_draft_tokens=requests * rounds * K,
        num_accepted_draft_tokens=sum(at),
        accepted_per_position=at,
        units=Units.of(kind, rows) if kind else None,
    )


def coverage(true, engines, stats_of, pick):
    """Share of the engines whose 95 % interval holds the true value."""
    rng, held = np.random.default_rng(7), 0
    engines = max(engines, times(engines))  # fewer could not tell
    for _ in range(engines):
        found = pick(measured_acceptance(stats_of(rng), resamples=400))
        held += found.low <= true <= found.high
    return held / engines


@pytest.mark.sized
@pytest.mark.parametrize("requests", [6, 8, 12, 40])
def test_intervals_cover_tau_where_requests_differ(requests):
    true = 1 + beta_survival().sum()
    drawn = coverage(true, 300, lambda rng: counted(beta_engine(rng, requests), "requests"), lambda m: m.length)
    alone = coverage(
        true, 300, lambda rng: counted(beta_engine(rng, requests)).replace(num_requests=requests), lambda m: m.length
    )
    assert 0.90 <= drawn <= 0.98
    assert alone >= 0.90  # assumed: wider than needed here, where nothing else differs between runs


@pytest.mark.sized
def test_requests_without_positions_cover_tau_and_the_positions_too():
    survival = beta_survival()

    def stats_of(rng):
        return counted(beta_engine(rng, 30), "requests", positions=False)

    assert 0.90 <= coverage(1 + survival.sum(), 200, stats_of, lambda m: m.length) <= 0.98
    assert 0.88 <= coverage(survival[2], 200, stats_of, lambda m: m.per_position[2]) <= 0.98


EXACT = Acceptance.iid(0.7, K)
PICKED = {
    "length": (lambda m: m.length, EXACT.mean_acceptance_length),
    "rate": (lambda m: m.rate, EXACT.draft_acceptance_rate),
    "position 2": (lambda m: m.per_position[1], 0.49),
    "conditional 3": (lambda m: m.conditional[2], 0.7),
}


@pytest.mark.sized
@pytest.mark.parametrize("name", PICKED)
def test_the_interval_over_requests_covers_everything_that_is_said_of_acceptance(name):
    pick, true = PICKED[name]
    found = coverage(
        true, 300, lambda rng: counted(beta_engine(rng, 40, concentration=1e9, rounds=10), "requests"), pick
    )
    assert 0.90 <= found <= 0.985


@pytest.mark.sized
@pytest.mark.parametrize("requests", [5, 20, 200])
def test_the_assumed_interval_covers_runs_that_differ_as_it_assumes(requests):
    """Runs whose acceptance moves as a whole, and requests that differ inside: counters alone hold their like."""

    def run(rng):
        power = np.exp(RUN * rng.standard_normal() + REQUEST * rng.standard_normal(requests))
        chance = 0.7 ** power[:, None, None]
        return np.cumprod(rng.random((requests, ROUNDS, K)) < chance, axis=2)

    rng, held = np.random.default_rng(3), 0
    runs = max(200, times(200))
    for _ in range(runs):
        one, other = (counted(run(rng)).replace(num_requests=float(requests)) for _ in range(2))
        found = measured_acceptance(one, resamples=400).length
        held += found.low <= other.mean_acceptance_length <= found.high
    assert 0.8 <= held / runs <= 0.98  # a repeat differs by √2 of what a run does from the truth


@pytest.mark.sized
def test_blocks_of_rounds_cover_where_neighbours_resemble_each_other():
    """One long answer in which easy and hard stretches of 12 rounds alternate at random."""

    def stats_of(rng):
        alpha = np.repeat(rng.choice([0.5, 0.9], 120), 12)
        kept = np.cumprod(rng.random((alpha.size, 1, K)) < alpha[:, None, None], axis=2)
        return counted(kept, "rounds")

    true = 1 + sum((0.5**i + 0.9**i) / 2 for i in range(1, K + 1))
    assert 0.85 <= coverage(true, 200, stats_of, lambda m: m.length) <= 0.98


@pytest.mark.sized
@pytest.mark.parametrize("windows", [16, 60, 300])
def test_windows_of_a_log_cover_where_neighbours_resemble_each_other(windows):
    """Acceptance that drifts from window to window (first-order, correlation 0.5) around 0.7."""

    def stats_of(rng):
        level = np.zeros(windows)
        for at in range(windows):
            level[at] = (level[at - 1] if at else rng.standard_normal() / 0.75**0.5) * 0.5 + rng.standard_normal()
        chance = np.clip(0.7 + 0.06 * level, 0, 1)
        return counted(np.cumprod(rng.random((windows, 50, K)) < chance[:, None, None], axis=2), "windows")

    normal = np.clip(0.7 + 0.06 * np.random.default_rng(1).standard_normal(200_000) / 0.75**0.5, 0, 1)
    true = 1 + sum(np.mean(normal**i) for i in range(1, K + 1))
    assert 0.86 <= coverage(true, 200, stats_of, lambda m: m.length) <= 0.98


# What the draws are


@given(st.integers(0, 400), st.integers(1, 400), st.integers(1, 30), st.integers(0, 4))
def test_assumed_draws_are_distributions_around_what_was_counted(reached, more, share, seed):
    positions = (float(reached), float(reached * share // 31), 0.0)
    stats = SpecStats("a", "b", num_rounds=float(reached + more), accepted_per_position=positions)
    found = measured_acceptance(stats, seed=seed, resamples=200)
    assert found.method == "assumed" and found.by_position
    assert found.draws.shape == (200, 3)
    assert np.all(np.diff(found.draws, axis=1) <= 1e-12) and found.draws.min() >= 0 and found.draws.max() <= 1
    for each in (found.length, found.rate, *found.per_position):
        assert each.low <= each.value <= each.high
        assert each.method == INTERVAL_METHODS["assumed"]


def test_counting_more_rounds_does_not_take_away_what_differs_between_runs():
    stats = SpecStats("a", "b", num_rounds=5e6, accepted_per_position=(3.5e6, 2.45e6, 1.5e6), num_requests=1e9)
    found = measured_acceptance(stats)
    assert np.log(found.draws[:, 0]).std() == pytest.approx(RUN * -np.log(0.7), rel=0.08)  # S^p, log p of sd RUN
    few = measured_acceptance(stats.replace(num_requests=4))
    assert few.length.half_width > 1.8 * found.length.half_width


@pytest.mark.parametrize("requests", [8, 30])
def test_draws_over_requests_have_the_spread_of_a_ratio_of_sums(requests):
    stats = counted(beta_engine(np.random.default_rng(3), requests), "requests")
    found, counts = measured_acceptance(stats, resamples=4000), stats.units.counts
    length = found.acceptance.mean_acceptance_length - 1
    # Cochran 1977, eq. 6.10, times t ÷ z of n − 1 degrees of freedom
    ratio = (
        np.sqrt(np.sum((counts[:, 2] - length * counts[:, 0]) ** 2) / (requests - 1) * requests) / counts[:, 0].sum()
    )
    student = {8: 2.3646, 30: 2.0452}[requests] / 1.95996
    assert found.draws.sum(axis=1).std() == pytest.approx(ratio * student, rel=0.05)


def test_the_same_seed_gives_the_same_interval_and_another_one_another():
    stats = counted(beta_engine(np.random.default_rng(3), 20), "requests")
    assert measured_acceptance(stats, seed=1).length == measured_acceptance(stats, seed=1).length
    assert measured_acceptance(stats, seed=1).length != measured_acceptance(stats, seed=2).length


def test_which_method_was_used():
    rng = np.random.default_rng(5)
    for requests, kind, expected in [
        (1, "requests", "assumed"),
        (2, "requests", "few"),
        (4, "requests", "few"),
        (5, "requests", "requests"),
        (9, "windows", "few"),  # three blocks of three
        (16, "windows", "windows"),
        (5, "rounds", "few"),
        (200, "rounds", "rounds"),
    ]:
        rounds = 1 if kind == "rounds" else 20
        found = measured_acceptance(counted(beta_engine(rng, requests, rounds=rounds), kind))
        assert found.method == expected, (requests, kind)
    assert measured_acceptance(SpecStats("a", "b", printed_length=2.0), 3).method == "assumed"


def test_two_rounds_are_one_block_and_show_no_spread():
    found = measured_acceptance(counted(beta_engine(np.random.default_rng(0), 2, rounds=1), "rounds"))
    assert found.method == "assumed"
    assert np.isfinite(found.length.low) and np.isfinite(found.length.high)


def test_few_requests_are_never_surer_than_what_is_assumed():
    kept = np.zeros((4, ROUNDS, K))
    kept[:, ::2, :2] = 1  # every request the same: the bootstrap alone would show no spread
    few, alone = (measured_acceptance(counted(kept, kind)) for kind in ("requests", None))
    assert few.method == "few"
    assert few.length.half_width == alone.length.half_width > 0


def test_units_without_rounds_fall_back_to_what_is_assumed():
    stats = SpecStats("a", "b", num_rounds=100.0, accepted_per_position=(50.0, 20.0),
                      units=Units.of("requests", [(0, 2, 1, None)] * 10))  # fmt: skip
    assert measured_acceptance(stats).method == "assumed"
    bare = measured_acceptance(stats.replace(num_rounds=None, accepted_per_position=None, printed_length=1.5), 3)
    assert bare.method == "assumed" and bare.length.low < 1.5 < bare.length.high


def test_units_without_positions_keep_the_measured_shape():
    """First position good, second dead: one alpha for both would put the second where it never was."""
    rows = [(10, 20, 6 + i % 3, None) for i in range(40)]
    accepted = sum(row[2] for row in rows)
    stats = SpecStats("a", "b", num_rounds=400.0, accepted_per_position=(accepted - 8.0, 8.0),
                      num_accepted_draft_tokens=accepted, units=Units.of("requests", rows))  # fmt: skip
    found = measured_acceptance(stats)
    assert found.method == "requests"
    assert found.per_position[1].high < 0.05
    assert found.length.low < found.length.value < found.length.high
    assert found.draws.mean(axis=0) == pytest.approx(stats.per_position_acceptance, abs=0.01)


def test_more_than_the_limit_of_requests_are_joined_without_loss_of_spread():
    kept = beta_engine(np.random.default_rng(2), 3 * MAX_GROUPS, rounds=5)
    many = measured_acceptance(counted(kept, "requests"))
    exact = np.std(kept.sum(axis=(1, 2)) / 5, ddof=1) / np.sqrt(3 * MAX_GROUPS)
    assert many.draws.sum(axis=1).std() == pytest.approx(exact, rel=0.1)


def test_one_alpha_is_assumed_where_positions_are_unknown():
    stats = SpecStats("a", "b", num_rounds=1000.0, num_accepted_draft_tokens=1875.0, num_speculative_tokens=4)
    found = measured_acceptance(stats)
    assert not found.by_position
    assert found.length.value == pytest.approx(2.875)
    alpha = found.acceptance.per_position_acceptance[0]
    assert [each.value for each in found.conditional] == pytest.approx([alpha] * 4)


def test_a_position_that_was_never_reached_has_no_conditional_rate():
    found = measured_acceptance(SpecStats("a", "b", num_rounds=50.0, accepted_per_position=(10.0, 0.0, 0.0)))
    assert found.conditional[1].value == 0
    assert (found.conditional[2].value, found.conditional[2].low) == (None, None)
    assert found.per_position[2].high > 0  # never seen is not impossible


def test_certain_acceptance_has_an_interval_below_it():
    found = measured_acceptance(SpecStats("a", "b", num_rounds=50.0, accepted_per_position=(50.0, 50.0)))
    assert found.length.high == found.length.value == 3
    assert 2.8 < found.length.low < 3


def test_what_is_missing_is_said():
    with pytest.raises(StatsError, match="neither tokens per round"):
        measured_acceptance(SpecStats("a", "b"))
    with pytest.raises(SpecmodelError, match="cannot come from 2 drafts"):
        measured_acceptance(SpecStats("a", "b", printed_length=3.5), 2)
