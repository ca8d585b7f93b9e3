"""What a measured run tells of costs: a plain step and a round, each at its batch and context. No Streamlit."""

from dataclasses import dataclass

from specmodel.base.messages import Message
from specmodel.engine.answer import EngineAnswer
from specmodel.measured.spec_stats import SpecStats
from specmodel.serving.calibrate import Measured
from specmodel.serving.load import MAX_BATCH

LONGEST_MS = 1e6


@dataclass(frozen=True)
class TakenOver:
    """What was taken, and what was not or had to be assumed, in sentences."""

    measured: Measured
    said: tuple[Message, ...]


def measured_of(run: EngineAnswer | None, before: Measured) -> TakenOver:
    """The plain step and the round of a run, in place of `before`; a batch or context that it does not tell stays.

    >>> print(*measured_of(None, Measured()).said)
    Your engine has no run yet: open one on that page first.
    """
    if run is None:
        return TakenOver(before, (Message("Your engine has no run yet: open one on that page first."),))
    case, said = run.case, []
    values: dict[str, float] = {}
    plain, round_ms, k = case.plain_ms, case.round_ms, case.num_speculative_tokens
    if plain and plain <= LONGEST_MS:
        values |= {"plain_ms": plain} | _where("plain", case.baseline or case.stats)
    else:
        said.append(Message("That run tells no time of a plain step: give it a baseline there, or type it here."))
    if round_ms and round_ms <= LONGEST_MS and k:
        values |= {"round_ms": round_ms, "round_k": min(k, 64)} | _where("round", case.stats)
    else:
        said.append(Message("That run tells no time of a round."))
    if case.stats.batch_size is None or case.stats.context_tokens is None:
        said.append(Message("Batch or context of that run is not known: check the numbers above."))
    return TakenOver(before.replace(**values), tuple(said))


def _where(name: str, stats: SpecStats) -> dict[str, float]:
    """Batch and context of a measurement, as far as it tells them."""
    found: dict[str, float] = {}
    if stats.batch_size:
        found[f"{name}_batch"] = min(max(round(stats.batch_size), 1), MAX_BATCH)
    if stats.context_tokens is not None:
        found[f"{name}_context"] = round(stats.context_tokens)
    return found
