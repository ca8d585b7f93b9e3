"""The publications that formulas, ways of drafting and figures rest on: found where they are cited.

data/sources.csv says of each how it is cited, who wrote it, its title, and where it was published.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from specmodel.base.docstrings import paragraphs
from specmodel.dashboard.parts.entries import function_entry, slug
from specmodel.dashboard.reference.entry import SOURCE, Cell, Entry, Link, Rows
from specmodel.dashboard.reference.links import to_entry
from specmodel.dashboard.session.pages import pages
from specmodel.methods import methods

FILE = Path(__file__).parents[2] / "data" / "sources.csv"
Translate = Callable[[str], str]


@dataclass(frozen=True)
class Source:
    """A publication: the texts by which it is cited, and what a reader needs to find it."""

    key: str
    cited_as: tuple[str, ...]
    authors: str
    year: int
    title: str
    published: str
    url: str

    @property
    def name(self) -> str:
        """The first author's family name, or the group, with the year.

        >>> sources()[0].name
        'Leviathan et al. 2023'
        """
        first, *others = self.authors.split(", ")
        several = others or first.endswith(" and others")
        family = first.removesuffix(" and others").split()[-1]
        return f"{family} et al. {self.year}" if several else f"{family} {self.year}"


@cache
def sources() -> tuple[Source, ...]:
    """All publications, in the order of the file.

    >>> sources()[0].title
    'Fast Inference from Transformers via Speculative Decoding'
    """
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Source(
                row["id"],
                tuple(row["cited_as"].split("|")),
                row["authors"],
                int(row["year"]),
                row["title"],
                row["published"],
                row["url"],
            )
            for row in csv.DictReader(file)
        )


def cited_in(text: str) -> tuple[Source, ...]:
    """The publications that a text cites.

    >>> [source.key for source in cited_in("Leviathan et al. 2023, eq. 1; MoESD, eq. 8")]
    ['leviathan-2023', 'moesd-2025']
    """
    return tuple(source for source in sources() if any(name in text for name in source.cited_as))


def source_entry(source: Source) -> str:
    """The entry of a publication.

    >>> source_entry(sources()[0])
    'source-leviathan-2023'
    """
    return f"source-{source.key}"


def links_to_sources(text: str, translate: Translate) -> tuple[Link, ...]:
    """Links to what a text cites.

    >>> links_to_sources("Kelly 1979", str)[0].text
    'Kelly 1979'
    """
    return tuple(to_entry(source.name, source_entry(source), translate) for source in cited_in(text))


def drafting_entry(key: str) -> str:
    """The entry of a way of drafting.

    >>> drafting_entry("draft_model")
    'term-drafting-draft-model'
    """
    return f"term-drafting-{slug(key)}"


@cache
def explained() -> Mapping[Callable[..., Any], tuple[str, ...]]:
    """The functions whose docstrings pages show, with the keys of those pages.

    >>> from specmodel.model.outcome import evaluate
    >>> explained()[evaluate][0]
    'speedup'
    """
    found: dict[Callable[..., Any], list[str]] = {}
    for page in pages().values():
        for function in page.explains:
            found.setdefault(function, []).append(page.key)
    return {function: tuple(keys) for function, keys in found.items()}


def docstring(function: Callable[..., Any]) -> str:
    """What is shown of a docstring, as one text.

    >>> docstring(source_entry)
    'The entry of a publication.'
    """
    return "\n".join(text for _, text in paragraphs(function))


def source_entries(translate: Translate) -> Iterator[Entry]:
    """The entries of all publications: what they are, and what rests on them."""
    for source in sources():
        yield Entry(source_entry(source), SOURCE, source.name, (Rows(tuple(_facts(source, translate))),))


def _facts(source: Source, translate: Translate) -> Iterator[tuple[Cell, ...]]:
    _ = translate
    yield _("Title"), source.title
    yield _("Authors"), source.authors.replace(" and others", " et al.")
    yield _("Published"), Link(source.published, source.url) if source.url else source.published
    formulas = [function for function in explained() if source in cited_in(docstring(function))]
    if formulas:
        yield _("Formulas"), tuple(to_entry(f"`{each.__qualname__}`", function_entry(each), _) for each in formulas)
    used = [each for each in methods() if source in cited_in(f"{each.citation} {_published(each)}")]
    if used:
        yield _("Ways of drafting"), tuple(to_entry(_(each.label), drafting_entry(each.key), _) for each in used)


def _published(method: Any) -> str:
    return " ".join(row.source for row in method.rows)
