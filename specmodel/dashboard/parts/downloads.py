"""What a page gives away: every table as CSV, and the whole page as one HTML file that needs nothing else."""

import csv
import html
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

import pandas as pd
import plotly.graph_objects as go
import plotly.io
import streamlit as st

from specmodel.base.docstrings import paragraphs
from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import Cards, Chart, Code, Fact, Note, Part, Said, Table, Text
from specmodel.dashboard.session.translation import Translator, plain
from specmodel.figures.style import Figure
from specmodel.model.scenario import Scenario

Kind = TypeVar("Kind", bound=Part)
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
table{border-collapse:collapse;margin:1rem 0}
td,th{border-bottom:1px solid #d5d9e0;padding:.3rem .8rem;text-align:left}
td.n,th{white-space:nowrap}
td.n{text-align:right;font-variant-numeric:tabular-nums}
.figure{overflow-x:auto}
.verdict{font-size:1.2rem;border-left:4px solid #1f66bf;padding-left:1rem}
pre{background:#f3f5f8;padding:.6rem;white-space:pre-wrap}
small{color:#5a6472}
@media print{.figure{break-inside:avoid}}
"""


@dataclass(frozen=True)
class Report:
    """What a page has shown: its parts by name, and what they rest on (`facts` where that is no scenario)."""

    key: str
    question: str
    parts: Mapping[str, Part]
    scenario: Scenario
    pinned: Scenario | None
    query: Mapping[str, str]
    facts: tuple[Fact, ...] | None = None
    explains: tuple[Callable[..., Any], ...] = ()
    leaves_out: tuple[str, ...] = ()

    def of(self, kind: type[Kind]) -> list[tuple[str, Kind]]:
        """The parts of one kind with their names, in the order in which they were report."""
        return [(name, part) for name, part in self.parts.items() if isinstance(part, kind)]

    @property
    def verdict(self) -> str:
        """The answer in a sentence, as plain text."""
        said = [part for _, part in self.of(Said)]
        return plain(" ".join(filter(None, (said[0].headline, said[0].reason)))) if said else ""


def link(query: Mapping[str, str]) -> str:
    """The address of the page with its whole state."""
    parts = urlsplit(st.context.url or "")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def draw(report: Report, translate: Translator) -> None:
    """The download buttons. A file is made only when it is asked for."""
    address = link(report.query)
    with st.container(horizontal=True):
        for name, table in report.of(Table):
            data = table.columns if table.data is None else table.data
            st.download_button(
                translate("{title} (CSV)").format(title=table.title),
                data=_later(table_csv, data, _rests_on(report, translate), address, translate),
                file_name=f"speculative-decoding_{report.key}_{table.name or name}.csv",
                mime="text/csv",
                key=f"csv_{report.key}_{name}",
                on_click="ignore",
            )
        st.download_button(
            translate("This page as a report (HTML)"),
            data=_later(report_html, report, address, translate),
            file_name=f"speculative-decoding_{report.key}.html",
            mime="text/html",
            key=f"report_{report.key}",
            on_click="ignore",
            help=translate("Figures, numbers, assumptions, formulas and the link in one file that needs no internet."),
        )


def _later(make: Callable[..., str], *arguments: Any) -> Callable[[], str]:
    return lambda: make(*arguments)


def _assumptions(scenario: Scenario, translate: Translator) -> list[tuple[str, str, str]]:
    return [
        (
            f"{translate(declared.label)} {declared.letter}".strip(),
            declared.show(getattr(scenario, name), translate),
            name,
        )
        for name, declared in declarations(Scenario).items()
    ]


def _rests_on(report: Report, translate: Translator) -> Sequence[Fact]:
    return _assumptions(report.scenario, translate) if report.facts is None else report.facts


def _both(report: Report, translate: Translator) -> list[tuple[str, str, str, str]]:
    """The assumptions, those of the pinned scenario beside them."""
    rows = _rests_on(report, translate)
    if report.pinned is None or report.facts is not None:
        return [(label, value, "", name) for label, value, name in rows]
    pinned = [value for _, value, _ in _assumptions(report.pinned, translate)]
    text = translate("pinned {value}")
    return [
        (label, value, text.format(value=old), name) for (label, value, name), old in zip(rows, pinned, strict=True)
    ]


def table_csv(
    data: Mapping[str, Any], rests_on: Sequence[tuple[str, str, str]], address: str, translate: Translator
) -> str:
    """The table with its parameters, their units and the link in comment lines above it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f"# {translate('Speculative decoding explorer')}"])
    for label, value, name in rests_on:
        writer.writerow([f"# {name}", value, label])
    writer.writerow([f"# {translate('link')}", address])
    pd.DataFrame(dict(data)).to_csv(out, index=False, lineterminator="\n")
    return out.getvalue()


def report_html(report: Report, address: str, translate: Translator) -> str:
    """The page as one self-contained HTML file; plotly's script is inside, once."""
    safe = html.escape
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    numbers = [(card.label, card.value, card.below, card.help) for _, part in report.of(Cards) for card in part.cards]
    parts = [
        f"<h1>{safe(report.question)}</h1><p class='verdict'>{safe(report.verdict)}</p>",
        _table(numbers),
        *(f"<p><small>{safe(text)}</small></p>" for text in _small_print(report)),
        f"<h2>{safe(_rests_title(report, translate))}</h2>{_table(_both(report, translate))}",
    ]
    parts += drawn_figures(report)
    for _, table in report.of(Table):
        shown = pd.DataFrame(dict(table.columns))
        parts.append(f"<h2>{safe(table.title)}</h2>{shown.to_html(index=False, border=0)}")
    parts += _why(report, translate)
    parts.append(f"<p><small>{safe(now)} · <a href='{safe(address)}'>{safe(address)}</a></small></p>")
    head = f"<meta charset='utf-8'><title>{safe(report.question)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='{translate.language}'><head>{head}</head><body>{''.join(parts)}</body></html>"


def _small_print(report: Report) -> list[str]:
    """Notes, paragraphs, and configuration as it is to be pasted."""
    texts = []
    for part in report.parts.values():
        if isinstance(part, Note | Text):
            texts.append(plain(part.text if isinstance(part, Note) else part.markdown))
        elif isinstance(part, Code):
            texts.append(part.text)
    return texts


def drawn_figures(report: Report) -> list[str]:
    """The figures of a page as HTML; plotly's script is in the first of them."""
    parts, safe = [], html.escape
    for number, (_, chart) in enumerate(report.of(Chart)):
        drawn = plotly.io.to_html(_light(chart.figure, chart.height), include_plotlyjs=number == 0, full_html=False)
        heading = f"<h2>{safe(chart.title)}</h2>"
        parts.append(f"<section class='figure' aria-label='{safe(chart.alt)}'>{heading}{drawn}</section>")
    return parts


def _rests_title(report: Report, translate: Translator) -> str:
    return translate("Assumptions") if report.facts is None else translate("What was given")


def _light(figure: Figure, height: int) -> go.Figure:
    drawn = go.Figure(figure)
    return drawn.update_layout(template="plotly_white", height=height + 60, margin={"l": 60, "r": 20, "t": 20, "b": 50})


def _table(rows: list[tuple[str, str, str, str]]) -> str:
    """Rows of name, value, value of the pinned scenario (or nothing), and a note."""
    cells = (
        f"<tr><th>{name}</th><td class='n'>{value}</td><td class='n'>{pinned}</td><td><small>{note}</small></td></tr>"
        for name, value, pinned, note in (map(html.escape, row) for row in rows)
    )
    return f"<table>{''.join(cells)}</table>"


def _prose(text: str) -> str:
    """Docstring prose as HTML: what stands in backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def _why(report: Report, translate: Translator) -> list[str]:
    parts = [f"<h2>{html.escape(translate('Why: formulas, sources, and what the model leaves out'))}</h2>"]
    for function in report.explains:
        parts.append(f"<h3><code>{function.__qualname__}</code></h3>")
        for kind, text in paragraphs(function):
            parts.append(
                f"<pre>{html.escape(text)}</pre>" if kind == "formula" else f"<p>{_prose(translate(text))}</p>"
            )
    limits = "".join(f"<li>{html.escape(text)}</li>" for text in report.leaves_out)
    return [*parts, f"<ul>{limits}</ul>"]
