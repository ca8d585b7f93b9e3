"""llama.cpp and ik_llama.cpp: the tables of llama-sweep-bench and llama-batched-bench.

Formats read in ikawrakow/ik_llama.cpp (examples/sweep-bench) and ggml-org/llama.cpp (tools/batched-bench). Columns by
name: PP and TG are numbers of tokens, B sequences at once, T_TG s the time in which each of them generates TG tokens,
and S_TG t/s the speed of all of them. In a sweep N_KV are the tokens that were there before; in a batch those of all
sequences at the end. Neither uses a drafter: the rows are plain steps, by context or by batch. Rows are right-aligned,
as the programs print them: that tells them from the many lines of a log that have a bar.
"""

from specmodel.base.messages import N_
from specmodel.logs._checks import count, number
from specmodel.logs._format import Lines, LogError
from specmodel.logs._llama_cpp import ENGINE
from specmodel.logs._printed import MOST_SETTINGS, settings
from specmodel.measured.spec_stats import SpecStats

_NEEDED = ("PP", "TG", "N_KV", "T_TG s", "S_TG t/s")
_DIGITS = frozenset("0123456789.| ")


class _Table:
    def __init__(self) -> None:
        self._columns: list[str] = []
        self._parts: list[SpecStats] = []

    def take(self, line: int, found: str) -> bool:
        cells = [cell.strip() for cell in found.strip().strip("|").split("|")]
        if set(_NEEDED) <= set(cells):
            self._columns = cells
        elif self._columns and len(cells) == len(self._columns) and set(found.strip()) <= _DIGITS:
            if len(self._parts) >= MOST_SETTINGS:
                raise LogError("line {line}: more than {limit} settings in one file", line=line, limit=MOST_SETTINGS)
            if part := _row(dict(zip(self._columns, cells, strict=True)), line):
                self._parts.append(part)
        return True

    def result(self) -> SpecStats | None:
        return settings(self._parts)


def _row(row: dict[str, str], line: int) -> SpecStats | None:
    """One setting; None where nothing was generated."""
    prompt, tokens, cached, batch = (count(row.get(name, 1), line, name) for name in ("PP", "TG", "N_KV", "B"))
    seconds, speed = number(row["T_TG s"], line, "T_TG s"), number(row["S_TG t/s"], line, "S_TG t/s")
    if not tokens or not batch or not seconds or not speed:
        return None
    exact = batch * tokens / seconds
    slack = 0.006 + exact * 0.0006 / seconds  # of two decimals, and of the three that the time has
    if abs(speed - exact) > slack:
        raise LogError(
            "line {line}: {name} is printed as {printed:.6g}, but the counters give {exact:.6g}",
            line=line, name="S_TG t/s", printed=speed, exact=exact,
        )  # fmt: skip
    before = prompt if "B" in row else cached
    return SpecStats(
        ENGINE,
        TABLE.source,
        label=f"B = {batch}, {before:,} + {tokens:,}",
        speculation=False,
        tpot_ms=1000 * seconds / tokens,
        batch_size=float(batch),
        output_tokens_per_s=speed,
        context_tokens=before + tokens / 2,
    )


TABLE = Lines(ENGINE, N_("table of llama-sweep-bench or llama-batched-bench"), ("S_TG t/s", "|   "), _Table)
FORMATS = (TABLE,)
