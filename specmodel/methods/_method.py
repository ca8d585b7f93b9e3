"""The types of a way of drafting: its parameters, what was published of it, and the visitor's choice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from specmodel.base.messages import N_
from specmodel.base.params import Declared, declarations
from specmodel.methods._published import Published, Task, published_rows
from specmodel.serving.proposal import Proposal

Lossless = Literal["yes", "no", "depends"]

LOSSLESS_LABELS: Mapping[str, str] = {"yes": N_("yes"), "no": N_("no"), "depends": N_("depends")}


@dataclass(frozen=True)
class Method:
    """A way of drafting: its parameters, what a round of it proposes, and what a visitor has to know to choose it.

    `order` is its place in lists; `wins`, `loses`, `needs` and `lossless_note` are sentences for visitors, `trained`
    whether something has to be trained for it, `lossless` whether the output is the target's own. `length` names the
    parameter that is the draft length (of a tree its drafts), which is `nothing_drafted` where speculation is off;
    empty where the text decides how much is drafted.

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
    length: str = "num_speculative_tokens"
    nothing_drafted: int = 0

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
