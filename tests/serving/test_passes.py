import math
from bisect import bisect_left
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.serving.fit import fit_affine
from specmodel.serving.passes import LONGEST_MS, AffinePass, MeasuredPass, Points
from tests.domains import from_pairs, lines

# Mean ms of one pass of SmolLM2-135M in float32 on one thread of a CPU, context 150: not monotone.
CPU_TOKENS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 13)
CPU_MS = (37.35, 61.82, 77.08, 56.37, 62.77, 64.06, 71.50, 66.52, 73.89, 85.12)

batches = st.integers(1, 4096)
contexts = st.integers(0, 1_000_000)
times = st.floats(0.01, 9_999)


@st.composite
def tables(draw, *contexts):
    """Rows of distinct (tokens, context), each with a time; without contexts all have 0."""
    key = st.tuples(st.integers(1, 5000), st.sampled_from(contexts or (0,)))
    keys = draw(st.lists(key, min_size=1, max_size=12, unique=True))
    return [(*key, draw(times)) for key in keys]


def points_of(*columns: Any) -> Points:
    """Points of columns that are lists, as a reader writes them."""
    return Points(*columns)


def columns(rows):
    return points_of(*zip(*rows, strict=True))


# Points


@given(tables(0, 128, 4096), st.randoms())
def test_order_of_rows_does_not_matter(rows, random):
    mixed = random.sample(rows, len(rows))
    for name in ("tokens", "context_tokens", "ms"):
        assert getattr(columns(rows), name).tolist() == getattr(columns(mixed), name).tolist()


@given(tables(0, 128), st.integers(2, 4))
def test_repeated_passes_are_averaged(rows, times_each):
    repeated = [(tokens, context, ms * factor) for tokens, context, ms in rows for factor in range(1, times_each + 1)]
    wanted = columns(rows).ms * (times_each + 1) / 2
    assert columns(repeated).ms == pytest.approx(wanted)


def test_contexts_and_what_was_measured_at_each():
    points = points_of([4, 1, 1, 2], [9, 0, 9, 0], [8, 1, 3, 2])
    assert points.contexts.tolist() == [0, 9]
    assert [column.tolist() for column in points.at(9)] == [[1, 4], [3, 8]]


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ((0, 0, 5), "tokens 0,"),
        ((0.5, 0, 5), "tokens 0.5"),
        ((-3, 0, 5), "tokens -3"),
        ((math.nan, 0, 5), "tokens nan"),
        ((math.inf, 0, 5), "tokens inf"),
        ((1, -1, 5), "context -1"),
        ((1, math.nan, 5), "context nan"),
        ((1, 0, 0), "0 ms"),
        ((1, 0, -2), "-2 ms"),
        ((1, 0, math.nan), "nan ms"),
        ((1, 0, math.inf), "inf ms"),
        ((1, 0, 1.1 * LONGEST_MS), "1.1e+09 ms"),
    ],
)
def test_a_bad_row_is_named(row, named):
    with pytest.raises(
        SpecmodelError, match=r"row 2 of the passes .*must be at least 1, context at least 0"
    ) as refused:
        points_of(*zip((1, 0, 5), row, strict=True))
    assert named in str(refused.value)


@pytest.mark.parametrize(
    "columns",
    [
        ([], [], []),
        ([1, 2], [0], [3]),
        (["a"], [0], [3]),
        ([1j], [0], [3]),
        (1, 0, 3),
        ([[1, 2]], [[0, 0]], [[3, 4]]),
        ([1, [2]], [0, 0], [3, 4]),
    ],
)
def test_columns_that_are_no_table_are_refused(columns):
    with pytest.raises(SpecmodelError, match="as many numbers of each, at least one"):
        points_of(*columns)


def test_two_columns_of_different_lengths_are_refused():
    with pytest.raises(SpecmodelError, match="as many numbers of each, at least one"):
        from_pairs([1, 2], [3])


def test_passes_can_be_compared_and_cached():
    """Tables are told apart by identity: comparing their arrays would have no single answer."""
    one, two = from_pairs([1, 2], [3, 4]), from_pairs([1, 2], [3, 4])
    assert one.points == one.points != two.points
    assert one == one and one != two
    assert len({one, two, one}) == 2 and len({one.points, two.points}) == 2
    assert AffinePass(1, 2, 3, 4) == AffinePass(1, 2, 3, 4) and len({AffinePass(), AffinePass()}) == 1


# Measured passes


@given(tables())
def test_measured_points_come_back(rows):
    points = columns(rows)
    assert MeasuredPass(points)(points.tokens, 1, 0) == pytest.approx(points.ms)


