"""The numbers by which engines tell of acceptance, what each of them counts, and how one becomes another.

With k drafts in a round, tau tokens per round (bonus token included) and S_i the share of rounds that accepted draft i:
accepted ÷ drafted = (tau − 1)/k; tau = 1 + S_1 + … + S_k; a_i = S_i/S_{i−1}.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.model.acceptance import Acceptance


class RateError(SpecmodelError):
    """A printed number that cannot be what it is said to be."""


@dataclass(frozen=True)
class Definition:
    """One way of printing acceptance: label, formula, the engines that use it, and whether it needs k."""

    key: str
    label: str
    formula: str
    meaning: str
    used_by: str
    needs_k: bool = True
    list_of_values: bool = False
    percent: bool = False


DEFINITIONS: Mapping[str, Definition] = {
    each.key: each
    for each in (
        Definition(
            "accepted_per_drafted",
            N_("Accepted ÷ drafted"),
            "(τ − 1) / k",
            N_("Share of all drafted tokens that were kept. Not α: drafts after a rejection count as rejected."),
            "vLLM, llama.cpp, LMDeploy, TensorRT-LLM, SGLang ≥ 0.5.12",
            percent=True,
        ),
        Definition(
            "length_with_bonus",
            N_("Acceptance length, bonus token included"),
            "τ = 1 + S₁ + … + S_k",
            N_("Tokens that a round emits: accepted drafts and the one token of the target itself."),
            "vLLM ≥ 0.9, SGLang, llama.cpp (mean len), LMDeploy, TensorRT-LLM, Spec-Bench, MLC-LLM",
        ),
        Definition(
            "length_without_bonus",
            N_("Accepted drafts per round, without the bonus token"),
            "τ − 1",
            N_("Drafts that a round keeps; one less than the tokens it emits."),
            "vLLM 0.8.5, gpt-fast, SGLang (ema_accept_len)",
        ),
        Definition(
            "per_position",
            N_("Acceptance by position, of all rounds"),
            "S_i",
            N_("Share of all rounds in which draft i was kept. It never rises."),
            "vLLM, LMDeploy, llama.cpp, TensorRT-LLM",
            needs_k=False,
            list_of_values=True,
        ),
        Definition(
            "conditional",
            N_("Acceptance by position, given all before"),
            "a_i = S_i / S_{i−1}",
            N_("Share of the rounds that kept draft i − 1 which kept draft i too: the α of the model, by position."),
            "MLC-LLM (accept_rate), Ollama (depth controller), EAGLE (n-alpha)",
            needs_k=False,
            list_of_values=True,
        ),
        Definition(
            "sglang_old_rate",
            N_("SGLang's old accept rate"),
            "τ / (k + 1)",
            N_("Counts the bonus token on both sides, so it can never be 0."),
            "SGLang 0.5.3 – 0.5.10",
            percent=True,
        ),
        Definition(
            "v0_efficiency",
            N_("System efficiency of vLLM V0"),
            "τ / (k + 1)",
            N_("Tokens emitted ÷ the most that its rounds could have emitted."),
            "vLLM V0",
            percent=True,
        ),
        Definition(
            "v0_rate",
            N_("Draft acceptance rate of vLLM V0"),
            "matches ÷ drafted",
            N_("Counts matching tokens behind a rejection too, so it cannot be turned into tokens per round."),
            "vLLM V0",
            percent=True,
        ),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Rates:
    """One acceptance in every definition; `alpha` is the one that gives the same tokens per round at this k."""

    num_speculative_tokens: int
    acceptance: Acceptance
    alpha: float
    by_position_assumed: bool

    @property
    def values(self) -> dict[str, float | tuple[float, ...]]:
        """The value under each definition that it can be turned into."""
        tau, k = self.acceptance.mean_acceptance_length, self.num_speculative_tokens
        return {
            "accepted_per_drafted": (tau - 1) / k,
            "length_with_bonus": tau,
            "length_without_bonus": tau - 1,
            "per_position": self.acceptance.per_position_acceptance,
            "conditional": self.acceptance.conditional_acceptance,
            "sglang_old_rate": tau / (k + 1),
            "v0_efficiency": tau / (k + 1),
        }


def translate_rate(definition: str, value: float | Sequence[float], num_speculative_tokens: int | None = None) -> Rates:
    """The same acceptance under all definitions.

    A single number needs k. What cannot be raises `RateError` or `SpecmodelError`: a length of 5 from 3 drafts, a rate
    above 1, rates that rise by position, V0's rate, which counts matches behind a rejection. By position one alpha is
    then assumed for all: tau = 1 + alpha + … + alpha^k (Leviathan et al. 2023, eq. 1), solved for alpha.

    >>> found = translate_rate("accepted_per_drafted", 0.6, 3)
    >>> round(found.values["length_with_bonus"], 9), round(found.alpha, 3)
    (2.8, 0.765)
    >>> round(translate_rate("sglang_old_rate", 0.7, 3).values["accepted_per_drafted"], 9)
    0.6
    """
    declared = DEFINITIONS[definition]
    if declared.list_of_values:
        values = list(value) if isinstance(value, Sequence) else [value]
        make = Acceptance.from_conditional if definition == "conditional" else Acceptance.from_per_position
        acceptance = make(values)
        k = acceptance.num_speculative_tokens
        if not k:
            raise RateError(Message("no acceptance was given"))
        tau = acceptance.mean_acceptance_length
        return Rates(k, acceptance, one_alpha(tau, k), by_position_assumed=False)
    if not num_speculative_tokens:
        raise RateError(Message("a single number needs the draft tokens per round (k) to become an acceptance"))
    tau = _length(definition, float(value), num_speculative_tokens)  # type: ignore[arg-type]
    acceptance = Acceptance.from_mean_acceptance_length(tau, num_speculative_tokens)
    return Rates(num_speculative_tokens, acceptance, acceptance.per_position_acceptance[0], by_position_assumed=True)


def one_alpha(tau: float, num_speculative_tokens: int) -> float:
    """The one alpha under which rounds of k drafts emit tau tokens on average.

    >>> one_alpha(1.75, 2)
    0.5
    """
    return Acceptance.from_mean_acceptance_length(tau, num_speculative_tokens).per_position_acceptance[0]


def _length(definition: str, value: float, k: int) -> float:
    """Tokens per round from one printed number."""
    ways = {
        "accepted_per_drafted": 1 + value * k,
        "length_with_bonus": value,
        "length_without_bonus": 1 + value,
        "sglang_old_rate": value * (k + 1),
        "v0_efficiency": value * (k + 1),
    }
    if definition not in ways:
        raise RateError(
            Message("this rate counts matches behind a rejection too: it says nothing about tokens per round")
        )
    tau = ways[definition]
    if not 1 - 1e-9 <= tau <= (k + 1) * (1 + 1e-9):
        raise RateError(
            Message(
                "{label} = {value} cannot be with {k} drafts: it means {tau:.3g} tokens a round, expected 1 to {most}",
                {"label": DEFINITIONS[definition].label, "value": value, "k": k, "tau": tau, "most": k + 1},
            )
        )
    return min(max(tau, 1.0), k + 1.0)


def readings(value: float, num_speculative_tokens: int) -> dict[str, Rates]:
    """Every definition under which a single number is possible, with what it then means: how far they differ.

    >>> sorted(readings(0.7, 3))
    ['accepted_per_drafted', 'length_without_bonus', 'sglang_old_rate', 'v0_efficiency']
    """
    found = {}
    for key, declared in DEFINITIONS.items():
        if not declared.list_of_values:
            try:
                found[key] = translate_rate(key, value, num_speculative_tokens)
            except RateError:
                continue
    return found
