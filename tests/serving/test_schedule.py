import math
from functools import partial
from itertools import pairwise
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.params import declarations
from specmodel.model.costs import DraftCost
from specmodel.serving.by_batch import BatchTable, best_k, by_batch
from specmodel.serving.load import Load
from specmodel.serving.schedule import TOLERANCE, WIDEST, schedule, short_schedule, switch_off, worst_regret
from specmodel.serving.served_model import Serving
from tests.conftest import examples
from tests.serving.test_by_batch import flash_on_b200, widget

tolerances = st.sampled_from([0.0, 0.005, TOLERANCE, 0.1, 0.5])


@st.composite
def tables(draw, standing_cost=None):
    """Small tables with many near ties; k = 0 is the plain engine, exactly 1."""
    rows, columns = draw(st.integers(1, 10)), draw(st.integers(1, 3))
    speed = st.sampled_from([0.7, 0.9, 0.98, 0.99, 1.0, 1.01, 1.02, 1.1]) | st.floats(0.2, 3)
    speedups = [[1.0, *draw(st.lists(speed, min_size=columns, max_size=columns))] for _ in range(rows)]
    cost = draw(st.sampled_from([0.0, 0.01, 0.19, 0.9])) if standing_cost is None else standing_cost
    known = np.array(draw(st.lists(st.booleans(), min_size=rows, max_size=rows)))[:, None] | (
        np.arange(columns + 1) < 2
    )
    return table_of(speedups, cost, known)


def table_of(speedups, standing_cost, known=True):
    speeds = np.array(speedups, dtype=float)
    return BatchTable(
        np.arange(1, len(speeds) + 1), speeds, np.broadcast_to(known, speeds.shape), np.ones(len(speeds)), standing_cost
    )


def fewest(speeds, tolerance):
    """The fewest tiers by trying every place where the last one may start."""
    able = [{k for k, speed in enumerate(row) if speed >= max(row) * (1 - tolerance)} for row in speeds]
    least = [0.0]
    for end in range(1, len(able) + 1):
        starts = (start for start in range(end) if set.intersection(*able[start:end]))
        least.append(min(least[start] for start in starts) + 1)
    return least[-1]


@given(tables(), tolerances, st.booleans())
def test_a_schedule_covers_every_batch_once(table, tolerance, loaded):
    tiers = schedule(table, tolerance, loaded=loaded)
    assert tiers[0].first == 1 and tiers[-1].last == len(table.batch_sizes)
    assert all(after.first == before.last + 1 for before, after in pairwise(tiers))
    assert all(tier.first <= tier.last for tier in tiers)
    assert all(type(value) is int for tier in tiers for value in (tier.first, tier.last, tier.num_speculative_tokens))


@given(tables(), tolerances, st.booleans())
def test_no_batch_loses_more_than_the_tolerance(table, tolerance, loaded):
    tiers = schedule(table, tolerance, loaded=loaded)
    speeds = table.loaded if loaded else table.candidates
    lost = 0.0
    for tier in tiers:
        inside = [speeds[batch - 1] for batch in range(tier.first, tier.last + 1)]
        taken = [row[tier.num_speculative_tokens] for row in inside]
        lost = max(lost, *(1 - speed / max(row) for speed, row in zip(taken, inside, strict=True)))
        assert (tier.lowest_speedup, tier.highest_speedup) == (min(taken), max(taken))
    assert worst_regret(table, tiers, loaded=loaded) == pytest.approx(lost, abs=1e-12)
    assert lost <= tolerance + 1e-12


@examples(400)
@given(tables(), tolerances, st.booleans())
def test_no_schedule_has_fewer_tiers(table, tolerance, loaded):
    speeds = (table.loaded if loaded else table.candidates).tolist()
    assert len(schedule(table, tolerance, loaded=loaded)) == fewest(speeds, tolerance)


def longest_runs(speeds, tolerance):
    """Batches (first, last) over which some draft length ties everywhere, each run as long as it can be; and ties."""
    ties = [{k for k, speed in enumerate(row) if speed >= max(row) * (1 - tolerance)} for row in speeds]
    runs: list[tuple[int, int, set[int]]] = []
    for batch, able in enumerate(ties, start=1):
        if runs and runs[-1][2] & able:
            runs[-1] = (runs[-1][0], batch, runs[-1][2] & able)
        else:
            runs.append((batch, batch, able))
    return runs, ties


@examples(300)
@given(tables(), tolerances)
def test_over_a_run_of_ties_the_highest_mean_wins(table, tolerance):
    speeds = table.loaded.tolist()
    runs, ties = longest_runs(speeds, tolerance)
    for tier, (first, last, able) in zip(schedule(table, tolerance), runs, strict=True):
        k, inside = tier.num_speculative_tokens, speeds[first - 1 : last]
        means = {each: fmean(row[each] for row in inside) for each in able}
        assert means[k] == pytest.approx(max(means.values()))
        assert all(means[each] < means[k] for each in able if each < k), "of equals the shortest"
        assert tier.first <= first and all(k in ties[batch - 1] for batch in range(tier.first, tier.last + 1))


