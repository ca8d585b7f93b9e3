"""A page as one HTML file: a first page for a design review, then appendices. No Streamlit.

The first page has what was asked, the verdict, the numbers, the main figure, the configuration with its warnings, date,
version and link. Figures are placeholders that a browser fills with drawings (frontend/report.js), or interactive ones
with plotly's script beside them, which makes the file eight times as large.
"""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import pandas as pd
import plotly.graph_objects as go
import plotly.io

from specmodel.base.docstrings import paragraphs
from specmodel.base.params import declarations
from specmodel.base.version import VERSION
from specmodel.dashboard.parts.answer import (
    Cards,
    Chart,
    Code,
    Fact,
    Folded,
    Heading,
    Note,
    Notice,
    Part,
    Said,
    Table,
    Text,
)
from specmodel.dashboard.parts.asked import label_of
from specmodel.dashboard.session.translation import Translator, plain
from specmodel.figures.style import Figure
from specmodel.model.scenario import Scenario

Kind = TypeVar("Kind", bound=Part)
STYLE = """
body{font:15px/1.45 system-ui,"Noto Sans CJK JP",sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#1c2430;background:#fff}
h1{font-size:1.7rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:1.3rem 0 .4rem}h3{font-size:1rem;margin:1rem 0 .3rem}
table{border-collapse:collapse;margin:.4rem 0;max-width:100%}
td,th{border-bottom:1px solid #d5d9e0;padding:.2rem .7rem .2rem 0;text-align:left;vertical-align:top;font-weight:400}
td{overflow-wrap:anywhere}td small{overflow-wrap:normal}
.facts th{width:40%;min-width:7rem}
thead th{color:#5a6472;font-size:.85rem}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.wide{font-size:.78rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:0 2.5rem}
.figure svg{width:100%;height:auto}
.verdict{font-size:1.15rem;border-left:4px solid #1f66bf;background:#f3f6fb;padding:.6rem 1rem;margin:.6rem 0}
.notice{border-left:4px solid #b7791f;background:#fdf6e7;padding:.4rem 1rem;margin:.5rem 0;white-space:pre-line}
pre{background:#f3f5f8;padding:.6rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
small,.meta{color:#5a6472}.meta{font-size:.85rem;overflow-wrap:anywhere;margin:0 0 .6rem}
@page{margin:14mm}
@media print{body{margin:0;padding:0;max-width:none;font-size:12px}.figure,tr,pre,.notice,.verdict{break-inside:avoid}
h2,h3{break-after:avoid}.appendix{break-before:page}a{color:inherit}}
"""
MANY_COLUMNS, LONG = 7, 30


@dataclass(frozen=True)
class Report:
    """What a page has shown: its parts by name, what was asked in a few lines, and all that it rests on.

    `facts` are None where it rests on the scenario alone.
    """

    key: str
    question: str
    parts: Mapping[str, Part]
    scenario: Scenario
    pinned: Scenario | None
    query: Mapping[str, str]
    facts: tuple[Fact, ...] | None = None
    explains: tuple[Callable[..., Any], ...] = ()
    leaves_out: tuple[str, ...] = ()
    asked: tuple[Fact, ...] = ()
    main: str = ""

    def of(self, kind: type[Kind]) -> list[tuple[str, Kind]]:
        """The parts of one kind with their names, in the order in which they were shown."""
        return [(name, part) for name, part in self.parts.items() if isinstance(part, kind)]

    @property
    def verdict(self) -> str:
        """The answer in a sentence, as plain text."""
        said = [part for _, part in self.of(Said)]
        return plain(" ".join(filter(None, (said[0].headline, said[0].reason)))) if said else ""


def report_html(report: Report, address: str, translate: Translator, *, interactive: bool = True) -> str:
    """The report; without interactive figures `<div data-figure=…>` stands where each is to be drawn."""
    safe, _ = html.escape, translate
    charts = {name: _figure(name, chart, interactive) for name, chart in report.of(Chart)}
    script = f"<script>{plotly.offline.get_plotlyjs()}</script>" if interactive and charts else ""
    main = charts.pop(report.main if report.main in charts else next(iter(charts), ""), "")
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    meta = f"{_('Speculative decoding explorer')} {VERSION} · {now} · "
    numbers = [(card.label, card.value, plain(card.below), _kind(card.known, _)) for card in _cards(report)]
    first = [
        f"<h1>{safe(report.question)}</h1>",
        f"<p class='meta'>{safe(meta)}<a href='{safe(address)}'>{safe(address)}</a></p>",
        f"<p class='verdict'>{safe(report.verdict)}</p>",
        "<div class='pair'>",
        f"<section><h2>{safe(_('What was asked'))}</h2>{_rows(_asked(report, _))}</section>",
        f"<section><h2>{safe(_('The numbers'))}</h2>{_rows(numbers)}</section>",
        "</div>",
        main,
        *_configuration(report, _),
    ]
    after = [*charts.values()]
    for _name, table in report.of(Table):
        after.append(f"<h2>{safe(table.title)}</h2>{_table_html(table)}")
    after += [f"<p><small>{safe(text)}</small></p>" for text in _small_print(report)]
    after += [f"<h2>{safe(rests_title(report, _))}</h2>{_rows(_both(report, _))}"]
    after += [f"<p><small><b>{safe(card.label)}</b>: {safe(card.help)}</small></p>" for card in _cards(report)]
    after += _why(report, _)
    appendix = f"<section class='appendix'><h2>{safe(_('Appendix'))}</h2>{''.join(after)}</section>"
    head = f"<meta charset='utf-8'><title>{safe(report.question)}</title><style>{STYLE}</style>{script}"
    body = "".join([*first, appendix])
    return f"<!doctype html><html lang='{_.language}'><head>{head}</head><body>{body}</body></html>"


