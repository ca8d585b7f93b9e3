"""The entries of parameters and results, made of nothing but their declarations."""

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import get_args, get_type_hints

from specmodel.base.messages import N_
from specmodel.base.params import Factors, Param
from specmodel.dashboard.parts.entries import function_entry
from specmodel.dashboard.reference.entry import PARAMETER, RESULT, Block, Cell, Entry, Inline, Prose, Rows
from specmodel.dashboard.reference.links import to_entry, to_page
from specmodel.dashboard.reference.numbers import Use, by_entry, is_parameter, panels
from specmodel.dashboard.reference.sources import drafting_entry, explained
from specmodel.dashboard.session.pages import pages
from specmodel.drift.policies import policies
from specmodel.methods import methods

Translate = Callable[[str], str]
ROOM_PAGES = (
    ("specmodel.serving.", "serving"),
    ("specmodel.methods.", "methods"),
    ("specmodel.drift.", "drift"),
    ("specmodel.model.vocabulary", "vocabulary"),
    ("specmodel.model.draft_lengths", "draft_length"),
    ("specmodel.measured.rounds_file", "speedup"),
)
"""The page on which the numbers of a room stand that no page declares itself."""
COLUMN = N_("a column of a CSV of rounds")


def number_entries(translate: Translate) -> Iterator[Entry]:
    """One entry for each label under which numbers are declared."""
    for entry, found in by_entry().items():
        yield Entry(
            entry, PARAMETER if is_parameter(found) else RESULT, _title(found, translate), _body(found, translate)
        )


def _title(found: tuple[Use, ...], translate: Translate) -> str:
    symbol = next((use.declared.symbol for use in found if use.declared.symbol), "")
    return f"{translate(found[0].declared.label)} {symbol}".strip()


def _body(found: tuple[Use, ...], translate: Translate) -> tuple[Block, ...]:
    """Each definition with where it holds; what is declared alike stands together."""
    body: list[Block] = []
    for help in dict.fromkeys(use.declared.help for use in found):
        alike = [use for use in found if use.declared.help == help]
        body.append(Prose(translate(help)))
        inputs = [use for use in alike if isinstance(use.declared, Param)]
        results = [use for use in alike if not isinstance(use.declared, Param)]
        if inputs:
            body.append(_inputs(inputs, translate))
        if results:
            body.append(_results(results, translate))
    return tuple(body)


def _inputs(found: list[Use], translate: Translate) -> Rows:
    _ = translate
    rows = tuple(
        (
            places(use, _),
            _default(use, _),
            _allowed(use.declared, _),
            f"`{use.declared.key}`" if isinstance(use.declared, Param) and use.declared.key else "–",
            f"`{use.in_code}`",
        )
        for use in found
    )
    return Rows(rows, (_("where"), _("default"), _("allowed"), _("link key"), _("in code")))


def _results(found: list[Use], translate: Translate) -> Rows:
    _ = translate
    rows = tuple((places(use, _), _unit(use, _), _computed_by(use, _), f"`{use.in_code}`") for use in found)
    return Rows(rows, (_("where"), _("unit"), _("computed by"), _("in code")))


def _default(use: Use, translate: Translate) -> str:
    if use.owner is None:
        return "–"
    return use.declared.show(use.declared.default, translate)  # type: ignore[attr-defined]


def _allowed(declared: Param | object, translate: Translate) -> str:
    """The hard domain, with the unit."""
    assert isinstance(declared, Param)
    _ = translate
    low, high = f"{declared.low:,.10g}", f"{declared.high:,.10g}"
    unit = declared.unit_in(_)
    if isinstance(declared, Factors):
        text = _("factors from {low} to {high}")
    elif declared.integer:
        text = _("whole numbers from {low}") if math.isinf(declared.high) else _("whole numbers, {low} to {high}")
    else:
        text = _("from {low}") if math.isinf(declared.high) else _("{low} to {high}")
    return f"{text.format(low=low, high=high)} {unit}".strip()


def _unit(use: Use, translate: Translate) -> str:
    return use.declared.unit_in(translate) or "–"


@cache
def _makers() -> dict[type, Callable[..., object]]:
    """The results that a function gives whose docstring a page shows."""
    found: dict[type, Callable[..., object]] = {}
    for function in explained():
        if isinstance(function, type):
            continue
        hint = get_type_hints(function).get("return")
        for kind in (hint, *get_args(hint)):
            if isinstance(kind, type):
                found.setdefault(kind, function)
    return found


def _computed_by(use: Use, translate: Translate) -> Cell:
    maker = _makers().get(use.owner) if use.owner else None
    return to_entry(f"`{maker.__qualname__}`", function_entry(maker), translate) if maker else "–"


def places(use: Use, translate: Translate) -> tuple[Inline, ...]:
    """Where a number stands: pages with a slider for it, the page or way of drafting that declares it.

    >>> from specmodel.dashboard.reference.numbers import by_entry
    >>> [link.text for link in places(by_entry()["vocabulary-overlap"][0], str)][:2]
    ['Speedup', 'Draft length']
    """
    keys = list(panels().get((use.owner, use.declared.name), ())) if use.owner else []
    keys = keys or [key for key in pages() if use.module.startswith(f"specmodel.dashboard.{key}.")]
    keys = keys or [key for room, key in ROOM_PAGES if use.module.startswith(room)][:1]
    found: list[Inline] = [to_page(key, translate) for key in keys if key in pages()]
    found += [
        to_entry(translate(each.label), drafting_entry(each.key), translate)
        for each in methods()
        if each.params is use.owner
    ]
    found += [translate(each.label) for each in policies() if each.params is use.owner]
    if use.owner is None and isinstance(use.declared, Param):
        found.append(translate(COLUMN))
    return tuple(found) or ("–",)
