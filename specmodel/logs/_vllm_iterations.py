"""The lines of vLLM's `--enable-logging-iteration-details`."""

import re
from typing import Any

from specmodel.logs._checks import number
from specmodel.logs._format import note
from specmodel.logs._vllm import ENGINE, SOURCE, tokens
from specmodel.measured.spec_stats import SpecStats

ITERATION = re.compile(
    r"Iteration\(\d+\): (?:\d+) context requests, (?P<context>\d+) context tokens, (?P<requests>\d+) generation "
    r"requests, (?P<tokens>\d+) generation tokens, iteration elapsed time: (?P<ms>\d+\.\d+) ms"
)


class Iterations:
    """Iterations added up; those that also read a prompt do not show the step time."""

    def __init__(self) -> None:
        self.all = self.decoding = self._requests = self._tokens = self._steps = 0
        self._ms = 0.0
        self._each: float | None = None

    def add(self, line: int, match: re.Match[str], dummy: bool) -> None:
        """One line; a dummy iteration serves no request."""
        requests = tokens(match["requests"], line, "generation requests")
        scheduled = tokens(match["tokens"], line, "generation tokens")
        if dummy or not requests:
            return
        self.all += 1
        self._steps += requests
        if int(number(match["context"], line, "context tokens")):
            return
        each = scheduled / requests
        self._each = each if not self.decoding or each == self._each else None
        self.decoding += 1
        self._requests += requests
        self._tokens += scheduled
        self._ms += number(match["ms"], line, "iteration elapsed time")

    def times(self) -> dict[str, Any]:
        """Milliseconds of an iteration and its requests, where there are iterations without prompt tokens."""
        return {"step_ms": self._ms / self.decoding, "batch_size": self._requests / self.decoding}

    def alone(self) -> SpecStats:
        """What these lines tell where the log has no others."""
        speculation = self._tokens > self._requests
        k = int(self._each) - 1 if speculation and self._each is not None and self._each == int(self._each) else None
        scheduled = note("generation tokens of an iteration are scheduled tokens, drafts included, not emitted ones")
        return SpecStats(
            ENGINE, SOURCE, speculation=speculation, num_speculative_tokens=k, num_steps=self._steps, notes=(scheduled,)
        )
