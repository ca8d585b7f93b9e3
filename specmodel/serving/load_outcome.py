"""What one batch of a served model comes to: every number declared with its label, definition and unit."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import declarations, quantity, quantity_like
from specmodel.model.outcome import Outcome

_OUTCOME = declarations(Outcome)


@dataclass(frozen=True)
class LoadOutcome:
    """What one batch and context come to with k drafts, beside the plain engine and the best k. Means of the model."""

    speedup: float = quantity(
        "Speedup here",
        "Time per output token without ÷ with speculation, at the same batch and context. Above 1 is faster.",
        unit="×",
    )
    best_k: int = quantity(
        "Best k here",
        "Draft tokens per round with the highest speedup at this batch and context; 0 means off.",
        format="d",
    )
    best_speedup: float = quantity(
        "Speedup with it", "Speedup with the best draft length, at this batch and context.", unit="×"
    )
    tpot_ms: float = quantity_like(
        _OUTCOME["tpot_ms"], help=N_("Time of a round ÷ tokens per round: what one request waits for its next token.")
    )
    plain_ms: float = quantity(
        "Plain step", "A decoding step of the engine without speculation, at this batch.", unit="ms"
    )
    tokens_per_s: float = quantity(
        "Throughput", "Output tokens that the whole batch gets in a second.", unit="/s", format=",.0f"
    )
    cost_ratio: float = quantity_like(
        _OUTCOME["cost_ratio"],
        help=N_(
            "Time of one round ÷ plain decoding step, both at this batch. Speculation pays when the tokens per round "
            "exceed it."
        ),
        format=".2f",
    )
    wasted_share: float = quantity(
        "Time spent on rejected drafts",
        "Share of a round that goes into drafting and checking tokens that are thrown away.",
        format=".0%",
    )
