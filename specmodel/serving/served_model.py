"""One served model with its drafter: what a round costs beside other requests, and what it wins there."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message
from specmodel.base.numbers import OutOfDomain, number_between, numbers_between, whole_numbers_between
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.fixed_cost import NONE, FixedCost
from specmodel.serving.passes import PassMs
from specmodel.serving.rounds_by_length import ChainRounds, ListedRounds, RoundsByLength

SMALLEST_FACTOR = 1e-3
SMALLEST_BATCH = 1e-9
"""The batch is a mean and may be below 1, but it is not 0."""


def _plain(number: float) -> float:
    """A number as a plain function may want it: whole ones as int."""
    return int(number) if number == int(number) else float(number)


@dataclass(frozen=True)
class Serving:
    """One served model with its drafter: what a pass costs, what a draft costs, and how much is accepted.

    `alpha` and `shape` are those of `Acceptance.shaped`; `standing_cost` is the share of the plain engine's speed that
    an engine loses which has speculation loaded but drafts nothing. `largest_tokens` is the largest pass that was
    measured (that of `pass_ms` unless given): draft lengths that need a larger one are extrapolated, and never the
    best. `pass_ms` may take plain numbers only: it is then asked one by one. `fixed` is what a round costs at once, in
    plain steps of its batch, beside `overhead_ms`; `check_factor` multiplies the checking pass where anything is
    drafted, for the ends of a band: it never takes less than a plain step by that. `rounds` are those of a whole way of
    drafting, a tree perhaps, in place of k drafts in a row by alpha, shape and `draft`.

    >>> Serving(lambda q, b, s: 20.0 + 0.0 * b, 0.75, DraftCost(ratio=0.1)).speedup(5, 1, 0).round(2).item()
    2.19
    """

    pass_ms: PassMs
    alpha: float
    draft: DraftCost = field(default_factory=DraftCost)
    shape: tuple[float, ...] = ()
    overhead_ms: float = 0.0
    standing_cost: float = 0.0
    largest_tokens: float | None = None
    fixed: FixedCost = NONE
    check_factor: float = 1.0
    rounds: ListedRounds | None = None

    def __post_init__(self) -> None:
        number_between(self.alpha, "alpha", 0, 1)
        number_between(self.overhead_ms, "overhead_ms", 0)
        number_between(self.standing_cost, "standing_cost", 0, 0.99)
        number_between(self.check_factor, "check_factor", SMALLEST_FACTOR, 1 / SMALLEST_FACTOR)
        if self.largest_tokens is None:
            object.__setattr__(self, "largest_tokens", getattr(self.pass_ms, "largest", np.inf))

    @cached_property
    def by_length(self) -> RoundsByLength:
        """What a round of each draft length emits, checks and costs."""
        return self.rounds or ChainRounds(self.alpha, self.draft, self.shape)

    @property
    def most_drafts(self) -> int:
        """The longest draft length that is offered."""
        return self.by_length.most

    @cached_property
    def lengths(self) -> Ints:
        """The draft lengths that are offered, 0 (off) first."""
        return np.flatnonzero(self.by_length.offered)

    def _lengths(self, num_speculative_tokens: Any) -> Ints:
        """Draft lengths, checked."""
        drafts = whole_numbers_between(num_speculative_tokens, "num_speculative_tokens", 0, self.most_drafts)
        missing = drafts[~self.by_length.offered[drafts]]
        if missing.size:
            message = "{k} is no draft length of this way of drafting"
            raise OutOfDomain(Message(message, {"k": int(missing.flat[0])}))
        return drafts

    def acceptance(self, num_speculative_tokens: int) -> Acceptance:
        """The accepted drafts of a round of k; of a tree by depth."""
        return self.by_length.acceptance(int(self._lengths(num_speculative_tokens)))

    def tau(self, num_speculative_tokens: Any) -> Floats:
        """Tokens per round, bonus included, for an array of draft lengths."""
        found: Floats = self.by_length.tau[self._lengths(num_speculative_tokens)]
        return found

    def verified(self, num_speculative_tokens: Any) -> Floats:
        """Tokens of one sequence in the checking pass: k + 1 of k drafts in a row, every node of a tree."""
        found: Floats = self.by_length.verified[self._lengths(num_speculative_tokens)]
        return found

    def _ask(self, tokens_per_sequence: Any, batch_size: Any, context_tokens: Any) -> Floats:
        """The pass for arrays, of the shape that they broadcast to."""
        arguments = [
            np.asarray(tokens_per_sequence, dtype=float),
            numbers_between(batch_size, "batch_size", SMALLEST_BATCH),
            numbers_between(context_tokens, "context_tokens", 0),
        ]
        shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
        try:
            found = np.broadcast_to(np.asarray(self.pass_ms(*arguments), dtype=float), shape)
        except (ValueError, TypeError):
            asked = np.vectorize(lambda *numbers: float(self.pass_ms(*map(_plain, numbers))), otypes=[float])
            found = np.asarray(asked(*arguments), dtype=float)
        wrong = found[~((found > 0) & (found < np.inf))]
        if wrong.size:
            message = "pass_ms gives {ms}: a pass takes a positive, finite time"
            raise OutOfDomain(Message(message, {"ms": float(wrong[0])}))
        return found

    def plain_ms(self, batch_size: Any, context_tokens: Any) -> Floats:
        """A decoding step of the engine without speculation, in ms."""
        return self._ask(1.0, batch_size, context_tokens)

    def draft_ms(self, num_speculative_tokens: Any, batch_size: Any, context_tokens: Any) -> Floats:
        """Drafting of one round, in ms."""
        drafts, plain = self._lengths(num_speculative_tokens), self.plain_ms(batch_size, context_tokens)
        return np.asarray(self.by_length.draft_ms(drafts, plain, batch_size), dtype=float)

    def verify_ms(self, num_speculative_tokens: Any, batch_size: Any, context_tokens: Any) -> Floats:
        """The pass that checks all drafts of every sequence and one token more of each, in ms."""
        drafts = self._lengths(num_speculative_tokens)
        asked = self._ask(self.verified(drafts), batch_size, context_tokens)
        if self.check_factor == 1:
            return asked
        changed = np.maximum(asked * self.check_factor, np.minimum(asked, self.plain_ms(batch_size, context_tokens)))
        return np.where(drafts > 0, changed, asked)

    def round_ms(self, num_speculative_tokens: Any, batch_size: Any, context_tokens: Any) -> Floats:
        """A round: drafting, the checking pass, overhead and fixed cost where anything is drafted; in ms."""
        drafted = self.by_length.drafts[self._lengths(num_speculative_tokens)] > 0
        at_once: Any = self.overhead_ms
        if self.fixed != NONE:
            at_once = at_once + self.fixed.plain_steps(batch_size) * self.plain_ms(batch_size, context_tokens)
        overhead = np.where(drafted, at_once, 0.0)
        drafting = self.draft_ms(num_speculative_tokens, batch_size, context_tokens)
        return drafting + self.verify_ms(num_speculative_tokens, batch_size, context_tokens) + overhead

    def tpot_ms(self, num_speculative_tokens: Any, batch_size: Any, context_tokens: Any) -> Floats:
        """Time per output token of a sequence: round ÷ tokens per round, in ms."""
        return self.round_ms(num_speculative_tokens, batch_size, context_tokens) / self.tau(num_speculative_tokens)

    def speedup(self, num_speculative_tokens: Any, batch_size: Any, context_tokens: Any) -> Floats:
        """Speedup = tau/rho against the engine without speculation at the same batch; arrays broadcast.

        With other requests beside it the plain step, the draft and the checking pass are those of this batch and
        context, but the identity is the same. k = 0 is the plain engine here: exactly 1.
        """
        plain = self.plain_ms(batch_size, context_tokens)
        return plain / self.tpot_ms(num_speculative_tokens, batch_size, context_tokens)

    def known(self, num_speculative_tokens: Any, batch_size: Any) -> NDArray[np.bool_]:
        """Whether the checking pass is no larger than any measured one; true where it is computed. Arrays broadcast."""
        tokens = np.asarray(batch_size) * self.verified(num_speculative_tokens)
        largest = np.inf if self.largest_tokens is None else self.largest_tokens
        return np.asarray((tokens <= largest) | (np.asarray(num_speculative_tokens) == 0))

    def wasted_ms(self, num_speculative_tokens: Any, batch_size: Any, context_tokens: Any) -> Floats:
        """Time that rejected drafts take in a round: their share of drafting and of the longer pass, in ms.

        Of d drafts d + 1 − tau are rejected on average. Their share of what drafting costs and of what checking all of
        them costs beyond checking one token is time spent for nothing (derived here).
        """
        lengths = self._lengths(num_speculative_tokens)
        drafts = self.by_length.drafts[lengths]
        rejected = np.maximum(drafts + 1 - self.tau(lengths), 0.0)
        share = np.divide(rejected, drafts, out=np.zeros_like(drafts), where=drafts > 0)
        longer = self.verify_ms(lengths, batch_size, context_tokens) - self.plain_ms(batch_size, context_tokens)
        return share * (self.draft_ms(lengths, batch_size, context_tokens) + np.maximum(longer, 0.0))

    @property
    def off_speedup(self) -> float:
        """Speed of the engine with speculation loaded and k = 0, against the plain one: 1 − standing cost."""
        return 1.0 - self.standing_cost
