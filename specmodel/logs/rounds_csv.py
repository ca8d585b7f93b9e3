"""Rounds CSV: this project's own table of rounds, one row a draft-and-verify cycle.

Columns and what they may hold are those of `specmodel.rounds_file`: `proposed` and `accepted`, and any of `k`,
`temperature`, `draft_ms`, `verify_ms`, `overhead_ms`, `baseline_ms`, `category`, `prompt`, `run_id`. This reader takes
row after row, so that the file may have any size. A row that proposed nothing is a step without a draft. A unit is a
request (a prompt within its category, else a run), or 16 rounds in a row. Rows of several k or temperatures are several
settings: the main counters are those of the setting with most rounds.
"""

from collections.abc import Hashable
from typing import Any

from specmodel.logs._format import LogError, Tables, note
from specmodel.logs._lengths import Lengths
from specmodel.messages import N_, Message
from specmodel.rounds_file import MAX_PROPOSED
from specmodel.spec_stats import SpecStats

ENGINE = "rounds CSV"
MOST_GROUPS = 1024
_TIMES = ("draft_ms", "verify_ms", "overhead_ms", "baseline_ms")
_TEXTS = ("category", "prompt", "run_id")
_WHOLE = {str(value): value for value in range(MAX_PROPOSED + 1)}
_Setting = tuple[int | None, float | None]


class _Group:
    """The rows of one category, or all rows, of one setting."""

    def __init__(self) -> None:
        self.lengths = Lengths(span=16)
        self.steps = 0
        self.step_ms = 0.0
        self.sums = dict.fromkeys(_TIMES, 0.0)

    def add(self, row: "_Row", line: int, request: Hashable) -> None:
        self.steps += 1
        times = row.times
        self.step_ms += times.get("draft_ms", 0.0) + times.get("verify_ms", 0.0) + times.get("overhead_ms", 0.0)
        self.sums["baseline_ms"] += times.get("baseline_ms", 0.0)
        if row.proposed:
            self.lengths.add(row.accepted, line, row.proposed, request)
            for name in ("draft_ms", "verify_ms"):
                self.sums[name] += times.get(name, 0.0)

    def stats(self, setting: _Setting, columns: set[str]) -> SpecStats:
        """Means over rounds with a draft; `step_ms` over all rows."""
        k, temperature = setting
        rounds = self.lengths.num_rounds
        stats = self.lengths.stats(ENGINE, ROWS.source) if rounds else SpecStats(ENGINE, ROWS.source, speculation=False)
        timed = {"draft_ms", "verify_ms"} <= columns
        return stats.replace(
            num_speculative_tokens=stats.num_speculative_tokens if k is None else k,
            drafted_per_position=_drafted(stats, k),
            accepted_per_position=_padded(stats.accepted_per_position, k),
            generated_tokens=self.lengths.num_accepted + self.steps,
            num_steps=self.steps,
            step_ms=self.step_ms / self.steps if timed else None,
            draft_ms=self.sums["draft_ms"] / rounds if rounds and "draft_ms" in columns else None,
            verify_ms=self.sums["verify_ms"] / rounds if rounds and "verify_ms" in columns else None,
            temperature=temperature,
        )


def _drafted(stats: SpecStats, k: int | None) -> tuple[float, ...] | None:
    """Drafted by position, where not every round drafts the k of the setting."""
    reached, rounds = stats.drafted_per_position, stats.num_rounds
    if reached is None and k is not None and stats.num_speculative_tokens not in (None, k) and rounds:
        reached = (rounds,) * int(stats.num_speculative_tokens or 0)
    return _padded(reached, k)


def _padded(values: tuple[float, ...] | None, k: int | None) -> tuple[float, ...] | None:
    return None if values is None else values + (0,) * ((k or 0) - len(values))


