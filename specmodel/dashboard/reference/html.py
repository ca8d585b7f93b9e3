"""Entries as markup: each folds, and all of them are one part of the page, however many they are."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape

from specmodel.dashboard.parts.entries import entry_link
from specmodel.dashboard.reference.entry import KINDS, Block, Cell, Code, Entry, Link, Rows
from specmodel.figures import style

Translate = Callable[[str], str]
_LINE = style.faded(style.BASELINE, 0.35)
_CODE = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em"
CSS = "".join(
    [
        ".rf{line-height:1.5;overflow-wrap:anywhere}",
        f".rf details.e{{border-bottom:1px solid {_LINE}}}",
        ".rf summary{cursor:pointer;padding:.45rem .1rem;font-weight:600}",
        ".rf .b{padding:0 .2rem .8rem 1.1rem}",
        ".rf p{margin:.2rem 0 .5rem;max-width:46rem}",
        ".rf .t{overflow-x:auto;margin:.3rem 0 .6rem}",
        ".rf table{border-collapse:collapse;font-size:.875rem}",
        f".rf td,.rf th{{border:0;border-bottom:1px solid {_LINE};padding:.25rem .9rem .25rem 0;text-align:left;"
        "vertical-align:top;overflow-wrap:normal}",
        ".rf td{min-width:4.5rem;max-width:34rem}",
        ".rf th{font-weight:600;white-space:nowrap}",
        f".rf pre,.rf code{{{_CODE};white-space:pre-wrap;background:{style.faded(style.BASELINE, 0.14)};"
        "border-radius:4px;padding:.05em .3em}",
        ".rf pre{padding:.5rem .7rem;margin:.2rem 0 .6rem}",
        f".rf .top{{border-left:4px solid {style.SPECULATION};padding:.3rem .6rem .1rem .8rem;margin-bottom:.6rem;"
        f"background:{style.faded(style.SPECULATION, 0.07)}}}",
        ".rf a{color:inherit;text-decoration:underline}",
        ".rf .top h3{font-size:1.25rem;margin:0;padding:.2rem 0 .3rem}",
        ".rf small{font-weight:400;opacity:.75}",
    ]
)


def top(entry: Entry, translate: Translate) -> str:
    """The entry that a link asks for: open and marked."""
    kind = escape(translate(KINDS[entry.kind]))
    return _page(f'<section class="top"><small>{kind}</small><h3>{_text(entry.title)}</h3>{_body(entry)}</section>')


def listed(found: Sequence[Entry], translate: Translate) -> str:
    """A list of entries that fold."""
    return _page("".join(_folded(entry, translate) for entry in found))


def _page(markup: str) -> str:
    return f'<style>{CSS}</style><div class="rf">{markup}</div>'


def _folded(entry: Entry, translate: Translate) -> str:
    link = _link(Link(translate("Link to this entry"), entry_link(entry.id, translate)))
    body = f'<div class="b">{_body(entry)}<p><small>{link}</small></p></div>'
    return f'<details class="e"><summary>{_text(entry.title)}</summary>{body}</details>'


@lru_cache(maxsize=2048)
def _body(entry: Entry) -> str:
    return "".join(map(_block, entry.body))


def _block(block: Block) -> str:
    if isinstance(block, Code):
        return f"<pre>{escape(block.text)}</pre>"
    if isinstance(block, Rows):
        return _table(block)
    return f"<p>{_text(block.text)}</p>"


def _table(rows: Rows) -> str:
    """A table; without a header the first cell of each row is its heading."""
    head = "".join(f'<th scope="col">{_cell(each)}</th>' for each in rows.header)
    lines = []
    for row in rows.rows:
        first = f"<td>{_cell(row[0])}</td>" if rows.header else f'<th scope="row">{_cell(row[0])}</th>'
        lines.append(f"<tr>{first}{''.join(f'<td>{_cell(each)}</td>' for each in row[1:])}</tr>")
    header = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f'<div class="t" tabindex="0"><table>{header}<tbody>{"".join(lines)}</tbody></table></div>'


def _cell(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return ", ".join(map(_cell, cell))
    return _link(cell) if isinstance(cell, Link) else _text(cell)


def _link(link: Link) -> str:
    return f'<a href="{escape(link.href, quote=True)}" target="_blank" rel="noopener">{_text(link.text)}</a>'


def _text(text: str) -> str:
    """Text in which what stands in backticks is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))
