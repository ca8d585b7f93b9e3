"""The answer to a scenario: every number declared with its label, definition and unit, and the verdict."""

from dataclasses import dataclass
from typing import Literal

from specmodel.base.messages import Message
from specmodel.base.params import quantity
from specmodel.model.answer_spread import rounds_quantiles
from specmodel.model.break_even import break_even_alpha
from specmodel.model.scenario import Scenario, cost_ratio, mean_rounds_at

BAND = (0.05, 0.95)
CLOSE = 0.02
"""Speeds that differ by less than this share are too close to call: no two runs of an engine tell them apart."""


@dataclass(frozen=True)
class Verdict:
    """Whether speculation pays, and the reason in a sentence; two runs at unlike load are not comparable."""

    kind: Literal["pays", "does_not_pay", "too_close", "off", "not_comparable"]
    reason: Message


@dataclass(frozen=True)
class Outcome:
    """What a scenario comes to. All numbers are exact means of the model; `total_ms_low/high` are its quantiles."""

    verdict: Verdict
    effective_alpha: float = quantity(
        "Effective acceptance",
        "Acceptance probability after the loss to tokens that the drafter does not know.",
        symbol="α·v",
        format=".3f",
    )
    mean_acceptance_length: float = quantity(
        "Tokens per round",
        "Mean acceptance length: tokens that one round emits on average, bonus token included. Exact.",
        symbol="τ",
        format=".3f",
    )
    draft_acceptance_rate: float | None = quantity(
        "Drafts accepted",
        "Accepted ÷ drafted tokens. Lower than the acceptance probability, because drafts after a rejection count too.",
        format=".1%",
    )
    cost_ratio: float = quantity(
        "Cost of a round",
        "Time of one round ÷ time of one plain decoding step. Speculation pays when the tokens per round exceed it.",
        symbol="ρ",
        unit="×",
        format=".3f",
    )
    round_ms: float = quantity(
        "Time of a round", "Drafting, verification and overhead of one round.", unit="ms", format=",.2f"
    )
    tpot_ms: float = quantity(
        "Time per output token", "Time of a round ÷ tokens per round, in the long run.", unit="ms", format=",.2f"
    )
    total_ms: float = quantity(
        "Time with speculation",
        "Expected decoding time of one output of this length: exact mean number of rounds × time of a round.",
        unit="ms",
        format=",.0f",
    )
    total_ms_low: float = quantity(
        "Time with speculation, 5 %",
        "One output in twenty is faster than this (exact for prompts that differ as set).",
        unit="ms",
        format=",.0f",
    )
    total_ms_high: float = quantity(
        "Time with speculation, 95 %",
        "One output in twenty is slower than this (exact for prompts that differ as set).",
        unit="ms",
        format=",.0f",
    )
    baseline_ms: float = quantity(
        "Time without speculation", "Output length × time of one plain decoding step.", unit="ms", format=",.0f"
    )
    time_ratio: float = quantity(
        "Time ratio", "Time with ÷ time without speculation, in the long run. Below 1 is faster.", format=".3f"
    )
    speedup: float = quantity(
        "Speedup",
        "Time without ÷ time with speculation, in the long run: tokens per round ÷ cost of a round. Above 1 is faster.",
        unit="×",
        format=".2f",
    )
    num_rounds: float = quantity(
        "Rounds",
        "Expected rounds until the output is complete. Exact, not output length ÷ tokens per round.",
        format=",.1f",
    )
    num_draft_tokens: float = quantity(
        "Draft tokens", "Tokens proposed by the drafter for one output, on average.", unit="tokens", format=",.0f"
    )
    num_accepted_draft_tokens: float = quantity(
        "Accepted drafts", "Proposed tokens that were kept, bonus tokens not counted.", unit="tokens", format=",.0f"
    )
    num_wasted_draft_tokens: float = quantity(
        "Wasted drafts", "Proposed tokens that were thrown away.", unit="tokens", format=",.0f"
    )
    wasted_per_token: float = quantity(
        "Wasted per token", "Drafts thrown away for each token that is emitted.", unit="drafts", format=".2f"
    )
    wasted_ms: float = quantity(
        "Wasted drafting time", "Drafting time of the tokens that were thrown away.", unit="ms", format=",.0f"
    )
    wasted_ms_per_token: float = quantity(
        "Wasted time per token", "Drafting time thrown away for each token that is emitted.", unit="ms", format=".2f"
    )
    accepted_tokens_per_ms: float = quantity(
        "Accepted drafts per ms",
        "Accepted draft tokens ÷ total time: progress that speculation buys per millisecond.",
        unit="/ms",
        format=".4f",
    )
    break_even_alpha: float | None = quantity(
        "Break-even, effective",
        "Effective acceptance at which speculation takes exactly as long as plain decoding. "
        "A dash where even accepting everything would not pay.",
        format=".3f",
    )
    alpha_needed: float | None = quantity(
        "Break-even",
        "Acceptance probability at which speculation takes exactly as long as plain decoding, before the vocabulary "
        "loss: effective break-even ÷ vocabulary overlap. A dash where even accepting everything would not pay.",
        symbol="α*",
        format=".3f",
    )


