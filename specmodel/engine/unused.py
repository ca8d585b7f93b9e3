"""Draft positions that were never accepted: what a shorter draft would lose, which needs no time to be said."""

from dataclasses import dataclass

from specmodel.engine.case import EngineCase
from specmodel.measured.acceptance import MeasuredAcceptance


@dataclass(frozen=True)
class Unused:
    """Positions `first` to `last` were never accepted in `rounds` rounds (None: not counted); `tokens` is tau."""

    first: int
    last: int
    tokens: float
    rounds: float | None

    @property
    def num_speculative_tokens(self) -> int:
        """The draft length that gives the same tokens per round; 0 where no draft was ever accepted."""
        return self.first - 1


def unused_positions(case: EngineCase, acceptance: MeasuredAcceptance | None) -> Unused | None:
    """The last positions without a single accepted draft; None where the last one was accepted, or nobody counted.

    A round that is stopped before them emits what it emitted (derived here: no round kept more than `first` − 1).

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> stats = SpecStats("a", "b", num_rounds=100, accepted_per_position=(80, 57, 0, 0))
    >>> case = EngineCase(stats)
    >>> unused_positions(case, case.acceptance)
    Unused(first=3, last=4, tokens=2.37, rounds=100)
    """
    if acceptance is None or not acceptance.by_position:
        return None
    survival = acceptance.acceptance.per_position_acceptance
    used = sum(1 for share in survival if share > 0)  # they never rise, so what is 0 stands at the end
    if used == len(survival):
        return None
    rounds = case.stats.num_rounds if not case.stats.estimated else None
    return Unused(used + 1, len(survival), acceptance.acceptance.mean_acceptance_length, rounds)
