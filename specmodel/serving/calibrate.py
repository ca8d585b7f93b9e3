"""Costs of passes and rounds brought in line with what was measured: one plain step, one round.

One measured number does not tell two causes apart, so each correction has a value and two ends: what a plain step takes
longer may be the same at every batch (launches, scheduling) or grow with the pass (smaller shares of the peaks); what a
round takes longer may be fixed or belong to each draft. Every one of them gives the measured number back exactly.
"""

from dataclasses import dataclass, replace
from typing import Any

from specmodel.base.messages import Message, SpecmodelError
from specmodel.base.numbers import number_between
from specmodel.base.params import Declared, param
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.fixed_cost import MOST, FixedCost, growing
from specmodel.serving.load import MAX_BATCH
from specmodel.serving.passes import PassMs
from specmodel.serving.served_model import Serving

FACTORS = (0.01, 100.0)
"""A measured step that is further from the computed one is of something else."""


@dataclass(frozen=True)
class Measured(Declared):
    """What was measured of an engine: a plain step and a round, each at its batch and context; 0 ms stands for none.

    >>> Measured(plain_ms=12.5, plain_batch=16).round_ms
    0.0
    """

    plain_ms: float = param(
        "Plain step, measured",
        "Time of a decoding step without speculation, or time per output token; 0 for none. It sets the overhead and "
        "what is reached of the peaks.",
        default=0,
        low=0,
        high=1e6,
        format=",.2f",
        unit="ms",
        key="calms",
    )
    plain_batch: int = param(
        "…at batch", "Requests decoded together then.", default=1, low=1, high=MAX_BATCH, format="d", key="calb",
        integer=True,
    )  # fmt: skip
    plain_context: int = param(
        "…and context",
        "Tokens that each had in the cache.",
        default=1024,
        low=0,
        high=10_000_000,
        format=",d",
        unit="tokens",
        key="calctx",
        integer=True,
    )
    round_ms: float = param(
        "Round, measured",
        "Time of a step with speculation: time per output token × tokens per round; 0 for none. It sets the fixed cost "
        "of a round.",
        default=0,
        low=0,
        high=1e6,
        format=",.2f",
        unit="ms",
        key="calround",
    )
    round_k: int = param(
        "…with draft length",
        "Draft tokens per round then.",
        default=3,
        low=1,
        high=MAX_SPECULATIVE_TOKENS,
        format="d",
        key="calk",
        integer=True,
    )
    round_batch: int = param(
        "…at the batch", "Requests decoded together then.", default=1, low=1, high=MAX_BATCH, format="d", key="calrb",
        integer=True,
    )  # fmt: skip
    round_context: int = param(
        "…and the context",
        "Tokens that each had in the cache.",
        default=1024,
        low=0,
        high=10_000_000,
        format=",d",
        unit="tokens",
        key="calrctx",
        integer=True,
    )


