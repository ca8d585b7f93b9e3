"""The run that a link holds: an example, a typed rate, or counters. No Streamlit.

Files, pasted text and a live server are not in a link: the engine page reads them.
"""

from collections.abc import Callable, Mapping, Sequence

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.numbers import shortened
from specmodel.dashboard.engine.examples import example_run
from specmodel.dashboard.engine.typed import answer_on, typed_k, typed_stats, typed_values
from specmodel.dashboard.engine.typed_speeds import SPEEDS, speeds_stats
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.pages import options
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.comparable import no_baseline
from specmodel.engine.run import EngineRun, assemble
from specmodel.measured.definitions import DEFINITIONS
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import unpack_stats

NOT_IN_A_LINK = N_("A link carries no files, no pasted text and no live server: only the engine page reads those.")
NO_NUMBER = N_("“{text}” is no number, and no numbers with commas between them.")
NO_LENGTH = N_("“{text}” is no draft length: k is a whole number from 1 to 64.")
NO_SPEEDS = N_("Two speeds are needed, each a number: tokens per second without speculation, and with it.")
LENGTH_MISSING = N_("A single number needs the draft tokens per round to become an acceptance: type k.")


def linked_run(chosen: Chosen) -> EngineRun | None:
    """The run of what the link holds; None where that is none, or cannot be used.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> linked_run(read_link({"src": "hand", "rate": "60 %", "drafted": "4"})[0]).stats.num_speculative_tokens
    4
    """
    return read_run(chosen)[0]


def linked_engine(chosen: Chosen) -> EngineAnswer | None:
    """The answer on the run of the link, with what was typed beside it; None where the link holds none."""
    run = linked_run(chosen)
    return answer_on(chosen, run) if run is not None else None


def read_run(chosen: Chosen) -> tuple[EngineRun | None, tuple[Message, ...]]:
    """The run of what the link holds, and what of it could not be used, or that it holds none.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> print(read_run(read_link({"src": "hand", "rate": "0.6"})[0])[1][0])
    A single number needs the draft tokens per round to become an acceptance: type k.
    """
    source = str(chosen.option("src"))
    if source == "link" and not chosen.option("counts"):
        source = str(options()["src"].default)
    if source == "example":
        return example_run(str(chosen.option("example"))), ()
    try:
        counters, wrong = _READ[source](chosen) if source in _READ else ((), (Message(NOT_IN_A_LINK),))
        return assemble(counters) if counters else None, tuple(wrong)
    except SpecmodelError as error:
        return None, (error.message,)


def linked_counters(chosen: Chosen) -> tuple[Sequence[SpecStats], Sequence[Message]]:
    """The counters of a link, of the run and of its baseline; and why some of them cannot be used."""
    counters, wrong = [], []
    for key in ("counts", "base"):
        try:
            found = unpack_stats(str(chosen.option(key))) if chosen.option(key) else None
        except SpecmodelError as error:
            wrong.append(error.message)
            continue
        why = no_baseline(found) if key == "base" and found is not None else None
        if why is not None:
            wrong.append(why)
        elif found is not None:
            counters.append(found)
    return counters, wrong


def _typed(chosen: Chosen) -> tuple[Sequence[SpecStats], Sequence[Message]]:
    """What a typed rate says, or what is missing or wrong of it."""
    rate, drafted, definition = (str(chosen.option(key)) for key in ("rate", "drafted", "reads"))
    if definition == SPEEDS:
        found = speeds_stats(str(chosen.option("without")), str(chosen.option("with")), typed_k(drafted))
        return (found,) if found else (), () if found else (Message(NO_SPEEDS),)
    try:
        values = typed_values(rate)
    except ValueError:
        return (), (Message(NO_NUMBER, {"text": shortened(rate, 60)}),)
    if typed_k(drafted) is None and not DEFINITIONS[definition].list_of_values:
        return (), (Message(NO_LENGTH, {"text": shortened(drafted, 40)}) if drafted else Message(LENGTH_MISSING),)
    stats = typed_stats(definition, values, typed_k(drafted))
    return (stats,) if stats else (), ()


_READ: Mapping[str, Callable[[Chosen], tuple[Sequence[SpecStats], Sequence[Message]]]] = {
    "hand": _typed,
    "link": linked_counters,
}
