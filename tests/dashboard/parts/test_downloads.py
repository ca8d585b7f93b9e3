"""The report of a page: its small print as plain text, its configuration as it is to be pasted."""

from specmodel.dashboard.parts.answer import Code, Note, Part, Said, Text
from specmodel.dashboard.parts.downloads import Report, report_html
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
    assert "<small>--option &#x27;**/\\*.py&#x27;</small>" in text
