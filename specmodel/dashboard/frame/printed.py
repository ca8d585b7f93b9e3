"""A page's answer as text for a terminal. No Streamlit."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from specmodel.base.messages import N_
from specmodel.dashboard.frame.answering import Answered
from specmodel.dashboard.parts.answer import Cards, Code, Heading, Note, Notice, Part, Said, Table, Text
from specmodel.dashboard.parts.known import Kind
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import Translator, plain

KINDS: dict[Kind, str] = {
    "exact": N_("exact"),
    "simulated": N_("simulated"),
    "measured": N_("measured"),
    "assumed": N_("assumed"),
    "extrapolated": N_("extrapolated"),
}
MOST_ROWS = 24
"""Rows of a table that are printed: all of it is in the JSON."""


def printed(found: Answered) -> str:
    """Question, verdict, numbers and all that the page says, in its order; then what the model leaves out.

    >>> from specmodel.dashboard.frame.answering import answered
    >>> print(printed(answered("speedup", "alpha=0.2")).splitlines()[2])
    No, it costs time: 1.35× as long. A round emits 1.25 tokens but costs 1.68 plain decoding steps.
    """
    _ = found.translate
    blocks = [_(pages()[found.key].question)]
    for part in found.answer.values():
        blocks += _block(part, _)
    limits = "\n".join(f"- {plain(limit)}" for limit in found.answer.leaves_out)
    return "\n\n".join([*blocks, f"{_('What the model leaves out')}\n{limits}"]) + "\n"


def _block(part: Part, translate: Translator) -> Iterator[str]:
    """A part as text; charts and what is made for a screen say nothing here."""
    if isinstance(part, Said):
        yield plain(translate.sentences(*filter(None, (part.headline, part.reason))))
    elif isinstance(part, Cards):
        yield aligned(_number_rows(part, translate))
    elif isinstance(part, Table):
        yield "\n".join(filter(None, (part.title, *_table_lines(part, translate))))
    elif isinstance(part, Note | Heading | Code):
        yield plain(part.text) if not isinstance(part, Code) else part.text
    elif isinstance(part, Text | Notice):
        yield plain(part.markdown)


def _number_rows(part: Cards, translate: Translator) -> Iterator[tuple[str, ...]]:
    for card in part.cards:
        kind = translate(KINDS[card.known.kind]) if card.known else ""
        yield card.label, card.value, kind, card.below


def _table_lines(table: Table, translate: Translator) -> Iterator[str]:
    columns = {header: [str(value) for value in values] for header, values in table.columns.items()}
    rows = list(zip(*columns.values(), strict=True))
    yield aligned([tuple(columns), *rows[:MOST_ROWS]])
    if len(rows) > MOST_ROWS:
        yield translate("… and {count} more rows: --json prints all.").format(count=len(rows) - MOST_ROWS)


def aligned(rows: Iterable[Sequence[str]]) -> str:
    """Rows as columns with two spaces between them; characters that are two wide count as two.

    >>> print(aligned([("k", "times"), ("10", "1.5×")]))
    k   times
    10  1.5×
    """
    lines = [tuple(cell.replace("\n", " ") for cell in row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


def _width(text: str) -> int:
    seen = [char for char in text if not unicodedata.combining(char)]
    return len(seen) + sum(unicodedata.east_asian_width(char) in "WF" for char in seen)
