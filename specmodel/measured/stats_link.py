"""Counters as one value of a link, and back: a measurement travels in the address, the file it came from does not."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, zip_longest
from typing import cast, get_args

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message, Verbatim
from specmodel.measured.sampling_units import UnitKind, Units
from specmodel.measured.spec_stats import MAX_POSITIONS, SpecStats, StatsError

# link key -> field
NUMBERS = {
    "rounds": "num_rounds",
    "drafted": "num_draft_tokens",
    "accepted": "num_accepted_draft_tokens",
    "tokens": "generated_tokens",
    "steps": "num_steps",
    "requests": "num_requests",
    "length": "printed_length",
    "step": "step_ms",
    "tpot": "tpot_ms",
    "itl": "itl_ms",
    "draft": "draft_ms",
    "verify": "verify_ms",
    "plain": "plain_ms",
    "temperature": "temperature",
    "batch": "batch_size",
    "tps": "output_tokens_per_s",
    "ttft": "ttft_ms",
    "request": "request_ms",
    "context": "context_tokens",
    "offered": "request_rate",
    "window": "window_s",
}
FLAGS = {"off": ("speculation", False), "estimated": ("estimated", True)}
LISTS = {"positions": "accepted_per_position", "reached": "drafted_per_position"}
TEXTS = {"engine": "engine", "name": "label"}
SEPARATOR = ";"
MAX_LENGTH = 4000
MAX_UNITS = 24
WIDTHS = {"units": 3, "pace": 2}
SLACK = 1e-5


def pack_stats(stats: SpecStats) -> str:
    """The counters and times of a measurement as one link value; ten digits, which is more than any engine prints.

    A file of several settings brings them along behind its main one. What makes it too long, or contradicts the other
    counters so that `unpack_stats` would refuse it, stays behind: the settings, then the units, then the positions.

    >>> pack_stats(SpecStats("vLLM", "log", num_speculative_tokens=3, num_rounds=100, num_accepted_draft_tokens=180))
    'engine:vLLM,k:3,rounds:100,accepted:180'
    """
    text = ""
    for each in _shorter(stats):
        text = SEPARATOR.join(_packed(part, named=len(each) > 1) for part in each)
        if _is_readable(text):
            break
    return text


def _shorter(stats: SpecStats) -> Iterator[tuple[SpecStats, ...]]:
    """What a link might hold, the most first."""
    if stats.parts_are_settings:
        yield (stats, *stats.parts)
    yield (stats,)
    stats = stats.replace(units=None, pace=None)
    yield (stats,)
    yield (stats.replace(accepted_per_position=None, drafted_per_position=None),)


def _is_readable(text: str) -> bool:
    try:
        unpack_stats(text)
    except StatsError:
        return False
    return True


def _packed(stats: SpecStats, named: bool = False) -> str:
    items = [f"engine:{stats.engine}"]
    items += [f"{key}:1" for key, (name, set_by_one) in FLAGS.items() if getattr(stats, name) == set_by_one]
    if stats.num_speculative_tokens:
        items.append(f"k:{stats.num_speculative_tokens}")
    for key, name in NUMBERS.items():
        value = getattr(stats, name)
        if value is not None:
            items.append(f"{key}:{value:.10g}")
    for key, name in LISTS.items():
        values = getattr(stats, name)
        if values:
            items.append(f"{key}:{_packed_list(values)}")
    if not named:
        items += _unit_items(stats)
    if named and stats.label:
        items.append(f"name:{re.sub(r'[,;:]+', ' ', stats.label)[:60]}")
    return ",".join(items)


def _packed_list(values: Sequence[float]) -> str:
    """Numbers with `_` between them; three or more of the same in a row as 0x61 (sixty-one times 0)."""
    runs = [(value, len(list(same))) for value, same in groupby(f"{value:.10g}" for value in values)]
    return "_".join(f"{value}x{times}" if times > 2 else "_".join([value] * times) for value, times in runs)


def _unpacked_list(key: str, text: str) -> tuple[float, ...]:
    values: list[float] = []
    for part in text.split("_"):
        value, by, times = part.partition("x")
        if not value or bool(by) != bool(times):
            raise _wrong(key, part)
        values += [_number(key, value)] * (int(_number(key, times, whole=True)) if times else 1)
        if len(values) > MAX_POSITIONS:
            raise _wrong(key, part)
    return tuple(values)


def _unit_items(stats: SpecStats) -> Iterator[str]:
    if stats.units is not None:
        yield f"units:{_packed_units(stats.units.kind, stats.units.counts)}"
    if stats.pace is not None and stats.pace.counts[:, :2].all():
        columns = 3 if stats.pace.counts[:, 2].any() else 2  # the third holds the times of plain steps beside them
        yield f"pace:{_packed_units(stats.pace.kind, stats.pace.counts[:, :columns])}"


def unpack_stats(text: str) -> SpecStats:
    """The counters of a link, or `StatsError` naming what cannot be used.

    >>> unpack_stats("engine:vLLM,k:3,rounds:100,accepted:180").mean_acceptance_length
    2.8
    """
    if len(text) > MAX_LENGTH:
        raise StatsError(Message("the counters of the link are too long or given twice"))
    main, *parts = (_unpacked(each) for each in text.split(SEPARATOR))
    return main.replace(parts=tuple(parts), parts_are_settings=True) if parts else main


def _unpacked(text: str) -> SpecStats:
    values: dict[str, object] = {}
    pairs = [item.partition(":")[::2] for item in text.split(",") if item]
    if len(pairs) != len(dict(pairs)):
        raise StatsError(Message("the counters of the link are too long or given twice"))
    for key, value in pairs:
        name, read = _field(key, value)
        values[name] = read
    stats = SpecStats(**{"engine": "", "source": "link", **values})  # type: ignore[arg-type]
    _check(stats)
    return stats


def _field(key: str, value: str) -> tuple[str, object]:
    """The field that a key of the link stands for, and its value."""
    if key in TEXTS:
        return TEXTS[key], value[:60]
    if key in FLAGS:
        name, set_by_one = FLAGS[key]
        return name, (value == "1") == set_by_one
    if key == "k":
        return "num_speculative_tokens", int(_number(key, value, whole=True))
    if key in NUMBERS:
        return NUMBERS[key], _number(key, value)
    if key in LISTS:
        return LISTS[key], _unpacked_list(key, value)
    if key in WIDTHS:
        return key, _unpacked_units(key, value)
    raise _wrong(key, value)


def _packed_units(kind: str, counts: Floats) -> str:
    """The units that intervals are made from, neighbours added up until there are few."""
    size = -(-len(counts) // MAX_UNITS)
    joined = np.add.reduceat(counts, np.arange(0, len(counts), size), axis=0)
    return "_".join([kind, *("~".join(f"{value:.10g}" for value in row) for row in joined)])


def _unpacked_units(key: str, text: str) -> Units:
    kind, *rows = text.split("_")
    numbers = [tuple(_number(key, part) for part in row.split("~")) for row in rows]
    widths = {len(row) for row in numbers}
    if kind not in get_args(UnitKind) or len(widths) != 1 or min(widths) < WIDTHS[key] or len(rows) > MAX_UNITS:
        raise _wrong(key, text)
    if key == "pace" and any(row[0] <= 0 or row[1] <= 0 for row in numbers):
        raise _wrong(key, text)
    return Units.of(cast(UnitKind, kind), [(row[0], row[1], sum(row[2:3]), row[3:] or None) for row in numbers])


def _number(key: str, text: str, whole: bool = False) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise _wrong(key, text) from error
    if (
        not math.isfinite(value)
        or not 0 <= value <= 1e15
        or (whole and not (value == int(value) and 1 <= value <= 1024))
    ):
        raise _wrong(key, text)
    return value


def _wrong(key: str, text: str) -> StatsError:
    return StatsError(
        Message(
            "the link's counter {key} = {value} cannot be used",
            {"key": Verbatim(key[:20]), "value": Verbatim(text[:40])},
        )
    )


def _check(stats: SpecStats) -> None:
    """The identities that counters obey, as far as the six digits go that engines print."""
    drafted, accepted, rounds = stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds
    positions, reached = stats.accepted_per_position or (), stats.drafted_per_position or ()
    contradicting = {
        ("accepted", "drafted"): drafted is not None and accepted is not None and _above(accepted, drafted),
        ("positions",): any(_above(b, a) for a, b in pairwise(positions)),
        ("reached",): any(_above(b, a) for a, b in pairwise(reached)),
        ("positions", "rounds"): rounds is not None and bool(positions) and _above(positions[0], rounds),
        ("reached", "rounds"): rounds is not None and bool(reached) and _above(reached[0], rounds),
        ("positions", "reached"): bool(reached)
        and any(_above(a, d) for a, d in zip_longest(positions, reached, fillvalue=0.0)),
        ("positions", "accepted"): bool(positions) and accepted is not None and _differ(sum(positions), accepted),
        ("length",): stats.printed_length is not None and stats.printed_length < 1,
        ("units", "rounds"): stats.units is not None and _differ(float(stats.units.counts[:, 0].sum()), rounds or 0),
    }
    for keys, wrong in contradicting.items():
        if wrong:
            text = "the counters of the link contradict one another: {counters}"
            named = ", ".join(item[:60] for item in _packed(stats).split(",") if item.partition(":")[0] in keys)
            raise StatsError(Message(text, {"counters": Verbatim(named)}))


def _above(value: float, most: float) -> bool:
    return value > most * (1 + SLACK)


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > SLACK * max(other, 1)
