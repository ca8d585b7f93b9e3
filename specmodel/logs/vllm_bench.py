"""vLLM: `vllm bench serve` (its JSON result and its console block), `vllm bench latency` and `vllm bench throughput`.

Formats read in vllm/benchmarks/serve.py, latency.py and throughput.py (wheel 0.33.0 of 2026-11-01). The counters of
speculation (since 2026-01-06, #31739) are what /metrics rose by during the run; the rate there is in percent, the rates
by position are shares. The gap between chunks (ITL) is one step, the time per output token (TPOT) is not.
"""

import re
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, number
from specmodel.logs._format import Lines, LogError, Objects, note
from specmodel.logs._vllm import ENGINE
from specmodel.logs._vllm_bench import POSITIONS, SPEC, Runs
from specmodel.measured.spec_stats import Printed, SpecStats

# as they stand in the console block -> in the JSON result
_CONSOLE = {
    "Successful requests": "completed",
    "Failed requests": "failed",
    "Maximum request concurrency": "max_concurrency",
    "Request rate configured (RPS)": "request_rate",
    "Total input tokens": "total_input_tokens",
    "Benchmark duration (s)": "duration",
    "Total generated tokens": "total_output_tokens",
    "Output token throughput (tok/s)": "output_throughput",
    "Peak output token throughput (tok/s)": "max_output_tokens_per_s",
    "Mean TTFT (ms)": "mean_ttft_ms",
    "Mean TPOT (ms)": "mean_tpot_ms",
    "Mean ITL (ms)": "mean_itl_ms",
    "Mean E2EL (ms)": "mean_e2el_ms",
    "Acceptance rate (%)": f"{SPEC}acceptance_rate",
    "Acceptance length": f"{SPEC}acceptance_length",
    "Drafts": f"{SPEC}num_drafts",
    "Draft tokens": f"{SPEC}draft_tokens",
    "Accepted tokens": f"{SPEC}accepted_tokens",
}
_NOT_ITS_OWN = ("Backend", "Accept length", "Total generated tokens (retokenized)", "Max request concurrency")
_VALUE = re.compile(r"\d+(?:\.\d+)?")
_TITLE = "Serving Benchmark Result"
_SPECULATED = "--Speculative Decoding--"
_RESULTS = tuple(name for name in _CONSOLE if _CONSOLE[name].startswith(SPEC))


class _Serve(Runs):
    """Result files; with --append-result there is one a line."""

    def __init__(self) -> None:
        super().__init__(SERVE.source)

    def take(self, line: int, found: dict[str, Any]) -> bool:
        needed = {"model_id", "tokenizer_id", "duration", "completed", "total_output_tokens", "output_throughput"}
        if not needed <= found.keys() or "accept_length" in found:
            return False
        self.add(line, found)
        return True


class _Console(Runs):
    """Blocks of the terminal; a row that was there before begins the next block."""

    def __init__(self) -> None:
        super().__init__(CONSOLE.source)
        self._rows: dict[str, Any] = {}
        self._first = self._speculated = 0
        self._foreign = False

    def take(self, line: int, found: str) -> bool:
        if _TITLE in found:
            self._end()
            return True
        if _SPECULATED in found:
            self._speculated = line
            return True
        name, text = (part.strip() for part in found.strip().split(":", 1)) if ":" in found else ("", "")
        if name in _NOT_ITS_OWN:
            self._foreign = True
            return True
        if not _VALUE.fullmatch(text):
            return name in _CONSOLE and text in ("", "N/A", "nan", "inf")
        return self._row(line, name, text)

    def _row(self, line: int, name: str, text: str) -> bool:
        """A name with its number."""
        if name.startswith("Position "):
            shares = self._rows.setdefault(POSITIONS, [])
            if len(shares) < 1024:
                shares.append(number(text, line, name) / 100)
            return True
        if name not in _CONSOLE:
            return False
        if _CONSOLE[name] in self._rows:
            self._end()
        self._first = self._first or line
        self._rows[_CONSOLE[name]] = number(text, line, name)
        return True

    def _end(self) -> None:
        rows, line, foreign, speculated = self._rows, self._first, self._foreign, self._speculated
        self._rows, self._first, self._foreign, self._speculated = {}, 0, False, 0
        told = any(_CONSOLE[name] in rows for name in _RESULTS)  # no other benchmark has rows of these names
        own = told or "failed" in rows or "max_concurrency" in rows
        whole = told or {"completed", "total_output_tokens"} <= rows.keys()
        if not own or not whole or foreign:
            return
        if speculated and not any(_CONSOLE[name] in rows for name in _RESULTS):
            raise LogError(
                "line {line}: below “Speculative Decoding” nothing could be read: the run is no baseline either",
                line=speculated,
            )
        self.add(line, rows)

    def result(self) -> SpecStats | None:
        self._end()
        return super().result()


class _Whole:
    """`vllm bench latency` and `vllm bench throughput`: neither tells whether it speculated."""

    def __init__(self) -> None:
        self._tally = Tally()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        if {"avg_latency", "latencies", "percentiles"} <= found.keys():
            latency = number(found["avg_latency"], line, "avg_latency")
            times = {"request_ms": 1000 * latency}
            _check_mean(found["latencies"], latency, line)
        elif {"elapsed_time", "num_requests", "total_num_tokens", "tokens_per_second"} <= found.keys():
            names = {"window_s": "elapsed_time", "num_requests": "num_requests"}
            times = {name: number(found[key], line, key) for name, key in names.items()}
        else:
            return False
        silent = note("this benchmark does not print acceptance: whether the run speculated is not in the file")
        stats = SpecStats(ENGINE, WHOLE.source, speculation=False, notes=(silent,), **times)  # type: ignore[arg-type]
        if "tokens_per_second" in found:
            speed = number(found["tokens_per_second"], line, "tokens_per_second")
            both = note("its tokens per second count prompt tokens too: they are no output throughput")
            stats = stats.replace(printed=(Printed("tokens_per_second", speed),), notes=(silent, both))
        self._tally.add(stats)
        return True

    def result(self) -> SpecStats | None:
        return self._tally.total()


def _check_mean(values: Any, mean: float, line: int) -> None:
    known = [number(value, line, "latencies") for value in values] if isinstance(values, list) else []
    if known and abs(sum(known) / len(known) - mean) > 0.001 * mean:
        raise LogError(
            "line {line}: avg_latency is {mean:g}, but the mean of the latencies is {own:g}",
            line=line, mean=mean, own=sum(known) / len(known),
        )  # fmt: skip


SERVE = Objects(ENGINE, N_("benchmark result"), ("tokenizer_id",), _Serve)
_POSITIONS = tuple(f"Position {position}:" for position in range(64))
_MARKERS = (_TITLE, _SPECULATED, *(f"{name}:" for name in (*_CONSOLE, *_NOT_ITS_OWN)), "  Position ", *_POSITIONS)
CONSOLE = Lines(ENGINE, N_("benchmark console"), _MARKERS, _Console)
WHOLE = Objects(ENGINE, N_("latency or throughput benchmark"), ("avg_latency", "total_num_tokens"), _Whole)
FORMATS = (SERVE, CONSOLE, WHOLE)
