"""Ways of drafting side by side, on one target, batch and context."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.base.params import declarations, quantity, quantity_like
from specmodel.methods._method import Choice, Method
from specmodel.methods._published import Published
from specmodel.serving.fixed_cost import NONE, FixedCost
from specmodel.serving.load import Drafter
from specmodel.serving.passes import PassMs


@dataclass(frozen=True)
class MethodRow:
    """One way of drafting in the comparison; `curve` is its speedup at each of the batch sizes asked for.

    Where passes were measured, the curve is nan beyond the largest of them, and `extrapolated` says that the numbers at
    this batch are.
    """

    choice: Choice
    curve: tuple[float, ...]
    extrapolated: bool
    speedup_at_one: float = quantity(
        "Speedup of one request", "Speed against plain decoding, one request at a time.", unit="×"
    )
    speedup: float = quantity(
        "Speedup at this batch", "Speed against plain decoding of the same batch and context.", unit="×"
    )
    tau: float = quantity(
        "Tokens per round", "Tokens that come out of a round on average, the bonus token included.", symbol="τ"
    )
    rho: float = quantity(
        "Cost of a round", "A round ÷ one plain decoding step, at this batch and context.", unit="×", symbol="ρ"
    )
    wasted_per_token: float = quantity(
        "Drafts wasted per token", "Draft tokens thrown away for each token that comes out."
    )
    verified_tokens: float = quantity(
        "Tokens checked per round", "Tokens of one sequence in the checking pass, on average.", format=",.1f"
    )
    weights_billions: float | None = quantity_like(declarations(Drafter)["weights_billions"])
    cache_bytes_per_token: float | None = quantity_like(declarations(Drafter)["cache_bytes_per_token"])

    @property
    def method(self) -> Method:
        """The way of drafting."""
        return self.choice.method

    @property
    def row(self) -> Published:
        """The published row that its values start from."""
        return self.choice.row

    @property
    def matches(self) -> bool:
        """Whether that row was published for the visitor's task."""
        return self.choice.matches

    @property
    def lossless(self) -> str:
        """Whether the output is the target's own: "yes", "no" or "depends"."""
        return self.choice.lossless


def compare(
    methods_with_values: Sequence[Choice],
    pass_ms: PassMs,
    *,
    batch_size: float,
    context_tokens: float,
    overhead_ms: float = 0.0,
    fixed: FixedCost = NONE,
    batch_sizes: Any = (),
) -> tuple[MethodRow, ...]:
    """Speedup, tokens and cost of a round, waste and memory of each way of drafting, in the order given.

        speedup = tau ÷ rho,  rho = (drafting + checking + overhead) ÷ plain step + fixed cost

    The same identity as for one request (Leviathan et al. 2023, Theorem 3.8, with measured costs in place of its c);
    the plain step, the drafting and the checking pass are those of the batch.

    >>> from specmodel.methods import Task, find
    >>> from specmodel.serving.passes import AffinePass
    >>> chosen = [find("ngram").choose(Task("code", 0)), find("medusa").choose(Task("code", 0))]
    >>> rows = compare(chosen, AffinePass(), batch_size=64, context_tokens=1024)
    >>> [row.speedup_at_one > row.speedup for row in rows]
    [True, True]
    """
    batches = np.array([1.0, batch_size, *np.asarray(batch_sizes, dtype=float)])
    plain = np.asarray(pass_ms(1.0, batches, context_tokens), dtype=float) + np.zeros_like(batches)
    found, largest = [], getattr(pass_ms, "largest", np.inf)
    for choice in methods_with_values:
        proposal = choice.proposal
        rho = (proposal.round_ms(pass_ms, batches, context_tokens, overhead_ms, fixed) + np.zeros_like(batches)) / plain
        speedup = (proposal.tau / rho).tolist()
        known = batches * proposal.verified_tokens <= largest
        found.append(
            MethodRow(
                choice=choice,
                speedup_at_one=speedup[0],
                speedup=speedup[1],
                tau=proposal.tau,
                rho=float(rho[1]),
                wasted_per_token=proposal.wasted_per_token,
                verified_tokens=float(proposal.verified_tokens),
                weights_billions=choice.weights_billions,
                cache_bytes_per_token=choice.cache_bytes_per_token,
                curve=tuple(np.where(known, speedup, np.nan).tolist()[2:]),
                extrapolated=not known[1],
            )
        )
    return tuple(found)
