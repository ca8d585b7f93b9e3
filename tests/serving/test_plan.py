"""Replicas of a day: enough at every hour, none too many, and the ways compared on the same ground."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.serving.answer import LoadAnswer
from specmodel.serving.hardware import Accelerator
from specmodel.serving.load import Load
from specmodel.serving.passes import AffinePass
from specmodel.serving.plan import FIXED, OFF, Plan, Traffic, plan
from specmodel.serving.served_model import Serving
from specmodel.serving.service_level import reached

DAY = [0.05, 0.1, 0.3, 0.7, 1.0, 0.9, 0.6, 0.2] * 3


def engine(alpha: float = 0.8, prefill_ms: float = 10.0, **load: Any) -> LoadAnswer:
    return LoadAnswer(
        Serving(AffinePass(), alpha=alpha), Load(prefill_ms=prefill_ms, **load), 3, 300, most=96, plain_most=96
    )


def planned(answer: LoadAnswer, traffic: Traffic, day: list[float] | None = None) -> Plan:
    return plan(answer, traffic, DAY if day is None else day, Accelerator(count=2))


@given(st.floats(0.5, 500), st.floats(12, 80), st.floats(100, 5000))
def test_every_hour_has_enough_and_none_too_many(peak: float, tpot: float, ttft: float) -> None:
    found = planned(engine(), Traffic(peak_rate=peak, tpot_ms=tpot, ttft_ms=ttft))
    for way in found.ways:
        for share, replicas in zip(DAY, way.replicas, strict=bool(way.replicas)):
            rate = share * peak
            assert replicas * way.most.rate >= rate * (1 - 1e-6)
            assert replicas == 1 or (replicas - 1) * way.most.rate < rate


def test_each_replica_keeps_its_levels_at_peak() -> None:
    traffic = Traffic(peak_rate=120, tpot_ms=30, ttft_ms=600)
    answer = engine()
    off = planned(answer, traffic).way(OFF)
    assert off.at_peak is not None
    here = reached(answer.plain_engine, 120 / off.at_peak, traffic.percentile)
    assert here is not None and not here.breaks(traffic.levels)
    one_less = reached(answer.plain_engine, 120 / (off.at_peak - 1), traffic.percentile)
    assert one_less is None or one_less.breaks(traffic.levels)


def test_good_drafts_save_replicas_and_bad_ones_cost_some() -> None:
    """Where the time of a token binds; the fixed draft length is the best there is, so bad drafts cost little."""
    traffic = Traffic(peak_rate=200, tpot_ms=16, ttft_ms=0)
    good, bad = planned(engine(0.9), traffic), planned(engine(0.05), traffic)
    assert good.saved[0] > 0 and good.best.key != OFF
    assert bad.saved[-1] <= 0 and bad.best.key == OFF
    assert bad.way(FIXED).num_speculative_tokens == 1


def test_a_speedup_saves_nothing_where_prefill_binds() -> None:
    """Decoding is free beside reading: 9 of 10 ms of a request are its prompt."""
    answer = engine(0.9, prefill_ms=400.0)
    found = planned(answer, Traffic(peak_rate=20, tpot_ms=0, ttft_ms=900))
    assert found.way(OFF).most.binds == found.way(FIXED).most.binds == "ttft_ms"
    share = found.way(FIXED).most.rate / found.way(OFF).most.rate
    assert share < 1.1 < answer.outcome.speedup


def test_money_and_energy_are_those_of_the_hours_that_run() -> None:
    found = planned(engine(price_per_hour=3.0), Traffic(peak_rate=100))
    off = found.way(OFF)
    assert found.money(off) == sum(off.replicas) * 2 * 3.0
    assert found.kilowatt_hours(off) == pytest.approx(sum(off.replicas) * 2 * Accelerator().watts / 1000)
    flat = planned(engine(price_per_hour=3.0), Traffic(peak_rate=100), [1.0] * 24).way(OFF)
    assert flat.replica_hours == 24 * math.ceil(100 / flat.most.rate) > off.replica_hours


def test_levels_that_nothing_keeps_need_no_number() -> None:
    found = planned(engine(), Traffic(tpot_ms=0.5))
    assert all(each.at_peak is None and each.replica_hours == 0 for each in found.ways) and found.saved == ()
    assert {each.most.binds for each in found.ways} == {"tpot_ms"}
