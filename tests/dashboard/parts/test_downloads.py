"""The report of a page: its small print as plain text, its configuration as it is to be pasted."""

from specmodel.dashboard.parts.answer import Code, Note, Part, Said, Text
from specmodel.dashboard.parts.asked import asked_of_sliders
from specmodel.dashboard.parts.linked import linked_answer
from specmodel.dashboard.parts.report import Report, report_html
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import escaped, translator
from specmodel.model.scenario import Scenario


def test_small_print_has_no_marks_of_markdown_and_configuration_is_untouched() -> None:
    parts: dict[str, Part] = {
        "verdict": Said("says", f"**{escaped('k = [3]')}**"),
        "note": Note(escaped("setup (3 of 4).")),
        "paragraphs": Text(f"**Wins** {escaped('at <1> request')}"),
        "paste": Code("--option '**/\\*.py'"),
    }
    report = Report("page", "Does it?", parts, Scenario(), None, {}, facts=())
    text = report_html(report, "http://localhost/page", translator("en"))
    assert "<p class='verdict'>k = [3]</p>" in text
    assert "<small>setup (3 of 4).</small>" in text and "<small>Wins at &lt;1&gt; request</small>" in text
    assert "<pre>--option &#x27;**/\\*.py&#x27;</pre>" in text


def report_of(key: str, query: dict[str, str]) -> str:
    """What the command line writes of a page, its figures as places to be drawn in."""
    answer, page, english = linked_answer(key, read_link(query)[0], translator("en")), pages()[key], translator("en")
    chosen = read_link(query)[0]
    asked = answer.asked or asked_of_sliders(chosen, page.panel(chosen.options), english)
    report = Report(key, page.question, dict(answer), chosen.scenario, None, query, answer.facts, asked=asked)
    return report_html(report, "http://localhost/", english, interactive=False)


def test_what_was_asked_names_model_and_accelerators_and_leaves_the_rest_to_the_appendix() -> None:
    first, appendix = report_of("serving", {"llm": "llama33_70b", "gpu": "h200", "acc": "4"}).split("class='appendix'")
    for text in ("Llama-3.3-70B", "NVIDIA H200 SXM", "Batch size B", "What to set", "--speculative-config"):
        assert text in first
    assert "Peak at 16 bits" in appendix and "Peak at 16 bits" not in first
    assert first.count("data-figure=") == 1 < appendix.count("data-figure=")


def test_a_configuration_stands_with_its_warnings() -> None:
    """Those of a rehearsal most of all: its answers are worthless."""
    counts = "engine:vLLM,k:4,rounds:1000,drafted:4000,accepted:2400,step:30"
    text = report_of("engine", {"src": "link", "counts": counts, "plain": "20", "engine": "vLLM"})
    beside = text.split("<h2>Rehearse it")[1].split("class='appendix'")[0]
    assert "synthetic" in beside and "class='notice'" in beside