def test_a_table_that_is_not_monotone_stays_so():
    measured = from_pairs(CPU_TOKENS, CPU_MS)
    assert [float(measured(tokens, 1, 150)) for tokens in CPU_TOKENS] == list(CPU_MS)
    assert float(measured(4, 1, 0)) < float(measured(3, 1, 0)) > float(measured(2, 1, 0))
    assert float(measured(10, 1, 0)) == pytest.approx(73.89 + (85.12 - 73.89) / 4)


@given(tables(), st.integers(1, 64), batches)
def test_between_points_the_time_is_on_the_line_between_neighbours(rows, q, batch):
    rows, tokens = sorted(rows), q * batch
    got = float(MeasuredPass(columns(rows))(q, batch, 7))
    above = bisect_left([row[0] for row in rows], tokens)
    if above == 0:
        assert got == pytest.approx(rows[0][2])
    elif above < len(rows):
        (low, _, start), (high, _, end) = rows[above - 1 : above + 1]
        assert got == pytest.approx(start + (end - start) * (tokens - low) / (high - low))


def test_beyond_the_largest_pass_the_last_line_goes_on():
    measured = MeasuredPass(points_of([1, 4, 8, 16], [0] * 4, [10, 11, 12, 20]))
    assert measured.largest == 16
    assert float(measured(1, 16, 0)) == 20
    assert float(measured(2, 16, 0)) == pytest.approx(20 + 16 * (20 - 12) / 8)
    assert float(measured(1, 1, 0)) == 10
    assert float(from_pairs([5], [30])(9, 100, 0)) == 30, "one point has no line"


def test_between_contexts_the_time_is_interpolated_and_beyond_the_nearest_counts():
    points = points_of([1, 9, 1, 9], [100, 100, 300, 300], [10, 18, 30, 70])
    measured = MeasuredPass(points)
    assert float(measured(5, 1, 100)) == 14 and float(measured(5, 1, 300)) == 50
    assert float(measured(5, 1, 150)) == pytest.approx(14 + 0.25 * 36)
    assert float(measured(5, 1, 0)) == 14 and float(measured(5, 1, 10_000)) == 50
    between = measured(np.array([1, 5, 9]), 1, np.array([[100], [200], [300]]))
    assert between.tolist() == [[10, 14, 18], [20, 32, 44], [30, 50, 70]]


def test_three_contexts_each_use_their_own_neighbours():
    measured = MeasuredPass(points_of([1, 1, 1], [0, 10, 40], [5, 15, 3]))
    assert measured(1, 1, np.array([0, 5, 10, 20, 40, 99])).tolist() == pytest.approx([5, 10, 15, 11, 3, 3])


def test_a_context_with_a_single_point_stays_flat_and_what_is_beyond_is_not_known():
    measured = MeasuredPass(points_of([1, 64, 1], [0, 0, 4096], [10, 40, 15]))
    assert [float(measured(tokens, 1, 4096)) for tokens in (1, 64, 1000)] == [15, 15, 15]
    assert measured.largest == 1
    assert MeasuredPass(points_of([1, 64, 1, 9], [0, 0, 4096, 4096], [10, 40, 15, 18])).largest == 9


@given(tables(0, 128, 4096))
def test_up_to_the_largest_pass_every_context_was_measured(rows):
    wanted = min(max(row[0] for row in rows if row[1] == context) for context in {row[1] for row in rows})
    assert MeasuredPass(columns(rows)).largest == wanted


@pytest.mark.parametrize(
    ("sizes", "largest"), [((), 20), ((1, 8), 20), ((8, 20), 20), ((1, 8, 16, 24), 16), ((20, 24), 20), ((24, 32), 0)]
)
def test_a_pass_that_is_padded_beyond_the_measured_ones_is_not_known(sizes, largest):
    """20 tokens were measured: with captured sizes of 16 and 24 a pass over 17 is one over 24."""
    assert MeasuredPass(points_of([1, 20], [0, 0], [10, 12]), captured_sizes=sizes).largest == largest


near = st.sampled_from([1.0, 1.0 + 2**-52, 1.0000000001, 1.5, 2.0, 1e9])


@given(
    st.lists(st.tuples(near, st.sampled_from([0.0, 64.0]), st.floats(1e-3, LONGEST_MS)), min_size=1, max_size=6),
    st.integers(1, 65),
    batches,
    contexts,
)
def test_any_measured_points_can_be_extrapolated(rows, q, batch, context):
    found = float(MeasuredPass(columns(rows))(q, batch, context))
    assert 0 < found < math.inf
    assert found >= min(row[2] for row in rows) - 1e-12 * max(row[2] for row in rows)


