"""The answer for a load: verdicts, caps by memory and by measurement, rates at which to switch off, and the bill."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specmodel.model.costs import DraftCost
from specmodel.model.mean_rounds import mean_rounds
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import fixed_points, latency_curve
from specmodel.serving.bill import bill
from specmodel.serving.hardware import Accelerator, accelerator, target_model
from specmodel.serving.load import Load
from specmodel.serving.memory import Capacity, largest_batch
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.passes import AffinePass
from specmodel.serving.roofline import RooflinePass
from specmodel.serving.served_model import Serving
from tests.conftest import examples
from tests.domains import from_pairs

FLASH = RooflinePass(
    target_model("deepseek_v4_flash"),
    accelerator("b200").replace(compute_fraction=1, bandwidth_fraction=1, step_overhead_ms=0),
)
TABLE = pass_tables()["deepseek_v4_flash"]


def answer(pass_ms=None, k=5, *, alpha=0.75, most=64, plain_most=None, tokens=500.0, serving=None, **load):
    """An answer with everything that a test does not care about filled in."""
    served = serving or Serving(pass_ms or AffinePass(), alpha, DraftCost(ratio=0.1), standing_cost=0.19)
    return LoadAnswer(served, Load(**load), k, tokens, most, plain_most or most)


def measured(alpha=0.7, k=15, **more):
    """DeepSeek-V4-Flash as vLLM measured it: passes jump from 20.6 to 104 ms between 1,024 and 1,536 tokens."""
    step = TABLE.drafter_pass
    assert step is not None
    draft = DraftCost("parallel", step_ms=step.of_one_token)
    largest = float(TABLE.points.tokens.max())
    points = from_pairs(TABLE.points.tokens.tolist(), TABLE.points.ms.tolist())
    return answer(serving=Serving(points, alpha, draft, largest_tokens=largest), k=k, **{"most": 1024, **more})


lines = st.builds(AffinePass, st.floats(1, 50), st.floats(0.001, 1), st.floats(0, 1e-4), st.floats(0, 3))
answers = st.builds(
    lambda line, k, alpha, most, ratio, tokens, batch: answer(
        serving=Serving(line, alpha, DraftCost(ratio=ratio)), k=k, most=most, tokens=tokens, batch_size=batch
    ),
    lines,
    st.integers(0, 16),
    st.floats(0, 1),
    st.integers(1, 200),
    st.floats(0, 0.5),
    st.integers(1, 2000),
    st.integers(1, 200),
)


# At one batch


@pytest.mark.parametrize(
    ("batch", "k", "speedup", "kind"),
    [(1, 1, 1.17, "does_not_pay"), (4, 0, 1.0, "does_not_pay"), (32, 5, 1.35, "pays"), (128, 3, 1.74, "pays")],
)
def test_the_regression_at_five_drafts(batch, k, speedup, kind):
    found = answer(FLASH, 5, most=1024, batch_size=batch, context_tokens=4096)
    assert (found.outcome.best_k, round(found.outcome.best_speedup, 2)) == (k, speedup)
    assert found.verdict.kind == kind
    assert found.off_at_best == ((4, 13),)


@pytest.mark.parametrize(
    ("k", "alpha", "kind"), [(0, 0.9, "off"), (1, 0.11, "too_close"), (1, 0.2, "pays"), (3, 0.05, "does_not_pay")]
)
def test_every_kind_of_verdict(k, alpha, kind):
    found = answer(lambda q, b, s: 20.0 + 0 * q * b, k, alpha=alpha, batch_size=3)
    assert found.verdict.kind == kind
    values = found.verdict.reason.values
    if k:
        assert values["batch"] == 3 and values["tau"] / values["rho"] == pytest.approx(found.outcome.speedup)


@given(st.floats(0.9, 1.1), st.floats(0, 0.5))
def test_a_verdict_is_too_close_exactly_within_the_tolerance(speedup, tolerance):
    assume(abs(abs(speedup - 1) - tolerance) > 1e-9)
    passes = from_pairs([1, 2], [10, 20 / speedup])  # with alpha = 1 and one draft: two tokens for 10·2/speedup
    found = answer(serving=Serving(passes, 1.0), k=1, most=1, batch_size=1, tolerance=tolerance)
    assert found.outcome.speedup == pytest.approx(speedup)
    wanted = "too_close" if abs(speedup - 1) <= tolerance else "pays" if speedup > 1 else "does_not_pay"
    assert found.verdict.kind == wanted


@given(answers)
@examples(40)
def test_the_outcome_is_the_row_of_the_table(found):
    assume(found.load.batch_size <= found.most)
    row, outcome = found.load.batch_size - 1, found.outcome
    assert outcome.speedup == pytest.approx(found.table.speedup[row, found.num_speculative_tokens])
    assert outcome.best_speedup == pytest.approx(found.table.at_best()[row]) and outcome.best_speedup >= 1
    assert outcome.best_k == found.table.best[row]
    assert outcome.plain_ms == pytest.approx(found.table.plain_ms[row])
    assert outcome.tpot_ms * outcome.tokens_per_s == pytest.approx(1000 * found.load.batch_size)
    assert outcome.speedup == pytest.approx(found.serving.tau(found.num_speculative_tokens) / outcome.cost_ratio)
    assert 0 <= outcome.wasted_share < 1


# Caps


@pytest.mark.parametrize(
    ("room", "limit", "most"),
    [
        (None, 1024, 1024),
        (None, 3, 3),
        (Capacity(80e9, 16e9, 1e9), 1024, 64),
        (Capacity(80e9, 16e9, 1e9), 10, 10),
        (Capacity(80e9, 16e9, 0.0), 256, 256),
        (Capacity(17e9, 16e9, 1e9), 1024, 1),
    ],
)
def test_the_largest_batch_is_what_memory_and_the_engine_allow(room, limit, most):
    assert largest_batch(room, Load(max_sequences=limit)) == most


def test_a_drafter_that_takes_memory_caps_its_engine_and_not_the_plain_one():
    found = answer(most=20, plain_most=64)
    assert found.table.batch_sizes.tolist() == list(range(1, 21)) and found.plain_times.shape == (64,)
    assert found.plain_times[:20] == pytest.approx(found.table.plain_ms)
    assert found.fixed_engine.max_batch_size == found.scheduled_engine.max_batch_size == 20
    assert found.plain_engine.max_batch_size == 64
    assert found.fixed_engine.saturation.batch <= 20


@given(st.integers(1, 300), st.integers(1, 64), st.floats(0.3, 1))
@examples(30)
def test_a_draft_length_that_needs_a_larger_pass_than_any_measured_is_never_the_best(largest, batch, alpha):
    assume(batch <= largest)
    serving = Serving(lambda q, b, s: 20.0 + 0.01 * q * b, alpha, DraftCost("lookup"), largest_tokens=float(largest))
    found = answer(serving=serving, k=3, most=min(64, largest), batch_size=batch)
    assert found.outcome.best_k == 0 or (found.outcome.best_k + 1) * batch <= largest
    allowed = np.maximum(largest // found.table.batch_sizes - 1, 0)
    assert (found.table.best <= allowed).all() and (found.table.best_loaded <= allowed).all()
    assert (found.scheduled <= allowed).all()


# The schedule


def test_without_a_standing_cost_both_schedules_are_one():
    free = answer(serving=Serving(FLASH, 0.75, DraftCost(ratio=0.1)), most=512, context_tokens=4096)
    off = [tier for tier in free.tiers if tier.num_speculative_tokens == 0]
    assert len(off) == 1 and off[0].first <= 4 and off[0].last >= 13


def test_a_standing_cost_keeps_the_gutter_drafting():
    loaded = answer(FLASH, most=512, context_tokens=4096)
    assert all(tier.num_speculative_tokens for tier in loaded.tiers)


@given(answers)
@examples(30)
def test_the_schedule_covers_every_batch_once(found):
    ends = [(tier.first, tier.last) for tier in found.tiers]
    assert [batch for first, last in ends for batch in range(first, last + 1)] == found.table.batch_sizes.tolist()
    assert found.scheduled.size == found.table.batch_sizes.size


def test_the_engine_that_follows_the_schedule_pays_for_off():
    """A pass that grows with every token: nothing pays, so both engines are off, and one of them 19 % slower."""
    found = answer(lambda q, b, s: 10.0 * q * b, alpha=0.5, most=4)
    assert found.off == ((1, 4),) and set(found.scheduled.tolist()) == {0}
    assert found.scheduled_engine.tpot_ms == pytest.approx(found.plain_engine.tpot_ms / 0.81)


# By request rate


def test_an_answer_takes_as_many_rounds_as_it_needs():
    for tokens in (1, 7, 500):
        found = answer(tokens=tokens, most=8, context_tokens=100)
        rounds = mean_rounds(found.serving.acceptance(5), tokens)
        for batch in (1, 8):
            round_ms = float(found.serving.round_ms(5, batch, 100))
            assert found.fixed_engine.tpot_ms[batch - 1] * tokens == pytest.approx(rounds * round_ms)
            assert found.plain_engine.tpot_ms[batch - 1] == pytest.approx(float(found.serving.plain_ms(batch, 100)))


def test_an_answer_of_one_token_wins_nothing():
    found = answer(AffinePass(20, 0, 0, 0), tokens=1, most=8)
    assert (found.fixed_engine.tpot_ms > found.plain_engine.tpot_ms).all()
    assert found.off_rates == ((0.0, math.inf),)


@given(answers)
@examples(40)
def test_latencies_are_equal_where_they_cross(found):
    for each in found.crossings:
        if each.stable and each.faster_below != each.faster_above:
            ours, theirs = (
                latency_curve(engine, [each.rate]).latency_s[0] for engine in (found.fixed_engine, found.plain_engine)
            )
            assert ours == pytest.approx(theirs, rel=1e-6) and ours == pytest.approx(each.latency_s, rel=1e-6)


@given(answers, st.floats(0.001, 0.999))
@examples(60)
def test_off_rates_are_those_where_the_plain_engine_is_faster(found, share):
    """Where both engines serve the rate; the time of a pass grows with the batch here, so there is one solution."""
    rate = share * min(found.fixed_engine.saturation.rate, found.plain_engine.saturation.rate)
    ours, theirs = (latency_curve(each, [rate]).latency_s[0] for each in (found.fixed_engine, found.plain_engine))
    assume(abs(ours / theirs - 1) > 1e-6)
    assert any(low <= rate < high for low, high in found.off_rates) == (ours > theirs)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(answer(most=4, plain_most=64), id="the drafter takes the memory"),
        pytest.param(measured(k=5, alpha=0.6), id="a jump of the measured passes"),
        pytest.param(measured(), id="several solutions"),
    ],
)
def test_off_where_only_the_plain_engine_is_not_saturated(found):
    """With k drafts the queue grows without end; without speculation it does not."""
    saturated = found.fixed_engine.saturation.rate
    assert found.plain_engine.saturation.rate > saturated * 1.01
    rate = saturated * 1.005
    assert not fixed_points(found.fixed_engine, rate) and fixed_points(found.plain_engine, rate)
    assert any(low <= rate < high for low, high in found.off_rates)


def test_off_where_the_only_solution_has_the_longer_latency():
    """At 24 answers of 500 tokens a second: about 900 requests with 15 drafts, about 130 without."""
    found = measured(request_rate=24)
    ours, theirs = found.at_rate()
    assert len(ours) == len(theirs) == 1 and ours[0].latency_s > 3 * theirs[0].latency_s
    assert any(low <= 24 < high for low, high in found.off_rates)


def test_several_solutions_and_none_are_found():
    ours, theirs = measured(request_rate=18).at_rate()
    assert [point.stable for point in ours] == [True, False, True] and len(theirs) == 1
    assert ours[0].batch < 64 < ours[1].batch < ours[2].batch
    saturated, plain = measured(request_rate=30).at_rate()
    assert saturated == () and len(plain) == 1
    assert measured(request_rate=1000).at_rate() == ((), ())


def test_without_drafts_there_is_nothing_to_switch_off():
    found = answer(k=0)
    assert found.off == () and found.off_rates == () and found.crossings == ()
    assert found.fixed_engine.tpot_ms == pytest.approx(found.plain_engine.tpot_ms)
    assert found.outcome.speedup == 1 and found.outcome.wasted_share == 0


def test_one_request_at_a_time_has_an_answer():
    found = answer(most=1, batch_size=1)
    assert len(found.tiers) == 1 and found.plain_engine.max_batch_size == 1
    assert found.at_rate() == ((), ()) or found.at_rate()


def test_prefill_holds_both_engines():
    slow = answer(prefill_ms=100, request_rate=1)
    for engine in (slow.fixed_engine, slow.plain_engine, slow.scheduled_engine):
        assert engine.prefill_ms == 100 and engine.saturation.rate < 10


# The bill


def test_a_bill_by_hand():
    """8 requests, 20 ms a token: 400 tokens/s; at 3.6 $/h and 100 W each, two of them."""
    flat = answer(AffinePass(20, 0, 0, 0), batch_size=8, price_per_hour=3.6)
    plain = bill(flat, Accelerator(watts=100, count=2), 0)
    assert plain.tokens_per_s == pytest.approx(400)
    assert plain.money == pytest.approx(2 * 0.001 * 1e6 / 400)
    assert plain.megajoules == pytest.approx(2 * 100 / 400)
    assert plain.wasted_share == 0


@given(answers, st.integers(0, 16))
@examples(40)
def test_money_and_energy_go_down_as_the_speedup_goes_up(found, k):
    plain, drafted = (bill(found, Accelerator(), length) for length in (0, k))
    speedup = float(found.serving.speedup(k, found.load.batch_size, found.load.context_tokens))
    assert plain.money / drafted.money == pytest.approx(speedup)
    assert plain.megajoules / drafted.megajoules == pytest.approx(speedup)
    assert drafted.tokens_per_s / plain.tokens_per_s == pytest.approx(speedup)
    assert 0 <= drafted.wasted_share < 1


def test_what_is_paid_for_rejected_drafts_falls_as_more_is_accepted():
    shares = [bill(answer(alpha=alpha), Accelerator(), 5).wasted_share for alpha in (0, 0.3, 0.6, 0.9, 1)]
    assert shares == sorted(shares, reverse=True) and shares[-1] == 0
    assert shares[0] == pytest.approx(1 - 1 / answer(alpha=0).outcome.cost_ratio)
