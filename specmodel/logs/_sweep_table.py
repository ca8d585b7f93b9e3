"""A table of measured settings that somebody wrote or a script printed: Markdown, CSV, TSV, or drawn on a console.

Its columns are known by name (`_columns`), where a name leaves it open by their values (`_table_acceptance`), or as a
visitor says. Each row becomes a setting with its own draft length, conditions, times and acceptance. What is not known
is not used, and the notes say so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from specmodel.base.messages import Message
from specmodel.logs._cells import is_empty, number_of
from specmodel.logs._checks import plausible
from specmodel.logs._columns import SPEEDS
from specmodel.logs._format import LogError, note
from specmodel.logs._grid import MOST_ROWS, Grid, grids
from specmodel.logs._stream import HEAD
from specmodel.logs._table_columns import Column, Columns, understood
from specmodel.logs._table_rows import Rows, Told
from specmodel.measured.assumed_spread import ANSWER_TOKENS, UNKNOWN_REQUESTS
from specmodel.measured.definitions import DEFINITIONS
from specmodel.measured.spec_stats import SpecStats

MOST_BYTES = HEAD
CHEAPEST = 0.9
"""A round of fewer plain steps than this is no noise between two runs: its acceptance was read wrongly."""
LLAMA_CPP = "llama.cpp"
_ENGINES = {
    "vLLM": r"\bvllm\b|num_speculative_tokens",
    "SGLang": r"\bsglang\b|speculative[-_]num[-_](?:steps|draft)|eagle[-_]topk",
    LLAMA_CPP: r"\b(?:ik_)?llama(?:\.cpp|-server|-bench|-cli)\b|--?(?:spec-)?draft-(?:n-)?(?:max|min|p-min)\b|"
    r"\bdraft[-_](?:max|p[-_]min)\b",
    "TensorRT-LLM": r"tensorrt|trt-?llm|max_draft_len",
}  # fmt: skip
_PROMPT = re.compile(r"(?:ctx_)?pp ?\d+")
"""A row about reading a prompt, in the words of llama-bench and llama-benchy, whose tables have their own readers."""
_SGLANG = re.compile(r"sglang|sgl\b", re.IGNORECASE)


@dataclass(frozen=True)
class TableRead:
    """A table as it was understood: its columns, and what it holds or why it cannot be used."""

    columns: tuple[Column, ...]
    stats: SpecStats | None
    error: Message | None = None


def read_table(text: str, roles: Sequence[str] = ()) -> TableRead | None:
    """The table of settings that a text holds; None where it holds none. `roles` are what the visitor calls its
    columns, in their order: keys of `ROLES`, "" for as understood.

    >>> found = read_table("k|tok/s|accept len\\n0|50|-\\n3|100|2.5\\n5|90|2.9")
    >>> [each.role for each in found.columns], len(found.stats.parts), found.stats.num_speculative_tokens
    (['k', 'tokens_per_s', 'length_with_bonus'], 3, 3)
    >>> read_table("nothing of that kind") is None
    True
    """
    found = _tables(text, roles)
    if not found:
        return None
    columns = found[0].columns
    try:
        return TableRead(columns, _stats(found, _engine(text)))
    except LogError as error:
        return TableRead(columns, None, error.message)


def read_sweep(head: bytes) -> SpecStats | None:
    """The settings of a file whose first part this is; None where it is no table, or larger than a table may be.

    Raises `LogError` for a table that cannot be used.

    >>> read_sweep(b"k,tok/s\\n0,50\\n3,100\\n").tpot_ms
    10.0
    """
    if len(head) >= HEAD:
        return None
    text = head.decode("utf-8", "replace")
    found = _tables(text, ())
    return _stats(found, _engine(text)) if found else None


def _tables(text: str, roles: Sequence[str]) -> list[Columns]:
    """The tables of a text that tell of speed or acceptance."""
    if len(text) > MOST_BYTES:
        return []
    tells = _SGLANG.search(text) is not None
    found = [best for ways in grids(text) if (best := _best(ways, roles, tells)) is not None]
    return [_narrowed(each) for each in found]


def _engine(text: str) -> str:
    named = [name for name, words in _ENGINES.items() if re.search(words, text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else ""


def _best(ways: Sequence[Grid], roles: Sequence[str], tells: bool) -> Columns | None:
    """The way of reading a block in which most is known; None where no speed and no acceptance is."""
    turned = [other for each in ways if (other := each.transposed()) is not None and other.rows]
    grids_ = [each for each in (*ways, *turned) if each.rows and not any(map(_is_data, each.header))]
    if any(_PROMPT.match(cell.strip()) for each in grids_ for _line, cells in each.rows for cell in cells):
        return None
    found = [understood(each, roles, tells) for each in grids_]
    found = [each for each in found if each.tells and 2 * each.known >= len(each.columns) and _is_numeric(each)]
    return max(found, key=lambda each: (min(each.tells, 1), each.known / len(each.columns), each.known), default=None)


def _narrowed(columns: Columns) -> Columns:
    """Without the readings of a column that another part of the table rules out: what a row then says must be possible,
    and a round cannot cost less than a plain step, since a pass over several tokens is no faster than over one."""
    for place, each in enumerate(columns.columns):
        if len(each.readings) < 2 or each.role:
            continue
        left = tuple(reading for reading in each.readings if _is_possible(columns.with_role(place, reading)))
        if len(left) == 1:
            columns = columns.with_role(place, left[0])
    return columns


def _is_possible(columns: Columns) -> bool:
    try:
        parts = list(Rows(columns, "").parts())
    except LogError:
        return False
    plain = {_conditions(each): each.tpot_ms for each in parts if not each.speculation and each.tpot_ms}
    for each in parts:
        beside, spent = each.plain_ms or plain.get(_conditions(each)), each.tpot_ms
        if spent is None and each.step_ms and each.mean_acceptance_length:
            spent = each.step_ms / each.mean_acceptance_length
        length = each.mean_acceptance_length if each.speculation else None
        if beside and spent and length and length * spent < CHEAPEST * beside:
            return False
    return True


def _conditions(stats: SpecStats) -> tuple[float | None, ...]:
    return stats.batch_size, stats.context_tokens, stats.request_rate, stats.temperature


def _is_data(header: str) -> bool:
    """Whether what should be a name of a column is a number or a piece of a log line."""
    return number_of(header) is not None or header in ("=", ":", "-") or header.endswith(("=", ":"))


def _is_numeric(columns: Columns) -> bool:
    """Whether the columns of speeds and acceptances hold numbers: some row at least; where only spaces divide the
    cells, which any prose has, every cell and every column is known."""
    told = [
        at
        for at, each in enumerate(columns.columns)
        if each.role in (*SPEEDS, *DEFINITIONS, "speedup") or each.readings
    ]
    if not any(number is not None for at in told for number in columns.numbers(at)):
        return False
    cells = [row[at] for at in told for _, row in columns.grid.rows]
    whole = all(number_of(cell) is not None or is_empty(cell) for cell in cells)
    return not columns.grid.by_spaces or (whole and columns.known == len(columns.columns))


def _stats(found: Sequence[Columns], engine: str) -> SpecStats:
    if len(found) > 1:
        lines = [each.grid.line for each in found[:2]]
        raise LogError("two tables (lines {first} and {second}): give one", first=lines[0], second=lines[1])
    columns = found[0]
    if len(columns.grid.rows) > MOST_ROWS:
        raise LogError("a table of more than {limit} rows is no sweep", limit=MOST_ROWS)
    rows = Rows(columns, engine)
    parts = list(rows.parts())
    if columns.grid.odd is not None:
        line, cells = columns.grid.odd
        raise LogError(
            "line {line}: number of columns is {found}, expected {expected} as in the header",
            line=line, found=cells, expected=len(columns.columns),
        )  # fmt: skip
    if not any(each.tpot_ms or each.step_ms or each.mean_acceptance_length or each.num_draft_tokens for each in parts):
        raise LogError(
            "line {line}: a table whose rows hold neither a speed nor an acceptance that is known",
            line=columns.grid.line,
        )
    kinds = list(dict.fromkeys(rows.told.kinds))
    of_kind = [[part for part, own in zip(parts, rows.told.kinds, strict=True) if own == kind] for kind in kinds]
    notes = tuple(_notes(columns, rows.told, kinds, engine))
    groups = [_of_one_kind(each) for each in of_kind]
    main = next((each for each in groups if each.speculation), groups[0])
    if len(groups) > 1:
        named = [each.replace(label=f"{kind or '–'}") for each, kind in zip(groups, kinds, strict=True)]
        speculating = tuple(each for each in named if each.speculation)
        main = main.replace(groups=speculating if len(speculating) > 1 else ())
    return plausible(main.replace(notes=notes, label=""))


def _of_one_kind(parts: Sequence[SpecStats]) -> SpecStats:
    """The settings of one kind of work; the fastest that speculates stands for them."""
    speculating = [each for each in parts if each.speculation]
    if not speculating:
        return parts[0] if len(parts) == 1 else parts[0].replace(parts=tuple(parts), parts_are_settings=True)
    plain = [each.batch_size for each in parts if not each.speculation]
    beside = [each for each in speculating if not plain or each.batch_size in plain] or speculating
    smallest = min((each.batch_size or 0.0 for each in beside), default=0.0)
    rows = [each for each in beside if (each.batch_size or 0.0) == smallest]
    with_k = [each for each in rows if each.num_speculative_tokens] or rows
    alike: dict[tuple[object, ...], list[float]] = {}
    for each in with_k:
        alike.setdefault((each.label, *_conditions(each)), []).append(each.tpot_ms or each.step_ms or float("inf"))
    main = min(with_k, key=lambda each: fmean(alike[each.label, *_conditions(each)]))
    return main.replace(parts=tuple(parts), parts_are_settings=True)


def _notes(columns: Columns, told: Told, kinds: Sequence[str], engine: str) -> list[Message]:
    """What was understood, what was not used and why, and what was assumed."""
    open_ = [each for each in columns.columns if not each.is_sure]
    unsure = "“{name}” fits several definitions, so it was not used: say which it is"
    unknown = "the column “{name}” is not known here and was not used"
    found = [note(unsure if each.readings else unknown, name=each.header or "–") for each in open_]
    if told.cut_short:
        text = "p-min ends drafts early, so a share of the drafts does not tell tokens per round: it was not used there"
        found.append(note(text))
    if told.full_drafts and not told.cut_short and engine == LLAMA_CPP:
        text = (
            "every round is taken to draft k: where --spec-draft-p-min was above 0, its drafts and lengths were shorter"
        )
        found.append(note(text))
    if told.assumed_rounds:
        text = "the table counts no rounds: {n} answers of {tokens} tokens are assumed behind each row"
        found.append(note(text, n=UNKNOWN_REQUESTS, tokens=ANSWER_TOKENS))
    if told.spreads:
        found.append(note("what stands behind ± was not used: rows of repeated runs are"))
    if told.without_k and any(each.role == "k" for each in columns.columns):
        lines = ", ".join(map(str, told.without_k[:8]))
        found.append(note("no draft length is known of the rows on these lines: {lines}", lines=lines))
    if len(kinds) > 1:
        text = "several kinds of work, models or machines are not compared: the verdict is about {name}"
        found.append(note(text, name=kinds[0] or "–"))
    return found
