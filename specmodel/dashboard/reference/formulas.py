"""The entries of formulas: the docstrings of the functions that pages explain, with their sources."""

from collections.abc import Callable, Iterator
from typing import Any

from specmodel.base.docstrings import paragraphs
from specmodel.dashboard.parts.entries import function_entry
from specmodel.dashboard.reference.entry import FORMULA, Block, Cell, Code, Entry, Prose, Rows
from specmodel.dashboard.reference.links import to_page
from specmodel.dashboard.reference.sources import docstring, explained, links_to_sources

Translate = Callable[[str], str]


def formula_entries(translate: Translate) -> Iterator[Entry]:
    """One entry for each function or class that some page explains."""
    for function, shown_on in explained().items():
        body: list[Block] = [
            Code(text) if kind == "formula" else Prose(translate(text)) for kind, text in paragraphs(function)
        ]
        facts = Rows(tuple(_facts(function, shown_on, translate)))
        yield Entry(function_entry(function), FORMULA, f"`{function.__qualname__}`", (*body, facts))


def _facts(function: Callable[..., Any], shown_on: tuple[str, ...], translate: Translate) -> Iterator[tuple[Cell, ...]]:
    _ = translate
    yield _("Pages"), tuple(to_page(key, _) for key in shown_on)
    cited = links_to_sources(docstring(function), _)
    if cited:
        yield _("Sources"), cited
    yield _("In code"), f"`{function.__module__}.{function.__qualname__}`"
