"""vLLM: the counters of single requests in its answers, the print of its offline example.

Formats read in vllm/v1/spec_decode/metrics.py and vllm/entrypoints (wheel 0.33.0 of 2026-11-01; the counters of a
request come with --per-request-spec-decode-metrics since 0.32), examples/features/speculative_decoding/
spec_decode_offline.py.
"""

import re
from collections import Counter
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, counts, number, share
from specmodel.logs._format import Lines, LogError, Objects, note
from specmodel.logs._lengths import reached, units_of_rounds
from specmodel.logs._positions import accepted_from_histogram, counts_from_rates
from specmodel.logs._printed import agree, draft_length, inner
from specmodel.logs._tallies import Tallies
from specmodel.logs._vllm import ENGINE, consistent, tokens
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

_BLOCK = "speculative_decoding"
_NEEDED = {"num_spec_steps", "num_draft_tokens", "num_accepted_draft_tokens", "mean_acceptance_length"}
_ROW = re.compile(
    r"^\s*(?:(?P<name>total_num_output_tokens|num_drafts|num_draft_tokens|num_accepted_tokens|mean acceptance length)"
    r"|acceptance at token (?P<position>\d+)):\s*(?P<value>\d+(?:\.\d+)?)\s*$"
)


class _Answers:
    """One answer a request. The rounds of a single detailed answer are sampling units, else the requests are."""

    def __init__(self) -> None:
        self._speculating, self._plain = Tally(), Tally()
        self._answers = self._plain_answers = 0
        self._rounds: Units | None = None

    def take(self, line: int, found: dict[str, Any]) -> bool:
        metrics = inner(found, "metrics")
        block = metrics.get(_BLOCK) or found.get(_BLOCK)
        if isinstance(block, dict) and block.keys() >= _NEEDED:
            stats = _request(line, block)
            stats = stats.replace(**_times(line, metrics, found.get("usage")))
            self._rounds = _by_round(line, block, stats)
            drafted = reached(Counter(block["per_step_drafted"])) if self._rounds is not None else ()
            self._speculating.add(stats.replace(drafted_per_position=tuple(map(float, drafted)) or None))
            self._answers += 1
            return True
        if block or not {"generation_time_ms", "time_to_first_token_ms"} <= metrics.keys():
            return False
        times = _times(line, metrics, found.get("usage"))
        self._plain.add(SpecStats(ENGINE, ANSWERS.source, speculation=False, num_requests=1, **times))
        self._plain_answers += 1
        return True

    def result(self) -> SpecStats | None:
        stats = self._speculating.total()
        if stats is None:
            return self._plain.total()
        if self._answers == 1 and self._rounds is not None:
            stats = stats.replace(units=self._rounds)
        if self._plain_answers:
            left = note("{count:,} answers without counters of speculation were left out", count=self._plain_answers)
            stats = stats.replace(notes=(*stats.notes, left))
        return stats


def _request(line: int, block: dict[str, Any]) -> SpecStats:
    rounds, drafted, accepted = (
        tokens(block[name], line, name) for name in ("num_spec_steps", "num_draft_tokens", "num_accepted_draft_tokens")
    )
    histogram, positions = block.get("acceptance_histogram"), None
    if histogram is not None:
        positions = accepted_from_histogram(counts(histogram, line, "acceptance_histogram"), rounds, line)
    named = block.get("num_spec_tokens")
    k = draft_length(named, line, "num_spec_tokens") if named is not None else len(positions or ())
    length = number(block["mean_acceptance_length"] or 0, line, "mean_acceptance_length")
    rate = number(block.get("draft_acceptance_rate") or 0, line, "draft_acceptance_rate")
    printed = (
        Printed("mean_acceptance_length", length, "length_with_bonus"),
        Printed("draft_acceptance_rate", rate, "accepted_per_drafted"),
    )
    stats = SpecStats(
        ENGINE,
        ANSWERS.source,
        num_speculative_tokens=k or None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        num_requests=1,
        units=Units.of("requests", [(rounds, drafted, accepted, positions)]),
        printed=printed if "draft_acceptance_rate" in block else printed[:1],
    )
    told = rate if drafted and block.get("draft_acceptance_rate") is not None else None
    return consistent(stats, line, length=length if rounds else None, rate=told, half_rate=0.0005)


def _times(line: int, metrics: dict[str, Any], usage: Any) -> dict[str, Any]:
    """The mean gap is that between steps; tokens after the first one took the generation time."""
    found = {
        name: number(metrics[name], line, name)
        for name in ("time_to_first_token_ms", "generation_time_ms", "mean_itl_ms")
        if metrics.get(name) is not None
    }
    told = usage.get("completion_tokens") if isinstance(usage, dict) else None
    generated = tokens(told, line, "completion_tokens") if told is not None else None
    took = found.get("generation_time_ms")
    timed = took if generated and generated > 1 else None
    return {
        "generated_tokens": generated,
        "ttft_ms": found.get("time_to_first_token_ms"),
        "itl_ms": found.get("mean_itl_ms"),
        "step_ms": found.get("mean_itl_ms"),
        "tpot_ms": timed / (generated - 1) if timed and generated else None,
        "pace": Units.of("requests", [(generated - 1, timed, 0, None)]) if timed and generated else None,
    }


