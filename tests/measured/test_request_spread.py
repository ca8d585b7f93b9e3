# mypy: disable-error-code="arg-type, operator, union-attr"
"""The spread between requests, found again in requests that were drawn with one."""

import numpy as np
import pytest

from specmodel.measured.bundled import bundled_run
from specmodel.measured.request_spread import request_spread
from specmodel.measured.rounds_counters import counters
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats


def engine(requests, spread, rng, rounds=60, k=4, mean=0.7):
    total = mean * (1 - mean) / spread**2 - 1 if spread else 1e12
    alpha = rng.beta(mean * total, (1 - mean) * total, requests)
    kept = np.cumprod(rng.random((requests, rounds, k)) < alpha[:, None, None], axis=2).sum(axis=1)
    rows = [(rounds, rounds * k, row.sum(), tuple(row)) for row in kept]
    return SpecStats("a", "b", units=Units.of("requests", rows))


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.15])
def test_the_spread_that_was_drawn_is_found_without_what_chance_adds(spread):
    rng = np.random.default_rng(1)
    found = np.mean([request_spread(engine(40, spread, rng)) for _ in range(30)])
    assert found == pytest.approx(spread, abs=0.015)


def test_a_real_run_has_a_spread():
    run = bundled_run("pair").load().select(k=4, temperature=0)
    found = request_spread(counters(run))
    assert found is not None and 0.05 < found < 0.25  # by prompt .18 to .90


@pytest.mark.parametrize("kind", ["windows", "rounds"])
def test_windows_and_rounds_are_not_requests(kind):
    rows = [(10, 10, 5, (5,))] * 9
    assert request_spread(SpecStats("a", "b", units=Units.of(kind, rows))) is None


def test_few_requests_or_no_positions_tell_no_spread():
    assert request_spread(engine(4, 0.1, np.random.default_rng(0))) is None
    rows = [(10, 10, 5, None)] * 9
    assert request_spread(SpecStats("a", "b", units=Units.of("requests", rows))) is None
