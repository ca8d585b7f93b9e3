"""Text Generation Inference: its /metrics.

Format read in router/src/infer/v3 (commit db931fcf, 2026-01-08). `tgi_request_skipped_tokens` observes n − 1 for every
step that gave n tokens, and 0 for the prompt of a request, so decoding steps are its count less the requests. What was
proposed is never exposed. The time of a step is that of the forward pass of a decoding batch.
"""

from specmodel.base.messages import N_
from specmodel.logs._checks import checked
from specmodel.logs._format import Families, LogError, Metrics, note
from specmodel.logs._printed import mean_ms
from specmodel.logs._prometheus import summed
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "TGI"
_SKIPPED = "tgi_request_skipped_tokens"
_PER_TOKEN = "tgi_request_mean_time_per_token_duration"


def _metrics(found: Families) -> SpecStats | None:
    accepted, seen = summed(found, f"{_SKIPPED}_sum"), summed(found, f"{_SKIPPED}_count")
    requests = summed(found, f"{_PER_TOKEN}_count")
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        num_requests=requests,
        tpot_ms=mean_ms(found, _PER_TOKEN),
        step_ms=mean_ms(found, "tgi_batch_forward_duration", method="decode"),
    )
    if accepted is None or seen is None:
        off = note("the page has no family of speculative decoding: it is switched off")
        return stats.replace(speculation=False, notes=(off,)) if requests and accepted is seen else None
    if requests is not None and requests > seen:
        raise LogError(
            "{requests:,.10g} requests are more than the {steps:,.10g} steps of {name}",
            requests=requests, steps=seen, name=_SKIPPED,
        )  # fmt: skip
    if accepted and not seen:
        raise LogError("line {line}: {accepted:,.10g} drafts accepted in no round", line=1, accepted=accepted)
    steps = None if requests is None else seen - requests
    stats = stats.replace(num_steps=steps, generated_tokens=accepted + seen)
    if not accepted:
        return stats.replace(speculation=False)
    notes = [note("proposed draft tokens are not in the file: k is what the server was given as --speculate")]
    if requests is None:
        notes.append(note("the number of requests is not in the file: steps of prompts cannot be told from rounds"))
    else:
        notes.append(note("the prompt of each request that is still running is counted as a round"))
    stats = stats.replace(
        num_rounds=steps,
        num_accepted_draft_tokens=accepted,
        printed=(Printed(_SKIPPED, accepted / seen),),
        notes=tuple(notes),
    )
    return checked(stats, 1)


METRICS = Metrics(ENGINE, N_("/metrics page"), ("tgi_",), _metrics)
FORMATS = (METRICS,)
