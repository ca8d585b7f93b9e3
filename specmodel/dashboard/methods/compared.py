"""The ways of drafting beside each other, as they were chosen: workload, values, filters and order. No Streamlit."""

from collections.abc import Sequence

from specmodel.base.messages import N_
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.way import MEASURED, choice_of, measured_scenario
from specmodel.methods import MethodRow, compare, methods
from specmodel.serving.load import Load

SORTS = {
    "load": N_("Speedup at this batch"),
    "one": N_("Speedup of one request"),
    "tau": N_("Tokens per round"),
    "waste": N_("Least waste"),
    "order": N_("Kind of drafter"),
}
FILTERS = {
    "lossless": N_("Output certainly the target's"),
    "untrained": N_("Nothing to train"),
    "matching": N_("Published for this work"),
}
BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
Rows = Sequence[tuple[int, MethodRow]]
"""Rows of the comparison, each with its place in the list of all: its colour does not change with the filters."""


def shown_methods(chosen: Chosen) -> tuple[str, ...]:
    """The ways of drafting beside each other, by key: the measured one where there is one, or where a link looks at it.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> [len(shown_methods(read_link(query)[0])) for query in ({}, {"mine": "alpha:0.8"}, {"look": "measured"})]
    [12, 13, 13]
    """
    asked = chosen.option("look") == MEASURED or measured_scenario(chosen) is not None
    return tuple(each.key for each in methods() if asked or each.key != MEASURED)


def compared(chosen: Chosen, source: PassSource) -> tuple[MethodRow, ...]:
    """Every way of drafting on the chosen load."""
    load, serving = chosen.group(Load), source.serving(chosen, chosen.scenario)
    return compare(
        [choice_of(key, chosen) for key in shown_methods(chosen)],
        serving.pass_ms,
        batch_size=load.batch_size,
        context_tokens=load.context_tokens,
        overhead_ms=serving.overhead_ms,
        fixed=serving.fixed,
        batch_sizes=BATCHES,
    )


def listed_rows(chosen: Chosen, rows: Sequence[MethodRow]) -> Rows:
    """The rows that pass the chosen filters, in the chosen order."""
    filters = chosen.option("only").split("_")
    kept = [(place, row) for place, row in enumerate(rows) if all(_passes(row, key) for key in filters)]
    keys = {
        "load": lambda row: -row.speedup,
        "one": lambda row: -row.speedup_at_one,
        "tau": lambda row: -row.tau,
        "waste": lambda row: row.wasted_per_token,
        "order": lambda row: row.method.order,
    }
    return sorted(kept, key=lambda placed: keys[chosen.option("sort")](placed[1]))


def _passes(row: MethodRow, key: str) -> bool:
    if key == "lossless":
        return row.lossless == "yes"
    if key == "untrained":
        return not row.method.trained
    return row.matches if key == "matching" else True
