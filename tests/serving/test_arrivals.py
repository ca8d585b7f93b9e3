"""The running batch from the request rate: laws of the fixed points, and an engine that is played event by event."""

from collections import deque
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import simpy
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import OutOfDomain
from specmodel.model.acceptance import Acceptance
from specmodel.model.mean_rounds import mean_rounds
from specmodel.serving.arrivals import EngineTable, fixed_points, latency_curve
from specmodel.serving.crossings import crossings
from specmodel.serving.stationary import stationary_batch

JUMP = EngineTable([10, 11, 24, 25, 26], output_tokens=100)  # X: 1, 1.82, 1.25, 1.6, 1.92

times = st.floats(0.5, 80).map(lambda ms: round(ms, 3))
tables = st.builds(
    EngineTable, st.lists(times, min_size=1, max_size=12), st.floats(1, 2000), st.sampled_from([0.0, 7.5, 300.0])
)
growing = st.builds(  # tpot is a convex, rising function of the batch with tpot(1) ≥ its slope: X rises throughout
    lambda first, slope, count: EngineTable(first + slope * np.arange(count), 100),
    times,
    st.floats(0, 0.5),
    st.integers(2, 12),
)
shares = st.floats(0.01, 1.2)


def affine(base_ms, per_sequence_ms, max_batch_size=256, output_tokens=100, prefill_ms=0.0):
    batch = np.arange(1, max_batch_size + 1)
    return EngineTable(base_ms + per_sequence_ms * batch, output_tokens, prefill_ms)


def distribution(table, rate):
    found = stationary_batch(table, rate)
    assert found is not None
    return found


# --- The functions of one table


def test_throughput_is_batch_over_latency():
    table = EngineTable([10, 12], output_tokens=100)
    assert table.latency_s([0, 0.5, 1, 1.5, 2, 4]) == pytest.approx([1, 1, 1, 1.1, 1.2, 2.4])
    assert table.throughput([0, 0.5, 1, 1.5, 2, 4]) == pytest.approx([0, 0.5, 1, 1.5 / 1.1, 2 / 1.2, 2 / 1.2])
    assert table.throughput(1).shape == () and table.throughput([[1, 2]]).shape == (1, 2)


@given(tables, st.floats(1, 12))
def test_the_share_of_time_left_for_decoding_is_kept_exactly(table, batch):
    """rate = X₀(b) · (1 − rate · P), X₀ without prefill; and no more than 1/P can ever be prefilled."""
    assume(batch <= table.max_batch_size)
    plain = EngineTable(table.tpot_ms, table.output_tokens)
    rate, prefill = float(table.throughput(batch)), table.prefill_ms / 1000
    assert rate == pytest.approx(float(plain.throughput(batch)) * (1 - rate * prefill), rel=1e-9)
    assert rate * prefill < 1


def test_alone_a_request_takes_its_prefill_and_its_tokens():
    table = EngineTable([10, 12], output_tokens=100, prefill_ms=250)
    assert latency_curve(table, [0, 1e-6, 0.4]).latency_s == pytest.approx(1.25)


@given(tables, st.floats(0, 15))
def test_nothing_exceeds_saturation(table, batch):
    assert float(table.throughput(batch)) <= table.saturation.rate * (1 + 1e-12)
    assert float(table.throughput(table.saturation.batch)) == table.saturation.rate


def test_saturation_need_not_be_at_the_cap():
    assert JUMP.saturation.batch == 5 and JUMP.saturation.rate == pytest.approx(5 / 2.6)
    falling = EngineTable([10, 12, 40], output_tokens=100)
    assert falling.saturation.batch == 2 and falling.saturation.rate == pytest.approx(2 / 1.2)
    assert EngineTable([10, 20, 30], output_tokens=100).saturation.batch == 1  # batching wins nothing


# --- Fixed points


