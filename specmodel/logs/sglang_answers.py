"""SGLang: JSON answers, as /generate gives them (meta_info) and the OpenAI API (sglext.spec_tokens_details).

Formats read in srt/managers/tokenizer_manager.py of the releases 0.4.6 to 0.5.23 (2026-10-30). Names of the counters by
release: spec_num_correct_drafts since 0.5.12 (also spec_accepted_drafts since 0.5.14), spec_accept_token_num in 0.5.9
and 0.5.10; 0.4.6 has spec_verify_ct only. spec_accept_length is completion_tokens ÷ spec_verify_ct, so the first token
of the request is in it. A streamed answer repeats its counters: only the finished one counts.
"""

from collections.abc import Iterator
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, counts, number
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._positions import accepted_from_histogram
from specmodel.logs._sglang import ENGINE, MAX_DRAFTS
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ACCEPTED = ("spec_num_correct_drafts", "spec_accepted_drafts", "spec_accept_token_num")
DRAFTED = ("spec_num_proposed_drafts", "spec_proposed_drafts", "spec_draft_token_num")
_ESTIMATED = note("accepted is completion_tokens − spec_verify_ct; the first token of a request is in it")
HISTOGRAM = ("spec_correct_drafts_histogram", "spec_accept_histogram")


class _Answers:
    """One unit a request; requests that did not speculate count only where none did."""

    def __init__(self) -> None:
        self._speculating, self._plain = Tally(), Tally()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        details = list(_details(found))
        for detail in details:
            if "finish_reason" in detail and detail["finish_reason"] is None:
                continue
            rounds = _counted(detail, ("spec_verify_ct",), line)
            if rounds:
                self._speculating.add(_speculating(detail, rounds, line))
            else:
                self._plain.add(_request(detail, line))
        return bool(details)

    def result(self) -> SpecStats | None:
        stats, plain = self._speculating.total(), self._plain.total()
        if stats is None:
            return plain
        notes, k = list(stats.notes), stats.num_speculative_tokens
        if plain is not None:
            notes.append(note("answers without speculation were left out"))
        if stats.num_draft_tokens and k is None:
            notes.append(note("the number of draft tokens per round is not the same everywhere: k is open"))
        most = sum(1 for each in stats.accepted_per_position or () if each)
        if k and stats.accepted_per_position and most < k and (stats.num_rounds or 0) >= 100:
            notes.append(
                note(
                    "no round accepted more than {most} of {k} draft tokens: they may be a tree (top-k above 1)",
                    most=most, k=k,
                )
            )  # fmt: skip
        return stats.replace(notes=tuple(notes))


