"""Rules under load, as the page Serving load computes them: roofline and measured operators, uncalibrated with the band
that such costs have, and calibrated by one measured value of the same group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specmodel.base.messages import SpecmodelError
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.calibrate import Measured
from specmodel.serving.cost_band import Banded, Off, banded, off_of_operators, off_of_roofline
from specmodel.serving.fixed_cost import FIXED_CHOICES, UNKNOWN
from specmodel.serving.hardware import accelerator, target_model
from specmodel.serving.operator_passes import Setup, measured_setups, operator_pass
from specmodel.serving.passes import PassMs
from specmodel.serving.reached import as_reached
from specmodel.serving.roofline import RooflinePass
from specmodel.serving.served_model import Serving
from specmodel.validation.acceptance_rules import point
from specmodel.validation.point import Point
from specmodel.validation.points import Row

USUAL_ENGINE = "vllm"
OWN_PRECISION = "own"


@dataclass(frozen=True)
class _Cost:
    """A pass and how far such passes were off."""

    rule: str
    pass_ms: PassMs
    off: Off


def load_points(row: Row) -> Iterator[Point]:
    """Roofline and, where there are some, measured operators against one row, with the bands of Serving.

    A plain step, a verification pass in plain steps, or a speedup, which needs acceptance and the time of drafting. The
    fixed cost of a round is not known: its band is that of `FIXED_CHOICES`.

    >>> row = Row("a", model="llama31_8b", accelerator="h100_sxm", batch=1, context=500, plain_ms=6.316)
    >>> [(each.rule, each.quantity, each.held) for each in load_points(row)]
    [('roofline', 'pass', True), ('operators', 'pass', True)]
    """
    for cost in _costs(row):
        held = banded(_served(row, cost.pass_ms), cost.off, FIXED_CHOICES[UNKNOWN])
        yield from _against(row, cost.rule, held, cost.off)


def calibrated_points(rows: Sequence[Row]) -> Iterator[Point]:
    """Operators, else the roofline, calibrated by the group's first row; it judges the others only.

    The first row is the one of the smallest batch, then context. Its plain step calibrates passes, or its speedup the
    cost of a round, by `specmodel.serving.calibrate`; the band is what one measured value leaves open.

    >>> first = Row("a", group="g", model="llama31_8b", accelerator="h100_sxm", batch=1, context=500, plain_ms=9.0)
    >>> other = Row("a", group="g", model="llama31_8b", accelerator="h100_sxm", batch=8, context=500, plain_ms=9.5)
    >>> [(each.rule, each.held) for each in calibrated_points([first, other])]
    [('calibrated', True)]
    """
    known = sorted((row for row in rows if _costs(row)), key=lambda row: (row.batch or 1, row.context or 0))
    if len(known) < 2:
        return
    first = known[0]
    for row in known[1:]:
        if (row.batch, row.context) != (first.batch, first.context):
            cost = _costs(row)[-1]
            measured = _measured(first, cost)
            try:
                held = banded(_served(row, cost.pass_ms), cost.off, FIXED_CHOICES[UNKNOWN], measured)
            except SpecmodelError:
                continue  # the product refuses to calibrate by such a value
            yield from _against(row, "calibrated", held, None)


def _costs(row: Row) -> list[_Cost]:
    """The roofline, then measured operators; empty where model, accelerator, batch or context is unknown."""
    if not row.model or not row.accelerator or row.batch is None or row.context is None:
        return []
    model = target_model(row.model)
    chip = as_reached(accelerator(row.accelerator).replace(count=row.accelerators), model)
    found = [_Cost("roofline", RooflinePass(model, chip), off_of_roofline(model))]
    setup = Setup(row.model, row.accelerator, row.engine or USUAL_ENGINE, OWN_PRECISION, row.accelerators)
    if setup in measured_setups():
        found.append(_Cost("operators", operator_pass(setup), off_of_operators(setup.engine)))
    return found


def _served(row: Row, pass_ms: PassMs) -> Serving:
    """The served model of a row: its acceptance, and its drafting as one time a round."""
    chances = Acceptance(row.survival).conditional_acceptance if row.survival else (0.0,)
    first = chances[0]
    shape = tuple(chance / first for chance in chances[1:]) if first > 0 else ()
    return Serving(pass_ms, first, DraftCost("parallel", ms=row.draft_ms or 0.0), shape=shape)


def _measured(first: Row, cost: _Cost) -> Measured:
    batch, context = int(first.batch or 1), int(first.context or 0)
    if first.plain_ms is not None:
        return Measured(plain_ms=first.plain_ms, plain_batch=batch, plain_context=context)
    if first.speedup is None or not first.survival or first.k is None:
        return Measured()
    round_ms = float(cost.pass_ms(1, batch, context)) * (1 + sum(first.survival)) / first.speedup
    return Measured(round_ms=round_ms, round_k=first.k, round_batch=batch, round_context=context)


def _against(row: Row, rule: str, held: Banded, off: Off | None) -> Iterator[Point]:
    """The row's measured values beside the served model; `off` widens a plain step that was not calibrated."""
    here, every = (row.batch, row.context), (held.value, *held.ends)
    if row.plain_ms is not None:
        steps = [float(each.plain_ms(*here)) for each in every]
        low, high = off.plain if off else (1.0, 1.0)
        yield point(row, rule, "pass", steps[0], row.plain_ms, low=min(steps) * low, high=max(steps) * high)
        if row.verify_ms is not None and row.k is not None:
            checks = [float(each.verify_ms(row.k, *here) / each.plain_ms(*here)) for each in every]
            band = {"low": min(checks), "high": max(checks)}
            yield point(row, rule, "cost", checks[0], row.verify_ms / row.plain_ms, **band)
    elif row.speedup is not None and row.survival and row.k is not None:
        gains = [float(each.speedup(row.k, *here)) for each in every]
        facts = {"low": min(gains), "high": max(gains), "tokens": 1 + sum(row.survival)}
        yield point(row, rule, "speedup", gains[0], row.speedup, **facts)
