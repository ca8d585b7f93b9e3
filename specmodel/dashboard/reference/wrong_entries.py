"""The entries of wrong numbers: the mistake, both numbers of its example, why it is wrong, and where to try it."""

from collections.abc import Callable, Iterator

from specmodel.dashboard.parts.answer import Card, Cards
from specmodel.dashboard.parts.entries import number_entry, slug
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.reference.entry import WRONG, Entry, Prose, Rows
from specmodel.dashboard.reference.links import to_entry, to_page
from specmodel.dashboard.reference.mistakes import Mistake, mistakes

Translate = Callable[[str], str]


def wrong_entry(key: str) -> str:
    """The entry of a mistake.

    >>> wrong_entry("bonus_token")
    'wrong-bonus-token'
    """
    return f"wrong-{slug(key)}"


def wrong_entries(translate: Translate) -> Iterator[Entry]:
    """One entry for each mistake."""
    for mistake in mistakes().values():
        yield Entry(wrong_entry(mistake.key), WRONG, translate(mistake.title), _body(mistake, translate))


def example(mistake: Mistake, translate: Translate) -> str:
    """The example of a mistake in a sentence.

    >>> example(mistakes()["capped"], str)
    'α = 0.9, k = 2'
    """
    return translate(mistake.example).format(**mistake.values)


def _body(mistake: Mistake, translate: Translate) -> tuple[Prose | Rows, ...]:
    _, pair, values = translate, mistake.pair, mistake.values
    numbers = Rows(
        (
            (_("wrong number"), mistake.show(pair.wrong), f"`{mistake.wrong_formula.format(**values)}`"),
            (_("right number"), mistake.show(pair.right), f"`{mistake.right_formula.format(**values)}`"),
        ),
        ("", to_entry(_(mistake.number.label), number_entry(mistake.number), _), _("formula")),
    )
    facts = Rows(
        (
            (_("Example"), example(mistake, _)),
            (_("Try it"), to_page(mistake.page, _, mistake.query)),
        )
    )
    return Prose(_(mistake.done)), Prose(_(mistake.why)), numbers, facts


def wrong_cards(translate: Translate) -> Cards:
    """The right number of each mistake, with the wrong one below it."""
    _ = translate
    text = _("not {wrong}: {number}")
    return Cards(
        tuple(
            Card(
                _(mistake.title),
                mistake.show(mistake.pair.right),
                f"{_(mistake.done)}\n\n{_(mistake.why)}",
                text.format(wrong=mistake.show(mistake.pair.wrong), number=_(mistake.number.label)),
                wrong_entry(mistake.key),
                name=mistake.key,
                unit=mistake.number.unit,
                known=known("exact", mistake.pair.right),
            )
            for mistake in mistakes().values()
        )
    )
