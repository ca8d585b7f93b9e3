"""A page's answer as plain data for programs: the shape that the api and the command line give. No Streamlit.

`SHAPE` names the meaning of the keys. A key may be added under the same number; one that goes or changes its meaning
makes a new one. `frame.openapi` describes every key.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from specmodel.base.params import declarations
from specmodel.base.version import VERSION
from specmodel.dashboard.frame.answering import Answered
from specmodel.dashboard.parts.answer import (
    Card,
    Cards,
    Chart,
    Code,
    Folded,
    Note,
    Notice,
    Part,
    Said,
    Table,
    Text,
)
from specmodel.dashboard.session.chosen import write_link
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import plain

SHAPE = 1
CHARTS = "charts"
"""The key that asks for the charts too, as `charts=1`."""
Kind = TypeVar("Kind", bound=Part)


def shaped(found: Answered) -> dict[str, Any]:
    """The answer as data: verdict, numbers, tables, notes, limits, what it rests on, and charts where they are wanted.

    >>> from specmodel.dashboard.frame.answering import answered
    >>> answer = shaped(answered("speedup", "alpha=0.8"))
    >>> answer["verdict"]["kind"], answer["numbers"][0]["name"], round(answer["numbers"][0]["value"], 3)
    ('pays', 'speedup', 2.194)
    """
    parts, translate = dict(found.answer), found.translate
    said = [part for part in parts.values() if isinstance(part, Said)]
    data = {
        "shape": SHAPE,
        "version": VERSION,
        "page": found.key,
        "language": translate.language,
        "question": translate(pages()[found.key].question),
        "query": dict(write_link(found.chosen)),
        "complaints": [translate.message(each) for each in found.complaints],
        "verdict": _verdict(said[0]) if said else None,
        "numbers": [_number(name, card) for name, part in _of(parts, Cards) for card in part.cards],
        "tables": [_table(name, part) for name, part in _of(parts, Table)],
        "notes": [*_notes(parts, said[:1])],
        "code": [{"part": name, "language": part.language, "text": part.text} for name, part in _of(parts, Code)],
        "limits": [plain(limit) for limit in found.answer.leaves_out],
        "rests_on": _rests_on(found),
    }
    if found.beside.get(CHARTS) == "1":
        data["charts"] = [_chart(name, part) for name, part in _of(parts, Chart)]
    return data


def _of(parts: Mapping[str, Part], kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
    return ((name, part) for name, part in parts.items() if isinstance(part, kind))


def _verdict(said: Said) -> dict[str, str]:
    return {"kind": said.kind, "headline": plain(said.headline), "reason": plain(said.reason)}


def _number(part: str, card: Card) -> dict[str, Any]:
    """A card: its number as data, and as the page shows it."""
    number = card.known
    if number is None:
        raise TypeError(f"{part}: the card {card.label!r} has no number")
    interval = None if number.low is None else {"low": number.low, "high": number.high}
    return {
        "part": part,
        "name": card.name,
        "label": card.label,
        "value": number.value,
        "unit": card.unit,
        "kind": number.kind,
        "interval": interval,
        "ranges": number.ranges,
        "text": card.value,
        "below": card.below,
        "help": plain(card.help),
    }


def _table(part: str, table: Table) -> dict[str, Any]:
    """Columns of plain numbers where the table has them, else of what a visitor sees."""
    columns = table.columns if table.data is None else table.data
    return {"part": part, "name": table.name or part, "title": table.title, "columns": dict(columns)}


def _notes(parts: Mapping[str, Part], before: list[Said]) -> Iterator[dict[str, str]]:
    """All that a page says beside its verdict, as plain text: what kind of text it is, and the text."""
    for name, part in parts.items():
        if isinstance(part, Said) and part not in before:
            yield {"part": name, "kind": part.kind, "text": plain(" ".join(filter(None, (part.headline, part.reason))))}
        elif isinstance(part, Note):
            yield {"part": name, "kind": "note", "text": plain(part.text)}
        elif isinstance(part, Text):
            yield {"part": name, "kind": "text", "text": plain(part.markdown)}
        elif isinstance(part, Notice):
            yield {"part": name, "kind": part.kind, "text": plain(part.markdown)}
        elif isinstance(part, Folded):
            yield {"part": name, "kind": "text", "text": f"{plain(part.label)}\n\n{plain(part.markdown)}"}


def _rests_on(found: Answered) -> list[dict[str, Any]]:
    """What the answer rests on: the values of the scenario, which are assumed, or what the page names instead."""
    translate, scenario = found.translate, found.chosen.scenario
    if found.answer.facts is not None:
        return [{"name": name, "label": label, "text": text} for label, text, name in found.answer.facts]
    return [
        {
            "name": name,
            "label": translate(declared.label),
            "text": declared.show(getattr(scenario, name), translate),
            "value": getattr(scenario, name),
            "unit": declared.unit,
            "kind": "assumed",
        }
        for name, declared in declarations(type(scenario)).items()
    ]


def _chart(part: str, chart: Chart) -> dict[str, Any]:
    """A chart as Plotly's data and layout, with what it shows in words."""
    return {"part": part, "title": chart.title, "alt": chart.alt, "figure": chart.figure}
