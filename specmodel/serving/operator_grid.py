"""The grid of the measured operators: at which tokens, requests and contexts a table holds milliseconds, and its codes.

A pass over q new tokens of each of B requests with S cached tokens each separates into what every token goes through
(matrix multiplications, experts, what accelerators send to each other), F(B·q), and attention over the caches, A(B, S).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats

_SMALL = (1, 2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256)
_LARGE = (512, 768, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 4096, 8192, 16384)
TOKENS = np.array((*_SMALL, *_LARGE), dtype=float)
"""Token counts that are measured and that engines run: they pad a pass to such sizes.

The collector's tables also hold one more than each from 17 on. A matrix of 257 rows takes up to 2.7 times as long as
one of 256, and interpolating from it would make every count up to 512 too slow.
"""
REQUESTS = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192], dtype=float)
CONTEXTS = np.array([1, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072], dtype=float)

_LOG_REQUESTS, _LOG_CONTEXTS = np.log(REQUESTS), np.log(CONTEXTS)
Codes = NDArray[np.uint16]
_SMALLEST, _STEPS = 1e-5, 2500.0


def encode(ms: Any) -> Codes:
    """Milliseconds as whole numbers of 1/2,500 of e-folds above 1e-5 ms, 0 for nothing: exact to 0.02 %.

    >>> encode([0.0, 1e-5, 1.0]).tolist()
    [0, 1, 28783]
    """
    given = np.asarray(ms, dtype=float)
    codes = np.rint(np.log(np.maximum(given, _SMALLEST) / _SMALLEST) * _STEPS) + 1
    return np.where(given > 0, codes, 0).astype(np.uint16)


def decode(codes: Any) -> Floats:
    """The milliseconds that `encode` has written.

    >>> decode(encode([0.0, 7.25, 120.0])).round(2).tolist()
    [0.0, 7.25, 120.0]
    """
    given = np.asarray(codes, dtype=float)
    found: Floats = np.where(given > 0, _SMALLEST * np.exp((given - 1) / _STEPS), 0.0)
    return found


def bilinear(table: Floats, requests: Any, contexts: Any) -> Floats:
    """Milliseconds between the points of a table of shape (requests, contexts), in the logarithms of all three.

    Below the smallest of either the smallest counts; beyond the largest the last power law goes on. Arrays broadcast.

    >>> table = REQUESTS[:, None] * CONTEXTS[None, :]
    >>> float(bilinear(table, 3, 3000).round(3)), float(bilinear(table, 0.5, 0))
    (9000.0, 1.0)
    """
    x, y = np.broadcast_arrays(np.log(np.maximum(requests, 1.0)), np.log(np.maximum(contexts, 1.0)))
    (i, u), (j, v) = _place(_LOG_REQUESTS, x), _place(_LOG_CONTEXTS, y)
    logs = np.log(table)
    low = (1 - v) * logs[i, j] + v * logs[i, j + 1]
    high = (1 - v) * logs[i + 1, j] + v * logs[i + 1, j + 1]
    found: Floats = np.exp((1 - u) * low + u * high)
    return found


def along_requests(table: Floats, requests: Any) -> Floats:
    """The same without cached tokens: the first column of a table, which is quicker to look up.

    >>> table = REQUESTS[:, None] * CONTEXTS[None, :]
    >>> along_requests(table, [3, 20000]).round(6).tolist() == bilinear(table, [3, 20000], 1).round(6).tolist()
    True
    """
    at, knots, logs = np.log(np.maximum(requests, 1.0)), _LOG_REQUESTS, np.log(table[:, 0])
    slope = (logs[-1] - logs[-2]) / (knots[-1] - knots[-2])
    found: Floats = np.exp(np.interp(at, knots, logs) + np.maximum(at - knots[-1], 0) * slope)
    return found


def _place(knots: Floats, at: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The stretch that each value lies in, and how far along it."""
    index = np.clip(np.searchsorted(knots, at, "right") - 1, 0, knots.size - 2)
    return index, (at - knots[index]) / (knots[index + 1] - knots[index])