@given(tables, shares)
def test_every_solution_solves_and_none_is_missed(table, share):
    """The plain way: look at X on a fine grid. Each change of side of the rate is one solution."""
    rate = share * table.saturation.rate
    points = fixed_points(table, rate)
    for point in points:
        assert float(table.throughput(point.batch)) == pytest.approx(rate, rel=1e-9)
        assert point.batch == pytest.approx(rate * point.latency_s, rel=1e-9)
        assert point.tpot_ms == pytest.approx(np.interp(point.batch, 1 + np.arange(table.tpot_ms.size), table.tpot_ms))
    assert [point.batch for point in points] == sorted(point.batch for point in points)
    assert bool(points) == (share <= 1) or abs(share - 1) < 1e-9
    grid = np.arange(0, table.max_batch_size + 1e-9, 1 / 64)
    above = table.throughput(grid) > rate
    assume(np.all(np.abs(table.throughput(grid) / rate - 1) > 1e-9))
    rising, falling = np.sum(~above[:-1] & above[1:]), np.sum(above[:-1] & ~above[1:])
    # Between two points of the grid X is monotone, so the grid misses nothing: it contains every whole batch.
    assert sum(point.stable for point in points) == rising and len(points) == rising + falling


def test_a_jump_gives_several_solutions():
    points = fixed_points(JUMP, 1.5)
    # 1.5 = 1000·b/(100·t): t = b/0.15 meets 10 + (b − 1), then 11 + 13·(b − 2), then 24 + (b − 3)
    assert [point.batch for point in points] == pytest.approx(
        [9 / (1 / 0.15 - 1), 15 / (13 - 1 / 0.15), 21 / (1 / 0.15 - 1)]
    )
    assert [point.stable for point in points] == [True, False, True]
    assert [len(fixed_points(JUMP, rate)) for rate in (0.5, 1.2, 1.3, 1.81, 1.85, 1.95)] == [1, 1, 3, 3, 1, 0]


def test_touching_solutions_and_flat_stretches_are_reported():
    low = fixed_points(JUMP, 1.25)  # the local minimum of X, at b = 3
    assert [(round(point.batch, 9), point.stable) for point in low] == [(round(9 / 7, 9), True), (3, False)]
    high = fixed_points(JUMP, 2 / 1.1)  # the local maximum, at b = 2
    assert [(round(point.batch, 3), point.stable) for point in high] == [(2, False), (4.667, True)]
    flat = fixed_points(EngineTable([10, 20, 30, 31], output_tokens=100), 1)  # X(1) = X(2) = X(3) = 1
    assert [(point.batch, point.stable) for point in flat] == [(1, False), (3, True)]
    assert latency_curve(EngineTable([10, 20, 30, 31], output_tokens=100), 1).batch == 3


def test_rounding_is_no_solution():
    """X is 100 at every batch; in floating point a little more at some of them, and a little less at others."""
    constant = EngineTable(0.1 * np.arange(1, 41), output_tokens=100)
    assert len(set(constant.throughput(np.arange(1, 41)).tolist())) > 1
    assert [(point.batch, point.stable) for point in fixed_points(constant, 100)] == [
        (1, False)
    ]  # goes on beyond the cap
    assert np.all(np.isnan(latency_curve(constant, [100 - 3e-14, 100, 100 + 3e-14]).batch))


def test_at_the_cap_and_beyond_it():
    table = affine(5.9, 0.06)
    top = table.saturation
    assert top.batch == 256 and top.rate == pytest.approx(10 * 256 / (5.9 + 0.06 * 256))
    (at_cap,) = fixed_points(table, top.rate)
    assert at_cap.batch == pytest.approx(256) and not at_cap.stable  # all who come more have to wait, for ever
    assert fixed_points(table, top.rate * 1.001) == ()
    (below,) = fixed_points(table, top.rate * 0.999)
    assert 250 < below.batch < 256 and below.stable
    curve = latency_curve(table, top.rate * np.array([0.999, 1, 1.001]))
    assert np.isfinite(curve.latency_s).tolist() == [True, False, False]
    assert np.isfinite(curve.tokens_per_s).tolist() == [True, False, False]


