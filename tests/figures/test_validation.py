"""The scatter of the Validation page."""

import numpy as np
import plotly.graph_objects as go

from specmodel.figures import style
from specmodel.figures.validation import Spot, Spots, scatter_figure

SPOTS = [
    Spot(2.0, 2.1, 1.9, 2.3, "held <b>"),
    Spot(2.0, 3.0, 2.5, 3.5, "missed"),
    Spot(1.0, 0.5, None, None, "no band"),
]


def figure(spots):
    return scatter_figure([Spots("mine & <i>", style.MEASURED, spots)], "x", "y", str)


def test_plotly_accepts_it_and_one_legend_entry_stands_for_a_group():
    drawn = go.Figure(figure(SPOTS))
    assert [trace.name for trace in drawn.data if trace.showlegend] == ["mine &amp; &lt;i>"]


def test_signs_say_whether_the_band_held():
    symbols = {trace["customdata"][0]: trace["marker"]["symbol"] for trace in figure(SPOTS)["data"][2:]}
    assert symbols == {"held &lt;b>": "circle", "missed": "x", "no band": "circle-open"}


def test_the_bars_are_the_stated_bands():
    held = figure(SPOTS)["data"][2]["error_y"]
    assert np.allclose((held["array"], held["arrayminus"]), ([0.2], [0.2]))
    assert "error_y" not in figure(SPOTS)["data"][4]


def test_the_corridor_is_ten_percent_around_the_diagonal_and_both_axes_are_alike():
    drawn = figure(SPOTS)
    corridor = drawn["data"][0]
    assert np.allclose(corridor["y"] / corridor["x"], [0.9, 0.9, 1.1, 1.1])
    assert drawn["layout"]["xaxis"]["range"] == drawn["layout"]["yaxis"]["range"]
    assert 2 <= len(drawn["layout"]["xaxis"]["tickvals"]) <= 9


def test_a_single_point_and_none_at_all_are_drawn():
    go.Figure(figure(SPOTS[:1]))
    go.Figure(scatter_figure([], "x", "y", str))
