"""The run that the engine page shows, for the pages that play it: whatever its source, with what was typed beside it.

The engine page keeps the run that it has made. Where it was not opened in this session yet, the run is made of what
the link holds: an example, a typed rate, counters. Files, pasted text and a live server are read on that page only.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from specmodel.base.messages import Message, SpecmodelError
from specmodel.dashboard.engine.examples import example_run
from specmodel.dashboard.engine.live import live_available
from specmodel.dashboard.engine.typed import answer_on, typed_k, typed_stats, typed_values
from specmodel.dashboard.engine.typed_speeds import SPEEDS, speeds_stats
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import options
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.comparable import no_baseline
from specmodel.engine.run import EngineRun, assemble
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import unpack_stats

_KEPT = "engine_run"
_MADE_OF = {
    "example": ("example",),
    "files": (),
    "paste": ("pasted", "pasted_plain"),
    "hand": ("reads", "rate", "drafted", "without", "with"),
    "link": ("counts", "base"),
    "live": ("model", "window"),
}
"""Source -> what of the session its run is made of; files change on the engine page only."""


def current_run() -> EngineAnswer | None:
    """The answer on the run that the engine page shows, with what was typed beside it; None where it has none."""
    made_of, run = st.session_state.get(_KEPT, ((), None))
    if made_of != _made_of():
        run = _made()
    return answer_on(state.chosen(), run) if run is not None else None


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
    if state.option("reads") == SPEEDS:
        without, fast = (str(state.option(key)) for key in ("without", "with"))
        found = speeds_stats(without, fast, typed_k(str(state.option("drafted"))))
        return (found,) if found else ()
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
            found = unpack_stats(str(state.option(key))) if state.option(key) else None
        except SpecmodelError as error:
            wrong.append(error.message)
            continue
        why = no_baseline(found) if key == "base" and found is not None else None
        if why is not None:
            wrong.append(why)
        elif found is not None:
            counters.append(found)
    return counters, wrong
