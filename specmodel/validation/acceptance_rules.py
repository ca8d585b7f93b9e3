"""Rules at the measured draft length: one alpha, acceptance by position, and tokens per round taken for the speedup."""

from collections.abc import Iterator
from typing import Any

from specmodel.model.acceptance import Acceptance
from specmodel.validation.point import Point
from specmodel.validation.points import Row


def acceptance_points(row: Row) -> Iterator[Point]:
    """What one row says of the rules that stay at its draft length.

    Theorem 3.8 of Leviathan et al. 2023 for the speedup from alpha, k and c; 1 + S_1 + … + S_k for positions; and
    speedup = tokens per step for free drafting and verification.

    >>> [(point.rule, round(point.predicted, 3)) for point in acceptance_points(
    ...     Row("a", k=2, alpha=0.5, draft_ratio=0.25, speedup=1.2))]
    [('one_alpha', 1.167)]
    """
    if row.alpha is not None and row.k is not None:
        tau = Acceptance.iid(row.alpha, row.k).mean_acceptance_length
        if row.draft_ratio is not None and row.speedup is not None:
            yield point(row, "one_alpha", "speedup", tau / (1 + row.k * row.draft_ratio), row.speedup, tokens=tau)
        if row.tau is not None:
            yield point(row, "one_alpha", "tokens", tau, row.tau)
    if row.by_position and row.tau is not None and row.counted is None:
        yield point(row, "by_position", "tokens", 1 + sum(row.survival), row.tau)
    if row.tokens_per_step is not None and row.speedup is not None:
        yield point(row, "free", "speedup", row.tokens_per_step, row.speedup)


def point(row: Row, rule: str, quantity: str, predicted: float, measured: float, **more: Any) -> Point:
    """A judged point of a row, with the facts of the row that explain it.

    >>> point(Row("a", k=3, tau=2.0, speedup=1.5), "free", "speedup", 2.0, 1.5).tokens
    2.0
    """
    facts: dict[str, Any] = {
        "k_from": row.k,
        "k_to": row.k,
        "drafter": row.drafter,
        "experts": row.experts == "yes",
        "batch": row.batch,
        "tokens": row.tokens_per_step,
        "rounds": row.rounds,
        "note": row.note,
    }
    return Point(rule, quantity, row.source, row.setup, predicted, measured, **{**facts, **more})
