"""The rounds of a real run as columns: which there are, how to choose among them, and what they add up to."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Labels = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class RoundsTable:
    """One entry per round in each array; a column that the file does not have is None.

    `request` numbers the request (the prompt, or else the run) a round belongs to: rounds of one request resemble
    each other, so intervals are made over requests. A round with nothing proposed (a lookup that found nothing) is
    a round of one token.

    >>> rounds = RoundsTable(np.array([2, 2, 2, 0]), np.array([2, 1, 0, 0]))
    >>> rounds.num_rounds, rounds.num_draft_tokens, rounds.num_accepted_draft_tokens
    (4, 6, 3)
    """

    proposed: Ints
    accepted: Ints
    draft_ms: Floats | None = None
    verify_ms: Floats | None = None
    overhead_ms: Floats | None = None
    baseline_ms: Floats | None = None
    k: Ints | None = None
    temperature: Floats | None = None
    category: Labels | None = None
    request: Ints | None = None
    ignored_columns: tuple[str, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        for values in self._arrays().values():
            values.setflags(write=False)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        values = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        return {name: array for name, array in values.items() if isinstance(array, np.ndarray)}

    def where(self, chosen: NDArray[np.bool_]) -> Self:
        """The rounds for which `chosen` is true, in the same order.

        >>> rounds = RoundsTable(np.array([2, 0]), np.array([2, 0]))
        >>> rounds.where(rounds.proposed > 0).num_rounds
        1
        """
        changes: dict[str, Any] = {name: array[chosen] for name, array in self._arrays().items()}
        return dataclasses.replace(self, **changes)

    def select(self, category: str | None = None, k: int | None = None, temperature: float | None = None) -> Self:
        """The rounds of one category, k and temperature; None takes all. A column that is missing matches nothing.

        >>> RoundsTable(np.array([1, 2, 2]), np.array([1, 0, 2]), k=np.array([1, 2, 2])).select(k=2).num_rounds
        2
        """
        chosen = np.ones(self.num_rounds, dtype=bool)
        for values, wanted in ((self.category, category), (self.k, k), (self.temperature, temperature)):
            if wanted is not None:
                chosen &= values == wanted if values is not None else False
        return self.where(chosen)

    def full_rounds(self) -> Self:
        """The rounds that proposed all the k drafts they might; those with any draft where the file has no k.

        >>> RoundsTable(np.array([2, 1, 0]), np.array([2, 0, 0]), k=np.array([2, 2, 2])).full_rounds().num_rounds
        1
        """
        return self.where(self.proposed > 0 if self.k is None else self.proposed == self.k)

    def options(self) -> dict[str, tuple[Any, ...]]:
        """The values that occur in each grouping column of the file, sorted.

        >>> RoundsTable(np.array([1, 2]), np.array([1, 0]), k=np.array([1, 2])).options()
        {'k': (1, 2)}
        """
        columns = {"category": self.category, "k": self.k, "temperature": self.temperature}
        return {name: tuple(np.unique(values).tolist()) for name, values in columns.items() if values is not None}

    @property
    def num_rounds(self) -> int:
        """Draft-and-verify cycles, those without a draft included."""
        return int(self.proposed.size)

    @property
    def num_draft_tokens(self) -> int:
        """Draft tokens proposed."""
        return int(self.proposed.sum())

    @property
    def num_accepted_draft_tokens(self) -> int:
        """Draft tokens accepted, bonus tokens not counted."""
        return int(self.accepted.sum())

    @property
    def num_tokens(self) -> int:
        """Tokens emitted: those accepted and one of the target's own in each round."""
        return self.num_accepted_draft_tokens + self.num_rounds

    @property
    def draft_acceptance_rate(self) -> float | None:
        """Accepted ÷ drafted; None when nothing was drafted. Not alpha."""
        return self.num_accepted_draft_tokens / self.num_draft_tokens if self.num_draft_tokens else None
