"""Rules under load: the roofline of model and accelerator as it is preset, and calibrated by one measured value."""

from collections.abc import Iterator, Sequence

from specmodel.serving.hardware import Accelerator, accelerator, target_model
from specmodel.serving.roofline import RooflinePass
from specmodel.validation.acceptance_rules import point
from specmodel.validation.point import Point
from specmodel.validation.points import Row


def roofline_points(row: Row) -> Iterator[Point]:
    """The preset against one row: a plain step, a verification pass in plain steps, or a speedup.

    >>> row = Row("a", model="llama31_8b", accelerator="h100_sxm", batch=1, context=500, plain_ms=6.316)
    >>> [(each.quantity, round(each.predicted, 2)) for each in roofline_points(row)]
    [('pass', 7.22)]
    """
    if machine := _machine(row):
        yield from _against(row, "roofline", machine, 0.0)


def calibrated_points(rows: Sequence[Row]) -> Iterator[Point]:
    """The same with the group's first row (smallest batch, then context) given; it judges the others only.

    A measured plain step sets what the preset assumes. Slower than the preset: the overhead of a step, which is what a
    roofline leaves out (launches, small kernels, collectives), grows until the step is met. Faster: the overhead
    shrinks, then the achieved shares rise to at most the peak. A measured speedup sets the cost of a round beyond
    passes and drafting, in ms. Derived here.

    >>> first = Row("a", group="g", model="llama31_8b", accelerator="h100_sxm", batch=1, context=500, plain_ms=9.0)
    >>> other = Row("a", group="g", model="llama31_8b", accelerator="h100_sxm", batch=8, context=500, plain_ms=9.5)
    >>> [round(each.predicted, 2) for each in calibrated_points([first, other])]
    [9.17]
    """
    known = sorted((row for row in rows if _machine(row)), key=lambda row: (row.batch or 1, row.context or 0))
    if len(known) < 2:
        return
    first, machine = known[0], _machine(known[0])
    assert machine is not None
    fixed = 0.0
    if first.plain_ms is not None:
        machine = _met(first, machine, first.plain_ms)
    elif first.speedup is not None and first.survival:
        plain, round_ms = _round(first, machine)
        fixed = plain * (1 + sum(first.survival)) / first.speedup - round_ms
    for row in known[1:]:
        if (row.batch, row.context) != (first.batch, first.context):
            yield from _against(row, "calibrated", machine, fixed)


def _machine(row: Row) -> Accelerator | None:
    if not row.model or not row.accelerator or row.batch is None or row.context is None:
        return None
    return accelerator(row.accelerator).replace(count=row.accelerators)


def _ms(row: Row, machine: Accelerator, tokens: int) -> float:
    return float(RooflinePass(target_model(row.model), machine)(tokens, row.batch, row.context))


def _round(row: Row, machine: Accelerator) -> tuple[float, float]:
    """A plain step, and drafting and verification together."""
    return _ms(row, machine, 1), _ms(row, machine, (row.k or 0) + 1) + (row.draft_ms or 0.0)


def _met(row: Row, machine: Accelerator, measured: float) -> Accelerator:
    """The machine on which this row's plain step takes as long as measured, or as nearly as its peaks allow."""
    beyond = _ms(row, machine, 1) - machine.step_overhead_ms
    if measured >= beyond:
        return machine.replace(step_overhead_ms=measured - beyond)
    scale = min(beyond / measured, 1 / max(machine.bandwidth_fraction, machine.compute_fraction))
    return machine.replace(
        bandwidth_fraction=machine.bandwidth_fraction * scale,
        compute_fraction=machine.compute_fraction * scale,
        step_overhead_ms=0.0,
    )


def _against(row: Row, rule: str, machine: Accelerator, fixed_ms: float) -> Iterator[Point]:
    plain, round_ms = _round(row, machine)
    if row.plain_ms is not None:
        yield point(row, rule, "pass", plain, row.plain_ms)
        if row.verify_ms is not None and row.k is not None:
            verified = _ms(row, machine, row.k + 1)
            yield point(row, rule, "cost", verified / plain, row.verify_ms / row.plain_ms)
    elif row.speedup is not None and row.survival and row.k is not None:
        tokens = 1 + sum(row.survival)
        yield point(row, rule, "speedup", tokens * plain / (round_ms + fixed_ms), row.speedup, tokens=tokens)
