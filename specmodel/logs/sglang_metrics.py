"""SGLang: its /metrics.

Format read in srt/observability/metrics_collector.py of the releases up to 0.5.23 (2026-10-30). The two counters move
when a request finishes; gauges are those of the log's last interval. inter_token_latency_seconds is per token here.
"""

import math

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import checked
from specmodel.logs._format import Families, LogError, Metrics, Sample, note
from specmodel.logs._prometheus import summed
from specmodel.logs._sglang import ENGINE, MAX_DRAFTS, VERSIONS, Identity
from specmodel.measured.spec_stats import Printed, SpecStats


def _gauges(found: Families, name: str) -> list[Sample]:
    """One sample for each engine and data-parallel rank: those of the lowest rank within it."""
    best: dict[tuple[tuple[str, str], ...], Sample] = {}
    inner = ("tp_rank", "pp_rank", "moe_ep_rank")
    samples = found.get(f"sglang:{name}", [])
    for sample in sorted(samples, key=lambda each: [(len(rank), rank) for rank in map(each.labels.get, inner) if rank]):
        key = tuple(sorted(item for item in sample.labels.items() if item[0] not in inner))
        best.setdefault(key, sample)
    return list(best.values())


def _gauge(found: Families, name: str, mean: bool = True) -> float | None:
    """The mean (or sum) of a gauge over the ranks that say something; None where it is missing or zero."""
    values = [sample.value for sample in _gauges(found, name) if math.isfinite(sample.value) and sample.value > 0]
    return sum(values) / (len(values) if mean else 1) if values else None


def _mean_ms(found: Families, name: str) -> float | None:
    seconds, times = summed(found, f"sglang:{name}_seconds_sum"), summed(found, f"sglang:{name}_seconds_count")
    return seconds / times * 1000 if seconds and times else None


def _accepted(generated: float, rounds: float, requests: float | None) -> float:
    if generated < rounds:
        raise LogError(
            "spec_verify_calls_total is {rounds:,.10g}, generation_tokens_total only {generated:,.10g}: each round "
            "yields a token at least",
            rounds=rounds, generated=generated,
        )  # fmt: skip
    return max(generated - rounds - (requests or 0), 0)


def _metrics(found: Families) -> SpecStats | None:
    rounds, generated = summed(found, "sglang:spec_verify_calls_total"), summed(found, "sglang:generation_tokens_total")
    requests, length = summed(found, "sglang:num_requests_total"), _gauge(found, "spec_accept_length")
    if generated is None and length is None and _gauge(found, "gen_throughput") is None:
        return None
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        speculation=bool(rounds or length),
        generated_tokens=generated,
        num_requests=requests,
        tpot_ms=_mean_ms(found, "inter_token_latency"),
        ttft_ms=_mean_ms(found, "time_to_first_token"),
        request_ms=_mean_ms(found, "e2e_request_latency"),
        batch_size=_gauge(found, "num_running_reqs", mean=False),
        output_tokens_per_s=_gauge(found, "gen_throughput", mean=False),
    )
    if not stats.speculation:
        off = note("the page has no family of speculative decoding: it is switched off")
        return stats if any("spec_" in name for name in found) else stats.replace(notes=(off,))
    most = _gauge(found, "spec_num_draft_tokens") or MAX_DRAFTS
    if rounds and generated is not None and generated <= (most + 1) * rounds:
        stats = stats.replace(
            estimated=True,
            num_rounds=rounds,
            num_steps=rounds,
            num_accepted_draft_tokens=_accepted(generated, rounds, requests),
        )
    return checked(_with_gauges(found, stats, length), 1)


def _with_gauges(found: Families, stats: SpecStats, length: float | None) -> SpecStats:
    steps, draft_tokens = _gauge(found, "spec_num_steps"), _gauge(found, "spec_num_draft_tokens")
    rate, identity = _gauge(found, "spec_accept_rate"), Identity()
    known = round(draft_tokens) - 1 if draft_tokens else None
    chain = bool(steps and draft_tokens == steps + 1 and steps == int(steps) <= MAX_DRAFTS)
    fits = length is not None and rate is not None and identity.add(length, rate)
    definition = identity.decide(known)[1] if fits else ""
    printed = [Printed("spec_accept_length", length, "length_with_bonus")] if length is not None else []
    printed += [Printed("spec_accept_rate", rate, definition)] if rate is not None else []
    return stats.replace(
        version=VERSIONS.get(definition),
        num_speculative_tokens=int(steps) if chain and steps else None,
        printed_length=length,
        printed=(*printed, *_device_times(found)),
        notes=(
            note("batch size, throughput and accept length of a /metrics page are those of the last interval"),
            *_count_notes(stats),
            *([note("draft tokens are no chain: a tree or a block, so k is open")] if known and not chain else []),
            *_device_notes(found, stats.num_rounds),
        ),
    )


def _count_notes(stats: SpecStats) -> tuple[Message, ...]:
    if stats.num_rounds is None and stats.generated_tokens is not None:
        return (note("generated tokens do not go with the rounds counted: tokens per round are those of the gauge"),)
    if stats.num_rounds is None:
        return ()
    if stats.num_requests is None:
        return (note("accepted = generated − rounds; the first token of each request is in it, so it is a bit high"),)
    return (note("accepted = generated − rounds − requests, as the first token of a request is no draft"),)


def _device_times(found: Families) -> tuple[Printed, ...]:
    seconds: dict[str, float] = {}
    for sample in _gauges(found, "forward_execution_seconds_total"):
        kind = sample.labels.get("category", "")
        seconds[kind] = seconds.get(kind, 0.0) + sample.value
    return tuple(Printed(f"forward_execution_seconds_total {kind}", value) for kind, value in seconds.items())


def _device_notes(found: Families, rounds: float | None) -> tuple[Message, ...]:
    times = {each.name.split(" ")[-1]: each.value for each in _device_times(found)}
    verify = times.get("target_verify")
    if not verify or not rounds:
        return ()
    return (
        note(
            "verification took {ms:.3g} ms of GPU time per round of a sequence; a batch shares a pass, so a pass took "
            "that times the batch size",
            ms=verify / rounds * 1000,
        ),
    )


METRICS = Metrics(ENGINE, N_("/metrics page"), ("sglang:",), _metrics)
FORMATS = (METRICS,)
