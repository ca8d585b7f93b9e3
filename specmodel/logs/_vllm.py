"""What the readers of vLLM share: one `SpecDecoding metrics` line as counters, those of V0, and checks.

Formats read in vllm/v1/spec_decode/metrics.py (wheel 0.33.0 of 2026-11-01, and its history). The line of 0.8.5 leaves
the bonus token out of the acceptance length: then the length is the sum of the rates by position, else one more.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import checked, count, number, share
from specmodel.logs._format import LogError, note
from specmodel.logs._positions import counts_from_rates
from specmodel.logs._printed import agree
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "vLLM"
SOURCE = N_("log lines")
_N = r"(?:\d+(?:\.\d+)?|nan)"
_COUNTS = r"Accepted: (?P<accepted>\d+) tokens, Drafted: (?P<drafted>\d+) tokens"
_BY_POSITION = r"Per-position acceptance rate: (?P<rates>(?:(?:\d\.\d{3}|nan)(?:, (?:\d\.\d{3}|nan))*)?)"
_LAYOUTS = (
    re.compile(
        rf"SpecDecoding metrics: Mean acceptance length: (?P<length>{_N}), Accepted throughput: {_N} tokens/s, "
        rf"Drafted throughput: (?P<speed>{_N}) tokens/s, {_COUNTS}, {_BY_POSITION}, "
        rf"Avg Draft acceptance rate: (?P<rate>{_N})(?P<percent>%)"
    ),
    re.compile(
        rf"SpecDecoding metrics: Draft acceptance rate: (?P<rate>{_N})(?P<percent>%), "
        rf"Mean acceptance length: (?P<length>{_N}), {_COUNTS}, {_BY_POSITION}\s*$"
    ),
    re.compile(rf"SpecDecoding metrics: Draft acceptance rate: (?P<rate>{_N})(?P<percent>%), {_COUNTS}\s*$"),
    re.compile(
        rf"Speculative metrics: Draft acceptance rate: (?P<rate>{_N}), Number of accepted tokens: (?P<accepted>\d+), "
        r"Number of draft tokens: (?P<drafted>\d+),?\s*$"
    ),
)


_VARIED = note("the number of drafts in a round varies: rounds were worked out as accepted ÷ (acceptance length − 1)")
_V0 = re.compile(
    r"Speculative metrics: Draft acceptance rate: (?P<rate>[\d.]+|nan), System efficiency: (?P<efficiency>[\d.]+|nan), "
    r"Number of speculative tokens: (?P<k>\d+), Number of accepted tokens: (?P<matches>\d+), "
    r"Number of draft tokens: (?P<drafted>\d+), Number of emitted tokens: (?P<emitted>\d+)\."
)


def tokens(value: Any, line: int, name: str) -> int:
    """A whole number that a counter can have reached.

    >>> tokens("5760", 1, "Accepted")
    5760
    """
    return count(value, line, name)


def window(line: int, text: str) -> SpecStats | None:
    """The counters of one line since the line before it; None if it is no such line. Rounds are None where unknown.

    >>> text = "SpecDecoding metrics: Draft acceptance rate: 60.0%, Accepted: 5760 tokens, Drafted: 9600 tokens"
    >>> window(1, text).draft_acceptance_rate
    0.6
    """
    match = next((match for layout in _LAYOUTS if (match := layout.search(text))), None)
    if match is None or "Avg thr (in/out)" in text:
        return None
    found = match.groupdict()
    drafted, accepted = tokens(found["drafted"], line, "Drafted"), tokens(found["accepted"], line, "Accepted")
    stats = SpecStats(ENGINE, SOURCE, num_draft_tokens=drafted, num_accepted_draft_tokens=accepted)
    if not drafted:
        return checked(stats, line)
    digits = 100 if found.get("percent") else 1
    rate = number(found["rate"], line, "Draft acceptance rate") / digits
    consistent(stats, line, rate=rate, half_rate=0.0005)
    printed = (Printed("Draft acceptance rate", rate, "accepted_per_drafted"),)
    stats = stats.replace(version="0.8.3", printed=printed)
    if found.get("rates") is None:
        return stats
    if not found["rates"]:
        return None
    rates = tuple(share(each, line, "Per-position acceptance rate") for each in found["rates"].split(", "))
    stats = _named(stats, number(found["length"], line, "Mean acceptance length"), rates, line, found.get("speed"))
    return checked(_with_rounds(stats, rates, line), line)


def _named(stats: SpecStats, length: float, rates: Sequence[float], line: int, speed: str | None) -> SpecStats:
    """Version and definition of the length, decided by which identity holds; the window from the throughput."""
    slack = 0.005 + 0.0005 * len(rates) + 1e-6
    bonus = abs(length - 1 - sum(rates)) <= slack
    if not bonus and (speed is not None or abs(length - sum(rates)) > slack):
        raise LogError(
            "line {line}: the rates by position add up to {sum:.3f}: a mean acceptance length of {length:.2f} does not "
            "go with them, with the bonus token or without",
            line=line, sum=sum(rates), length=length,
        )  # fmt: skip
    old = "0.9.0–0.10.1" if bonus else "0.8.5"
    tokens_per_s = number(speed, line, "Drafted throughput") if speed is not None else 0.0
    name = "length_with_bonus" if bonus else "length_without_bonus"
    return stats.replace(
        version=old if speed is None else "≥ 0.10.2",
        num_speculative_tokens=len(rates),
        window_s=(stats.num_draft_tokens or 0) / tokens_per_s if tokens_per_s else None,
        printed=(*stats.printed, Printed("Mean acceptance length", length, name)),
    )


def _with_rounds(stats: SpecStats, rates: Sequence[float], line: int) -> SpecStats:
    """Drafted ÷ k where the rates fit to that (every round drafted k), else accepted ÷ the sum of the rates."""
    k, drafted, accepted = len(rates), int(stats.num_draft_tokens or 0), int(stats.num_accepted_draft_tokens or 0)
    together, slack = sum(rates), 0.0005 * k + 1e-9
    if not accepted and together <= slack:
        return stats
    if drafted % k == 0 and abs(accepted * k / drafted - together) <= slack:
        try:
            return counted(stats, drafted // k, counts_from_rates(rates, drafted // k, accepted, line))
        except LogError:  # almost every round drafted k
            pass
    if not together:
        return stats
    most = accepted / (together - slack) if together > slack else math.inf
    if most < drafted / k or accepted / (together + slack) > drafted:
        raise LogError(
            "line {line}: {accepted:,} accepted tokens at rates that add up to {sum:.3f} take about {rounds:,.0f} "
            "rounds; {drafted:,} drafted tokens do not go with that, with 1 to {k} a round",
            line=line, accepted=accepted, sum=together, rounds=accepted / together, drafted=drafted, k=k,
        )  # fmt: skip
    positions = tuple(accepted * rate / together for rate in rates)
    rounds = max(round(accepted / together), math.ceil(drafted / k), math.ceil(positions[0] - 1e-9))
    return counted(stats, rounds, positions).replace(estimated=True, notes=(_VARIED,))


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


def counted(stats: SpecStats, rounds: float, positions: tuple[float, ...] | None) -> SpecStats:
    """The window with its rounds, as one sampling unit.

    >>> counted(SpecStats("vLLM", "log", num_draft_tokens=3, num_accepted_draft_tokens=2), 1, (1, 1)).units.kind
    'windows'
    """
    row = rounds, stats.num_draft_tokens or 0, stats.num_accepted_draft_tokens or 0, positions
    return stats.replace(num_rounds=rounds, accepted_per_position=positions, units=Units.of("windows", [row]))


def consistent(
    stats: SpecStats,
    line: int,
    *,
    rate: float | None = None,
    length: float | None = None,
    half_rate: float = 0.00005,
    half_length: float = 0.005,
) -> SpecStats:
    """The same counters, or `LogError` where they, or a printed rate or length with bonus, contradict each other.

    >>> stats = SpecStats("vLLM", "log", num_rounds=100, num_draft_tokens=300, num_accepted_draft_tokens=180)
    >>> consistent(stats, 1, rate=0.6, length=2.8).num_rounds
    100
    """
    checked(stats, line)
    if rate is not None and stats.num_draft_tokens:
        agree(rate, stats.draft_acceptance_rate or 0.0, half_rate, line, "draft acceptance rate")
    if length is not None and stats.num_rounds:
        agree(length, stats.mean_acceptance_length or 1.0, half_length, line, "mean acceptance length")
    return stats
