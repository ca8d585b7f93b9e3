"""Exposition text as families, read by prometheus_client's own parser, and what most engines' counters need.

A sample is found under the name it has in the text (`…_total`, `…_sum`). `_created` samples are left out.
"""

import re
from collections.abc import Iterable

from prometheus_client.parser import text_string_to_metric_families

from specmodel.base.messages import Message
from specmodel.logs._checks import SMALLEST
from specmodel.logs._format import Families, LogError, Metrics, Sample, note

MAX_SCRAPE = 8 * 2**20
MAX_LINE = 2**14
"""Characters of a line: the parser takes a time that grows with the square of it."""


def families(text: str, formats: Iterable[Metrics]) -> Families:
    """Every sample of a scrape that one of the formats may want, by name; histogram buckets are of use to none.

    >>> metrics = Metrics("x", "page", ("a",), lambda found: None)
    >>> families("# TYPE a counter\\na_total{x=\\"1\\"} 3\\nb_total 9\\n", [metrics])["a_total"][0].value
    3.0
    """
    text = _wanted(text, tuple(prefix for each in formats for prefix in each.prefixes))
    found: dict[str, list[Sample]] = {}
    seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    try:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                key = sample.name, frozenset(sample.labels.items())
                if key in seen:
                    raise LogError(
                        "{name} stands in the text twice: two scrapes in one file? Give them as two files",
                        name=sample.name,
                    )
                seen.add(key)
                if not sample.name.endswith("_created"):
                    found.setdefault(sample.name, []).append(Sample(sample.labels, float(sample.value), family.type))
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError("this is no Prometheus text that can be read: {reason}", reason=str(error)) from error
    return found


def _wanted(text: str, prefixes: tuple[str, ...]) -> str:
    """Without the samples of other names and without buckets: a scrape may hold ten times as much of those.

    Whatever is no line of a scrape stays, so that the parser refuses it.
    """
    names = "|".join(map(re.escape, prefixes))
    others = re.compile(rf"^(?:# (?:HELP|TYPE) )?(?!{names})[a-zA-Z_:][\w:]*[ {{].*\n", re.MULTILINE)
    buckets = re.compile(rf"^(?:{names})\w*_bucket{{.*\n", re.MULTILINE)
    kept = buckets.sub("", others.sub("", text))
    if len(max(kept.split("\n"), key=len)) > MAX_LINE:
        raise LogError("a line of a /metrics page with more than {limit} characters cannot be read", limit=MAX_LINE)
    if len(kept) > MAX_SCRAPE:
        raise LogError(
            "a /metrics page with more than {limit} MiB of engine metrics cannot be read", limit=MAX_SCRAPE // 2**20
        )
    return kept


def summed(found: Families, name: str, **labels: str) -> float | None:
    """The sum of all samples of a name (over engines, ranks, models), those with these labels; None without any.

    >>> summed({"a": [Sample({"engine": "0"}, 1.0), Sample({"engine": "1"}, 2.0)]}, "a")
    3.0
    """
    values = [
        counted(name, sample)
        for sample in found.get(name, [])
        if all(sample.labels.get(key) == value for key, value in labels.items())
    ]
    return sum(values) if values else None


def counted(name: str, sample: Sample) -> float:
    """What a sample counts; `LogError` for what no counter can hold.

    >>> counted("a", Sample({}, 3.0))
    3.0
    """
    if sample.value and not SMALLEST <= sample.value < float("inf"):
        raise LogError(
            "{name} is {value}, expected a number that is not negative", name=name, value=f"{sample.value:g}"
        )
    return sample.value


def by_label(found: Families, name: str, label: str) -> dict[str, float]:
    """Sums of a name by one label.

    >>> by_label({"a": [Sample({"p": "0"}, 1.0), Sample({"p": "0"}, 2.0)]}, "a", "p")
    {'0': 3.0}
    """
    sums: dict[str, float] = {}
    for sample in found.get(name, []):
        value = sample.labels.get(label, "")
        sums[value] = sums.get(value, 0.0) + counted(name, sample)
    return sums


def by_position(found: Families, name: str, label: str = "position") -> tuple[float, ...] | None:
    """Counts by position 0 … k − 1, in order; None where the family is missing. Zeros at the end are kept.

    >>> by_position({"a": [Sample({"position": "1"}, 2.0), Sample({"position": "0"}, 5.0)]}, "a")
    (5.0, 2.0)
    """
    values = by_label(found, name, label)
    if not values:
        return None
    if set(values) != {str(position) for position in range(len(values))}:
        raise LogError("the positions of {name} are not 0, 1, 2, …: {found}", name=name, found=", ".join(values))
    return tuple(values[str(position)] for position in range(len(values)))


def difference(before: Families, after: Families) -> tuple[Families, tuple[Message, ...]]:
    """What counters and histograms rose by between two scrapes; gauges as they are in the second.

    Where a counter is lower than before, its process was started anew: all counters with the same labels then count
    since that start, and a note says so.

    >>> metrics = [Metrics("x", "page", ("a",), lambda found: None)]
    >>> old, new = (families(f"# TYPE a counter\\na_total {value}\\n", metrics) for value in (3, 5))
    >>> difference(old, new)[0]["a_total"][0].value, difference(new, old)[0]["a_total"][0].value
    (2.0, 3.0)
    """
    old = {(name, _key(sample)): sample.value for name, samples in before.items() for sample in samples}
    fell = {
        _process(sample)
        for name, samples in after.items()
        for sample in samples
        if _counts(name, sample) and sample.value < old.get((name, _key(sample)), 0)
    }
    changed: dict[str, list[Sample]] = {}
    for name, samples in after.items():
        for sample in samples:
            since = (
                old.get((name, _key(sample)), 0.0) if _counts(name, sample) and _process(sample) not in fell else 0.0
            )
            changed.setdefault(name, []).append(Sample(sample.labels, sample.value - since, sample.type))
    notes = (note("a counter fell between the scrapes: the engine was started anew, and is counted since then"),)
    return changed, notes if fell else ()


def _counts(name: str, sample: Sample) -> bool:
    return sample.type in ("counter", "histogram", "summary") or name.endswith(("_total", "_sum", "_count"))


def _key(sample: Sample) -> frozenset[tuple[str, str]]:
    return frozenset(sample.labels.items())


def _process(sample: Sample) -> frozenset[tuple[str, str]]:
    """The labels that tell one process from another."""
    return frozenset(
        item for item in sample.labels.items() if item[0] in ("engine", "instance", "model_name", "dp_rank")
    )
