"""SGLang: the files of its benchmarks, and the file that is no measurement.

Formats read in sglang/benchmark/serving.py, bench_one_batch_server.py and scripts/playground/bench_speculative.py of
the releases up to 0.5.23 (2026-10-30).

A record is one setting. Acceptance lengths are tokens ÷ verifications, the bonus token included; without speculation
they are 1, −1 or missing. itl of bench_serving is a time per token, so it is no time of a round and is not used.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import count, number
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._sglang import (
    ENGINE,
    MAX_SETTINGS,
    draft_length,
    length_of,
    printed_length,
    setting_label,
    settings,
)
from specmodel.logs._unread import checked_record
from specmodel.measured.spec_stats import SpecStats

SPECULATIVE = ("step_time", "batch_size", "steps", "topk", "num_draft_tokens", "acc_length", "speed")
ONE_BATCH = ("last_gen_throughput", "batch_size", "input_len", "output_len", "latency", "output_throughput")
SERVING = ("total_output_tokens_retokenized", "backend", "mean_e2e_latency_ms", "mean_tpot_ms")
SERVER = ("speculative_num_steps", "speculative_eagle_topk", "speculative_num_draft_tokens")


class _Rows:
    """One setting a record, where the record has the keys."""

    def __init__(self, keys: tuple[str, ...], read: Callable[[dict[str, Any], int], SpecStats]) -> None:
        self._keys, self._read = set(keys), read
        self._parts: list[SpecStats] = []

    def take(self, line: int, found: dict[str, Any]) -> bool:
        if not self._keys <= found.keys():
            return False
        if len(self._parts) <= MAX_SETTINGS:
            self._parts.append(self._read(found, line))
        return True

    def result(self) -> SpecStats | None:
        return settings(self._parts)


def _optional(found: dict[str, Any], name: str, line: int) -> float | None:
    return None if found.get(name) is None else number(found[name], line, name)


def _text(value: Any) -> str:
    return str(value)[:40] if isinstance(value, str | int | float) else "–"


def _speculative(found: dict[str, Any], line: int) -> SpecStats:
    """A record of bench_speculative.py: the speed is acc_length ÷ step_time, of one request."""
    batch, steps, topk, draft_tokens = (count(found[name], line, name) for name in SPECULATIVE[1:5])
    length, step, speed = (number(found[name], line, name) for name in ("acc_length", "step_time", "speed"))
    k, notes = draft_length(steps, topk, draft_tokens) if steps else (0, ())
    if not step or not 1 <= length <= k + 1.05:
        raise LogError(
            "line {line}: acc_length is {length:g} and step_time {step:g}, expected 1 to {most} and more than 0",
            line=line, length=length, step=step, most=k + 1,
        )  # fmt: skip
    rounding = 0.002 + 0.000005 / step + 0.0005 / length
    if abs(speed * step / length - 1) > rounding:
        raise LogError(
            "line {line}: speed is {speed:g}, but acc_length ÷ step_time is {expected:g}",
            line=line, speed=speed, expected=length / step,
        )  # fmt: skip
    return SpecStats(
        ENGINE,
        BENCH_SPECULATIVE.source,
        label=setting_label(k, topk, draft_tokens, batch),
        speculation=steps > 0,
        num_speculative_tokens=k or None,
        printed_length=length if steps else None,
        printed=printed_length("acc_length", length if steps else None),
        step_ms=step * 1000,
        tpot_ms=step * 1000 / length,
        batch_size=batch,
        output_tokens_per_s=speed * max(batch, 1),
        notes=notes,
    )


def _one_batch(found: dict[str, Any], line: int) -> SpecStats:
    """A record of bench_one_batch_server.py: its output throughput is that of decoding, without the prompt."""
    batch, given, asked = (count(found[name], line, name) for name in ("batch_size", "input_len", "output_len"))
    length, throughput = length_of(found, "acc_length", line), number(found["output_throughput"], line, "throughput")
    if length is None:
        checked_record(found, line)
    latency, ttft = number(found["latency"], line, "latency"), _optional(found, "last_ttft", line)
    tpot = batch / throughput * 1000 if batch and throughput else None
    return SpecStats(
        ENGINE,
        BENCH_ONE_BATCH.source,
        label=f"batch {batch}, input {given}, output {asked}",
        speculation=length is not None,
        printed_length=length,
        printed=printed_length("acc_length", length),
        generated_tokens=batch * asked,
        num_requests=batch,
        window_s=latency,
        request_ms=latency * 1000,
        ttft_ms=None if ttft is None else ttft * 1000,
        tpot_ms=tpot,
        step_ms=tpot * (length or 1) if tpot else None,
        batch_size=batch,
        output_tokens_per_s=throughput,
        context_tokens=given + asked / 2,
    )


def _serving(found: dict[str, Any], line: int) -> SpecStats:
    """A record of bench_serving: a step takes the time per token × tokens per round."""
    length, tpot = length_of(found, "accept_length", line), _optional(found, "mean_tpot_ms", line)
    if length is None:
        checked_record(found, line)
    k, notes = _server(found.get("server_info"), line) if length else (None, ())
    backend, rate, limit = (_text(found.get(name)) for name in ("backend", "request_rate", "max_concurrency"))
    if "sglang" not in backend:
        notes = (*notes, note("the benchmark of SGLang measured another engine here: {backend}", backend=backend))
    return SpecStats(
        ENGINE,
        BENCH_SERVING.source,
        label=f"request rate {rate}, concurrency {limit}",
        speculation=length is not None,
        num_speculative_tokens=k,
        printed_length=length,
        printed=printed_length("accept_length", length),
        generated_tokens=_optional(found, "total_output_tokens", line),
        num_requests=_optional(found, "completed", line),
        window_s=_optional(found, "duration", line),
        request_ms=_optional(found, "mean_e2e_latency_ms", line),
        ttft_ms=_optional(found, "mean_ttft_ms", line),
        tpot_ms=tpot,
        step_ms=tpot * (length or 1) if tpot else None,
        batch_size=_optional(found, "concurrency", line),
        output_tokens_per_s=_optional(found, "output_throughput", line),
        peak_tokens_per_s=_optional(found, "max_output_tokens_per_s", line),
        context_tokens=_context(found, line),
        request_rate=None if found.get("request_rate") in (None, math.inf, "inf") else _rate(found, line),
        notes=notes,
    )


def _rate(found: dict[str, Any], line: int) -> float | None:
    return number(found["request_rate"], line, "request_rate") or None


def _context(found: dict[str, Any], line: int) -> float | None:
    """Tokens that stand before an output token, on average: the prompt and half of the answer."""
    given, generated, requests = (
        _optional(found, name, line) for name in ("total_input_tokens", "total_output_tokens", "completed")
    )
    return (given + generated / 2) / requests if given is not None and generated is not None and requests else None


def _server(info: Any, line: int) -> tuple[int | None, tuple[Message, ...]]:
    """k from the settings of the server, where a record keeps them."""
    if not isinstance(info, dict) or any(info.get(name) is None for name in SERVER):
        return None, ()
    steps, topk, draft_tokens = (count(info[name], line, name) for name in SERVER)
    return draft_length(steps, topk, draft_tokens)


class _Configuration:
    """The file of --speculative-adaptive-config: batch sizes, each with the draft lengths to choose from."""

    def take(self, line: int, found: dict[str, Any]) -> bool:
        for name, value in found.items():
            if name.isdecimal() and isinstance(value, dict) and "candidate_steps" in value:
                raise LogError(
                    "line {line}: this is a configuration of adaptive speculation in SGLang (candidate_steps by batch "
                    "size), not a measurement",
                    line=line,
                )
        return False

    def result(self) -> SpecStats | None:
        return None


BENCH_SPECULATIVE = Objects(
    ENGINE, N_("bench_speculative file"), SPECULATIVE[:1], partial(_Rows, SPECULATIVE, _speculative)
)
BENCH_SERVING = Objects(ENGINE, N_("bench_serving file"), SERVING[:1], partial(_Rows, SERVING, _serving))
BENCH_ONE_BATCH = Objects(
    ENGINE, N_("bench_one_batch_server file"), ONE_BATCH[:1], partial(_Rows, ONE_BATCH, _one_batch)
)
CONFIGURATION = Objects(ENGINE, N_("adaptive configuration"), ("candidate_steps",), _Configuration)
FORMATS = (BENCH_SPECULATIVE, BENCH_SERVING, BENCH_ONE_BATCH, CONFIGURATION)