@dataclass(frozen=True)
class CalibratedPass:
    """A pass that is `factor` times another one and `added_ms` longer.

    >>> float(CalibratedPass(lambda q, b, s: 10.0 * q, 1.1, 2.0)(1, 1, 0))
    13.0
    """

    base: PassMs
    factor: float
    added_ms: float

    @property
    def largest(self) -> float:
        """Tokens of the largest pass that is known; without end where the other one is computed."""
        return float(getattr(self.base, "largest", float("inf")))

    def __call__(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> Any:
        """Milliseconds of the pass; arrays broadcast."""
        return self.base(tokens_per_sequence, batch_size, context_tokens) * self.factor + self.added_ms


def calibrated_pass(
    pass_ms: PassMs, measured_ms: float, batch_size: float, context_tokens: float, as_overhead: float = 0.5
) -> CalibratedPass:
    """The pass with a measured plain step: m = factor·T(1, B, S) + added.

    Of what the step takes longer than computed, `as_overhead` is added to every pass alike and the rest makes all
    passes longer by a factor (smaller shares of the peaks). A step that is shorter makes all passes shorter. Derived
    here. Raises `SpecmodelError` for a step less than a hundredth or more than a hundred times the computed one.

    >>> one = calibrated_pass(lambda q, b, s: 10.0 + b, 14.0, 2, 1024)
    >>> one.added_ms, float(one(1, 2, 1024)), round(float(one(1, 32, 1024)), 2)
    (1.0, 14.0, 46.5)
    """
    number_between(as_overhead, "as_overhead", 0, 1)
    computed = float(pass_ms(1.0, float(batch_size), float(context_tokens)))
    if not computed * FACTORS[0] <= measured_ms <= computed * FACTORS[1]:
        text = "a plain step of {ms:g} ms at batch {batch} is no step of this machine: {computed:.3g} ms are computed"
        values = {"ms": float(measured_ms), "batch": batch_size, "computed": computed}
        raise SpecmodelError(Message(text, values))
    added = max(measured_ms - computed, 0.0) * as_overhead
    return CalibratedPass(pass_ms, (measured_ms - added) / computed, added)


def with_round(serving: Serving, measured: Measured, *, fixed: str = "steps") -> Serving:
    """The served model whose round of `round_k` drafts takes as long as measured, at that batch and context.

    What it takes beyond drafting and checking is the fixed cost: in plain steps of each batch (`fixed` = "steps"), in
    plain steps that grow with the batch ("grows") or in ms ("ms"); or all but the checking is of the drafts, one like
    the other ("drafts"). Where a round is shorter than drafting and checking together, drafting costs less, then
    checking. Raises `SpecmodelError` where it is shorter than the plain step, or far too long.

    >>> from specmodel.model.costs import DraftCost
    >>> one = Serving(lambda q, b, s: 20.0, 0.7, DraftCost(ratio=0.1))
    >>> of = with_round(one, Measured(round_ms=30, round_k=3))
    >>> round(of.fixed.few, 3), round(float(of.round_ms(3, 1, 1024)), 9), round(float(of.round_ms(5, 1, 1024)), 9)
    (0.2, 30.0, 34.0)
    """
    here = (measured.round_batch, measured.round_context)
    plain, check = float(serving.plain_ms(*here)), float(serving.verify_ms(measured.round_k, *here))
    drafting = float(serving.draft_ms(measured.round_k, *here))
    left = measured.round_ms - check - drafting
    if not plain <= measured.round_ms * (1 + 1e-12) or left > MOST * plain:
        text = "a round of {ms:g} ms at batch {batch} does not go with a plain step of {plain:.3g} ms"
        raise SpecmodelError(Message(text, {"ms": measured.round_ms, "batch": measured.round_batch, "plain": plain}))
    nothing = replace(serving, overhead_ms=0.0, fixed=FixedCost())
    if left < 0 or fixed == "drafts":
        spent = max(drafting + left, 0.0)
        cheaper = replace(nothing, draft=_drafting(serving, spent, drafting, plain, measured.round_k))
        return cheaper if spent else replace(cheaper, check_factor=serving.check_factor * measured.round_ms / check)
    if fixed == "ms":
        return replace(nothing, overhead_ms=left)
    if fixed == "grows":
        return replace(nothing, fixed=growing(left / plain, measured.round_batch))
    return replace(nothing, fixed=FixedCost(left / plain, left / plain))


def _drafting(serving: Serving, spent: float, drafting: float, plain: float, k: int) -> Any:
    """The drafter whose drafts take `spent` ms of a round, in place of `drafting`."""
    draft = serving.draft
    if drafting > 0:
        share, step = spent / drafting, draft.step_ms
        scaled = None if step is None else (lambda batch: step(batch) * share)
        return replace(draft, ratio=draft.ratio * share, ms=draft.ms * share, step_ms=scaled)
    steps = float(draft.steps(k))
    return replace(draft, ratio=spent / plain / steps if steps else 0.0, ms=0.0)