def _details(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects with the counters of requests: the object itself, in meta_info, in its choices, or in sglext."""
    if "spec_verify_ct" in found:
        yield found
    choices = found.get("choices")
    for holder in (found, *(choices if isinstance(choices, list) else ())):
        meta = holder.get("meta_info") if isinstance(holder, dict) else None
        if isinstance(meta, dict) and ("spec_verify_ct" in meta or {"completion_tokens", "e2e_latency"} <= meta.keys()):
            yield meta
    sglext, usage = found.get("sglext"), found.get("usage")
    details = sglext.get("spec_tokens_details") if isinstance(sglext, dict) else None
    if isinstance(details, dict) and "spec_verify_ct" in details:
        one = not isinstance(choices, list) or len(choices) <= 1
        yield (usage if one and isinstance(usage, dict) else {}) | details


def _first(detail: dict[str, Any], names: tuple[str, ...]) -> tuple[Any, str]:
    """The first of the names that has a value, and the name."""
    for name in names:
        value = detail.get(name)
        if value is not None:
            return value, name
    return None, names[0]


def _counted(detail: dict[str, Any], names: tuple[str, ...], line: int) -> int | None:
    value, name = _first(detail, names)
    return None if value is None else count(value, line, name)


def _time(detail: dict[str, Any], name: str, line: int) -> float | None:
    return None if detail.get(name) is None else number(detail[name], line, name)


def _between(detail: dict[str, Any], start: str, end: str, line: int) -> float | None:
    """Milliseconds between two times of an answer."""
    first, last = _time(detail, start, line), _time(detail, end, line)
    return (last - first) * 1000 if first is not None and last is not None and last > first else None


def _request(detail: dict[str, Any], line: int) -> SpecStats:
    """What every answer tells, speculating or not."""
    latency, generated = _time(detail, "e2e_latency", line), _counted(detail, ("completion_tokens",), line)
    decode_ms = _between(detail, "prefill_finished_ts", "decode_finished_ts", line)
    return SpecStats(
        ENGINE,
        ANSWERS.source,
        speculation=False,
        generated_tokens=generated,
        num_requests=1,
        request_ms=latency * 1000 if latency else None,
        ttft_ms=_between(detail, "request_received_ts", "prefill_finished_ts", line),
        tpot_ms=decode_ms / (generated - 1) if decode_ms and generated and generated > 1 else None,
    )


def _speculating(detail: dict[str, Any], rounds: int, line: int) -> SpecStats:
    accepted, drafted = _counted(detail, ACCEPTED, line), _counted(detail, DRAFTED, line)
    plain = _request(detail, line)
    estimated = accepted is None and plain.generated_tokens is not None
    if estimated:
        accepted = _estimated(int(plain.generated_tokens or 0), rounds, line)
    k = drafted // rounds if drafted and drafted % rounds == 0 and drafted <= MAX_DRAFTS * rounds else None
    positions = _positions(detail, rounds, k, line)
    row = (rounds, drafted or 0, accepted or 0, positions)
    decode_ms = _between(detail, "prefill_finished_ts", "decode_finished_ts", line)
    stats = plain.replace(
        speculation=True,
        version=_version(detail),
        estimated=estimated,
        num_speculative_tokens=k,
        num_rounds=rounds,
        num_steps=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        step_ms=decode_ms / rounds if decode_ms else None,
        units=Units.of("requests", [row]) if accepted is not None else None,
        notes=(_ESTIMATED,) if estimated else (),
    )
    return _agreeing(checked(stats, line), detail, line)


def _estimated(generated: int, rounds: int, line: int) -> int:
    if generated < rounds:
        raise LogError(
            "line {line}: {generated:,} tokens from {rounds:,} rounds: each round yields a token at least",
            line=line, generated=generated, rounds=rounds,
        )  # fmt: skip
    return generated - rounds


def _version(detail: dict[str, Any]) -> str | None:
    if ACCEPTED[0] in detail or ACCEPTED[1] in detail:
        return "0.5.12 or newer"
    if HISTOGRAM[1] in detail:
        return "0.5.9–0.5.10"
    return None if any(name in detail for name in (ACCEPTED[2], "spec_accept_rate")) else "0.4"


def _positions(detail: dict[str, Any], rounds: int, k: int | None, line: int) -> tuple[int, ...] | None:
    """Accepted by position; the histogram is as long as the longest acceptance asks for."""
    histogram, name = _first(detail, HISTOGRAM)
    if histogram is None or histogram == []:
        return None
    positions = accepted_from_histogram(counts(histogram, line, name), rounds, line)
    length = k or max(len(positions), 1)
    if any(positions[length:]):
        raise LogError(
            "line {line}: {name} has rounds that accepted {most} draft tokens, but a round drafts {k}",
            line=line, name=name, most=len(positions), k=length,
        )  # fmt: skip
    return (positions + (0,) * length)[:length]


def _agreeing(stats: SpecStats, detail: dict[str, Any], line: int) -> SpecStats:
    """The counters, if the ratios in the answer are theirs; the ratios are kept as printed."""
    rate, length = (_time(detail, name, line) for name in ("spec_accept_rate", "spec_accept_length"))
    rounds, accepted, drafted = stats.num_rounds, stats.num_accepted_draft_tokens, stats.num_draft_tokens
    printed = []
    if rate is not None and drafted and accepted is not None:
        _check("spec_accept_rate", rate, (accepted / drafted,), 0.006, line)
        printed.append(Printed("spec_accept_rate", rate, "accepted_per_drafted"))
    if length is not None and rounds and accepted is not None:
        generated = () if stats.generated_tokens is None else (stats.generated_tokens / rounds,)
        ends = 0 if generated else ((stats.num_speculative_tokens or MAX_DRAFTS) + 1) / rounds
        _check("spec_accept_length", length, (1 + accepted / rounds, *generated), 0.006 + ends, line)
        printed.append(Printed("spec_accept_length", length, "length_with_bonus"))
    return stats.replace(printed=tuple(printed), printed_length=length or None)


def _check(name: str, found: float, expected: tuple[float, ...], error: float, line: int) -> None:
    if all(abs(found - value) > error for value in expected):
        raise LogError(
            "line {line}: {name} is {found:.4g}, but the counters give {expected:.4g}",
            line=line, name=name, found=found, expected=expected[0],
        )  # fmt: skip


ANSWERS = Objects(ENGINE, N_("JSON answers"), ("spec_verify_ct", "meta_info"), _Answers)
FORMATS = (ANSWERS,)
