"""vLLM: `vllm bench serve` (its JSON result and its console block), `vllm bench latency` and `vllm bench throughput`.

Formats read in vllm/benchmarks/serve.py, latency.py and throughput.py (wheel 0.33.0 of 2026-11-01). The counters of
speculation (since 2026-01-06, #31739) are what /metrics rose by during the run; the rate there is in percent, the rates
by position are shares. The gap between chunks (ITL) is one step, the time per output token (TPOT) is not.
"""

import re
from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import Tally, number, share
from specmodel.logs._format import Lines, LogError, Objects, note
from specmodel.logs._positions import counts_from_rates
from specmodel.logs._printed import MOST_SETTINGS, known, settings
from specmodel.logs._vllm import ENGINE, consistent, tokens
from specmodel.measured.spec_stats import Printed, SpecStats

_SPEC = "spec_decode_"
_MEANS = {
    "ttft_ms": "mean_ttft_ms",
    "tpot_ms": "mean_tpot_ms",
    "itl_ms": "mean_itl_ms",
    "step_ms": "mean_itl_ms",
    "request_ms": "mean_e2el_ms",
    "batch_size": "max_concurrency",
    "output_tokens_per_s": "output_throughput",
    "peak_tokens_per_s": "max_output_tokens_per_s",
}
# as they stand in the console block -> in the JSON result
_CONSOLE = {
    "Successful requests": "completed",
    "Failed requests": "failed",
    "Maximum request concurrency": "max_concurrency",
    "Benchmark duration (s)": "duration",
    "Total generated tokens": "total_output_tokens",
    "Output token throughput (tok/s)": "output_throughput",
    "Peak output token throughput (tok/s)": "max_output_tokens_per_s",
    "Mean TTFT (ms)": "mean_ttft_ms",
    "Mean TPOT (ms)": "mean_tpot_ms",
    "Mean ITL (ms)": "mean_itl_ms",
    "Mean E2EL (ms)": "mean_e2el_ms",
    "Acceptance rate (%)": f"{_SPEC}acceptance_rate",
    "Acceptance length": f"{_SPEC}acceptance_length",
    "Drafts": f"{_SPEC}num_drafts",
    "Draft tokens": f"{_SPEC}draft_tokens",
    "Accepted tokens": f"{_SPEC}accepted_tokens",
}
_POSITIONS = f"{_SPEC}per_position_acceptance_rates"
_NOT_ITS_OWN = ("Backend", "Accept length", "Total generated tokens (retokenized)", "Max request concurrency")
_VALUE = re.compile(r"\d+(?:\.\d+)?")
_TITLE = "Serving Benchmark Result"


