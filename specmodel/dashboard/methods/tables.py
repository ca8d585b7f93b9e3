"""The table of the Methods page: every way of drafting that is listed, and its source in the CSV."""

from collections.abc import Callable
from typing import Any

from specmodel.base.messages import N_
from specmodel.dashboard.methods.compared import Rows
from specmodel.dashboard.parts.answer import Column, Table, table_of
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session.translation import Translator
from specmodel.methods import EVIDENCE, LOSSLESS_LABELS, MethodRow
from specmodel.serving.load import Drafter, Load

PASS_KINDS = {
    "operators": N_("measured operators"),
    "roofline": N_("computed"),
    "fit": N_("fitted"),
    "points": N_("measured"),
}


def method_table(listed: Rows, source: PassSource, load: Load, translate: Translator) -> Table:
    """One row a method: what it wins here and alone, what a round gives and costs, waste, memory, needs, sources."""
    _, rows = translate, [row for _place, row in listed]

    def column(header: str, name: str, value: Callable[[MethodRow], Any], text: Callable[[MethodRow], Any]) -> Column:
        return Column(header, name, [value(row) for row in rows], [text(row) for row in rows])

    def number(header: str, name: str, digits: int = 2) -> Column:
        values = [getattr(row, name) for row in rows]
        return Column(header, name, values, [round(value, digits) for value in values])

    def unseen(name: str, value: Callable[[MethodRow], Any]) -> Column:
        return Column("", name, [value(row) for row in rows])

    passes = [_("extrapolated") if row.extrapolated else _(PASS_KINDS[source.kind]) for row in rows]
    columns = [
        column(_("method"), "method", lambda row: row.method.key, lambda row: _(row.method.label) + _star(row)),
        *([Column(_("passes"), "", passes)] if any(row.extrapolated for row in rows) else []),
        number(_("speedup here"), "speedup"),
        number(_("one request"), "speedup_at_one"),
        column(
            _("the target's output"), "lossless", lambda row: row.lossless, lambda row: _(LOSSLESS_LABELS[row.lossless])
        ),
        Column(_("to train"), "", [_("yes") if row.method.trained else _("nothing") for row in rows]),
        number(_("tokens per round"), "tau"),
        number(_("cost of a round"), "rho"),
        number(_("tokens checked"), "verified_tokens", 1),
        number(_("wasted per token"), "wasted_per_token"),
        column(_("to host (B weights)"), "weights_billions", lambda row: row.weights_billions, _weights),
        Column(_("requests lost to it"), "", [_lost(row, source, load) for row in rows]),
        column(_("numbers"), "kind", lambda row: row.row.kind, lambda row: _(EVIDENCE[row.row.kind])),
        unseen("cache_bytes_per_token", lambda row: row.cache_bytes_per_token),
        unseen("prompt_kind", lambda row: row.row.prompt_kind),
        unseen("temperature", lambda row: row.row.temperature),
        unseen("setup", lambda row: row.row.setup),
        unseen("source", lambda row: row.row.source),
    ]
    return table_of(_("Side by side"), columns)


def _star(row: MethodRow) -> str:
    return "" if row.matches else " *"


def _weights(row: MethodRow) -> str:
    return "–" if row.weights_billions is None else f"{row.weights_billions:,.2f}"


def _lost(row: MethodRow, source: PassSource, load: Load) -> str:
    """Requests of this context that the drafter takes the room of; at least so many where its cache is not known."""
    if row.weights_billions is None:
        return "–"
    cache = round(row.cache_bytes_per_token or 0)
    drafter = Drafter(weights_billions=row.weights_billions, cache_bytes_per_token=cache)
    with_it, without = source.room(load, drafter), source.room(load, None)
    if with_it is None or without is None or with_it.sequences is None or without.sequences is None:
        return "–"
    lost = f"{without.sequences - with_it.sequences:,}"
    return f"≥ {lost}" if row.cache_bytes_per_token is None else lost
