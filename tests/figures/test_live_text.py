"""Figures and marked text of the Live text page: plotly accepts them, and what they draw is what was computed."""

import re
from html import unescape

import plotly.graph_objects as go
import pytest

from specmodel.dashboard.live_text.html import (
    LABELS,
    checked_rounds,
    end_of_round,
    html_legend,
    html_plain,
    html_text,
    percent,
)
from specmodel.dashboard.live_text.words import one_line
from specmodel.dashboard.session.translation import translator
from specmodel.figures import style
from specmodel.figures.live_text import continuations_figure, kinds_figure, position_figure
from specmodel.ngram import (
    FATES,
    LookupDrafter,
    Measured,
    ModelDrafter,
    Vocabulary,
    decode,
    language_models,
    measure,
    speculate,
    train,
)
from specmodel.ngram.continuations import compare_continuations

EN = translator("en")
PAIR = language_models("english")
TRACE = speculate(PAIR.target, PAIR.drafter(3), "Return the", 60, 4, 1.0, 7)


def text_of(markup: str) -> str:
    """What a reader sees without the marks: no thrown-away drafts, no signs for line ends."""
    body = re.sub(r"<style>.*?</style>|<del.*?</del>|<span class=\"n\">↵</span>", "", markup, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", body))


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


def test_the_marked_text_is_the_text() -> None:
    prompt = PAIR.vocabulary.decode(TRACE.prompt)
    for waste in (True, False):
        assert text_of(html_text(TRACE, len(TRACE.events), waste, "english", EN)) == prompt + TRACE.text
    plain = decode(PAIR.target, "Return the", 60, 1.0, 7)
    assert text_of(html_plain(plain, 20, "english", EN)) == prompt + plain.text


def test_every_token_is_marked_by_its_fate() -> None:
    markup = html_text(TRACE, len(TRACE.events), True, "english", EN)
    for fate in FATES:
        assert markup.count(f'class="{fate}"') == sum(event.fate == fate for event in TRACE.events)
    without = html_text(TRACE, len(TRACE.events), False, "english", EN)
    assert 'class="rejected"' not in without and 'class="unread"' not in without


def test_drafts_are_only_drafted_until_the_target_has_looked() -> None:
    size = len(TRACE.rounds[0].drafted)
    for shown in range(1, size + 1):
        markup = html_text(TRACE, shown, True, "english", EN)
        assert checked_rounds(TRACE, shown) == 0
        assert markup.count('class="drafted"') == shown
        assert not any(f'class="{fate}"' in markup for fate in FATES)
    assert checked_rounds(TRACE, size + 1) == 1
    assert 'class="drafted"' not in html_text(TRACE, size + 1, True, "english", EN)


def test_the_next_round_ends_where_a_round_ends() -> None:
    ends, shown = [], 0
    while shown < len(TRACE.events):
        shown = end_of_round(TRACE, shown)
        ends.append(checked_rounds(TRACE, shown))
    assert ends == list(range(1, len(TRACE.rounds) + 1))
    assert end_of_round(TRACE, shown) == shown


def test_markup_in_a_text_stays_text() -> None:
    letters = Vocabulary("(?s:.)", tuple("<script>&\"'= alert(1)/\n"))
    model = train(letters, letters.encode("<script>alert(1)</script>&\"'\n" * 3), 3)
    prompt = "<script>alert(1)</script><img src=x onerror='a'>"
    trace = speculate(model, LookupDrafter(letters), prompt, 40, 4)
    for markup in (html_text(trace, len(trace.events), True, "code", EN), html_plain(trace, 5, "code", EN)):
        assert "<script" not in markup and "<img" not in markup
        assert set(re.findall(r"<(\w+)", markup)) <= {"style", "div", "span", "del"}


def test_a_thrown_away_line_end_breaks_no_line() -> None:
    markup = html_text(TRACE, len(TRACE.events), True, "english", EN)
    assert not any("\n" in struck for struck in re.findall(r"<del.*?</del>", markup, flags=re.DOTALL))


def test_the_legend_names_every_look() -> None:
    legend = html_legend(EN)
    assert all(f'class="{fate}"' in legend and label in unescape(legend) for fate, label in LABELS.items())


def test_small_probabilities_keep_two_digits() -> None:
    assert [percent(value) for value in (0, 0.0004213, 0.034, 0.0999, 0.5, 1)] == [
        "0%", "0.042%", "3.4%", "10%", "50%", "100%",
    ]  # fmt: skip


def test_one_line_cuts_and_shows_line_ends() -> None:
    assert one_line("a\nb", 9) == "a↵ b"
    assert one_line("abcdef", 3) == "abc…"
