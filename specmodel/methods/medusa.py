"""Medusa: extra heads on the target guess the next positions at once; the likeliest paths form a tree."""

from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_
from specmodel.base.params import Declared, param
from specmodel.methods import _fields
from specmodel.methods._method import Method
from specmodel.model.acceptance import Acceptance
from specmodel.model.best_tree import best_tree, tree_acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.proposal import Proposal

HEADS = (
    (0.5604, 0.6717, 0.7271, 0.7599, 0.7799),
    (0.3164, 0.4236, 0.4851, 0.5282, 0.5625),
    (0.2010, 0.2879, 0.3475, 0.3834, 0.4169),
    (0.1474, 0.2250, 0.2737, 0.3109, 0.3397),
    (0.1175, 0.1866, 0.2346, 0.2721, 0.2998),
)
"""Share of positions whose true token is among the 1 to 5 likeliest of heads 1 to 5: Medusa-1 heads of Vicuna-7B,
last batch of training (FasterDecoding/Medusa assets/medusa_acc.csv). Ranks beyond 5 were not published."""


@dataclass(frozen=True)
class Medusa(Declared):
    """Heads and a tree: how good the first head is (the others in proportion), and how many paths are checked."""

    head_accuracy: float = param(
        "First head right",
        "How often the likeliest token of the first head is the right one. The other heads and their further "
        "candidates follow in proportion to those published for Vicuna-7B, where it is 0.56.",
        default=0.6112,
        low=0,
        high=1,
        format=".2f",
        key="medusa_accuracy",
    )
    heads: int = param(
        "Heads",
        "Positions that are guessed at once.",
        default=5,
        low=1,
        high=5,
        format="d",
        key="medusa_heads",
        integer=True,
    )
    num_draft_tokens: int = _fields.nodes("medusa_nodes", 63)
    given_tau: float = param(
        "Tokens per round, where measured",
        "Tokens per round of a Medusa that was measured, for example one with typical acceptance, which no accuracy "
        "gives; at most heads + 1. Below 1: computed from the heads and the tree.",
        default=0,
        low=0,
        high=6,
        format=".2f",
        symbol="τ",
        key="medusa_tau",
    )
    draft_cost_ratio: float = _fields.round_cost("medusa_c", 0.251)
    weights_billions: float = _fields.weights("medusa_size", 0.95)
    cache_bytes_per_token: int = _fields.cache_bytes("medusa_kv")

    @property
    def by_rank(self) -> Floats:
        """The chance of each candidate of each head, by rank."""
        return accuracies(self.head_accuracy, self.heads)


def accuracies(head_accuracy: float, heads: int) -> Floats:
    """The chance of each candidate of each head, by rank, shape (heads, 5), scaled to a first head's accuracy.

    >>> accuracies(0.5604, 1)[0].round(4).tolist()
    [0.5604, 0.1113, 0.0554, 0.0328, 0.02]
    """
    together = np.minimum(np.array(HEADS[:heads]) * (head_accuracy / HEADS[0][0]), 1 - 1e-12)
    return np.diff(together, prepend=0.0)


def _propose(values: Medusa) -> Proposal:
    cost = DraftCost("heads", ratio=values.draft_cost_ratio)
    if values.given_tau >= 1:
        tau = min(values.given_tau, values.heads + 1, values.num_draft_tokens + 1)
        accepted = Acceptance.from_mean_acceptance_length(tau, values.heads)
        return Proposal(accepted, values.num_draft_tokens, values.num_draft_tokens + 1, cost)
    by_rank = values.by_rank
    tree = best_tree(values.num_draft_tokens + 1, values.heads + 1, by_rank)
    return Proposal(tree_acceptance(tree, by_rank), tree.num_draft_tokens, tree.num_nodes, cost)


METHOD = Method(
    key="medusa",
    order=40,
    label=N_("Medusa heads"),
    params=Medusa,
    propose=_propose,
    wins=N_(
        "With one request, since no draft waits for another: heads and tree add 18 to 27 % to a step, and Medusa-2 "
        "with typical acceptance ran 2.35 to 2.83 times as fast (Cai et al. 2024, Table 1)."
    ),
    loses=N_(
        "Against EAGLE on every task (2.39 against 3.64 tokens a round, Vicuna-13B, Spec-Bench), because a head does "
        "not see what the others guess: their accuracies fall as 0.56, 0.32, 0.20, 0.15, 0.12. And under load, because "
        "about 64 tokens of every sequence are checked in each round."
    ),
    needs=N_(
        "Heads to train for each target: on the frozen target (Medusa-1) or together with it (Medusa-2, which changes "
        "the target). To host: 0.15 billion weights a head for a 7B target; no cache."
    ),
    trained=True,
    lossless="depends",
    lossless_note=N_(
        "Medusa-1 is, with greedy decoding or rejection sampling. Typical acceptance is not: it keeps tokens that are "
        "likely enough. Medusa-2 trains the target itself further."
    ),
    citation="Cai et al. 2024, arXiv 2401.10774",
    length="num_draft_tokens",
)
