# mypy: disable-error-code="arg-type, comparison-overlap, operator, type-var, union-attr"
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.engine.case import EngineCase
from specmodel.engine.checked_numbers import COUNTS, CaseError
from specmodel.engine.run import assemble
from specmodel.engine.verdict import engine_verdict
from specmodel.measured.intervals import INTERVAL_METHODS
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.acceptance import Acceptance

PLAIN_MS, DRAFT_MS, VERIFY_MS = 10.0, 1.5, 11.0


def run_engine(requests, hit, k, alpha, seed):
    """A lookup engine, step by step: only a step whose lookup hits drafts, and costs more. Counters, and total time."""
    rng, rows = np.random.default_rng(seed), []
    steps = rounds = tokens = 0
    ms = 0.0
    for _ in range(requests):
        mine, at = 0, np.zeros(k)
        tokens += 1  # of the prompt
        for _ in range(rng.integers(20, 80)):
            steps, tokens = steps + 1, tokens + 1
            if rng.random() >= hit:
                ms += PLAIN_MS
                continue
            kept = np.cumprod(rng.random(k) < alpha)
            mine, at, tokens = mine + 1, at + kept, tokens + int(kept.sum())
            ms += k * DRAFT_MS + VERIFY_MS
        rounds += mine
        rows.append((mine, mine * k, at.sum(), tuple(at)))
    accepted = np.sum([row[3] for row in rows], axis=0)
    return SpecStats(
        "an engine",
        "simulation",
        num_speculative_tokens=k,
        num_rounds=float(rounds),
        num_draft_tokens=float(rounds * k),
        num_accepted_draft_tokens=float(accepted.sum()),
        accepted_per_position=tuple(accepted.tolist()),
        generated_tokens=float(tokens),
        num_steps=float(steps),
        num_requests=float(requests),
        step_ms=ms / steps,
        units=Units.of("requests", rows),
    ), ms / (tokens - requests)


@pytest.mark.parametrize("hit", [0.05, 0.4, 1.0])
def test_a_simulated_engine_is_judged_by_the_time_of_its_tokens(hit):
    stats, token_ms = run_engine(30, hit, 4, 0.75, seed=3)
    case = EngineCase(stats, plain_ms_typed=PLAIN_MS)
    assert case.ms_per_token == (PLAIN_MS, pytest.approx(token_ms))
    assert case.decode_speedup == pytest.approx(PLAIN_MS / token_ms)
    assert case.speedup.value == case.decode_speedup == pytest.approx(case.tokens_per_step / case.rho)
    assert case.share_with_draft == pytest.approx(stats.num_rounds / stats.num_steps)
    tau = stats.mean_acceptance_length
    assert case.tokens_per_step == pytest.approx(1 + case.share_with_draft * (tau - 1))


def test_tokens_a_step_vary_only_through_the_steps_that_draft():
    stats, _ = run_engine(40, 0.25, 4, 0.75, seed=5)
    case = EngineCase(stats, plain_ms_typed=PLAIN_MS)
    rounds = 1 + case.acceptance.draws.sum(axis=1)
    assert case.length_draws().std() == pytest.approx(case.share_with_draft * rounds.std())
    assert case.length_draws().mean() == pytest.approx(case.tokens_per_step, rel=0.01)
    assert case.length_draws().min() >= 1


def test_the_share_of_steps_with_a_draft_follows_from_tokens_a_step_where_steps_were_not_counted():
    stats, _ = run_engine(40, 0.25, 4, 0.75, seed=5)
    known = EngineCase(stats)
    vllm = SpecStats("vLLM", "bench", num_speculative_tokens=4, num_rounds=stats.num_rounds,
                     accepted_per_position=stats.accepted_per_position, itl_ms=known.tokens_per_step * 5.0,
                     num_accepted_draft_tokens=stats.num_accepted_draft_tokens, tpot_ms=5.0)  # fmt: skip
    assert EngineCase(vllm).share_with_draft == pytest.approx(known.share_with_draft)
    nearly = vllm.replace(itl_ms=5.0 * (1 + 0.95 * (stats.mean_acceptance_length - 1)))
    assert EngineCase(nearly).share_with_draft == 1  # means scatter: this is no engine that skips drafts
    assert EngineCase(vllm.replace(itl_ms=4.0)).share_with_draft == 0
    assert EngineCase(vllm.replace(itl_ms=None)).share_with_draft == 1


