# mypy: disable-error-code="arg-type, union-attr"
"""Speeds of timed requests: paired, on the log scale, and covering what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.measured.intervals import MAX_GROUPS
from specmodel.measured.pace import log_beside_draws, log_pace_draws, log_speedup_draws
from specmodel.measured.sampling_units import Units
from tests.conftest import times


def pace(tokens, ms, beside=0.0, kind="requests"):
    beside = np.broadcast_to(beside, np.shape(ms))
    return Units.of(kind, [(float(n), float(t), float(p), None) for n, t, p in zip(tokens, ms, beside, strict=True)])


def holds(logs, measured, true):
    low, high = np.quantile(measured * np.exp(logs), [0.025, 0.975])
    return low <= true <= high


@pytest.mark.sized
@pytest.mark.parametrize("requests", [3, 5, 8, 30])
@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_of_a_speedup_over_requests_covers_the_true_one(requests, paired):
    """Requests differ in length and pace by a third, and by how much they gain; the true speedup is 1.5."""
    rng, held, runs = np.random.default_rng(5), 0, max(300, times(300))
    for _ in range(runs):
        tokens = rng.integers(50, 300, requests)
        own = 10 * rng.lognormal(0, 0.3, requests)
        if not paired:
            other = rng.integers(50, 300, requests + 1)
            plain = other * 10 * rng.lognormal(0, 0.3, requests + 1)
        else:
            other, plain = tokens, tokens * own
        spent = tokens * own / 1.5 * rng.lognormal(0, 0.2, requests)
        measured = (plain.sum() / other.sum()) / (spent.sum() / tokens.sum())
        logs = log_speedup_draws(pace(other, plain), pace(tokens, spent), resamples=400)
        held += holds(logs, measured, 1.5 * np.exp((0.3**2 - 0.3**2 - 0.2**2) / 2))
    assert (0.86 if requests == 3 else 0.89) <= held / runs <= 0.99


def test_pairs_leave_out_what_both_runs_share():
    rng = np.random.default_rng(2)
    tokens, own = rng.integers(50, 300, 40), rng.lognormal(0, 0.8, 40)
    plain, spent = pace(tokens, 20 * tokens * own), pace(tokens, 10 * tokens * own)
    assert np.abs(log_speedup_draws(plain, spent)).max() < 1e-9
    assert log_speedup_draws(pace(tokens[:-1], (20 * tokens * own)[:-1]), spent).std() > 0.1


@given(st.integers(2, 6), st.floats(0.01, 100), st.integers(0, 99))
def test_draws_do_not_depend_on_the_units_of_time(requests, unit, seed):
    rng = np.random.default_rng(seed)
    tokens, ms = rng.integers(1, 300, requests), rng.lognormal(0, 1, requests)
    one, other = log_pace_draws(pace(tokens, ms)), log_pace_draws(pace(tokens, ms * unit))
    assert one == pytest.approx(other, abs=1e-9)
    assert one.mean() == pytest.approx(0, abs=1e-9) and np.isfinite(one).all()


def test_more_requests_than_are_drawn_one_by_one_keep_their_interval():
    """No switch at a limit: 499, 501 and 2,000 requests show a spread that falls with their root."""
    rng = np.random.default_rng(3)
    spreads = []
    for requests in (MAX_GROUPS - 1, MAX_GROUPS + 1, 4 * MAX_GROUPS):
        tokens = rng.integers(50, 300, requests)
        logs = log_pace_draws(pace(tokens, tokens * rng.lognormal(0, 0.3, requests)), resamples=2000)
        spreads.append(logs.std() * np.sqrt(requests))
    assert spreads == pytest.approx([spreads[0]] * 3, rel=0.2)


@pytest.mark.parametrize("units", [None, pace([1], [1.0]), pace([1, 0], [1.0, 1.0]), pace([1, 1], [0.0, 1.0])])
def test_what_has_no_times_or_no_tokens_shows_no_spread(units):
    assert log_pace_draws(units) is None
    assert log_speedup_draws(units, pace([1, 2], [1.0, 2.0])) is None
    assert log_speedup_draws(pace([1, 2], [1.0, 2.0]), units) is None
    assert log_beside_draws(units) is None
