"""What an engine gives at the load that is asked for: served or not, how many run, how long an answer takes."""

from dataclasses import dataclass

import numpy as np

from specmodel.serving.arrivals import EngineTable, latency_curve


@dataclass(frozen=True)
class Served:
    """One engine at one request rate.

    Where it is saturated as many run as it holds, an answer takes without end, and `requests_per_s` is the most that
    leave. `prefill_share` is the share of an answer's time in which its decoding stands still for a prefill.
    """

    saturated: bool
    batch: float
    tpot_ms: float
    latency_s: float
    requests_per_s: float
    tokens_per_s: float
    prefill_share: float


def served(engine: EngineTable, rate: float) -> Served:
    """What an engine gives at a rate: its smallest stable fixed point, or saturation.

    Of an answer's time L = N·tpot + b·P the part b·P is prefill; beyond saturation it is taken at the most that is
    served.

    >>> engine = EngineTable([10, 12, 14], output_tokens=100)
    >>> found = served(engine, 1.5)
    >>> round(found.batch, 3), round(found.latency_s, 3), found.tokens_per_s
    (1.714, 1.143, 150.0)
    >>> served(engine, 3).saturated, served(engine, 3).latency_s
    (True, inf)
    """
    curve = latency_curve(engine, [rate])
    saturated = not np.isfinite(curve.latency_s[0])
    batch = float(engine.max_batch_size if saturated else curve.batch[0])
    latency = float("inf") if saturated else float(curve.latency_s[0])
    leaving = engine.saturation.rate if saturated else rate
    tpot = float(np.interp(batch, engine.nodes[0][1:], engine.tpot_ms))
    whole = float(engine.latency_s(batch))
    share = max(1 - engine.output_tokens * tpot / 1000 / whole, 0.0)
    return Served(saturated, batch, tpot, latency, leaving, leaving * engine.output_tokens, share)


def without_prefill(engine: EngineTable) -> EngineTable:
    """The same engine if reading prompts took no time.

    >>> without_prefill(EngineTable([10], output_tokens=100, prefill_ms=500)).saturation.rate
    1.0
    """
    return EngineTable(engine.tpot_ms, engine.output_tokens)