@examples(300)
@given(tables(), tolerances)
def test_a_tier_ends_where_the_next_one_overtakes(table, tolerance):
    speeds, tiers = table.loaded.tolist(), schedule(table, tolerance)
    runs, ties = longest_runs(speeds, tolerance)
    for (before, after), (_, end, _) in zip(pairwise(tiers), runs[:-1], strict=True):
        mine, next_one = before.num_speculative_tokens, after.num_speculative_tokens
        assert mine != next_one
        assert all(speeds[batch - 1][next_one] > speeds[batch - 1][mine] for batch in range(after.first, end + 1))
        last = speeds[before.last - 1]
        assert before.first == before.last or last[mine] >= last[next_one] or next_one not in ties[before.last - 1]


def test_a_boundary_moves_to_where_the_lengths_cross():
    """Half a percent of tolerance lets the first tier run on to batch 4; the second is faster from batch 3 on."""
    table = table_of([[1, 1.2, 1.1], [1, 1.2, 1.19], [1, 1.198, 1.2], [1, 1.195, 1.2], [1, 1.1, 1.2]], 0)
    assert [(tier.first, tier.last, tier.num_speculative_tokens) for tier in schedule(table, 0.005)] == [
        (1, 2, 1),
        (3, 5, 2),
    ]


@given(tables(standing_cost=0.0), st.sampled_from([0.01, 0.1, 0.5]), st.floats(0, 0.99))
def test_a_looser_tolerance_never_needs_more_tiers(table, more, cost):
    loaded = table_of(table.speedup, cost, table.known)
    assert len(schedule(loaded, more)) <= len(schedule(loaded, more / 2)) <= len(schedule(loaded, 0))


@given(tables(), tolerances, st.integers(1, 4), st.booleans())
def test_a_short_schedule_keeps_to_its_number_of_tiers(table, tolerance, most, loaded):
    tiers, all_of_them = (
        short_schedule(table, tolerance, most, loaded=loaded),
        schedule(table, tolerance, loaded=loaded),
    )
    assert len(all_of_them) > most or tiers == all_of_them
    assert len(tiers) <= most or tiers == schedule(table, WIDEST, loaded=loaded), "wider than half is no tie"
    assert worst_regret(table, tiers, loaded=loaded) <= WIDEST + 1e-12
    assert tiers[0].first == 1 and tiers[-1].last == len(table.batch_sizes)


def test_a_short_schedule_does_not_give_away_more_than_half():
    table = table_of([[1, 0.4]] * 5 + [[1, 3]], 0)
    assert [(tier.last, tier.num_speculative_tokens) for tier in short_schedule(table, 0.0, most=1)] == [(5, 0), (6, 1)]
    gentle = table_of([[1, 0.4]] * 5 + [[1, 1.9]], 0)
    assert [tier.num_speculative_tokens for tier in short_schedule(gentle, 0.0, most=1)] == [0]


@pytest.mark.parametrize("ask", [schedule, short_schedule])
@pytest.mark.parametrize("tolerance", [-0.01, 0.51, 1.5, math.nan, math.inf])
def test_a_tolerance_that_makes_no_sense_is_refused(ask, tolerance):
    with pytest.raises(SpecmodelError, match=f"tolerance = {tolerance} is outside 0 to 0.5"):
        ask(table_of([[1, 2], [1, 0.5]], 0), tolerance)


def test_every_tolerance_that_a_reader_can_choose_is_allowed():
    declared = declarations(Load)["tolerance"]
    assert (declared.low, declared.high) == (0, WIDEST) and declared.default == TOLERANCE
    assert len(schedule(table_of([[1, 2], [1, 0.5]], 0), declared.high)) == 1


@pytest.mark.parametrize("sizes", [[1, 8, 64], [2, 1], [1, 1], [1, 2, 4]])
def test_a_table_with_gaps_is_refused(sizes):
    table = by_batch(Serving(lambda q, b, s: 20.0, 0.7), np.array(sizes, dtype=int), 0)
    with pytest.raises(SpecmodelError, match="every batch size, without gaps"):
        schedule(table)


def test_a_table_of_no_batch_is_refused():
    with pytest.raises(SpecmodelError, match="every batch size, without gaps"):
        schedule(table_of(np.ones((0, 3)), 0))


@pytest.mark.parametrize("sizes", [[0, 1, 2], [-1, 1], [0]])
def test_a_table_of_a_batch_without_requests_is_refused(sizes):
    with pytest.raises(SpecmodelError, match=rf"batch_size\[0\](\[0\])? = {min(sizes):.1f} is not"):
        by_batch(Serving(lambda q, b, s: 20.0, 0.7), sizes, 0)