SIZES = (1, 2, 4, 8, 16, 24, 32)


def test_the_cost_is_flat_between_captured_sizes():
    measured = MeasuredPass(points_of([1, 32, 64], [0] * 3, [10, 41, 73]), captured_sizes=SIZES)
    assert [float(measured(tokens, 1, 0)) for tokens in (1, 2, 3, 4, 5, 8, 9, 16)] == [10, 11, 13, 13, 17, 17, 25, 25]
    assert len({float(measured(1, batch, 0)) for batch in range(17, 25)}) == 1
    assert float(measured(33, 1, 0)) == 42, "beyond the largest captured size nothing is padded"


@given(tables(), st.integers(1, 8), st.integers(1, 20))
def test_padding_is_the_next_captured_size(rows, q, batch):
    points = columns(rows)
    padded = next((size for size in SIZES if size >= q * batch), q * batch)
    got = MeasuredPass(points, captured_sizes=SIZES)(q, batch, 0)
    assert float(got) == float(MeasuredPass(points)(padded, 1, 0))


@pytest.mark.parametrize("sizes", [(0,), (0.5, 1), (4, 2), (2, 2), (1, math.nan), (1, math.inf), (-1, 4)])
def test_bad_captured_sizes_are_refused(sizes):
    with pytest.raises(SpecmodelError, match="captured sizes must be numbers of at least 1 that rise"):
        MeasuredPass(points_of([1], [0], [1]), captured_sizes=sizes)


@given(tables(0, 64, 1024), st.booleans())
def test_scalars_and_arrays_of_a_measured_pass_agree(rows, padded):
    measured = MeasuredPass(columns(rows), captured_sizes=SIZES if padded else ())
    q, batch, context = np.array([1, 2, 5]), np.array([[1], [7], [300]]), np.array([[[0]], [[100]], [[5000]]])
    grid = measured(q, batch, context)
    assert grid.shape == (3, 3, 3)
    for c, b, t in np.ndindex(3, 3, 3):
        assert grid[c, b, t] == measured(int(q[t]), int(batch[b, 0]), int(context[c, 0, 0])) > 0


# The line and its fit


def test_the_published_fit():
    """SpecDecode-Bench (arXiv 2601.11580), predictor.py: Llama-3.1-8B on one H100 with vLLM, seconds there."""
    line = AffinePass()
    for q, batch, context in [(1, 1, 1024), (4, 16, 1024), (6, 128, 2048)]:
        cached, tokens = batch * context, batch * q
        wanted = 1000 * (3.926e-8 * cached + 2.101e-5 * tokens + 5.886e-3 + 1.207e-3)
        assert float(line(q, batch, context)) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("k", "batch", "ratio"), [(3, 1, 1.31), (3, 16, 1.40), (3, 64, 1.58), (3, 128, 1.71), (5, 128, 2.07)]
)
def test_step_ratios_of_the_published_fit(k, batch, ratio):
    """The same with its EAGLE draft, 2.135 ms + 0.841 us a token + 2.378 ns a cached token, 1,024 cached a sequence."""
    target, draft = AffinePass(), AffinePass(2.135, 8.41e-4, 2.378e-6, 0)
    got = (target(k + 1, batch, 1024) + draft(1, batch, 1024)) / target(1, batch, 1024)
    assert round(float(got), 2) == ratio


@given(lines(), batches, contexts)
def test_a_line_never_falls_and_takes_arrays(line, batch, context):
    grid = line(np.arange(1, 66)[:, None], np.array([batch, batch + 1]), context)
    assert grid.shape == (65, 2) and np.isfinite(grid).all() and (grid > 0).all()
    assert (np.diff(grid, axis=0) >= 0).all() and (np.diff(grid, axis=1) >= 0).all()
    assert (line(1, batch, context + 1) >= grid[0, 0]).all()
    assert grid[4, 0] == pytest.approx(float(line(5, batch, context)), rel=1e-12)


LARGEST = {"base_ms": LONGEST_MS, "per_token_ms": LONGEST_MS, "per_cached_token_ms": LONGEST_MS, "overhead_ms": 1e5}


@pytest.mark.parametrize("name", LARGEST)
@pytest.mark.parametrize("value", [-1e-9, math.nan, math.inf, 1.001e9])
def test_a_line_with_a_bad_coefficient_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        AffinePass(**{name: value})


@pytest.mark.parametrize(("name", "most"), LARGEST.items())
def test_a_line_takes_coefficients_up_to_the_longest_pass(name, most):
    assert getattr(AffinePass(**{name: most}), name) == most
    assert math.isfinite(float(AffinePass(**{name: most})(65, 2048, 10_000_000)))
    with pytest.raises(ValueError, match=name):
        AffinePass(**{name: most * 1.001})


