"""One judged point: what a rule predicted of a measured value, with its band, and the rules there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from specmodel.base.messages import N_

Quantity = Literal["tokens", "speedup", "cost", "pass"]
QUANTITIES: Mapping[str, str] = {
    "tokens": N_("tokens per round"),
    "speedup": N_("speedup"),
    "cost": N_("cost of a round in plain steps"),
    "pass": N_("time of a pass"),
}
Reach = Literal["same", "shorter", "longer"]
REACHES: Mapping[str, str] = {
    "same": N_("same k"),
    "shorter": N_("shorter"),
    "longer": N_("longer"),
}
FAR = 2.0
SLACK = 1.02
"""A speedup this far above tokens per round is more than the last printed digit explains."""


@dataclass(frozen=True)
class Rule:
    """A rule: its name, what it was given, what it predicts, and the band it states (empty: none)."""

    key: str
    name: str
    given: str
    predicts: str
    band: str = ""


_RULES = (
    Rule(
        "engine",
        N_("Your engine, another draft length"),
        N_("Acceptance and time of a step at one k, and a plain step."),
        N_("Tokens per step and speedup at another k, as the page Your engine says them."),
        N_("95 %, the step to another k included."),
    ),
    Rule(
        "replay",
        N_("Replay"),
        N_("Acceptance by position at one k."),
        N_("Tokens per round at a shorter k: the same text drafted anew."),
        N_("From prefix to replay, with a margin."),
    ),
    Rule(
        "one_rate",
        N_("Shorter, from one rate"),
        N_("Tokens per round at one k, no positions."),
        N_("Tokens per round at a shorter k."),
        N_("From constant to falling acceptance, with a margin."),
    ),
    Rule(
        "longer",
        N_("Longer"),
        N_("Acceptance at one k."),
        N_("Tokens per round at a longer k: between one alpha and the last position carried on."),
        N_("From one alpha to the last position carried on, with a margin."),
    ),
    Rule(
        "prefix",
        N_("Prefix"),
        N_("Acceptance by position at one k."),
        N_("Tokens per round at a shorter k: the same rounds stopped earlier."),
    ),
    Rule(
        "one_alpha_elsewhere",
        N_("One alpha, another k"),
        N_("Tokens per round at one k."),
        N_("Tokens per round at another k with the same alpha at every position."),
    ),
    Rule(
        "carried",
        N_("Last position carried on"),
        N_("Acceptance by position at one k."),
        N_("Tokens per round at a longer k."),
    ),
    Rule(
        "one_alpha",
        N_("One alpha"),
        N_("Alpha and k; for a speedup also the cost of a draft in plain steps."),
        N_("Tokens per round, or speedup, at the same k (Leviathan et al. 2023, theorem 3.8)."),
    ),
    Rule(
        "by_position",
        N_("By position"),
        N_("Acceptance at each position, measured apart."),
        N_("Tokens per round at the same k."),
    ),
    Rule(
        "free",
        N_("Free drafting and verification"),
        N_("Tokens per round."),
        N_("Speedup = tokens per round: an upper bound, as often quoted."),
    ),
    Rule(
        "parts",
        N_("Times of a round"),
        N_("Tokens per round, and the times of drafting, verification and a plain step."),
        N_("Speedup at the same k."),
    ),
    Rule(
        "other_text",
        N_("Cost of a round, other text"),
        N_("Cost of a round on one kind of text, tokens per round on another."),
        N_("Speedup on the other text, at the same k and on the same machine."),
    ),
    Rule(
        "fixed_per_draft",
        N_("Fixed + per draft, from one k"),
        N_("Cost of a round at one k."),
        N_("Cost of a round at another k: half of what is beyond a plain step fixed, half per draft."),
        N_("From all of it fixed to all of it per draft."),
    ),
    Rule(
        "fixed_per_draft_fit",
        N_("Fixed + per draft, fitted"),
        N_("Cost of a round at all other measured k, two or more."),
        N_("Cost of a round at the k left out."),
        N_("95 % of the fit."),
    ),
    Rule(
        "straight_line",
        N_("Straight line from the plain step"),
        N_("Cost of a round at one k."),
        N_("Cost of a round at another k: all of it per draft."),
    ),
    Rule(
        "roofline",
        N_("Roofline preset"),
        N_("Model, accelerator, batch and context; for a speedup also acceptance and the time of drafting."),
        N_("Time of a plain step, cost of verification in plain steps, or speedup."),
    ),
    Rule(
        "calibrated",
        N_("Roofline, calibrated"),
        N_("The same, and one measured plain step (or one measured speedup) of the same group."),
        N_("The same at the group's other batches and contexts."),
    ),
)
RULES: Mapping[str, Rule] = {rule.key: rule for rule in _RULES}


@dataclass(frozen=True)
class Point:
    """One prediction beside what was measured. `low` and `high` are the stated band, None where the rule states none.

    `k_from` is the draft length that was given, `k_to` the predicted one; None for trees and plain steps. `tokens` are
    those per step as measured, `tokens_error` what the prediction of a speedup had wrong of them, `rounds` how many
    were counted.

    >>> point = Point("replay", "tokens", "mine", "", 3.0, 2.0, 1.9, 3.2, k_from=5, k_to=3)
    >>> point.error, point.held, point.reach
    (0.5, True, 'shorter')
    """

    rule: str
    quantity: str
    source: str
    setup: str
    predicted: float
    measured: float
    low: float | None = None
    high: float | None = None
    k_from: int | None = None
    k_to: int | None = None
    drafter: str = ""
    experts: bool = False
    batch: float | None = None
    tokens: float | None = None
    tokens_error: float | None = None
    rounds: float | None = None
    note: str = ""

    @property
    def error(self) -> float:
        """Predicted ÷ measured − 1: above 0 where too much was promised."""
        return self.predicted / self.measured - 1

    @property
    def held(self) -> bool | None:
        """Whether the stated band holds what was measured; None where the rule states none."""
        if self.low is None or self.high is None:
            return None
        return self.low <= self.measured <= self.high

    @property
    def half_width(self) -> float | None:
        """Half the width of the stated band as a share of the prediction; None where the rule states none."""
        return None if self.low is None or self.high is None else (self.high - self.low) / (2 * self.predicted)

    @property
    def reach(self) -> Reach:
        """Whether the predicted draft length is the given one, a shorter or a longer one."""
        if self.k_from is None or self.k_to is None or self.k_from == self.k_to:
            return "same"
        return "shorter" if self.k_to < self.k_from else "longer"

    @property
    def far(self) -> bool:
        """Whether k + 1 changes by more than a factor of two."""
        if self.k_from is None or self.k_to is None:
            return False
        ratio = (self.k_to + 1) / (self.k_from + 1)
        return max(ratio, 1 / ratio) > FAR

    @property
    def unreachable(self) -> bool:
        """Whether no model of this kind can reach it: a speedup above tokens per round.

        A round would have to cost less than a plain step. `tokens` are those per round.
        """
        return self.quantity == "speedup" and self.tokens is not None and self.measured > self.tokens * SLACK
