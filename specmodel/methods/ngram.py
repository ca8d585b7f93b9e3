"""Prompt lookup: the last few tokens are looked for in the text so far, and what followed them there is proposed."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.numbers import whole_number
from specmodel.base.params import Declared, param
from specmodel.methods import _fields
from specmodel.methods._by_depth import two_chances
from specmodel.methods._method import Method
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.proposal import Proposal


@dataclass(frozen=True)
class Ngram(Declared):
    """A lookup: how often it finds something, how often the first draft is then right, and how long runs are."""

    found_share: float = param(
        "Rounds with a match",
        "Share of rounds in which the lookup finds something. The others propose nothing and cost a plain step.",
        default=0.4594,
        low=0,
        high=1,
        format=".0%",
        key="ngram_found",
    )
    first_acceptance: float = _fields.first_acceptance("ngram_first", 0.62)
    later_acceptance: float = _fields.later_acceptance("ngram_later", 0.549)
    num_speculative_tokens: int = _fields.length("ngram_k", 10)
    draft_cost_ratio: float = _fields.round_cost("ngram_c", 0.032)


def persistent_lookup(after_rejection: float, after_match: float, later: float, k: int) -> Acceptance:
    """Accepted drafts of a lookup that goes on copying: the first draft is likelier right after a round that was.

    h = `after_rejection` and g = `after_match` are the chances that the first draft is accepted after a round that was
    not accepted whole and after one that was; a = `later` is the chance of each later draft. Rounds are then a chain
    of two states, with the share F of whole rounds in the long run:

        F = h·a^(k − 1) ÷ (1 − (g − h)·a^(k − 1)),  x = h·(1 − F) + g·F,  S_j = x·a^(j − 1)

    so tokens per round are 1 + x·(1 − a^k) ÷ (1 − a) (derived here: F is what a round in either state leads to).

    >>> round(persistent_lookup(0.13, 0.90, 0.85, 5).mean_acceptance_length, 3)
    1.806
    """
    whole_number(k, "k", 1, MAX_SPECULATIVE_TOKENS)
    whole = later ** (k - 1)
    left = 1 - (after_match - after_rejection) * whole
    share = min(after_rejection * whole / left, 1.0) if left > 0 else 1.0
    return two_chances(after_rejection * (1 - share) + after_match * share, later, k)


def _propose(values: Ngram) -> Proposal:
    k = values.num_speculative_tokens
    first = values.found_share * values.first_acceptance
    proposed = values.found_share * k
    cost = DraftCost("lookup", ratio=values.draft_cost_ratio)
    return Proposal(two_chances(first, values.later_acceptance, k), proposed, 1 + proposed, cost, min(k, 1))


METHOD = Method(
    key="ngram",
    order=20,
    label=N_("N-gram (prompt lookup)"),
    params=Ngram,
    propose=_propose,
    wins=N_(
        "Where the answer copies its context: editing code gave 2.0 tokens a round with three drafts and 2.6 with ten "
        "(SpecDecode-Bench traces, Llama-3.1-8B), summaries 2.4 times the speed (Spec-Bench). A second chat turn finds "
        "more than the first: 1.66 against 1.37 tokens (TensorRT-LLM)."
    ),
    loses=N_(
        "On fresh text: 1.17 tokens a round on GSM8K, 1.04 times the speed on translation. Under load the wrong "
        "guesses cost: on Spec-Bench 1.06 times with one request and 0.80 times with 64 (vLLM). Sampling at "
        "temperature 1 breaks most runs."
    ),
    needs=N_("Nothing to train and nothing to host. The search costs about 0.6 % of a checking pass."),
    trained=False,
    lossless="yes",
    lossless_note=N_("The target checks every draft; the proposals are certain, so sampling stays exact too."),
    citation="Saxena 2023, prompt-lookup-decoding (software); traces: Liu et al. 2026, arXiv 2601.11580",
)
