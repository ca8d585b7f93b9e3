"""A page's answer as a file without a session: the same report that the page offers."""

import tempfile
from pathlib import Path
from urllib.parse import urlencode

import orjson
from plotly.offline import get_plotlyjs

from specmodel.base.messages import Message, Verbatim
from specmodel.dashboard.frame.answering import Answered
from specmodel.dashboard.frame.chromium import NO_PICTURE, PictureError, after_scripts
from specmodel.dashboard.parts.answer import Chart
from specmodel.dashboard.parts.asked import asked_of_sliders
from specmodel.dashboard.parts.element_data import element_data
from specmodel.dashboard.parts.report import Report, report_html
from specmodel.dashboard.session.chosen import write_link
from specmodel.dashboard.session.pages import pages


def link_of(found: Answered, app: str) -> str:
    """The link that opens the page in an app, with its whole state.

    >>> from specmodel.dashboard.frame.answering import answered
    >>> link_of(answered("speedup", "alpha=0.8"), "http://localhost:8501/")
    'http://localhost:8501/speedup?alpha=0.8'
    """
    query = urlencode(write_link(found.chosen))
    return f"{app.rstrip('/')}/{found.key}" + (f"?{query}" if query else "")


def write_report(found: Answered, file: Path, app: str) -> None:
    """The page as one HTML file that needs nothing else: figures are drawings where there is a Chromium to draw them,
    else interactive, with plotly's script beside them."""
    page = pages()[found.key]
    report = Report(
        key=found.key,
        question=found.translate(page.question),
        parts=dict(found.answer),
        scenario=found.chosen.scenario,
        pinned=found.chosen.pinned,
        query=write_link(found.chosen),
        facts=found.answer.facts,
        explains=page.explains,
        leaves_out=found.answer.leaves_out,
        main=found.answer.main,
        asked=found.answer.asked or asked_of_sliders(found.chosen, page.panel(found.chosen.options), found.translate),
    )
    address = link_of(found, app)
    try:
        text = _drawn(report, address, found)
    except PictureError:
        text = report_html(report, address, found.translate)
    file.write_text(text, encoding="utf-8")


def _drawn(report: Report, address: str, found: Answered) -> str:
    """The report with its figures drawn by a Chromium that is installed, as the page's button has them drawn."""
    from specmodel.dashboard.parts.assets import inlined  # loads Streamlit, which text and JSON do not need

    text = report_html(report, address, found.translate, interactive=False)
    figures = {name: element_data(chart, found.translate) for name, chart in report.of(Chart)}
    told = orjson.dumps(figures).decode().replace("</", "<\\/")
    fill = f"{inlined('report.js')}\nawait fill(document, {told}, Plotly);\ndocument.body.dataset.filled = 1;"
    clean = "document.querySelectorAll('script').forEach((each) => each.remove());"
    scripts = f"<script>{get_plotlyjs()}</script><script type='module'>{fill}{clean}</script>"
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(text.replace("</body>", f"{scripts}</body>"), encoding="utf-8")
        drawn = after_scripts(page.as_uri())
    if "data-filled" not in drawn:
        raise PictureError(Message(NO_PICTURE, {"reason": Verbatim("figures were not drawn")}))
    return drawn.replace(' data-filled="1"', "")
