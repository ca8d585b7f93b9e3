"""mlx-lm: a dump of its tokens with `from_draft`, and what its command line prints.

Formats read in mlx_lm/generate.py (commit d78bf58e, 2026-08-22). mlx-lm writes no file: the dump is one JSON object for
each `GenerationResponse`. A round is a run of tokens from the draft and the one of the target that ends it; the last
round may lack that one. What was proposed is not told (`num_draft_tokens`, 2 in the library). The print of the command
line never shows acceptance, so whether it speculated cannot be seen.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from specmodel.base.messages import N_
from specmodel.logs._checks import LONGEST, Tally, count, number
from specmodel.logs._format import Lines, LogError, Objects, note
from specmodel.logs._lengths import Lengths
from specmodel.logs._printed import draft_length
from specmodel.logs._tallies import together_of
from specmodel.measured.spec_stats import SpecStats

ENGINE = "mlx-lm"
_PROMPT = re.compile(r"\s*Prompt: (\d+) tokens, ([\d.]+) tokens-per-sec\s*$")
_GENERATION = re.compile(r"\s*Generation: (\d+) tokens, ([\d.]+) tokens-per-sec\s*$")
_MEMORY = re.compile(r"\s*Peak memory: ([\d.]+) GB\s*$")


class _Dump:
    """One token an object."""

    def __init__(self) -> None:
        self._lengths = Lengths()
        self._run = self._tokens = self._line = 0
        self._ended: list[tuple[int, int]] = []  # rounds that are still to be counted, many at a time

    def take(self, line: int, found: dict[str, Any]) -> bool:
        drafted = found.get("from_draft")
        if "from_draft" not in found or not ("token" in found or "text" in found):
            return False
        if not isinstance(drafted, bool):
            raise LogError("line {line}: from_draft is {value}, expected true or false", line=line, value=str(drafted))
        self._tokens += 1
        self._line = line
        self._run += drafted
        if not drafted:
            self._end()
        return True

    def take_objects(self, lines: Sequence[int], found: Sequence[Mapping[str, Any]]) -> bool:
        """The same for many tokens: a round ends where a token is the target's own."""
        drafted = [each.get("from_draft") for each in found]
        if {*map(type, drafted)} != {bool} or not all("token" in each or "text" in each for each in found):
            return False
        ends = np.flatnonzero(~np.array(drafted, dtype=bool))
        accepted = np.diff(ends, prepend=-1) - 1
        accepted[:1] += self._run
        longest = int(accepted.max(initial=0))
        if longest > LONGEST:
            return False
        self._ended.extend((each, 0) for each in accepted.tolist())
        self._run = len(found) - 1 - int(ends[-1]) if len(ends) else self._run + len(found)
        self._tokens += len(found)
        self._line = lines[-1]
        if len(self._ended) >= 4096:
            self._count()
        return True

    def _end(self) -> None:
        if self._run > LONGEST:
            draft_length(self._run, self._line, "accepted")
        self._ended.append((self._run, 0))
        self._run = 0
        if len(self._ended) >= 4096:
            self._count()

    def _count(self) -> None:
        self._lengths.add_in_turn(self._ended, known=False)
        self._ended = []

    def result(self) -> SpecStats | None:
        notes = [
            note("proposed draft tokens are not in the file: k is what num_draft_tokens was (2 if it was not given)")
        ]
        if self._run:
            notes.append(note("the last round ends with a draft token: generation stopped before the target's own"))
            self._end()
        self._count()
        if not self._lengths.num_accepted:
            return SpecStats(ENGINE, DUMP.source, speculation=False, generated_tokens=self._tokens)
        return self._lengths.stats(ENGINE, DUMP.source, generated_tokens=self._tokens, notes=tuple(notes))


class _Print:
    """Prompt, Generation and Peak memory, one after another for each request."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._count = 0
        self._stats: SpecStats | None = None
        self._prompt: int | None = None

    def take(self, line: int, found: str) -> bool:
        if match := _PROMPT.match(found):
            self._close()
            self._prompt = count(match[1], line, "Prompt")
        elif match := _GENERATION.match(found):
            self._close()
            tokens, speed = count(match[1], line, "Generation"), number(match[2], line, "tokens-per-sec")
            self._stats = SpecStats(
                ENGINE,
                PRINT.source,
                speculation=False,
                generated_tokens=tokens,
                num_requests=1,
                window_s=tokens / speed if speed else None,
                tpot_ms=1000 / speed if speed else None,
                batch_size=1,
                output_tokens_per_s=speed,
            )
        elif (match := _MEMORY.match(found)) and self._stats:
            self._stats = self._stats.replace(memory_gb=number(match[1], line, "Peak memory"))
        return match is not None

    def _close(self) -> None:
        if self._stats:
            self._tally.add(self._stats)
            self._count += 1
        self._stats = None

    def result(self) -> SpecStats | None:
        self._close()
        stats = self._tally.total()
        stats = together_of(stats, self._count) if stats else None
        shown = note("mlx-lm never prints acceptance: this may be a run with a draft model or without one")
        return stats.replace(notes=(*stats.notes, shown)) if stats else None


DUMP = Objects(ENGINE, N_("dump of tokens"), ("from_draft",), _Dump)
PRINT = Lines(ENGINE, N_("command line print"), ("tokens-per-sec", "Peak memory:"), _Print)
FORMATS = (DUMP, PRINT)
