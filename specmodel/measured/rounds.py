"""The rounds of a real run as columns: how to choose among them, what they add up to, and their one alpha."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.measured.intervals import Estimate, clustered_share
from specmodel.measured.rounds_file import Table, read_table
from specmodel.measured.sampling_units import MAX_UNITS, UnitKind
from specmodel.model.acceptance import Acceptance

SPAN = 16
"""Rounds in a row that are one unit where nothing tells which request they belong to."""


@dataclass(frozen=True, eq=False)
class MeasuredRounds:
    """One entry per round in each array; a column that the file does not have is None.

    `category` holds places in `categories`. `request` numbers the request (the prompt, or else the run) a round belongs
    to: rounds of one request resemble each other, so intervals are made over requests. A round with nothing proposed
    (a lookup that found nothing) is a round of one token.

    >>> rounds = read_rounds("proposed,accepted\\n2,2\\n2,1\\n2,0\\n0,0\\n")
    >>> rounds.alpha().value, rounds.share_with_draft
    (0.6, 0.75)
    """

    proposed: Ints
    accepted: Ints
    draft_ms: Floats | None = None
    verify_ms: Floats | None = None
    overhead_ms: Floats | None = None
    baseline_ms: Floats | None = None
    k: Ints | None = None
    temperature: Floats | None = None
    category: Ints | None = None
    request: Ints | None = None
    categories: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()
    name: str = ""

    def __post_init__(self) -> None:
        for values in self._arrays().values():
            values.setflags(write=False)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        values = {item.name: getattr(self, item.name) for item in dataclasses.fields(self)}
        return {name: array for name, array in values.items() if isinstance(array, np.ndarray)}

    def where(self, chosen: NDArray[Any]) -> "MeasuredRounds":
        """The rounds for which `chosen` is true, or at these places, in the same order.

        >>> rounds = MeasuredRounds(np.array([2, 0]), np.array([2, 0]))
        >>> rounds.where(rounds.proposed > 0).num_rounds
        1
        """
        changes: dict[str, Any] = {name: array[chosen] for name, array in self._arrays().items()}
        return dataclasses.replace(self, **changes)

    def select(
        self, category: str | None = None, k: int | None = None, temperature: float | None = None
    ) -> "MeasuredRounds":
        """The rounds of one category, k and temperature; None takes all. A column that is missing matches nothing.

        >>> MeasuredRounds(np.array([1, 2, 2]), np.array([1, 0, 2]), k=np.array([1, 2, 2])).select(k=2).num_rounds
        2
        """
        place = self.categories.index(category) if category in self.categories else -1
        chosen = np.ones(self.num_rounds, dtype=bool)
        for values, wanted in (
            (self.category, None if category is None else place),
            (self.k, k),
            (self.temperature, temperature),
        ):
            if wanted is not None:
                chosen &= values == wanted if values is not None else False
        return self.where(chosen)

    def full_rounds(self) -> "MeasuredRounds":
        """The rounds that proposed all the k drafts they might; those with any draft where the file has no k.

        >>> MeasuredRounds(np.array([2, 1, 0]), np.array([2, 0, 0]), k=np.array([2, 2, 2])).full_rounds().num_rounds
        1
        """
        return self.where(self.proposed > 0 if self.k is None else self.proposed == self.k)

    def options(self) -> dict[str, tuple[Any, ...]]:
        """The values that occur in each grouping column of the file, sorted.

        >>> MeasuredRounds(np.array([1, 2]), np.array([1, 0]), k=np.array([1, 2])).options()
        {'k': (1, 2)}
        """
        columns = {"category": self.category, "k": self.k, "temperature": self.temperature}
        found = {name: tuple(np.unique(values).tolist()) for name, values in columns.items() if values is not None}
        if "category" in found:
            found["category"] = tuple(sorted(self.categories[place] for place in found["category"]))
        return found

    def split(self, *columns: NDArray[Any] | None) -> Iterator["MeasuredRounds"]:
        """The rounds apart by what stands in some columns, in the order in which it first appears.

        >>> rounds = MeasuredRounds(np.array([1, 2, 2]), np.array([1, 0, 2]), k=np.array([4, 2, 4]))
        >>> [part.accepted.tolist() for part in rounds.split(rounds.k)]
        [[1, 2], [0]]
        """
        codes = self._codes(columns)
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if order.size else []
        for places in sorted(parts, key=lambda part: int(part[0])):
            yield self.where(places)

    def num_parts(self, *columns: NDArray[Any] | None) -> int:
        """How many parts `split` would make, without making them.

        >>> MeasuredRounds(np.array([1, 2]), np.array([1, 0]), k=np.array([4, 2])).num_parts(np.array([4, 2]))
        2
        """
        return int(self._codes(columns).max(initial=-1)) + 1

    def _codes(self, columns: Sequence[NDArray[Any] | None]) -> Ints:
        """A number from 0 on for each combination of values, by round."""
        codes = np.zeros(self.num_rounds, dtype=np.int64)
        for column in columns:
            if column is not None:
                values, places = np.unique(column, return_inverse=True)
                codes = np.unique(codes * len(values) + places, return_inverse=True)[1]
        return codes

    @property
    def num_rounds(self) -> int:
        """Draft-and-verify cycles, those without a draft included."""
        return int(self.proposed.size)

    @property
    def num_draft_tokens(self) -> int:
        """Draft tokens proposed."""
        return int(self.proposed.sum())

    @property
    def draft_acceptance_rate(self) -> float | None:
        """Accepted ÷ drafted; None when nothing was drafted. Not alpha."""
        return int(self.accepted.sum()) / self.num_draft_tokens if self.num_draft_tokens else None

    @property
    def share_with_draft(self) -> float | None:
        """Share of the rounds in which anything was drafted: below 1 for a lookup, which often finds nothing."""
        return float(np.mean(self.proposed > 0)) if self.num_rounds else None

    @cached_property
    def round_ms(self) -> Floats | None:
        """Time of each round: drafting, verification and, where the file has it, overhead."""
        if self.draft_ms is None or self.verify_ms is None:
            return None
        total: Floats = self.draft_ms + self.verify_ms
        return total if self.overhead_ms is None else total + self.overhead_ms

    @cached_property
    def unit_codes(self) -> tuple[UnitKind, Ints]:
        """What a unit is here, and the unit of each round; neighbours share one where there are too many."""
        if self.request is None:
            kind, codes = "rounds", np.arange(self.num_rounds) // SPAN
        else:
            kind, codes = "requests", np.unique(self.request, return_inverse=True)[1]
        while codes.size and codes.max() >= MAX_UNITS:
            codes = codes >> 1
        return kind, codes  # type: ignore[return-value]

    def alpha(self) -> Estimate:
        """The one alpha under which the counts are most likely.

            alpha = accepted / (accepted + rounds that ended in a rejection)

        A round is a row of trials that ends at its first rejection: drafts behind it were never tried, so dividing by
        all proposed drafts makes alpha too small. Maximum likelihood for the capped geometric distribution of
        Leviathan et al. 2023, definition 3.1 (derived here). The interval is a bootstrap over requests.

        >>> rounds = read_rounds("proposed,accepted\\n4,4\\n4,1\\n4,1\\n")
        >>> rounds.alpha().value, rounds.draft_acceptance_rate
        (0.75, 0.5)
        """
        return self._share(self.accepted, self.accepted + (self.accepted < self.proposed))

    def conditional_acceptance(self) -> tuple[Estimate, ...]:
        """a_1, a_2, …: the share of the rounds that reached position i in which draft i was accepted.

            a_i = rounds with accepted ≥ i / rounds with proposed ≥ i and accepted ≥ i − 1

        It stops before the first position that no round reached.

        >>> [a.value for a in read_rounds("proposed,accepted\\n2,2\\n2,1\\n2,0\\n0,0\\n").conditional_acceptance()]
        [0.6666666666666666, 0.5]
        """
        estimates = []
        for position in range(1, int(self.proposed.max(initial=0)) + 1):
            tried = (self.proposed >= position) & (self.accepted >= position - 1)
            if not tried.any():
                break
            estimates.append(self._share(self.accepted >= position, tried))
        return tuple(estimates)

    def _share(self, successes: NDArray[Any], trials: NDArray[Any]) -> Estimate:
        kind, codes = self.unit_codes
        above, below = (np.bincount(codes, weights=each) for each in (successes, trials))
        return clustered_share(above, below, kind)

    def predicted_mean_acceptance_length(self, alpha: float) -> float | None:
        """Tokens per round that the model predicts from one alpha, for rounds that propose as much as these did.

            mean over the rounds of 1 + alpha + … + alpha^proposed

        (Leviathan et al. 2023, eq. 1, averaged over the lengths proposed.)

        >>> read_rounds("proposed,accepted\\n2,2\\n0,0\\n").predicted_mean_acceptance_length(0.5)
        1.375
        """
        if not self.num_rounds:
            return None
        lengths = np.bincount(self.proposed)
        tau = [Acceptance.iid(alpha, k).mean_acceptance_length for k in range(lengths.size)]
        return float(lengths @ tau) / self.num_rounds


def rounds_of(table: Table, name: str = "") -> MeasuredRounds:
    """The rounds that a reader has taken.

    >>> rounds_of(read_table("proposed,accepted\\n2,2\\n"), "mine").name
    'mine'
    """
    columns: dict[str, Any] = dict(table.columns)
    return MeasuredRounds(**columns, categories=table.categories, ignored_columns=table.ignored, name=name)


def read_rounds(source: str | bytes | Path, name: str = "") -> MeasuredRounds:
    """Rounds from a CSV file: text is its content, a path is a file, bytes may be gzip; else `RoundsError`.

    Needed are the columns `proposed` and `accepted`; `rounds_file.NUMBERS` and `rounds_file.TEXTS` list the others.

    >>> read_rounds(b"proposed;accepted;note\\n3;1;x\\n").ignored_columns
    ('note',)
    """
    return rounds_of(read_table(source), name)