@given(tables, st.lists(shares, min_size=1, max_size=20))
def test_the_curve_is_the_smallest_stable_solution(table, several):
    rates = np.array(several) * table.saturation.rate
    curve = latency_curve(table, rates)
    for rate, batch, latency, tokens in zip(rates, curve.batch, curve.latency_s, curve.tokens_per_s, strict=True):
        first = next((point for point in fixed_points(table, rate) if point.stable), None)
        assert (first is None) == np.isnan(batch) == np.isnan(latency) == np.isnan(tokens)
        if first:
            assert (batch, latency) == pytest.approx((first.batch, first.latency_s), rel=1e-9)
            assert tokens == pytest.approx(rate * table.output_tokens)


@given(tables, st.lists(shares, min_size=2, max_size=20))
def test_the_batch_rises_with_the_rate(table, several):
    curve = latency_curve(table, np.sort(several) * table.saturation.rate)
    batch = curve.batch[np.isfinite(curve.batch)]
    assert np.all(np.diff(batch) >= -1e-9)
    assert np.all(np.isnan(curve.batch[batch.size :]))  # once saturated, always saturated


@given(growing, shares)
def test_where_x_rises_there_is_one_solution_or_none(table, share):
    assume(abs(share - 1) > 1e-9)
    points = fixed_points(table, share * table.saturation.rate)
    assert [point.stable for point in points] == ([True] if share < 1 else [])


def test_nothing_arrives():
    (point,) = fixed_points(JUMP, 0)
    assert (point.batch, point.stable) == (0, True) and point.latency_s == pytest.approx(1)
    curve = latency_curve(JUMP, 0)
    assert (float(curve.batch), float(curve.tokens_per_s)) == (0, 0) and curve.latency_s == pytest.approx(1)


# --- Where speculation stops to pay


def test_crossing_where_tpot_is_equal():
    plain, speculative = affine(8, 0.02), affine(5, 0.1)
    (crossing,) = crossings(speculative, plain)
    assert crossing.batch == pytest.approx(3 / 0.08)
    assert crossing.rate == pytest.approx(10 * 37.5 / 8.75)
    assert crossing.faster_below and not crossing.faster_above and crossing.stable
    assert speculative.saturation.rate < plain.saturation.rate
    before, after = (
        [float(latency_curve(table, crossing.rate * factor).latency_s) for table in (speculative, plain)]
        for factor in (0.99, 1.01)
    )
    assert before[0] < before[1] and after[0] > after[1]


@given(tables, tables)
def test_both_have_the_same_latency_at_a_crossing(first, second):
    found = crossings(first, second)
    for crossing in found:
        latencies = [float(table.latency_s(crossing.batch)) for table in (first, second)]
        assert latencies[0] == pytest.approx(latencies[1], rel=1e-9)
        for table in (first, second):
            assert float(table.throughput(crossing.batch)) == pytest.approx(crossing.rate, rel=1e-9)
            level = np.ptp(table.throughput(crossing.batch + np.array([-1e-3, 1e-3]))) < 1e-6 * crossing.rate
            assert level or min(abs(p.batch - crossing.batch) for p in fixed_points(table, crossing.rate)) < 1e-4
        assert crossing.latency_s * crossing.rate == pytest.approx(crossing.batch)
    changes = [crossing for crossing in found if crossing.faster_below != crossing.faster_above]
    assert len(changes) <= min(first.max_batch_size, second.max_batch_size)
    mirrored = crossings(second, first)
    assert [each.batch for each in mirrored] == pytest.approx([each.batch for each in found])


@given(growing, st.floats(1.1, 3), st.floats(0.05, 0.9))
def test_a_crossing_is_crossed(plain, slope, gain):
    """Speculation that is faster alone and slower in a full batch crosses once, and the sign changes there."""
    batch = np.arange(plain.max_batch_size)
    speculative = EngineTable(plain.tpot_ms * (1 - gain) + slope * gain * plain.tpot_ms[-1] * batch / batch[-1], 100)
    found = [each for each in crossings(speculative, plain) if each.faster_below and not each.faster_above]
    assert found
    for each in found:
        nearby = np.array([each.batch - 1e-6, each.batch + 1e-6])
        gap = speculative.latency_s(nearby) - plain.latency_s(nearby)
        assert gap[0] < 0 < gap[1] or each.batch == plain.max_batch_size


