"""The question (`Scenario`), and what follows from it at once: cost of a round, rounds needed.

`specmodel.model.outcome` has the whole answer.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.params import Declared, factors, param
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import RoundCost, round_cost
from specmodel.model.mean_rounds import mean_rounds, mean_rounds_by_length
from specmodel.model.rounds import RoundsToEmit, rounds_distribution
from specmodel.model.vocabulary import effective_alpha

MAX_SPECULATIVE_TOKENS = 64


@dataclass(frozen=True)
class Scenario(Declared):
    """Every parameter of the question. Without arguments it is the case of the article that started this project.

    Raises `OutOfDomain` for a value outside its domain and `UnknownParameter` from `replace` for a misspelt name.

    >>> Scenario().replace(alpha=0.8).effective_alpha
    0.8
    """

    alpha: float = param(
        "Acceptance probability",
        "Chance that a draft token is accepted, given that all drafts before it in the round were. "
        "Not the share of drafts accepted, which is lower.",
        default=0.6,
        low=0,
        high=1,
        slider=(0, 1, 0.01),
        format=".2f",
        symbol="α",
        key="alpha",
    )
    num_speculative_tokens: int = param(
        "Draft tokens per round",
        "How many tokens the drafter proposes before the target checks them in one pass. 0 turns speculation off.",
        default=5,
        low=0,
        high=MAX_SPECULATIVE_TOKENS,
        slider=(0, 16, 1),
        format="d",
        symbol="k",
        key="k",
        integer=True,
    )
    target_ms: float = param(
        "Target step",
        "Time of one plain decoding step of the large model, which also is the time of one verification pass "
        "unless extra time per verified token is set.",
        default=22,
        low=0.001,
        high=100_000,
        slider=(1, 100, 0.5),
        format=",.2f",
        unit="ms",
        symbol="t_t",
        key="target",
    )
    draft_ms: float = param(
        "Draft step",
        "Time in which the drafter proposes one token. A round drafts one token after another.",
        default=3,
        low=0,
        high=100_000,
        slider=(0, 30, 0.1),
        format=",.2f",
        unit="ms",
        symbol="t_d",
        key="draft",
    )
    vocabulary_overlap: float = param(
        "Vocabulary overlap",
        "Share of the target's vocabulary that the drafter knows. The article's simplified rule multiplies the "
        "acceptance probability by it; the Vocabulary page shows what that leaves out.",
        default=1,
        low=0,
        high=1,
        slider=(0, 1, 0.01),
        format=".2f",
        symbol="v",
        key="overlap",
    )
    output_tokens: int = param(
        "Output length",
        "Tokens of one answer. Rounds run until at least this many tokens are out.",
        default=4000,
        low=1,
        high=1_000_000,
        slider=(100, 8000, 100),
        format=",d",
        unit="tokens",
        symbol="N",
        key="tokens",
        integer=True,
    )
    verify_ms_per_token: float = param(
        "Extra time per verified token",
        "What each token beyond the first adds to a verification pass. 0 is the assumption of most formulas; "
        "real engines add something.",
        default=0,
        low=0,
        high=100_000,
        slider=(0, 5, 0.05),
        format=",.2f",
        unit="ms",
        symbol="t_v",
        key="verify",
    )
    overhead_ms: float = param(
        "Fixed cost of a round",
        "Time that a round with speculation takes however many tokens it drafts: sampling, bookkeeping, scheduling, "
        "preparing the drafter. Published sweeps: 0.1 plain steps (vLLM) to 0.4 (EAGLE on Hugging Face).",
        default=0,
        low=0,
        high=100_000,
        slider=(0, 10, 0.1),
        format=",.2f",
        unit="ms",
        symbol="t_o",
        key="overhead",
    )
    prompt_spread: float = param(
        "Difference between prompts",
        "Standard deviation of the acceptance between single answers. 0 takes all prompts as equally easy, which makes "
        "the 5 to 95 % band of single answers too narrow; means do not use it. Measured runs bring their own.",
        default=0,
        low=0,
        high=0.5,
        slider=(0, 0.3, 0.01),
        format=".2f",
        symbol="σ_α",
        key="pspread",
    )
    acceptance_shape: tuple[float, ...] = factors(
        "Acceptance by position",
        "Factors by which the acceptance at position 2, 3, … differs from that at position 1. Empty: the same "
        "everywhere, the assumption of most formulas. Measurements bring their own; the last factor holds beyond.",
        high=1000,
        symbol="r_i",
        key="shape",
    )

    @cached_property
    def effective_alpha(self) -> float:
        """Acceptance probability after the loss to tokens that the drafter does not know."""
        return effective_alpha(self.alpha, self.vocabulary_overlap)

    @cached_property
    def acceptance(self) -> Acceptance:
        """Distribution of the accepted drafts of one round."""
        return self.acceptance_at(self.num_speculative_tokens)

    def acceptance_at(self, num_speculative_tokens: int) -> Acceptance:
        """The same drafter in rounds of another length.

        >>> Scenario(alpha=0.5).acceptance_at(2).per_position_acceptance
        (0.5, 0.25)
        """
        return Acceptance.shaped(self.effective_alpha, num_speculative_tokens, self.acceptance_shape)

    def with_one_alpha(self) -> "Scenario":
        """The same tokens per round from one alpha at every position.

        >>> round(Scenario(alpha=0.5, num_speculative_tokens=2, acceptance_shape=(0.5,)).with_one_alpha().alpha, 4)
        0.4354
        """
        tau, k = self.acceptance.mean_acceptance_length, self.num_speculative_tokens
        if not k or not self.vocabulary_overlap:
            return self.replace(acceptance_shape=())
        alpha = Acceptance.from_mean_acceptance_length(tau, k).per_position_acceptance[0] / self.vocabulary_overlap
        return self.replace(alpha=min(alpha, 1.0), acceptance_shape=())

    @cached_property
    def round_cost(self) -> RoundCost:
        """Milliseconds of the parts of one round."""
        return costs_at(self, self.num_speculative_tokens)

    @property
    def baseline_ms(self) -> float:
        """Decoding time of the output without speculation, in ms."""
        return self.output_tokens * self.target_ms


def costs_at(scenario: Scenario, num_speculative_tokens: object) -> RoundCost:
    """Cost of a round of the scenario's engine at another draft length, or at an array of them.

    >>> float(costs_at(Scenario(), 1).round_ms)
    25.0
    """
    return round_cost(
        num_speculative_tokens,  # type: ignore[arg-type]
        target_ms=scenario.target_ms,
        draft_ms=scenario.draft_ms,
        verify_ms_per_token=scenario.verify_ms_per_token,
        overhead_ms=scenario.overhead_ms,
    )


def cost_ratio(scenario: Scenario) -> float:
    """rho: time of one round ÷ time of one plain decoding step. With free verification 1 + k·t_d/t_t.

    Source: Leviathan et al. 2023, Theorem 3.8, whose denominator this is.

    >>> round(cost_ratio(Scenario()), 3)
    1.682
    """
    return float(scenario.round_cost.round_ms) / scenario.target_ms


def mean_rounds_at(scenario: Scenario, max_speculative_tokens: int) -> Floats:
    """Expected rounds of one output at every draft length k = 0 … max, all else as in the scenario. Exact.

    >>> mean_rounds_at(Scenario(), 5).round(1)[[0, 5]].tolist()
    [4000.0, 1678.8]
    """
    if not scenario.acceptance_shape:
        return mean_rounds_by_length(scenario.effective_alpha, max_speculative_tokens, scenario.output_tokens)
    lengths = range(max_speculative_tokens + 1)
    return np.array([mean_rounds(scenario.acceptance_at(k), scenario.output_tokens) for k in lengths])


def rounds_to_emit(scenario: Scenario) -> RoundsToEmit:
    """The whole distribution of the rounds needed to emit at least N tokens: exact, not sampled.

    Its `mean`, `sd`, `quantile(q)` and `pmf` are over rounds; `total_ms` and `wasted_draft_tokens` are the
    distributions of time and waste that follow from it.

    >>> rounds_to_emit(Scenario()).quantile([0.025, 0.5, 0.975]).tolist()
    [1626.0, 1679.0, 1732.0]
    """
    return rounds_distribution(scenario.acceptance, scenario.output_tokens, float(scenario.round_cost.round_ms))
