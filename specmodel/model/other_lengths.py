"""Tokens per round at a draft length that was not measured: what one measured length says of it, and how surely.

With k drafts measured, S_i the share of rounds that accepted draft i, h_j = S_j − S_{j+1} the share that kept exactly j
(h_k = S_k) and tau = 1 + S_1 + … + S_k, other lengths k' are told by:

- prefix, shorter: 1 + S_1 + … + S_k', the same rounds stopped earlier. Too low: what a long round throws away behind k'
  is not lost to a shorter one, which drafts it next.
- replay, shorter: the tokens of the long rounds, drafted anew in rounds of k'. A run of j kept drafts and the target's
  own token, j + 1 tokens, takes ⌈(j + 1)/(k' + 1)⌉ rounds of k'; a round that was kept whole goes on behind its end and
  costs its share (k + 1)/(k' + 1). So tau(k') = tau ÷ (Σ_{j<k} h_j·⌈(j + 1)/(k' + 1)⌉ + h_k·(k + 1)/(k' + 1)).
- carried on, longer: the acceptance at the last position, given those before it, holds for all further ones.
- one alpha, longer: the one acceptance at every position that gives tau.

All derived here. Replay equals the prefix where acceptance is independent and k' + 1 divides k + 1. None of them is a
bound, so the band around two of them has a margin. It was set on one published sweep (vLLM, k = 1 to 7), where replay
came out 7.5 % too low to 1.6 % too high; what it holds elsewhere is the table of `specmodel.validation`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats

FALLING = 0.75
"""With one rate and no positions: by how much the acceptance may fall from one position to the next (assumed)."""
GRID = 512


@dataclass(frozen=True)
class Margins:
    """What is added to a band, as a share: `base`, and `far` for each halving of k + 1 or each draft more."""

    base: float
    far_below: float
    far_above: float


SHORTER = Margins(0.02, 0.01, 0.03)
UNKNOWN_POSITIONS = Margins(0.02, 0.05, 0.03)
LONGER = Margins(0.02, 0.02, 0.02)


@dataclass(frozen=True)
class LengthBands:
    """Tokens per round at each asked draft length, with the band that should hold them: arrays (…, lengths)."""

    value: Floats
    low: Floats
    high: Floats


def prefix_length(per_position_acceptance: ArrayLike, num_speculative_tokens: int) -> Floats:
    """tau of the same rounds stopped after k' ≤ k drafts; S_1 … S_k along the last axis.

    >>> float(prefix_length([0.5, 0.25, 0.2], 1))
    1.5
    """
    survival = np.asarray(per_position_acceptance, dtype=float)
    tau: Floats = 1 + survival[..., :num_speculative_tokens].sum(axis=-1)
    return tau


def replayed_length(per_position_acceptance: ArrayLike, num_speculative_tokens: int) -> Floats:
    """tau of the same text drafted in rounds of k' ≤ k; S_1 … S_k along the last axis. Formula at the head of the file.

    >>> float(replayed_length([0.5, 0.25, 0.125], 1)), round(float(replayed_length([0.5, 0.25, 0.2], 1)), 3)
    (1.5, 1.56)
    """
    survival = np.asarray(per_position_acceptance, dtype=float)
    k, one = survival.shape[-1], np.ones((*survival.shape[:-1], 1))
    shares = -np.diff(np.concatenate((one, survival, 0 * one), axis=-1), axis=-1)
    rounds = np.ceil(np.arange(1, k + 1) / (num_speculative_tokens + 1))
    needed = shares[..., :k] @ rounds + shares[..., k] * (k + 1) / (num_speculative_tokens + 1)
    tau: Floats = (1 + survival.sum(axis=-1)) / needed
    return tau


def carried_length(per_position_acceptance: ArrayLike, num_speculative_tokens: int) -> Floats:
    """tau at k' ≥ k with the last conditional acceptance at every further position; S_1 … S_k along the last axis.

    >>> float(carried_length([0.5, 0.25], 3))
    1.875
    """
    survival = np.asarray(per_position_acceptance, dtype=float)
    k = survival.shape[-1]
    before = survival[..., -2] if k > 1 else np.ones(survival.shape[:-1])
    last = np.divide(survival[..., -1], before, out=np.zeros_like(before), where=before > 0)
    further = last[..., None] ** np.arange(1, num_speculative_tokens - k + 1)
    tau: Floats = 1 + survival.sum(axis=-1) + survival[..., -1] * further.sum(axis=-1)
    return tau


def one_alpha_length(mean_acceptance_length: ArrayLike, measured: int, num_speculative_tokens: int) -> Floats:
    """tau at k' from the one alpha that gives the measured tau at k, by interpolation on a grid of alpha.

    >>> round(float(one_alpha_length(1.75, 2, 3)), 3)
    1.875
    """
    known, asked = (_powers(k) for k in (measured, num_speculative_tokens))
    tau: Floats = np.interp(np.asarray(mean_acceptance_length, dtype=float), known, asked)
    return tau


def falling_survival(mean_acceptance_length: ArrayLike, measured: int, ratio: float = FALLING) -> Floats:
    """S_1 … S_k with a_{i+1} = ratio·a_i that give tau, along a new last axis; a_1 stops at 1, then the rest rise.

    >>> falling_survival(1.5, 2, 0.5).round(3).tolist()
    [0.414, 0.086]
    """
    first = np.linspace(0, ratio ** (1 - measured), GRID * 4)[:, None]
    curves = np.cumprod(np.minimum(first * ratio ** np.arange(measured), 1.0), axis=1)
    tau = np.asarray(mean_acceptance_length, dtype=float)
    lengths = 1 + curves.sum(axis=1)
    return np.stack([np.interp(tau, lengths, curve) for curve in curves.T], axis=-1)


def _powers(k: int) -> Floats:
    alpha = np.linspace(0, 1, GRID + 1)
    tau: Floats = (alpha[:, None] ** np.arange(k + 1)).sum(axis=1)
    return tau


def length_bands(per_position_acceptance: ArrayLike, asked: ArrayLike, *, by_position: bool = True) -> LengthBands:
    """Tokens per round at the draft lengths `asked` from S_1 … S_k (last axis), each with its band.

    Shorter: the value from replay, the band from prefix to replay; longer: from one alpha to carried on, the value
    between them; both with their margins. Where only tau was counted (`by_position` False: S is then one alpha's),
    shorter lengths reach from constant to falling acceptance, the value between them. At k itself there is no band, and
    no draft gives one token.

    >>> bands = length_bands([0.76, 0.59, 0.45], [0, 1, 3, 5])
    >>> bands.value.round(2).tolist(), bands.low.round(2).tolist(), bands.high.round(2).tolist()
    ([1.0, 1.76, 2.8, 3.41], [1.0, 1.71, 2.8, 3.2], [1.0, 1.85, 2.8, 3.61])
    """
    survival = np.asarray(per_position_acceptance, dtype=float)
    falling = None if by_position else falling_survival(1 + survival.sum(axis=-1), survival.shape[-1])
    columns = [_band(survival, int(k), falling) for k in np.asarray(asked)]
    value, low, high = (np.stack(each, axis=-1) for each in zip(*columns, strict=True))
    return LengthBands(value, low, high)


def _band(survival: Floats, asked: int, falling: Floats | None) -> tuple[Floats, Floats, Floats]:
    k, tau = survival.shape[-1], 1 + survival.sum(axis=-1)
    if asked in (0, k):
        alone = tau if asked else np.ones_like(tau)
        return alone, alone, alone
    if asked > k:
        ends = one_alpha_length(tau, k, asked), carried_length(survival, asked)
        return _spread((ends[0] + ends[1]) / 2, ends, LONGER, asked - k, tau, asked)
    distance = float(np.log2((k + 1) / (asked + 1)))
    if falling is None:
        replayed = replayed_length(survival, asked)
        return _spread(replayed, (prefix_length(survival, asked), replayed), SHORTER, distance, 1.0, asked)
    ends = prefix_length(survival, asked), np.maximum(prefix_length(falling, asked), replayed_length(falling, asked))
    return _spread((ends[0] + ends[1]) / 2, ends, UNKNOWN_POSITIONS, distance, 1.0, asked)


def _spread(
    value: Floats, ends: tuple[Floats, Floats], margins: Margins, distance: float, least: ArrayLike, asked: int
) -> tuple[Floats, Floats, Floats]:
    """The band between both ends with its margin, kept between `least` and k' + 1 tokens."""
    low = np.minimum(*ends) * (1 - margins.base - margins.far_below * distance)
    high = np.maximum(*ends) * (1 + margins.base + margins.far_above * distance)
    bounds = (np.asarray(least), asked + 1.0)
    kept: list[Floats] = [np.clip(each, *bounds) for each in (value, low, high)]
    return kept[0], kept[1], kept[2]


def raised_to(per_position_acceptance: Floats, mean_acceptance_lengths: Floats) -> Floats:
    """S_1 … S_k raised to the power that gives each tau of shape (n,): shape (n, k), within [0, 1] and falling.

    >>> raised_to(np.array([0.5, 0.25]), np.array([1.75, 3.0])).round(3).tolist()
    [[0.5, 0.25], [0.999, 0.999]]
    """
    powers = np.geomspace(1e3, 1e-3, 2001)
    lengths = 1 + (per_position_acceptance ** powers[:, None]).sum(axis=1)
    raised: Floats = per_position_acceptance ** np.interp(mean_acceptance_lengths, lengths, powers)[:, None]
    return raised
