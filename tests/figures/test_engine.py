"""Figures of the engine page: plotly accepts every one of them, and what they draw is what was computed."""

import html

import numpy as np
import plotly.graph_objects as go
import pytest

from specmodel.drift import Phase, RoundCosts, Workload, simulate_drift
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import group_row
from specmodel.engine.lengths import best_choice, length_choices
from specmodel.engine.speed import round_parts
from specmodel.engine.sweep import settings
from specmodel.engine.sweep_lengths import setting_choices
from specmodel.figures import style
from specmodel.figures.drift import saved_figure
from specmodel.figures.engine import acceptance_figure, groups_figure, lengths_figure, time_parts_figure
from specmodel.figures.exactness import overlap_figure, pair_figure
from specmodel.figures.live import live_length_figure, live_position_figure, live_step_figure, live_waste_figure
from specmodel.figures.speedup import MeasuredPoint, speedup_figure
from specmodel.logs.prometheus import LiveSeries
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.speedup_curve import speedup_curve
from specmodel.sampling.verify import verify

MEASURED = SpecStats(
    "a", "log", label="code", num_speculative_tokens=3, num_rounds=100, num_draft_tokens=300,
    num_accepted_draft_tokens=180, accepted_per_position=(76, 59, 45), step_ms=12.5, draft_ms=2.0, verify_ms=10.0,
)  # fmt: skip


def drawn(figure):
    return {trace.name: trace for trace in go.Figure(figure).data if trace.name}


@pytest.mark.parametrize("stats", [MEASURED, SpecStats("a", "log", printed_length=2.8, num_speculative_tokens=3)])
def test_acceptance_shows_both_kinds_with_their_intervals(stats):
    found = EngineCase(stats).acceptance
    traces = drawn(acceptance_figure(found, str))
    assert traces["of all rounds"].y == pytest.approx(found.acceptance.per_position_acceptance)
    assert traces["given all before"].y == pytest.approx(found.acceptance.conditional_acceptance)
    assert len(traces["of all rounds"].error_y.array) == 3


@pytest.mark.parametrize("plain", [9.8, None])
def test_the_measured_length_is_told_from_predicted_ones_and_from_the_band_beyond(plain):
    choices = length_choices(EngineCase(MEASURED, plain_ms_typed=plain))
    best = best_choice(choices)
    traces = drawn(lengths_figure(choices, 3, best.num_speculative_tokens if best else None, str))
    assert list(traces["measured"].x) == [3] and list(traces["predicted from that run"].x) == [0, 1, 2]
    assert min(traces["extrapolated"].x) == 3 and max(traces["extrapolated"].x) == 7
    assert ("best" in traces) == ("plain decoding" in traces) == (plain is not None)
    assert traces["as it ran"].x[0] == 3


def test_measured_settings_have_no_band():
    plain = SpecStats("a", "b", speculation=False, step_ms=10.0, batch_size=1.0)
    fast = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, step_ms=10.0, batch_size=1.0)
    found = setting_choices(settings(fast.replace(parts=(plain, fast), parts_are_settings=True)), 1.0)
    traces = drawn(lengths_figure(found, 3, 3, str))
    assert "extrapolated" not in traces and list(traces["measured"].y) == [1.0, 2.0]


def test_a_step_is_split_where_the_engine_splits_it():
    parts = round_parts(EngineCase(MEASURED, plain_ms_typed=9.8))
    assert parts is not None
    traces = drawn(time_parts_figure(parts, 2.8, str))
    assert [traces[name].x[0] for name in ("drafting", "verification", "rest", "plain decoding")] == [2, 10, 0.5, 9.8]
    whole = round_parts(EngineCase(MEASURED.replace(draft_ms=None), plain_ms_typed=9.8))
    assert whole is not None and "not split by the engine" in drawn(time_parts_figure(whole, None, str))


def test_groups_are_pairs_of_bars():
    rows = [group_row(EngineCase(MEASURED, plain_ms_typed=plain)) for plain in (9.8, 2.0)]
    traces = drawn(groups_figure(rows, str))
    assert traces["plain decoding"].x == pytest.approx((1 / 9.8, 0.5))
    assert traces["with speculation"].x == pytest.approx([2.8 / 12.5] * 2)


STRANGE = ("<b>bold</b>", '<a href="x">link</a>', "&lt;", "a & b")


@pytest.mark.parametrize("label", STRANGE)
def test_labels_from_outside_are_shown_as_they_are_and_never_read_as_html(label):
    """Names from a file or a text: no tag is left in a figure, and what plotly unescapes is the text itself."""
    row = group_row(EngineCase(MEASURED.replace(label=label), plain_ms_typed=9.8))
    pair = verify([0.5, 0.5], [0.9, 0.1])
    point = MeasuredPoint(label, (0.5, 0.4, 0.6), (1.2, 1.1, 1.3))
    scenario = Scenario()
    outcome = evaluate(scenario)
    measured = speedup_figure(speedup_curve(scenario), scenario, outcome, str, thin={}, measured=(point,))
    own = Workload("own", "Own", (Phase(label), Phase("B", alpha=0.9)))
    run = simulate_drift(own, RoundCosts([22.0, 25, 28]), ["goodput"])
    written = [
        *groups_figure([row], str)["data"][0]["y"],
        measured["data"][-1]["name"],
        saved_figure(run, {"goodput": "k"}, str)["layout"]["annotations"][0]["hovertext"].replace("<br>", " "),
        *(figure(pair, (label, "b"), str)["data"][0]["x"][0] for figure in (overlap_figure, pair_figure)),
    ]
    for text in written:
        assert "<" not in text and html.unescape(text) == label


def series(k):
    time_s = np.array([0.0, 60.0, 120.0])
    gap = np.array([1.0, np.nan, 2.0])
    return LiveSeries(time_s, gap + 1, np.tile(gap[:, None] / 2, k), gap, gap, gap, gap, gap, rate_window_s=60.0)


@pytest.mark.parametrize("figure", [live_length_figure, live_position_figure, live_step_figure, live_waste_figure])
def test_curves_over_time_have_gaps_where_nothing_ran(figure):
    for trace in go.Figure(figure(series(2), str)).data:
        assert trace.y[1] is None or np.isnan(trace.y[1])
        assert next(iter(trace.x)) == "1970-01-01 00:00:00"


def test_positions_have_one_colour_that_fades():
    colours = [trace.line.color for trace in go.Figure(live_position_figure(series(3), str)).data]
    assert len(set(colours)) == 3 and colours[0] == style.faded(style.MEASURED, 1.0)
