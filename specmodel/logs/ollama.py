"""Ollama: what its MLX runner logs about speculation.

Format read in x/mlxrunner/speculate_stats.go (commit fb307609, 2026-08-21). One line a request (INFO, DEBUG before);
the API shows nothing. The second line (DEBUG) is what the controller of the draft depth has learned: acceptance by
depth is conditional, and the cost is ms per round by depth. Both become one part for each depth, its tokens per round
being 1 + a_1 + a_1·a_2 + …; these parts are what the controller believes, not counts.
"""

import re
from itertools import accumulate
from operator import mul

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, number, share
from specmodel.logs._format import Lines
from specmodel.logs._printed import agree, draft_length
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "Ollama"
_STATS = re.compile(
    r'msg="speculative decode stats" iterations=(?P<rounds>\d+) drafted=(?P<drafted>\d+) accepted=(?P<accepted>\d+)'
    r" acceptance=(?P<acceptance>[\d.]+) avg_draft=(?P<avg_draft>[\d.]+) max_draft=(?P<max_draft>\d+)"
    r" avg_accepted=(?P<avg_accepted>[\d.]+)"
)
_DEPTHS = re.compile(r'msg="speculation depth controller" cost="(?P<cost>[^"]*)" acceptance="(?P<acceptance>[^"]*)"')
_ENTRY = re.compile(r"(\d{1,4}):([\d.]+)(ns|µs|us|ms|s)?(?= |$)")
_MS = {"ns": 1e-6, "µs": 1e-3, "us": 1e-3, "ms": 1.0, "s": 1000.0}


class _Log:
    def __init__(self) -> None:
        self._tally = Tally()
        self._costs: tuple[SpecStats, ...] = ()
        self._learned: tuple[Printed, ...] = ()

    def take(self, line: int, found: str) -> bool:
        if match := _STATS.search(found):
            self._tally.add(_request(match, line))
        elif match := _DEPTHS.search(found):
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


def _request(match: re.Match[str], line: int) -> SpecStats:
    rounds, drafted, accepted, longest = (
        count(match[name], line, name) for name in ("rounds", "drafted", "accepted", "max_draft")
    )
    printed = {name: number(match[name], line, name) for name in ("acceptance", "avg_draft", "avg_accepted")}
    exact = {
        "acceptance": accepted / drafted if drafted else 0.0,
        "avg_draft": drafted / rounds if rounds else 0.0,
        "avg_accepted": accepted / rounds if rounds else 0.0,
    }
    for name, value in printed.items():
        agree(value, exact[name], 0.005, line, name)
    definitions = {"acceptance": "accepted_per_drafted", "avg_draft": "", "avg_accepted": "length_without_bonus"}
    stats = SpecStats(
        ENGINE,
        LOG.source,
        num_speculative_tokens=draft_length(longest, line, "max_draft") if drafted == longest * rounds else None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        num_requests=1,
        units=Units.of("requests", [(rounds, drafted, accepted, None)]),
        printed=tuple(Printed(name, value, definitions[name]) for name, value in printed.items()),
        speculation=drafted > 0,
    )
    return checked(stats, line)


LOG = Lines(ENGINE, N_("log lines"), ('msg="speculative decode stats"', 'msg="speculation depth controller"'), _Log)
FORMATS = (LOG,)
