"""A page's answer as a picture: question, verdict, numbers and the main figure, with the link in small type."""

import html
import tempfile
from pathlib import Path
from urllib.parse import urlencode

import plotly.graph_objects as go
import plotly.io

from specmodel.base.messages import N_, Message, Verbatim
from specmodel.base.numbers import shortened
from specmodel.base.version import VERSION
from specmodel.dashboard.frame.answering import Answered
from specmodel.dashboard.frame.chromium import PictureError, take_picture
from specmodel.dashboard.parts.answer import Cards, Chart, Said
from specmodel.dashboard.session.chosen import write_link
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import plain

WIDTH, HEIGHT = 1200, 760
NO_FIGURE = N_("The page has no figure {name}; it has {names}.")
STYLE = """
body{margin:0;box-sizing:border-box;display:flex;flex-direction:column;padding:24px 32px 14px;
font:16px/1.45 "Source Sans Pro","Source Sans 3",system-ui,"Noto Sans CJK JP",sans-serif;color:#1c2430;background:#fff}
h1{font-size:28px;margin:0 0 10px}
h2{font-size:17px;margin:14px 0 0}
p{margin:0}
.verdict{border-left:4px solid #1f66bf;background:#f3f6fb;padding:10px 14px}
.numbers{display:flex;flex-wrap:wrap;gap:8px 36px;margin-top:14px}
.numbers b{display:block;font-size:24px;font-weight:500}
.numbers small,footer{color:#5a6472;font-size:13px}
.figure{order:1;flex:1 1 0;min-height:220px}
.figure>div{height:100%}
footer{order:2;border-top:1px solid #d5d9e0;padding-top:6px;overflow-wrap:anywhere}
"""


def picture_html(found: Answered, width: int = WIDTH, height: int = HEIGHT, figure: str = "") -> str:
    """The picture as a web page of this size that needs nothing else; with the figure of this name, else the first.

    `PictureError` where the page has no figure of this name.

    >>> from specmodel.dashboard.frame.answering import answered
    >>> "<h1>When does speculation pay?</h1>" in picture_html(answered("speedup", ""))
    True
    """
    safe, _ = html.escape, found.translate
    parts = list(found.answer.values())
    said = next((part for part in parts if isinstance(part, Said)), None)
    cards = next((part.cards for part in parts if isinstance(part, Cards)), ())
    verdict = safe(plain(said.headline)) if said else ""
    if said and said.reason:
        verdict = f"<b>{verdict}</b> {safe(plain(said.reason))}"
    numbers = (
        f"<div>{safe(card.label)}<b>{safe(card.value)}</b><small>{safe(plain(card.below))}</small></div>"
        for card in cards
    )
    body = [
        f"<h1>{safe(_(pages()[found.key].question))}</h1><p class='verdict'>{verdict}</p>",
        f"<div class='numbers'>{''.join(numbers)}</div>",
        f"<footer>{safe(_footer(found))}</footer>",
        _figure(found, figure),  # last: it fills what the others leave, once they are there
    ]
    size = f"body{{width:{width}px;height:{height}px}}"  # not the window's: browsers differ in what they call that
    head = f"<meta charset='utf-8'><title>{safe(found.key)}</title><style>{STYLE}{size}</style>"
    return f"<!doctype html><html lang='{_.language}'><head>{head}</head><body>{''.join(body)}</body></html>"


def _figure(found: Answered, name: str) -> str:
    """A figure with its title; nothing where the page has none."""
    charts = {each: part for each, part in found.answer.items() if isinstance(part, Chart)}
    if name and name not in charts:
        names = Verbatim(", ".join(charts))
        raise PictureError(Message(NO_FIGURE, {"name": shortened(name, 40), "names": names}))
    if not charts:
        return ""
    chart = charts[name or next(iter(charts))]
    drawn = go.Figure(chart.figure)
    drawn.update_layout(template="plotly_white", autosize=True, margin={"l": 60, "r": 20, "t": 20, "b": 50})
    drawn.update_layout(width=None, height=None)
    markup = plotly.io.to_html(drawn, full_html=False, include_plotlyjs=True, default_height="100%", config=STATIC)
    return f"<h2>{html.escape(chart.title)}</h2><div class='figure'>{markup}</div>"


STATIC = {"staticPlot": True, "responsive": True}


def _footer(found: Answered) -> str:
    """Which app said it, and the link."""
    query = urlencode(write_link(found.chosen))
    name = f"{found.translate('Speculative decoding explorer')} {VERSION}"
    return f"{name} · {found.key}?{query}" if query else f"{name} · {found.key}"


def write_picture(found: Answered, file: Path, width: int = WIDTH, height: int = HEIGHT, figure: str = "") -> None:
    """The picture as a PNG file; `PictureError` where no Chromium can make it, or the figure is not there."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(picture_html(found, width, height, figure), encoding="utf-8")
        take_picture(page.as_uri(), file, width, height)
