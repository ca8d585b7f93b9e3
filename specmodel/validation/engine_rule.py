"""The product's own answer at draft lengths that were not given to it: tokens per step and speedup with their bands."""

from collections.abc import Iterator, Sequence
from typing import Any

from specmodel import engine
from specmodel.base.messages import SpecmodelError
from specmodel.measured.spec_stats import SpecStats
from specmodel.validation.acceptance_rules import point
from specmodel.validation.point import Point
from specmodel.validation.points import Row

STEP_MS = 10.0
"""A plain step where only ratios were published: what follows does not depend on it."""


def engine_points(given: Row, asked: Sequence[Row]) -> Iterator[Point]:
    """What `engine.answer` says of every asked row, given only the counters and times of one other.

    >>> row, other = Row("a", group="g", k=3, tau=2.5, speedup=1.8), Row("a", group="g", k=1, tau=1.7, speedup=1.4)
    >>> [each.quantity for each in engine_points(row, [other])]
    ['tokens', 'speedup']
    """
    stats = stats_of(given)
    if stats is None:
        return
    plain = given.plain_ms or STEP_MS
    times: dict[str, Any] = {} if given.rho is None else {"plain_ms": plain, "round_ms": given.rho * plain}
    try:
        lengths = engine.answer(stats, **({} if given.counted else times)).lengths
    except SpecmodelError:
        return  # the product refuses such a run: it says nothing of other lengths
    found = {each.num_speculative_tokens: each for each in lengths}
    for row in asked:
        choice = found.get(row.k or 0)
        if choice is None or row.tokens_per_step is None:
            continue
        wrong = (choice.tokens_per_step.value or 1.0) / row.tokens_per_step - 1
        pairs = (
            ("tokens", choice.tokens_per_step, row.tokens_per_step),
            ("speedup", choice.speedup, row.measured_speedup),
        )
        for quantity, told, measured in pairs:
            if told is not None and told.value is not None and measured is not None:
                ends: dict[str, Any] = {"low": told.low, "high": told.high, "k_from": given.k}
                ends |= {"tokens_error": wrong} if quantity == "speedup" else {}
                yield point(row, "engine", quantity, told.value, measured, **ends)


def stats_of(row: Row) -> SpecStats | None:
    """The row as an engine would have told it: its counters, else its ratios; None without a draft length or a length.

    >>> stats_of(Row("a", k=2, per_position=(0.6, 0.3), rounds=100)).accepted_per_position
    (60.0, 30.0)
    >>> stats_of(Row("a", k=2, tau=1.9)).printed_length, stats_of(Row("a", tau=1.9)) is None
    (1.9, True)
    """
    if row.counted is not None:
        return row.counted
    if row.k is None or row.length is None:
        return None
    counted: dict[str, Any] = {}
    if row.by_position:
        rounds = row.rounds or 1.0
        counted = {"num_rounds": rounds, "accepted_per_position": tuple(share * rounds for share in row.survival)}
    elif row.rounds:
        counted = {
            "num_rounds": row.rounds,
            "num_draft_tokens": row.rounds * row.k,
            "num_accepted_draft_tokens": row.rounds * (row.length - 1),
        }
    return SpecStats(
        "",
        "" if row.rounds else "typed",
        num_speculative_tokens=row.k,
        printed_length=row.length,
        estimated=not row.rounds,
        batch_size=row.batch,
        **counted,
    )