@pytest.mark.parametrize("values", [(0, 0, 0, 0), (0, 0, 1, 0), (1e-10, 1e-10, 1000, 1e-10), (9.9e-10, 0, 0, 0)])
def test_a_line_that_takes_no_time_is_refused(values):
    """Caches alone are no pass: without context it would take no time at all."""
    with pytest.raises(SpecmodelError, match="a pass takes some time"):
        AffinePass(*values)


@pytest.mark.parametrize("values", [(1e-9, 0, 0, 0), (0, 1e-9, 0, 0), (0, 0, 0, 1e-9), (4e-10, 4e-10, 0, 4e-10)])
def test_a_line_that_takes_next_to_no_time_is_none_to_divide_by_zero(values):
    line = AffinePass(*values)
    assert float(line(1, 1, 0)) >= 1e-9
    assert float(line(5, 2, 0)) / float(line(1, 2, 0)) <= 5


coefficients = st.floats(0.001, 100)


@given(coefficients, coefficients, st.floats(1e-6, 0.01), st.sampled_from([1, 3, 8, 64]))
def test_the_fit_finds_the_line_that_made_the_points(base, per_token, per_cached, batch):
    line = AffinePass(base, per_token, per_cached, 0)
    q, context = (each.reshape(-1) for each in np.meshgrid([1, 2, 5, 9], [128, 1024, 4096]))
    fit = fit_affine(points_of(q * batch, context, line(q, batch, context)), batch)
    found = (fit.line.base_ms, fit.line.per_token_ms, fit.line.per_cached_token_ms, fit.line.overhead_ms)
    assert found == pytest.approx((base, per_token, per_cached, 0), rel=1e-5, abs=1e-9)
    assert fit.largest_error < 1e-9


@pytest.mark.parametrize("batch", [0, -1, math.nan, math.inf])
def test_a_fit_for_no_sequence_is_refused(batch):
    with pytest.raises(SpecmodelError, match=f"batch_size = {batch} is not a number"):
        fit_affine(points_of([1, 2, 4], [0, 5, 9], [3, 4, 5]), batch)


@given(tables(0, 128, 4096))
def test_the_fit_is_the_best_line_without_negative_parts(rows):
    points = columns(rows)
    try:
        fit = fit_affine(points)
    except SpecmodelError:  # the best line takes no time without context
        assume(False)
        raise
    line = fit.line
    assert min(line.base_ms, line.per_token_ms, line.per_cached_token_ms) >= 0
    assert fit.residual_ms == pytest.approx(points.ms - line(points.tokens, 1, points.context_tokens))
    assert fit.largest_error == pytest.approx(max(abs(fit.residual_ms) / points.ms))
    least = float(np.sum(fit.residual_ms**2))
    for name in ("base_ms", "per_token_ms", "per_cached_token_ms"):
        for step in (-1e-3, 1e-3, 0.1):
            value = getattr(line, name)
            moved = value + step * (value + 1e-3)
            if 0 <= moved < 1000:
                other = line.replace(**{name: moved})(points.tokens, 1, points.context_tokens)
                assert float(np.sum((points.ms - other) ** 2)) >= least * (1 - 1e-9) - 1e-9


def test_a_falling_table_gets_no_negative_slope():
    fit = fit_affine(points_of([1, 2, 3], [0] * 3, [30, 20, 10]))
    assert (fit.line.base_ms, fit.line.per_token_ms) == pytest.approx((20, 0))
    assert fit.residual_ms == pytest.approx([10, 0, -10])


def test_one_context_leaves_nothing_to_cached_tokens():
    fit = fit_affine(points_of([1, 5], [900, 900], [10, 14]))
    assert fit.line.per_cached_token_ms == 0 and (fit.line.base_ms, fit.line.per_token_ms) == pytest.approx((9, 1))


def test_the_fit_of_a_cpu_table_misses_and_says_by_how_much():
    """One thread, float32: a pass over three tokens takes longer than one over four, which no line can follow."""
    fit = fit_affine(points_of(CPU_TOKENS, [150] * len(CPU_TOKENS), CPU_MS))
    slope, intercept = np.polyfit(CPU_TOKENS, CPU_MS, 1)
    assert (fit.line.per_token_ms, fit.line.base_ms) == pytest.approx((slope, intercept))
    assert fit.residual_ms[2] > 15 and fit.residual_ms[0] < -15
    assert fit.largest_error == pytest.approx(abs(fit.residual_ms[0]) / 37.35)
