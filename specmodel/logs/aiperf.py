"""aiperf: the acceptance of each request in its record export, and the histogram of its summary.

Formats read in aiperf 0.13. A record has the counters of one request, under `spec_decode_acceptance` in
profile_export.jsonl; its histogram is sparse, with text for keys, and counts rounds that accepted exactly j drafts.
A record whose session was there before, or of another engine or draft length, is of another run.
profile_export_aiperf.json has the histograms of all requests added up, and totals beside it.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import LONGEST, Tally, checked, count, number
from specmodel.logs._format import LogError, Objects
from specmodel.logs._lengths import reached
from specmodel.logs._positions import accepted_from_histogram
from specmodel.logs._printed import agree, draft_length, inner, known, settings, text
from specmodel.logs._repeats import Repeats, Run, labelled
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "aiperf"
_POOLED = "pooled_spec_decode_acceptance_histogram"


class _Records:
    """One request an object."""

    def __init__(self) -> None:
        self._runs: dict[Run, Tally] = {}
        self._repeats = Repeats()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        record = inner(found, "spec_decode_acceptance") or found
        if not isinstance(record.get("acceptance_histogram"), dict) or "num_spec_steps" not in record:
            return False
        stats = _record(record, line)
        run = self._repeats.of(_setting(record), _request(inner(found, "metadata")), line)
        self._runs.setdefault(run, Tally()).add(stats)
        return True

    def result(self) -> SpecStats | None:
        totals = {run: stats for run, tally in self._runs.items() if (stats := tally.total()) is not None}
        return settings(labelled(totals))


def _setting(record: Mapping[str, Any]) -> str:
    """The engine and its draft length, as far as a record names them."""
    k = record.get("num_spec_tokens")
    known = isinstance(k, int | float) and not isinstance(k, bool)
    return ", ".join(filter(None, [text(record, "engine"), f"k = {k:g}" if known else ""]))


def _request(metadata: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What names a request within a run: its session, and the turn and phase of it."""
    if not isinstance(metadata.get("session_num"), int):
        return None
    return tuple(str(metadata.get(name)) for name in ("session_num", "turn_index", "benchmark_phase"))


def _record(found: dict[str, Any], line: int) -> SpecStats:
    rounds = count(found["num_spec_steps"], line, "num_spec_steps")
    drafted = count(found.get("num_draft_tokens"), line, "num_draft_tokens")
    accepted = count(found.get("num_accepted_draft_tokens"), line, "num_accepted_draft_tokens")
    given = known(found, "num_spec_tokens", line)
    k = None if given is None else draft_length(given, line, "num_spec_tokens")
    histogram = _histogram(found["acceptance_histogram"], "acceptance_histogram", line)
    positions = accepted_from_histogram(histogram, rounds, line)
    if k is not None and (drafted > k * rounds or len(positions) > k):
        raise LogError(
            "line {line}: {drafted} draft tokens and {positions} positions do not fit {k} × {rounds} rounds",
            line=line, drafted=drafted, positions=len(positions), k=k, rounds=rounds,
        )  # fmt: skip
    positions += (0,) * ((k or 0) - len(positions))
    reached = _reached(found, rounds, drafted, line)
    stats = SpecStats(
        ENGINE,
        RECORDS.source,
        version=text(found, "engine") or None,
        speculation=drafted > 0,
        num_speculative_tokens=k or None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        drafted_per_position=reached if reached and len(set(reached)) > 1 else None,
        generated_tokens=known(found, "completion_tokens", line),
        num_requests=1,
        units=Units.of("requests", [(rounds, drafted, accepted, positions)]),
        printed=_printed(found, rounds, drafted, accepted, line),
    )
    return checked(stats, line)


def _printed(found: dict[str, Any], rounds: int, drafted: int, accepted: int, line: int) -> tuple[Printed, ...]:
    rate, length = known(found, "draft_acceptance_rate", line), known(found, "mean_acceptance_length", line)
    if rate is not None and drafted:
        agree(rate, accepted / drafted, 0.005, line, "draft_acceptance_rate")
    if length is not None and rounds:
        agree(length, 1 + accepted / rounds, 0.005, line, "mean_acceptance_length")
    printed = (
        ("draft_acceptance_rate", rate, "accepted_per_drafted"),
        ("mean_acceptance_length", length, "length_with_bonus"),
    )
    return tuple(Printed(name, value, definition) for name, value, definition in printed if value is not None)


def _reached(found: dict[str, Any], rounds: int, drafted: int, line: int) -> tuple[int, ...] | None:
    """Rounds that drafted at least 1, 2, … tokens, where the steps are listed."""
    listed = found.get("per_step_drafted")
    if not isinstance(listed, list):
        return None
    steps = [count(step, line, "per_step_drafted") for step in listed]
    if len(steps) != rounds or sum(steps) != drafted or max(steps, default=0) > LONGEST:
        raise LogError(
            "line {line}: per_step_drafted lists {steps:,} rounds and {sum:,} tokens, but there are {rounds:,} and "
            "{drafted:,}",
            line=line, steps=len(steps), sum=sum(steps), rounds=rounds, drafted=drafted,
        )  # fmt: skip
    return reached(Counter(steps))


def _histogram(found: dict[str, Any], name: str, line: int) -> tuple[int, ...]:
    """A sparse histogram, filled up with zeros."""
    keys = {key: count(key, line, name) for key in found}
    dense = [0] * (draft_length(max(keys.values(), default=0), line, name) + 1)
    for key, place in keys.items():
        dense[place] += count(found[key], line, name)
    return tuple(dense)


class _Summary:
    """One run an object; metrics are objects with an average and a unit."""

    def __init__(self) -> None:
        self._runs: list[SpecStats] = []

    def take(self, line: int, found: dict[str, Any]) -> bool:
        if not isinstance(found.get(_POOLED), dict):
            return False
        histogram = _histogram(found[_POOLED], _POOLED, line)
        rounds = sum(histogram)
        positions = accepted_from_histogram(histogram, _average(found, "total_spec_decode_steps", line), line)
        stats = SpecStats(
            ENGINE,
            SUMMARY.source,
            num_rounds=rounds,
            num_draft_tokens=_average(found, "total_draft_tokens", line),
            num_accepted_draft_tokens=sum(positions),
            accepted_per_position=positions,
            num_requests=_average(found, "request_count", line),
            tpot_ms=_average(found, "inter_token_latency", line, "ms"),
            ttft_ms=_average(found, "time_to_first_token", line, "ms"),
            request_ms=_average(found, "request_latency", line, "ms"),
            output_tokens_per_s=_average(found, "output_token_throughput", line, "tokens/sec"),
        )
        self._runs.append(checked(stats, line))
        return True

    def result(self) -> SpecStats | None:
        return settings(self._runs)


def _average(found: dict[str, Any], name: str, line: int, unit: str | None = None) -> float | None:
    metric = inner(found, name)
    if "avg" not in metric or (unit is not None and metric.get("unit") != unit):
        return None
    return number(metric["avg"], line, name)


RECORDS = Objects(ENGINE, N_("records of requests"), ("num_spec_steps",), _Records)
SUMMARY = Objects(ENGINE, N_("summary of a run"), (_POOLED,), _Summary)
FORMATS = (RECORDS, SUMMARY)
