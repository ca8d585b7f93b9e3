"""Runs of one setting that was measured several times: which of them belong together, and how far they lie apart."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.special import stdtrit

from specmodel.engine.comparable import tpot_ms
from specmodel.measured.intervals import LEVEL
from specmodel.measured.spec_stats import SpecStats, total

ROUNDING = 0.005
"""Batches (contexts, rates) that differ by less than half a percent are the same one, measured and rounded."""
TREE = "top-k"
"""What stands in the label of a setting that drafts trees."""
EXACT = " · "
"""What stands in the label of a setting of a table: numbers in it belong to its name."""
_LENGTH = re.compile(r"^k = [\d?]+(?: · |$)")
MEANS = ("step_ms", "tpot_ms", "itl_ms", "ttft_ms", "request_ms", "printed_length", "output_tokens_per_s", "batch_size")


def same_batch(one: float | None, other: float | None) -> bool:
    """Whether two batch sizes (or contexts, or rates) are the same but for rounding.

    >>> same_batch(11, 10.999999999999996), same_batch(11, 12), same_batch(None, None), same_batch(None, 1)
    (True, False, True, False)
    """
    if one is None or other is None:
        return one is other
    return abs(one - other) <= ROUNDING * max(abs(one), abs(other))


def same_conditions(one: SpecStats, other: SpecStats) -> bool:
    """Whether two runs had the same batch, context and request rate.

    >>> same_conditions(SpecStats("a", "b", batch_size=4), SpecStats("a", "b", batch_size=4, context_tokens=100))
    False
    """
    names = ("batch_size", "context_tokens", "request_rate")
    return all(same_batch(getattr(one, name), getattr(other, name)) for name in names)


def same_setting(one: SpecStats, other: SpecStats) -> bool:
    """Whether two runs are repeats: the same conditions, the same draft length and temperature, and the same name.

    The numbers in a name may count the runs, or tell the batch, so they do not matter but for trees, which have their
    shape there.

    >>> same_setting(SpecStats("a", "b", batch_size=11), SpecStats("a", "b", batch_size=10.999999999999996))
    True
    >>> same_setting(SpecStats("a", "b", label="eagle"), SpecStats("a", "b", label="ngram"))
    False
    """
    fields = ("speculation", "num_speculative_tokens", "temperature")
    alike = all(getattr(one, name) == getattr(other, name) for name in fields)
    return alike and _name(one.label) == _name(other.label) and same_conditions(one, other)


def _name(label: str) -> str:
    return label if TREE in label or EXACT in label else re.sub(r"[\d.]+", "", label)


def way_of(label: str) -> str:
    """The name of a setting without its draft length: settings of one way of drafting differ in that alone.

    >>> way_of("k = 3 · EAGLE-3"), way_of("k = 3"), way_of("k=3, chat")
    ('EAGLE-3', '', 'k=, chat')
    """
    return _LENGTH.sub("", label) if _LENGTH.match(label) else _name(label)


def own_part(stats: SpecStats) -> SpecStats | None:
    """The setting of a file that its main counters are those of, the first of its runs; None where it is none of them.

    >>> part = SpecStats("a", "b", label="k = 3", num_speculative_tokens=3, tpot_ms=5.0)
    >>> own_part(part.replace(label="x.csv", parts=(part,), parts_are_settings=True)).label
    'k = 3'
    """
    if not stats.parts_are_settings:
        return None
    alone = next((each for each in stats.parts if _same_numbers(each, stats)), None)
    several = (runs[0] for runs in by_setting(stats.parts) if len(runs) > 1 and _same_numbers(together(runs), stats))
    return alone or next(several, None)


def _same_numbers(one: SpecStats, other: SpecStats) -> bool:
    names = ("speculation", "num_speculative_tokens", "temperature")
    alike = all(getattr(one, name) == getattr(other, name) for name in names) and same_conditions(one, other)
    times = ("tpot_ms", "step_ms", "printed_length")
    return alike and all(_equal(getattr(one, name), getattr(other, name)) for name in times)


def _equal(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else math.isclose(one, other, rel_tol=1e-8)


def by_setting(parts: Iterable[SpecStats]) -> list[list[SpecStats]]:
    """The runs of each setting, in the order in which the settings come first.

    >>> runs = [SpecStats("a", "b", batch_size=batch) for batch in (11, 4, 10.999999999999996)]
    >>> [len(each) for each in by_setting(runs)]
    [2, 1]
    """
    found: list[list[SpecStats]] = []
    for part in parts:
        alike = next((runs for runs in found if same_setting(runs[0], part)), None)
        if alike is None:
            found.append([part])
        else:
            alike.append(part)
    return found


def together(runs: Sequence[SpecStats]) -> SpecStats:
    """Several runs of one setting: their counters added up; a mean that has no counter to be weighted by counts each
    run the same.

    >>> together([SpecStats("a", "b", tpot_ms=10.0), SpecStats("a", "b", tpot_ms=12.0)]).tpot_ms
    11.0
    """
    if len(runs) == 1:
        return runs[0]
    sums = total(runs)
    means = {}
    for name in MEANS:
        values = [getattr(each, name) for each in runs]
        if getattr(sums, name) is None and all(value is not None for value in values):
            means[name] = fmean(values)
    return sums.replace(**means, label=runs[0].label)


@dataclass(frozen=True)
class Spread:
    """How far repeats lie apart: the standard deviation of the log of the time per token, pooled over all settings that
    were run several times, with its degrees of freedom.

    >>> runs = [[SpecStats("a", "b", tpot_ms=10.0), SpecStats("a", "b", tpot_ms=11.0)]]
    >>> found = Spread.of(runs)
    >>> round(found.deviation, 4), found.freedom
    (0.0674, 1)
    """

    deviation: float
    freedom: int

    @classmethod
    def of(cls, settings: Iterable[Sequence[SpecStats]]) -> "Spread | None":
        """The spread within the settings; None where none of them was run twice."""
        squares, freedom = 0.0, 0
        for runs in settings:
            logs = [math.log(ms) for each in runs if (ms := tpot_ms(each))]
            if len(logs) > 1:
                squares += sum((each - fmean(logs)) ** 2 for each in logs)
                freedom += len(logs) - 1
        return cls(math.sqrt(squares / freedom), freedom) if freedom else None

    def factor(self, runs: int, plain_runs: int) -> float:
        """What a ratio of two means may be off by, either way, at 95 %: exp(t·s·sqrt(1/n + 1/m)).

        Student's t for a difference of two means with a pooled variance, here of logs, since times differ by factors;
        `plain_runs` = 0 stands for a time that is known exactly. (Any text on statistics: the two-sample t interval.)

        >>> round(Spread(0.02, 4).factor(3, 3), 3)
        1.046
        """
        variance = 1 / runs + (1 / plain_runs if plain_runs else 0.0)
        return math.exp(float(stdtrit(self.freedom, (1 + LEVEL) / 2)) * self.deviation * math.sqrt(variance))
