"""The entries of words: ours, the definitions of rates, and the ways of drafting, with what others call each.

The words of others are the rows of data/terms.csv, those of engines as their own sources print them, those of papers
as the papers define them; an engine's names for ways of drafting are those of `engine.setting`.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specmodel.base.messages import N_
from specmodel.base.params import declarations
from specmodel.dashboard.parts.entries import number_entry, term_entry
from specmodel.dashboard.reference.entry import TERM, Block, Cell, Code, Entry, Prose, Rows
from specmodel.dashboard.reference.links import to_entry, to_page
from specmodel.dashboard.reference.sources import cited_in, drafting_entry, links_to_sources, source_entry
from specmodel.dashboard.reference.terms import TERMS, Term
from specmodel.engine.setting import SETTINGS
from specmodel.measured.definitions import DEFINITIONS
from specmodel.methods import Method, methods

FILE = Path(__file__).parents[2] / "data" / "terms.csv"
Translate = Callable[[str], str]


NOTES: Mapping[str, str] = {
    "root": N_("{where} counts the root too: k + 1"),
    "formerly": N_("formerly {where}"),
    "log": N_("in the log"),
    "answers": N_("in its answers"),
    "statistics": N_("in its statistics line"),
    "stages": N_("in its stage times"),
    "debug": N_("in its debug log"),
    "metrics": N_("in its engine metrics"),
    "mark": N_("a mark on each token"),
    "unpooled": N_("a mean over requests: ratios are averaged"),
    "last": N_("the last of its values"),
    "adaptive": N_("where it adapts the draft length"),
    "seconds": N_("in seconds"),
    "per_token": N_("by token here, although called a gap"),
    "per_step": N_("one for each step: the time of a round"),
    "lossy": N_("below 1 the output changes"),
    "left_out": N_("does not count it"),
    "counted": N_("counts it"),
}
"""What data/terms.csv notes of a word: key -> text; {where} is the row's."""


@dataclass(frozen=True)
class Word:
    """What somebody else calls a term: who, whether that is an engine or a paper, the word, where, and a note."""

    who: str
    kind: str
    word: str
    where: str
    note: str


@cache
def words() -> Mapping[str, tuple[Word, ...]]:
    """The words of others by the key of the term.

    >>> [word.word for word in words()["num_speculative_tokens"] if word.who == "Chen et al. 2023"]
    ['K']
    """
    found: dict[str, list[Word]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["term"], []).append(
                Word(row["who"], row["kind"], row["word"], row["where"], row["note"])
            )
    return {key: tuple(each) for key, each in found.items()}


def term_entries(translate: Translate) -> Iterator[Entry]:
    """The entries of all words: ours, the definitions of rates, and the ways of drafting."""
    for term in TERMS:
        yield _entry(term, translate)
    for each in DEFINITIONS.values():
        used_by = () if each.key in words() else ((translate("Used by"), each.used_by),)
        term = Term(each.key, each.label, each.meaning, each.formula)
        yield _entry(term, translate, tuple(used_by))
    for method in methods():
        yield _drafting(method, translate)


def _entry(term: Term, translate: Translate, more: tuple[tuple[Cell, ...], ...] = ()) -> Entry:
    _ = translate
    body: list[Block] = [Prose(translate(term.meaning)), *([Code(term.formula)] if term.formula else [])]
    said = tuple((_who(word, _), f"`{word.word}`", _where(word, _)) for word in words().get(term.key, ()))
    if said:
        body.append(Rows(said, (_("who"), _("calls it"), _("where"))))
    labels = {number_entry(each): each.label for each in (declarations(kind)[name] for kind, name in term.numbers)}
    if labels:
        more = (*more, (_("Numbers"), tuple(to_entry(_(label), entry, _) for entry, label in labels.items())))
    return Entry(term_entry(term.key), TERM, _(term.label), (*body, *([Rows(more)] if more else [])))


def _who(word: Word, translate: Translate) -> Cell:
    """An engine by its name, a paper with the link to its entry."""
    found = cited_in(word.who) if word.kind == "paper" else ()
    return to_entry(word.who, source_entry(found[0]), translate) if found else word.who


def _where(word: Word, translate: Translate) -> str:
    """Where the word is used: a version, an equation, or what the note says."""
    note = translate(NOTES[word.note]).format(where=f"`{word.where}`") if word.note else ""
    return note if "{where}" in NOTES.get(word.note, "") else ", ".join(filter(None, (word.where, note)))


def _drafting(method: Method, translate: Translate) -> Entry:
    """A way of drafting: when it wins and loses, what it needs, who offers it, and where it was published."""
    _ = translate
    offered = tuple(
        (engine, f"`{option.name}`")
        for engine, setting in SETTINGS.items()
        for option in setting.methods
        if option.key == method.key
    )
    facts: list[tuple[Cell, ...]] = [
        (_("Wins"), _(method.wins)),
        (_("Loses"), _(method.loses)),
        (_("Needs"), _(method.needs)),
    ]
    if offered:
        facts.append((_("Called"), ", ".join(f"{engine}: {name}" for engine, name in offered)))
    facts.append((_("Compared on"), to_page("methods", translate)))
    cited = links_to_sources(method.citation, translate)
    if cited:
        facts.append((_("Sources"), cited))
    title = _("Way of drafting: {name}").format(name=_(method.label))
    return Entry(drafting_entry(method.key), TERM, title, (Rows(tuple(facts)),))
