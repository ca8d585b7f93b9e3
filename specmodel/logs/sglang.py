"""SGLang: the log of its server.

Formats read in srt/managers/scheduler_components/metrics_reporter.py of the releases 0.4.6, 0.5.5, 0.5.9, 0.5.10.post1,
0.5.12, 0.5.14 and 0.5.23 (2026-10-30).

`accept len` counts the bonus token, always. `accept rate` is accept len ÷ num_draft_tokens in 0.5.3 to 0.5.10, and
accepted ÷ (rounds · (num_draft_tokens − 1)) since 0.5.12; num_draft_tokens counts the root: k + 1 of a chain. The log
prints ratios only. A line covers the same number of steps each time, so its rounds go with its running requests.
"""

import math
import re
from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import count, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.logs._sglang import ENGINE, VERSIONS, Identity, draft_length
from specmodel.logs._unread import tells_of_speculation
from specmodel.logs._window_pace import WindowPace
from specmodel.measured.spec_stats import Printed, SpecStats

# fields by name: a number ends before a comma or, with all of its decimals, at the end of the line
_DECODE = re.compile(r"Decode batch(?: \[\d+\])?(?P<end>[.,]) ")
_RUNNING = re.compile(r"#running-req: (\d+)(?=[,\s])")
_THROUGHPUT = re.compile(r"\bgen throughput \(token/s\): (\d+(?:\.\d+)?(?=,)|\d+\.\d\d(?!\d))")
_LENGTH = re.compile(r"\baccept len: (\d+\.\d+(?=,)|\d+\.\d\d(?!\d))")
_RATE = re.compile(r"\baccept rate: (\d+\.\d+(?=,)|\d+\.\d\d(?!\d))")
_RANK = re.compile(r"\bDP(\d{1,4})\b")
_CHANGE = re.compile(r"Adaptive spec params updated: steps (\d+) -> (\d+) ")
_AVERAGE = re.compile(r"\bema_accept_len=(\d+\.\d+)")
_START = re.compile(r"\b(?:speculative_(num_steps|eagle_topk|num_draft_tokens)=(\d{1,4})\b|model_path='([^']+)')")
_IDLE = 10  # a line whose steps took this many times the median was mostly waiting


class _Steps:
    """Step times of lines by size class (5 % wide): bounded, and lines of an engine that waited can be left out."""

    def __init__(self) -> None:
        self._classes: dict[int, list[float]] = {}
        self._pace = WindowPace()
        self.lines = 0

    def add(self, running: float, length: float, throughput: float) -> None:
        step = running * length / throughput * 1000
        if not math.isfinite(step):
            return
        self._pace.add(running * length, running * step)
        sums = self._classes.setdefault(round(math.log(step) * 20), [0.0] * 5)
        sums[0] += 1
        sums[1] += running
        sums[2] += running * step
        sums[3] += running * length
        sums[4] += step
        self.lines += 1

    def means(self) -> tuple[dict[str, Any], int]:
        """Step time over rounds, batch over steps, throughput over time; and how many lines were left out."""
        if not self.lines:
            return {}, 0
        passed, median = 0.0, 0
        for median in sorted(self._classes):
            passed += self._classes[median][0]
            if passed * 2 >= self.lines:
                break
        kept = [sums for key, sums in self._classes.items() if key <= median + math.log(_IDLE) * 20]
        lines, running, weighted, tokens, steps = (sum(column) for column in zip(*kept, strict=True))
        means: dict[str, Any] = {"step_ms": weighted / running, "batch_size": running / lines}
        idle = self.lines - round(lines)
        means |= {"output_tokens_per_s": tokens / steps * 1000, "pace": None if idle else self._pace.units}
        return means, idle


