"""llama-benchy: the table of its tests, in Markdown.

Format read in eugr/llama-benchy and its README (0.1 to 0.4, 2026). A row is a test: `pp2048` processes a prompt,
`tg128` generates, `@ d4096` behind a context of that many tokens, `(c4)` with four requests at once; rows `ctx_…` only
load the context. `t/s` of a `tg` row is (tokens − 1) ÷ the time from the first to the last of them; with several
requests there are `t/s (total)` and `t/s (req)`. Nothing tells whether the server speculated, or which server it was.
"""

import re

from specmodel.base.messages import N_
from specmodel.logs._checks import number
from specmodel.logs._format import Lines, LogError, note
from specmodel.logs._printed import MOST_SETTINGS, settings
from specmodel.measured.spec_stats import SpecStats

ENGINE = "llama-benchy"
_TEST = re.compile(r"(?P<kind>pp|tg) ?(?P<tokens>\d{1,9})(?: @ d(?P<depth>\d{1,9}))?(?: \(c(?P<at_once>\d{1,6})\))?")
_VALUE = re.compile(r"\**(\d[\d,]{0,20}(?:\.\d{1,9})?)\**(?:\s*(?:Â?±|¬±).*)?")


class _Table:
    """Row by row below a header that has a column of tests and one of tokens per second."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._prompts: dict[tuple[str, str, str], int] = {}
        self._parts: list[SpecStats] = []

    def take(self, line: int, found: str) -> bool:
        if "|" not in found:
            return True
        cells = [cell.strip() for cell in found.strip().strip("|").split("|")]
        names = [cell.lower() for cell in cells]
        if "test" in names and any(name.startswith("t/s") for name in names):
            self._columns = {name: at for at, name in reversed(list(enumerate(names)))}
        elif self._columns and max(self._columns.values()) < len(cells) + 8:
            self._row(cells, line)
        return True

    def _row(self, cells: list[str], line: int) -> None:
        row = {name: cells[at] for name, at in self._columns.items() if at < len(cells)}
        test = _TEST.fullmatch(row.get("test", ""))
        if test is None:
            return
        model = row.get("model", "")[:120]
        key = model, test["depth"] or "", test["at_once"] or ""
        if test["kind"] == "pp":
            self._prompts[key] = int(test["tokens"])
            return
        each, together = self._speeds(row, line)
        if not each:
            return
        if len(self._parts) >= MOST_SETTINGS:
            raise LogError("line {line}: more than {limit} settings in one file", line=line, limit=MOST_SETTINGS)
        prompt = self._prompts.get(key)
        self._parts.append(
            SpecStats(
                ENGINE,
                TABLE.source,
                model=model or None,
                label=" · ".join(filter(None, (model, test[0]))),
                speculation=False,
                tpot_ms=1000 / each,
                batch_size=float(test["at_once"] or 1),
                output_tokens_per_s=together,
                context_tokens=int(test["depth"] or 0) + prompt + int(test["tokens"]) / 2 if prompt else None,
            )
        )

    def _speeds(self, row: dict[str, str], line: int) -> tuple[float | None, float | None]:
        """Tokens per second of one request, and of all of them together."""
        values = {}
        for name in ("t/s", "t/s (req)", "t/s (total)"):
            match = _VALUE.fullmatch(row.get(name, ""))
            values[name] = number(match[1].replace(",", ""), line, name) if match else None
        return values["t/s (req)"] or values["t/s"], values["t/s (total)"] or values["t/s"]

    def result(self) -> SpecStats | None:
        stats = settings(self._parts)
        silent = note("this benchmark does not print acceptance: whether the run speculated is not in the file")
        return stats.replace(notes=(silent,)) if stats else None


TABLE = Lines(ENGINE, N_("table of tests"), (" test |", " Test |", " tg", "|tg", " pp", "|pp"), _Table)
FORMATS = (TABLE,)
