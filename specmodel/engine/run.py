"""What a visitor gave, put together: the run to judge, its groups, its settings, and the baseline beside it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from specmodel.base.messages import Message
from specmodel.engine.case import EngineCase, check_times
from specmodel.engine.mix import token_shares
from specmodel.measured.spec_stats import SpecStats, StatsError, total
from specmodel.measured.stats_link import pack_stats

_BASELINE_WORDS = re.compile(r"baseline|no[-_ ]?spec\w*|without|plain|off", re.IGNORECASE)
_NAME_END = re.compile(r"\.(gz|log|txt|jsonl?|prom|csv|metrics)\b", re.IGNORECASE)


@dataclass(frozen=True)
class EngineRun:
    """`stats` is what the verdict is about, `groups` are its parts with their own baselines.

    `shares` are the groups' shares of the output tokens as measured, None where unknown. A file of several settings has
    them in `stats.parts`.
    """

    stats: SpecStats
    baseline: SpecStats | None = None
    groups: tuple[SpecStats, ...] = ()
    group_baselines: tuple[SpecStats | None, ...] = ()
    shares: tuple[float, ...] | None = None
    notes: tuple[Message, ...] = ()

    def __post_init__(self) -> None:
        for stats in filter(None, (self.stats, self.baseline, *self.stats.parts, *self.groups, *self.group_baselines)):
            check_times(stats)

    def case(self, k: int | None = None, plain_ms: float | None = None, round_ms: float | None = None) -> EngineCase:
        """The run with what was typed beside it."""
        return EngineCase(self.stats, self.baseline, k, plain_ms, round_ms)

    def group_cases(self, k: int | None = None, plain_ms: float | None = None) -> tuple[EngineCase, ...]:
        """Each group with its baseline; a plain step that was typed holds for all."""
        return tuple(
            EngineCase(group, baseline, k, plain_ms)
            for group, baseline in zip(self.groups, self.group_baselines, strict=True)
        )

    def compared_with(self, baseline: SpecStats) -> "EngineRun":
        """The run and each of its groups beside another baseline."""
        return replace(self, baseline=baseline, group_baselines=(baseline,) * len(self.groups))


def assemble(files: Sequence[SpecStats]) -> EngineRun:
    """Files of one engine as one run: those without speculation are baselines, the others groups that are added up.

    Files of several engines stay groups, and the verdict is about the first; one of several settings stands alone. A
    baseline belongs to the group with the same name (words like baseline and endings like .log left out), or to all
    where there is only one; without such a name a group is compared with all baselines together. Raises `StatsError`
    where no file speculates.

    >>> fast = SpecStats("a", "b", label="x.log", num_rounds=10, num_accepted_draft_tokens=5)
    >>> run = assemble([fast, SpecStats("a", "b", label="x.baseline.log", speculation=False)])
    >>> run.stats.label, run.baseline.label
    ('x.log', 'x.baseline.log')
    """
    once = {pack_stats(each): each for each in reversed(files)}.values()
    twice = len(once) < len(files)
    files = tuple(reversed(tuple(once)))
    speculating = [each for each in files if each.speculation]
    baselines = [each for each in files if not each.speculation]
    if not speculating:
        raise StatsError(Message("no file tells of speculation: these are baselines, or its counters are switched off"))
    swept = next((each for each in speculating if each.parts_are_settings), None)
    if swept is not None:
        speculating = [swept]
    groups = tuple(part for each in speculating for part in _groups(each))
    own = tuple(_own_plain_run(each) or _baseline_of(each, baselines) for each in groups)
    stats, notes = _main(speculating)
    plain = (_own_plain_run(swept) if swept else None) or _joined(baselines)
    if twice:
        notes = (*notes, Message("A file with the same counters was given twice; it was counted once."))
    return EngineRun(stats, plain, groups, own, token_shares(groups), notes)


def _groups(stats: SpecStats) -> tuple[SpecStats, ...]:
    """The groups of one file: kinds of requests that may differ in whether speculation pays.

    Most files name them themselves, or are one group. A file of several settings is no list of groups: k = 2 and k = 4
    did the same work twice. But its settings with the draft length and the batch of the main one differ only in
    something else (the temperature), so these are groups; and where a setting knows the kinds of text in it, each kind
    is one. None of this is shown for a single row.
    """
    if stats.groups:
        return tuple(each for each in stats.groups if each.speculation)
    if not stats.parts_are_settings:
        return tuple(part for part in stats.parts if part.speculation and part.label) or (stats,)
    alike = [
        part
        for part in stats.parts
        if part.speculation
        and (part.num_speculative_tokens, part.batch_size) == (stats.num_speculative_tokens, stats.batch_size)
    ]
    rows = [row for part in alike for row in _kinds(part, several=len(alike) > 1)]
    return tuple(rows) if len(rows) > 1 else ()


def _kinds(part: SpecStats, several: bool) -> tuple[SpecStats, ...]:
    """The kinds of text of a setting, else the setting; their names tell the temperature if `several` have one."""
    if not part.parts:
        return (part,) if several else ()
    suffix = f", T = {part.temperature:g}" if several and part.temperature is not None else ""
    return tuple(kind.replace(label=f"{kind.label}{suffix}") for kind in part.parts if kind.speculation)


def _main(speculating: Sequence[SpecStats]) -> tuple[SpecStats, tuple[Message, ...]]:
    if len({each.engine for each in speculating}) > 1:
        return speculating[0], (Message("The files are of several engines: the verdict is about the first of them."),)
    stats = total(speculating).replace(parts=speculating[0].parts if len(speculating) == 1 else ())
    if len({each.source for each in speculating}) > 1:
        text = "The files are of several kinds and were added up: if they are of the same run, it is counted twice."
        return stats, (Message(text),)
    return stats, ()


def _joined(baselines: Sequence[SpecStats]) -> SpecStats | None:
    return total(baselines) if baselines else None


def _own_plain_run(stats: SpecStats) -> SpecStats | None:
    """The plain run of the same batch; one of another batch says nothing about this one."""
    plain = [part for part in stats.parts if not part.speculation]
    return next((part for part in plain if part.batch_size in (stats.batch_size, None)), None)


def _baseline_of(group: SpecStats, baselines: Sequence[SpecStats]) -> SpecStats | None:
    if len(baselines) == 1:
        return baselines[0]
    return next((each for each in baselines if _plain_name(each.label) == _plain_name(group.label)), _joined(baselines))


def _plain_name(label: str) -> str:
    name = _BASELINE_WORDS.sub("", label)
    while _NAME_END.search(name):
        name = _NAME_END.sub("", name)
    return re.sub(r"[\W_]+", " ", name).strip().lower()
