"""What a speedup implies of acceptance: true values lie within, repeats give the interval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel import engine
from specmodel.engine.case import EngineCase
from specmodel.engine.implied import MOST_FIXED, implied_acceptance
from specmodel.measured.spec_stats import SpecStats, StatsError
from specmodel.model.acceptance import Acceptance


@given(st.floats(0.05, 0.98), st.integers(1, 16), st.floats(0, MOST_FIXED), st.floats(0, 0.3))
def test_the_true_tokens_per_round_lie_within_what_is_implied(alpha: float, k: int, fixed: float, cost: float) -> None:
    tau = Acceptance.iid(alpha, k).mean_acceptance_length
    stats = SpecStats("", "typed", num_speculative_tokens=k, tpot_ms=10 * (1 + fixed + cost * k) / tau)
    case = EngineCase(stats, plain_ms_typed=10.0)
    for given_cost in (None, cost):
        found = implied_acceptance(case, given_cost)
        assert found is not None and found.high is not None and found.is_possible
        assert found.low <= tau * (1 + 1e-9) and tau <= found.high * (1 + 1e-9)


def test_a_speedup_that_k_cannot_give_is_said_to_be_impossible() -> None:
    case = EngineCase(SpecStats("", "typed", num_speculative_tokens=1, tpot_ms=4.0), plain_ms_typed=10.0)
    found = implied_acceptance(case)
    assert found is not None and not found.is_possible


def test_nothing_is_implied_where_acceptance_was_measured_or_times_are_missing() -> None:
    known = SpecStats("", "typed", num_speculative_tokens=2, printed_length=2.0, tpot_ms=5.0)
    assert implied_acceptance(EngineCase(known, plain_ms_typed=10.0)) is None
    assert implied_acceptance(EngineCase(SpecStats("", "typed", tpot_ms=5.0))) is None
    with pytest.raises(StatsError):
        implied_acceptance(EngineCase(SpecStats("", "typed", tpot_ms=5.0), plain_ms_typed=9.0), -1.0)


def two(plain: list[float], fast: list[float]) -> SpecStats:
    parts = [SpecStats("", "b", label="off", speculation=False, tpot_ms=each) for each in plain]
    parts += [SpecStats("", "b", label="k = 3", num_speculative_tokens=3, tpot_ms=each) for each in fast]
    return parts[-1].replace(label="", parts=tuple(parts), parts_are_settings=True)


def test_repeats_give_the_interval_and_single_runs_the_assumed_one() -> None:
    repeated = engine.answer(two([10.0, 10.1, 9.9], [6.0, 6.1, 5.9]))
    assert repeated.case.speedup_method == "repeats" and repeated.case.times_vary
    assert repeated.speedup is not None and repeated.speedup.value == pytest.approx(10 / 6, rel=1e-3)
    assert repeated.speedup.low is not None and 1.55 < repeated.speedup.low < 1.66
    once = engine.answer(two([10.0], [6.0]))
    assert once.case.speedup_method == "timed_once" and not once.case.times_vary


def test_repeats_that_scatter_leave_it_open() -> None:
    assert engine.answer(two([10.0, 13.0], [9.0, 11.0])).verdict.kind == "too_close"
