"""Ollama: what its MLX runner logs about speculation.

Format read in x/mlxrunner/speculate_stats.go (commits fb307609 and 77f3d948, 2026). One line a request (INFO, DEBUG
before); the API shows nothing. The second line (DEBUG) is what the controller of the draft depth has learned:
acceptance by depth is conditional, and the cost is ms per round by depth. Both become one part for each depth, its
tokens per round being 1 + a_1 + a_1·a_2 + …; these parts are what the controller believes, not counts.
"""

import re
from collections.abc import Mapping
from itertools import accumulate
from operator import mul

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, number, share
from specmodel.logs._format import Lines, LogError
from specmodel.logs._printed import agree, draft_length
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "Ollama"
STATS = 'msg="speculative decode stats"'
_FIELD = re.compile(r"(?<!\S)(\w{1,32})=(\d[\d.]{0,31})(?!\S)")
_COUNTS = ("iterations", "drafted", "accepted")
_RATES = ("acceptance", "avg_draft", "avg_accepted")
_DEPTHS = re.compile(r'msg="speculation depth controller" cost="(?P<cost>[^"]*)" acceptance="(?P<acceptance>[^"]*)"')
_ENTRY = re.compile(r"(\d{1,4}):([\d.]+)(ns|µs|us|ms|s)?(?= |$)")
_MS = {"ns": 1e-6, "µs": 1e-3, "us": 1e-3, "ms": 1.0, "s": 1000.0}


class _Log:
    def __init__(self) -> None:
        self._tally = Tally()
        self._costs: tuple[SpecStats, ...] = ()
        self._learned: tuple[Printed, ...] = ()

    def take(self, line: int, found: str) -> bool:
        if STATS in found:
            fields = dict(_FIELD.findall(found))
            if not fields.keys() >= set(_COUNTS):
                return False
            self._tally.add(_request(fields, line))
            return True
        if match := _DEPTHS.search(found):
            learned = [share(value, line, "acceptance") for _, value, _ in _ENTRY.findall(match["acceptance"])]
            lengths = list(accumulate(accumulate(learned, mul), initial=1.0))
            self._learned = tuple(
                Printed(f"acceptance {depth}", value, "conditional") for depth, value in enumerate(learned, 1)
            )
            self._costs = tuple(
                _cost(int(depth), number(value, line, "cost") * _MS[unit or "ms"], lengths)
                for depth, value, unit in _ENTRY.findall(match["cost"])
            )
        return match is not None

    def result(self) -> SpecStats | None:
        stats = self._tally.total()
        if stats is None:
            return None
        return stats.replace(
            printed=(*stats.printed, *self._learned), parts=self._costs, parts_are_settings=bool(self._costs)
        )


def _cost(k: int, cost: float, lengths: list[float]) -> SpecStats:
    """A round of k drafts as the controller sees it; tokens per round where it knows the acceptance that far."""
    stats = SpecStats(ENGINE, LOG.source, label=f"k = {k}", speculation=k > 0, num_speculative_tokens=k, step_ms=cost)
    return stats.replace(estimated=True, printed_length=lengths[k]) if 0 < k < len(lengths) else stats


def _request(fields: Mapping[str, str], line: int) -> SpecStats:
    """A request: its counts by name; what stands beside them may be missing, and other fields are no harm."""
    rounds, drafted, accepted = (count(fields[name], line, name) for name in _COUNTS)
    longest = count(fields["max_draft"], line, "max_draft") if "max_draft" in fields else None
    printed = {name: number(fields[name], line, name) for name in _RATES if name in fields}
    exact = {
        "acceptance": accepted / drafted if drafted else 0.0,
        "avg_draft": drafted / rounds if rounds else 0.0,
        "avg_accepted": accepted / rounds if rounds else 0.0,
    }
    for name, value in printed.items():
        agree(value, exact[name], 0.005, line, name)
    if longest is not None and drafted > longest * rounds:
        raise LogError(
            "line {line}: {drafted:,} draft tokens are more than {rounds:,} rounds of at most {k} can have",
            line=line, drafted=drafted, rounds=rounds, k=longest,
        )  # fmt: skip
    whole = longest is not None and drafted == longest * rounds
    k = draft_length(longest, line, "max_draft") if whole and longest is not None else None
    definitions = {"acceptance": "accepted_per_drafted", "avg_draft": "", "avg_accepted": "length_without_bonus"}
    stats = SpecStats(
        ENGINE,
        LOG.source,
        num_speculative_tokens=k,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        num_requests=1,
        units=Units.of("requests", [(rounds, drafted, accepted, None)]),
        printed=tuple(Printed(name, value, definitions[name]) for name, value in printed.items()),
        speculation=drafted > 0,
    )
    return checked(stats, line)


LOG = Lines(ENGINE, N_("log lines"), (STATS, 'msg="speculation depth controller"'), _Log)
FORMATS = (LOG,)