def test_rounds_that_follow_from_a_typed_k_give_the_share_too():
    # llama-server's answers hold drafted, accepted and predicted tokens, but neither rounds nor k
    stats = SpecStats("llama.cpp", "answers", num_draft_tokens=300.0, num_accepted_draft_tokens=180.0,
                      generated_tokens=581.0, num_requests=1.0, num_steps=400.0)  # fmt: skip
    case = EngineCase(stats, k_typed=3)
    assert case.share_with_draft == pytest.approx(100 / 400)
    assert case.tokens_per_step == pytest.approx(1.45)
    assert case.acceptance.length.value == pytest.approx(2.8)


# P(speedup < 1)


def calibration(stats_of, engines, seed):
    """Stated chance of being slower, and whether the engine truly was, for engines around their break-even."""
    rng, told, truly = np.random.default_rng(seed), [], []
    even = Acceptance.iid(0.6, 3).mean_acceptance_length
    for _ in range(engines):
        alpha = rng.uniform(0.5, 0.7)
        stats = stats_of(rng, alpha)
        case = EngineCase(stats.replace(step_ms=even * 10.0), plain_ms_typed=10.0)
        told.append(case.chance_slower)
        truly.append(np.mean([Acceptance.iid(alpha + d, 3).mean_acceptance_length for d in (-0.15, 0.15)]) < even)
    return np.array(told), np.array(truly)


def alike_in_a_request(rng, alpha):
    """30 requests, some of them easy (alpha .15 above the mean) and some hard, each with its own times."""
    of = alpha + 0.15 * rng.choice([-1, 1], 30)
    at = np.cumprod(rng.random((30, 20, 3)) < of[:, None, None], axis=2).sum(axis=1)
    rows = [(20, 60, row.sum(), tuple(row)) for row in at]
    positions = tuple(at.sum(axis=0).tolist())
    units = Units.of("requests", rows)
    even = Acceptance.iid(0.6, 3).mean_acceptance_length
    pace = Units.of("requests", [(20 + row.sum(), 20 * even * 10.0, 0.0, None) for row in at])
    return SpecStats("a", "b", num_speculative_tokens=3, num_rounds=600.0, accepted_per_position=positions, units=units,
                     pace=pace)  # fmt: skip


def test_the_chance_of_being_slower_is_how_often_such_engines_are_slower():
    told, truly = calibration(alike_in_a_request, 600, seed=11)
    for low, high in [(0, 0.1), (0.1, 0.35), (0.35, 0.65), (0.65, 0.9), (0.9, 1.01)]:
        inside = (told >= low) & (told < high)
        assert inside.sum() > 25
        assert truly[inside].mean() == pytest.approx(told[inside].mean(), abs=0.17)


@given(st.integers(0, 200), st.floats(0.3, 5))
def test_the_chance_and_the_interval_agree(accepted, rho):
    stats = SpecStats("a", "b", num_speculative_tokens=1, num_rounds=200.0, accepted_per_position=(float(accepted),),
                      step_ms=10 * rho)  # fmt: skip
    case = EngineCase(stats, plain_ms_typed=10.0)
    low, value, high = case.speedup.low, case.speedup.value, case.speedup.high
    assert low <= value <= high
    if case.chance_slower < 0.02:
        assert low >= 1 or value == low
    if case.chance_slower > 0.98:
        assert high <= 1 or value == high


# Which times are compared

STATS = SpecStats("a", "b", num_speculative_tokens=3, num_rounds=100.0, num_draft_tokens=300.0,
                  num_accepted_draft_tokens=180.0, accepted_per_position=(76.0, 59.0, 45.0))  # fmt: skip


def test_like_is_compared_with_like():
    plain = SpecStats("a", "b", speculation=False, step_ms=9.0, tpot_ms=10.0)
    fast = STATS.replace(step_ms=14.0, tpot_ms=5.6)
    both = EngineCase(fast, plain)
    assert both.decode_speedup == pytest.approx(10 / 5.6)
    assert (both.plain_ms, both.round_ms) == (9.0, 14.0)
    assert EngineCase(fast.replace(tpot_ms=None), plain).decode_speedup == pytest.approx(2.8 * 9 / 14)
    assert EngineCase(fast, plain.replace(step_ms=None), round_ms_typed=20.0).decode_speedup == pytest.approx(1.4)
    assert EngineCase(fast, plain, plain_ms_typed=7.0).decode_speedup == pytest.approx(2.8 * 7 / 14)


def test_a_round_is_tpot_times_tokens_where_it_was_not_timed():
    case = EngineCase(STATS.replace(tpot_ms=5.0), plain_ms_typed=10.0)
    assert (case.round_ms, case.rho, case.decode_speedup) == (pytest.approx(14.0), pytest.approx(1.4), 2.0)


