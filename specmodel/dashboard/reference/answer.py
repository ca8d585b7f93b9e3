"""What the Reference page says: an entry that a link asks for, wrong numbers with the right ones, and all entries."""

from collections import Counter
from collections.abc import Callable, Sequence

from specmodel.dashboard.parts.answer import Answer, Column, Heading, Html, Note, Notice, Parts, Said, Table, table_of
from specmodel.dashboard.parts.entries import entry_link
from specmodel.dashboard.reference import html
from specmodel.dashboard.reference.entries import entries, nearest, resolved, search
from specmodel.dashboard.reference.entry import KINDS, Entry
from specmodel.dashboard.reference.wrong_entries import wrong_cards
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped

MOST = 120
"""The most entries that a search lists."""
LONGEST = 100
"""The most characters of a search; what is longer is cut off."""


def answer(chosen: Chosen, translate: Translator) -> Answer:
    """The parts of the page: a pure function of the entry, the words and the kind that the link asks for."""
    _, known = translate, entries(translate.language)
    asked, find, kind = (str(chosen.option(key)) for key in ("entry", "find", "entries"))
    wanted = resolved(asked)
    find = find[:LONGEST]
    found = [known[id] for id in search(find, kind)]
    return Answer(
        {
            "entry": Html(html.top(known[wanted], _)) if wanted else None,
            "unknown": _unknown(asked, _) if asked and not wanted else None,
            "verdict": _verdict(found, find, _),
            "nothing": _nothing(find, _) if not found else None,
            **(_listed(found, find, _) if find.strip() or kind else _kinds(found, _)),
            "more": _more(found, find, _),
            "wrong": Heading(_("Wrong numbers in the wild")),
            "numbers": lambda: wrong_cards(_),
            "wrong_note": Note(
                _(
                    "The right number of each example, computed by the model, and below it what the mistake makes of "
                    "it. Exact; the two about batches rest on a published fit of measured passes."
                )
            ),
            "table": lambda: _table(found, _),
        },
        leaves_out=(
            _("Engines change their words; those here are of the versions that are named, or were current in 2026."),
            _("A label that stands for several definitions has one entry, which lists all of them."),
        ),
        facts=((_("Entries"), f"{len(found):,}", "entries"), (_("Search"), find, "find")),
    )


def _verdict(found: Sequence[Entry], find: str, translate: Translator) -> Said:
    """How many entries there are, or were found, by kind."""
    _, counted = translate, Counter(entry.kind for entry in found)
    kinds = _.listed(
        _("{kind}: {count}").format(kind=_(name), count=counted[key]) for key, name in KINDS.items() if counted[key]
    )
    text = _("{count} entries.") if not find.strip() else _("{count} entries hold what you look for.")
    return Said("says", text.format(count=len(found)), kinds)


def _listed(found: Sequence[Entry], find: str, translate: Translator) -> Parts:
    """What a search finds, the best of it first, or all of a kind."""
    shown = found[:MOST] if find.strip() else found
    return {"list": Html(html.listed(shown, translate)) if shown else None}


def _kinds(found: Sequence[Entry], translate: Translator) -> Parts:
    """The entries of each kind as a part of its own, made when it is looked at."""

    def of(kind: str) -> Callable[[], Html]:
        return lambda: Html(html.listed([entry for entry in found if entry.kind == kind], translate))

    return {f"kind_{kind}": of(kind) for kind in KINDS}


def _more(found: Sequence[Entry], find: str, translate: Translator) -> Note | None:
    text = translate("The first {most} of {count} entries: more words find fewer.")
    return Note(text.format(most=MOST, count=len(found))) if find.strip() and len(found) > MOST else None


def _nothing(find: str, translate: Translator) -> Notice:
    text = translate("No entry has “{text}” in it, in any language; fewer or shorter words find more.")
    return Notice("warning", text.format(text=escaped(find)))


def _unknown(wanted: str, translate: Translator) -> Notice:
    """The entry of an old or mistyped link is not there: which one is meant."""
    _, near = translate, nearest(wanted)
    text = _("There is no entry “{id}”.").format(id=escaped(wanted[:LONGEST]))
    if not near:
        return Notice("warning", text)
    title = escaped(entries(translate.language)[near].title.replace("`", ""))
    meant = _("Did you mean {link}?").format(link=f"[{title}]({entry_link(near, _)})")
    return Notice("warning", _.sentences(text, meant))


def _table(found: Sequence[Entry], translate: Translator) -> Table:
    """All entries found, for a file."""
    _ = translate
    columns = [
        Column(_("kind"), "kind", [entry.kind for entry in found], [_(KINDS[entry.kind]) for entry in found]),
        Column(_("name"), "title", [entry.title.replace("`", "") for entry in found]),
        Column(_("what it says"), "text", [entry.text for entry in found]),
        Column("", "id", [entry.id for entry in found]),
    ]
    return table_of(_("Entries"), columns, "entries")
