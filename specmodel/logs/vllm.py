"""vLLM: the lines of a server log, from V0 to 0.33.

Formats read in vllm/v1/spec_decode/metrics.py and vllm/v1/metrics/loggers.py (wheel 0.33.0 of 2026-11-01, and their
history), and for V0 in vllm/spec_decode/metrics.py and spec_decode_worker.py. A line of V1 counts since the line before
it, one of V0 since the start of the server.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from specmodel.logs._checks import Tally, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.logs._printed import settings
from specmodel.logs._vllm import ENGINE, SOURCE, counted, tokens, window
from specmodel.logs._vllm_iterations import ITERATION, Iterations
from specmodel.logs._vllm_load import Alone, Load
from specmodel.logs._vllm_v0 import Cumulative
from specmodel.measured.spec_stats import SpecStats

_STAGES = re.compile(
    r"SpecDecodeWorker stage times: average_time_per_proposal_tok_ms=(?P<draft>\d+\.\d+) "
    r"scoring_time_ms=(?P<score>\d+\.\d+) verification_time_ms=(?P<verify>\d+\.\d+)\b"
)
_ENGINE = re.compile(
    r"(?:Engine (?P<engine>\d+): |(?P<together>Engines Aggregated: )|(?:loggers|metrics)\.py:\d+\] )"
    r"Avg prompt throughput: [\d.]+ tokens/s, Avg generation throughput: (?P<speed>\d+\.\d) tokens/s, "
    r"Running: (?P<running>\d+) reqs"
)
_DIFFUSION = "DiffusionDecoding metrics:"
CLEARLY_MORE = 0.15
"""Share of the output that prompts, and the ends of windows, may add to what rounds gave."""


@dataclass
class _Setting:
    """The windows of one k. Those that accepted nothing do not show their rounds: they wait for the draft length."""

    k: int | None
    counted: Tally = field(default_factory=Tally)
    silent: Tally = field(default_factory=Tally)
    load: Load = field(default_factory=Load)
    shortest: float = float("inf")
    longest: float = 0.0
    output: float = 0.0
    paired: int = 0
    windows: int = 0

    def add(self, stats: SpecStats) -> None:
        waits = stats.num_rounds is None and stats.num_speculative_tokens is not None
        (self.silent if waits else self.counted).add(stats)
        self.windows += 1
        if stats.window_s:
            self.shortest, self.longest = min(self.shortest, stats.window_s), max(self.longest, stats.window_s)

    def _with_steps(self, known: SpecStats) -> SpecStats:
        """With the steps that carried no draft, where the throughput is clearly above what the rounds gave."""
        rounds, accepted = known.num_rounds, known.num_accepted_draft_tokens
        if not rounds or accepted is None or self.paired < self.windows:
            return known
        alone = self.output - rounds - accepted
        if alone <= CLEARLY_MORE * self.output:
            return known
        shown = note(
            "about {share:.0%} of the output tokens came from steps without a draft, as the throughput tells",
            share=alone / self.output,
        )  # fmt: skip
        return known.replace(num_steps=rounds + alone, notes=(*known.notes, shown))

    def result(self) -> SpecStats | None:
        known, silent = self.counted.total(), self.silent.total()
        if silent is not None and self.k:
            length = known.mean_draft_length if known is not None and known.estimated else None
            stats = _silent(silent, self.k, length)
            known = stats if known is None else stats + known
        if known is None:
            return None
        known = self._with_steps(known)
        stats = known.replace(
            **self.load.known(None if known.estimated else known.tokens_per_step or known.mean_acceptance_length)
        )
        if self.longest > 1.5 * self.shortest:
            stats = stats.replace(
                notes=(
                    *stats.notes,
                    note(
                        "windows are between {shortest:,.0f} and {longest:,.0f} s long: after a pause a line of "
                        "vLLM counts the idle time too",
                        shortest=self.shortest, longest=self.longest,
                    ),
                )
            )  # fmt: skip
        return stats


def _noted(named: Sequence[SpecStats], plain: SpecStats) -> list[SpecStats]:
    """Settings and the plain windows beside them, with what tells of these."""
    beside = note(
        "{count:,} windows of throughput one after another have no line of speculation: they are shown as a run "
        "without it",
        count=len(plain.pace.counts) if plain.pace is not None else 0,
    )  # fmt: skip
    return [*(each.replace(notes=(*each.notes, beside)) for each in named), plain]


def _silent(stats: SpecStats, k: int, length: float | None) -> SpecStats:
    """Windows in which next to nothing was accepted; rounds from the mean draft length, which is k if none is known."""
    drafted, accepted = stats.num_draft_tokens or 0, stats.num_accepted_draft_tokens or 0
    estimated = length is not None or bool(drafted % k)
    rounds = max(round(drafted / (length or k)), -(-drafted // k), accepted)
    positions = (accepted, *(0.0,) * (k - 1))
    return counted(stats.replace(estimated=estimated), rounds, positions)


class _Log:
    """One window a line; lines of throughput stand just before the line of speculation that they belong to."""

    def __init__(self) -> None:
        self._settings: dict[int | None, _Setting] = {}
        self._v0 = Cumulative()
        self._pending: tuple[float, int] | None = None
        self._load = Load()
        self._alone = Alone()
        self._engines: set[str] = set()
        self._together = False
        self._stages = [0.0, 0.0, 0.0]
        self._iterations = Iterations()
        self._diffusion = 0

    def take(self, line: int, found: str) -> bool:
        if "SpecDecoding metrics:" in found:
            stats = window(line, found)
            return stats is not None and self._add(stats)
        if "Speculative metrics:" in found:
            stats = self._v0.window(line, found) or window(line, found)
            return stats is not None and self._add(stats)
        if _DIFFUSION in found:
            self._diffusion = self._diffusion or line
            return True
        return self._take_times(line, found)

    def _take_times(self, line: int, found: str) -> bool:
        if match := _ENGINE.search(found):
            speed = number(match["speed"], line, "Avg generation throughput")
            if self._pending is not None:
                self._alone.add(*self._pending)
            self._pending = speed, tokens(match["running"], line, "Running")
            if speed:
                self._load.add(*self._pending)
                self._together |= match["together"] is not None
                if len(self._engines) < 1024:
                    self._engines.add(match["engine"] or "")
        elif match := _STAGES.search(found):
            self._stages[0] += 1
            self._stages[1] += number(match["draft"], line, "average_time_per_proposal_tok_ms")
            self._stages[2] += number(match["score"], line, "scoring_time_ms")
            self._stages[2] += number(match["verify"], line, "verification_time_ms")
        elif match := ITERATION.search(found):
            self._iterations.add(line, match, found.rstrip().endswith("(dummy)"))
        return match is not None

    def _add(self, stats: SpecStats) -> bool:
        if stats.num_draft_tokens:
            setting = self._settings.setdefault(stats.num_speculative_tokens, _Setting(stats.num_speculative_tokens))
            setting.add(stats)
            if self._pending:
                setting.load.add(*self._pending)
                setting.output += self._pending[0] * (stats.window_s or 0.0)
                setting.paired += 1
        self._pending = None
        self._alone.end()
        return True

    def result(self) -> SpecStats | None:
        parts = [stats for each in self._settings.values() if (stats := each.result()) is not None]
        plain = self._plain_beside() if parts else None
        if len(parts) == 1 and plain is None:
            return self._timed(parts[0])
        if parts:
            parts = [self._timed(parts[0])] if len(parts) == 1 else parts
            parts.sort(key=lambda each: -(each.num_draft_tokens or 0))
            named = [each.replace(label=f"k={each.num_speculative_tokens or '?'}") for each in parts]
            return settings(named if plain is None else _noted(named, plain))
        if self._diffusion:
            raise LogError(
                "line {line}: these are denoising steps of a diffusion model, not speculative decoding: nothing was "
                "drafted and verified",
                line=self._diffusion,
            )
        if self._iterations.decoding:
            return self._timed(self._iterations.alone())
        if self._stages[0]:
            return self._timed(SpecStats(ENGINE, SOURCE, version="V0"))
        if not self._load.windows:
            return None
        return self._timed(SpecStats(ENGINE, SOURCE, speculation=False, **self._load.known(1.0)))

    def _plain_beside(self) -> SpecStats | None:
        """Windows in a row without a line of speculation, of a log of one engine that has such lines elsewhere."""
        load = self._alone.ended() if len(self._engines) < 2 and not self._together else None
        return SpecStats(ENGINE, SOURCE, label="k=0", speculation=False, **load.known(1.0)) if load else None

    def _timed(self, stats: SpecStats) -> SpecStats:
        """With what lines of times tell; the step time from throughput is only an estimate."""
        notes = list(stats.notes)
        if self._stages[0]:
            lines, draft, verify = self._stages
            k = stats.num_speculative_tokens
            stats = stats.replace(
                draft_ms=k * draft / lines if k else None, verify_ms=verify / lines, step_ms=None, pace=None
            )
        elif self._iterations.decoding:
            stats = stats.replace(**self._iterations.times(), pace=None)
            notes.append(
                note("step times are those of iterations without prompt tokens ({count:,} of {all:,})",
                     count=self._iterations.decoding, all=self._iterations.all)
            )  # fmt: skip
        elif stats.step_ms is not None:
            notes.append(
                note(
                    "the step time is an estimate: running requests × tokens per round ÷ throughput, as in the lines; "
                    "running is what it was at the end of each window"
                )
            )
        if self._together:
            notes.append(note("throughput and batch are those of all engines together"))
        elif len(self._engines) > 1:
            notes.append(note("throughput and batch are those of one of {count} engines", count=len(self._engines)))
        return stats.replace(notes=tuple(notes))


_MARKERS = (
    "SpecDecoding metrics:",
    "Speculative metrics:",
    "SpecDecodeWorker stage times:",
    "Avg prompt throughput:",
    "iteration elapsed time:",
    _DIFFUSION,
)
LOG = Lines(ENGINE, SOURCE, _MARKERS, _Log)
FORMATS = (LOG,)