def test_a_gutter_has_two_crossings():
    """A mixture of experts: it pays alone, not at 3 and 4, and again from 6 on."""
    plain, speculative = EngineTable([10] * 7, 100), EngineTable([8, 9, 11, 12, 10.5, 9, 9], 100)
    found = crossings(speculative, plain)
    assert [each.batch for each in found] == pytest.approx([2.5, 5 + 1 / 3])
    assert [(each.faster_below, each.faster_above) for each in found] == [(True, False), (False, True)]


def test_never_always_and_touching():
    plain = EngineTable([10, 10, 10], 100)
    assert crossings(plain, plain) == crossings(EngineTable([9, 9, 9], 100), plain) == ()
    (touch,) = crossings(EngineTable([9, 10, 9], 100), plain)
    assert touch.batch == 2 and touch.faster_below and touch.faster_above
    ends = crossings(EngineTable([9, 10, 10, 11], 100), EngineTable([10, 10, 10, 10], 100))
    assert [(each.batch, each.faster_below, each.faster_above) for each in ends] == [
        (2, True, False),
        (3, False, False),
    ]
    start = crossings(EngineTable([10, 11, 12], 100), plain)  # equal up to a batch of one, slower from there
    assert [(each.batch, each.faster_below, each.faster_above) for each in start] == [(1, False, False)]


def test_a_crossing_where_x_falls_is_marked():
    (crossing,) = crossings(EngineTable([10, 11, 30], 100), EngineTable([12, 13, 14], 100))
    assert 2 < crossing.batch < 3 and not crossing.stable
    assert [each.stable for each in crossings(EngineTable([12, 13, 14], 100), EngineTable([10, 11, 30], 100))] == [
        False
    ]
    (whole,) = crossings(affine(4.8, 0.1), affine(8, 0.02))
    assert whole.batch == pytest.approx(40, abs=1e-9) and whole.stable
    (exactly,) = crossings(EngineTable([8, 10, 12], 100), EngineTable([10, 10, 10], 100))
    assert exactly.batch == 2 and exactly.stable


def test_a_longer_prefill_moves_the_crossing():
    plain = affine(8, 0.02, prefill_ms=20)
    speculative, slower = affine(5, 0.1, prefill_ms=20), affine(5, 0.1, prefill_ms=22)
    assert crossings(speculative, plain)[0].batch == pytest.approx(37.5)  # the same on both sides
    assert crossings(slower, plain)[0].batch == pytest.approx(300 / (0.08 * 100 + 2))


# --- The distribution of the batch


@pytest.mark.parametrize("load", [0.1, 0.3, 0.5, 0.6])
def test_an_affine_round_gives_a_negative_binomial(load):
    """P(n) ∝ Π r·(a + i)/i is the negative binomial of size a + 1: its quantiles from SciPy, and the fixed point."""
    table = affine(5.9, 0.24, max_batch_size=2000)
    a, limit = 5.9 / 0.24, 10 / 0.24
    found, exact = distribution(table, load * limit), stats.nbinom(a + 1, 1 - load)
    assert found.pmf[:200] == pytest.approx(exact.pmf(np.arange(200)), abs=1e-12)
    assert found.mean_batch == pytest.approx((a + 1) * load / (1 - load))
    assert found.quantile([0.05, 0.5, 0.95]).tolist() == exact.ppf([0.05, 0.5, 0.95]).tolist()
    assert found.mean_field_error == pytest.approx((a + 1) / a)
    assert found.mean_latency_s * load * limit == pytest.approx(found.mean_batch)


