"""Counters as one value of a link, and back: a measurement travels in the address, the file it came from does not."""

import math
from itertools import pairwise, zip_longest

from specmodel.messages import Message, Verbatim
from specmodel.spec_stats import SpecStats, StatsError

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
    "batch": "batch_size",
    "tps": "output_tokens_per_s",
}
FLAGS = {"off": ("speculation", False), "estimated": ("estimated", True)}
LISTS = {"positions": "accepted_per_position", "reached": "drafted_per_position"}
MAX_LENGTH = 4000


def pack_stats(stats: SpecStats) -> str:
    """The counters and times of a measurement as one link value; ten digits, which is more than any engine prints.

    >>> pack_stats(SpecStats("vLLM", "log", num_speculative_tokens=3, num_rounds=100, num_accepted_draft_tokens=180))
    'engine:vLLM,k:3,rounds:100,accepted:180'
    """
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
            items.append(f"{key}:{'_'.join(f'{value:.10g}' for value in values)}")
    return ",".join(items)


def unpack_stats(text: str) -> SpecStats:
    """The counters of a link, or `StatsError` naming what cannot be used.

    >>> unpack_stats("engine:vLLM,k:3,rounds:100,accepted:180").mean_acceptance_length
    2.8
    """
    values: dict[str, object] = {}
    pairs = [item.partition(":")[::2] for item in text[: MAX_LENGTH + 1].split(",") if item]
    if len(text) > MAX_LENGTH or len(pairs) != len(dict(pairs)):
        raise StatsError(Message("the counters of the link are too long or given twice"))
    for key, value in pairs:
        if key == "engine":
            values["engine"] = value[:40]
        elif key in FLAGS:
            name, set_by_one = FLAGS[key]
            values[name] = (value == "1") == set_by_one
        elif key == "k":
            values["num_speculative_tokens"] = int(_number(key, value, whole=True))
        elif key in NUMBERS:
            values[NUMBERS[key]] = _number(key, value)
        elif key in LISTS:
            values[LISTS[key]] = tuple(_number(key, part) for part in value.split("_"))
        else:
            raise _wrong(key, value)
    stats = SpecStats(**{"engine": "", "source": "link", **values})  # type: ignore[arg-type]
    _check(stats)
    return stats


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
    """The identities that counters obey."""
    drafted, accepted, rounds = stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds
    positions, reached = stats.accepted_per_position or (), stats.drafted_per_position or ()
    wrong = [
        drafted is not None and accepted is not None and accepted > drafted,
        any(_above(b, a) for falling in (positions, reached) for a, b in pairwise(falling)),
        any(_above(falling[0], rounds) for falling in (positions, reached) if falling and rounds is not None),
        any(_above(a, d) for a, d in zip_longest(positions, reached, fillvalue=0.0) if reached),
        bool(positions) and accepted is not None and abs(sum(positions) - accepted) > 1e-6 * accepted,
        stats.printed_length is not None and stats.printed_length < 1,
    ]
    if any(wrong):
        raise StatsError(Message("the counters of the link contradict one another"))


def _above(value: float, most: float) -> bool:
    return value > most * (1 + 1e-9)
