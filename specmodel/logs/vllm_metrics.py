"""vLLM: its /metrics page, also as Ray Serve renames it, and the families of V0.

Names read in vllm/v1/spec_decode/metrics.py and vllm/v1/metrics/loggers.py (wheel 0.33.0 of 2026-11-01). One
observation of inter_token_latency is one step of one request, whatever number of tokens it gave: its mean is the step
time and its count the number of steps. Before 0.11 that histogram was called time_per_output_token. Counters of several
engines (data parallel) are added up.
"""

from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._format import Families, LogError, Metrics, note
from specmodel.logs._prometheus import by_position, summed
from specmodel.logs._vllm import ENGINE, consistent
from specmodel.measured.spec_stats import Printed, SpecStats

_PREFIXES = ("vllm:", "ray_vllm_")
_SPEC = "spec_decode_num_"


class _Page:
    """The families of one scrape by their name without prefix and, for counters, without `_total`."""

    def __init__(self, found: Families):
        self.found = found

    def name(self, name: str) -> str:
        """The full name under which a family stands in the text."""
        full = [f"{prefix}{name}{suffix}" for suffix in ("_total", "") for prefix in _PREFIXES]
        return next((each for each in full if each in self.found), "")

    def sum(self, name: str) -> float | None:
        return summed(self.found, self.name(name))

    def mean_ms(self, histogram: str) -> float | None:
        total, observed = self.sum(f"{histogram}_sum"), self.sum(f"{histogram}_count")
        return 1000 * total / observed if total and observed else None


def _metrics(found: Families) -> SpecStats | None:
    page = _Page(found)
    times = _times(page)
    if page.name("spec_decode_num_emitted_tokens"):
        return _legacy(page, times)
    if page.name(f"{_SPEC}drafts"):
        return _speculating(page, times)
    if page.name("diffusion_num_denoising_steps"):
        raise LogError("these are counters of a diffusion model, not of speculative decoding")
    if not any(times.get(name) for name in ("generated_tokens", "num_steps")):
        return None
    off = note("the page has no family of speculative decoding: it is switched off")
    return SpecStats(ENGINE, METRICS.source, speculation=False, **times | {"notes": (*times["notes"], off)})


def _times(page: _Page) -> dict[str, Any]:
    """What the page tells with and without speculation."""
    steps = "inter_token_latency_seconds"
    if not page.name(f"{steps}_count") and not page.name("spec_decode_num_emitted_tokens"):
        steps = "time_per_output_token_seconds"
    firsts = ("time_to_first_token_seconds_count", "request_success", "request_time_per_output_token_seconds_count")
    running, engines = page.sum("num_requests_running"), len(page.found.get(page.name("num_requests_running"), []))
    notes: tuple[Message, ...] = ()
    if running:
        notes = (note("the batch is that of the moment of the scrape"),)
    return {
        "generated_tokens": page.sum("generation_tokens"),
        "num_steps": page.sum(f"{steps}_count"),
        "num_requests": next((found for each in firsts if (found := page.sum(each)) is not None), None),
        "step_ms": page.mean_ms(steps),
        "itl_ms": page.mean_ms(steps),
        "tpot_ms": page.mean_ms("request_time_per_output_token_seconds"),
        "ttft_ms": page.mean_ms("time_to_first_token_seconds"),
        "request_ms": page.mean_ms("e2e_request_latency_seconds"),
        "batch_size": running / engines if running else None,
        "notes": notes,
    }


def _speculating(page: _Page, times: dict[str, Any]) -> SpecStats:
    positions = by_position(page.found, page.name(f"{_SPEC}accepted_tokens_per_pos"))
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        version="V1",
        num_speculative_tokens=len(positions) if positions else None,
        num_rounds=page.sum(f"{_SPEC}drafts"),
        num_draft_tokens=page.sum(f"{_SPEC}draft_tokens"),
        num_accepted_draft_tokens=page.sum(f"{_SPEC}accepted_tokens"),
        accepted_per_position=positions,
        **times,
    )
    return consistent(stats, 1)


def _legacy(page: _Page, times: dict[str, Any]) -> SpecStats:
    """V0: its accepted tokens count matches after a rejection too; k comes from the efficiency.

    efficiency = emitted ÷ (drafted ÷ k × (k + 1)). Gauges are since the start: between two scrapes k stays unknown.
    """
    drafted, emitted = page.sum(f"{_SPEC}draft_tokens"), page.sum("spec_decode_num_emitted_tokens")
    rate, efficiency = page.sum("spec_decode_draft_acceptance_rate"), page.sum("spec_decode_efficiency")
    k = _legacy_k(drafted, emitted, efficiency)
    rounds = drafted / k if drafted is not None and k else None
    printed = (("spec_decode_draft_acceptance_rate", rate, "v0_rate"),
               ("spec_decode_efficiency", efficiency, "v0_efficiency"))  # fmt: skip
    notes = [
        note(
            "the acceptance rate of vLLM V0 also counts drafts that match after a rejection; accepted tokens here are "
            "those emitted less one a round"
        )
    ]
    if rounds is None:
        notes.append(note("k does not follow from these counters of vLLM V0, so the number of rounds is not known"))
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        version="V0",
        num_speculative_tokens=k,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=emitted - rounds if emitted is not None and rounds is not None else None,
        printed=tuple(Printed(name, value, definition) for name, value, definition in printed if value is not None),
        **times | {"notes": (*times["notes"], *notes)},
    )
    return consistent(stats, 1)


def _legacy_k(drafted: float | None, emitted: float | None, efficiency: float | None) -> int | None:
    if not drafted or not emitted or not efficiency:
        return None
    share = efficiency * drafted / emitted  # k ÷ (k + 1)
    k = round(share / (1 - share)) if share < 0.999 else 0
    fits = k > 0 and drafted % k == 0 and drafted / k <= emitted and abs(share - k / (k + 1)) < 1e-4
    return k if fits else None


METRICS = Metrics(ENGINE, N_("/metrics page"), _PREFIXES, _metrics)
FORMATS = (METRICS,)
