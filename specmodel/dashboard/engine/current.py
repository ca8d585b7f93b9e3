"""The run that the engine page shows, for the pages that play it: whatever its source, with what was typed beside it.

The engine page keeps the run that it has made. Where it was not opened in this session yet, the run is made of what
the link holds: an example, a typed rate, counters. Files, pasted text and a live server are read on that page only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from specmodel.base.messages import Message, SpecmodelError
from specmodel.dashboard.engine.examples import example_run
from specmodel.dashboard.engine.live import live_available
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import options
from specmodel.engine.case import EngineCase
from specmodel.engine.run import EngineRun, assemble
from specmodel.measured.definitions import DEFINITIONS, translate_rate
from specmodel.measured.spec_stats import TYPED, Printed, SpecStats
from specmodel.measured.stats_link import unpack_stats

_KEPT = "engine_run"
_MADE_OF = {
    "example": ("example",),
    "files": (),
    "paste": ("pasted", "pasted_plain"),
    "hand": ("reads", "rate", "drafted"),
    "link": ("counts", "base"),
    "live": ("model", "window"),
}
"""Source -> what of the session its run is made of; files change on the engine page only."""


@dataclass(frozen=True)
class CurrentRun:
    """A run with the draft length (where it lacks one) and the times in ms that were typed beside it."""

    run: EngineRun
    k_typed: int | None = None
    plain_ms_typed: float | None = None
    round_ms_typed: float | None = None

    @property
    def case(self) -> EngineCase:
        """The run with what was typed."""
        return self.run.case(self.k_typed, self.plain_ms_typed, self.round_ms_typed)

    def group_cases(self) -> Sequence[EngineCase]:
        """Its groups; one that does not tell its draft length has that of the run."""
        return self.run.group_cases(self.case.num_speculative_tokens, self.plain_ms_typed)


def current_run() -> CurrentRun | None:
    """The run that the engine page shows for the session's source, example, typed rate or link; None where it has none.

    >>> from specmodel.dashboard.engine.examples import EXAMPLES
    >>> CurrentRun(example_run(EXAMPLES[0].key)).case.num_speculative_tokens
    4
    """
    made_of, run = st.session_state.get(_KEPT, ((), None))
    if made_of != _made_of():
        run = _made()
    if run is None:
        return None
    k = None if run.case().num_speculative_tokens else typed_k(str(state.option("drafted")))
    return CurrentRun(run, k, typed_ms(str(state.option("plain"))), typed_ms(str(state.option("took"))))


def keep_run(run: EngineRun | None) -> None:
    """Keep the run that the engine page has made of its source; None where it made none."""
    st.session_state[_KEPT] = (_made_of(), run)


def forget_run() -> None:
    """Forget the run while the engine page makes another: a run of the page that is broken off leaves none."""
    st.session_state.pop(_KEPT, None)


def offered_sources() -> list[str]:
    """The sources that there are now."""
    linked = ["link"] if state.option("counts") else []
    return ["example", "files", "paste", "hand", *linked, *(["live"] if live_available() else [])]


def _source() -> str:
    source = str(state.option("src"))
    return source if source in offered_sources() else str(options()["src"].default)


def _made_of() -> tuple[str, ...]:
    source = _source()
    return (source, *(str(st.session_state.get(key, "")) for key in _MADE_OF[source]))


def _made() -> EngineRun | None:
    """The run of what the link holds; None where that is none."""
    source = _source()
    if source == "example":
        return example_run(str(state.option("example")))
    try:
        counters = _READ[source]() if source in _READ else ()
        return assemble(counters) if counters else None
    except SpecmodelError:
        return None  # the engine page says why


def _typed() -> Sequence[SpecStats]:
    try:
        values = typed_values(str(state.option("rate")))
    except ValueError:
        return ()
    stats = typed_stats(str(state.option("reads")), values, typed_k(str(state.option("drafted"))))
    return (stats,) if stats else ()


_READ: dict[str, Callable[[], Sequence[SpecStats]]] = {
    "hand": _typed,
    "link": lambda: linked_counters()[0],
}


def linked_counters() -> tuple[Sequence[SpecStats], Sequence[Message]]:
    """The counters of a link, of the run and of its baseline; and why some of them cannot be used."""
    counters, wrong = [], []
    for key in ("counts", "base"):
        try:
            counters += [unpack_stats(str(state.option(key)))] if state.option(key) else []
        except SpecmodelError as error:
            wrong.append(error.message)
    return counters, wrong


def typed_stats(definition: str, values: Sequence[float], k: int | None) -> SpecStats | None:
    """What a typed rate says: one value, or one for each position, of a definition of `DEFINITIONS`.

    None where a number is missing: the value, or the draft length that a single value needs. `StatsError` for a value
    that the definition cannot have.

    >>> typed_stats("per_position", [0.8, 0.4], None).printed_length, typed_stats("accepted_per_drafted", [0.6], None)
    (2.2, None)
    """
    single = not DEFINITIONS[definition].list_of_values
    if not values or (single and k is None):
        return None
    rates = translate_rate(definition, values[0] if single else values, k)
    return SpecStats(
        "",
        TYPED,
        num_speculative_tokens=rates.num_speculative_tokens,
        printed_length=rates.acceptance.mean_acceptance_length,
        accepted_per_position=None if rates.by_position_assumed else rates.acceptance.per_position_acceptance,
        num_rounds=None if rates.by_position_assumed else 1,
        estimated=True,
        printed=(Printed("", values[0], definition),),
    )


def typed_values(text: str) -> list[float]:
    """Numbers with commas between them; per cent where they say so. `ValueError` for what is none.

    >>> typed_values("60 %; 0.4")
    [0.6, 0.4]
    """
    return [_fraction(part.strip()) for part in text.replace(";", ",").split(",") if part.strip()]


def _fraction(text: str) -> float:
    return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)


def typed_k(text: str) -> int | None:
    """A whole number from 1 to 64, else None.

    >>> typed_k("3"), typed_k("x"), typed_k("65")
    (3, None, None)
    """
    return int(text) if text.strip().isdigit() and 1 <= int(text) <= 64 else None


def typed_ms(text: str) -> float | None:
    """A time in ms above 0, else None.

    >>> typed_ms("12,5 ms"), typed_ms("0"), typed_ms("")
    (12.5, None, None)
    """
    number = text.strip().removesuffix("ms").strip()
    try:
        value = float(number.replace(",", ".", 1) if number.count(",") == 1 and "." not in number else number)
    except ValueError:
        return None
    return value if 0 < value < 1e7 else None
