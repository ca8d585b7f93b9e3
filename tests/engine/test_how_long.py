"""How long to measure: so long a run is enough in nine of ten cases, and what was simulated lies in its interval."""

import numpy as np
import pytest

from specmodel import engine
from specmodel.base.messages import SpecmodelError
from specmodel.engine.case import EngineCase
from specmodel.engine.how_long import how_long
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

PLAIN_MS = 10.0


def run(rng: np.random.Generator, requests: int, speedup: float = 1.06, spread: float = 0.25) -> EngineCase:
    """A run of so many requests of 80 to 200 tokens, whose times per token differ, beside an exact plain step."""
    tokens = rng.integers(80, 200, requests).astype(float)
    ms = PLAIN_MS / speedup * np.exp(spread * rng.standard_normal(requests) - spread**2 / 2)
    rows = [(float(n), float(n * each), 0.0, None) for n, each in zip(tokens, ms, strict=True)]
    whole = sum(row[1] for row in rows) / sum(row[0] for row in rows)
    stats = SpecStats(
        "a", "b", num_speculative_tokens=3, printed_length=2.0, tpot_ms=whole, pace=Units.of("requests", rows),
        num_requests=requests, window_s=float(requests) * 2,
    )  # fmt: skip
    return EngineCase(stats, plain_ms_typed=PLAIN_MS)


def test_more_requests_are_asked_for_where_they_scatter_more_and_where_less_matters() -> None:
    def needed(spread: float, matters: float) -> int:
        found = how_long(run(np.random.default_rng(1), 30, 1.0, spread), matters)
        assert found is not None and found.needed is not None
        return found.needed

    assert needed(0.1, 0.05) < needed(0.3, 0.05) < needed(0.3, 0.02)
    assert needed(0.3, 0.02) / needed(0.3, 0.04) == pytest.approx(4, rel=0.3)  # as the square of the difference


def test_minutes_follow_from_the_pace_of_the_file_or_from_what_was_asked() -> None:
    case = run(np.random.default_rng(2), 20, 1.0)
    found, asked = how_long(case, 0.02), how_long(case, 0.02, per_minute=60)
    assert found is not None and asked is not None and found.needed is not None
    assert found.minutes == pytest.approx((found.needed - 20) * 2 / 60)
    assert asked.minutes == pytest.approx((found.minutes or 0) / 2)


def test_a_large_effect_is_known_soon_though_its_size_is_not() -> None:
    found = how_long(run(np.random.default_rng(3), 12, 2.0), 0.01)
    assert found is not None and found.is_enough and found.wanted > 0.5


def test_what_differs_between_runs_is_not_measured_by_a_longer_one() -> None:
    """Without times of requests 5 % between runs are assumed: 2 % are never told by one run, but by several."""
    stats = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, step_ms=19.8, num_requests=1000)
    found = how_long(EngineCase(stats, plain_ms_typed=10.0), 0.02)
    assert found is not None and found.needed is None and found.runs is not None and found.runs > 10
    assert found.is_assumed and not found.is_enough and found.minutes is None


def test_repeats_are_counted_as_runs() -> None:
    times = ((0, (10.0, 10.4, 9.7)), (3, (9.9, 10.2, 9.6)))
    parts = [
        SpecStats("a", "b", label=f"k = {k}", speculation=k > 0, num_speculative_tokens=k or None, tpot_ms=ms)
        for k, all_ms in times
        for ms in all_ms
    ]
    answer = engine.answer(parts[3].replace(parts=tuple(parts), parts_are_settings=True))
    found = how_long(answer.case, 0.02)
    assert found is not None and found.unit == "runs" and found.now == 3 and (found.needed or 0) > 3


def test_without_acceptance_and_times_nothing_is_said_and_differences_are_checked() -> None:
    assert how_long(EngineCase(SpecStats("a", "b"))) is None
    with pytest.raises(SpecmodelError):
        how_long(run(np.random.default_rng(4), 5), 0.0)


@pytest.mark.deep
@pytest.mark.parametrize(("requests", "spread"), [(10, 0.2), (20, 0.3), (60, 0.25)])
def test_so_many_requests_are_enough_and_their_interval_holds(requests: int, spread: float) -> None:
    """Pilot runs ask for n requests for ± 4 %; runs of n are that narrow in nine of ten cases, and hold the truth."""
    rng = np.random.default_rng(7)
    enough, held, trials = 0, 0, 200
    for _ in range(trials):
        pilot = how_long(run(rng, requests, 1.0, spread), 0.04)
        assert pilot is not None and pilot.needed is not None
        case = run(rng, min(max(pilot.needed, 5), 4000), 1.0, spread)
        found = how_long(case, 0.04)
        assert found is not None and case.speedup is not None
        enough += found.is_enough
        held += (case.speedup.low or 0) <= 1.0 <= (case.speedup.high or 9)
    assert enough / trials >= 0.82, enough / trials
    assert 0.9 <= held / trials <= 0.99, held / trials