class _Runs:
    """Runs of one model, k and concurrency are added up; those that differ in it are settings."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._tallies: dict[tuple[Any, ...], Tally] = {}
        self._empty = 0

    def add(self, line: int, run: Mapping[str, Any]) -> None:
        if run.get("completed") is not None and not tokens(run["completed"], line, "completed"):
            self._empty = self._empty or line
            return
        stats = _run(line, run, self.source)
        key = (str(run.get("model_id")), stats.num_speculative_tokens, stats.batch_size, stats.speculation)
        self._tallies.setdefault(key, Tally()).add(stats)
        if len(self._tallies) > MOST_SETTINGS:
            raise LogError("the file holds more than {limit} runs; give fewer in one file", limit=MOST_SETTINGS)

    def result(self) -> SpecStats | None:
        parts = []
        for (_, k, batch, _), tally in self._tallies.items():
            stats = tally.total()
            if stats is not None:
                named = [f"k={k or 0}", f"max_concurrency={batch:g}" if batch else ""]
                parts.append(stats.replace(label=", ".join(filter(None, named)) if len(self._tallies) > 1 else ""))
        if not parts and self._empty:
            raise LogError("line {line}: no request of this benchmark was completed", line=self._empty)
        return settings(parts)


def _run(line: int, run: Mapping[str, Any], source: str) -> SpecStats:
    """One run; with the counters of speculation if it has them."""
    requests, generated = (
        tokens(run[name], line, name) if run.get(name) is not None else None
        for name in ("completed", "total_output_tokens")
    )
    means = {name: known(run, key, line) or None for name, key in _MEANS.items()}
    stats = SpecStats(
        ENGINE,
        source,
        generated_tokens=generated,
        num_requests=requests,
        num_steps=_steps(run),
        window_s=known(run, "duration", line),
        notes=_notes(run, line),
        **means,  # type: ignore[arg-type]
    )
    if run.get(f"{_SPEC}num_drafts") is not None:
        return _speculating(stats, run, line)
    itl, tpot = stats.itl_ms, stats.tpot_ms
    if itl and tpot and itl > 1.2 * tpot:
        hidden = note(
            "the gaps between chunks are {ratio:.2f} times the time per token: the run speculated, but its file holds "
            "no counters of that (vLLM writes them since 2026)",
            ratio=itl / tpot,
        )
        return stats.replace(notes=(*stats.notes, hidden))
    if itl is None or tpot is None:
        silent = note(
            "gaps between chunks (ITL) are not in the file: whether the run speculated cannot be told from it"
        )
        return stats.replace(speculation=False, notes=(*stats.notes, silent))
    steps = generated - requests if generated is not None and requests is not None else 0
    return stats.replace(speculation=False, num_steps=stats.num_steps or max(steps, 0) or None)


def _speculating(stats: SpecStats, run: Mapping[str, Any], line: int) -> SpecStats:
    rounds, drafted, accepted = (
        tokens(run.get(f"{_SPEC}{name}"), line, f"{_SPEC}{name}")
        for name in ("num_drafts", "draft_tokens", "accepted_tokens")
    )
    rates = run.get(_POSITIONS)
    positions = None
    if isinstance(rates, list) and rates and len(rates) <= 1024:
        shares = [share(rate, line, _POSITIONS) for rate in rates]
        positions = counts_from_rates(shares, rounds, accepted, line, half_step=0.000051)
    rate, length = (known(run, f"{_SPEC}{name}", line) for name in ("acceptance_rate", "acceptance_length"))
    printed = []
    if rate is not None:
        printed.append(Printed("spec_decode_acceptance_rate", rate / 100, "accepted_per_drafted"))
    if length is not None:
        printed.append(Printed("spec_decode_acceptance_length", length, "length_with_bonus"))
    stats = stats.replace(
        num_speculative_tokens=len(positions) if positions else None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        printed=tuple(printed),
        notes=(*stats.notes, *_overcount(stats, rounds + accepted, len(positions or ()))),
    )
    return consistent(stats, line, rate=None if rate is None else rate / 100, length=length if rounds else None)


def _overcount(stats: SpecStats, counted: int, k: int) -> tuple[Message, ...]:
    """What the server counted beyond what the requests got: drafts are counted before a stop cuts the rest."""
    requests = stats.num_requests
    surplus = counted + requests - stats.generated_tokens if requests and stats.generated_tokens else 0
    if not requests or surplus <= 0:
        return ()
    if k and surplus > k * requests:
        return (
            note(
                "the counters hold {surplus:,.0f} tokens more than the {requests:,.0f} requests received: other "
                "requests reached the server during the run",
                surplus=surplus, requests=requests,
            ),
        )  # fmt: skip
    return (
        note(
            "the counters hold {surplus:,.0f} tokens more than the {requests:,.0f} requests received: drafts are "
            "accepted before the end of a request cuts them off",
            surplus=surplus, requests=requests,
        ),
    )  # fmt: skip


def _notes(run: Mapping[str, Any], line: int) -> tuple[Message, ...]:
    found = []
    peak, mean = known(run, "max_output_tokens_per_s", line), known(run, "output_throughput", line)
    if peak and mean and peak < mean:
        found.append(
            note(
                "the peak throughput ({peak:,.1f} tokens/s) is below the mean ({mean:,.1f}): it counts one token per "
                "chunk, and a chunk holds all tokens of a round",
                peak=peak, mean=mean,
            )
        )  # fmt: skip
    if failed := known(run, "failed", line):
        found.append(note("{failed:,.0f} requests failed and are not counted", failed=failed))
    return tuple(found)


def _steps(run: Mapping[str, Any]) -> int | None:
    """With --save-detailed: each gap between two chunks of a request is one step."""
    gaps = run.get("itls")
    if not isinstance(gaps, list) or not all(isinstance(each, list) for each in gaps):
        return None
    return sum(map(len, gaps)) or None


class _Serve(_Runs):
    """Result files; with --append-result there is one a line."""

    def __init__(self) -> None:
        super().__init__(SERVE.source)

    def take(self, line: int, found: dict[str, Any]) -> bool:
        needed = {"model_id", "tokenizer_id", "duration", "completed", "total_output_tokens", "output_throughput"}
        if not needed <= found.keys() or "accept_length" in found:
            return False
        self.add(line, found)
        return True


class _Console(_Runs):
    """Blocks of the terminal; a row that was there before begins the next block."""

    def __init__(self) -> None:
        super().__init__(CONSOLE.source)
        self._rows: dict[str, Any] = {}
        self._first = 0
        self._foreign = False

    def take(self, line: int, found: str) -> bool:
        if _TITLE in found:
            self._end()
            return True
        name, text = (part.strip() for part in found.strip().split(":", 1)) if ":" in found else ("", "")
        if name in _NOT_ITS_OWN:
            self._foreign = True
            return True
        if not _VALUE.fullmatch(text):
            return name in _CONSOLE and text in ("", "N/A", "nan", "inf")
        if name.startswith("Position "):
            shares = self._rows.setdefault(_POSITIONS, [])
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
        rows, line, foreign = self._rows, self._first, self._foreign
        self._rows, self._first, self._foreign = {}, 0, False
        own = f"{_SPEC}num_drafts" in rows or "failed" in rows or "max_concurrency" in rows
        whole = {"completed", "total_output_tokens"} <= rows.keys() or f"{_SPEC}accepted_tokens" in rows
        if own and whole and not foreign:
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
_MARKERS = (_TITLE, *(f"{name}:" for name in (*_CONSOLE, *_NOT_ITS_OWN)), "  Position ")
CONSOLE = Lines(ENGINE, N_("benchmark console"), _MARKERS, _Console)
WHOLE = Objects(ENGINE, N_("latency or throughput benchmark"), ("avg_latency", "total_num_tokens"), _Whole)
FORMATS = (SERVE, CONSOLE, WHOLE)
