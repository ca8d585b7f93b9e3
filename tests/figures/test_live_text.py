"""Figures of the Live text page: plotly accepts them, and what they draw is what was computed."""

import plotly.graph_objects as go
import pytest

from specmodel.dashboard.session.translation import translator
from specmodel.figures import style
from specmodel.figures.live_text import continuations_figure, kinds_figure, position_figure
from specmodel.ngram import Measured, ModelDrafter, language_models, measure, speculate
from specmodel.ngram.continuations import compare_continuations

EN = translator("en")
PAIR = language_models("english")
TRACE = speculate(PAIR.target, PAIR.drafter(3), "Return the", 60, 4, 1.0, 7)


def test_positions_show_measured_beside_expected() -> None:
    measured = measure([TRACE])
    figure = position_figure(measured, EN)
    go.Figure(figure)
    kept, expected, of_all = figure["data"]
    assert tuple(kept["y"]) == measured.conditional_acceptance
    assert tuple(expected["y"]) == measured.expected_acceptance
    assert tuple(of_all["y"]) == measured.acceptance.per_position_acceptance
    assert kept["marker"]["color"] == style.ACCEPTED


def test_positions_that_no_round_reached_are_gaps() -> None:
    measured = Measured((3, 0, 0), (3, 3), (3, 0), (0.3, 0.0), 3)
    figure = position_figure(measured, EN)
    go.Figure(figure)
    assert figure["data"][0]["y"] == [0.0, None]


def test_kinds_have_a_line_each_and_a_cross_each() -> None:
    expected: dict[str, list[float | None]] = {"a": [0.1, 0.5, 0.2], "b": [0.2, 0.6, None]}
    figure = kinds_figure(expected, {"a": 0.4, "b": None}, ["1", "2", "lookup"], 1, EN)
    go.Figure(figure)
    first, second, crosses = figure["data"]
    assert first["marker"]["symbol"] != second["marker"]["symbol"]
    assert first["y"] == [0.1, 0.5, None, 0.2]
    assert (crosses["x"], crosses["y"]) == (["2"], [0.4])


def test_continuations_are_shares_of_the_draws() -> None:
    found = compare_continuations(PAIR.target, ModelDrafter(PAIR.draft), "Return the", 100)
    names = [*map(str, range(len(found.tokens))), "other"]
    figure = continuations_figure(found, names, EN)
    go.Figure(figure)
    for trace in figure["data"]:
        assert sum(trace["y"]) == pytest.approx(1)
