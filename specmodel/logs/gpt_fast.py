"""gpt-fast: what generate.py prints at the end.

Format read in generate.py (commit 32971d31). `Acceptance probs` is the histogram of accepted drafts 0 … k as shares of
the rounds, whose number is not printed: counts are given for one round. `Mean Accepted` is without the bonus token.
Without a draft model only `Average tokens/sec` and `Memory used` are printed, which is a baseline.
"""

import re
from itertools import accumulate

from specmodel.base.messages import N_
from specmodel.logs._checks import checked, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.logs._printed import agree, settings
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "gpt-fast"
_LINE = re.compile(
    r"\s*(?:Acceptance probs: \[(?P<probs>[^\[\]]{1,9999})\]|Mean Accepted: (?P<mean>[\d.e-]+)"
    r"|Average tokens/sec: (?P<speed>[\d.]+)|Memory used: (?P<memory>[\d.]+) GB)\s*$"
)


class _Print:
    """A run ends with Memory used, or where the next one begins."""

    def __init__(self) -> None:
        self._runs: list[SpecStats] = []
        self._run: dict[str, str] = {}
        self._line = 0

    def take(self, line: int, found: str) -> bool:
        match = _LINE.match(found)
        if not match:
            return False
        name = str(match.lastgroup)
        if name in self._run or name == "probs":
            self._close()
        self._run[name], self._line = match[name], line
        if name == "memory":
            self._close()
        return True

    def _close(self) -> None:
        run, self._run = self._run, {}
        if "probs" in run or {"speed", "memory"} <= run.keys():
            self._runs.append(_stats(run, self._line))

    def result(self) -> SpecStats | None:
        self._close()
        return settings(self._runs)


def _stats(run: dict[str, str], line: int) -> SpecStats:
    speed, memory = (number(run[name], line, name) if name in run else None for name in ("speed", "memory"))
    stats = SpecStats(
        ENGINE, PRINT.source, speculation="probs" in run, batch_size=1, output_tokens_per_s=speed, memory_gb=memory
    )
    if "probs" not in run:
        return stats
    shares = [number(share, line, "Acceptance probs") for share in run["probs"].split(",")]
    if len(shares) < 2 or abs(sum(shares) - 1) > 1e-6 * len(shares):
        raise LogError(
            "line {line}: the shares of Acceptance probs add up to {sum:.6g}, expected 1", line=line, sum=sum(shares)
        )
    mean = sum(accepted * share for accepted, share in enumerate(shares))
    shown = number(run.get("mean", mean), line, "Mean Accepted")
    agree(shown, mean, 1e-6 * len(shares), line, "Mean Accepted")
    k = len(shares) - 1
    stats = stats.replace(
        estimated=True,
        num_speculative_tokens=k,
        num_rounds=1.0,
        num_draft_tokens=float(k),
        num_accepted_draft_tokens=mean,
        accepted_per_position=tuple(accumulate(shares[:0:-1]))[::-1],
        printed_length=1 + mean,
        printed=(Printed("Mean Accepted", shown, "length_without_bonus"),),
        notes=(note("the number of rounds is not printed: the counts are those of one mean round"),),
    )
    return checked(stats, line)


PRINT = Lines(
    ENGINE,
    N_("print at the end"),
    ("Acceptance probs:", "Mean Accepted:", "Average tokens/sec:", "Memory used:"),
    _Print,
)
FORMATS = (PRINT,)
