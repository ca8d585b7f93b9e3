"""The marked text of the Live text page: nothing but the text, each token with what became of it."""

import re
from html import unescape

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
from specmodel.ngram import FATES, LookupDrafter, Vocabulary, decode, language_models, speculate, train
from tests.dashboard.live_text.conftest import text_of

EN = translator("en")
PAIR = language_models("english")
TRACE = speculate(PAIR.target, PAIR.drafter(3), "Return the", 60, 4, 1.0, 7)


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
    for num_events in range(1, size + 1):
        markup = html_text(TRACE, num_events, True, "english", EN)
        assert checked_rounds(TRACE, num_events) == 0
        assert markup.count('class="drafted"') == num_events
        assert not any(f'class="{fate}"' in markup for fate in FATES)
    assert checked_rounds(TRACE, size + 1) == 1
    assert 'class="drafted"' not in html_text(TRACE, size + 1, True, "english", EN)


def test_the_next_round_ends_where_a_round_ends() -> None:
    ends, num_events = [], 0
    while num_events < len(TRACE.events):
        num_events = end_of_round(TRACE, num_events)
        ends.append(checked_rounds(TRACE, num_events))
    assert ends == list(range(1, len(TRACE.rounds) + 1))
    assert end_of_round(TRACE, num_events) == num_events


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
