"""The measured run that a link chooses for the Speedup page: a bundled one, and which of its rounds. No Streamlit."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from specmodel.base.messages import N_
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.speedup.measured import MeasuredRun
from specmodel.engine.measured_vs_predicted import Comparison, by_category
from specmodel.measured.bundled import bundled_run
from specmodel.measured.rounds import MeasuredRounds

FILTERS = {
    "category": ("text", N_("Kind of text")),
    "k": ("drafts", N_("Draft tokens")),
    "temperature": ("temp", N_("Temperature")),
}


def linked_measured(chosen: Chosen) -> MeasuredRun | None:
    """The bundled run that is chosen, and of it the rounds that are; None without one, and for a visitor's own file.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> linked_measured(read_link({})[0]) is None
    True
    """
    source = chosen.option("run")
    if source in ("none", "upload"):
        return None
    return _bundled(source, tuple(filters_of(bundled_run(source).load(), chosen).items()))


@lru_cache(maxsize=16)
def _bundled(key: str, filters: tuple[tuple[str, Any], ...]) -> MeasuredRun:
    return compared(bundled_run(key).load(), dict(filters), None)


def compared(rounds: MeasuredRounds, filters: Mapping[str, Any], baseline_ms: float | None) -> MeasuredRun:
    """The rounds that pass the filters beside what the model predicts of them, together and by kind of text."""
    chosen = rounds.select(**filters)
    return MeasuredRun(Comparison(chosen, baseline_ms), by_category(chosen, baseline_ms))


def filters_of(rounds: MeasuredRounds, chosen: Chosen) -> dict[str, Any]:
    """The chosen values of the grouping columns; one that the rounds do not have is passed over."""
    wanted = {column: str(chosen.option(FILTERS[column][0])) for column in rounds.options()}
    return {
        column: value
        for column, values in rounds.options().items()
        for value in values
        if filter_text(value) == wanted[column]
    }


def filter_text(value: Any) -> str:
    """A value of a grouping column as the link writes it.

    >>> filter_text(0.0), filter_text("code")
    ('0', 'code')
    """
    return f"{value:g}" if isinstance(value, float) else str(value)
