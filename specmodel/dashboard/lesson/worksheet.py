"""A worksheet to print: questions and experiments of a lesson with room to answer; then, for the teacher, the answers,
a plan and the figures."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from specmodel.dashboard.parts.report import STYLE, Report, drawn_figures
from specmodel.dashboard.session.translation import Translator

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


@dataclass(frozen=True)
class Planned:
    """A part of the lesson: about how many minutes it takes, its point, and what to try in it.

    An experiment is its name, what it sets, and what it shows.
    """

    part: str
    minutes: int
    point: str
    experiments: tuple[tuple[str, str, str], ...]


def worksheet(
    report: Report, tasks: Sequence[Task], plan: Sequence[Planned], address: str, translate: Translator
) -> str:
    """One self-contained HTML file for a printer: name and date, the question, tasks, experiments; on sheets of their
    own the answers, the plan and the figures that the page has drawn."""
    _, safe = translate, html.escape
    head = f"<p class='who'><span>{safe(_('Name'))}</span><span>{safe(_('Date'))}</span></p>"
    asked = "".join(
        f"<li><b>{safe(task.part)}</b><br>{safe(_plain(task.text))}"
        f"<div class='line'>{safe(_('My guess'))}:</div><div class='line'>{safe(_('Why I think so'))}:</div>"
        f"<div class='line'>{safe(_('What the page shows'))}:</div></li>"
        for task in tasks
    )
    answers = "".join(f"<li><b>{safe(task.answer)}</b> {safe(_plain(task.why))}</li>" for task in tasks)
    trials = [(each.part, *trial) for each in plan for trial in each.experiments]
    to_try = "".join(
        f"<li><b>{safe(part)}</b><br>{safe(label)}{safe(f' ({settings})' if settings else '')}"
        f"<div class='line'>{safe(_('What changes'))}:</div></li>"
        for part, label, settings, _look in trials
    )
    seen = "".join(f"<li><b>{safe(label)}</b> {safe(look)}</li>" for _part, label, _settings, look in trials)
    minutes = "".join(
        f"<tr><td>{safe(each.part)}</td><td>{each.minutes}</td><td>{safe(each.point)}</td></tr>" for each in plan
    )
    total = sum(each.minutes for each in plan)
    now = datetime.now(UTC).strftime("%Y-%m-%d")
    parts = [
        f"<h1>{safe(report.question)}</h1>{head}",
        f"<h2>{safe(_('Predict, then look'))}</h2><ol>{asked}</ol>",
        f"<h2>{safe(_('Try it'))}</h2><p>{safe(_('Each of these is a button on the page.'))}</p><ol>{to_try}</ol>",
        f"<section class='answers'><h2>{safe(_('The answers'))}</h2><ol>{answers}</ol>"
        f"<h2>{safe(_('What the experiments show'))}</h2><ol>{seen}</ol>"
        f"<h2>{safe(_('A plan of about {minutes} minutes').format(minutes=total))}</h2>"
        f"<table><tr><th>{safe(_('Part'))}</th><th>{safe(_('Minutes'))}</th>"
        f"<th>{safe(_('The point'))}</th></tr>{minutes}</table></section>",
        *drawn_figures(report),
        f"<p><small>{now} · <a href='{safe(address)}'>{safe(address)}</a></small></p>",
    ]
    top = f"<meta charset='utf-8'><title>{safe(report.question)}</title><style>{STYLE}{SHEET}</style>"
    return f"<!doctype html><html lang='{_.language}'><head>{top}</head><body>{''.join(parts)}</body></html>"


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text).replace("**", "").replace("`", "")
