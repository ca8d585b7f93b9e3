"""vLLM: what `vllm bench latency` prints; its JSON is read in `vllm_bench`.

Format read in vllm/benchmarks/latency.py: the mean over iterations, then their percentiles, in seconds and not rounded.
An iteration is a whole batch from prompt to last token; nothing tells whether the run speculated.
"""

import re

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.measured.spec_stats import SpecStats

ENGINE = "vLLM"
_MEAN = re.compile(r"(?:.*\s)?Avg latency: ([\d.e+-]{1,40}) seconds\s*$")
_PERCENTILE = re.compile(r"(?:.*\s)?(\d{1,2})% percentile latency: ([\d.e+-]{1,40}) seconds\s*$")


class _Print:
    """A mean counts once a percentile follows it: other programs print means of other things."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._mean: float | None = None
        self._highest = 0.0

    def take(self, line: int, found: str) -> bool:
        if match := _MEAN.match(found):
            self._mean, self._highest = number(match[1], line, "Avg latency"), 0.0
            return True
        match = _PERCENTILE.match(found)
        if match is None:
            return "% percentile" not in found  # a mean in other words is of another program
        value = number(match[2], line, f"{match[1]}% percentile latency")
        if value < self._highest:
            raise LogError(
                "line {line}: percentiles may never fall; {value:g} s comes after {before:g} s",
                line=line, value=value, before=self._highest,
            )  # fmt: skip
        self._highest = value
        if self._mean is not None:
            self._add(self._mean)
        self._mean = None
        return True

    def _add(self, mean: float) -> None:
        silent = note("this benchmark does not print acceptance: whether the run speculated is not in the file")
        self._tally.add(SpecStats(ENGINE, LATENCY.source, speculation=False, request_ms=1000 * mean, notes=(silent,)))

    def result(self) -> SpecStats | None:
        return self._tally.total()


LATENCY = Lines(ENGINE, N_("latency or throughput benchmark"), ("Avg latency: ", "% percentile latency: "), _Print)
FORMATS = (LATENCY,)
