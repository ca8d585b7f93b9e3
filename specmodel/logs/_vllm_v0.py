"""Lines of vLLM V0 (vllm/spec_decode/metrics.py), which count since the start of the server."""

import re

from specmodel.logs._checks import checked, number
from specmodel.logs._format import LogError, note
from specmodel.logs._vllm import ENGINE, SOURCE, counted, tokens
from specmodel.measured.spec_stats import Printed, SpecStats

_V0 = re.compile(
    r"Speculative metrics: Draft acceptance rate: (?P<rate>[\d.]+|nan), System efficiency: (?P<efficiency>[\d.]+|nan), "
    r"Number of speculative tokens: (?P<k>\d+), Number of accepted tokens: (?P<matches>\d+), "
    r"Number of draft tokens: (?P<drafted>\d+), Number of emitted tokens: (?P<emitted>\d+)\."
)


class Cumulative:
    """Lines of V0, which count since the start of the server: each less the one before it, unless it was started anew.

    Its acceptance rate counts every draft that matches, also after a rejection: rounds are drafted ÷ k, and accepted
    tokens are those emitted less one a round.

    >>> text = (
    ...     "Speculative metrics: Draft acceptance rate: 0.550, System efficiency: 0.133, "
    ...     "Number of speculative tokens: 8, Number of accepted tokens: 44, Number of draft tokens: 80, "
    ...     "Number of emitted tokens: 12."
    ... )
    >>> Cumulative().window(1, text).num_accepted_draft_tokens
    2
    """

    def __init__(self) -> None:
        self._before: dict[str, int] = {}

    def window(self, line: int, text: str) -> SpecStats | None:
        """What was counted since the line before; None if it is no such line."""
        match = _V0.search(text)
        return self._since_last(line, match) if match else None

    def _since_last(self, line: int, match: re.Match[str]) -> SpecStats:
        """A line of V0, less the one before it unless the server was started anew between them."""
        now = {name: tokens(match[name], line, name) for name in ("k", "matches", "drafted", "emitted")}
        if not now["drafted"]:
            return SpecStats(ENGINE, SOURCE, num_draft_tokens=0)
        _check_v0(now, line, number(match["rate"], line, "Draft acceptance rate"), match["efficiency"])
        k, before, self._before = now["k"], self._before, now
        if before.get("k") != k or any(now[name] < before[name] for name in now):
            before = {}
        drafted, emitted = (now[name] - before.get(name, 0) for name in ("drafted", "emitted"))
        stats = SpecStats(
            ENGINE,
            SOURCE,
            version="V0",
            num_speculative_tokens=k,
            num_draft_tokens=drafted,
            num_accepted_draft_tokens=max(emitted - drafted // k, 0),
            printed=(
                Printed("Draft acceptance rate", float(match["rate"]), "v0_rate"),
                Printed("System efficiency", float(match["efficiency"]), "v0_efficiency"),
            ),
            notes=(
                note(
                    "the acceptance rate of vLLM V0 also counts drafts that match after a rejection; accepted tokens "
                    "here are those emitted less one a round"
                ),
            ),
        )
        return checked(counted(stats, drafted // k, None), line)


def _check_v0(now: dict[str, int], line: int, rate: float, efficiency: str) -> None:
    k, drafted = now["k"], now["drafted"]
    if not 0 < k <= 1024 or drafted % k:
        raise LogError("line {line}: {drafted:,} draft tokens are no multiple of k = {k}",
                       line=line, drafted=drafted, k=k)  # fmt: skip
    rounds, emitted = drafted // k, now["emitted"]
    fits = rounds <= emitted <= rounds * (k + 1) and emitted - rounds <= now["matches"] <= drafted
    right = abs(now["matches"] / drafted - rate) <= 0.00051
    share = emitted / (rounds * (k + 1))
    if not fits or not right or abs(share - number(efficiency, line, "System efficiency")) > 0.00051:
        raise LogError(
            "line {line}: the counters contradict each other: {matches:,} accepted, {drafted:,} drafted, {emitted:,} "
            "emitted with k = {k} are a rate of {rate:.3f} and an efficiency of {share:.3f}",
            line=line, matches=now["matches"], drafted=drafted, emitted=emitted, k=k,
            rate=now["matches"] / drafted, share=share,
        )  # fmt: skip