def _by_round(line: int, block: dict[str, Any], stats: SpecStats) -> Units | None:
    """The rounds of a detailed answer; they must add up to its counters."""
    if block.get("per_step_accepted") is None or block.get("per_step_drafted") is None:
        return None
    accepted, drafted = (_steps(block[name], line, name) for name in ("per_step_accepted", "per_step_drafted"))
    own = (len(accepted), len(drafted), sum(drafted), sum(accepted))
    rounds = stats.num_rounds
    short = any(a > d for a, d in zip(accepted, drafted, strict=False))
    if short or own != (rounds, rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens):
        raise LogError(
            "line {line}: the steps of the answer ({steps:,}: {accepted:,} of {drafted:,} accepted) are not those of "
            "its counters ({rounds:,}: {all:,} of {of:,})",
            line=line, steps=len(accepted), accepted=sum(accepted), drafted=sum(drafted),
            rounds=rounds, all=stats.num_accepted_draft_tokens, of=stats.num_draft_tokens,
        )  # fmt: skip
    return units_of_rounds(accepted, drafted, stats.num_speculative_tokens or max(drafted, default=0))


def _steps(values: Any, line: int, name: str) -> list[int]:
    if not isinstance(values, list):
        raise LogError("line {line}: {name} is no list of counts", line=line, name=name)
    return [draft_length(value, line, name) for value in values]


class _Offline:
    """The lines that the offline example prints at its end; a name that was there before begins the next print."""

    def __init__(self) -> None:
        self._prints = Tallies()
        self._rows: dict[str, float] = {}
        self._rates: list[float] = []
        self._first = 0

    def take(self, line: int, found: str) -> bool:
        match = _ROW.match(found)
        if not match:
            return False
        if match["position"] is not None:
            if len(self._rates) < 1024:
                self._rates.append(share(match["value"], line, "acceptance at token"))
            return True
        if match["name"] in self._rows or self._rates:
            self._end()
        self._first = self._first or line
        self._rows[match["name"]] = number(match["value"], line, match["name"])
        return True

    def _end(self) -> None:
        rows, rates, line = self._rows, self._rates, self._first
        self._rows, self._rates, self._first = {}, [], 0
        if "mean acceptance length" in rows:
            self._prints.add(_offline(rows, rates, line))

    def result(self) -> SpecStats | None:
        self._end()
        return self._prints.result()


def _offline(rows: dict[str, float], rates: list[float], line: int) -> SpecStats:
    """With counters since 0.9; the example of 0.8 prints ratios only, and token 0 is the one that is always kept."""
    length = rows["mean acceptance length"]
    printed = (Printed("mean acceptance length", length, "length_with_bonus"),)
    stats = SpecStats(ENGINE, OFFLINE.source, generated_tokens=rows.get("total_num_output_tokens"), printed=printed)
    if not {"num_drafts", "num_draft_tokens", "num_accepted_tokens"} <= rows.keys():
        certain = bool(rates) and rates[0] == 1 and abs(sum(rates) - length) < abs(1 + sum(rates) - length)
        k = len(rates) - certain
        if rates:
            agree(length, 1 + sum(rates) - certain, 0.005 * (1 + len(rates)), line, "mean acceptance length")
        return stats.replace(printed_length=length, num_speculative_tokens=k or None, estimated=True)
    names = ("num_drafts", "num_draft_tokens", "num_accepted_tokens")
    rounds, drafted, accepted = (tokens(rows[name], line, name) for name in names)
    positions = counts_from_rates(rates, rounds, accepted, line, half_step=0.00501) if rates else None
    stats = stats.replace(
        num_speculative_tokens=len(rates) or None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
    )
    return consistent(_with_steps(stats, rounds, accepted), line, length=length if rounds else None)


def _with_steps(stats: SpecStats, rounds: int, accepted: int) -> SpecStats:
    """All decoding steps: what the output holds beyond the tokens of rounds came one by one (lookups find little)."""
    if stats.generated_tokens is None:
        return stats
    alone = stats.generated_tokens - rounds - accepted
    if alone <= 0:
        return stats
    shown = note(
        "{alone:,.0f} of {all:,.0f} tokens came from steps without a draft, the first tokens of the requests included",
        alone=alone, all=stats.generated_tokens,
    )  # fmt: skip
    return stats.replace(num_steps=rounds + alone, notes=(shown,))


ANSWERS = Objects(ENGINE, N_("answers of single requests"), (_BLOCK, "generation_time_ms"), _Answers)
OFFLINE = Lines(
    ENGINE,
    N_("offline example"),
    ("num_drafts:", "num_draft_tokens:", "num_accepted_tokens:", "total_num_output_tokens:",
     "mean acceptance length:", "acceptance at token "),
    _Offline,
)  # fmt: skip
FORMATS = (ANSWERS, OFFLINE)
