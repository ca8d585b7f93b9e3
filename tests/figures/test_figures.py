import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

from specmodel.figures import draft_length, measured, one_round, speedup, style, time, vocabulary
from specmodel.measured.intervals import proportion
from specmodel.model.draft_lengths import draft_lengths, speedup_map
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.simulate import trace
from specmodel.model.speedup_curve import ALPHAS, long_run_speedups, neighbours, speedup_curve

SCENARIOS = {
    "the article": Scenario(),
    "off": Scenario(num_speculative_tokens=0),
    "none accepted": Scenario(alpha=0),
    "all accepted": Scenario(alpha=1),
    "some overlap": Scenario(vocabulary_overlap=0.4),
    "no overlap": Scenario(vocabulary_overlap=0),
    "huge overhead": Scenario(overhead_ms=500),
    "one token": Scenario(output_tokens=1),
    "long drafts": Scenario(num_speculative_tokens=64),
    "free": Scenario(draft_ms=0),
}
PINNED = Scenario(alpha=0.7, num_speculative_tokens=8, vocabulary_overlap=0.9)
POINTS = (speedup.MeasuredPoint("code <b>", (0.6, 0.5, 0.7), (1.2, 1.1, 1.4)),)
PAIRINGS = [vocabulary.Pairing("same", 1.0), vocabulary.Pairing("small", 0.4)]
BOUNDS = [vocabulary.Bounds("by count", 0.5), vocabulary.Bounds("code", 0.5, 0.55, 0.98)]


def english(text: str) -> str:
    return text


def speedup_figures(scenario):
    curve, outcome = speedup_curve(scenario), evaluate(scenario)
    thin = {k: long_run_speedups(scenario, k) for k in neighbours(scenario)}
    ghost = (speedup_curve(PINNED), PINNED, evaluate(PINNED))
    for pinned, points, ratio in itertools.product((None, ghost), ((), POINTS), (False, True)):
        yield speedup.speedup_figure(
            curve, scenario, outcome, english, thin=thin, ghost=pinned, measured=points, as_time_ratio=ratio
        )


def draft_length_figures(scenario):
    for most in (1, 16, 64):
        table, ghost = draft_lengths(scenario, most), draft_lengths(PINNED, most)
        for pinned in (None, ghost):
            yield time.time_figure(table, scenario, english, ghost=pinned)
            yield draft_length.waste_figure(table, english, ghost=pinned)
        for before in (None, PINNED):
            grid = speedup_map(scenario, ALPHAS, most)
            yield draft_length.map_figure(grid, scenario, english, pinned=before)
            kept = before.acceptance if before else None
            yield draft_length.accepted_figure(scenario.acceptance, english, ghost=kept)
    for earlier in (None, (PINNED, evaluate(PINNED))):
        yield time.time_per_token_figure(scenario, evaluate(scenario), english, ghost=earlier)


def marginal_figures(scenario):
    for most in (16, 64):
        for pinned in (None, draft_lengths(PINNED, most)):
            yield draft_length.marginal_figure(draft_lengths(scenario, most), english, ghost=pinned)


def vocabulary_figures(scenario):
    outcome = evaluate(scenario)
    for chosen in (None, vocabulary.Pairing("llama3, qwen3", 0.86)):
        for pinned in (None, PINNED):
            yield vocabulary.overlap_figure(scenario, outcome, PAIRINGS, chosen, english, pinned=pinned)
    for rows in (BOUNDS, BOUNDS[:1], BOUNDS[1:]):
        yield vocabulary.bounds_figure(rows, outcome, english)
        yield vocabulary.bounds_figure(rows, outcome, english, pinned=rows)


def steps(run):
    k, rounds = run.scenario.num_speculative_tokens, run.accepted.size
    numbers = sorted({1, min(2, rounds), min(5, rounds), rounds})
    return [one_round.Moment(number, stage) for number in numbers for stage in sorted({0, 1, k, k + 1})]


def round_figures(scenario):
    run = trace(scenario, seed=1)
    ghosts = (None, trace(PINNED, seed=1))
    return [one_round.round_figure(run, step, english, ghost=ghost) for step in steps(run) for ghost in ghosts]


def all_figures(scenario):
    makers = (speedup_figures, draft_length_figures, marginal_figures, vocabulary_figures, round_figures)
    return [figure for maker in makers for figure in maker(scenario)]


