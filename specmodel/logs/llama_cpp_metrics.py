"""llama.cpp: /metrics of llama-server.

Format read in ggml-org/llama.cpp (mirror 3f545becc of 2026-08-22, about b10573: tools/server/server-context.cpp). The
counters of speculation are in it since b10290 (#26389).
"""

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import PRINTED, checked
from specmodel.logs._format import Families, Metrics, note
from specmodel.logs._llama_cpp import ENGINE
from specmodel.logs._prometheus import by_position, summed
from specmodel.measured.spec_stats import SpecStats


def _metrics(found: Families) -> SpecStats | None:
    """Requests are not counted there: a pass over a prompt and its first token count as a step and a token."""
    prefix = "llamacpp:spec_decode_num_"
    drafted, accepted = summed(found, f"{prefix}draft_tokens_total"), summed(found, f"{prefix}accepted_tokens_total")
    generated, seconds = (summed(found, f"llamacpp:tokens_predicted{part}_total") for part in ("", "_seconds"))
    if generated is None and drafted is None:
        return None
    unknown = generated is None or (accepted is None and bool(drafted))
    steps = None if unknown else (generated or 0) - (accepted or 0)
    positions = by_position(found, f"{prefix}accepted_tokens_per_pos_total")
    counted = steps is not None and steps > 0 and seconds is not None
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        version="b10290+" if drafted is not None else None,
        speculation=bool(drafted),
        num_speculative_tokens=len(positions) if positions and drafted else None,
        num_rounds=summed(found, f"{prefix}drafts_total"),
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        generated_tokens=generated,
        num_steps=steps if steps and steps > 0 else None,
        step_ms=1000 * (seconds or 0) / steps if counted and steps else None,
        tpot_ms=1000 * seconds / generated if seconds is not None and generated else None,
        batch_size=summed(found, "llamacpp:n_busy_slots_per_decode"),
        notes=tuple(_metrics_notes(found, drafted, generated)),
    )
    exact = max((sample.value for name in found for sample in found[name] if name.startswith(prefix)), default=0) < 1e6
    return checked(stats, 1, slack=0 if exact else PRINTED)


def _metrics_notes(found: Families, drafted: float | None, generated: float | None) -> list[Message]:
    notes = [note("/metrics does not count requests: steps and tokens include the pass and first token of each prompt")]
    if drafted is None:
        notes.append(
            note("this page has no counters of speculation (builds before b10290): whether there was any is open")
        )
    largest = max((sample.value for name in found for sample in found[name] if name.endswith("_total")), default=0)
    if largest >= 1e6:
        notes.append(note("counters from 1,000,000 on are printed with 6 significant digits only: they are rounded"))
    return notes


METRICS = Metrics(ENGINE, N_("/metrics page"), ("llamacpp:",), _metrics)
FORMATS = (METRICS,)
