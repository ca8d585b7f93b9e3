"""What a million output tokens cost at one batch: money, energy, and the share of both that rejected drafts take."""

import math
from dataclasses import dataclass

from specmodel.serving.answer import LoadAnswer
from specmodel.serving.hardware import Accelerator


def per_million_tokens(per_second: float, tokens_per_s: float) -> float:
    """What a million tokens cost where a second costs `per_second` (money, or joules where it is watts).

    >>> per_million_tokens(2.5 / 3600, 5000)
    0.1388888888888889
    """
    return per_second * 1e6 / tokens_per_s if tokens_per_s else math.inf


@dataclass(frozen=True)
class Bill:
    """A million output tokens at one batch: money, energy, and the share of both that rejected drafts take."""

    tokens_per_s: float
    money: float
    megajoules: float
    wasted_share: float


def bill(answer: LoadAnswer, hardware: Accelerator, num_speculative_tokens: int) -> Bill:
    """Price and power of all accelerators over the tokens of the batch, for a million tokens.

    Power is taken as constant, the same with and without speculation: an upper bound, since a chip that waits for
    memory draws less. At a request rate the tokens are those that are served, without speculation or with the draft
    length of the answer: what both serve costs the same. Rejected drafts take the share of a round that
    `Serving.wasted_ms` gives them.

    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.served_model import Serving
    >>> serving = Serving(AffinePass(), alpha=0.7)
    >>> answer = LoadAnswer(serving, Load(), 3, 500, most=64, plain_most=64)
    >>> round(bill(answer, Accelerator(), 0).money, 3)
    0.686
    """
    load, k = answer.load, num_speculative_tokens
    side = None if not answer.by_rate else answer.speculating if k else answer.plain
    here = (load.batch_size if side is None else max(side.batch, 1.0), load.context_tokens)
    per_s = 1000 * here[0] / float(answer.serving.tpot_ms(k, *here)) if side is None else side.tokens_per_s
    money = per_million_tokens(load.price_per_hour * hardware.count / 3600, per_s)
    joules = per_million_tokens(hardware.watts * hardware.count, per_s)
    wasted = float(answer.serving.wasted_ms(k, *here) / answer.serving.round_ms(k, *here))
    return Bill(per_s, money, joules / 1e6, wasted)
