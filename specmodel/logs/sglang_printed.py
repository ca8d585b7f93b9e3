"""SGLang: what its benchmarks print on the console.

Formats read in sglang/benchmark/serving.py, test/send_one.py, bench_one_batch_server.py and benchmark/mtbench of the
releases up to 0.5.23 (2026-10-30). Acceptance lengths are tokens ÷ verifications, the bonus token included; they print
1.00 without speculation. The report of bench_serving shares most of its words with that of vLLM: it is this engine's
where it names the backend, the accept length or the mean E2E latency. A line that any tool could print is taken, so
that nobody is told that it looks like SGLang; it gives no result unless a line of this engine's own stands beside it.
"""

import re

from specmodel.base.messages import N_
from specmodel.logs._checks import count, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.logs._sglang import ENGINE, MAX_SETTINGS, settings
from specmodel.measured.spec_stats import Printed, SpecStats

_ACCEPTED = re.compile(r"\s*acc_length(?:=|: )(\d+\.\d+)\s*$")
_SPEED = re.compile(r"\s*speed=(\d+\.\d+) token/s\s*$")
_QUESTIONS = re.compile(
    r"\s*#questions: \d+, Throughput: (?P<speed>\d+\.\d+) token/s, Acceptance length: (?P<length>\d+\.\d+)\s*$"
)
INPUT = "input"
_FIELDS = {
    "Successful requests": "num_requests",
    "Traffic request rate": "request_rate",
    "Total input tokens": INPUT,
    "Benchmark duration (s)": "window_s",
    "Total generated tokens": "generated_tokens",
    "Output token throughput (tok/s)": "output_tokens_per_s",
    "Peak output token throughput (tok/s)": "peak_tokens_per_s",
    "Concurrency": "batch_size",
    "Accept length": "printed_length",
    "Mean E2E Latency (ms)": "request_ms",
    "Mean TTFT (ms)": "ttft_ms",
    "Mean TPOT (ms)": "tpot_ms",
}
_OWN = ("Accept length", "Mean E2E Latency (ms)")
_BACKEND = re.compile(r"\s*Backend:\s+(\S+)\s*$")
_FIELD = re.compile(rf"\s*({'|'.join(map(re.escape, _FIELDS))}):\s+(\d+(?:\.\d+)?)\s*$")


def _at_least_one(value: str, line: int) -> float:
    length = number(value, line, "Accept length")
    if length < 1:
        raise LogError("line {line}: the acceptance length is {value}, expected at least 1", line=line, value=value)
    return length


class _Printed:
    """Lines of send_one, mtbench and bench_one_batch_server; each is a run of its own."""

    def __init__(self) -> None:
        self._runs: list[SpecStats] = []

    def take(self, line: int, found: str) -> bool:
        if match := _QUESTIONS.match(found):
            self._add("Acceptance length", _at_least_one(match["length"], line))
            self._speed(number(match["speed"], line, "Throughput"))
            return True
        if match := _ACCEPTED.match(found):
            self._add("acc_length", _at_least_one(match[1], line))
            return True
        if match := _SPEED.match(found):
            self._speed(number(match[1], line, "speed"))
        return "acc_length" not in found

    def _add(self, name: str, length: float) -> None:
        off = note("an acceptance length of 1.00 is what is printed without speculation")
        stats = SpecStats(
            ENGINE,
            PRINTED.source,
            label=str(len(self._runs) + 1),
            speculation=length > 1,
            printed_length=length,
            printed=(Printed(name, length, "length_with_bonus"),),
            notes=() if length > 1 else (off,),
        )
        if len(self._runs) <= MAX_SETTINGS:
            self._runs.append(stats)

    def _speed(self, tokens_per_s: float) -> None:
        if self._runs and self._runs[-1].output_tokens_per_s is None:
            self._runs[-1] = self._runs[-1].replace(output_tokens_per_s=tokens_per_s)

    def result(self) -> SpecStats | None:
        stats = settings(self._runs)
        return stats.replace(label="") if stats and not stats.parts else stats


class _Console:
    """Reports of bench_serving; one setting each."""

    def __init__(self) -> None:
        self._parts: list[SpecStats] = []
        self._begin("")

    def _begin(self, backend: str) -> None:
        self._values: dict[str, float] = {}
        self._backend, self._ours = backend, "sglang" in backend

    def take(self, line: int, found: str) -> bool:
        if backend := _BACKEND.match(found):
            self._end()
            self._begin(backend[1])
            return True
        field = _FIELD.match(found)
        if not field or (self._backend and not self._ours):
            return not any(f"{name}:" in found for name in _OWN)
        name = _FIELDS[field[1]]
        if name in self._values:
            self._end()
            self._begin("")
        whole = name in ("num_requests", "generated_tokens")
        self._values[name] = count(field[2], line, field[1]) if whole else number(field[2], line, field[1])
        if name == "printed_length":
            _at_least_one(field[2], line)
        self._ours = self._ours or field[1] in _OWN
        return True

    def _end(self) -> None:
        length, tpot = self._values.get("printed_length"), self._values.get("tpot_ms")
        given, generated, requests = (self._values.get(name) for name in (INPUT, "generated_tokens", "num_requests"))
        if not self._ours or not self._values or (length is None and not self._backend):
            return
        stats = SpecStats(
            ENGINE,
            CONSOLE.source,
            label=str(len(self._parts) + 1),
            speculation=length is not None,
            step_ms=tpot * (length or 1) if tpot else None,
            printed=() if length is None else (Printed("Accept length", length, "length_with_bonus"),),
        )
        if len(self._parts) <= MAX_SETTINGS:
            if given is not None and generated is not None and requests:
                stats = stats.replace(context_tokens=(given + generated / 2) / requests)
            self._parts.append(stats.replace(**{name: each for name, each in self._values.items() if name != INPUT}))

    def result(self) -> SpecStats | None:
        self._end()
        self._begin("")
        stats = settings(self._parts)
        return stats.replace(label="") if stats and not stats.parts else stats


PRINTED = Lines(ENGINE, N_("printed results"), ("acc_length", " token/s"), _Printed)
CONSOLE = Lines(ENGINE, N_("bench_serving report"), ("Backend:", *(f"{name}:" for name in _FIELDS)), _Console)
FORMATS = (CONSOLE, PRINTED)
