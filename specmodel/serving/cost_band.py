"""How far the costs of passes and rounds were off where they were judged, and the served model at the ends of that.

A speedup depends on what checking costs beside a plain step and on the fixed cost of a round, so the ends of the band
are whole served models; at every batch and draft length the lowest and the highest of them hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from specmodel.base.messages import N_, SpecmodelError
from specmodel.base.numbers import one_of
from specmodel.serving.calibrate import Measured, calibrated_pass, with_round
from specmodel.serving.fixed_cost import FixedChoice
from specmodel.serving.passes import PassMs
from specmodel.serving.reached import reached_by
from specmodel.serving.served_model import Serving
from specmodel.serving.target_model import TargetModel

Range = tuple[float, float]
KINDS = ("steps", "grows", "ms", "drafts")
"""What a measured round may owe its time to, see `with_round`."""


@dataclass(frozen=True)
class Off:
    """Measured ÷ computed, from – to, where costs of this kind were judged: a plain step, and checking ÷ plain step."""

    plain: Range
    check: Range


OPERATORS_OFF: Mapping[str, Range] = {"vllm": (0.73, 1.38), "sglang": (0.75, 1.79), "trtllm": (0.43, 1.14)}
"""Nine of ten served steps of `silicon_sample.csv` (see `specmodel.serving.reached`), measured ÷ sum of operators, with
the setups that have a table: 502, 107 and 286 of them (medians 1.08, 1.17, 0.90). The far end of TensorRT-LLM is
DeepSeek's; its Llama-3.1-70B in FP8 lies within 0.91 and 1.08."""
OPERATORS_CHECK: Range = (0.88, 1.14)
"""The 90th percentile of the error of checking ÷ plain step against published verification times was 5 % (8 × H100),
7 % (8 × A100) and 14 % (a fit for vLLM on one H100): the widest."""
ROOFLINE_CHECK: Mapping[bool, Range] = {False: (0.86, 1.34), True: (0.80, 1.40)}
"""With experts or without: nine of ten ratios of checking 2 to 8 tokens to a plain step, by measured operators ÷ by the
fitted roofline, over all setups that were measured, 1 to 128 requests and contexts of 1,024 and 8,192 tokens."""
EXACT = Off((1.0, 1.0), (1.0, 1.0))
"""Measured passes: their own noise is not known."""


@dataclass(frozen=True)
class Banded:
    """The served model with its costs as known, and at the ends of what they may be."""

    value: Serving
    ends: tuple[Serving, ...]


def banded(serving: Serving, off: Off, fixed: FixedChoice | None, measured: Measured | None = None) -> Banded:
    """The served model with its fixed cost, calibrated by what was measured, and the ends of its band.

    `serving` holds the chosen fixed cost; `fixed` has the band around it (None: the visitor's own number, without one).
    A measured round takes the place of both. A measured plain step leaves open how much of it is overhead: all of it is
    best for speculation, none of it worst.

    >>> from specmodel.model.costs import DraftCost
    >>> from specmodel.serving.fixed_cost import FIXED_CHOICES, UNKNOWN
    >>> one = Serving(lambda q, b, s: 20.0 + q * b, 0.75, DraftCost(ratio=0.1))
    >>> wide = banded(one, Off((0.8, 1.4), (0.9, 1.1)), FIXED_CHOICES[UNKNOWN])
    >>> [round(float(each.speedup(3, 1, 0)), 2) for each in (wide.ends[1], wide.value, wide.ends[0])]
    [1.4, 1.9, 2.06]
    """
    measured = measured or Measured()
    value, *ends = (
        replace(serving, check_factor=factor, pass_ms=_pass(serving, measured, share))
        for factor, share in ((1.0, 0.5), (off.check[0], 1.0), (off.check[1], 0.0))
    )
    if measured.round_ms:
        held = with_round(value, measured)
        return Banded(held, tuple(_with_round(end, measured, kind, held) for end in ends for kind in KINDS))
    if fixed is not None:
        ends = [replace(end, fixed=cost) for end, cost in zip(ends, (fixed.low, fixed.high), strict=True)]
    return Banded(value, tuple(ends))


def _with_round(end: Serving, measured: Measured, kind: str, otherwise: Serving) -> Serving:
    """An end with the measured round; where its plain step is longer than that round, it is no end."""
    try:
        return with_round(end, measured, fixed=kind)
    except SpecmodelError:
        return otherwise


def _pass(serving: Serving, measured: Measured, share: float) -> PassMs:
    if not measured.plain_ms:
        return serving.pass_ms
    return calibrated_pass(
        serving.pass_ms, measured.plain_ms, measured.plain_batch, measured.plain_context, as_overhead=share
    )


def off_of_operators(engine: str) -> Off:
    """How far measured operators were off under an engine.

    >>> off_of_operators("vllm").plain[1] > 1
    True
    """
    return Off(one_of(engine, OPERATORS_OFF, N_("engine")), OPERATORS_CHECK)


def off_of_roofline(model: TargetModel) -> Off:
    """How far a roofline with fitted shares was off, for models of this kind.

    >>> off_of_roofline(TargetModel()).check[0] < 1 < off_of_roofline(TargetModel()).check[1]
    True
    """
    found = reached_by(model)
    return Off((found.off_low, found.off_high), ROOFLINE_CHECK[bool(model.experts)])
