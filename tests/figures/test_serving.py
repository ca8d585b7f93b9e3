"""Figures of the Serving load and Methods pages: plotly accepts them, and what they draw is what was computed."""

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from specmodel.figures import style
from specmodel.figures.arrivals import latency_figure, running_figure
from specmodel.figures.methods import look, methods_figure, trade_figure
from specmodel.figures.serving import (
    MAP_BATCHES,
    MAP_CONTEXTS,
    batch_axis,
    map_figure,
    pass_figure,
    schedule_figure,
    shown_batches,
    speedup_by_batch_figure,
    throughput_figure,
    tpot_figure,
)
from specmodel.methods import Task, compare, methods
from specmodel.model.costs import DraftCost
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.by_batch import load_map
from specmodel.serving.hardware import Accelerator, accelerator, target_model
from specmodel.serving.load import Load
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.passes import AffinePass, MeasuredPass
from specmodel.serving.roofline import RooflinePass, turning_tokens
from specmodel.serving.served_model import Serving
from specmodel.serving.target_model import TargetModel

TABLE = pass_tables()["deepseek_v4_flash"]
LARGEST = float(TABLE.points.tokens.max())
PEAK = accelerator("b200").replace(compute_fraction=1, bandwidth_fraction=1, step_overhead_ms=0)
SOURCES = {
    "roofline": Serving(RooflinePass(TargetModel(), Accelerator()), 0.6, DraftCost(ratio=0.1), standing_cost=0.19),
    "experts": Serving(RooflinePass(target_model("deepseek_v4_flash"), PEAK), 0.75, DraftCost(ratio=0.1)),
    "fit": Serving(AffinePass(), 0.6, DraftCost(ratio=0.1), standing_cost=0.19),
    "points": Serving(MeasuredPass(TABLE.points), 0.7, DraftCost("parallel", ratio=0.1), largest_tokens=LARGEST),
}
BY_BATCH = (speedup_by_batch_figure, throughput_figure, tpot_figure, schedule_figure, latency_figure, running_figure)
ROWS = tuple(
    enumerate(
        compare(
            [each.choose(Task()) for each in methods()],
            AffinePass(),
            batch_size=8,
            context_tokens=1024,
            batch_sizes=(1, 8, 64, 512),
        )
    )
)


def answered(source="roofline", k=5, most=64, plain_most=None, tokens=500.0, by_rate=False, **load):
    return LoadAnswer(SOURCES[source], Load(**load), k, tokens, most, plain_most or most, by_rate=by_rate)


def valid(figure):
    """The figure, once plotly has checked it."""
    drawn = go.Figure(figure)
    for trace in drawn.data:
        if trace.type == "scatter":
            assert len(trace.x) == len(trace.y)
            assert not any(each is not None and (math.isnan(each) or math.isinf(each)) for each in trace.x)
            assert not any(each is not None and math.isinf(each) for each in trace.y)
    return drawn


def drawn(figure):
    return {trace.name: trace for trace in valid(figure).data if trace.name}


def finite(values):
    return [each for each in values if each is not None and not math.isnan(each)]