@pytest.mark.parametrize("servers", [1, 4, 30, 3000])
@pytest.mark.parametrize("load", [0.2, 0.9, 0.99])
def test_sequences_that_do_not_slow_each_other_are_servers(servers, load):
    """M/M/c: the chance to wait is Erlang's C, here from the Poisson distribution; waiting L_q = C·ρ/(1 − ρ)."""
    offered = servers * load
    blocked = stats.poisson.pmf(servers, offered) / stats.poisson.cdf(servers, offered)
    waits = blocked / (1 - load * (1 - blocked))
    found = distribution(EngineTable([10] * servers, output_tokens=100), offered)
    assert found.chance_to_wait == pytest.approx(waits)
    assert found.mean_waiting == pytest.approx(waits * load / (1 - load))
    assert found.mean_batch == pytest.approx(offered)
    assert found.mean_latency_s == pytest.approx(1 + waits / (servers - offered))


@given(tables, st.floats(0.01, 0.99))
def test_as_many_leave_as_arrive(table, share):
    rate = share * float(table.throughput(table.max_batch_size))
    found = distribution(table, rate)
    assert found.pmf.sum() == pytest.approx(1) and np.all(found.pmf >= 0)
    assert float(found.pmf @ table.throughput(np.arange(found.pmf.size))) == pytest.approx(rate)
    assert 0 <= found.mean_batch <= table.max_batch_size and found.mean_waiting >= 0
    low, middle, high = found.quantile()
    assert 0 <= low <= middle <= high <= table.max_batch_size


def test_the_fixed_point_is_too_optimistic_near_saturation():
    table = affine(5.9, 0.24)
    errors = [distribution(table, share * table.saturation.rate).mean_field_error for share in (0.5, 0.98, 0.99)]
    assert errors[0] == pytest.approx(1 + 0.24 / 5.9)
    assert errors[1] > 1.08 and errors[2] > 1.2


def test_a_queue_without_end_has_no_distribution():
    falling = EngineTable([10, 12, 40], output_tokens=100)  # serves 1.67 a second at 2, but 0.75 with 3
    assert stationary_batch(falling, 0.74) is not None
    assert stationary_batch(falling, 0.75) is None
    assert fixed_points(falling, 1.5)[0].stable  # it may stay there for long, but not for ever
    assert stationary_batch(JUMP, JUMP.saturation.rate) is None


# --- Refused


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: EngineTable([10, 0, 12], 100),
            r"tpot_ms\[1\] = 0.0 is outside 1e-12 to 1e\+24 \(Time per output token\)",
        ),
        (lambda: EngineTable([10, np.nan], 100), r"tpot_ms\[1\] = nan"),
        (lambda: EngineTable([np.inf], 100), r"tpot_ms\[0\] = inf"),
        (lambda: EngineTable(["fast"], 100), "tpot_ms must be numbers; got .*fast"),
        (lambda: EngineTable([10], 0), r"output_tokens = 0 is outside .*\(Output length\)"),
        (lambda: EngineTable([10], np.nan), "output_tokens = nan"),
        (lambda: EngineTable([10], 100, -1), r"prefill_ms = -1 is outside 0 to .*\(Prefill of a request\)"),
        (lambda: EngineTable([10], 100, np.inf), "prefill_ms = inf"),
        (lambda: fixed_points(JUMP, -0.1), r"rate = -0.1 is outside 0 to .*\(Request rate\)"),
        (lambda: latency_curve(JUMP, [1, np.nan]), r"rate\[1\] = nan"),
        (lambda: stationary_batch(JUMP, 0), "rate = 0 is outside 1e-30"),
    ],
)
def test_bad_numbers_are_refused_by_name(make, says):
    with pytest.raises(OutOfDomain, match=says):
        make()


@pytest.mark.parametrize(("tpot_ms", "rate"), [(1e-12, 1e9), (1e24, 1e-24)])
def test_engines_as_fast_and_as_slow_as_can_be_are_answered(tpot_ms, rate):
    """Alone in the engine, a request takes its 100 tokens' time, and the batch is rate × latency."""
    (point,) = fixed_points(EngineTable([tpot_ms], 100), rate)
    assert point.latency_s == pytest.approx(tpot_ms / 10, rel=1e-9)
    assert point.batch == pytest.approx(rate * tpot_ms / 10, rel=1e-9)


