"""Drafting that stops below a confidence, on the Draft length page: said, drawn, in the link, hidden until asked."""

from specmodel.dashboard.draft_length.answer import answer
from specmodel.dashboard.parts.answer import Chart, Code, Text
from specmodel.dashboard.session.chosen import read_link, write_link
from specmodel.dashboard.session.translation import translator
from specmodel.model.confidence import Stopping, stopped_rounds, thresholds
from tests.dashboard.conftest import Opener, said

_ = translator("en")


def test_it_says_the_best_threshold_its_ties_and_the_chosen_one() -> None:
    chosen, wrong = read_link({"pmin": "0.8", "psame": "2", "k": "8"})
    assert not wrong and chosen.group(Stopping) == Stopping(0.8, 2.0)
    assert {"pmin": "0.8", "psame": "2.0"}.items() <= write_link(chosen).items()
    parts, found = answer(chosen, _), thresholds(chosen.scenario, 2.0)
    text, chart, paste = parts["p_min_said"], parts["p_min"], parts["p_min_paste"]
    assert isinstance(text, Text) and isinstance(chart, Chart) and isinstance(paste, Code)
    assert text.markdown.startswith(f"**p-min {found.best.p_min:.2f}: {found.best.speedup:.2f}×**")
    here = stopped_rounds(chosen.scenario, Stopping(0.8, 2.0))
    assert f"The chosen 0.80 gives {here.speedup:.2f}×." in text.markdown
    assert paste.text == f"--spec-draft-n-max 8 --spec-draft-p-min {found.best.p_min:.2f}"


def test_where_no_threshold_helps_it_says_so_and_without_drafts_nothing() -> None:
    free = answer(read_link({"draft": "0", "k": "4"})[0], _)["p_min_said"]
    assert isinstance(free, Text) and free.markdown.startswith("**No p-min:**")
    assert "p_min" not in answer(read_link({"k": "0"})[0], _)


def test_the_page_shows_it_when_it_is_opened(opened: Opener) -> None:
    app = opened("draft_length", pmin="0.3")
    assert not app.exception and "llama.cpp" in said(app)
    assert app.session_state["group:Stopping"].p_min == 0.3
