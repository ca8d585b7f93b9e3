"""Suffix decoding: a tree of all text so far, past answers too; the longer the match, the longer the draft."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.base.messages import N_
from specmodel.base.params import Declared, param
from specmodel.methods._method import Method
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.proposal import Proposal


@dataclass(frozen=True)
class Suffix(Declared):
    """Drafts as long as the match allows: how many on average, and what share of them is accepted."""

    num_draft_tokens: float = param(
        "Drafts per round",
        "Drafts proposed in a round on average, rounds without a match counted. The length of the match decides in "
        "each round, so this is a result of the text and not a setting.",
        default=4.211,
        low=0,
        high=64,
        format=",.2f",
        unit="drafts",
        key="suffix_drafts",
    )
    draft_acceptance_rate: float = param(
        "Share of drafts accepted",
        "Accepted drafts ÷ proposed drafts. Not the chance of one draft.",
        default=0.19,
        low=0,
        high=1,
        format=".0%",
        key="suffix_rate",
    )
    longest: int = param(
        "Longest draft",
        "The most drafts in a round. Where more are proposed on average, that many.",
        default=32,
        low=1,
        high=64,
        format="d",
        unit="drafts",
        key="suffix_longest",
        integer=True,
    )
    draft_token_ms: float = param(
        "Time of a draft on the host",
        "What the host takes to look up one draft of one sequence; the sequences of a batch one after another.",
        default=0.00372,
        low=0,
        high=1_000,
        format=",.5f",
        unit="ms",
        key="suffix_ms",
    )


def _propose(values: Suffix) -> Proposal:
    drafts, per_sequence = values.num_draft_tokens, values.num_draft_tokens * values.draft_token_ms

    def on_the_host(batch_size: Any) -> Any:
        return per_sequence * np.asarray(batch_size, dtype=float)

    longest = max(values.longest, int(np.ceil(drafts)))
    accepted = Acceptance.from_mean_acceptance_length(1 + drafts * values.draft_acceptance_rate, longest)
    cost = DraftCost("lookup", step_ms=on_the_host)
    return Proposal(accepted, drafts, 1 + drafts, cost, int(drafts > 0))


METHOD = Method(
    key="suffix",
    order=30,
    label=N_("Suffix decoding"),
    params=Suffix,
    propose=_propose,
    wins=N_(
        "In loops of agents that write the same again: 6.3 tokens a round and 5.3 times the speed on AgenticSQL, 7.8 "
        "tokens on SWE-Bench (Oliaro et al. 2024). Editing code ran 3.3 times as fast with one request and 1.8 times "
        "with 64 (Blazedit, vLLM)."
    ),
    loses=N_(
        "On open chat: 1.8 tokens a round on Spec-Bench, of whose drafts one in five is accepted; in vLLM 1.25 times "
        "with one request and 0.96 times with 64."
    ),
    needs=N_(
        "Nothing to train. To host: trees of the text in the host's memory (433 MB in the authors' test) and a little "
        "of the host's processor. Past answers help only where requests resemble each other."
    ),
    trained=False,
    lossless="yes",
    lossless_note=N_("The target checks every draft."),
    citation="Oliaro, Jia, Campos, Qiao 2024, arXiv 2411.04975",
    length="",
)
