"""What the lines of oMLX share: fields by name, pairs of counts, the counters of a request, and their checks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specmodel.logs._checks import count, number
from specmodel.logs._format import LogError
from specmodel.logs._printed import agree
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "oMLX"
SOURCE = "log lines"
_FIELD = re.compile(r"(?<![\w/])([a-z][\w/]{0,30})=([^\s,\[\]]{1,60})")
_PAIR = re.compile(r"(\d{1,15})/(\d{1,15})")
_PERCENT = re.compile(r"\((?:drafts [\d/]+, )?([\d.]{1,20})%\)")


@dataclass(frozen=True)
class Finished:
    """A request that ended: how it drafted, its output tokens, its counters, and whether it never drafted."""

    setting: str
    tokens: int
    stats: SpecStats
    plain: bool = False


def fields_of(found: str) -> dict[str, str]:
    """What a line names, whatever stands between.

    >>> fields_of("MTP[1] tokens=6 cycles=3 emits[init=2]")
    {'tokens': '6', 'cycles': '3', 'init': '2'}
    """
    return dict(_FIELD.findall(found))


def pair_of(fields: Mapping[str, str], name: str, line: int) -> tuple[int, int] | None:
    """Two counts, as in `accept=188/261`; None where the field is missing or holds something else.

    >>> pair_of({"accept": "188/261"}, "accept", 1)
    (188, 261)
    """
    match = _PAIR.fullmatch(fields.get(name, ""))
    return match and (count(match[1], line, name), count(match[2], line, name))


def check_emitted(fields: Mapping[str, str], names: Sequence[str], tokens: int, line: int) -> None:
    """`LogError` where the tokens by where they came from (`emits[…]`) are not the output tokens.

    >>> check_emitted({"init": "1", "draft": "5"}, ("init", "draft"), 6, 1)
    """
    if all(name in fields for name in names):
        emitted = sum(count(fields[name], line, name) for name in names)
        if emitted != tokens:
            raise LogError(
                "line {line}: {name} adds up to {sum:,}, but {total:,} are given",
                line=line, name="emits", sum=emitted, total=tokens,
            )  # fmt: skip


def counters_of(
    rounds: int, drafted: int, accepted: int, depths: tuple[tuple[int, ...], tuple[int, ...]] | None
) -> dict[str, Any]:
    """The counters of a request that drafted, with accepted and drafted by position where they are known.

    >>> counters_of(4, 8, 5, None)["num_rounds"], counters_of(4, 0, 0, None)
    (4, {})
    """
    if not drafted:
        return {}
    kept, tried = depths or (None, None)
    whole = tried is not None and drafted == len(tried) * rounds
    return {
        "num_speculative_tokens": len(tried) if whole and tried else None,
        "num_rounds": rounds,
        "num_draft_tokens": drafted,
        "num_accepted_draft_tokens": accepted,
        "accepted_per_position": kept,
        "drafted_per_position": None if whole else tried,
        "units": Units.of("requests", [(rounds, drafted, accepted, kept)]),
    }


def rate_of(found: str, accepted: int, drafted: int, line: int) -> tuple[Printed, ...]:
    """The printed percentage; `LogError` where the counts give another one.

    >>> rate_of("accept=5/8 (62.5%)", 5, 8, 1)[0].value
    0.625
    """
    match = _PERCENT.search(found)
    if match is None or not drafted:
        return ()
    rate = number(match[1], line, "accept") / 100
    agree(rate, accepted / drafted, 0.0005, line, "accept")
    return (Printed("accept", rate, "accepted_per_drafted"),)