def test_requests_that_hardly_ever_come_have_the_engine_to_themselves():
    found = stationary_batch(EngineTable([10, 12], 100), 1e-30)
    assert found is not None
    assert found.mean_latency_s == pytest.approx(1) and found.mean_batch == pytest.approx(1e-30)


@pytest.mark.parametrize("table", [[], [[10, 12]], 10])
def test_a_table_is_one_number_for_each_batch_size(table):
    with pytest.raises(SpecmodelError, match="one number for each batch size from 1"):
        EngineTable(table, 100)


def test_a_table_is_a_copy_that_cannot_be_changed():
    mine = np.array([10.0, 12.0])
    table = EngineTable(mine, 100)
    mine[0] = 99
    assert table.tpot_ms.tolist() == [10, 12]
    with pytest.raises(ValueError, match="read-only"):
        table.tpot_ms[0] = 1


# --- An engine played round by round, with none of the formulas above


@dataclass
class Played:
    """What one run of the simulated engine saw, its first tenth left out; `error` is the standard error of `batch`."""

    batch: float
    error: float
    latency_s: float
    waited: float


class Engine:
    """Requests arrive at random, join at the next round, and leave with the round that brings their last token."""

    def __init__(self, round_ms, acceptance, output_tokens, prefill_ms=0.0, any_length=False):
        self.round_ms, self.acceptance, self.max_batch = round_ms, acceptance, len(round_ms) - 1
        self.output_tokens, self.prefill_ms, self.any_length = output_tokens, prefill_ms, any_length

    def play(self, rate, rounds, seed):
        self.random, self.env = np.random.default_rng(seed), simpy.Environment()
        self.waiting: deque[float] = deque()
        self.came: list[bool] = []  # whether each found all places taken
        self.log: list[tuple[float, int]] = []  # seconds and sequences of each round
        self.latencies: list[float] = []
        self.arrived = self.env.event()
        self.env.process(self.arrive(rate))
        self.env.run(until=self.env.process(self.run(rounds)))
        seconds, batch = np.array(self.log[len(self.log) // 10 :]).T
        latency = np.array(self.latencies[len(self.latencies) // 10 :])
        parts = [
            np.average(b, weights=s) for s, b in zip(*(np.array_split(x, 20) for x in (seconds, batch)), strict=True)
        ]
        full = float(np.mean(self.came[len(self.came) // 10 :]))
        return Played(np.average(batch, weights=seconds), np.std(parts, ddof=1) / 20**0.5, latency.mean(), full)

    def arrive(self, rate):
        while True:
            for gap in self.random.exponential(1 / rate, 4096).tolist():
                yield self.env.timeout(gap)
                self.waiting.append(self.env.now)
                self.came.append(self.running + len(self.waiting) > self.max_batch)
                if not self.arrived.triggered:
                    self.arrived.succeed()

    def emitted(self):
        """Tokens of one round for each of n sequences: `next(emitted)(n)`."""
        k = self.acceptance.num_speculative_tokens
        while True:
            pool, at = 1 + self.random.choice(k + 1, 500_000, p=self.acceptance.pmf), 0
            while at + self.max_batch <= pool.size:
                at += yield pool[at : at + self.max_batch]

    def run(self, rounds):
        left, born, self.running = np.zeros(self.max_batch, int), np.zeros(self.max_batch), 0
        tokens = self.emitted()
        drawn = next(tokens)
        for _ in range(rounds):
            if not self.running and not self.waiting:
                idle_from, self.arrived = self.env.now, self.env.event()
                yield self.arrived
                self.log.append((self.env.now - idle_from, 0))
            new = min(len(self.waiting), self.max_batch - self.running)
            for _ in range(new):
                left[self.running], born[self.running] = self.length(), self.waiting.popleft()
                self.running += 1
            running = self.running
            seconds = (self.round_ms[running] + self.prefill_ms * new) / 1000
            self.log.append((seconds, running))
            yield self.env.timeout(seconds)
            left[:running] -= drawn[:running]
            drawn = tokens.send(running)
            stay = left[:running] > 0
            self.running = int(np.count_nonzero(stay))
            if self.running < running:
                self.latencies.extend((self.env.now - born[:running][~stay]).tolist())
                left[: self.running], born[: self.running] = left[:running][stay], born[:running][stay]

    def length(self):
        return int(self.random.geometric(1 / self.output_tokens)) if self.any_length else self.output_tokens


@cache
def engine_and_table(k, max_batch_size=256, output_tokens=128, prefill_ms=0.0, any_length=False):
    """A round of 5.9 + 0.06·b·(k + 1) ms; its tokens are the exact mean over an output, whose last round is cut."""
    acceptance = Acceptance.iid(0.7, k)
    round_ms = 5.9 + 0.06 * np.arange(max_batch_size + 1) * (k + 1)
    tokens_per_round = output_tokens / mean_rounds(acceptance, output_tokens)
    table = EngineTable(round_ms[1:] / tokens_per_round, output_tokens, prefill_ms)
    return Engine(round_ms.tolist(), acceptance, output_tokens, prefill_ms, any_length), table


@pytest.mark.parametrize(
    ("k", "rounds", "load"),
    [
        (0, 100_000, 0.8),
        (2, 150_000, 0.6),
        *(pytest.param(0, 100_000, load, marks=pytest.mark.deep) for load in (0.3, 0.6)),
        *(pytest.param(2, 150_000, load, marks=pytest.mark.deep) for load in (0.3, 0.8)),
    ],
)
def test_the_simulated_engine_agrees(k, rounds, load):
    engine, table = engine_and_table(k)
    rate = load * table.saturation.rate
    played = engine.play(rate, rounds, seed=1)
    assert played.error < 0.015 * played.batch
    (point,), finer = fixed_points(table, rate), distribution(table, rate)
    assert point.batch == pytest.approx(played.batch, rel=0.05)
    assert point.latency_s == pytest.approx(played.latency_s, rel=0.05)
    assert finer.mean_batch == pytest.approx(played.batch, rel=0.03)
    assert finer.mean_latency_s == pytest.approx(played.latency_s, rel=0.03)


def test_the_lengths_of_the_outputs_do_not_matter_but_their_mean():
    engine, table = engine_and_table(0, any_length=True)
    played = engine.play(0.6 * table.saturation.rate, 100_000, seed=2)
    assert played.error < 0.015 * played.batch
    assert distribution(table, 0.6 * table.saturation.rate).mean_batch == pytest.approx(played.batch, rel=0.03)


def test_a_prefill_stops_everybody():
    engine, table = engine_and_table(0, output_tokens=64, prefill_ms=4)
    rate = 0.6 * table.saturation.rate
    played = engine.play(rate, 120_000, seed=3)
    assert played.error < 0.015 * played.batch
    assert fixed_points(table, rate)[0].batch == pytest.approx(played.batch, rel=0.05)
    assert distribution(table, rate).mean_batch == pytest.approx(played.batch, rel=0.03)
    without = engine_and_table(0, output_tokens=64)[1]
    assert fixed_points(without, rate)[0].batch < 0.8 * played.batch  # what it would be if prefills were free


def test_near_the_cap_requests_wait():
    """Exponential lengths, for which the distribution is exact beyond the cap, too; the fixed point is far off."""
    engine, table = engine_and_table(0, max_batch_size=12, any_length=True)
    rate = 0.75 * table.saturation.rate
    played, finer = engine.play(rate, 250_000, seed=4), distribution(table, rate)
    assert played.error < 0.015 * played.batch
    assert finer.mean_batch == pytest.approx(played.batch, rel=0.03)
    assert finer.chance_to_wait == pytest.approx(played.waited, abs=0.03)
    assert finer.mean_latency_s == pytest.approx(played.latency_s, rel=0.05)
    assert fixed_points(table, rate)[0].latency_s < 0.95 * played.latency_s
