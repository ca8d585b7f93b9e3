"""A page's answer as a file without a session: the same report that the page offers."""

from pathlib import Path
from urllib.parse import urlencode

from specmodel.dashboard.frame.answering import Answered
from specmodel.dashboard.parts.asked import asked_of_sliders
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
    """The page as one HTML file that needs nothing else."""
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
    file.write_text(report_html(report, link_of(found, app), found.translate), encoding="utf-8")
