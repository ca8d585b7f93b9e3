"""TensorRT-LLM: the report of trtllm-bench, as JSON (`--report_json`) and as its console block.

Formats read in tensorrt_llm/bench/dataclasses/reporting.py (commit 0249976575, 2026). Its numbers are averages over
requests: draft = max_draft_len × (decode_iteration + 1), accepted = output tokens − decode_iteration − 1, and so a
mean acceptance length with the bonus token. Counts are therefore average × requests; the printed rate and length are
averages of ratios and not the pooled ones. Versions before these fields print an “acceptance rate” of 1 or more, which
is tokens per iteration.
"""

import math
import re
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import checked, count, number
from specmodel.logs._format import Lines, LogError, Objects, note
from specmodel.logs._printed import agree, draft_length, inner, known, settings, text
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "TensorRT-LLM"
_RATE, _LENGTH, _OLD = "draft_acceptance_rate", "acceptance_length", "acceptance"
_DRAFTED, _ACCEPTED = "num_draft_tokens", "num_accepted_draft_tokens"
_DEFINITIONS = ((_RATE, "accepted_per_drafted"), (_LENGTH, "length_with_bonus"))


class _Report:
    def __init__(self) -> None:
        self._runs: list[SpecStats] = []

    def take(self, line: int, found: dict[str, Any]) -> bool:
        performance, requests = inner(found, "performance"), inner(found, "request_info")
        if "system_output_throughput_tok_s" not in performance or not requests:
            return False
        streaming, decoding = inner(found, "streaming_metrics"), inner(found, "decoding_stats")
        latency = known(performance, "total_latency_ms", line)
        stats = SpecStats(
            ENGINE,
            REPORT.source,
            version=text(inner(found, "engine"), "version") or None,
            label=text(decoding, "mode"),
            num_requests=known(requests, "num_requests", line),
            window_s=None if latency is None else latency / 1000,
            tpot_ms=known(streaming, "avg_tpot_ms", line),
            ttft_ms=known(streaming, "avg_ttft_ms", line),
            request_ms=known(performance, "avg_request_latency_ms", line),
            batch_size=known(requests, "avg_num_concurrent_requests", line),
            output_tokens_per_s=known(performance, "system_output_throughput_tok_s", line),
        )
        averages = {
            name: average
            for name in (_DRAFTED, _ACCEPTED, _RATE, _LENGTH, _OLD)
            if (average := known(inner(decoding, f"{name}_percentiles"), "average", line)) is not None
        }
        self._runs.append(_run(stats, averages, known(requests, "avg_output_length", line), line, 0.0005))
        return True

    def result(self) -> SpecStats | None:
        return settings(self._runs)


_FIELDS = {
    "TensorRT LLM Version": "version",
    "Number of requests": "num_requests",
    "Number of concurrent requests": "batch_size",
    "Average Output Length (tokens)": "output_length",
    "Total Output Throughput (tokens/sec)": "output_tokens_per_s",
    "Total Latency (ms)": "window_ms",
    "Average request latency (ms)": "request_ms",
    "Average time-to-first-token [TTFT] (ms)": "ttft_ms",
    "Average time-per-output-token [TPOT] (ms)": "tpot_ms",
    "[DT] AVERAGE": _DRAFTED,
    "[ADT] AVERAGE": _ACCEPTED,
    "[DAR] AVERAGE": _RATE,
    "[AL] AVERAGE": _LENGTH,
    "[AR] AVERAGE": _OLD,
}
_MODE = re.compile(r"= DECODING STATISTICS \((?P<mode>[^()]{1,40})\)")


class _Console:
    """One report a block; a value that comes a second time begins the next one."""

    def __init__(self) -> None:
        self._runs: list[SpecStats] = []
        self._block: dict[str, str] = {}
        self._line = 0

    def take(self, line: int, found: str) -> bool:
        name, _, value = (part.strip() for part in found.partition(":"))
        mode = _MODE.match(name)
        key = "label" if mode else _FIELDS.get(name)
        if key is None or not (mode or value):
            return False
        if key in self._block:
            self._close()
        self._block[key] = mode["mode"] if mode else value[:40]
        self._line = line
        if mode is None and key != "version":
            number(value, line, name)
        return True

    def _close(self) -> None:
        block, self._block = self._block, {}
        if _LENGTH in block or _OLD in block or {"batch_size", "output_tokens_per_s"} <= block.keys():
            self._runs.append(_console_run(block, self._line))

    def result(self) -> SpecStats | None:
        self._close()
        return settings(self._runs)


