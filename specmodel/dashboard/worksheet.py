"""A worksheet to print: the questions of a lesson with room to answer, its figures, and the answers on a last sheet."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from specmodel.dashboard.downloads import STYLE, Shown, drawn_figures
from specmodel.dashboard.language import Translator

SHEET = """
.line{border-bottom:1px solid #8a93a0;height:2.2rem}
.answers{break-before:page}
ol li{margin:1rem 0;break-inside:avoid}
.who{display:flex;gap:2rem}.who span{flex:1;border-bottom:1px solid #8a93a0}
"""


@dataclass(frozen=True)
class Task:
    """A question of the worksheet: where it stands, its text, its answer, and why."""

    part: str
    text: str
    answer: str
    why: str


def worksheet(shown: Shown, tasks: Sequence[Task], address: str, translate: Translator) -> str:
    """One self-contained HTML file for a printer: name and date, the question, tasks, figures, then the answers."""
    _, safe = translate, html.escape
    head = f"<p class='who'><span>{safe(_('Name'))}</span><span>{safe(_('Date'))}</span></p>"
    asked = "".join(
        f"<li><b>{safe(task.part)}</b><br>{safe(_plain(task.text))}"
        f"<div class='line'>{safe(_('My guess'))}:</div><div class='line'>{safe(_('Why I think so'))}:</div>"
        f"<div class='line'>{safe(_('What the page shows'))}:</div></li>"
        for task in tasks
    )
    answers = "".join(f"<li><b>{safe(task.answer)}</b> {safe(_plain(task.why))}</li>" for task in tasks)
    now = datetime.now(UTC).strftime("%Y-%m-%d")
    parts = [
        f"<h1>{safe(shown.question)}</h1>{head}",
        f"<h2>{safe(_('Predict, then look'))}</h2><ol>{asked}</ol>",
        *drawn_figures(shown),
        f"<section class='answers'><h2>{safe(_('Answers'))}</h2><ol>{answers}</ol></section>",
        f"<p><small>{now} · <a href='{safe(address)}'>{safe(address)}</a></small></p>",
    ]
    top = f"<meta charset='utf-8'><title>{safe(shown.question)}</title><style>{STYLE}{SHEET}</style>"
    return f"<!doctype html><html lang='{_.language}'><head>{top}</head><body>{''.join(parts)}</body></html>"


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text).replace("**", "").replace("`", "")