def numbers_of(trace_dict):
    """The numeric arrays of a trace: positions, values, surfaces."""
    for name in ("x", "y", "z", "base"):
        values = np.asarray(trace_dict.get(name, []))
        if values.dtype.kind in "fi" and values.size:
            yield name, values.astype(float)


every_scenario = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)


@every_scenario
def test_plotly_accepts_every_figure(scenario):
    for figure in all_figures(scenario):
        go.Figure(figure)


@every_scenario
@pytest.mark.parametrize(
    "figures", [speedup_figures, draft_length_figures, marginal_figures, vocabulary_figures, round_figures]
)
def test_no_trace_is_without_a_number(figures, scenario):
    for figure in figures(scenario):
        for each in figure["data"]:
            for name, values in numbers_of(each):
                assert not np.isnan(values).all(), (each["name"], name)
                assert not np.isinf(values).any(), (each["name"], name)


@every_scenario
def test_traces_with_names_are_told_apart(scenario):
    for figure in all_figures(scenario):
        names = [each["name"] for each in figure["data"] if each.get("showlegend", True) and each["name"]]
        assert len(names) == len(set(names))


@every_scenario
def test_positions_and_values_of_a_trace_have_one_length(scenario):
    for figure in all_figures(scenario):
        for each in figure["data"]:
            if each["type"] in ("scatter", "bar"):
                assert len(each["x"]) == len(each["y"])


@every_scenario
def test_axes_have_titles_or_names_on_them(scenario):
    for figure in all_figures(scenario):
        layout = figure["layout"]
        assert layout["xaxis"]["title"]["text"]
        words = [y for each in figure["data"] for y in each["y"] if isinstance(y, str)]
        assert layout["yaxis"]["title"]["text"] or words or layout["yaxis"].get("ticktext")


@every_scenario
def test_the_range_of_an_axis_is_a_range(scenario):
    for figure in all_figures(scenario):
        for axis in ("xaxis", "yaxis"):
            low, high = figure["layout"][axis].get("range", (0, 1))
            assert np.isfinite([low, high]).all() and low < high


@pytest.mark.parametrize("counts", [[(3, 9), (2, 3), (0, 2)], [(3, 9), (0, 0)], [(9, 9)], []])
def test_acceptance_by_position(counts):
    each = [proportion(*pair) for pair in counts]
    alpha = proportion(sum(kept for kept, _ in counts), sum(tried for _, tried in counts))
    figure = measured.conditional_figure(each, alpha, english)
    go.Figure(figure)
    known = [pair for pair in counts if pair[1]]
    assert len(figure["data"][-1]["x"]) == len(known)
    assert np.all(np.asarray(figure["data"][-1]["error_y"]["array"]) >= 0)
    assert np.all(np.asarray(figure["data"][-1]["error_y"]["arrayminus"]) >= 0)


# What a figure says


def named(figure, name):
    [found] = [each for each in figure["data"] if each["name"] == name]
    return found


def test_the_speedup_figure_marks_the_scenario_and_the_break_even():
    scenario, outcome = Scenario(), evaluate(Scenario())
    figure = speedup.speedup_figure(speedup_curve(scenario), scenario, outcome, english, thin={})
    here = named(figure, "this scenario")
    assert (here["x"], here["y"]) == ([0.6], [pytest.approx(outcome.speedup)])
    even = named(figure, "break-even")
    assert (even["x"], even["y"], even["text"]) == ([outcome.alpha_needed], [1], ["break-even α = 0.408"])


@pytest.mark.parametrize("changes", [{"overhead_ms": 500}, {"num_speculative_tokens": 0}, {"vocabulary_overlap": 0.3}])
def test_where_nothing_breaks_even_nothing_is_marked(changes):
    scenario = Scenario().replace(**changes)
    figure = speedup.speedup_figure(speedup_curve(scenario), scenario, evaluate(scenario), english, thin={})
    assert "break-even" not in [each["name"] for each in figure["data"]]


