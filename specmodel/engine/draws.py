"""One set of draws for everything that is said of a measured run: what another run of the same work might have shown.

Row n of every array is the same imagined run: its acceptance by position, the time of its steps, how far tokens and
costs of other draft lengths lie between the rules that tell them. Speedup, P(slower), the best draft length, ties and
regret are read off these rows, so that no two of them can contradict each other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.measured.assumed_spread import times_of_other_runs
from specmodel.measured.intervals import LEVEL, RESAMPLES
from specmodel.measured.pace import log_beside_draws, log_pace_draws, log_speedup_draws
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.other_lengths import length_bands

TRANSFER_SEED, LOAD_SEED = 79, 81
TIMED = {"requests": "timed", "windows": "timed_windows", "rounds": "timed_rounds"}


@dataclass(frozen=True, eq=False)
class SpeedDraws:
    """Factors on a measured speedup that other runs might have shown, shape (RESAMPLES,), and how they were made.

    `method` is a key of `INTERVAL_METHODS`; `timed` is False where the times carry no spread of their own.
    """

    factors: Floats
    method: str
    timed: bool


def timed_factors(stats: SpecStats, baseline: SpecStats | None, plain_is_typed: bool) -> SpeedDraws | None:
    """From the times of requests, windows or rounds; None where they are not in the files.

    With a baseline the two are compared, with a typed plain step only the run itself varies, and without either the
    plain steps are those measured beside the rounds. Times of windows are inferred from throughput and the requests
    that ran at their end: beside their spread they carry that of times measured once.

    >>> timed_factors(SpecStats("a", "log"), None, False) is None
    True
    """
    if plain_is_typed:
        logs = log_pace_draws(stats.pace)
        logs = None if logs is None else -logs
    elif baseline is not None:
        logs = log_speedup_draws(baseline.pace, stats.pace)
    else:
        logs = log_beside_draws(stats.pace)
    if logs is None or stats.pace is None:
        return None
    factors: Floats = np.exp(logs)
    if stats.pace.kind == "windows":
        factors = factors * times_of_other_runs(len(factors))
    return SpeedDraws(factors, TIMED[stats.pace.kind], True)


def untimed_factors(tokens: Floats | None) -> SpeedDraws:
    """From tokens per step (`tokens`, as factors on the measured ones, None: unknown) and an assumed spread of times.

    >>> untimed_factors(None).factors.shape, untimed_factors(None).timed
    ((1000,), False)
    """
    times = times_of_other_runs(RESAMPLES if tokens is None else len(tokens))
    return SpeedDraws(times if tokens is None else tokens * times, "timed_once", False)


def load_factors(load_ratio: float, rows: int) -> Floats:
    """What a baseline at another load leaves open: factors on the speedup, shape (rows,).

    `load_ratio` is the load of the run with speculation ÷ that of the plain one. At the same load the plain step would
    have been as long as it was (memory-bound decoding) up to in proportion (compute-bound), so the speedup lies between
    itself and itself × load_ratio; log-uniform between them.

    >>> found = load_factors(0.8, 1000)
    >>> bool(0.8 <= found.min() < found.max() <= 1)
    True
    """
    place = np.random.default_rng(LOAD_SEED).random(rows)
    factors: Floats = load_ratio**place
    return factors


@dataclass(frozen=True, eq=False)
class Transfer:
    """How far each row lies between the ends of each band: `shorter`, `longer` (tokens) and `fixed` (cost).

    One number a row for all lengths: the rules err in one direction for all of them. Tokens are uniform, 95 % of them
    between the ends of their band. The share of the cost that is fixed has the arcsine distribution (Jeffreys' prior of
    a share), which leaves both ends likely.
    """

    shorter: Floats
    longer: Floats
    fixed: Floats

    @classmethod
    def drawn(cls, rows: int) -> "Transfer":
        """So many rows, the same ones every time."""
        shorter, longer, fixed = np.random.default_rng(TRANSFER_SEED).random((3, rows))
        tail = (1 - LEVEL) / 2
        return cls((shorter - tail) / LEVEL, (longer - tail) / LEVEL, np.sin(np.pi / 2 * fixed) ** 2)


def length_draws(
    known: MeasuredAcceptance, asked: ArrayLike, share_with_draft: float, transfer: Transfer
) -> tuple[Floats, Floats]:
    """Tokens per decoding step at the draft lengths `asked`: the value of each, and draws of shape (rows, lengths).

    >>> from specmodel.measured.acceptance import measured_acceptance
    >>> known = measured_acceptance(SpecStats("a", "log", num_rounds=100, accepted_per_position=(60, 30)))
    >>> tokens, drawn = length_draws(known, [0, 1, 2], 0.5, Transfer.drawn(1000))
    >>> tokens.round(2).tolist(), drawn.shape
    ([1.0, 1.33, 1.45], (1000, 3))
    """
    lengths = np.asarray(asked)
    k = known.acceptance.num_speculative_tokens
    measured = length_bands(known.acceptance.per_position_acceptance, lengths, by_position=known.by_position)
    bands = length_bands(known.draws, lengths, by_position=known.by_position)
    place = np.where(lengths > k, transfer.longer[:, None], transfer.shorter[:, None])
    tau = np.clip(bands.low + place * (bands.high - bands.low), 1.0, lengths + 1.0)
    return 1 + share_with_draft * (measured.value - 1), 1 + share_with_draft * (tau - 1)
