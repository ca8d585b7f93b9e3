"""Runs of one tool in one file, told apart by what names them and by an item that comes again."""

from collections.abc import Hashable, Mapping
from typing import Any

from specmodel.logs._format import LogError
from specmodel.logs._printed import MOST_SETTINGS, text
from specmodel.measured.spec_stats import SpecStats

MAX_REMEMBERED = 200_000
MAX_LABEL = 60
Run = tuple[str, int]


class Repeats:
    """Which run an item is of: a tool asks each question once, so that what is answered again is of the next run.

    Runs are told apart by their label (a model, a draft length), and those of one label by how often an item was there
    before; so lines of two runs may also take turns. Items of which nothing is known are of the first run.

    >>> runs = Repeats()
    >>> [runs.of("m", item, 1) for item in (81, 82, 81, None)], runs.of("n", 81, 5)
    ([('m', 1), ('m', 1), ('m', 2), ('m', 1)], ('n', 1))
    """

    def __init__(self) -> None:
        self._times: dict[int, int] = {}
        self._runs: set[Run] = set()

    def of(self, label: str, item: Hashable, line: int) -> Run:
        """The run of an item; `LogError` where there are too many of them."""
        times = 1
        key = hash((label, item))
        if item is not None and (key in self._times or len(self._times) < MAX_REMEMBERED):
            times = self._times[key] = self._times.get(key, 0) + 1
        run = (label[:MAX_LABEL], times)
        self._runs.add(run)
        if len(self._runs) > MOST_SETTINGS:
            raise LogError("the file holds more than {limit} runs; give fewer in one file", limit=MOST_SETTINGS)
        return run


def asked(found: Mapping[str, Any]) -> tuple[str, Hashable]:
    """Who answers what, in a line of FastChat's answer files, which EAGLE and Spec-Bench write.

    >>> asked({"question_id": 81, "model_id": "demo-8b"}), asked({})
    (('demo-8b', '81'), ('', None))
    """
    item = found.get("question_id")
    return text(found, "model_id"), str(item) if isinstance(item, int | str) else None


def labelled(runs: dict[Run, SpecStats]) -> list[SpecStats]:
    """The runs, each named by what it differs in from the others; one alone keeps its name.

    >>> stats = SpecStats("a", "b")
    >>> [each.label for each in labelled({("m", 1): stats, ("m", 2): stats, ("n", 1): stats})]
    ['m, run 1', 'm, run 2', 'n']
    """
    if len(runs) < 2:
        return list(runs.values())
    labels = {label for label, _ in runs}
    named = []
    for (label, times), stats in runs.items():
        again = sum(other == label for other, _ in runs) > 1
        parts = [label if len(labels) > 1 else "", f"run {times}" if again else ""]
        named.append(stats.replace(label=", ".join(filter(None, parts))))
    return named
