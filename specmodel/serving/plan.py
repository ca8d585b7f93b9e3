"""How many replicas a day's traffic needs, without speculation, with a fixed draft length, and with a schedule.

A replica serves the largest rate at which it keeps its service levels (`specmodel.serving.service_level`); an hour
needs as many as that rate divides its traffic into, rounded up. So a speedup saves an accelerator only where it saves
a whole one; and it may cost one, where the drafter takes memory and larger passes take time.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from specmodel.base.params import Declared, param
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import EngineTable
from specmodel.serving.hardware import Accelerator
from specmodel.serving.service_level import Levels, Most, largest_rate

OFF, FIXED, SCHEDULE = "off", "fixed", "schedule"
LENGTHS = (1, 2, 3, 4, 6, 8)
"""Draft lengths among which the best fixed one is looked for, beside that of the sliders."""
DAYS_A_MONTH = 365.25 / 12


@dataclass(frozen=True)
class Traffic(Declared):
    """What comes in at the busiest hour, how long prompts and answers are, and what has to be kept.

    >>> Traffic().levels
    Levels(ttft_ms=1000.0, tpot_ms=50.0, answer_ms=None, percentile=0.95)
    """

    peak_rate: float = param(
        "Requests at peak",
        "Requests that arrive in a second of the busiest hour, at random times that do not depend on each other.",
        default=20, low=0.001, high=1_000_000, slider=(0.5, 500, 0.5), format=",.1f", unit="/s", symbol="λ", key="peak",
    )  # fmt: skip
    prompt_tokens: int = param(
        "Prompt length", "Tokens of a prompt, on average. The time to read it is computed from model and accelerator.",
        default=1000, low=1, high=10_000_000, slider=(100, 32000, 100), format=",d", unit="tokens", key="prompt",
        integer=True,
    )  # fmt: skip
    answer_tokens: int = param(
        "Answer length", "Tokens of an answer, on average.",
        default=300, low=1, high=1_000_000, slider=(50, 4000, 50), format=",d", unit="tokens", key="answer",
        integer=True,
    )  # fmt: skip
    ttft_ms: float = param(
        "Time to first token, at most", "Service level: from the request to its first token. 0: not asked.",
        default=1000, low=0, high=1e7, slider=(0, 5000, 50), format=",.0f", unit="ms", key="slottft",
    )  # fmt: skip
    tpot_ms: float = param(
        "Time per output token, at most", "Service level: between two tokens of an answer, on average over it. 0: not "
        "asked.",
        default=50, low=0, high=1e6, slider=(0, 200, 1), format=",.0f", unit="ms", key="slotpot",
    )  # fmt: skip
    answer_s: float = param(
        "Whole answer, at most", "Service level: from the request to its last token, of an answer of this length. 0: "
        "not asked.",
        default=0, low=0, high=1e5, slider=(0, 120, 1), format=",.1f", unit="s", key="sloanswer",
    )  # fmt: skip
    percentile: float = param(
        "Share that keeps them", "Share of the requests for which each service level has to hold.",
        default=0.95, low=0.5, high=0.999, slider=(0.5, 0.99, 0.01), format=".1%", key="sloshare",
    )  # fmt: skip

    @property
    def levels(self) -> Levels:
        """The levels that are asked."""
        answer = self.answer_s * 1000 or None
        return Levels(self.ttft_ms or None, self.tpot_ms or None, answer, self.percentile)


@dataclass(frozen=True)
class Way:
    """One way to run the replicas over a day: the largest rate of one, and how many an hour needs (24 of them).

    `num_speculative_tokens` is 0 for off and None for a schedule. `replicas` is empty where one replica alone misses a
    level, however little comes.
    """

    key: str
    num_speculative_tokens: int | None
    most: Most
    replicas: tuple[int, ...]

    @property
    def at_peak(self) -> int | None:
        """Replicas of the busiest hour; None where no number of them keeps the levels."""
        return max(self.replicas, default=None)

    @property
    def replica_hours(self) -> int:
        """Replica hours of a day, if each hour runs as many as it needs."""
        return sum(self.replicas)


@dataclass(frozen=True)
class Plan:
    """The three ways, how many replicas the best fixed one saves at peak by what costs may be, and the price."""

    ways: tuple[Way, ...]
    saved: tuple[int, ...]
    accelerators: int
    price_per_hour: float
    watts: float

    def way(self, key: str) -> Way:
        """One of the ways by its key."""
        return next(each for each in self.ways if each.key == key)

    @property
    def best(self) -> Way:
        """The way that needs the fewest accelerators at peak, then the fewest hours; of equals the simplest."""
        able = [each for each in self.ways if each.replicas]
        return min(able or self.ways, key=lambda each: (each.at_peak or 0, each.replica_hours))

    def money(self, way: Way) -> float:
        """Price of a day."""
        return way.replica_hours * self.accelerators * self.price_per_hour

    def kilowatt_hours(self, way: Way) -> float:
        """Energy of a day, at the power that the accelerators are said to draw: an upper bound."""
        return way.replica_hours * self.accelerators * self.watts / 1000


def plan(answer: LoadAnswer, traffic: Traffic, day: Sequence[float], chip: Accelerator) -> Plan:
    """The plan for a day of 24 hourly shares of the peak rate, each between 0 and 1.

    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.served_model import Serving
    >>> answer = LoadAnswer(Serving(AffinePass(), alpha=0.8), Load(), 3, 300, most=64, plain_most=64)
    >>> found = plan(answer, Traffic(peak_rate=50, tpot_ms=25), [1.0] * 24, Accelerator())
    >>> [(each.key, each.at_peak) for each in found.ways][0], len(found.way("fixed").replicas)
    (('off', 4), 24)
    """
    rates = [share * traffic.peak_rate for share in day]
    ways = tuple(_ways(answer, traffic, rates))
    k = ways[1].num_speculative_tokens
    saved = []
    for serving in (answer.serving, *answer.ends):
        end = answer if serving is answer.serving else replace(answer, serving=serving, ends=(), once={})
        plain, drafted = _off(end, traffic, rates), _fixed(end, traffic, rates, (k or 1,))
        if plain.at_peak is not None and drafted.at_peak is not None:
            saved.append(plain.at_peak - drafted.at_peak)
    return Plan(ways, tuple(sorted(saved)), chip.count, answer.load.price_per_hour, chip.watts)


def _ways(answer: LoadAnswer, traffic: Traffic, rates: Sequence[float]) -> Iterator[Way]:
    yield _off(answer, traffic, rates)
    own = answer.num_speculative_tokens
    longest = answer.serving.most_drafts
    lengths = tuple(sorted({k for k in (*LENGTHS, own) if 1 <= k <= longest}))
    yield _fixed(answer, traffic, rates, lengths)
    scheduled = answer.scheduled_engine
    tau = float(answer.serving.tau(int(answer.scheduled[0])))
    yield _way(SCHEDULE, None, scheduled, tau, traffic, rates)


def _off(answer: LoadAnswer, traffic: Traffic, rates: Sequence[float]) -> Way:
    return _way(OFF, 0, answer.plain_engine, 1.0, traffic, rates)


def _fixed(answer: LoadAnswer, traffic: Traffic, rates: Sequence[float], lengths: Sequence[int]) -> Way:
    """The draft length whose replicas serve most, the shortest of equals."""
    found = [_way(FIXED, k, answer.engine_with(k), float(answer.serving.tau(k)), traffic, rates) for k in lengths]
    return max(found, key=lambda each: each.most.rate)


def _way(key: str, k: int | None, engine: EngineTable, tau: float, traffic: Traffic, rates: Sequence[float]) -> Way:
    most = largest_rate(engine, traffic.levels, tau)
    replicas = tuple(max(math.ceil(rate / most.rate - 1e-9), 1) for rate in rates) if most.rate else ()
    return Way(key, k, most, replicas)