def test_the_time_ratio_is_the_inverse_of_the_speedup():
    scenario, outcome = Scenario(), evaluate(Scenario())
    one, other = (
        speedup.speedup_figure(
            speedup_curve(scenario), scenario, outcome, english, thin={}, measured=POINTS, as_time_ratio=ratio
        )
        for ratio in (False, True)
    )
    assert np.asarray(named(other, "k = 5")["y"]) == pytest.approx(1 / np.asarray(named(one, "k = 5")["y"]))
    point = named(other, "code &lt;b>")
    assert point["y"] == [pytest.approx(1 / 1.2)]
    assert point["error_y"]["array"] == [pytest.approx(1 / 1.1 - 1 / 1.2)]
    assert point["error_y"]["arrayminus"] == [pytest.approx(1 / 1.2 - 1 / 1.4)]


def test_the_time_figure_marks_the_best_and_those_that_tie():
    table = draft_lengths(Scenario(output_tokens=200))
    figure = time.time_figure(table, Scenario(output_tokens=200), english)
    assert list(named(figure, "best")["x"]) == [table.best]
    assert list(named(figure, "ties with the best")["x"]) == list(table.ties)


@every_scenario
def test_time_of_a_token_adds_up(scenario):
    outcome = evaluate(scenario)
    figure = time.time_per_token_figure(scenario, outcome, english)
    speculative, plain = np.sum([each["x"] for each in figure["data"]], axis=0)
    assert (speculative, plain) == (pytest.approx(outcome.tpot_ms), pytest.approx(scenario.target_ms))


def test_shares_of_rounds_are_shares():
    figure = draft_length.accepted_figure(Scenario().acceptance, english, ghost=PINNED.acceptance)
    for each in figure["data"]:
        assert np.sum(each["y"]) == pytest.approx(1)


@every_scenario
def test_a_played_run_shows_its_rounds(scenario):
    """Boxes of the upper lane follow each other without a gap and end with the round."""
    run = trace(scenario, seed=1)
    k, number = scenario.num_speculative_tokens, min(2, run.accepted.size)
    done = one_round.Moment(number, k + 1)
    figure = one_round.round_figure(run, done, english)
    boxes = [
        (start, length)
        for each in figure["data"]
        if each["type"] == "bar"
        for start, length, lane in zip(each["base"], each["x"], each["y"], strict=True)
        if lane == 1
    ]
    clock = 0.0
    for start, length in sorted(boxes):
        assert start == pytest.approx(clock)
        clock = start + length
    assert clock == pytest.approx(done.now_ms(run)) == pytest.approx(number * float(scenario.round_cost.round_ms))


def test_a_pinned_run_has_a_lane_of_its_own():
    run, slower = trace(Scenario(), seed=1), trace(Scenario(draft_ms=6), seed=1)
    figure = one_round.round_figure(run, one_round.Moment(3, 6), english, ghost=slower)
    go.Figure(figure)
    lanes = {lane for each in figure["data"] if each["type"] == "bar" for lane in each["y"]}
    assert lanes == {0, 1, 2}
    assert "pinned" in figure["layout"]["yaxis"]["ticktext"]


def test_fates_of_a_round_are_those_of_the_trace():
    run = trace(Scenario(), seed=1)
    figure = one_round.round_figure(run, one_round.Moment(1, 6), english)
    shown = {each["name"]: len(each["x"]) for each in figure["data"]}
    kept = int(run.accepted[0])
    assert shown.get("draft accepted", 0) == kept
    assert shown.get("draft rejected", 0) == (kept < 5)
    assert shown.get("draft after a rejection, thrown away", 0) == max(4 - kept, 0)
    assert figure["layout"]["annotations"][0]["text"] == f"+{kept + 1} → {kept + 1}"


# Colours

COLOURS = {
    name: value for name, value in vars(style).items() if name.isupper() and isinstance(value, str) and value[0] == "#"
}


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio, WCAG 2.2."""
    dark, bright = sorted(map(luminance, (one, other)))
    return (bright + 0.05) / (dark + 0.05)


def test_contrast_by_hand():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("background", ["#ffffff", "#0e1117"])
@pytest.mark.parametrize("name", COLOURS)
def test_a_colour_is_readable_on_both_themes(name, background):
    assert contrast(COLOURS[name], background) >= 3


@pytest.mark.parametrize("background", ["#ffffff", "#0e1117"])
@pytest.mark.parametrize("kind", [kind for kind, (colour, _) in one_round.BOXES.items() if colour[0] == "#"])
def test_a_box_of_the_round_is_readable_on_both_themes(kind, background):
    assert contrast(one_round.BOXES[kind][0], background) >= 3


def test_colours_differ():
    assert len(set(COLOURS.values())) == len(COLOURS) >= 10
