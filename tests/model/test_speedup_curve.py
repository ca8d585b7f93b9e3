import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.speedup_curve import ALPHAS, long_run_speedups, neighbours, speedup_curve
from tests.conftest import examples

CASES = [
    Scenario(),
    Scenario(num_speculative_tokens=0),
    Scenario(num_speculative_tokens=16, verify_ms_per_token=1, overhead_ms=2),
    Scenario(vocabulary_overlap=0.4),
    Scenario(vocabulary_overlap=0.005),
    Scenario(vocabulary_overlap=0),
    Scenario(overhead_ms=500),
    Scenario(output_tokens=1),
    Scenario(output_tokens=4),
]
every_case = pytest.mark.parametrize(
    "scenario", CASES, ids=lambda s: f"k{s.num_speculative_tokens}-v{s.vocabulary_overlap}"
)


@every_case
def test_the_curve_is_the_long_run_speedup(scenario):
    curve = speedup_curve(scenario)
    assert curve.alpha.tolist() == ALPHAS.tolist()
    wanted = [evaluate(scenario.replace(alpha=float(alpha))).speedup for alpha in ALPHAS[::10]]
    assert curve.speedup[::10] == pytest.approx(wanted)
    assert np.all(np.diff(curve.speedup) >= 0)


@every_case
def test_the_band_is_that_of_one_output(scenario):
    curve = speedup_curve(scenario)
    assert curve.band_alpha.shape == curve.low.shape == curve.high.shape
    assert (curve.band_alpha[0], curve.band_alpha[-1]) == (0, 1)
    assert np.all(np.diff(curve.band_alpha) > 0) and np.all(curve.low <= curve.high)
    for alpha, low, high in list(zip(curve.band_alpha, curve.low, curve.high, strict=True))[::4]:
        outcome = evaluate(scenario.replace(alpha=min(float(alpha), 1.0)))
        ends = (outcome.baseline_ms / outcome.total_ms_high, outcome.baseline_ms / outcome.total_ms_low)
        assert (low, high) == pytest.approx(ends)


@pytest.mark.parametrize("overlap", [1, 0.4])
@pytest.mark.parametrize("k", [1, 5, 16])
def test_the_band_holds_the_curve_of_a_long_output(k, overlap):
    curve = speedup_curve(Scenario(num_speculative_tokens=k, vocabulary_overlap=overlap))
    at = np.interp(curve.band_alpha, curve.alpha, curve.speedup)
    slack = 0.01  # whole rounds, and the overshoot of the last one
    assert np.all(curve.low <= at * (1 + slack)) and np.all(at * (1 - slack) <= curve.high)


def test_the_band_narrows_with_the_length_of_the_output():
    curves = [speedup_curve(Scenario(output_tokens=n)) for n in (100, 1000, 10_000, 100_000)]
    widths = [float(np.max(curve.high - curve.low)) for curve in curves]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] / widths[2] == pytest.approx(10, rel=0.25)  # as 1/sqrt(N)


@given(st.floats(0, 1), st.integers(0, 12))
@examples(30)
def test_any_overlap_gives_a_band_over_the_whole_axis(overlap, k):
    curve = speedup_curve(Scenario(vocabulary_overlap=overlap, num_speculative_tokens=k, output_tokens=50))
    assert np.all(np.isfinite(curve.band_alpha)) and np.all(np.isfinite(curve.low)) and np.all(np.isfinite(curve.high))
    assert (curve.band_alpha[0], curve.band_alpha[-1]) == (0, 1)


@every_case
def test_thin_lines_are_curves_of_other_draft_lengths(scenario):
    for k in (0, 1, 7):
        assert long_run_speedups(scenario, k) == pytest.approx(
            speedup_curve(scenario.replace(num_speculative_tokens=k)).speedup
        )


@pytest.mark.parametrize(
    ("k", "near"), [(0, (1, 2, 4)), (1, (2,)), (2, (1, 3, 4)), (5, (2, 4, 6, 10)), (40, (20, 39, 41)), (64, (32, 63))]
)
def test_neighbours(k, near):
    assert neighbours(Scenario(num_speculative_tokens=k)) == near
