"""TensorRT-LLM while it serves: iteration statistics, /metrics, and the statistics of a request.

Formats read in tensorrt_llm/metrics/collector.py (commit 050f80def8, 2026) and tensorrt_llm/executor (the C++ struct
`SpecDecodingStats`).
"""

from itertools import pairwise
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, counts
from specmodel.logs._format import Families, LogError, Metrics, Objects, note
from specmodel.logs._positions import accepted_from_histogram
from specmodel.logs._printed import agree, draft_length, inner, known, mean_ms
from specmodel.logs._prometheus import by_position, summed
from specmodel.logs._tensorrt_llm_iterations import ENGINE, ITERATION_SOURCE, Iterations
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

_DRAFTED_AT = "trtllm_spec_decode_drafted_tokens_total"


def _metrics(found: Families) -> SpecStats | None:
    prefix = "trtllm_spec_decode_"
    drafted = summed(found, f"{prefix}num_draft_tokens_total")
    accepted = summed(found, f"{prefix}num_accepted_tokens_total")
    reached = by_position(found, _DRAFTED_AT, "token_position")
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        generated_tokens=summed(found, "trtllm_generation_tokens_total"),
        num_requests=summed(found, "trtllm_request_success_total"),
        tpot_ms=mean_ms(found, "trtllm_time_per_output_token_seconds"),
        ttft_ms=mean_ms(found, "trtllm_time_to_first_token_seconds"),
        request_ms=mean_ms(found, "trtllm_e2e_request_latency_seconds"),
    )
    if not any(name.startswith(prefix) for name in found):
        off = note("the page has no family of speculative decoding: it is switched off")
        return stats.replace(speculation=False, notes=(off,)) if stats.generated_tokens is not None else None
    if drafted is None and reached is None:
        return None
    if not drafted and not any(reached or ()):
        return stats.replace(speculation=False)
    gauges = (("acceptance_length", "length_with_bonus"), ("draft_overhead", ""))
    stats = stats.replace(
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        printed=tuple(
            Printed(f"{prefix}{name}", value, definition)
            for name, definition in gauges
            if (value := summed(found, f"{prefix}{name}")) is not None
        ),
    )
    return checked(_by_position(stats, found, reached) if any(reached or ()) else stats, 1)


def _by_position(stats: SpecStats, found: Families, reached: tuple[float, ...] | None) -> SpecStats:
    """With rounds and positions; these count requests that are done, and so may be behind the other two counters."""
    reached = reached or ()
    kept = by_position(found, "trtllm_spec_decode_accepted_tokens_total", "token_position") or ()
    kept += (0.0,) * (len(reached) - len(kept))
    if any(later > earlier for earlier, later in pairwise(reached)):
        raise LogError("more drafts at a position of {name} than at the one before it", name=_DRAFTED_AT)
    if len(kept) > len(reached) or any(one > other for one, other in zip(kept, reached, strict=True)):
        raise LogError("more drafts were accepted than drafted at a position of {name}",
                       name="trtllm_spec_decode_accepted_tokens_total")  # fmt: skip
    behind = (sum(reached), sum(kept)) != (stats.num_draft_tokens, stats.num_accepted_draft_tokens)
    late = note("the counters by position are behind the others (requests still running): those by position were used")
    return stats.replace(
        num_speculative_tokens=len(reached),
        num_rounds=reached[0],
        num_draft_tokens=sum(reached),
        num_accepted_draft_tokens=sum(kept),
        accepted_per_position=kept,
        drafted_per_position=reached if len(set(reached)) > 1 else None,
        notes=(late,) if behind and stats.num_draft_tokens is not None else (),
    )


class _Requests:
    """One answer an object; each of its choices is a request."""

    def __init__(self) -> None:
        self._tally = Tally()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        choices = found.get("choices")
        choices = [each for each in choices if isinstance(each, dict)] if isinstance(choices, list) else []
        told = [each for each in choices if "total_draft_tokens" in inner(each, "speculative_decoding")]
        tokens = known(inner(found, "usage"), "completion_tokens", line) if len(told) == len(choices) == 1 else None
        for each in told:
            self._tally.add(_request(each, line).replace(generated_tokens=tokens))
        return bool(told)

    def result(self) -> SpecStats | None:
        return self._tally.total()


def _request(choice: dict[str, Any], line: int) -> SpecStats:
    spec = inner(choice, "speculative_decoding")
    drafted = count(spec["total_draft_tokens"], line, "total_draft_tokens")
    accepted = count(spec.get("total_accepted_draft_tokens"), line, "total_accepted_draft_tokens")
    rounds = count(spec.get("num_spec_steps"), line, "num_spec_steps")
    histogram = spec.get("acceptance_histogram")
    positions = None
    if histogram is not None:
        positions = accepted_from_histogram(counts(histogram, line, "acceptance_histogram"), rounds, line)
    k = known(spec, "num_spec_tokens", line)
    rate, per_step = known(spec, "acceptance_rate", line), known(choice, "avg_decoded_tokens_per_iter", line)
    if k is not None and drafted > k * rounds:
        raise LogError(
            "line {line}: {drafted} draft tokens are more than {k:.6g} × {rounds} rounds",
            line=line, drafted=drafted, k=k, rounds=rounds,
        )  # fmt: skip
    if rate is not None and drafted:
        agree(rate, accepted / drafted, 0.005, line, "acceptance_rate")
    printed = (("acceptance_rate", rate, "accepted_per_drafted"), ("avg_decoded_tokens_per_iter", per_step, ""))
    stats = SpecStats(
        ENGINE,
        REQUESTS.source,
        num_speculative_tokens=draft_length(k, line, "num_spec_tokens") if k else None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        num_requests=1,
        units=Units.of("requests", [(rounds, drafted, accepted, positions)]),
        printed=tuple(Printed(name, value, definition) for name, value, definition in printed if value is not None),
    )
    return checked(stats, line)


METRICS = Metrics(ENGINE, N_("/metrics page"), ("trtllm_",), _metrics)
ITERATIONS = Objects(ENGINE, ITERATION_SOURCE, ("iterLatencyMS",), Iterations)
REQUESTS = Objects(ENGINE, N_("statistics of a request"), ("speculative_decoding",), _Requests)
FORMATS = (ITERATIONS, METRICS, REQUESTS)
