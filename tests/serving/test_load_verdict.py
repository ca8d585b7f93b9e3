"""The verdict about the load that is asked for: fits, served, eaten by prefill, and only then faster or slower."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specmodel.model.costs import DraftCost
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import EngineTable, fixed_points
from specmodel.serving.asked import served, without_prefill
from specmodel.serving.load import Load
from specmodel.serving.memory import Capacity
from specmodel.serving.passes import AffinePass
from specmodel.serving.served_model import Serving
from tests.conftest import examples

FLAT = AffinePass(20, 0, 0, 0)
ROOM = Capacity(80e9, 16e9, 1e9)
FULL = Capacity(15e9, 16e9, 1e9)
NO_REQUEST = Capacity(16.5e9, 16e9, 1e9)


def asked(
    pass_ms=FLAT, k=3, *, alpha=0.7, most=64, plain_most=None, tokens=100.0, by_rate=True, rooms=(None, None), **load
):
    serving = Serving(pass_ms, alpha, DraftCost(ratio=0.1))
    asked_for = Load(**{"max_sequences": plain_most or most, **load})
    return LoadAnswer(serving, asked_for, k, tokens, most, plain_most or most, (), by_rate, *rooms)


@given(st.lists(st.floats(1, 100), min_size=1, max_size=30), st.floats(0.01, 100), st.floats(0, 500))
@examples(80)
def test_what_is_served_is_the_smallest_stable_fixed_point(times, rate, prefill):
    engine = EngineTable(times, 100, prefill)
    assume(abs(rate / engine.saturation.rate - 1) > 1e-6)
    found, points = served(engine, rate), [point for point in fixed_points(engine, rate) if point.stable]
    assert found.saturated == (not fixed_points(engine, rate))
    if found.saturated:
        assert found.latency_s == math.inf and found.requests_per_s == engine.saturation.rate < rate
    elif points:
        assert (found.batch, found.latency_s) == pytest.approx((points[0].batch, points[0].latency_s))
        assert found.tpot_ms == pytest.approx(points[0].tpot_ms) and found.tokens_per_s == pytest.approx(rate * 100)
    assert (0 <= found.prefill_share < 1 and (found.prefill_share > 0) == (prefill > 1e-9)) or prefill < 1e-6


def test_prefill_takes_the_rate_times_its_time_once_the_engine_is_never_idle():
    found = served(EngineTable([10] * 99, 100, prefill_ms=50), 8)
    assert found.batch > 1 and found.prefill_share == pytest.approx(8 * 0.05)
    assert without_prefill(EngineTable([10], 100, 900)).saturation.rate == 1


@pytest.mark.parametrize(
    ("found", "kind", "which"),
    [
        (asked(request_rate=1), "pays", ""),
        (asked(request_rate=1, alpha=0.01), "does_not_pay", ""),
        (asked(request_rate=1, alpha=0.11, k=1), "too_close", ""),
        (asked(request_rate=1, k=0), "off", ""),
        (asked(request_rate=40), "only_with", ""),
        (asked(request_rate=25, alpha=0.01), "saturated", "speculation"),
        (asked(request_rate=1e6), "saturated", "both"),
        (asked(request_rate=1e6, k=0), "saturated", "both"),
        (asked(request_rate=30, most=4, plain_most=64), "saturated", "speculation"),
        (asked(request_rate=2, prefill_ms=600), "prefill_bound", "saturated"),
        (asked(request_rate=25, prefill_ms=30), "prefill_bound", "saturated"),
        (asked(request_rate=0.001, prefill_ms=200_000), "prefill_bound", "eaten"),
        (asked(request_rate=1, rooms=(FULL, FULL)), "does_not_fit", "weights"),
        (asked(request_rate=1, rooms=(NO_REQUEST, NO_REQUEST)), "does_not_fit", "request"),
        (asked(request_rate=1, rooms=(ROOM, FULL)), "does_not_fit", "drafter"),
        (asked(request_rate=1, rooms=(ROOM, FULL), k=0), "off", ""),
        (asked(by_rate=False, batch_size=8), "pays", ""),
        (asked(by_rate=False, batch_size=65), "does_not_fit", "batch"),
        (asked(by_rate=False, batch_size=65, max_sequences=99, rooms=(ROOM, ROOM)), "does_not_fit", "batch"),
        (asked(by_rate=False, batch_size=50, most=40, plain_most=64, rooms=(ROOM, ROOM)), "does_not_fit", "batch"),
        (asked(by_rate=False, batch_size=50, most=40, plain_most=64, k=0), "off", ""),
        (asked(by_rate=False, batch_size=1, rooms=(FULL, FULL), k=0), "does_not_fit", "weights"),
    ],
)
def test_every_kind(found, kind, which):
    assert (found.verdict.kind, found.verdict.which) == (kind, which)
    assert all(str(reason) for reason in found.verdict.reasons)
    assert found.verdict.served == (kind in ("pays", "does_not_pay", "too_close", "off") or which == "eaten")


rates = st.floats(0.01, 200)
lines = st.builds(AffinePass, st.floats(1, 50), st.floats(0.001, 1), st.floats(0, 1e-4), st.floats(0, 3))


@given(lines, rates, st.floats(0, 1), st.integers(1, 12), st.sampled_from([0, 1, 20, 200]))
@examples(80)
def test_nothing_pays_that_is_not_served(line, rate, alpha, k, prefill):
    found = asked(line, k, alpha=alpha, request_rate=rate, prefill_ms=prefill)
    ours, theirs = fixed_points(found.fixed_engine, rate), fixed_points(found.plain_engine, rate)
    verdict = found.verdict
    if not ours:
        assert verdict.kind in ("saturated", "prefill_bound") and verdict.gain is None
    elif not theirs:
        assert verdict.kind == "only_with" and verdict.gain is None
    else:
        gain = theirs[0].latency_s / ours[0].latency_s
        assert verdict.gain == pytest.approx(gain, rel=1e-6)
        assert (verdict.kind == "pays") == (gain > 1.02) or gain == pytest.approx(1.02)


@given(rates, st.floats(1, 300))
@examples(40)
def test_a_rate_beyond_what_prefill_leaves_is_bound_by_it(rate, prefill):
    assume(rate * prefill > 1001)
    verdict = asked(request_rate=rate, prefill_ms=prefill).verdict
    assert (verdict.kind, verdict.which) == ("prefill_bound", "saturated")
    assert verdict.reason.values["share"] == pytest.approx(rate * prefill / 1000)


def test_measured_passes_that_end_are_no_saturation():
    found = LoadAnswer(Serving(FLAT, 0.7, largest_tokens=64.0), Load(request_rate=1e6), 3, 100, 64, 64, (), True)
    assert (found.verdict.kind, found.verdict.gain) == ("extrapolated", None)
    assert "no larger pass was measured" in " ".join(map(str, found.verdict.reasons))
    beyond = LoadAnswer(Serving(FLAT, 0.7, largest_tokens=64.0), Load(batch_size=40), 3, 100, 64, 64)
    assert beyond.verdict.kind == "extrapolated" and beyond.verdict.gain == pytest.approx(beyond.outcome.speedup)


def test_batch_and_rate_change_only_what_depends_on_them():
    by_hand = asked(by_rate=False, batch_size=4)
    by_rate = by_hand.at(4, request_rate=2, by_rate=True)
    assert by_rate.table is by_hand.table and by_rate.batch == pytest.approx(by_rate.speculating.batch) != by_hand.batch
    assert by_rate.at(9).by_rate and by_rate.outcome.plain_ms == by_hand.outcome.plain_ms == 20
