"""Spec-Bench: its answer files (JSON lines) and what speed.py prints.

Formats read in evaluation/*.py and evaluation/speed.py (commit fd2c1cd7, 2025-04-22). `accept_lengths` holds the tokens
of each round with the bonus token, over all turns of a question; a file in which all of them are 1 is plain decoding.
A file has each question once: other models, and questions answered again, are other runs. Steps without a draft cannot
be told from rounds in which nothing was accepted. speed.py prints averages over questions.
"""

import re
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import count, number
from specmodel.logs._format import Lines, LogError, Objects, note
from specmodel.logs._lengths import Lengths
from specmodel.logs._printed import MOST_SETTINGS, agree, draft_length, settings, text
from specmodel.logs._repeats import Repeats, Run, asked, labelled
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "Spec-Bench"
MOST_CATEGORIES = 256
_PRINT = re.compile(
    r"\s*(?P<name>#Mean accepted tokens|Tokens per second for the baseline|Tokens per second|Speedup ratio):\s+"
    r"(?P<value>[\d.e+-]+)\s*$"
)
_TASK = re.compile(r"\s*=+ Task:\s+(?P<task>\S{1,60})\s+=+\s*$")


class _Group:
    """One category, or all of the file."""

    def __init__(self) -> None:
        self.lengths = Lengths()
        self.tokens = self.turns = 0
        self.seconds: float | None = 0.0

    def add(self, choice: dict[str, Any], line: int) -> None:
        lengths = [count(length, line, "accept_lengths") for length in choice["accept_lengths"]]
        if 0 in lengths:
            raise LogError("line {line}: accept_lengths holds 0, expected the bonus token in each round", line=line)
        draft_length(max(lengths, default=1) - 1, line, "accepted")
        self.lengths.add_in_turn([(tokens - 1, 0) for tokens in lengths], known=False)
        new_tokens, wall_time = (choice.get(name) for name in ("new_tokens", "wall_time"))
        turns = new_tokens if isinstance(new_tokens, list) else []
        self.tokens += sum(count(tokens, line, "new_tokens") for tokens in turns)
        self.turns += len(turns)
        if self.seconds is None or not isinstance(wall_time, list):
            self.seconds = None
        else:
            self.seconds += sum(number(seconds, line, "wall_time") for seconds in wall_time)

    def stats(self, label: str = "") -> SpecStats:
        if not self.lengths.num_accepted:
            stats = SpecStats(ENGINE, ANSWERS.source, speculation=False)
        else:
            stats = self.lengths.stats(ENGINE, ANSWERS.source)
        seconds, turns = self.seconds, self.turns
        return stats.replace(
            label=label,
            generated_tokens=self.tokens or None,
            num_steps=self.lengths.num_rounds,
            window_s=seconds,
            request_ms=1000 * seconds / turns if seconds and turns else None,
            batch_size=1,
            output_tokens_per_s=self.tokens / seconds if seconds and self.tokens else None,
        )


class _Run:
    """The questions of one run, by category."""

    def __init__(self) -> None:
        self.all = _Group()
        self.groups: dict[str, _Group] = {}

    def add(self, category: str, told: list[dict[str, Any]], line: int) -> None:
        group = self.groups.setdefault(category, _Group())
        if len(self.groups) > MOST_CATEGORIES:
            raise LogError("line {line}: more than {limit} categories", line=line, limit=MOST_CATEGORIES)
        for each in told:
            self.all.add(each, line)
            group.add(each, line)

    def stats(self) -> SpecStats:
        stats = self.all.stats()
        parts = tuple(group.stats(label) for label, group in self.groups.items())
        unknown = note("proposed draft tokens are not in the file: k is what the method was set to")
        return stats.replace(
            parts=tuple(part.replace(speculation=stats.speculation) for part in parts) if len(parts) > 1 else (),
            notes=(unknown,) if stats.speculation else (),
        )


class _Answers:
    """One question an object; of several runs only the sums are shown, each by its model and number."""

    def __init__(self) -> None:
        self._runs: dict[Run, _Run] = {}
        self._repeats = Repeats()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        choices = found.get("choices")
        told = [
            each
            for each in (choices if isinstance(choices, list) else [])
            if isinstance(each, dict) and isinstance(each.get("accept_lengths"), list)
        ]
        if told:
            run = self._runs.setdefault(self._repeats.of(*asked(found), line), _Run())
            run.add(text(found, "category"), told, line)
        return bool(told)

    def result(self) -> SpecStats | None:
        known = {run: each.stats() for run, each in self._runs.items() if each.all.lengths.num_rounds}
        if len(known) > 1:
            known = {run: each.replace(parts=()) for run, each in known.items()}
        return settings(labelled(known))


class _Print:
    """One task a block; its number of accepted tokens comes first."""

    def __init__(self) -> None:
        self._tasks: list[SpecStats] = []
        self._block: dict[str, float] = {}
        self._task = self._next = ""
        self._line = 0

    def take(self, line: int, found: str) -> bool:
        if task := _TASK.match(found):
            self._next = task["task"]
            return True
        match = _PRINT.match(found)
        if not match:
            return False
        if match["name"] in self._block or not self._block:
            self._close()
            self._task, self._next = self._next, ""
        self._block[match["name"]], self._line = number(match["value"], line, match["name"]), line
        return True

    def _close(self) -> None:
        block, self._block = self._block, {}
        length, speed = block.get("#Mean accepted tokens"), block.get("Tokens per second")
        base, ratio = block.get("Tokens per second for the baseline"), block.get("Speedup ratio")
        if speed and base and ratio is not None:
            agree(ratio, speed / base, 0.0005 * ratio, self._line, "Speedup ratio")
        if length is None:
            return
        definitions = (("#Mean accepted tokens", "length_with_bonus"), ("Speedup ratio", ""))
        stats = SpecStats(
            ENGINE,
            PRINT.source,
            label=self._task,
            printed_length=length,
            batch_size=1,
            output_tokens_per_s=speed,
            printed=tuple(Printed(name, block[name], each) for name, each in definitions if name in block),
        )
        self._tasks.append(stats)
        if base is not None:
            plain = SpecStats(ENGINE, PRINT.source, speculation=False, batch_size=1, output_tokens_per_s=base)
            self._tasks.append(plain.replace(label=self._task or N_("plain decoding")))
        if len(self._tasks) > 2 * MOST_SETTINGS:
            raise LogError("the file holds more than {limit} runs; give fewer in one file", limit=MOST_SETTINGS)

    def result(self) -> SpecStats | None:
        self._close()
        if not self._tasks:
            return None
        main = next((each for each in self._tasks if each.label == "overall"), self._tasks[0])
        averages = note("tokens per second are averages over questions, not all tokens ÷ all time")
        notes = (averages,) if main.output_tokens_per_s is not None else ()
        if len(self._tasks) == 1:
            return main.replace(notes=notes)
        return main.replace(parts=tuple(self._tasks), parts_are_settings=True, notes=notes)


ANSWERS = Objects(ENGINE, N_("answer file"), ("accept_lengths",), _Answers)
PRINT = Lines(
    ENGINE,
    N_("print of speed.py"),
    (
        "#Mean accepted tokens:",
        "Tokens per second:",
        "Tokens per second for the baseline:",
        "Speedup ratio:",
        "= Task:",
    ),
    _Print,
)
FORMATS = (ANSWERS, PRINT)
