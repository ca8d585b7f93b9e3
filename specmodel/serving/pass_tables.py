"""Measured costs of a pass: the tables that come with the package, a visitor's CSV, and what an engine file holds."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.table_file import open_table
from specmodel.measured.spec_stats import SpecStats
from specmodel.serving.passes import MeasuredPass, Points

_FILE = Path(__file__).parents[1] / "data" / "passes.csv"
MEASURED_HERE = N_("Measured by the project on 2026-11-29 on two CPU cores, one thread; means of 8 to 110 passes.")


@dataclass(frozen=True)
class PassTable:
    """A measured table: its name, where it comes from, and whether its drafter was measured beside it."""

    key: str
    name: str
    source: str
    drafter: bool = False

    @property
    def points(self) -> Points:
        """The measured passes."""
        return _points()[self.key]

    @property
    def drafter_pass(self) -> MeasuredPass | None:
        """One pass of the drafter by the number of sequences, where it was measured."""
        return _drafter_pass(self.key) if self.drafter else None


_TABLES = (
    PassTable(
        "deepseek_v4_flash",
        N_("DeepSeek-V4-Flash, TP4, vLLM's own profile"),
        N_("vLLM blog of 2026-08-14 (DSpark), figure 2: points of the vector graphic; drafting is one parallel pass."),
        drafter=True,
    ),
    PassTable("smollm2_bf16", N_("SmolLM2-135M on a CPU, bfloat16"), MEASURED_HERE),
    PassTable("smollm2_fp32", N_("SmolLM2-135M on a CPU, float32"), MEASURED_HERE),
    PassTable("pair", N_("A small pair of models on a CPU"), MEASURED_HERE),
)


def pass_tables() -> Mapping[str, PassTable]:
    """The tables that come with the package, by key.

    >>> pass_tables()["smollm2_fp32"].points.at(150)[1][:4].tolist()
    [37.351, 61.824, 77.08, 56.366]
    """
    return {table.key: table for table in _TABLES}


@cache
def _drafter_pass(key: str) -> MeasuredPass:
    return MeasuredPass(_points()[f"{key}_drafter"])


@cache
def _points() -> Mapping[str, Points]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    tables = dict.fromkeys(row["table"] for row in rows)
    return {table: _of([row for row in rows if row["table"] == table]) for table in tables}


def _of(rows: list[dict[str, str]]) -> Points:
    columns = ([float(row[name]) for row in rows] for name in ("tokens", "context", "ms"))
    return Points(*columns)


def read_points(source: str | bytes | Path) -> Points:
    """Points of a CSV: columns `ms` and `tokens` (or `batch_size` and `tokens_per_sequence`) and, if known, `context`.

    `tokens` are those of the whole batch, `context` the cached tokens of each sequence. Raises `RoundsError` for what
    is no table and `SpecmodelError` for a cell that is no number or outside its domain, with its line.

    >>> read_points("tokens,ms\\n1,20\\n8,21\\n").ms.tolist()
    [20.0, 21.0]
    >>> read_points("tokens,ms\\n1,fast\\n")
    Traceback (most recent call last):
    specmodel.base.messages.SpecmodelError: line 2, column ms: 'fast' is not a number
    """
    body = open_table(source, ("ms",))
    header = ["tokens" if name == "n_tokens" else name for name in body.header]
    names = [name for name in ("tokens", "batch_size", "tokens_per_sequence", "context", "ms") if name in header]
    if "tokens" not in names and not {"batch_size", "tokens_per_sequence"} <= set(names):
        raise SpecmodelError(
            Message("the table needs a column tokens, or the columns batch_size and tokens_per_sequence")
        )
    rows = list(body.reader())
    columns = {name: np.array(_column(rows, header.index(name), name)) for name in names}
    tokens = columns["tokens"] if "tokens" in columns else columns["batch_size"] * columns["tokens_per_sequence"]
    return Points(tokens, columns.get("context", np.zeros_like(tokens)), columns["ms"])


def _column(rows: list[list[str]], place: int, name: str) -> list[float]:
    return [_number(cells[place], line, name) for line, cells in enumerate(rows, start=2)]


def _number(text: str, line: int, name: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        message = "line {line}, column {name}: {text} is not a number"
        raise SpecmodelError(Message(message, {"line": line, "name": name, "text": repr(text[:40])})) from error


def points_of(stats: SpecStats) -> Points | None:
    """The passes that an engine file tells of: plain steps of b sequences, and verification passes of b·(k + 1) tokens.

    Of a sweep every setting gives what it has. A round's time without its parts is not a pass and is left out, but for
    lookups nothing is drafted on the accelerator, which only the reader knows. None with fewer than two passes.

    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, batch_size=1.0)
    >>> points_of(plain.replace(parts=(plain, plain.replace(tpot_ms=14.0, batch_size=8.0)))).tokens.tolist()
    [1.0, 8.0]
    """
    rows = [row for part in (stats.parts or (stats,)) for row in _passes(part)]
    found = {tokens for tokens, _ in rows}
    if len(found) < 2:
        return None
    tokens, ms = np.array(rows).T
    return Points(tokens, np.zeros_like(tokens), ms)


def _passes(stats: SpecStats) -> list[tuple[float, float]]:
    batch = stats.batch_size or 1.0
    found = []
    plain = stats.plain_ms if stats.speculation else stats.step_ms or stats.tpot_ms
    if plain:
        found.append((batch, plain))
    if stats.speculation and stats.verify_ms and stats.num_speculative_tokens:
        found.append((batch * (stats.num_speculative_tokens + 1), stats.verify_ms))
    return found


def captured_sizes(text: str) -> tuple[float, ...]:
    """Captured graph sizes as a visitor types them: numbers with commas or spaces; empty for none.

    >>> captured_sizes("1, 2 4 8")
    (1.0, 2.0, 4.0, 8.0)
    """
    return tuple(_size(part) for part in text.replace(",", " ").replace("_", " ").split())


def _size(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        message = "{text} is not a number: captured sizes are numbers with commas between them"
        raise SpecmodelError(Message(message, {"text": repr(text[:40])})) from error