@given(tables(), tolerances, st.booleans())
def test_what_was_not_measured_is_never_chosen(table, tolerance, loaded):
    for tier in schedule(table, tolerance, loaded=loaded):
        assert table.known[tier.first - 1 : tier.last, tier.num_speculative_tokens].all()
    rows = np.arange(len(table.batch_sizes))
    assert table.known[rows, table.best].all() and table.known[rows, table.best_loaded].all()
    assert (table.at_best() >= 1).all()


def lengths(tiers):
    return [tier.num_speculative_tokens for tier in tiers for _ in range(tier.first, tier.last + 1)]


@given(tables(standing_cost=0.0), st.floats(0, 0.99))
def test_a_standing_cost_moves_batches_from_off_to_drafts_and_never_back(table, cost):
    """Where nothing ties, each batch has its own best: only those that were off can change."""
    loaded = table_of(table.speedup, cost, table.known)
    for before, after in zip(table.best_loaded, loaded.best_loaded, strict=True):
        assert after == before or before == 0 < after
    distinct = [len(set(row)) == len(row) for row in np.round(loaded.loaded, 9).tolist()]
    if all(distinct) and all(len(set(row)) == len(row) for row in table.candidates.tolist()):
        before, after = lengths(schedule(table, 0.0)), lengths(schedule(loaded, 0.0))
        assert all(now == was or was == 0 < now for was, now in zip(before, after, strict=True))


def test_the_plain_engine_pays_no_standing_cost():
    """One draft wins 5 % less than nothing: loaded it still beats off, which costs 19 %."""
    table = table_of([[1, 0.95], [1, 0.7]], 0.19)
    assert lengths(schedule(table, loaded=False)) == [0, 0]
    assert lengths(schedule(table)) == [1, 0]
    assert [tier.lowest_speedup for tier in schedule(table)] == pytest.approx([0.95, 0.81])


def test_a_schedule_goes_up_again_after_the_gutter():
    """DeepSeek-V4-Flash on one B200 as a published widget has it, whose plain formula is asked batch by batch."""
    table = by_batch(Serving(flash_on_b200(), 0.75, DraftCost(ratio=0.1)), range(1, 257), 4096)
    asked = partial(best_k, widget, alpha=0.75, context_tokens=4096, draft_cost_ratio=0.1)
    off = [batch for batch in range(1, 257) if asked(batch_size=batch)[0] == 0]
    assert off == list(range(4, 14)) and switch_off(table) == ((4, 13),)
    by_size = lengths(schedule(table))
    assert (by_size[0], by_size[7]) == (1, 0) and by_size[31] in (4, 5, 6) and by_size[127] in (3, 4)
    assert worst_regret(table, schedule(table)) <= TOLERANCE
    for before, after in pairwise(schedule(table)):
        row = table.loaded[before.last - 1]
        assert row[before.num_speculative_tokens] >= row[after.num_speculative_tokens], (before, after)


@given(tables(), st.integers(1, 4) | st.none())
def test_off_is_exactly_where_nothing_is_gained(table, k):
    columns = table.speedup.shape[1]
    k = None if k is None else (k - 1) % (columns - 1) + 1
    speeds = table.candidates[:, 1:].max(axis=1) if k is None else table.speedup[:, k]
    inside = {batch for first, last in switch_off(table, k) for batch in range(first, last + 1)}
    assert inside == {batch for batch, speed in enumerate(speeds.tolist(), start=1) if speed <= 1}
    ranges = switch_off(table, k)
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(ranges))


@pytest.mark.parametrize("k", [-1, 0, 4, 17])
def test_switch_off_refuses_a_draft_length_that_the_table_does_not_have(k):
    with pytest.raises(SpecmodelError, match=f"no draft length {k}: it has 1 to 3"):
        switch_off(table_of([[1, 2, 3, 4]], 0), k)


@pytest.mark.parametrize("k", [None, 0, 1])
def test_switch_off_refuses_a_table_of_off_alone(k):
    with pytest.raises(SpecmodelError, match="it has 1 to 0"):
        switch_off(table_of([[1], [1]], 0), k)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 5), st.floats(1, 64))
def test_a_dense_model_is_switched_off_from_one_batch_on(alpha, ratio, slope, free):
    """A pass that is flat and then rises never makes speculation pay again at a larger batch."""
    serving = Serving(lambda q, b, s: 20 + slope * np.maximum(q * b - free, 0), alpha, DraftCost(ratio=ratio))
    table = by_batch(serving, range(1, 65), 0, max_k=6)
    for k in (1, 4):
        off = switch_off(table, k)
        assert len(off) <= 1
        assert not off or off[0][1] == 64
