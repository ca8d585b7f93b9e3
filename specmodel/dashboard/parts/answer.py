"""What a page has to say, as named parts: a pure function makes it, and the page, the report and tests take it.

No Streamlit here, nor in any `answer.py` of a page. A part is text, numbers or a figure, in the visitor's language.
Where it stands on the screen, and which controls stand beside it, is decided by the page's script.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.parts.entries import number_entry
from specmodel.dashboard.parts.known import Kind, Known, known
from specmodel.figures.style import Figure
from specmodel.model.outcome import Outcome, Verdict

Translate = Callable[[str], str]
Fact = tuple[str, str, str]
"""What a page rests on: label, value as text, name."""


@dataclass(frozen=True)
class Said:
    """The answer in one sentence: a headline and its reason. `kind` is a verdict's, or "says" where it is none."""

    kind: str
    headline: str
    reason: str = ""


@dataclass(frozen=True)
class Card:
    """One number as text: label, value, definition, and a line below it (the pinned value, an interval).

    `entry` is that of the Reference page which tells more of it; `name`, `unit` and `known` are the number as data.
    """

    label: str
    value: str
    help: str
    below: str = ""
    entry: str = ""
    name: str = ""
    unit: str = ""
    known: Known | None = None


@dataclass(frozen=True)
class Cards:
    """Numbers that stand in one row."""

    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Chart:
    """A figure with its title, what it shows in words, and its height in pixels."""

    figure: Figure
    title: str
    alt: str
    height: int = 380


@dataclass(frozen=True)
class Table:
    """A table as a visitor sees it; `data` are the plain numbers for its CSV, whose file `name` names."""

    title: str
    columns: Mapping[str, Sequence[Any] | NDArray[Any]]
    data: Mapping[str, Sequence[Any] | NDArray[Any]] | None = None
    name: str = ""


@dataclass(frozen=True)
class Column:
    """One column of a table, said once for the screen and for its CSV.

    `header` and `texts` are what a visitor sees, `name` and `values` what the CSV holds; a column without a header
    stands in the CSV only, one without a name on the screen only. Without texts the values themselves are shown.
    """

    header: str
    name: str
    values: Sequence[Any] | NDArray[Any]
    texts: Sequence[Any] | None = None


def table_of(title: str, columns: Sequence[Column], name: str = "") -> Table:
    """A table from its columns.

    >>> table_of("By k", [Column("k", "k", [1, 2]), Column("time", "ms", [1.5, 2.5], ["1.5 ms", "2.5 ms"])]).data
    {'k': [1, 2], 'ms': [1.5, 2.5]}
    """
    seen = {each.header: each.values if each.texts is None else each.texts for each in columns if each.header}
    return Table(title, seen, {each.name: each.values for each in columns if each.name}, name)


@dataclass(frozen=True)
class Note:
    """A line of small print: what kind of numbers stand beside it."""

    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph of Markdown."""

    markdown: str


@dataclass(frozen=True)
class Notice:
    """Something in a coloured box that is not the page's answer: `kind` is info, warning, error or success."""

    kind: str
    markdown: str


@dataclass(frozen=True)
class Heading:
    """The title of the parts that follow."""

    text: str


@dataclass(frozen=True)
class Folded:
    """Markdown that is folded away behind its label."""

    label: str
    markdown: str


@dataclass(frozen=True)
class Code:
    """Text to copy, in a language whose syntax is coloured."""

    text: str
    language: str = "text"


@dataclass(frozen=True)
class Html:
    """Markup of our own for what Markdown cannot say, with a title; text that stands in it is escaped already.

    Reports and other files leave it out: it is made for the screen, as notices are.
    """

    markup: str
    title: str = ""


Part = Said | Cards | Chart | Table | Note | Text | Notice | Heading | Folded | Code | Html
Parts = Mapping[str, Part | Callable[[], Part | None] | None]


@dataclass(frozen=True)
class Answer(Mapping[str, Part]):
    """Named parts in the order in which they stand; a part that is None, or turns out so, is not there.

    A part may be given as a function: it is made when it is asked for, once. `leaves_out` are the limits of the model
    in sentences, `facts` what the answer rests on where that is not the scenario; `asked` says in a few lines what was
    asked, by name, where the sliders beside the page do not; `main` names the figure that says most, if not the first.

    >>> answer = Answer({"said": Said("says", "Yes."), "note": lambda: Note("Exact."), "more": None})
    >>> list(answer), answer["note"].text, "more" in answer
    (['said', 'note'], 'Exact.', False)
    """

    parts: Parts
    leaves_out: tuple[str, ...] = ()
    facts: tuple[Fact, ...] | None = None
    asked: tuple[Fact, ...] = ()
    main: str = ""
    _made: dict[str, Part | None] = field(default_factory=dict, init=False, compare=False, repr=False)

    def get_part(self, name: str) -> Part | None:
        """The part of this name, made now if it was not; None where there is none."""
        if name not in self._made:
            part = self.parts.get(name)
            self._made[name] = part() if callable(part) else part
        return self._made[name]

    def __getitem__(self, name: str) -> Part:
        part = self.get_part(name)
        if part is None:
            raise KeyError(name)
        return part

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get_part(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.parts if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def card(quantity: Quantity, value: Any, translate: Translate, before: Any = None, *, kind: Kind) -> Card:
    """A card of a declared quantity; `before` is the value of the pinned scenario, None where nothing is pinned.

    >>> card(declarations(Outcome)["speedup"], 1.5, str, 1.25, kind="exact").below
    'pinned 1.25×'
    """
    pinned = "" if before is None else translate("pinned {value}").format(value=quantity.show(before, translate))
    return text_card(quantity, quantity.show(value, translate), translate, pinned, known=known(kind, value))


def text_card(quantity: Quantity, value: str, translate: Translate, below: str = "", *, known: Known) -> Card:
    """A card of a declared quantity whose value is text already; `known` is the same as a number.

    >>> text_card(declarations(Outcome)["speedup"], "1.5× (1.4–1.6)", str, known=known("measured", 1.5, 1.4, 1.6)).unit
    '×'
    """
    label = " ".join(filter(None, (translate(quantity.label), quantity.letter)))
    entry, named = number_entry(quantity), {"name": quantity.name, "unit": quantity.unit}
    return Card(label, value, translate(quantity.help), below, entry, known=known, **named)


def outcome_cards(outcome: Outcome, pinned: Outcome | None, translate: Translate, *names: str) -> list[Card]:
    """Cards of the named results of an outcome, which are exact, with those of the pinned scenario below them."""
    declared, pins = declarations(Outcome), {name: getattr(pinned, name, None) for name in names}
    return [card(declared[name], getattr(outcome, name), translate, pins[name], kind="exact") for name in names]


def said(verdict: Verdict, headline: str, translate: Any) -> Said:
    """A verdict with its headline, its reason in the visitor's language."""
    return Said(verdict.kind, headline, translate.message(verdict.reason))


def headline(outcome: Outcome, translate: Translate) -> str:
    """Yes or no in a few words, with the factor."""
    kind, factor = outcome.verdict.kind, outcome.speedup
    if kind == "off":
        return translate("Speculation is off.")
    if kind == "too_close":
        return translate("Too close to call: {speedup:.2f}× in the long run.").format(speedup=factor)
    if kind == "pays":
        return translate("Yes, it pays: {speedup:.2f}× as fast.").format(speedup=factor)
    if factor >= 1:
        return translate("No, not for answers this short.")
    return translate("No, it costs time: {ratio:.2f}× as long.").format(ratio=outcome.time_ratio)
