"""Two runs that both speculate: the faster one, how sure, which part differs, and runs that are no pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.engine.two_runs import compare_runs, unlike
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

ONE = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.4, step_ms=10.0, batch_size=1.0)


@given(st.floats(1, 4), st.floats(1, 4), st.floats(1, 100), st.floats(1, 100))
def test_speed_is_the_product_of_its_parts_and_turning_the_runs_round_inverts_it(
    tau: float, other: float, ms: float, other_ms: float
) -> None:
    first, second = (ONE.replace(printed_length=t, step_ms=each) for t, each in ((tau, ms), (other, other_ms)))
    found, back = compare_runs(first, second), compare_runs(second, first)
    assert found.speed is not None and found.tokens is not None and found.step is not None and back.speed is not None
    assert found.speed.value == pytest.approx((found.tokens.value or 0) * (found.step.value or 0))
    assert (found.speed.value or 0) * (back.speed.value or 0) == pytest.approx(1)
    assert {found.kind, back.kind} in ({"first", "second"}, {"too_close"}) or "too_close" in (found.kind, back.kind)


def test_which_part_makes_the_difference() -> None:
    assert compare_runs(ONE, ONE.replace(printed_length=3.5)).part == "tokens"
    assert compare_runs(ONE, ONE.replace(step_ms=6.0)).part == "step"
    assert compare_runs(ONE, ONE.replace(step_ms=8.0, printed_length=3.0)).part == "both"
    assert compare_runs(ONE, ONE.replace(step_ms=12.0, printed_length=3.0)).part == "against"


def test_equal_runs_are_too_close() -> None:
    assert (
        compare_runs(ONE, ONE).kind == "too_close" and compare_runs(ONE, ONE.replace(step_ms=9.9)).kind == "too_close"
    )


def test_at_unlike_load_no_ratio_is_drawn_and_what_to_run_instead_is_said() -> None:
    found = compare_runs(ONE, ONE.replace(batch_size=8.0, step_ms=20.0))
    assert found.kind == "not_comparable" and found.speed is None and found.chance_second_faster is None
    assert "8 requests decoding at once" in str(unlike(found))
    assert compare_runs(ONE, ONE.replace(batch_size=1.2)).kind == "too_close"  # alike up to a quarter


def test_without_a_time_the_parts_that_are_known_remain() -> None:
    found = compare_runs(ONE.replace(step_ms=None), ONE.replace(printed_length=3.0))
    assert found.kind == "unknown" and found.tokens is not None and found.tokens.value == pytest.approx(1.25)


def timed(rng: np.random.Generator, ms: float) -> SpecStats:
    """A run of 60 requests whose times per token differ by 10 %."""
    pace = [(100.0, 100.0 * ms * float(np.exp(0.1 * rng.standard_normal())), 0.0, None) for _ in range(60)]
    return ONE.replace(tpot_ms=sum(row[1] for row in pace) / 6000, step_ms=None, pace=Units.of("requests", pace))


@pytest.mark.deep
def test_the_interval_of_two_simulated_runs_holds_what_it_says() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        found = compare_runs(timed(rng, 10.0), timed(rng, 8.0))
        assert found.speed is not None and found.method == "timed"
        held += (found.speed.low or 0) <= 1.25 <= (found.speed.high or 0)
    assert 0.91 <= held / 300 <= 0.99


def test_times_of_requests_give_the_interval() -> None:
    rng = np.random.default_rng(6)
    found = compare_runs(timed(rng, 10.0), timed(rng, 8.0))
    assert found.times_vary and found.kind == "second" and found.method == "timed"
