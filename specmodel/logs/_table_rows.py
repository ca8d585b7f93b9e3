"""The rows of a table as measured settings: draft length, conditions, times and acceptance of each of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from specmodel.base.messages import N_
from specmodel.logs._cells import is_empty, length_of, list_of, number_of
from specmodel.logs._columns import ACCEPTANCE
from specmodel.logs._format import LogError
from specmodel.logs._table_acceptance import is_of_hundred, share, tokens
from specmodel.logs._table_columns import Columns
from specmodel.logs._table_row import Row
from specmodel.measured.assumed_spread import ANSWER_TOKENS, UNKNOWN_REQUESTS
from specmodel.measured.spec_stats import SpecStats

SOURCE = N_("a table of settings")
SHARES = ("accepted_per_drafted", "sglang_old_rate", "alpha", "per_position", "conditional")
LONGEST_NAME = 36
TIMES = ("tpot_ms", "step_ms", "draft_ms", "verify_ms", "ttft_ms", "request_ms")
_PLAIN = re.compile(
    r"\b(?:baseline|base|no[- ]?(?:spec\w*|mtp|draft\w*|eagle\w*|ngram)|non[- ]?spec\w*|without|vanilla|plain|off|none|"
    r"disabled?|autoregressive|ar|target only|false)\b|^0$",
    re.IGNORECASE,
)
_ADAPTIVE = re.compile(r"adapt|auto|dynamic", re.IGNORECASE)
_K_IN_NAME = re.compile(
    r"\b(?:k|γ|gamma|n|draft[-_ ]?(?:n[-_ ]?)?(?:max|len\w*)|num[-_ ]spec\w*[-_ ]tokens|mtp|spec\w*[-_ ]tokens)"
    r"\s*[=:\- ]\s*"
    r"(\d{1,2})\b",
    re.IGNORECASE,
)


@dataclass
class Told:
    """What a table tells beside its settings: `kinds` of each row, and whether something was assumed or left out."""

    kinds: list[str] = field(default_factory=list)
    assumed_rounds: bool = False
    spreads: bool = False
    cut_short: bool = False
    """Whether a share of the drafts could not be turned into tokens per round: p-min ends drafts early."""
    full_drafts: bool = False
    """Whether a share of the drafts was turned into tokens per round, taking every round to draft k."""
    without_k: list[int] = field(default_factory=list)


class Rows:
    """Reads the rows of a table; `told` collects what to say of it.

    >>> from specmodel.logs._grid import Grid
    >>> from specmodel.logs._table_columns import understood
    >>> grid = Grid(1, ("k", "tok/s", "tau"), ((2, ("0", "50", "-")), (3, ("3", "100", "2.5"))))
    >>> [(each.label, each.tpot_ms, each.printed_length) for each in Rows(understood(grid), "").parts()]
    [('off', 20.0, None), ('k = 3', 10.0, 2.5)]
    """

    def __init__(self, columns: Columns, engine: str):
        self.told = Told()
        self._columns, self._engine = columns, engine
        self._has_k = any(each.role == "k" for each in columns.columns)
        self._of_hundred = {
            at: is_of_hundred(each.header, columns.numbers(at))
            for at, each in enumerate(columns.columns)
            if each.role in SHARES
        }
        self._names: dict[str, str] = {}

    def parts(self) -> Iterator[SpecStats]:
        """One setting a row; a row with nothing but a name is passed over."""
        for line, cells in self._columns.grid.rows:
            row = Row(line, self._columns, cells)
            if any(
                row.text(role) for role in (*ACCEPTANCE, "tokens_per_s", "tokens_per_s_each", *TIMES, "accepted", "")
            ):
                self.told.kinds.append(" ".join(row.texts("kind")))
                yield self._part(row)

    def _part(self, row: "Row") -> SpecStats:
        names = row.texts("name")
        names += [row.text("k")] if _ADAPTIVE.search(row.text("k")) else []
        names += [text for role in ("p_min", "top_k") if (text := row.text(role)) and _PLAIN.search(text)]
        k, plain = self._length(row, names)
        p_min = None if plain else row.number("p_min")
        batch = row.number("batch")
        stats = SpecStats(
            self._engine,
            SOURCE,
            label=self._label(row, names, k, plain, p_min),
            speculation=not plain,
            estimated=True,
            num_speculative_tokens=k or None,
            batch_size=batch,
            context_tokens=row.number("context"),
            request_rate=row.number("request_rate"),
            temperature=row.number("temperature"),
            **self._times(row, batch),  # type: ignore[arg-type]
        )
        self.told.spreads = self.told.spreads or row.spread
        if plain:
            return stats
        if not k:
            self.told.without_k.append(row.line)
        return self._with_plain(row, self._with_acceptance(row, stats, k, p_min))

    def _length(self, row: "Row", names: list[str]) -> tuple[int | None, bool]:
        """Draft length of a row, and whether it did not speculate."""
        text = row.text("k")
        named_plain = any(_PLAIN.search(name) for name in names) and not any(_K_IN_NAME.search(name) for name in names)
        accepted = any(row.text(role) for role in (*ACCEPTANCE, "accepted") if not _is_zero(row.text(role)))
        if self._has_k and not is_empty(text) and not _ADAPTIVE.search(text):
            k = length_of(text)
            if k is None and (_PLAIN.search(text) is None or accepted):
                raise LogError("line {line}: {name} is {value}, expected a whole number",
                               line=row.line, name=row.header("k"), value=text)  # fmt: skip
            if k is not None and k > 1024:
                raise LogError("line {line}: a round of {found} draft tokens, expected at most {limit}",
                               line=row.line, found=k, limit=1024)  # fmt: skip
            if named_plain and not accepted:
                return None, True
            return k, not k
        if self._has_k and _ADAPTIVE.search(text):
            return None, False
        if named_plain and not accepted:
            return None, True
        found = next((m for name in names if (m := _K_IN_NAME.search(name))), None)
        if found:
            return int(found.group(1)), int(found.group(1)) == 0
        return None, self._has_k and not accepted

    def _label(self, row: "Row", names: list[str], k: int | None, plain: bool, p_min: float | None) -> str:
        """A name with the draft length first, which a middle dot tells from names whose numbers count runs."""
        top_k = 1.0 if plain else row.number("top_k") or 1.0
        more = [f"top-k {top_k:g}"] if top_k > 1 else []
        more += [f"p-min {p_min:g}"] if p_min is not None else []
        name = self._short(" ".join(name for name in names if length_of(name) is None))
        head = "off" if plain else f"k = {k or '?'}"
        return " · ".join([head, *more, *([name] if name else [])])

    def _short(self, name: str) -> str:
        """A name that a link keeps whole, another one for every other name."""
        plain = re.sub(r"[,;:·]+", " ", name).strip()
        if name not in self._names:
            short = plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1] + "…"
            taken = set(self._names.values())
            self._names[name] = short if not short or short not in taken else f"{short} #{len(taken) + 1}"
        return self._names[name]

    def _times(self, row: "Row", batch: float | None) -> Mapping[str, float | None]:
        times = {name: row.time(name) for name in TIMES}
        total, each = row.number("tokens_per_s", above_zero=True), row.number("tokens_per_s_each", above_zero=True)
        at_once = max(batch or 1.0, 1.0)
        if times["tpot_ms"] is None and each:
            times["tpot_ms"] = 1000 / each
        if times["tpot_ms"] is None and total:
            times["tpot_ms"] = 1000 * at_once / total
        return {**times, "output_tokens_per_s": total if total or not each else each * at_once}

    def _with_plain(self, row: "Row", stats: SpecStats) -> SpecStats:
        """What the row tells of a plain step beside it: its speed, its time, or the speedup over it."""
        total, ms = row.number("plain_tokens_per_s", above_zero=True), row.time("plain_tpot_ms")
        if ms is None and total:
            ms = 1000 * max(stats.batch_size or 1.0, 1.0) / total
        ratio = row.ratio("speedup")
        spent = stats.tpot_ms
        if spent is None and stats.step_ms and stats.printed_length:
            spent = stats.step_ms / stats.printed_length
        if ms is None and ratio and spent:
            ms = spent * ratio
        return stats if ms is None else stats.replace(plain_ms=ms)

    def _with_acceptance(self, row: "Row", stats: SpecStats, k: int | None, p_min: float | None) -> SpecStats:
        counts = {name: row.count(name) for name in ("rounds", "drafted", "accepted")}
        if counts["accepted"] is not None and (counts["drafted"] or counts["rounds"]):
            rounds = counts["rounds"] or (counts["drafted"] / k if k and counts["drafted"] and not p_min else None)
            names = dict(zip(("rounds", "drafted", "accepted"),
                             ("num_rounds", "num_draft_tokens", "num_accepted_draft_tokens"), strict=True))  # fmt: skip
            found = {names[name]: value for name, value in counts.items() if value is not None}
            return stats.replace(**{**found, "num_rounds": rounds})
        survival = self._by_position(row)
        if survival:
            tau = 1 + sum(survival)
            rounds = UNKNOWN_REQUESTS * ANSWER_TOKENS / tau
            self.told.assumed_rounds = True
            positions = tuple(rounds * each for each in survival)
            return stats.replace(
                num_speculative_tokens=k or len(survival),
                num_rounds=rounds, num_accepted_draft_tokens=sum(positions), accepted_per_position=positions,
            )  # fmt: skip
        return self._with_length(row, stats, k, p_min)

    def _with_length(self, row: "Row", stats: SpecStats, k: int | None, p_min: float | None) -> SpecStats:
        for role in ACCEPTANCE[:5]:
            at, value = row.found(role)
            if value is None or at is None:
                continue
            of_hundred = self._of_hundred.get(at, False)
            if of_hundred and not value.percent and "%" not in row.header(role) and 0 < value.value < 1:
                raise LogError(
                    "line {line}: {name} is {value}, less than 1 among values in per cent: write all of them alike",
                    line=row.line, name=row.header(role), value=row.text(role),
                )  # fmt: skip
            plain = share(value, of_hundred) if role in SHARES else value.value
            if p_min and role in ("accepted_per_drafted", "sglang_old_rate"):
                self.told.cut_short = True
                continue
            tau = tokens(role, plain, k)
            wrong = tau is None if k else not 0 <= plain <= (1 if role in SHARES else 1025)
            if wrong or (tau is not None and tau < 1):
                raise LogError(
                    "line {line}: {name} is {value}, which cannot be with {k} draft tokens",
                    line=row.line, name=row.header(role), value=row.text(role), k=k or "?",
                )  # fmt: skip
            if tau is not None:
                self.told.full_drafts |= role == "accepted_per_drafted" and p_min is None
                return stats.replace(printed_length=tau)
        return stats

    def _by_position(self, row: "Row") -> list[float]:
        """S_1 … S_k of a row: from one cell with all of them, or a column for each."""
        for role in ("per_position", "conditional"):
            texts = [text for text in row.texts(role) if not is_empty(text)]
            if not texts:
                continue
            values = list_of(texts[0]) if len(texts) == 1 else None
            if values is None:
                numbers = [number_of(text) for text in texts]
                of_hundred = any(each and each.value > 1 and not each.percent for each in numbers)
                values = [share(each, of_hundred) for each in numbers if each is not None]
            if len(values) != max(len(texts), len(values)) or any(not 0 <= each <= 1 for each in values):
                raise LogError("line {line}: {name} is {value}, expected a share between 0 and 1",
                               line=row.line, name=row.header(role), value=", ".join(texts))  # fmt: skip
            found, reached = [], 1.0
            for each in values:
                reached = reached * each if role == "conditional" else each
                found.append(reached)
            if any(later > earlier + 1e-9 for earlier, later in pairwise(found)):
                raise LogError("line {line}: accepted by position may never rise; found {shown}",
                               line=row.line, shown=", ".join(texts))  # fmt: skip
            return found
        return []


def _is_zero(text: str) -> bool:
    value = number_of(text)
    return is_empty(text) or (value is not None and not value.value)
