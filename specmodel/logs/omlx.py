"""oMLX: what its server logs of speculation, four kinds of lines, and the speed of its answers.

Formats read in jundot/omlx: omlx/patches/mlx_lm_mtp/batch_generator.py (commit 0029d7145), the n-gram patch beside it,
omlx/engine/dflash.py, and the scheduler's line for vision models; the line of an answer in its server. One line a
request:

- `MTP[…]`, prediction heads of the model itself. `cycles` are all passes of the loop, `d0` those of them that drafted
  nothing, `depth[d1=a/d,…]` how often each position was accepted and drafted. Two tokens (`init`) come before the first
  cycle: the prompt's and that of a plain pass. Builds before the depths drafted one token a cycle.
- `NgramSpec[…]`, drafts looked up in the text itself. `cycles` are passes with a draft, `plain` those without one.
- `vlm_mtp stats`, a drafter beside a vision model: rounds of block_size − 1 drafts each, counted as if each were whole.
- `DFlash generation complete`, a block drafter. Its `acceptance` is accepted ÷ output tokens, not ÷ drafted; what was
  drafted is not printed. Output tokens are accepted ones and one a cycle.

`tok/s` of an answer is that of decoding in newer builds; in older ones the prompt's time is in it, as then it is tokens
÷ seconds. An answer is that of the line before it with as many tokens; one without such a line had no speculation.
"""

import re
from collections import deque
from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.logs._omlx_fields import ENGINE, Finished
from specmodel.logs._omlx_lines import KINDS
from specmodel.logs._printed import settings
from specmodel.measured.spec_stats import SpecStats, total

MAX_WAITING = 64
"""Requests whose answer was not seen yet; of more the oldest counts without its speed."""
MAX_SETTINGS = 64
_ANSWER = re.compile(
    r"ompletion: (?:model=(?P<model>[^,]{1,200}), )?(?P<tokens>\d+) tokens in (?P<seconds>[\d.]+)s "
    r"\((?P<speed>[\d.]+) tok/s\), prompt: \d+"
)


@dataclass(frozen=True)
class _Answer:
    model: str
    tokens: int
    seconds: float
    speed: float


class _Log:
    """Requests by kind of drafter, its block and the model: several of these are never added up."""

    def __init__(self) -> None:
        self._waiting: deque[Finished] = deque()
        self._tallies: dict[tuple[str, str], Tally] = {}
        self._plain: dict[tuple[str, str], Tally] = {}
        self._answers_without = 0

    def take(self, line: int, found: str) -> bool:
        for mark, read in KINDS:
            if mark in found:
                request = read(found, line)
                if request is not None:
                    self._wait(request, line)
                return request is not None
        match = _ANSWER.search(found)
        if match is None:
            return False
        tokens = int(number(match["tokens"], line, "tokens"))
        seconds, speed = number(match["seconds"], line, "seconds"), number(match["speed"], line, "tok/s")
        self._answer(_Answer(match["model"] or "", tokens, seconds, speed), line)
        return True

    def _wait(self, request: Finished, line: int) -> None:
        self._waiting.append(request)
        if len(self._waiting) > MAX_WAITING:
            self._count(self._waiting.popleft(), None, line)

    def _answer(self, answer: _Answer, line: int) -> None:
        for request in reversed(self._waiting):
            if abs(request.tokens - answer.tokens) <= 1:  # the token that ends an answer may not be in it
                self._waiting.remove(request)
                self._count(request, answer, line)
                return
        self._answers_without += 1
        stats = SpecStats(ENGINE, LOG.source, speculation=False, generated_tokens=answer.tokens, num_requests=1)
        self._add(self._plain, ("", answer.model), _timed(stats, answer), line)

    def _count(self, request: Finished, answer: _Answer | None, line: int) -> None:
        stats = request.stats if answer is None else _timed(request.stats, answer)
        model = "" if answer is None else answer.model
        if request.plain:
            self._answers_without += 1
            self._add(self._plain, ("", model), stats, line)
        else:
            self._add(self._tallies, (request.setting, model), stats, line)

    def _add(self, tallies: dict[tuple[str, str], Tally], key: tuple[str, str], stats: SpecStats, line: int) -> None:
        if key not in tallies and len(tallies) >= MAX_SETTINGS:
            raise LogError("line {line}: more than {limit} settings in one file", line=line, limit=MAX_SETTINGS)
        tallies.setdefault(key, Tally()).add(stats)

    def result(self) -> SpecStats | None:
        while self._waiting:
            self._count(self._waiting.popleft(), None, 0)
        if not self._tallies:
            return _labelled(self._plain)
        stats = _labelled(self._tallies)
        if stats is not None and self._answers_without:
            left_out = note(
                "{count:,} answers in the log had no speculation and were left out; give them as a file of their own",
                count=self._answers_without,
            )
            stats = stats.replace(notes=(*stats.notes, left_out))
        return stats


def _labelled(tallies: dict[tuple[str, str], Tally]) -> SpecStats | None:
    """One setting as it is; several as the settings of a file, each named by its drafter and model."""
    found = {key: stats for key, tally in tallies.items() if (stats := tally.total()) is not None}
    for setting, model in list(found):
        named = [key for key in found if key[0] == setting and key[1]]
        if not model and len(named) == 1:  # requests whose answer is not in the log, of the only model that is
            known = found[named[0]]
            speed = {name: getattr(known, name) for name in ("output_tokens_per_s", "tpot_ms")}
            found[named[0]] = total([known, found.pop((setting, ""))]).replace(**speed)
    several = len(found) > 1
    return settings(
        [
            stats.replace(label=" · ".join(filter(None, key)) if several else "", model=key[1] or None)
            for key, stats in found.items()
        ]
    )


def _timed(stats: SpecStats, answer: _Answer) -> SpecStats:
    """With the speed of its answer; the time per token only where the prompt's time is surely not in it."""
    decoding = answer.seconds > 0 and answer.speed * answer.seconds > 1.02 * answer.tokens
    return stats.replace(
        window_s=answer.tokens / answer.speed if answer.speed else None,
        output_tokens_per_s=answer.speed or None,
        tpot_ms=1000 / answer.speed if decoding else None,
    )


MARKERS = (*(mark for mark, _ in KINDS), " tok/s), prompt: ")
LOG = Lines(ENGINE, N_("log lines"), MARKERS, _Log)
FORMATS = (LOG,)
