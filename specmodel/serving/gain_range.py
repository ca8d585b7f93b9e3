"""How many times as fast speculation is at the load that is asked for, at the ends of what the costs may be."""

from typing import TYPE_CHECKING

import numpy as np

from specmodel.serving.arrivals import EngineTable
from specmodel.serving.asked import served

if TYPE_CHECKING:
    from specmodel.serving.answer import LoadAnswer


def gain_range(answer: "LoadAnswer") -> tuple[float, float]:
    """The lowest and the highest gain that the costs leave open; twice the same where they have no band.

    At a batch by hand that of a token. At a request rate that of an answer, each end with as many requests running as
    it leads to, 0 where that end is saturated; the plain engine is the one that is known, since the band is one of what
    speculation costs beside it (derived here).

    >>> from specmodel.serving.answer import LoadAnswer
    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.served_model import Serving
    >>> one, dear = (Serving(AffinePass(), alpha=0.7, overhead_ms=ms) for ms in (0, 4))
    >>> found = LoadAnswer(one, Load(request_rate=1), 3, 500, most=64, plain_most=64, ends=(dear,), by_rate=True)
    >>> low, high = gain_range(found)
    >>> low < high == found.answer_gain
    True
    """
    k = answer.num_speculative_tokens
    if not answer.by_rate:
        return answer.speedup_range
    if not answer.ends or not k or answer.plain.saturated:
        return answer.answer_gain, answer.answer_gain
    gains = [answer.answer_gain]
    for table in (answer.band.lowest, answer.band.highest):
        factor = answer.table.speedup[:, k] / table.speedup[:, k]
        engine = EngineTable(answer.fixed_engine.tpot_ms * factor, answer.output_tokens, answer.load.prefill_ms)
        gains.append(answer.plain.latency_s / served(engine, answer.load.request_rate).latency_s)
    return float(np.min(gains)), float(np.max(gains))
