"""Rows to judge by: one published or measured setting each, read from a CSV in a documented form.

Only `source` is needed; which rules a row judges follows from what else it tells. Rows of one `group` were measured
alike: those that differ in k predict each other, and so do those that differ in `text` or in `batch`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.base.numbers import as_number
from specmodel.base.table_file import Body, open_table
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.acceptance import Acceptance
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.serving.hardware import accelerators, target_models

MOST_ROWS = 200
LONGEST_TEXT = 300
DRAFTERS = {
    "model": N_("draft model"),
    "heads": N_("heads of the target (EAGLE, MTP, Medusa)"),
    "parallel": N_("all drafts in one pass"),
    "lookup": N_("lookup in the text"),
}

TEXTS: Mapping[str, str] = {
    "source": N_("Where the numbers stand. Needed."),
    "setup": N_("Models, hardware, engine and text, in words."),
    "group": N_("A name that rows share which were measured alike; rows without one predict no other."),
    "text": N_("The kind of text, where a group has several."),
    "drafter": N_("model, heads, parallel or lookup."),
    "experts": N_("yes for a mixture of experts."),
    "model": N_("Key of a target model of this app, for the roofline."),
    "accelerator": N_("Key of an accelerator of this app, for the roofline."),
    "note": N_("What was derived or assumed."),
    "per_position": N_("S_1 … S_k: share of the rounds that accepted draft i, with spaces between them."),
    "conditional": N_("a_1 … a_k: the same, given that all drafts before it were accepted."),
}
NUMBERS: Mapping[str, tuple[float, float, str]] = {
    "k": (1, MAX_SPECULATIVE_TOKENS, N_("Draft tokens per round, a whole number; empty for a tree.")),
    "alpha": (0, 1, N_("Chance that a draft is accepted if all before it were, measured apart from the speed.")),
    "tau": (1, 1e4, N_("Tokens per round, bonus token included.")),
    "rounds": (1, 1e12, N_("Rounds that were counted, where known.")),
    "speedup": (1e-3, 1e4, N_("Measured: time without speculation ÷ time with it.")),
    "plain_ms": (1e-6, 1e9, N_("A plain decoding step, in milliseconds.")),
    "round_ms": (1e-6, 1e9, N_("A round with speculation; needed only where no speedup is given, or was timed apart.")),
    "draft_ms": (0, 1e9, N_("All drafting of a round.")),
    "verify_ms": (0, 1e9, N_("The verification pass of a round.")),
    "draft_ratio": (0, 1e3, N_("Cost of one draft in plain steps.")),
    "batch": (1, 1e6, N_("Requests decoded together.")),
    "context": (0, 1e8, N_("Cached tokens of each request.")),
    "accelerators": (1, 1024, N_("How many accelerators share the model.")),
}
WHOLE = ("k", "accelerators")
LISTS = ("per_position", "conditional")


@dataclass(frozen=True)
class Row:
    """One setting as it was published or measured; an unknown is None or empty. Times in ms, as `NUMBERS` says.

    `counted` are the counters of a run of our own, where there are any; `share` is the share of its decoding steps that
    carried a draft.
    """

    source: str
    setup: str = ""
    group: str = ""
    text: str = ""
    drafter: str = ""
    experts: str = ""
    model: str = ""
    accelerator: str = ""
    note: str = ""
    per_position: tuple[float, ...] = ()
    conditional: tuple[float, ...] = ()
    k: int | None = None
    alpha: float | None = None
    tau: float | None = None
    rounds: float | None = None
    speedup: float | None = None
    plain_ms: float | None = None
    round_ms: float | None = None
    draft_ms: float | None = None
    verify_ms: float | None = None
    draft_ratio: float | None = None
    batch: float | None = None
    context: float | None = None
    accelerators: int = 1
    share: float = 1.0
    counted: SpecStats | None = None

    @cached_property
    def survival(self) -> tuple[float, ...]:
        """S_1 … S_k: as given, from the conditional ones, else of the one alpha that gives tau; empty where unknown."""
        if self.per_position:
            return self.per_position
        if self.conditional:
            return Acceptance.from_conditional(self.conditional).per_position_acceptance
        if self.tau is None or self.k is None or self.tau > self.k + 1:
            return ()
        return Acceptance.from_mean_acceptance_length(self.tau, self.k).per_position_acceptance

    @property
    def by_position(self) -> bool:
        """Whether acceptance is known by position."""
        return bool(self.per_position or self.conditional)

    @property
    def length(self) -> float | None:
        """Measured tokens per round: as given, else what the positions add up to."""
        return self.tau if self.tau is not None or not self.by_position else 1 + sum(self.survival)

    @property
    def tokens_per_step(self) -> float | None:
        """Tokens per decoding step, steps without a draft included."""
        return None if self.length is None else 1 + self.share * (self.length - 1)

    @property
    def rho(self) -> float | None:
        """Measured cost of a step with speculation in plain steps: tokens per step ÷ speedup."""
        if self.speedup is not None and self.tokens_per_step is not None:
            return self.tokens_per_step / self.speedup
        return self.round_ms / self.plain_ms if self.round_ms and self.plain_ms else None

    @property
    def measured_speedup(self) -> float | None:
        """As given, else tokens per step ÷ the measured cost of a step."""
        if self.speedup is not None or self.rho is None or self.tokens_per_step is None:
            return self.speedup
        return self.tokens_per_step / self.rho

    def alike(self, other: "Row", *differ: str) -> bool:
        """Whether two rows are of one group and the same in text, batch, context and k but for the named ones.

        >>> Row("a", group="g", k=1).alike(Row("a", group="g", k=3), "k"), Row("a").alike(Row("a"))
        (True, False)
        """
        same = {"text", "batch", "context", "k"} - set(differ)
        if not self.group or self.group != other.group:
            return False
        return all(getattr(self, name) == getattr(other, name) for name in same)


def read_rows(source: str | bytes | Path, most: int | None = MOST_ROWS) -> tuple[Row, ...]:
    """Rows of a CSV with the columns `TEXTS` and `NUMBERS`, of which only `source` is needed; others are passed over.

    Raises `RoundsError` for what is no table, and `SpecmodelError` for a cell that cannot be, or for more than `most`
    rows; both name the line.

    >>> read_rows("source,k,tau\\nmine,3,2.5\\n")[0].tau
    2.5
    >>> read_rows("source,k,tau\\nmine,3,5\\n")
    Traceback (most recent call last):
    specmodel.base.messages.SpecmodelError: line 2: 5.0 tokens a round cannot come from 3 drafts: expected 1 to 4
    """
    body = open_table(source, ("source",))
    lines = list(body.reader())
    if most is not None and len(lines) > most:
        raise SpecmodelError(
            Message("the table has {rows} rows; at most {most} are judged", {"rows": len(lines), "most": most})
        )
    return tuple(_row(body, place, cells) for place, cells in enumerate(lines))


def _row(body: Body, place: int, cells: list[str]) -> Row:
    given = {name: cell.strip() for name, cell in zip(body.header, cells, strict=True) if cell.strip()}
    row = Row(**_texts(body, place, given), **_numbers(body, place, given))
    try:
        _check(row)
    except SpecmodelError as error:
        line = {"line": body.record(place)[0], "error": error.message}
        raise SpecmodelError(Message("line {line}: {error}", line)) from error
    return row


def _texts(body: Body, place: int, given: Mapping[str, str]) -> dict[str, Any]:
    values = {name: given[name][:LONGEST_TEXT] for name in TEXTS if name in given and name not in LISTS}
    if "source" not in values:
        raise body.cell_error(place, "source", Message("the place where the numbers stand"))
    for name, known in {"drafter": DRAFTERS, "model": target_models(), "accelerator": accelerators()}.items():
        if values.get(name, "") not in ("", *known):
            raise body.cell_error(place, name, Message("one of {names}", {"names": Verbatim(", ".join(known))}))
    return values


def _numbers(body: Body, place: int, given: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {
        name: tuple(_number(body, place, name, part, 0, 1) for part in given[name].split())
        for name in LISTS
        if name in given
    }
    for name, (low, high, _) in NUMBERS.items():
        if name in given:
            number = _number(body, place, name, given[name], low, high)
            values[name] = int(number) if name in WHOLE else number
    return values


def _number(body: Body, place: int, name: str, text: str, low: float, high: float) -> float:
    number = as_number(text)
    if number is None or not low <= number <= high or (name in WHOLE and number % 1):
        values = {"low": Verbatim(f"{low:g}"), "high": Verbatim(f"{high:g}")}
        if name in WHOLE:
            raise body.cell_error(place, name, Message("a whole number from {low} to {high}", values))
        raise body.cell_error(place, name, Message("a number from {low} to {high}", values))
    return number


def _check(row: Row) -> None:
    """What the numbers of a row say of each other."""
    if row.per_position and row.conditional:
        raise SpecmodelError(Message("per_position and conditional say the same twice; give one of them"))
    positions = len(row.per_position or row.conditional)
    if positions and positions != row.k:
        values = {"found": positions, "k": row.k or 0}
        raise SpecmodelError(Message("there are {found} positions for k = {k}", values))
    if any(later > earlier for earlier, later in pairwise(row.per_position)):
        raise SpecmodelError(Message("per_position rises: S_i is a share of all rounds and never does"))
    if row.tau is not None and row.k is not None and row.tau > row.k + 1:
        ends: dict[str, object] = {"tau": row.tau, "k": row.k, "most": row.k + 1}
        raise SpecmodelError(Message("{tau} tokens a round cannot come from {k} drafts: expected 1 to {most}", ends))
