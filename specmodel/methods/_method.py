"""The types of a way of drafting: what it proposes in a round, what was published of it, and the visitor's choice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.params import Declared, declarations
from specmodel.methods._published import Published, Task, published_rows
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.serving.passes import PassMs

Lossless = Literal["yes", "no", "depends"]

LOSSLESS_LABELS: Mapping[str, str] = {"yes": N_("yes"), "no": N_("no"), "depends": N_("depends")}


@dataclass(frozen=True)
class Proposal:
    """One round of a way of drafting.

    `acceptance` is by depth; `num_draft_tokens` are proposed in a round on average (the nodes of a tree without the
    root; a lookup that finds nothing proposes none), `verified_tokens` are checked of one sequence in the target's
    pass, the root included; `draft_steps` are steps of the drafter: one for each level where it drafts one token after
    another, else 1, and 0 where nothing is drafted.

    >>> proposal = Proposal(Acceptance.iid(0.5, 2), 2, 3, DraftCost(ratio=0.1), 2)
    >>> proposal.tau, proposal.num_wasted_draft_tokens
    (1.75, 1.25)
    >>> float(proposal.speedup(lambda q, b, s: 20.0, 1, 0)).__round__(4)
    1.4583
    """

    acceptance: Acceptance
    num_draft_tokens: float
    verified_tokens: float
    draft: DraftCost
    draft_steps: int = 1

    def __post_init__(self) -> None:
        wrong = not self.num_draft_tokens >= self.tau - 1 - 1e-9 or not 1 <= self.verified_tokens < np.inf
        if wrong or self.draft_steps < 0:
            message = (
                "a round cannot propose {drafts} drafts, check {verified} tokens and keep {tau} tokens: it keeps at "
                "most one more than it proposes, and checks at least 1"
            )
            values = {"drafts": self.num_draft_tokens, "verified": self.verified_tokens, "tau": self.tau}
            raise SpecmodelError(Message(message, values))

    @property
    def tau(self) -> float:
        """Tokens per round, bonus included."""
        return self.acceptance.mean_acceptance_length

    @property
    def num_wasted_draft_tokens(self) -> float:
        """Drafts thrown away in a round: proposed − accepted."""
        return max(self.num_draft_tokens - (self.tau - 1), 0.0)

    @property
    def wasted_per_token(self) -> float:
        """Drafts thrown away for each token that comes out."""
        return self.num_wasted_draft_tokens / self.tau

    def draft_ms(self, plain_ms: Any, batch_size: Any = 1) -> Any:
        """Milliseconds of drafting in a round, beside a plain step of `plain_ms`; arrays broadcast."""
        return self.draft.draft_ms(self.draft_steps, plain_ms, batch_size)

    def round_ms(self, pass_ms: PassMs, batch_size: Any, context_tokens: Any, overhead_ms: float = 0.0) -> Any:
        """A round: drafting, the checking pass, and the overhead where anything is drafted; in ms, arrays broadcast."""
        drafting = self.draft_ms(pass_ms(1.0, batch_size, context_tokens), batch_size)
        overhead = overhead_ms if self.num_draft_tokens > 0 else 0.0
        return drafting + pass_ms(self.verified_tokens, batch_size, context_tokens) + overhead

    def speedup(self, pass_ms: PassMs, batch_size: Any, context_tokens: Any, overhead_ms: float = 0.0) -> Any:
        """Speedup = tau ÷ rho against plain decoding of the same batch; arrays broadcast."""
        plain = pass_ms(1.0, batch_size, context_tokens)
        return self.tau * plain / self.round_ms(pass_ms, batch_size, context_tokens, overhead_ms)


@dataclass(frozen=True)
class Method:
    """A way of drafting: its parameters, what a round of it proposes, and what a visitor has to know to choose it.

    `order` is its place in lists; `wins`, `loses`, `needs` and `lossless_note` are sentences for visitors, `trained`
    whether something has to be trained for it, `lossless` whether the output is the target's own.

    >>> from specmodel.methods import find
    >>> find("draft_model").published(Task("translation", 0)).values["alpha"]
    0.8
    >>> find("mtp").values(Task("code", 0), {"num_speculative_tokens": 2}).num_speculative_tokens
    2
    """

    key: str
    order: int
    label: str
    params: type[Declared]
    propose: Callable[[Any], Proposal]
    wins: str
    loses: str
    needs: str
    trained: bool
    lossless: Lossless
    lossless_note: str
    citation: str

    @property
    def rows(self) -> tuple[Published, ...]:
        """What was published of it, in the order of the file."""
        return tuple(row for row in published_rows() if row.method == self.key)

    def published(self, task: Task) -> Published:
        """The best matching row; `Published.matches` tells whether it was published for this task."""
        return min(self.rows, key=lambda row: row.distance(task))

    def values(self, task: Task, changes: Mapping[str, Any] | None = None) -> Any:
        """The parameters: those of the best matching row, with the visitor's changes."""
        return self.choose(task, changes).values

    def choose(self, task: Task, changes: Mapping[str, Any] | None = None, row: Published | None = None) -> "Choice":
        """The method with its parameters, for `compare`; `row` instead of the best matching one where given."""
        found = row or self.published(task)
        changed = dict(changes or {})
        values = self.params().replace(**found.values).replace(**changed)
        return Choice(self, found, found.matches(task), values, tuple(changed))


@dataclass(frozen=True)
class Choice:
    """A way of drafting with the values it is looked at with; `changed` names those that the visitor changed."""

    method: Method
    row: Published
    matches: bool
    values: Any
    changed: tuple[str, ...] = field(default=())

    @property
    def proposal(self) -> Proposal:
        """What a round of it proposes."""
        return _proposal(self.method, self.values)

    @property
    def lossless(self) -> str:
        """Whether the output is the target's own: that of the row where it says so, else the method's answer."""
        return self.row.lossless or self.method.lossless

    @property
    def weights_billions(self) -> float | None:
        """Weights that the drafter adds, in billions; None where they were not published, 0 where it has none.

        Those of all its modules, where it is a chain of several.
        """
        return self._known("weights_billions")

    @property
    def cache_bytes_per_token(self) -> float | None:
        """Bytes of a token in the drafter's own cache; None where they were not published, 0 where it has none."""
        return self._known("cache_bytes_per_token")

    def _known(self, name: str) -> float | None:
        if name not in declarations(self.method.params):
            return 0.0
        known = name in self.row.values or name in self.changed
        return float(getattr(self.values, name)) * getattr(self.values, "modules", 1) if known else None


@lru_cache(maxsize=1024)
def _proposal(method: Method, values: Any) -> Proposal:
    return method.propose(values)
