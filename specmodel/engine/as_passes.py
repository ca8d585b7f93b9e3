"""The passes that an engine file tells of, as measured points for the cost of a pass under load."""

import numpy as np

from specmodel.measured.spec_stats import SpecStats
from specmodel.serving.passes import Points


def engine_points(stats: SpecStats) -> Points | None:
    """The passes that an engine file tells of: plain steps of b sequences, and verification passes of b·(k + 1) tokens.

    Of a sweep every setting gives what it has. A round's time without its parts is not a pass and is left out, but for
    lookups nothing is drafted on the accelerator, which only the visitor knows. None with fewer than two passes.

    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, batch_size=1.0)
    >>> engine_points(plain.replace(parts=(plain, plain.replace(tpot_ms=14.0, batch_size=8.0)))).tokens.tolist()
    [1.0, 8.0]
    """
    rows = [row for part in (stats.parts or (stats,)) for row in _passes(part)]
    found = {tokens for tokens, _ in rows}
    if len(found) < 2:
        return None
    tokens, ms = np.array(rows).T
    return Points(tokens, np.zeros_like(tokens), ms)


def _passes(stats: SpecStats) -> list[tuple[float, float]]:
    batch = stats.batch_size or 1.0
    found = []
    plain = stats.plain_ms if stats.speculation else stats.step_ms or stats.tpot_ms
    if plain:
        found.append((batch, plain))
    if stats.speculation and stats.verify_ms and stats.num_speculative_tokens:
        found.append((batch * (stats.num_speculative_tokens + 1), stats.verify_ms))
    return found
