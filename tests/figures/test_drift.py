"""The figures of the Drift page: valid, and what they show is what was computed."""

import numpy as np
import plotly.graph_objects as go
import pytest

from specmodel.drift.adaptation import Adaptation, acceptance_over_tokens
from specmodel.drift.boundary import failure_boundary
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.policies import policies
from specmodel.drift.published import workload, workloads
from specmodel.drift.round_costs import RoundCosts
from specmodel.drift.run import simulate_drift
from specmodel.figures import style
from specmodel.figures.drift import (
    LOOKS,
    acceptance_figure,
    boundary_figure,
    broken,
    drafts_figure,
    learning_figure,
    regret_figure,
    saved_figure,
)

COSTS = RoundCosts([22.0, 25, 28, 31, 34, 37, 40])
DEAR = RoundCosts([10.0, 14, 18, 22, 26, 30])
LABELS = {each.key: each.label for each in policies()}


@pytest.fixture(scope="module", params=[each.key for each in workloads()])
def run(request):
    return simulate_drift(workload(request.param), COSTS, list(LABELS), seed=1)


def valid(figure):
    return go.Figure(figure)


def drawn(figure):
    return {trace.name: trace for trace in valid(figure).data}


def test_acceptance_of_each_request_stands_above_the_k_of_its_rule(run):
    figure = acceptance_figure(run, "tiers", "tiers", str)
    traces = drawn(figure)
    assert list(traces["acceptance of a request"].y) == run.rounds.alpha[run.rounds.starts[:-1]].tolist()
    assert list(traces["tiers"].y) == run.run("tiers").request_k.tolist() and traces["tiers"].yaxis == "y2"
    assert list(traces["k of the oracle"].y) == run.oracle.request_k.tolist()
    assert len(traces["mean of its phase"].y) == run.rounds.num_requests


def test_the_oracle_is_drawn_once(run):
    names = [trace.name for trace in valid(acceptance_figure(run, "oracle", "Oracle", str)).data]
    assert names.count("Oracle") == 1 and "k of the oracle" not in names


def test_every_phase_has_its_name_and_every_second_one_a_band(run):
    count = len(run.rounds.workload.phases)
    for figure in (acceptance_figure(run, "fixed", "k", str), saved_figure(run, LABELS, str)):
        layout = valid(figure).layout
        assert len(layout.annotations) == count and len(layout.shapes) == count // 2
    ends = run.rounds.phase_starts
    bands = valid(saved_figure(run, LABELS, str)).layout.shapes
    assert [(band.x0, band.x1) for band in bands] == [(ends[at], ends[at + 1]) for at in range(1, count, 2)]


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("shift", ["Code", "Role play", "Code"]),
        ("day", ["Chat", "Code", "Several<br>languages", "Creative<br>writing", "Long<br>context"]),
        ("domains", [str(number) for number in range(1, 12)]),
    ],
)
def test_where_names_have_no_room_phases_have_numbers(key, texts):
    run = simulate_drift(workload(key), COSTS, ["fixed"])
    found = valid(saved_figure(run, {"fixed": "k"}, str)).layout.annotations
    assert [each.text for each in found] == texts
    assert found[-1].hovertext == broken(workload(key).phases[-1].label)


def test_time_saved_and_regret_end_at_the_totals(run):
    saved, regret = drawn(saved_figure(run, LABELS, str)), drawn(regret_figure(run, LABELS, str))
    assert set(saved) == set(LABELS.values())
    assert set(regret) == set(LABELS.values()) - {"Off"} and set(regret["Oracle"].y) == {0}
    for key, label in LABELS.items():
        assert saved[label].y[0] == 0
        assert saved[label].y[-1] == pytest.approx((run.plain_ms - run.run(key).total_ms()) / 1000)
    for key in ("fixed", "tiers"):
        behind = run.run(key).total_ms() - run.oracle.total_ms()
        assert regret[LABELS[key]].y[-1] == pytest.approx(behind / 1000)


def test_every_rule_has_a_look_of_its_own():
    assert set(LOOKS) == set(LABELS) and len(set(LOOKS.values())) == len(LABELS)


def test_drafts_are_kept_or_wasted(run):
    traces = drawn(drafts_figure(run, LABELS, str))
    kept, wasted = traces["accepted drafts"], traces["wasted drafts"]
    assert kept.marker.color == style.ACCEPTED and wasted.marker.color == style.WASTED
    assert "Off" not in kept.y and len(kept.y) == len(LABELS) - 1
    drafted = {key: int(run.run(key).num_speculative_tokens.sum()) for key in LABELS}
    for name, good, bad in zip(kept.y, kept.x, wasted.x, strict=True):
        assert good + bad == drafted[next(key for key, label in LABELS.items() if label == name)]


@pytest.mark.parametrize(("costs", "loses"), [(COSTS, False), (DEAR, True)])
def test_the_boundary_lies_where_the_curve_crosses_one(costs, loses):
    found = failure_boundary(costs, 5, workload("shift"))
    assert found.alpha is not None
    traces = drawn(boundary_figure(found, str))
    curve = traces["k = 5"]
    assert np.interp(found.alpha, curve.x, curve.y) == pytest.approx(1, abs=1e-3)
    assert (traces["break-even"].x[0], traces["break-even"].y[0]) == (found.alpha, 1)
    assert ("phase loses" in traces) == loses
    if loses:
        assert list(traces["phase loses"].text) == ["2"] and traces["phase loses"].y[0] < 1
        assert sorted(traces["phase pays"].text) == ["1", "3"]


def test_where_nothing_pays_no_boundary_is_marked():
    traces = drawn(boundary_figure(failure_boundary(RoundCosts([10.0, 40.0]), 1, workload("shift")), str))
    assert "break-even" not in traces and "phase pays" not in traces


def test_learning_lies_between_the_draft_as_it_came_and_the_ceiling():
    shift = workload("shift")
    traces = drawn(learning_figure(shift, acceptance_over_tokens(shift, Adaptation()), str))
    low, mid, high = (np.array(traces[name].y) for name in ("draft as it came", "draft that learns", "ceiling"))
    assert (low <= mid).all() and (mid <= high).all() and mid.size < 700
    first = shift.phases[0].num_tokens
    assert {first - 1, first} <= set(traces["ceiling"].x)


def test_a_reader_s_own_names_are_safe_and_short():
    assert broken("<b>&") == "&lt;b>&amp;"
    assert broken("x" * 60).endswith("…") and len(broken("x" * 60)) < 30
    own = Workload("own", "Own", (Phase("<i>one", requests=2), Phase("two", requests=2)))
    run = simulate_drift(own, COSTS, ["fixed"])
    for figure in (saved_figure(run, {"fixed": "k"}, str), acceptance_figure(run, "fixed", "k", str)):
        assert figure["layout"]["annotations"][0]["text"] == "&lt;i>one"
    hover = valid(boundary_figure(failure_boundary(COSTS, 5, own), str)).data[2].customdata
    assert "&lt;i>one" in hover
