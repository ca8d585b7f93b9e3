"""An entry of the Reference page, made of texts in one language, and how a search finds it."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import N_

PARAMETER, RESULT, TERM, FORMULA, SOURCE, WRONG = "parameter", "result", "term", "formula", "source", "wrong"
KINDS: Mapping[str, str] = {
    WRONG: N_("Wrong numbers in the wild"),
    PARAMETER: N_("Parameters"),
    RESULT: N_("Results"),
    TERM: N_("Terms"),
    FORMULA: N_("Formulas"),
    SOURCE: N_("Sources"),
}


@dataclass(frozen=True)
class Link:
    """Words that lead somewhere: to a page, to another entry, or to a publication."""

    text: str
    href: str


Inline = str | Link
Cell = Inline | tuple[Inline, ...]
"""What stands in a cell of a table; several things stand in a row. What is in backticks is code."""


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Code:
    """A formula, or another text whose lines stay as they are."""

    text: str


@dataclass(frozen=True)
class Rows:
    """A small table; without a header its first column says what the second one is."""

    rows: tuple[tuple[Cell, ...], ...]
    header: tuple[Cell, ...] = ()


Block = Prose | Code | Rows


@dataclass(frozen=True)
class Entry:
    """One entry: a name for links that is the same in every language, its kind, its title and what it says."""

    id: str
    kind: str
    title: str
    body: tuple[Block, ...]

    @property
    def text(self) -> str:
        """All that it says, as plain text: for tables and for the search.

        >>> Entry("speedup", "result", "Speedup", (Prose("Time without ÷ with."), Rows((("unit", "×"),)))).text
        'Time without ÷ with.\\nunit: ×'
        """
        return "\n".join(line for block in self.body for line in _lines(block))


def _lines(block: Block) -> Iterable[str]:
    if isinstance(block, Rows):
        return [": ".join(filter(None, map(_plain, row))) for row in block.rows]
    return [block.text]


def _plain(cell: Cell) -> str:
    if isinstance(cell, tuple):
        return ", ".join(map(_plain, cell))
    return (cell.text if isinstance(cell, Link) else cell).replace("`", "")


def folded(text: str) -> str:
    """A text as the search compares it: without case, accents, and widths of letters.

    The marks of Japanese syllables are no accents: they make another syllable.

    >>> folded("Künsch, ＡＬＰＨＡ"), folded("が") == folded("か")
    ('kunsch, alpha', False)
    """
    kept = (char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char) or char in "゙゚")
    return unicodedata.normalize("NFKC", "".join(kept)).casefold()


_APART = re.compile(r"[\s\u3000]+")


def ranked(find: str, titles: Mapping[str, str], texts: Mapping[str, str]) -> Sequence[str]:
    """The entries that hold every word of `find`, those first that are called so, then those whose title holds it.

    `titles` and `texts` are folded, by entry.

    >>> ranked("Speed", {"a": "rounds", "b": "speedup here", "c": "speed"}, {"a": "speed", "b": "", "c": ""})
    ['c', 'b', 'a']
    """
    words = [word for word in _APART.split(folded(find)) if word]
    found = [entry for entry, title in titles.items() if all(word in title or word in texts[entry] for word in words)]
    whole = " ".join(words)

    def rank(entry: str) -> int:
        title = titles[entry]
        if whole in title.split("\n"):
            return 0
        return 1 if all(word in title for word in words) else 2

    return sorted(found, key=rank)