def _console_run(block: dict[str, str], line: int) -> SpecStats:
    values = {name: number(value, line, name) for name, value in block.items() if name not in ("version", "label")}
    output, window = values.pop("output_length", None), values.pop("window_ms", None)
    averages = {name: values.pop(name) for name in (_DRAFTED, _ACCEPTED, _RATE, _LENGTH, _OLD) if name in values}
    stats = SpecStats(
        ENGINE,
        CONSOLE.source,
        version=block.get("version"),
        label=block.get("label", ""),
        window_s=None if window is None else window / 1000,
    ).replace(**values)
    return _run(stats, averages, output, line, 0.005)


def _run(stats: SpecStats, averages: dict[str, float], output: float | None, line: int, half_step: float) -> SpecStats:
    """The counters of a run: averages over requests × requests."""
    requests = 1.0 if stats.num_requests is None else float(count(stats.num_requests, line, "num_requests"))
    stats = stats.replace(generated_tokens=None if output is None else _whole(output * requests))
    if _OLD in averages and _LENGTH not in averages:
        printed = (Printed("acceptance_rate", averages[_OLD], "length_with_bonus"),)
        old = note("this version calls tokens per iteration, averaged over requests, an acceptance rate")
        return stats.replace(printed_length=averages[_OLD], printed=printed, notes=(old,))
    if not averages:
        return stats.replace(speculation=False)
    if _DRAFTED not in averages or _ACCEPTED not in averages:
        cut = note("draft tokens or those accepted are missing in the report: only its ratios are known")
        return stats.replace(printed_length=averages.get(_LENGTH), printed=_printed(averages), notes=(cut,))
    drafted, accepted = averages[_DRAFTED], averages[_ACCEPTED]
    rounds = _rounds(averages, output, line, half_step)
    notes = [note("rate and length as printed are averages over requests, not those of all rounds together")]
    if stats.num_requests is None:
        notes.append(note("the number of requests is not in the text: the counts are those of a mean request"))
    stats = stats.replace(
        estimated=True,
        num_rounds=None if rounds is None else _whole(rounds * requests),
        num_draft_tokens=_whole(drafted * requests),
        num_accepted_draft_tokens=_whole(accepted * requests),
        num_speculative_tokens=draft_length(round(drafted / rounds), line, _DRAFTED) if rounds else None,
        printed_length=averages.get(_LENGTH),
        printed=_printed(averages),
        notes=tuple(notes),
    )
    return checked(stats, line)


def _printed(averages: dict[str, float]) -> tuple[Printed, ...]:
    return tuple(Printed(name, averages[name], each) for name, each in _DEFINITIONS if name in averages)


def _rounds(averages: dict[str, float], output: float | None, line: int, half_step: float) -> float | None:
    """Rounds of a mean request: output − accepted, or draft ÷ k with k = (length − 1) ÷ rate where that leaves one."""
    drafted, accepted = averages[_DRAFTED], averages[_ACCEPTED]
    if output is None or output <= accepted:
        k = _only_k(averages, half_step)
        return drafted / k if k else None
    rounds = output - accepted
    k = round(min(drafted / rounds, 1e6))
    if abs(drafted - k * rounds) > 0.006 * (k + 1) + 1e-6 * drafted:
        raise LogError(
            "line {line}: {drafted:.6g} draft tokens are no multiple of the {rounds:.6g} rounds of a mean request",
            line=line, drafted=drafted, rounds=rounds,
        )  # fmt: skip
    if k and _RATE in averages and _LENGTH in averages:
        agree(averages[_RATE], (averages[_LENGTH] - 1) / k, half_step * (1 + 1 / k) + 0.0005, line, _RATE)
    return rounds


def _only_k(averages: dict[str, float], half_step: float) -> int | None:
    """The one whole number that (length − 1) ÷ rate can be within the printed digits."""
    rate, length = averages.get(_RATE, 0.0), averages.get(_LENGTH, 0.0) - 1
    if rate <= half_step or length <= 0:
        return None
    low, high = (length - half_step) / (rate + half_step), (length + half_step) / (rate - half_step)
    first, last = math.ceil(low), math.floor(high)
    return first if first == last else None


def _whole(value: float) -> float:
    """Averages of whole numbers times their number, without the rounding of the average."""
    nearest = float(math.floor(value + 0.5)) if value < 2**53 else value
    return nearest if abs(value - nearest) < 1e-6 * max(value, 1.0) else value


REPORT = Objects(ENGINE, N_("benchmark report"), ("system_output_throughput_tok_s",), _Report)
CONSOLE = Lines(
    ENGINE,
    N_("benchmark print"),
    ("DECODING STATISTICS (", *(f"{name}:" for name in _FIELDS if name[0] != "["), "] AVERAGE"),
    _Console,
)
FORMATS = (REPORT, CONSOLE)