LOADS = [
    {},
    {"k": 0},
    {"k": 64},
    {"k": 1, "batch_size": 1},
    {"most": 1, "batch_size": 1},
    {"most": 1, "k": 0, "batch_size": 1},
    {"most": 2, "batch_size": 64},
    {"most": 8, "plain_most": 64, "batch_size": 32},
    {"most": 1024},
    {"request_rate": 1e6},
    {"request_rate": 0.0001},
    {"prefill_ms": 200},
    {"tokens": 1.0},
    {"context_tokens": 0},
    {"context_tokens": 131_072, "most": 2},
    {"standing_cost": 0, "tolerance": 0.5},
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("load", LOADS, ids=str)
def test_every_figure_is_valid(source, load):
    found = answered(source, **load)
    for figure in BY_BATCH:
        assert valid(figure(found, str)).layout.xaxis.title.text
    valid(speedup_by_batch_figure(found, str, ghost=answered("fit", k=2, most=16)))
    for turn in (None, 0.5, 258.0, 1e9):
        valid(pass_figure(found.serving, found.load, max(found.num_speculative_tokens, 1), 64, str, turn))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("load", [{}, {"batch_size": 1, "context_tokens": 0}, {"batch_size": 2048}], ids=str)
def test_the_map_is_valid_and_shows_what_was_computed(source, load):
    grid = load_map(SOURCES[source], MAP_BATCHES, MAP_CONTEXTS, 64)
    surface, spot = valid(map_figure(grid, Load(**load), str)).data
    assert np.array(surface.z).shape == (len(MAP_CONTEXTS), len(MAP_BATCHES))
    assert (np.array(surface.z) == grid.best).all()
    cell = np.array(surface.customdata)[3, 5]
    assert cell.tolist() == pytest.approx([MAP_BATCHES[5], MAP_CONTEXTS[3], grid.speedup[3, 5]])
    assert 0 <= spot.x[0] <= len(MAP_BATCHES) - 1 and 0 <= spot.y[0] <= len(MAP_CONTEXTS) - 1
    if not load:
        assert MAP_BATCHES[round(spot.x[0])] == 8


def test_speedup_by_batch_shows_both_lengths_the_gutter_and_the_spot():
    found = answered("experts", most=1024, batch_size=32, context_tokens=4096)
    traces = drawn(speedup_by_batch_figure(found, str))
    best, fixed, spot = (traces[name] for name in ("best k at each batch", "k = 5 at every batch", "this batch"))
    at = list(best.x).index(32)
    assert best.y[at] == pytest.approx(found.outcome.best_speedup) and best.customdata[at] == 5
    assert (spot.x[0], spot.y[0]) == (32, pytest.approx(found.outcome.speedup)) and fixed.y[at] == spot.y[0]
    gutter = [y for x, y in zip(best.x, best.y, strict=True) if 4 <= x <= 13]
    assert gutter == [1] * 10 and "extrapolated" not in traces
    bands = valid(speedup_by_batch_figure(found, str)).layout.shapes
    assert len(bands) == len(found.off) and bands[0].x1 == found.off[0][1] + 0.5


def test_off_areas_are_those_of_the_chosen_length_and_none_without_drafts():
    assert not valid(speedup_by_batch_figure(answered(k=0), str)).layout.shapes
    found = answered(k=5, most=400, context_tokens=1024)
    (band,) = valid(speedup_by_batch_figure(found, str)).layout.shapes
    assert found.off == ((131, 400),) and (band.x0, band.x1) == (130.5, 400.5)


def test_what_is_extrapolated_is_dotted_and_never_in_the_solid_line():
    found = answered("points", k=63, most=1024)
    traces = drawn(speedup_by_batch_figure(found, str))
    solid = traces["k = 63 at every batch"]
    assert all(math.isnan(y) == (x * 64 > LARGEST) for x, y in zip(solid.x, solid.y, strict=True))
    assert traces["extrapolated"].line.dash == "dot"
    assert max(traces["extrapolated"].x) == 1024 and len(finite(traces["extrapolated"].y)) > 10


def test_a_standing_cost_is_a_line_of_its_own():
    name = "loaded, but off (k = 0)"
    assert set(drawn(speedup_by_batch_figure(answered(), str))[name].y) == {0.81}
    free = drawn(speedup_by_batch_figure(answered("experts", standing_cost=0), str))
    assert name not in free


def test_throughput_and_time_per_token_are_two_sides():
    found = answered("fit", most=200)
    rate, tpot = drawn(throughput_figure(found, str)), drawn(tpot_figure(found, str))
    for name in ("without", "best k", "k = 5"):
        batches = np.array(rate[name].x, dtype=float)
        assert np.array(rate[name].y) * np.array(tpot[name].y) == pytest.approx(1000 * batches)
    assert (np.array(rate["best k"].y) >= np.array(rate["without"].y) - 1e-9).all()


def test_a_drafter_that_takes_memory_ends_its_lines_earlier():
    found = answered("fit", most=20, plain_most=100)
    for figure in (throughput_figure, tpot_figure):
        traces = drawn(figure(found, str))
        assert max(traces["without"].x) == 100 and max(traces["k = 5"].x) == max(traces["best k"].x) == 20


def test_the_schedule_is_drawn_as_it_is():
    found = answered("experts", most=512, context_tokens=4096, batch_size=200)
    traces = drawn(schedule_figure(found, str))
    assert list(traces["schedule"].y) == found.scheduled.tolist() and traces["schedule"].line.shape == "hv"
    assert traces["this batch"].y[0] == found.scheduled[199]
    beyond = drawn(schedule_figure(answered(most=16, batch_size=512), str))
    assert beyond["this batch"].y[0] == answered(most=16).scheduled[-1]


# By request rate


def test_latency_lines_end_where_they_saturate_and_cross_where_computed():
    found = answered("roofline", most=400, tokens=4000)
    traces = drawn(latency_figure(found, str))
    for name, engine in (("without", found.plain_engine), ("k = 5", found.fixed_engine)):
        served = [x for x, y in zip(traces[name].x, traces[name].y, strict=True) if not math.isnan(y)]
        assert 0.99 * engine.saturation.rate < max(served) <= engine.saturation.rate
    (crossing,) = [each for each in found.crossings if each.stable]
    assert (traces["same latency"].x[0], traces["same latency"].y[0]) == (crossing.rate, crossing.latency_s)
    ends = [trace.x[0] for trace in valid(latency_figure(found, str)).data if trace.marker.symbol == "x"]
    assert sorted(ends) == pytest.approx(
        sorted(each.saturation.rate for each in (found.plain_engine, found.scheduled_engine, found.fixed_engine))
    )


def test_without_a_crossing_nothing_is_marked():
    found = answered("fit", k=2, most=20)
    assert not found.crossings and "same latency" not in drawn(latency_figure(found, str))


def test_the_reader_s_rate_is_shown_unless_everything_is_saturated_long_before():
    assert set(drawn(latency_figure(answered(request_rate=2, by_rate=True), str))["this rate"].x) == {2}
    for figure in (latency_figure, running_figure):
        assert "this rate" not in drawn(figure(answered(request_rate=1e6, by_rate=True), str))
        assert "this rate" not in drawn(figure(answered(request_rate=2), str)), "a batch is asked for"


def test_the_batch_that_a_rate_leads_to_is_marked_where_it_is_served():
    found = answered(request_rate=2, by_rate=True)
    spot = drawn(speedup_by_batch_figure(found, str))["this batch"]
    assert list(spot.x) == [pytest.approx(found.speculating.batch)]
    assert "this batch" not in drawn(speedup_by_batch_figure(answered(request_rate=1e6, by_rate=True), str))


def test_the_running_batch_lies_inside_its_swing():
    found = answered("fit", most=256)
    traces = drawn(running_figure(found, str))
    name = "nine moments in ten, k = 5"
    assert name in traces and traces[name].fill
    served = finite(traces["k = 5"].y)
    assert served == sorted(served) and max(served) <= 256


def test_a_pass_turns_where_the_roofline_does():
    turn = turning_tokens(TargetModel(), Accelerator())
    found = answered()
    traces = drawn(pass_figure(found.serving, found.load, 5, 512, str, turn))
    assert set(traces["turn"].x) == {turn} and set(traces["turn at k = 5"].x) == {turn / 6}
    one, six = traces["one token a request"], traces["6 tokens a request"]
    assert all(more >= less for more, less in zip(six.y, one.y, strict=True))
    assert not {"turn", "turn at k = 5"} & set(drawn(pass_figure(found.serving, found.load, 5, 32, str, turn)))


@pytest.mark.parametrize("most", [1, 2, 33, 1024, 2048])
def test_batches_of_a_line_rise_from_one_to_the_largest(most):
    found = shown_batches(most)
    assert found[0] == 1 and found[-1] == most and (np.diff(found) > 0).all() and found.size < 120
    assert max(batch_axis(most)["tickvals"]) <= most


# Methods


def test_one_line_a_method_and_the_chosen_one_is_thick():
    traces = drawn(methods_figure(ROWS, (1, 8, 64, 512), Load(), "eagle", str))
    assert len(traces) == len(ROWS) + 2
    assert [name for name, trace in traces.items() if trace.line.width == 4.5] == ["EAGLE"]
    assert list(traces["EAGLE"].y) == list(next(row.curve for _, row in ROWS if row.method.key == "eagle"))
    assert set(traces["this batch"].x) == {8}


def test_every_method_has_a_look_of_its_own_that_a_filter_does_not_change():
    assert len({look(place) for place, _ in ROWS}) == len(ROWS)
    some = drawn(methods_figure(ROWS[3:5], (1, 8, 64, 512), Load(), "eagle", str))
    every = drawn(methods_figure(ROWS, (1, 8, 64, 512), Load(), "eagle", str))
    name = ROWS[3][1].method.label
    assert some[name].line.color == every[name].line.color and some[name].line.dash == every[name].line.dash


def test_cost_and_tokens_of_a_round_lie_above_the_diagonal_where_it_pays():
    traces = drawn(trade_figure(ROWS, str))
    for _, row in ROWS:
        trace = traces[row.method.label]
        assert (trace.x[0], trace.y[0]) == (row.rho, row.tau)
        assert (trace.y[0] > trace.x[0]) == (row.speedup > 1)
        assert trace.customdata[0] == pytest.approx(row.tau / row.rho)


def test_no_method_at_all_still_draws():
    for figure in (methods_figure((), (1, 8), Load(), "eagle", str), trade_figure((), str)):
        assert valid(figure).data[0].line.color == style.BASELINE
