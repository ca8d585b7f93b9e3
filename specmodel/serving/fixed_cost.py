"""What a speculative round costs beyond drafting and checking: scheduling, sampling, preparing the drafter.

It decides from which batch on speculation loses, and no kernel time tells it. As in rho(k) = 1 + f + c·k of one
request (`specmodel.model.step_cost`), f is in plain decoding steps; with more requests it may grow with the batch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_
from specmodel.base.numbers import number_between

FEW, MANY = 4.0, 16.0
MOST = 100.0
GROWTH = 0.4
"""Plain steps by which the fixed cost may grow from few requests to many (assumed: EAGLE's 0.4 on one request, 0.8 from
16 on)."""


@dataclass(frozen=True)
class FixedCost:
    """Plain steps that a round costs at once: `few` at up to 4 requests, `many` from 16 on, between them by log(batch).

    Raises `OutOfDomain` for values below 0 or above 100.
    """

    few: float = 0.0
    many: float = 0.0

    def __post_init__(self) -> None:
        number_between(self.few, "few", 0, MOST)
        number_between(self.many, "many", 0, MOST)

    def plain_steps(self, batch_size: Any) -> Floats:
        """The fixed cost at a batch, in plain steps of that batch; arrays broadcast.

        >>> FixedCost(0.4, 0.8).plain_steps([1, 8, 64]).round(3).tolist()
        [0.4, 0.6, 0.8]
        """
        found: Floats = np.interp(
            np.log(np.asarray(batch_size, dtype=float)), np.log([FEW, MANY]), [self.few, self.many]
        )
        return found


def growing(plain_steps: float, batch_size: float) -> FixedCost:
    """A fixed cost that is known at one batch and grows by `GROWTH` from few requests to many.

    >>> growing(0.4, 1), growing(0.8, 64), growing(0.1, 8).few
    (FixedCost(few=0.4, many=0.8), FixedCost(few=0.4, many=0.8), 0.0)
    """
    place = float(FixedCost(0.0, 1.0).plain_steps(batch_size))
    few = max(plain_steps - place * GROWTH, 0.0)
    return FixedCost(few, few + (plain_steps - few) / place if place else few + GROWTH)


@dataclass(frozen=True)
class FixedChoice:
    """A fixed cost to choose: its value, the band around it, and where both come from."""

    key: str
    label: str
    value: FixedCost
    low: FixedCost
    high: FixedCost
    source: str


NONE = FixedCost()
UNKNOWN = "unknown"
_CHOICES = (
    FixedChoice(
        UNKNOWN,
        N_("not known"),
        FixedCost(),
        FixedCost(),
        FixedCost(0.4, 0.8),
        N_(
            "Not known: none is added, and the band reaches to what EAGLE took on Hugging Face (0.3 to 0.4 plain "
            "steps, fitted) and, from 16 requests on, with SGLang 0.4.4 on an H100 (about 0.8, derived)."
        ),
    ),
    FixedChoice(
        "vllm",
        N_("vLLM: 0.1"),
        FixedCost(0.1, 0.1),
        FixedCost(),
        FixedCost(0.2, 0.4),
        N_("0.1 plain steps, fitted to a sweep of draft lengths under vLLM on one request; the band is assumed."),
    ),
    FixedChoice(
        "eagle_hf",
        N_("EAGLE on Hugging Face: 0.35"),
        FixedCost(0.35, 0.35),
        FixedCost(0.3, 0.3),
        FixedCost(0.4, 0.8),
        N_("0.3 to 0.4 plain steps, fitted to published sweeps of one request; more of them are assumed to reach 0.8."),
    ),
    FixedChoice(
        "eagle3_sglang",
        N_("EAGLE-3 with SGLang: 0.25 to 0.6"),
        FixedCost(0.25, 0.6),
        FixedCost(0.2, 0.45),
        FixedCost(0.4, 0.8),
        N_(
            "Derived from the speedups by batch of EAGLE-3 (arXiv 2503.01840, table 3: SGLang 0.4.4, one H100): what "
            "they leave beside measured operators and draft steps of 0.11 plain steps (assumed)."
        ),
    ),
    FixedChoice(
        "magicdec",
        N_("MagicDec: 0.05"),
        FixedCost(0.05, 0.05),
        FixedCost(),
        FixedCost(0.16, 0.16),
        N_(
            "Measured beside drafting and checking in MagicDec's tables (arXiv 2408.11049): 0.6 to 1.8 ms a round, "
            "0.02 to 0.16 plain steps of 8 to 64 requests with long contexts."
        ),
    ),
)
FIXED_CHOICES: Mapping[str, FixedChoice] = {each.key: each for each in _CHOICES}