def _cards(report: Report) -> list[Any]:
    return [card for _, part in report.of(Cards) for card in part.cards]


def _kind(known: Any, translate: Translator) -> str:
    return translate(known.kind) if known is not None else ""


def _asked(report: Report, translate: Translator) -> list[tuple[str, ...]]:
    """What was asked; without that what it rests on, as far as it is short."""
    rows = report.asked or rests_on(report, translate)
    return [(label, value) for label, value, _ in rows if len(value) < 400]


def _configuration(report: Report, translate: Translator) -> list[str]:
    """What to paste, each with the warnings that stand beside it on the page: those that begin with its name."""
    found, safe = [], html.escape
    for name, code in report.of(Code):
        heading = report.parts.get(f"{name}_heading")
        title = heading.text if isinstance(heading, Heading) else translate("What to set")
        found.append(f"<h2>{safe(title)}</h2>")
        found.append(f"<pre>{safe(code.text)}</pre>")
        for other, part in report.parts.items():
            if other.startswith(f"{name}_") and isinstance(part, Note | Text | Notice):
                text = plain(part.text if isinstance(part, Note) else part.markdown).replace("`", "")
                found.append(f"<p class='notice'>{safe(text)}</p>")
    return found


def rests_on(report: Report, translate: Translator) -> list[Fact]:
    """All that the page rests on: its facts, or every value of the scenario."""
    if report.facts is not None:
        return list(report.facts)
    return [
        (label_of(declared, translate), declared.show(getattr(report.scenario, name), translate), name)
        for name, declared in declarations(Scenario).items()
    ]


def _both(report: Report, translate: Translator) -> list[tuple[str, ...]]:
    """The assumptions, those of the pinned scenario beside them."""
    rows = rests_on(report, translate)
    if report.pinned is None or report.facts is not None:
        return [(label, value, name) for label, value, name in rows]
    text, declared = translate("pinned {value}"), declarations(Scenario)
    pins = {name: declared[name].show(getattr(report.pinned, name), translate) for _, _, name in rows}
    return [(label, value, text.format(value=pins[name]), name) for label, value, name in rows]


def rests_title(report: Report, translate: Translator) -> str:
    """The title of what the page rests on."""
    return translate("Assumptions") if report.facts is None else translate("What was given")


def _small_print(report: Report) -> list[str]:
    """Notes, paragraphs and what is folded, but for those beside a configuration; what a page warns of too."""
    codes = tuple(f"{name}_" for name, _ in report.of(Code))
    texts = []
    for name, part in report.parts.items():
        if codes and name.startswith(codes):
            continue
        if isinstance(part, Note):
            texts.append(plain(part.text))
        elif isinstance(part, Text | Notice | Folded):
            texts.append(plain(part.markdown))
    return texts


def _figure(name: str, chart: Chart, interactive: bool) -> str:
    safe = html.escape
    place = f"<div data-figure='{safe(name)}'></div>"
    if interactive:
        place = plotly.io.to_html(_light(chart.figure, chart.height), include_plotlyjs=False, full_html=False)
    return f"<section class='figure' aria-label='{safe(chart.alt)}'><h2>{safe(chart.title)}</h2>{place}</section>"


def drawn_figures(report: Report) -> list[str]:
    """The figures of a page as interactive HTML; plotly's script is in the first of them."""
    script = f"<script>{plotly.offline.get_plotlyjs()}</script>"
    found = [_figure(name, chart, True) for name, chart in report.of(Chart)]
    return [script + found[0], *found[1:]] if found else []


def _light(figure: Figure, height: int) -> go.Figure:
    drawn = go.Figure(figure)
    return drawn.update_layout(template="plotly_white", height=height + 60, margin={"l": 60, "r": 20, "t": 20, "b": 50})


def _table_html(table: Table) -> str:
    frame = pd.DataFrame(dict(table.columns))
    wide = " wide" if len(frame.columns) > MANY_COLUMNS else ""
    return str(frame.to_html(index=False, border=0, classes=f"shown{wide}"))


def _rows(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of a label, a value, and what else is said of it."""
    lines, numeric = [], all(len(value) < LONG for _label, value, *_more in rows)
    for label, value, *more in rows:
        cells = "".join(f"<td><small>{html.escape(each)}</small></td>" for each in more)
        short = " class='n'" if numeric else ""
        lines.append(f"<tr><th>{html.escape(label)}</th><td{short}>{html.escape(value)}</td>{cells}</tr>")
    return f"<table class='facts'>{''.join(lines)}</table>"


def _prose(text: str) -> str:
    """Docstring prose as HTML: what stands in backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def _why(report: Report, translate: Translator) -> list[str]:
    parts = [f"<h2>{html.escape(translate('Why: formulas, sources, and what the model leaves out'))}</h2>"]
    for function in report.explains:
        parts.append(f"<h3><code>{function.__qualname__}</code></h3>")
        for kind, text in paragraphs(function):
            formula = kind == "formula"
            parts.append(f"<pre>{html.escape(text)}</pre>" if formula else f"<p>{_prose(translate(text))}</p>")
    limits = "".join(f"<li>{html.escape(text)}</li>" for text in report.leaves_out)
    return [*parts, f"<ul>{limits}</ul>"]
