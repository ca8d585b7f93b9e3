"""MLC-LLM: the engine metrics as JSON (also as `usage.extra` of an answer).

Format read in cpp/serve/metrics.{h,cc} (commit 79d603f0, 2026-07-23). Step 0 of every list is the token that the target
itself always adds, so it is dropped. `accept_prob` is unconditional, `accept_rate` conditional, and the last
`accept_len` is the acceptance length with the bonus token. Times are means in seconds by batch size: of one draft step,
of one verification (its batch size counts tokens) and of one plain decoding step, each without its first observation.
"""

import re
from itertools import pairwise
from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import checked, counts, number
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._printed import agree, inner, known
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "MLC-LLM"
PLAIN = N_("plain decoding")
_MEAN = re.compile(r"mean\{batch_size=(\d{1,9})\}")


class _Metrics:
    """Counters since the engine's start: of several objects in a file the last one holds those before it."""

    def __init__(self) -> None:
        self._objects = 0
        self._stats: SpecStats | None = None
        self._plain: SpecStats | None = None

    def take(self, line: int, found: dict[str, Any]) -> bool:
        extra = inner(inner(found, "usage"), "extra")
        metrics = extra if "engine_decode_time_sum" in extra else found
        if "engine_decode_time_sum" not in metrics or "completion_tokens_sum" not in metrics:
            return False
        spec = inner(metrics, "spec_decode")
        self._objects += 1
        self._stats = _speculating(metrics, spec, line) if "draft_count" in spec and "accept_count" in spec else None
        self._plain = _plain(metrics, line)
        return True

    def result(self) -> SpecStats | None:
        since = note("the counters are those since the engine's start: the last of the objects in the file was used")
        notes = (since,) if self._objects > 1 else ()
        stats, plain = self._stats, self._plain
        if stats is None or plain is None or plain.step_ms is None:
            found = stats or plain
            return found.replace(notes=(*found.notes, *notes)) if found else None
        parts = (stats.replace(label=N_("speculative decoding")), plain.replace(label=PLAIN))
        return stats.replace(
            parts=parts, parts_are_settings=True, notes=(*stats.notes, *notes, _plain_note(plain.step_ms))
        )


def _plain_note(step_ms: float) -> Message:
    return note(
        "steps without a draft are in the file too: {step_ms:.4g} ms each, a baseline of its own", step_ms=step_ms
    )


def _speculating(metrics: dict[str, Any], spec: dict[str, Any], line: int) -> SpecStats:
    drafted, accepted = (
        counts(spec["draft_count"], line, "draft_count"),
        counts(spec["accept_count"], line, "accept_count"),
    )
    if len(drafted) != len(accepted) or len(drafted) < 2 or accepted[0] != drafted[0]:
        raise LogError(
            "line {line}: draft_count and accept_count must be equally long and begin with the same certain token",
            line=line,
        )
    if any(later > earlier for earlier, later in pairwise(drafted)):
        raise LogError("line {line}: draft_count may never rise from one step to the next", line=line)
    for step, (proposed, kept) in enumerate(zip(drafted, accepted, strict=True)):
        if kept > proposed:
            raise LogError(
                "line {line}: step {step} accepted {accepted} of {drafted} drafts",
                line=line, step=step, accepted=kept, drafted=proposed,
            )  # fmt: skip
    rounds, same = drafted[1], len(set(drafted[1:])) == 1
    per_draft, draft_batch = _time(metrics, "draft_time_by_batch_size", line)
    verify, _ = _time(metrics, "verify_time_by_batch_size", line)
    draft_ms = per_draft * sum(drafted[1:]) / rounds if per_draft is not None and rounds else None
    added = None if draft_ms is None or verify is None else draft_ms + verify
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        num_speculative_tokens=len(drafted) - 1 if same else None,
        num_rounds=rounds,
        num_draft_tokens=sum(drafted[1:]),
        num_accepted_draft_tokens=sum(accepted[1:]),
        accepted_per_position=accepted[1:],
        drafted_per_position=None if same else drafted[1:],
        generated_tokens=known(metrics, "completion_tokens_sum", line),
        step_ms=added,
        draft_ms=draft_ms,
        verify_ms=verify,
        batch_size=draft_batch,
        printed=_printed(metrics, spec, drafted, accepted, line),
        notes=()
        if added is None
        else (note("the time of a round is drafting + verification; no more of it is timed"),),
    )
    return checked(stats, line)


def _printed(
    metrics: dict[str, Any], spec: dict[str, Any], drafted: tuple[int, ...], accepted: tuple[int, ...], line: int
) -> tuple[Printed, ...]:
    """The numbers of the engine for each step, held against the counts."""
    steps = range(1, len(drafted))
    probs = [kept / proposed if proposed else 0.0 for proposed, kept in zip(drafted, accepted, strict=True)]
    rates = [accepted[step] / accepted[step - 1] if accepted[step - 1] else 0.0 for step in steps]
    same = len(set(drafted[1:])) == 1 and drafted[0] == drafted[1]
    expected = [("accept_prob", step, probs[step], "per_position" if same else "") for step in steps]
    expected += [("accept_rate", step, rates[step - 1], "conditional") for step in steps]
    expected += [("accept_len", steps[-1], sum(probs), "length_with_bonus" if same else "")]
    found = []
    for name, step, exact, definition in expected:
        key = f"{name}{{step={step}}}"
        value = known(inner(spec, name), key, line)
        if value is not None and drafted[step]:
            agree(value, exact, 0.0005, line, key)
            found.append(Printed(key, value, definition))
    rate = known(metrics, "decode_tokens_per_s", line)
    return (*found, Printed("decode_tokens_per_s", rate)) if rate is not None else tuple(found)


def _time(metrics: dict[str, Any], key: str, line: int) -> tuple[float | None, float | None]:
    """The mean over all batch sizes in ms, and the mean batch size, both weighted by how often each was seen."""
    times = inner(metrics, key)
    seconds = seen = sizes = 0.0
    for name in times:
        if match := _MEAN.fullmatch(name):
            size = int(match[1])
            weight = number(times.get(f"count{{batch_size={size}}}"), line, f"{key} count{{batch_size={size}}}")
            seconds += weight * number(times[name], line, f"{key} {name}")
            seen, sizes = seen + weight, sizes + weight * size
    return (1000 * seconds / seen, sizes / seen) if seen else (None, None)


def _plain(metrics: dict[str, Any], line: int) -> SpecStats:
    """Plain decoding steps; without a time where there were none."""
    step_ms, batch = _time(metrics, "decode_time_by_batch_size", line)
    return SpecStats(
        ENGINE,
        METRICS.source,
        speculation=False,
        generated_tokens=known(metrics, "completion_tokens_sum", line) if "spec_decode" not in metrics else None,
        step_ms=step_ms,
        batch_size=batch,
    )


METRICS = Objects(ENGINE, N_("engine metrics"), ("spec_decode", "engine_decode_time_sum"), _Metrics)
FORMATS = (METRICS,)
