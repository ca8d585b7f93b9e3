# mypy: disable-error-code="arg-type, union-attr, operator"
"""Two runs are a pair only at like load: what is compared, what is said where they are none, what to run instead."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import specmodel as sm
from specmodel.engine.case import EngineCase
from specmodel.engine.comparable import TOLERANCE, comparable, no_baseline, requests_in_decode
from specmodel.engine.run import assemble
from specmodel.engine.server_gives import server_gives
from specmodel.engine.verdict import engine_verdict
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

COUNTED = {"num_speculative_tokens": 2, "num_rounds": 1000.0, "num_draft_tokens": 2000.0,
           "num_accepted_draft_tokens": 1600.0, "accepted_per_position": (860.0, 740.0)}  # fmt: skip


def fast(**more):
    return SpecStats("vLLM", "bench", label="spec.json", **COUNTED, **more)


def plain(**more):
    return SpecStats("vLLM", "bench", label="base.json", speculation=False, **more)


SATURATED = (
    fast(tpot_ms=10.0, itl_ms=26.0, step_ms=26.0, output_tokens_per_s=800.0, ttft_ms=220e3, num_requests=100.0,
         generated_tokens=400e3, request_rate=20.0, window_s=500.0, context_tokens=18000.0),
    plain(tpot_ms=18.0, step_ms=18.0, output_tokens_per_s=1000.0, ttft_ms=150e3, num_requests=100.0,
          generated_tokens=400e3, request_rate=20.0, window_s=400.0, context_tokens=18000.0),
)  # fmt: skip


def test_a_saturated_pair_says_what_the_server_gives_and_claims_no_speedup():
    """1.80× per token at 8 requests in decode beside 18: the server gave 0.80× (today's headline: yes, it pays)."""
    found = sm.engine.answer(*SATURATED)
    reason = str(found.verdict.reason)
    assert found.verdict.kind == "not_comparable"
    for said in (
        "800 tokens/s instead of 1,000 (0.80×)",
        "the first token after 220 s instead of 150 s (1.47×)",
        "a request in 260 s instead of 222 s (1.17×)",
        "8 requests decode at once instead of 18 (0.44×)",
        "--max-concurrency 8",
    ):
        assert said in reason
    assert "1.80" not in reason
    assert (found.speedup, found.best, found.case.chance_slower, found.case.rho) == (None,) * 4
    assert found.tokens_per_step.value == pytest.approx(2.6) and found.acceptance.length.value == pytest.approx(2.6)
    assert all(each.speedup is None for each in found.lengths) and found.groups[0].pays is None


def test_a_plain_step_that_is_typed_stands_for_the_baseline_that_is_none():
    found = sm.engine.answer(*SATURATED, plain_ms=20.0)
    assert found.verdict.kind == "pays" and found.speedup.value == pytest.approx(2.0)


@given(st.floats(1, 500), st.floats(0.05, 20))
def test_the_load_is_like_up_to_the_tolerance_whichever_run_had_more(batch, ratio):
    other = batch * ratio
    high, low = max(batch, other, 1.0), max(min(batch, other), 1.0)
    found = comparable(fast(batch_size=other), plain(batch_size=batch))
    if not math.isclose(high, low * TOLERANCE, rel_tol=1e-6):
        assert found.is_pair == (high <= low * TOLERANCE)
    assert found.is_pair == comparable(fast(batch_size=batch), plain(batch_size=other)).is_pair


def test_requests_in_decode_are_throughput_times_the_time_of_a_token_before_a_cap_on_them():
    capped = [each.replace(batch_size=100.0) for each in SATURATED]
    assert [requests_in_decode(each) for each in capped] == [8.0, 18.0]
    assert not comparable(*capped).is_pair
    running = comparable(fast(batch_size=4.0), plain(batch_size=4.0, tpot_ms=9.0, output_tokens_per_s=440.0))
    assert running.condition("requests_in_decode").without == 4.0, "a mean is not compared with a mean of another kind"


def test_a_request_at_a_time_stays_one_however_much_of_it_is_prefill():
    busy = plain(tpot_ms=10.0, output_tokens_per_s=95.0)
    assert comparable(fast(tpot_ms=5.0, output_tokens_per_s=100.0), busy).is_pair  # 0.5 and 0.95 on average


@pytest.mark.parametrize(
    ("with_speculation", "without", "pair"),
    [
        ({"temperature": 0.0}, {"temperature": 0.0}, True),
        ({"temperature": 0.0}, {"temperature": 0.7}, False),
        ({"temperature": 0.0}, {}, True),
        ({"context_tokens": 4096.0}, {"context_tokens": 4200.0}, True),
        ({"context_tokens": 4096.0}, {"context_tokens": 32768.0}, False),
    ],
)
def test_context_and_temperature_are_compared_where_both_tell_them(with_speculation, without, pair):
    found = sm.engine.answer(fast(tpot_ms=5.0, **with_speculation), plain(tpot_ms=10.0, **without))
    assert (found.verdict.kind == "pays") == pair and (found.speedup is not None) == pair
    assert pair or "Run both" in str(found.verdict.reason)


def test_a_baseline_that_speculates_is_none():
    other = fast(tpot_ms=9.0).replace(label="k5.json", num_speculative_tokens=5)
    found = sm.engine.answer(fast(tpot_ms=5.0), other)
    assert found.verdict.kind == "not_comparable" and found.speedup is None
    assert "k5.json" in str(found.verdict.reason) and "5 draft tokens" in str(found.verdict.reason)
    silent = SpecStats("vLLM", "bench", label="old.json", itl_ms=26.0, tpot_ms=10.0)  # speculates, without counters
    assert sm.engine.answer(fast(tpot_ms=5.0), silent).verdict.kind == "not_comparable"
    assert no_baseline(SpecStats("a", "b", num_speculative_tokens=3, num_draft_tokens=0)) is None


def test_equal_throughput_at_a_fixed_rate_is_the_offered_load():
    rate = {"request_rate": 5.0, "num_requests": 1000.0, "window_s": 202.0, "output_tokens_per_s": 1000.0}
    found = sm.engine.answer(fast(tpot_ms=10.0, **rate), plain(tpot_ms=20.0, **rate))
    reason = str(found.verdict.reason)
    assert found.verdict.kind == "pays" and found.speedup.value == pytest.approx(2.0)
    assert "5 requests/s" in reason and "10 requests decoded at once instead of 20" in reason
    assert "tokens/s" not in reason, "the throughput is what was asked for: no disagreement"


@pytest.mark.parametrize("change", [{"request_rate": None}, {"request_rate": 6.0}, {"window_s": 400.0},
                                    {"output_tokens_per_s": 1200.0}])  # fmt: skip
def test_at_another_rate_or_behind_it_the_load_is_not_the_offered_one(change):
    rate = {"request_rate": 5.0, "num_requests": 1000.0, "window_s": 202.0, "output_tokens_per_s": 1000.0}
    found = comparable(fast(tpot_ms=10.0, **rate | change), plain(tpot_ms=20.0, **rate))
    assert found.offered_rate is None and not found.is_pair


def test_measures_of_the_whole_run_that_contradict_leave_it_open():
    found = sm.engine.answer(
        fast(tpot_ms=8.7, output_tokens_per_s=930.0, ttft_ms=400.0),
        plain(tpot_ms=10.0, output_tokens_per_s=1000.0, ttft_ms=100.0),
    )
    assert found.verdict.kind == "too_close" and found.speedup.value == pytest.approx(10 / 8.7)
    assert "930 tokens/s instead of 1,000 (0.93×)" in str(found.verdict.reason)
    assert "400 ms instead of 100 ms (4.00×)" in str(found.verdict.reason)


def test_measures_that_agree_are_not_repeated():
    found = sm.engine.answer(
        fast(tpot_ms=5.0, output_tokens_per_s=1950.0, ttft_ms=52.0),
        plain(tpot_ms=10.0, output_tokens_per_s=1000.0, ttft_ms=50.0),
    )
    assert found.verdict.kind == "pays" and "count too" not in str(found.verdict.reason)


# Sentences never invent


def test_break_even_needs_no_draft_length():
    stats = SpecStats("SGLang", "printed", printed_length=2.6)
    found = sm.engine.answer(stats)
    assert "2.60 tokens" in str(found.verdict.reason) and "less than 2.60 plain steps" in str(found.verdict.reason)


def test_tokens_that_nobody_counted_are_not_said_to_be_one():
    case = EngineCase(SpecStats("llama.cpp", "log", num_draft_tokens=100, num_accepted_draft_tokens=93))
    reason = str(engine_verdict(case).reason)
    assert "1.00" not in reason and "93 of 100 drafts were accepted (93%)" in reason
    assert "1.00" not in str(engine_verdict(EngineCase(SpecStats("a", "b"))).reason)


def test_counts_are_named_only_where_something_was_counted():
    printed = SpecStats("a", "b", printed_length=2.0, step_ms=20.1)
    close = engine_verdict(EngineCase(printed, plain_ms_typed=10.0))
    assert close.kind == "too_close" and "counts" not in str(close.reason)
    counted = fast(step_ms=26.1)
    assert "the counts cannot tell them apart" in str(engine_verdict(EngineCase(counted, plain_ms_typed=10.0)).reason)


def test_positions_that_were_never_accepted_say_what_a_shorter_draft_gives():
    stats = SpecStats("a", "b", num_speculative_tokens=15, num_rounds=1000.0, num_draft_tokens=15000.0,
                      num_accepted_draft_tokens=1370.0,
                      accepted_per_position=(600.0, 400.0, 200.0, 120.0, 50.0, *(0.0,) * 10))  # fmt: skip
    found = sm.engine.answer(stats)
    assert (found.unused.first, found.unused.last, found.unused.num_speculative_tokens) == (6, 15, 5)
    assert found.unused.tokens == pytest.approx(2.37) and found.to_paste.num_speculative_tokens == 5
    assert sm.engine.answer(fast()).unused is None
    assert sm.engine.answer(SpecStats("a", "b", num_speculative_tokens=3, printed_length=1.0)).unused is None


# Files


def test_the_same_pair_is_none_as_files_as_a_link_and_the_other_way_round():
    spec, base = SATURATED
    for run in (assemble([spec, base]), assemble([base, spec])):
        assert engine_verdict(run.case()).kind == "not_comparable"
    from specmodel.measured.stats_link import pack_stats, unpack_stats

    linked = assemble([unpack_stats(pack_stats(each)) for each in (spec, base)])
    assert str(server_gives(linked.case())) == str(server_gives(assemble([spec, base]).case()))


def test_the_offered_load_travels_in_a_link():
    from specmodel.measured.stats_link import pack_stats, unpack_stats

    rate = {"request_rate": 5.0, "num_requests": 1000.0, "window_s": 202.0, "output_tokens_per_s": 1000.0}
    pair = fast(tpot_ms=10.0, **rate), plain(tpot_ms=20.0, **rate)
    assert comparable(*(unpack_stats(pack_stats(each)) for each in pair)).offered_rate == 5.0


# What a load that is nearly the same leaves open


def test_a_nearly_equal_load_leaves_the_speedup_open_as_far_as_it_differs():
    """Compute-bound, a step in proportion to the batch: 12.4 against 10 requests make a loss of 0.90 read 1.115."""
    rng = np.random.default_rng(3)

    def timed(ms, **more):
        rows = [(300.0, 300 * ms * rng.lognormal(0, 0.03), 0.0, None) for _ in range(100)]
        return SpecStats("a", "b", tpot_ms=ms, pace=Units.of("requests", rows), **more)

    run, plain = timed(20.0, batch_size=10.0), timed(22.3, batch_size=12.4, speculation=False)
    case = EngineCase(run, plain)
    assert case.comparability.is_pair and case.speedup.value == pytest.approx(1.115)
    assert case.speedup.low < 0.92 and engine_verdict(case).kind == "too_close"
    assert 0.05 < case.chance_slower < 0.95
    alike = EngineCase(run, plain.replace(batch_size=10.0))
    assert alike.speedup.low > 1.05 and engine_verdict(alike).kind == "pays"


@pytest.mark.parametrize(
    ("run", "plain"),
    [
        (
            {"tpot_ms": 10.0, "generated_tokens": 6e4, "window_s": 75.0},
            {"tpot_ms": 18.0, "generated_tokens": 6e4, "window_s": 45.0},
        ),
        (
            {"step_ms": 28.0, "printed_length": 2.8, "output_tokens_per_s": 800.0},
            {"step_ms": 18.0, "output_tokens_per_s": 4 / 3 * 1000},
        ),
        ({"tpot_ms": 10.0, "batch_size": 8.0}, {"tpot_ms": 18.0, "output_tokens_per_s": 4 / 3 * 1000}),
    ],
)
def test_the_load_follows_from_whatever_tells_it(run, plain):
    """8 against 24 requests, told by tokens in a window, by the time of a step, or by a cap that the other exceeds."""
    case = EngineCase(
        SpecStats("a", "b", num_speculative_tokens=3, **run), SpecStats("a", "b", speculation=False, **plain)
    )
    assert not case.comparability.is_pair and case.speedup is None
    assert engine_verdict(case).kind == "not_comparable"
