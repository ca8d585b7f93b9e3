"""Rounds CSV: this project's own table of rounds, one row a draft-and-verify cycle.

Columns and what they may hold are those of `specmodel.measured.rounds_file`: `proposed` and `accepted`, and any of `k`,
`temperature`, `draft_ms`, `verify_ms`, `overhead_ms`, `baseline_ms`, `category`, `prompt`, `run_id`. This reader takes
row after row, so that the file may have any size. A row that proposed nothing is a step without a draft. A unit is a
request (a prompt within its category, else a run), or 16 rounds in a row. Rows of several k or temperatures are several
settings: the main counters are those of the setting with most rounds.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import N_, Message
from specmodel.logs._format import LogError, Tables, note
from specmodel.logs._lengths import Lengths
from specmodel.measured.rounds_file import MAX_PROPOSED
from specmodel.measured.spec_stats import SpecStats

ENGINE = "rounds CSV"
MOST_GROUPS = 1024
_TIMES = ("draft_ms", "verify_ms", "overhead_ms", "baseline_ms")
_TEXTS = ("category", "prompt", "run_id")
_GROUPINGS = ("prompt_type", "group", "model_pair")
_KNOWN = {"proposed", "accepted", "k", "temperature", *_TIMES, *_TEXTS, *_GROUPINGS}
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
            plain_ms=self.sums["baseline_ms"] / self.steps if "baseline_ms" in columns else None,
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


class _Batch:
    """Many rows, by their kind: what stands in all columns but the times. Raises where a cell is not as it should."""

    def __init__(self, columns: Mapping[str, Sequence[str]], line: int):
        names = [name for name in ("proposed", "accepted", "k", "temperature", *_TEXTS) if name in columns]
        numbers: dict[tuple[str, ...], int] = {}
        of_row = [numbers.setdefault(kind, len(numbers)) for kind in zip(*map(columns.get, names), strict=True)]
        self.kinds = [_Row(dict(zip(names, kind, strict=True)), line) for kind in numbers]
        self.of_row = np.array(of_row)
        self.requests = len({row.request() for row in self.kinds})
        self._rows = np.bincount(self.of_row).tolist()
        self._drafted = np.array([row.proposed > 0 for row in self.kinds])[self.of_row]
        self.times = {name: _all_times(columns[name]) for name in _TIMES if name in columns}

    def add_to(self, groups: Sequence[_Group]) -> None:
        """Add the rows to groups, of which there is one for each kind."""
        by_request = self.kinds[0].request() is not None
        for row, group, times in zip(self.kinds, groups, self._rows, strict=True):
            group.steps += times
            if by_request and row.proposed:
                group.lengths.add_same(row.accepted, row.proposed, row.request(), times)
        each = list(dict.fromkeys(groups))
        places = {group: place for place, group in enumerate(each)}
        of_row = np.array([places[group] for group in groups])[self.of_row]
        self._add_times(each, of_row)
        if not by_request:
            pairs = [(row.accepted, row.proposed) for row in self.kinds]
            for place, group in enumerate(each):
                chosen = self.of_row[(of_row == place) & self._drafted].tolist()
                group.lengths.add_in_turn([pairs[kind] for kind in chosen])

    def _add_times(self, groups: Sequence[_Group], of_row: NDArray[np.int64]) -> None:
        """Add the times row after row, as for single rows: sums of floats depend on their order in the last digits."""
        if not self.times:
            return
        zero = np.zeros(len(of_row))
        draft, verify, overhead, baseline = (self.times.get(name, zero) for name in _TIMES)
        steps = _added([group.step_ms for group in groups], of_row, draft + verify + overhead)
        sums = {"baseline_ms": _added([group.sums["baseline_ms"] for group in groups], of_row, baseline)}
        for name, times in (("draft_ms", draft), ("verify_ms", verify)):
            before = [group.sums[name] for group in groups]
            sums[name] = _added(before, of_row[self._drafted], times[self._drafted])
        for place, group in enumerate(groups):
            group.step_ms = steps[place]
            group.sums.update({name: added[place] for name, added in sums.items()})


def _added(before: list[float], of_row: NDArray[np.int64], values: NDArray[np.float64]) -> list[float]:
    """Sums by group, continued: `bincount` adds one value after another to the sum of its group."""
    places = np.concatenate((np.arange(len(before)), of_row))
    added: list[float] = np.bincount(places, weights=np.concatenate((before, values))).tolist()
    return added


def _all_times(cells: Sequence[str]) -> NDArray[np.float64]:
    times = np.fromiter(map(float, cells), float, len(cells))
    if not bool(((times >= 0) & (times < np.inf)).all()):
        raise ValueError("not a time")
    return times


class _Rows:
    """One round a row."""

    def __init__(self) -> None:
        self._settings: dict[_Setting, _Group] = {}
        self._categories: dict[tuple[_Setting, str], _Group] = {}
        self._columns: set[str] = set()
        self._unused: list[str] = []

    def take(self, line: int, found: Any) -> bool:
        found = self._named(found)
        row = _Row(found, line)
        self._columns = self._columns or found.keys() & {*_TIMES}
        setting, request = (row.k, row.temperature), row.request()
        self._group(self._settings, setting, line).add(row, line, request)
        if "category" in row.texts:
            self._group(self._categories, (setting, row.texts["category"][:120]), line).add(row, line, request)
        return True

    def take_rows(self, lines: Sequence[int], columns: Mapping[str, Sequence[str]]) -> None:
        """Rows that differ in their times only are counted together; anything odd, and each row is taken by itself."""
        columns = self._named(columns)
        try:
            batch = _Batch(columns, lines[0])
            sets = self._groups_of(batch, lines[0])
        except (LogError, ValueError):
            sets = []
        if not sets or not all(group.lengths.has_room(batch.requests) for groups in sets for group in groups):
            for line, *cells in zip(lines, *columns.values(), strict=True):
                self.take(line, dict(zip(columns, cells, strict=True)))
            return
        self._columns = self._columns or columns.keys() & {*_TIMES}
        for groups in sets:
            batch.add_to(groups)

    def _named(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The same under the name `category`, where the kind of a row stands under another name."""
        self._unused = self._unused or [name for name in columns if name not in _KNOWN]
        other = next((name for name in _GROUPINGS if name in columns), None)
        if other is None or "category" in columns:
            return dict(columns)
        return {"category" if name == other else name: cells for name, cells in columns.items()}

    def _groups_of(self, batch: "_Batch", line: int) -> list[list[_Group]]:
        """For each kind of row the group of its setting, and where there are categories that of its category."""
        settings = [(row.k, row.temperature) for row in batch.kinds]
        sets = [[self._group(self._settings, setting, line) for setting in settings]]
        if "category" in batch.kinds[0].texts:
            named = [(setting, row.texts["category"][:120]) for setting, row in zip(settings, batch.kinds, strict=True)]
            sets.append([self._group(self._categories, key, line) for key in named])
        return sets

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
        unused = ", ".join(self._unused)
        notes = (*main.notes, note("columns not used: {names}", names=unused)) if unused else main.notes
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


ROWS = Tables(ENGINE, N_("table of rounds"), ("proposed", "accepted"), _Rows)
FORMATS = (ROWS,)
