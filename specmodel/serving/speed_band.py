"""The band of a table of speedups by batch, and where it leaves open whether speculation pays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from specmodel.serving.by_batch import BatchTable, by_batch
from specmodel.serving.schedule import Tier, switch_off
from specmodel.serving.served_model import Serving

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class SpeedBand:
    """The table at the lowest and at the highest speedup that the costs may give, for draft lengths 0 to `longest`.

    Lengths of k = 0 have no band: the plain engine is the plain engine.
    """

    lowest: BatchTable
    highest: BatchTable

    @property
    def longest(self) -> int:
        """The longest draft length that has a band."""
        return int(self.lowest.speedup.shape[1] - 1)

    def off(self, num_speculative_tokens: int | None = None) -> tuple[Ranges, Ranges]:
        """Batches at which plain decoding may be faster, and those at which it is at both ends of the band.

        At one draft length, or at every one that has a band.
        """
        return switch_off(self.lowest, num_speculative_tokens), switch_off(self.highest, num_speculative_tokens)

    def of(self, tier: Tier) -> tuple[float, float]:
        """The lowest and the highest speedup inside a tier of a schedule."""
        rows = slice(tier.first - 1, tier.last)
        k = tier.num_speculative_tokens
        return float(self.lowest.speedup[rows, k].min()), float(self.highest.speedup[rows, k].max())


def speed_band(table: BatchTable, ends: Sequence[Serving], context_tokens: float, longest: int) -> SpeedBand:
    """The band around a table: at each batch and draft length the lowest and highest speedup of it and of the `ends`.

    >>> from specmodel.serving.served_model import Serving
    >>> one, dear = (Serving(lambda q, b, s, e=each: 20.0 + e * q * b, 0.75) for each in (0.2, 0.3))
    >>> band = speed_band(by_batch(one, range(1, 200), 0), [dear], 0, 4)
    >>> [ranges[0][0] for ranges in band.off(4)]
    [71, 106]
    """
    speeds = [table.speedup[:, : longest + 1]]
    speeds += [by_batch(end, table.batch_sizes, context_tokens, longest).speedup for end in ends]
    known = table.known[:, : longest + 1]
    low, high = (
        replace(table, speedup=found, known=known) for found in (np.min(speeds, axis=0), np.max(speeds, axis=0))
    )
    return SpeedBand(low, high)