class _Log:
    """Ratios of all lines, weighted by the running requests; what the server was started with, and what it changed."""

    def __init__(self) -> None:
        self._speculating, self._plain = _Steps(), _Steps()
        self._weight = self._length = self._rate = 0.0
        self._rated = self._lines = 0
        self._identity = Identity()
        self._misfit: tuple[int, float, float] | None = None
        self._started: dict[str, Any] | None = None
        self._change: tuple[float, float] | None = None
        self._average: float | None = None
        self._varies = self._dot = False
        self._ranks: set[str] = set()

    def take(self, line: int, found: str) -> bool:
        if "server_args=ServerArgs(" in found:
            return self._start(line, found)
        if change := _CHANGE.search(found):
            self._change = number(change[1], line, "steps"), number(change[2], line, "steps")
            if average := _AVERAGE.search(found, change.end()):
                self._average = number(average[1], line, "ema_accept_len")
            return True
        decode, throughput, length = _DECODE.search(found), _THROUGHPUT.search(found), _LENGTH.search(found)
        requests = _RUNNING.search(found)
        if not decode or not requests or not throughput or (not length and tells_of_speculation(found)):
            return False
        running = count(requests[1], line, "#running-req")
        self._lines += 1
        self._dot = self._dot or decode["end"] == "."
        if "DP" in found:
            self._ranks.update(_RANK.findall(found[: decode.start()]))
        tokens_per_s = number(throughput[1], line, "gen throughput")
        accepted = number(length[1], line, "accept len") if length else 1.0
        if length:
            self._ratios(line, found, running, accepted)
        if running and tokens_per_s:
            (self._speculating if length else self._plain).add(running, accepted, tokens_per_s)
        return True

    def _start(self, line: int, found: str) -> bool:
        started = {name: int(value) if name else model for name, value, model in _START.findall(found)}
        if self._lines and self._started is not None and started != self._started:
            raise LogError(
                "line {line}: the server was started again with another model or other draft settings; give each run "
                "as a file",
                line=line,
            )
        self._started = started
        self._varies = self._varies or "speculative_adaptive=True" in found
        return True

    def _ratios(self, line: int, found: str, running: int, length: float) -> None:
        if length < 1:
            raise LogError("line {line}: accept len is {length}, expected at least 1", line=line, length=length)
        self._weight += running
        self._length += running * length
        if "cap len: " in found:
            self._varies = True
        if match := _RATE.search(found):
            rate = number(match[1], line, "accept rate")
            self._rated += running
            self._rate += running * rate
            if not self._identity.add(length, rate) and self._misfit is None:
                self._misfit = line, length, rate

    def result(self) -> SpecStats | None:
        if not self._weight:
            return self._baseline() if self._plain.lines else self._only_changes()
        if self._misfit and not self._varies and not self._change:
            line, length, rate = self._misfit
            raise LogError(
                "line {line}: accept rate {rate} fits accept len {length} for no number of draft tokens, neither as "
                "(length − 1) ÷ k nor as length ÷ (k + 1)",
                line=line, rate=rate, length=length,
            )  # fmt: skip
        k, definition, notes = self._drafts()
        means, idle = self._speculating.means()
        length = self._length / self._weight
        printed = [Printed("accept len", length, "length_with_bonus")]
        if self._rated:
            printed.append(Printed("accept rate", self._rate / self._rated, definition))
        stats = SpecStats(
            ENGINE,
            LOG.source,
            version=VERSIONS.get(definition) or ("0.4" if self._dot and not self._rated else None),
            estimated=True,
            num_speculative_tokens=k,
            printed_length=length,
            printed=tuple(printed),
            notes=(
                note("the log prints ratios only; its lines were weighted by their running requests"),
                *notes,
                *self._doubts(idle, bool(self._plain.lines)),
            ),
        ).replace(**means)
        return self._of_ranks(stats)

    def _drafts(self) -> tuple[int | None, str, tuple[Message, ...]]:
        """k, the definition of the rate, and what to know of them."""
        if self._change or self._varies:
            _, definition = self._identity.decide()
            return None, definition, (note("the number of draft tokens changed while the server ran: k is open"),)
        started = self._started or {}
        if {"num_steps", "eagle_topk", "num_draft_tokens"} <= started.keys():
            k, notes = draft_length(started["num_steps"], started["eagle_topk"], started["num_draft_tokens"])
            _, definition = self._identity.decide(started["num_draft_tokens"] - 1)
            return k, definition, notes
        found, definition = self._identity.decide()
        if not self._rated:
            return None, "", ()
        if self._identity.contradicts:
            several = note(
                "the lines belong to different draft lengths, of several runs perhaps: all are taken together here; "
                "give each run as a file"
            )
            return None, definition, (several,)
        if found is None:
            return None, definition, (note("accept len and accept rate leave open how many draft tokens a round has"),)
        if found > 5:
            tree = note("k is the number of draft tokens; if they are a tree (top-k above 1), its depth is less")
            return found, definition, (tree,)
        return found, definition, ()

    def _doubts(self, idle: int, mixed: bool) -> tuple[Message, ...]:
        notes = []
        if idle:
            notes.append(
                note(
                    "lines left out of the step time, over {factor} times the median as the engine waited: {lines}",
                    lines=idle, factor=_IDLE,
                )
            )  # fmt: skip
        if mixed:
            notes.append(note("lines without an acceptance length were left out: they did not speculate"))
        return tuple(notes)

    def _of_ranks(self, stats: SpecStats) -> SpecStats:
        if len(self._ranks) < 2:
            return stats
        one = note("batch size and step time are those of one of {ranks} data-parallel ranks", ranks=len(self._ranks))
        return stats.replace(output_tokens_per_s=None, notes=(*stats.notes, one))

    def _baseline(self) -> SpecStats:
        means, idle = self._plain.means()
        version = "0.4" if self._dot else None
        stats = SpecStats(ENGINE, LOG.source, version=version, speculation=False, notes=self._doubts(idle, False))
        return self._of_ranks(stats.replace(**means))

    def _only_changes(self) -> SpecStats | None:
        """Where the log tells of changes of the draft length only: the moving average at the last of them."""
        if self._change is None or self._average is None:
            return None
        (before, after), average = self._change, self._average
        return SpecStats(
            ENGINE,
            LOG.source,
            estimated=True,
            printed_length=1 + average,
            printed=(Printed("ema_accept_len", average, "length_without_bonus"),),
            notes=(
                note(
                    "tokens per round are a moving average when the draft length changed from {before:g} to {after:g}, "
                    "not the mean of the run",
                    before=before, after=after,
                ),
            ),
        )  # fmt: skip


LOG = Lines(
    ENGINE,
    N_("log lines"),
    ("Decode batch", "Adaptive spec params updated", "server_args=ServerArgs("),
    _Log,
)
FORMATS = (LOG,)