def evaluate(scenario: Scenario) -> Outcome:
    """Everything the model says about a scenario. Exact: nothing is sampled.

    In the long run a round emits tau tokens and costs rho plain decoding steps, so Speedup = tau/rho (Leviathan et al.
    2023, Theorem 3.8, with measured costs in place of 1 + k·c). Totals are those of one output of N tokens: the
    expected number of rounds solves M(n) = 1 + Σ_t P(T = t)·M(n − t), and by Wald's identity a run of R rounds emits
    tau·E[R] tokens, of which (tau − 1)·E[R] were accepted drafts.

    >>> outcome = evaluate(Scenario())
    >>> round(outcome.time_ratio, 3), round(outcome.num_rounds, 1), outcome.verdict.kind
    (0.706, 1678.8, 'pays')
    """
    acceptance, cost = scenario.acceptance, float(scenario.round_cost.round_ms)
    tau, drafts = acceptance.mean_acceptance_length, scenario.num_speculative_tokens
    rounds = float(mean_rounds_at(scenario, drafts)[-1])
    wasted, rho, threshold = (drafts + 1 - tau) * rounds, cost_ratio(scenario), break_even_alpha(scenario)
    low, high = band_ms(scenario)
    return Outcome(
        effective_alpha=scenario.effective_alpha,
        mean_acceptance_length=tau,
        draft_acceptance_rate=acceptance.draft_acceptance_rate,
        cost_ratio=rho,
        round_ms=cost,
        tpot_ms=cost / tau,
        total_ms=rounds * cost,
        total_ms_low=low,
        total_ms_high=high,
        baseline_ms=scenario.baseline_ms,
        time_ratio=rho / tau,
        speedup=tau / rho,
        num_rounds=rounds,
        num_draft_tokens=drafts * rounds,
        num_accepted_draft_tokens=(tau - 1) * rounds,
        num_wasted_draft_tokens=wasted,
        wasted_per_token=(drafts + 1 - tau) / tau,
        wasted_ms=wasted * scenario.draft_ms,
        wasted_ms_per_token=(drafts + 1 - tau) / tau * scenario.draft_ms,
        accepted_tokens_per_ms=(tau - 1) / cost,
        break_even_alpha=threshold,
        alpha_needed=_alpha_needed(threshold, scenario.vocabulary_overlap),
        verdict=_verdict(scenario, tau, rho, rounds * cost, (low, high)),
    )


def band_ms(scenario: Scenario) -> tuple[float, float]:
    """The 5 and 95 % quantiles of the decoding time of one answer, in ms; prompts differ as the scenario says.

    >>> [round(ms) for ms in band_ms(Scenario())], [round(ms) for ms in band_ms(Scenario(prompt_spread=0.1))]
    ([60495, 63751], [44400, 84249])
    """
    shape, cost = scenario.acceptance_shape, float(scenario.round_cost.round_ms)
    low, high = rounds_quantiles(
        scenario.effective_alpha,
        scenario.num_speculative_tokens,
        scenario.output_tokens,
        shape,
        scenario.prompt_spread,
        BAND,
    )
    return low * cost, high * cost


def _alpha_needed(threshold: float | None, overlap: float) -> float | None:
    if threshold is None or threshold > overlap:
        return None
    return threshold / overlap if threshold else 0.0


def _verdict(scenario: Scenario, tau: float, rho: float, total: float, band: tuple[float, float]) -> Verdict:
    numbers = {
        "tau": tau,
        "rho": rho,
        "most": scenario.num_speculative_tokens + 1,
        "total": total / 1000,
        "low": band[0] / 1000,
        "high": band[1] / 1000,
        "baseline": scenario.baseline_ms / 1000,
        "output": scenario.output_tokens,
    }
    if scenario.num_speculative_tokens == 0:
        return Verdict("off", Message("Nothing is drafted: every token costs one plain decoding step."))
    if break_even_alpha(scenario) is None:
        reason = (
            "A round costs {rho:.2f} plain decoding steps but can emit {most} tokens at most: no acceptance would pay."
        )
        return Verdict("does_not_pay", Message(reason, numbers))
    if band[0] <= scenario.baseline_ms <= band[1]:
        reason = (
            "Nine outputs in ten take {low:,.2f} to {high:,.2f} s, and plain decoding takes {baseline:,.2f} s: "
            "inside that spread."
        )
        return Verdict("too_close", Message(reason, numbers))
    if abs(tau / rho - 1) < CLOSE:
        reason = (
            "A round emits {tau:.2f} tokens and costs {rho:.2f} plain decoding steps: that is less than 2 % apart, and "
            "no two runs of an engine tell that apart."
        )
        return Verdict("too_close", Message(reason, numbers))
    if total < scenario.baseline_ms:
        reason = "A round emits {tau:.2f} tokens and costs only {rho:.2f} plain decoding steps."
        return Verdict("pays", Message(reason, numbers))
    reason = "A round emits {tau:.2f} tokens but costs {rho:.2f} plain decoding steps."
    if tau > rho:
        reason = (
            "A round emits {tau:.2f} tokens and costs {rho:.2f} plain decoding steps, but an answer of {output} tokens "
            "is too short: its last round runs past the end."
        )
    return Verdict("does_not_pay", Message(reason, numbers))
