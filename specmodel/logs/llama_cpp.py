"""llama.cpp and its fork ik_llama.cpp: the log of llama-server.

Formats read in ggml-org/llama.cpp (mirror 3f545becc of 2026-08-22, about b10573: tools/server/server-context.cpp,
common/speculative.cpp) and ikawrakow/ik_llama.cpp (8337e4cd, 2026-08-15). A request is its timing lines and, where
something was drafted, one of
- `draft acceptance rate = …` (until 2026-06, and in the fork),
- `draft acceptance = …, mean acceptance length = …, acceptance rate per position = (…)` (b9692, #24536),
- `draft acceptance = …, mean len = …`, with `acc per pos = (…)` at verbosity 4 (b10424, #26920).

Lines of several slots take turns: they belong together by slot and task. Rounds are not printed: mean len =
1 + accepted ÷ rounds, in 2 decimals. The `statistics` lines of each way of drafting hold exact counters since the
server started; what they rose by is used where it covers just the same tokens.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from specmodel.logs._checks import Tally
from specmodel.logs._format import Lines
from specmodel.logs._llama_cpp import ENGINE
from specmodel.logs._llama_cpp_kinds import SOURCE
from specmodel.logs._llama_cpp_lines import DRAFT, ENDED, POSITIONS, SETUP, SLOT, STATISTICS, TIME, UPTIME
from specmodel.logs._llama_cpp_server import NO_SLOT, Key, Server
from specmodel.measured.spec_stats import SpecStats

_PORT = re.compile(r"^\[(\d+)\] ")
BELOW_HEAD = 5
"""Lines below the one with slot and task that belong to it."""
_OTHERS = ("perf_", "llama_print_timings", "no implementations specified", '{"', "acc per pos = ()")


class _Setting(NamedTuple):
    """What has to be the same for servers to be added up."""

    port: str
    speculation: bool
    k: int | None
    drafters: tuple[str, ...]

    def label(self) -> str:
        shown = (f"[{self.port}]" if self.port else "", " + ".join(self.drafters), f"k = {self.k}" if self.k else "")
        return ", ".join(each for each in shown if each) or ("" if self.speculation else "k = 0")


class _Log:
    """Servers of a log, one after another or (behind a router) side by side by port."""

    def __init__(self) -> None:
        self._servers: dict[str, Server] = {}
        self._over: dict[_Setting, Tally] = {}
        self._heads: dict[str, tuple[int, Key]] = {}
        self._clocks: dict[str, int] = {}

    def take(self, line: int, found: str) -> bool:
        if any(each in found for each in _OTHERS):
            return True
        port = _PORT.match(found)
        name = port[1] if port else ""
        for marker, pattern, method in _READERS:
            if marker in found and (match := pattern.search(found)):
                server = self._servers.get(name) or Server(name)
                if server.is_over(match) or self._clock_fell(name, found):
                    server = self._next(server, pattern is STATISTICS)
                self._servers[name] = server
                return method(server, line, match, self._key(line, name, found))
        self._heads[name] = line, self._key(line, name, found)
        return "slot print_timing" in found and not any(marker in found for marker, *_ in _READERS if marker)

    def _key(self, line: int, name: str, found: str) -> Key:
        """Slot and task of a line: its own, or in older builds those of a line just above."""
        if slot := SLOT.search(found):
            return slot[1], slot[2]
        above, key = self._heads.get(name, (0, NO_SLOT))
        return key if line - above <= BELOW_HEAD else NO_SLOT

    def _clock_fell(self, name: str, found: str) -> bool:
        """Whether a line tells an earlier time since the start than one before it: another server, pasted below."""
        time = UPTIME.match(found)
        if time is None:
            return False
        now = 60 * int(time[1][:9]) + int(time[2])
        before, self._clocks[name] = self._clocks.get(name, 0), now
        return now < before - 1

    def _next(self, server: Server, by_counters: bool) -> Server:
        """The one after it on its port; where fallen counters gave it away, its first request was printed already."""
        new = Server(server.port, implementations=server.implementations, limits=server.limits, slots=server.slots)
        if by_counters and not server.fresh:
            new.open, server.open = server.open, {}
        self._finish(server)
        return new

    def _finish(self, server: Server) -> None:
        for stats in server.results():
            key = _Setting(server.port, stats.speculation, stats.num_speculative_tokens, tuple(server.statistics))
            self._over.setdefault(key, Tally()).add(stats)

    def result(self) -> SpecStats | None:
        for server in self._servers.values():
            self._finish(server)
        self._servers.clear()
        groups = [(key, stats) for key, tally in self._over.items() if (stats := tally.total()) is not None]
        if len(groups) < 2:
            return groups[0][1] if groups else None
        parts = tuple(stats.replace(label=key.label()) for key, stats in groups)
        main = next((each for each in parts if each.speculation), parts[0])
        return main.replace(parts=parts, parts_are_settings=True)


_READERS: tuple[tuple[str, "re.Pattern[str]", Callable[[Server, int, "re.Match[str]", Key], bool]], ...] = (
    ("eval time", TIME, Server.time),
    ("total time", ENDED, Server.ended),
    ("draft acceptance", DRAFT, Server.draft),
    ("acc per pos", POSITIONS, Server.positions),
    ("#gen drafts", STATISTICS, Server.counters),
    ("", SETUP, Server.setup),
)
LOG = Lines(
    ENGINE,
    SOURCE,
    (
        "draft acceptance",
        "acc per pos = (",
        "eval time",
        "total time",
        "slot print_timing: id ",
        "#gen drafts = ",
        "adding speculative implementation",
        "failed to initialize speculative decoding",
        "no implementations specified for speculative",
        "n_slots = ",
        "n_max=",
        "size_m=",
    ),
    _Log,
)
FORMATS = (LOG,)