class _Row:
    """The known cells of a row, each inside its domain."""

    def __init__(self, found: dict[str, str], line: int):
        self.proposed, self.accepted = _whole(found, "proposed", line), _whole(found, "accepted", line)
        if self.accepted > self.proposed:
            raise LogError(
                "line {line}: accepted = {accepted} is more than proposed = {proposed}",
                line=line, accepted=self.accepted, proposed=self.proposed,
            )  # fmt: skip
        self.k = _whole(found, "k", line) if "k" in found else None
        self.temperature = _time(found, "temperature", line) if "temperature" in found else None
        self.times = {name: _time(found, name, line) for name in _TIMES if name in found}
        self.texts = {name: _label(found, name, line) for name in _TEXTS if name in found}

    def request(self) -> Hashable:
        """Which request it belongs to; None where the file does not tell."""
        if "prompt" in self.texts:
            return hash((self.texts.get("category"), self.texts["prompt"]))
        return hash(self.texts["run_id"]) if "run_id" in self.texts else None


def _whole(found: dict[str, str], name: str, line: int) -> int:
    cell = found[name].strip()
    value = _WHOLE.get(cell)
    if value is not None:
        return value
    number = _number(cell)
    if number is None or number != int(number) or number > MAX_PROPOSED:
        raise _cell_error(
            cell, name, line, Message("a whole number from {low} to {high}", {"low": 0, "high": MAX_PROPOSED})
        )
    return int(number)


def _time(found: dict[str, str], name: str, line: int) -> float:
    cell = found[name].strip()
    number = _number(cell)
    if number is None:
        raise _cell_error(cell, name, line, Message("a finite number, {low} or more", {"low": 0}))
    return number


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _label(found: dict[str, str], name: str, line: int) -> str:
    cell = found[name].strip()
    if not cell:
        raise _cell_error(cell, name, line, Message("a label"))
    return cell


def _cell_error(cell: str, name: str, line: int, expected: Message) -> LogError:
    if not cell:
        return LogError(
            "line {line}, column {column}: nothing found, expected {expected}",
            line=line, column=name, expected=expected,
        )  # fmt: skip
    return LogError(
        "line {line}, column {column}: found {found}, expected {expected}",
        line=line, column=name, found=cell, expected=expected,
    )  # fmt: skip


class _Rows:
    """One round a row."""

    def __init__(self) -> None:
        self._settings: dict[_Setting, _Group] = {}
        self._categories: dict[tuple[_Setting, str], _Group] = {}
        self._columns: set[str] = set()

    def take(self, line: int, found: Any) -> bool:
        row = _Row(found, line)
        self._columns = self._columns or found.keys() & {*_TIMES}
        setting, request = (row.k, row.temperature), row.request()
        self._group(self._settings, setting, line).add(row, line, request)
        if "category" in row.texts:
            self._group(self._categories, (setting, row.texts["category"][:120]), line).add(row, line, request)
        return True

    def _group(self, groups: dict[Any, _Group], key: Hashable, line: int) -> _Group:
        group = groups.get(key)
        if group is None:
            if len(groups) >= MOST_GROUPS:
                raise LogError(
                    "line {line}: more than {limit} combinations of category, k and temperature",
                    line=line, limit=MOST_GROUPS,
                )  # fmt: skip
            group = groups[key] = _Group()
        return group

    def result(self) -> SpecStats | None:
        parts = [self._setting(setting) for setting in self._settings]
        if not parts:
            return None
        main = max(parts, key=lambda each: each.num_rounds or 0)
        notes = (*main.notes, *self._baseline())
        if len(parts) == 1:
            return main.replace(label="", notes=notes)
        return main.replace(parts=tuple(parts), parts_are_settings=True, notes=notes)

    def _setting(self, setting: _Setting) -> SpecStats:
        categories = [
            group.stats(setting, self._columns).replace(label=label)
            for (of, label), group in self._categories.items()
            if of == setting
        ]
        named = [f"{name} = {value:g}" for name, value in zip(("k", "T"), setting, strict=True) if value is not None]
        stats = self._settings[setting].stats(setting, self._columns)
        return stats.replace(label=", ".join(named), parts=tuple(categories) if len(categories) > 1 else ())

    def _baseline(self) -> tuple[Message, ...]:
        if "baseline_ms" not in self._columns:
            return ()
        steps = sum(group.steps for group in self._settings.values())
        mean = sum(group.sums["baseline_ms"] for group in self._settings.values()) / steps
        return (note("a plain decoding step measured beside the rounds took {baseline_ms:.4g} ms", baseline_ms=mean),)


ROWS = Tables(ENGINE, N_("table of rounds"), ("proposed", "accepted"), _Rows)
FORMATS = (ROWS,)
