"""TensorRT-LLM's statistics of its iterations: one object each.

In an iteration the inner `iterLatencyMS` is the time of drafting alone, the outer one that of the
whole step; 0 stands where the drafter is not timed. Under attention DP each rank writes rows of its own: a row that
says the same of the same iteration, latencies included, is one that was written again and is left out; rows that differ
are of different requests and count. Iterations with prompts in them give counters but no times.
"""

from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import Tally, checked, count
from specmodel.logs._format import LogError, note
from specmodel.logs._printed import agree, draft_length, inner, known, settings
from specmodel.logs._repeats import Run, labelled
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

ENGINE = "TensorRT-LLM"
ITERATION_SOURCE = N_("iteration statistics")
_LATE = 8  # iterations by which the row of another rank may come late
_RANKS = 256  # rows in which a repeated one is looked for


class Iterations:
    """One iteration an object; where their number falls far back, the server was started again: another run.

    >>> iterations, flight = Iterations(), {"numGenRequests": 4}
    >>> iterations.take(1, {"iter": 7, "iterLatencyMS": 12.5, "inflightBatchingStats": flight})
    True
    >>> iterations.result().step_ms
    12.5
    """

    def __init__(self) -> None:
        self._runs: dict[Run, _Iterated] = {}
        self._last = 0.0

    def take(self, line: int, found: dict[str, Any]) -> bool:
        """One iteration; whether it was one."""
        number = known(found, "iter", line) if "iterLatencyMS" in found else None
        if number is None:
            return False
        if not self._runs or number < self._last - _LATE:
            again = _Iterated()
            used = again.take(line, found)
            if used:
                self._runs["", len(self._runs) + 1] = again
        else:
            used = self._runs["", len(self._runs)].take(line, found)
        self._last = number if used else self._last
        return used

    def result(self) -> SpecStats | None:
        """The run, or the first that speculates with all runs as its parts."""
        totals = {run: stats for run, each in self._runs.items() if (stats := each.result()) is not None}
        return settings(labelled(totals))


class _Iterated:
    """The iterations of one run."""

    def __init__(self) -> None:
        self._tally, self._timed, self._plain = Tally(), Tally(), Tally()
        self._recent: dict[tuple[Any, ...], None] = {}
        self._repeated = 0
        self._steps = 0.0

    def take(self, line: int, found: dict[str, Any]) -> bool:
        spec, flight = inner(found, "specDecodingStats"), inner(found, "inflightBatchingStats")
        if not (spec or flight):
            return False
        step_ms, requests = known(found, "iterLatencyMS", line), known(flight, "numGenRequests", line) or 0.0
        numbers = ("numDraftTokens", "numAcceptedTokens", "numRequestsWithDraftTokens", "iterLatencyMS")
        row = (known(found, "iter", line), step_ms, requests, *(known(spec, name, line) for name in numbers))
        if row in self._recent:
            self._repeated += 1
            return True
        self._recent[row] = None
        if len(self._recent) > _RANKS:
            del self._recent[next(iter(self._recent))]
        self._steps += requests
        decoding = not known(flight, "numContextRequests", line)
        if known(spec, "numDraftTokens", line):
            stats = _iteration(spec, line)
            self._tally.add(stats)
            if decoding and step_ms is not None:
                self._timed.add(_with_times(stats, spec, step_ms, requests, line))
        elif decoding and requests and step_ms is not None:
            self._plain.add(
                SpecStats(ENGINE, ITERATION_SOURCE, num_steps=requests, step_ms=step_ms, speculation=False,
                          batch_size=requests, num_rounds=1)
            )  # fmt: skip
        return True

    def result(self) -> SpecStats | None:
        stats, timed, plain = self._tally.total(), self._timed.total(), self._plain.total()
        if stats is None:
            return plain.replace(num_rounds=None, notes=self._notes()) if plain else None
        rounds, accepted = stats.num_rounds or 0, stats.num_accepted_draft_tokens or 0
        steps = self._steps if self._steps >= rounds else None
        return stats.replace(
            num_steps=steps,
            generated_tokens=None if steps is None else steps + accepted,
            **{name: getattr(timed, name, None) for name in ("step_ms", "draft_ms", "verify_ms", "batch_size")},
            notes=self._notes(),
        )

    def _notes(self) -> tuple[Message, ...]:
        if not self._repeated:
            return ()
        return (note("{count} rows say again what a row before them said (ranks); they were left out",
                     count=self._repeated),)  # fmt: skip


def _iteration(spec: dict[str, Any], line: int) -> SpecStats:
    drafted = count(spec.get("numDraftTokens"), line, "numDraftTokens")
    accepted = count(spec.get("numAcceptedTokens"), line, "numAcceptedTokens")
    rounds = count(spec.get("numRequestsWithDraftTokens"), line, "numRequestsWithDraftTokens")
    if not rounds:
        raise LogError("line {line}: {drafted} draft tokens of no request", line=line, drafted=drafted)
    length = known(spec, "acceptanceLength", line)
    if length is not None:
        agree(length, 1 + accepted / rounds, 0.005, line, "acceptanceLength")
    stats = SpecStats(
        ENGINE,
        ITERATION_SOURCE,
        num_speculative_tokens=None if drafted % rounds else draft_length(drafted // rounds, line, "numDraftTokens"),
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        units=Units.of("windows", [(rounds, drafted, accepted, None)]),
    )
    return checked(stats, line)


def _with_times(stats: SpecStats, spec: dict[str, Any], step_ms: float, requests: float, line: int) -> SpecStats:
    """The same with the times of a step without prompts; verification is the step less the drafting."""
    draft_ms = known(spec, "iterLatencyMS", line) or None
    verify_ms = step_ms - draft_ms if draft_ms is not None and draft_ms <= step_ms else None
    steps = max(requests, stats.num_rounds or 0)
    return stats.replace(
        num_steps=steps, step_ms=step_ms, draft_ms=draft_ms, verify_ms=verify_ms, batch_size=steps, units=None
    )