def test_two_latencies_need_no_acceptance():
    case = EngineCase(SpecStats("a", "b", tpot_ms=5.0), plain_ms_typed=10.0)
    assert (case.decode_speedup, case.rho, case.chance_slower) == (2.0, None, 0.0)
    assert (case.speedup.value, case.speedup_method, case.times_vary) == (2.0, "timed_once", False)
    assert 1.7 < case.speedup.low < 1.9 < 2.1 < case.speedup.high < 2.3


@pytest.mark.parametrize("times", [{}, {"step_ms": 12.0}, {"step_ms": 0.0, "tpot_ms": 0.0}])
def test_without_a_second_time_there_is_no_speed(times):
    case = EngineCase(STATS.replace(**times))
    assert (case.rho, case.decode_speedup, case.speedup, case.chance_slower) == (None,) * 4
    zero = EngineCase(STATS.replace(step_ms=0.0), plain_ms_typed=10.0)
    assert (zero.round_ms, zero.decode_speedup) == (None, None)


@pytest.mark.parametrize("value", [0.0, -1.0, 1e7, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["plain_ms_typed", "round_ms_typed"])
def test_what_is_no_time_is_refused(name, value):
    with pytest.raises(CaseError, match="no time of a step"):
        EngineCase(STATS, **{name: value})


@pytest.mark.parametrize("value", [1e-320, 1e-7, 1e13, float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["step_ms", "tpot_ms", "plain_ms", "ttft_ms"])
def test_a_time_that_no_engine_needed_is_refused_by_name(name, value):
    """From 1e-320 ms the answer was an infinite speedup, and a division by zero among groups."""
    wrong = STATS.replace(**{name: value})
    plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0)
    for stats, baseline in [(wrong, plain), (STATS, plain.replace(**{name: value}))]:
        with pytest.raises(CaseError, match=re.escape(f"{name} is {value} ms, expected a time from")):
            EngineCase(stats, baseline)
        with pytest.raises(CaseError, match=re.escape(f"{name} is {value} ms")):
            assemble([stats, baseline])


def test_a_k_that_was_typed_does_not_overrule_the_file():
    stats = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.8)
    case = EngineCase(stats, k_typed=5)
    assert case.num_speculative_tokens == case.acceptance.acceptance.num_speculative_tokens == 3
    assert EngineCase(stats.replace(num_speculative_tokens=None), k_typed=5).num_speculative_tokens == 5


def test_ratios_alone_have_an_assumed_interval():
    case = EngineCase(
        SpecStats("a", "b", printed_length=2.8, num_speculative_tokens=3, step_ms=14.0), plain_ms_typed=10.0
    )
    assert case.speedup.value == pytest.approx(2.0)
    assert 1.5 < case.speedup.low < 1.8 and 2.2 < case.speedup.high < 2.6
    assert "assumed" in INTERVAL_METHODS[case.speedup_method] and not case.times_vary


# Acceptance alone decides nothing


def accepting(rate, k, step_ms):
    stats = SpecStats("a", "b", num_speculative_tokens=k, num_rounds=1000.0, num_draft_tokens=1000.0 * k,
                      num_accepted_draft_tokens=1000 * k * rate, step_ms=step_ms)  # fmt: skip
    return EngineCase(stats, plain_ms_typed=10.0)


def test_85_percent_may_be_half_as_fast_and_71_percent_three_times_as_fast():
    # draftbench: 85 % accepted at 0.53×, 71 % at 2.9×; the cost of a round is what differs
    slow, fast = accepting(0.85, 5, 99.1), accepting(0.71, 5, 15.69)
    assert slow.stats.draft_acceptance_rate > fast.stats.draft_acceptance_rate
    assert (slow.decode_speedup, fast.decode_speedup) == (pytest.approx(0.53, abs=1e-3), pytest.approx(2.9, abs=1e-2))
    assert (slow.chance_slower, fast.chance_slower) == (1.0, 0.0)


# llama.cpp, one draft model on several devices: acceptance, plain and speculative tokens per second, and the speedup
DEVICES = {  # speculative-decoding-consumer-gpus (InventiveHQ, CC BY 4.0), k = 5
    "RTX 5060 Ti cuda 7B": (0.5471, 84.74, 22.04, 0.26),
    "RTX 5060 Ti vulkan 7B": (0.5305, 80.32, 70.68, 0.88),
    "GTX 1080 Ti cuda 7B": (0.5458, 50.52, 46.63, 0.923),
    "RTX 5060 Ti cuda 14B": (0.5081, 42.03, 55.73, 1.326),
    "Apple M3 Max metal 7B": (0.5287, 55.34, 32.73, 0.591),
}


