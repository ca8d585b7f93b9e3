"""What the readers of vLLM share: one `SpecDecoding metrics` line as counters, and checks.

Formats read in vllm/v1/spec_decode/metrics.py (wheel 0.33.0 of 2026-11-01, and its history). The line of 0.8.5 leaves
the bonus token out of the acceptance length: then the length is the sum of the rates by position, else one more.
"""

import math
from collections.abc import Sequence
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import checked, count, number, share
from specmodel.logs._format import LogError, note
from specmodel.logs._positions import counts_from_rates
from specmodel.logs._printed import agree
from specmodel.logs._vllm_line import Line, line_of
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "vLLM"
SOURCE = N_("log lines")
_VARIED = note("the number of drafts in a round varies: rounds were worked out as accepted ÷ (acceptance length − 1)")


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
    found = line_of(text)
    if found is None:
        return None
    drafted, accepted = tokens(found.drafted, line, "Drafted"), tokens(found.accepted, line, "Accepted")
    if not drafted or accepted > drafted:
        return checked(
            SpecStats(ENGINE, SOURCE, num_draft_tokens=drafted, num_accepted_draft_tokens=accepted), line
        )  # fmt: skip
    given: dict[str, Any] = {"version": "0.8.3", "num_draft_tokens": drafted, "num_accepted_draft_tokens": accepted}
    printed: list[Printed] = []
    if found.rate is not None:
        rate = number(found.rate, line, "Draft acceptance rate") / found.rate_of
        agree(rate, accepted / drafted, 0.0005, line, "draft acceptance rate")
        printed.append(Printed("Draft acceptance rate", rate, "accepted_per_drafted"))
    if found.rates is None:
        given |= _rounds_of_length(drafted, accepted, found, line)
        return SpecStats(ENGINE, SOURCE, **given, printed=tuple(printed))
    rates = tuple([share(each, line, "Per-position acceptance rate") for each in found.rates])
    if (found.rate is None or found.length is None) and not _all_drafted(drafted, accepted, rates):
        return None  # nothing shows that the rates are all there: the line may be cut off
    length = _length(found, rates, line)
    if length is not None:
        printed.append(length)
    speed = number(found.speed, line, "Drafted throughput") if found.speed is not None else None
    given["version"] = _version(length, speed)
    given["num_speculative_tokens"] = len(rates)
    given["window_s"] = _window(found, drafted, accepted, line)
    given |= _rounds(drafted, accepted, rates, line)
    return checked(SpecStats(ENGINE, SOURCE, **given, printed=tuple(printed)), line)


def _window(found: Line, drafted: int, accepted: int, line: int) -> float | None:
    """Seconds of the window: drafted tokens ÷ their throughput; `LogError` where those accepted give another one."""
    speed, other = (
        None if each is None else number(each, line, name)
        for each, name in ((found.speed, "Drafted throughput"), (found.accepted_speed, "Accepted throughput"))
    )
    if not speed:
        return None
    # two decimals each: drafted ÷ speed and accepted ÷ other overlap
    if other is not None and abs(drafted * other - accepted * speed) > 0.00501 * (drafted + accepted):
        raise LogError(
            "line {line}: {drafted:,} tokens drafted at {speed:g} a second and {accepted:,} accepted at {other:g} are "
            "not of one window",
            line=line, drafted=drafted, speed=speed, accepted=accepted, other=other,
        )  # fmt: skip
    return drafted / speed


def _all_drafted(drafted: int, accepted: int, rates: Sequence[float]) -> bool:
    """Whether the rates by position fit to rounds that all drafted as many tokens as there are rates."""
    k = len(rates)
    return drafted % k == 0 and abs(accepted * k / drafted - sum(rates)) <= 0.0005 * k + 1e-9


def _rounds_of_length(drafted: int, accepted: int, found: Line, line: int) -> dict[str, Any]:
    """Rounds of a line without rates by position: accepted ÷ (length − 1), within what the drafts allow."""
    if found.length is None or found.speed is None:
        return {}
    given: dict[str, Any] = {"version": "≥ 0.10.2", "window_s": _window(found, drafted, accepted, line)}
    more = number(found.length, line, "Mean acceptance length") - 1
    if not accepted or more <= 0:
        return given
    rounds = min(max(round(accepted / more), 1), drafted)
    return given | _counted(drafted, accepted, rounds, None) | {"estimated": True, "notes": (_VARIED,)}


def _version(length: Printed | None, speed: float | None) -> str | None:
    if speed is not None:
        return "≥ 0.10.2"
    if length is None:
        return None
    return "0.9.0–0.10.1" if length.definition == "length_with_bonus" else "0.8.5"


def _length(found: Line, rates: Sequence[float], line: int) -> Printed | None:
    """The length as printed; its definition is decided by which identity holds."""
    if found.length is None:
        return None
    length, together = number(found.length, line, "Mean acceptance length"), sum(rates)
    slack = 0.005 + 0.0005 * len(rates) + 1e-6
    if abs(length - 1 - together) <= slack:
        return Printed("Mean acceptance length", length, "length_with_bonus")
    if found.speed is None and abs(length - together) <= slack:
        return Printed("Mean acceptance length", length, "length_without_bonus")
    raise LogError(
        "line {line}: the rates by position add up to {sum:.3f}: a mean acceptance length of {length:.2f} does not "
        "go with them, with the bonus token or without",
        line=line, sum=together, length=length,
    )  # fmt: skip


def _rounds(drafted: int, accepted: int, rates: Sequence[float], line: int) -> dict[str, Any]:
    """Drafted ÷ k where the rates fit to that (every round drafted k), else accepted ÷ the sum of the rates."""
    k, together = len(rates), sum(rates)
    slack = 0.0005 * k + 1e-9
    if not accepted and together <= slack:
        return {}
    if _all_drafted(drafted, accepted, rates):
        try:
            positions = counts_from_rates(rates, drafted // k, accepted, line)
            return _counted(drafted, accepted, drafted // k, positions)
        except LogError:  # almost every round drafted k
            pass
    if not together:
        return {}
    most = accepted / (together - slack) if together > slack else math.inf
    if most < drafted / k or accepted / (together + slack) > drafted:
        raise LogError(
            "line {line}: {accepted:,} accepted tokens at rates that add up to {sum:.3f} take about {rounds:,.0f} "
            "rounds; {drafted:,} drafted tokens do not go with that, with 1 to {k} a round",
            line=line, accepted=accepted, sum=together, rounds=accepted / together, drafted=drafted, k=k,
        )  # fmt: skip
    shares = tuple(accepted * rate / together for rate in rates)
    rounds = max(round(accepted / together), math.ceil(drafted / k), math.ceil(shares[0] - 1e-9))
    return _counted(drafted, accepted, rounds, shares) | {"estimated": True, "notes": (_VARIED,)}


def _counted(drafted: float, accepted: float, rounds: float, positions: tuple[float, ...] | None) -> dict[str, Any]:
    """Fields of a window with its rounds, as one sampling unit."""
    units = Units.of("windows", [(rounds, drafted, accepted, positions)])
    return {"num_rounds": rounds, "accepted_per_position": positions, "units": units}


def counted(stats: SpecStats, rounds: float, positions: tuple[float, ...] | None) -> SpecStats:
    """The window with its rounds, as one sampling unit.

    >>> counted(SpecStats("vLLM", "log", num_draft_tokens=3, num_accepted_draft_tokens=2), 1, (1, 1)).units.kind
    'windows'
    """
    drafted, accepted = stats.num_draft_tokens or 0, stats.num_accepted_draft_tokens or 0
    return stats.replace(**_counted(drafted, accepted, rounds, positions))


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
