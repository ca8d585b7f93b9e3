"""The run that the engine page shows, for the pages that play it: whatever its source, with what was typed beside it.

The engine page keeps the run that it has made. Where it was not opened in this session yet, the run is made of what
the link holds: an example, a typed rate, counters. Files, pasted text and a live server are read on that page only.
"""

from dataclasses import replace

import streamlit as st

from specmodel.dashboard.engine.linked import linked_run
from specmodel.dashboard.engine.live import live_available
from specmodel.dashboard.engine.typed import answer_on
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import options
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.run import EngineRun

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
        chosen = state.chosen()
        run = linked_run(replace(chosen, options={**chosen.options, "src": _source()}))
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