def test_one_acceptance_on_five_devices_is_a_loss_or_a_gain():
    costs = {}
    for name, (rate, plain, fast, speedup) in DEVICES.items():
        stats = SpecStats("llama.cpp", "b", num_speculative_tokens=5, num_rounds=1000.0, num_draft_tokens=5000.0,
                          num_accepted_draft_tokens=5000 * rate, tpot_ms=1000 / fast)  # fmt: skip
        case = EngineCase(stats, SpecStats("llama.cpp", "b", speculation=False, tpot_ms=1000 / plain))
        assert case.decode_speedup == pytest.approx(speedup, abs=0.002), name
        assert case.rho == pytest.approx((1 + 5 * rate) / speedup, rel=0.01)
        costs[name] = case.rho
    assert max(costs.values()) > 5 * min(costs.values())


def test_vllm_51742_tokens_a_step_from_its_latencies():
    # TPOT 2.38 ms, ITL 8.23 ms, 371.88 tokens/s: 3.46 tokens a step, although the peak says 122 tokens/s
    stats = SpecStats("vLLM", "bench", itl_ms=8.23, step_ms=8.23, tpot_ms=2.38)
    case = EngineCase(stats, plain_ms_typed=6.0)
    assert case.tokens_per_step == pytest.approx(3.46, abs=0.005)
    assert case.decode_speedup == pytest.approx(6 / 2.38)
    assert case.rho == pytest.approx(8.23 / 6)


def test_timed_requests_give_the_interval_of_a_measured_speedup():
    rng = np.random.default_rng(3)
    tokens = rng.integers(50, 150, 40)

    def run(ms_per_token, speculation):
        spent = tokens * rng.gamma(20, ms_per_token / 20, 40)  # requests differ in pace by a fifth or so
        rows = [(float(n), float(ms), 0, None) for n, ms in zip(tokens, spent, strict=True)]
        pace = Units.of("requests", rows)
        return SpecStats("a", "log", speculation=speculation, tpot_ms=float(spent.sum() / tokens.sum()), pace=pace)

    inside = 0
    for _ in range(100):
        case = EngineCase(run(5.0, True), run(10.0, False))
        assert case.speedup_method == "timed" and case.times_vary
        inside += case.speedup.low <= 2.0 <= case.speedup.high
    assert 88 <= inside <= 100
    assert case.chance_slower == 0.0


def test_three_prompts_that_all_lost_are_a_loss():
    """Each prompt 2.4 to 6 times slower than without: an interval from 0.16 to 1e10 × was said of the like."""
    plain = Units.of("requests", [(100, 1000.0, 0, None), (200, 2200.0, 0, None), (80, 790.0, 0, None)])
    slow = Units.of("requests", [(100, 2400.0, 0, None), (200, 8800.0, 0, None), (80, 4740.0, 0, None)])
    case = EngineCase(
        SpecStats("a", "b", tpot_ms=15940 / 380, pace=slow),
        SpecStats("a", "b", speculation=False, tpot_ms=3990 / 380, pace=plain),
    )
    assert case.decode_speedup == pytest.approx(3990 / 15940)
    assert 0.03 < case.speedup.low < 0.25 < case.speedup.high < 1
    assert case.chance_slower == 1.0
    assert engine_verdict(case).kind == "does_not_pay"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 1e300])
@pytest.mark.parametrize("name", COUNTS)
def test_a_count_that_is_no_number_is_refused_by_name(name, value):
    """A count that was nan stopped the search for the best draft length with an error of its own."""
    with pytest.raises(CaseError, match=re.escape(f"{name} is {value}, expected a number from 0")):
        EngineCase(STATS.replace(**{name: value}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"accepted_per_position": ()},
        {"accepted_per_position": (60.0, float("inf"))},
        {"drafted_per_position": (float("nan"),)},
        {"units": Units.of("requests", [])},
        {"units": Units.of("requests", [(-400, 3, 1, None), (500, 3, 1, None)])},
        {"pace": Units.of("requests", [(1, float("nan"), 0, None), (1, 2.0, 0, None)])},
        {"num_speculative_tokens": 3.5},
        {"num_speculative_tokens": 10**9},
        {"num_steps": 1e-9, "generated_tokens": 400.0},
    ],
    ids=lambda wrong: "-".join(wrong),
)
def test_numbers_that_cannot_be_are_refused_before_anything_is_made_of_them(wrong):
    with pytest.raises(CaseError):
        EngineCase(STATS.replace(**wrong))
