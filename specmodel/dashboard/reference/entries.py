"""All entries of the Reference page, made once for each language, and the search through both languages at once."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import chain

from specmodel.dashboard.parts.entries import slug
from specmodel.dashboard.reference.entry import KINDS, Entry, folded, ranked
from specmodel.dashboard.reference.formulas import formula_entries
from specmodel.dashboard.reference.number_entries import number_entries
from specmodel.dashboard.reference.numbers import by_entry
from specmodel.dashboard.reference.sources import source_entries
from specmodel.dashboard.reference.term_entries import term_entries
from specmodel.dashboard.reference.wrong_entries import wrong_entries
from specmodel.dashboard.session.translation import LANGUAGES, translator

MOVED: Mapping[str, str] = {
    "overhead-per-round": "fixed-cost-of-a-round",
}
"""Where an entry has gone whose label was reworded: old id -> new id, so that links to it still lead there."""
MAKERS = (wrong_entries, number_entries, term_entries, formula_entries, source_entries)


@cache
def entries(language: str) -> Mapping[str, Entry]:
    """Every entry by its id, kind by kind.

    >>> entries("en")["speedup"].title
    'Speedup'
    """
    _ = translator(language)
    made = list(chain.from_iterable(make(_) for make in MAKERS))
    order = list(KINDS)
    found = {entry.id: entry for entry in sorted(made, key=lambda entry: order.index(entry.kind))}
    if len(found) != len(made):
        raise ValueError("two entries of the Reference page have one id")
    return found


@cache
def _searched() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Titles and texts of all languages, folded, by entry."""
    both = [entries(language) for language in LANGUAGES]
    titles = {id: "\n".join(folded(each[id].title.replace("`", "")) for each in both) for id in both[0]}
    texts = {id: folded("\n".join((id, id.replace("-", " "), *(each[id].text for each in both)))) for id in both[0]}
    return titles, texts


def search(find: str, kind: str) -> Sequence[str]:
    """The ids of the entries of a kind (any where it is empty) whose text in any language holds every word.

    >>> search("bonus token", "term")[0]
    'term-bonus-token'
    """
    titles, texts = _searched()
    found = ranked(find, titles, texts) if find.strip() else list(titles)
    return [id for id in found if not kind or entries("en")[id].kind == kind]


def resolved(name: str) -> str:
    """The id of the entry that a link names: an id, one that has moved, a name in code, or a link key; else empty.

    Names in code and link keys do not change when a label is reworded.

    >>> resolved("Scenario.alpha"), resolved("speedup"), resolved("elephants")
    ('acceptance-probability', 'speedup', '')
    """
    id = MOVED.get(name, name)
    return id if id in entries("en") else _named().get(name, "")


@cache
def _named() -> Mapping[str, str]:
    """Names in code and link keys with the entries that they belong to; the first one counts."""
    found: dict[str, str] = {}
    for id, uses in by_entry().items():
        for use in uses:
            for name in (use.in_code, getattr(use.declared, "key", ""), use.declared.name):
                if name:
                    found.setdefault(name, id)
    return found


def nearest(id: str) -> str:
    """The entry whose id is most like one that does not exist; empty where none is.

    >>> nearest("acceptance-probabilty")
    'acceptance-probability'
    """
    return next(iter(get_close_matches(slug(id), entries("en"), n=1)), "")
