"""What a visitor gave, put together: the run to judge, its groups, its settings, and the baseline beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from specmodel.base.messages import N_, Message, Verbatim
from specmodel.engine.baselines import baseline_of, joined_baselines, like_mix, own_plain_run
from specmodel.engine.case import EngineCase
from specmodel.engine.checked_numbers import check_numbers
from specmodel.engine.mix import token_shares
from specmodel.engine.repeats import by_setting, own_part, same_batch, same_setting, together
from specmodel.engine.taken import Taken, taken_for
from specmodel.measured.spec_stats import SpecStats, StatsError, total
from specmodel.measured.stats_link import pack_stats, unpack_stats

SEVERAL_KINDS = N_("several kinds of files")


@dataclass(frozen=True)
class EngineRun:
    """`stats` is what the verdict is about, `groups` are its parts with their own baselines.

    `shares` are the groups' shares of the output tokens as measured, None where unknown. A file of several settings has
    them in `stats.parts`. `taken` says of each file what it was taken for.
    """

    stats: SpecStats
    baseline: SpecStats | None = None
    groups: tuple[SpecStats, ...] = ()
    group_baselines: tuple[SpecStats | None, ...] = ()
    shares: tuple[float, ...] | None = None
    notes: tuple[Message, ...] = ()
    taken: tuple[Taken, ...] = ()

    def __post_init__(self) -> None:
        for stats in filter(None, (self.stats, self.baseline, *self.stats.parts, *self.groups, *self.group_baselines)):
            check_numbers(stats)

    def case(
        self,
        k: int | None = None,
        plain_ms: float | None = None,
        round_ms: float | None = None,
        loaded_off_ms: float | None = None,
    ) -> EngineCase:
        """The run with what was typed beside it."""
        return EngineCase(self.stats, self.baseline, k, plain_ms, round_ms, loaded_off_ms)

    def group_cases(self, k: int | None = None, plain_ms: float | None = None) -> tuple[EngineCase, ...]:
        """Each group with its baseline; a plain step that was typed holds for all."""
        return tuple(
            EngineCase(group, baseline, k, plain_ms)
            for group, baseline in zip(self.groups, self.group_baselines, strict=True)
        )

    def compared_with(self, baseline: SpecStats) -> "EngineRun":
        """The run and each of its groups beside another baseline: a group beside its own in it, where it has one."""
        own = tuple(baseline_of(each, [baseline]) for each in self.groups)
        return replace(self, baseline=baseline, group_baselines=own)


def assemble(files: Sequence[SpecStats]) -> EngineRun:
    """Files of one engine as one run: those without speculation are baselines, the others groups that are added up.

    Files of several engines stay groups, and the verdict is about the first; one of several settings stands alone. A
    baseline belongs to the group with the same name (words like baseline and endings like .log left out), or to all
    where there is only one; without such a name a group is compared with all baselines together. What a file names as
    a group of its own is compared with the same group of a baseline. Raises `StatsError` where no file speculates.

    >>> fast = SpecStats("a", "b", label="x.log", num_rounds=10, num_accepted_draft_tokens=5)
    >>> run = assemble([fast, SpecStats("a", "b", label="x.baseline.log", speculation=False)])
    >>> run.stats.label, run.baseline.label, [str(each.as_what) for each in run.taken]
    ('x.log', 'x.baseline.log', ['with speculation: the verdict is about it', 'the baseline'])
    """
    given = tuple(files)
    once = {pack_stats(each): each for each in reversed(given)}.values()
    files = tuple(reversed(tuple(once)))
    speculating = [each for each in files if each.speculation]
    plain = [each for each in files if not each.speculation]
    if not speculating:
        raise StatsError(Message("no file tells of speculation: these are baselines, or its counters are switched off"))
    swept = next((each for each in speculating if each.parts_are_settings), None)
    main = [swept] if swept is not None else speculating
    baselines = [each for each in plain if each.engine == main[0].engine] or plain
    groups = tuple(part for each in main for part in _groups(each))
    own = tuple(own_plain_run(each) or baseline_of(each, baselines) for each in groups)
    shares = token_shares(groups)
    stats, notes = _main(main)
    beside = own_plain_run(swept) if swept else None
    baseline = beside or like_mix(joined_baselines(baselines), own, shares)
    used = [] if beside is not None else baselines
    if left_out := [each for each in files if not any(each is one for one in (*main, *used))]:
        notes = (*notes, _left_out(left_out, swept))
    if len(files) < len(given):
        notes = (*notes, Message("A file with the same counters was given twice; it was counted once."))
    taken = taken_for(given, main, used, dict(zip(map(id, groups), own, strict=True)), beside is not None)
    return EngineRun(stats, baseline, groups, own, shares, notes, taken)


def _repeated(stats: SpecStats) -> SpecStats:
    """The main setting of a sweep, all of its runs together."""
    named = own_part(stats) or stats
    runs = [part for part in stats.parts if same_setting(part, named)] if stats.parts_are_settings else []
    if len(runs) < 2:
        return stats
    return together(runs).replace(label=stats.label, parts=stats.parts, parts_are_settings=True, groups=stats.groups)


def _left_out(files: Sequence[SpecStats], swept: SpecStats | None) -> Message:
    names = Verbatim(", ".join(each.label or "–" for each in files))
    if swept is not None:
        text = "{name} holds several settings and stands alone, with the plain run that it has; not used: {names}."
        return Message(text, {"name": Verbatim(swept.label or "–"), "names": names})
    return Message("Not used, since the baseline has to be of the same engine: {names}.", {"names": names})


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
        and part.num_speculative_tokens == stats.num_speculative_tokens
        and same_batch(part.batch_size, stats.batch_size)
    ]
    several = len(by_setting(alike)) > 1  # else they are repeats of one setting
    rows = [row for part in alike for row in _kinds(part, several)]
    return tuple(rows) if len(rows) > 1 else ()


def _kinds(part: SpecStats, several: bool) -> tuple[SpecStats, ...]:
    """The kinds of text of a setting, else the setting; their names tell the temperature if `several` have one."""
    if not part.parts:
        return (part,) if several else ()
    suffix = f", T = {part.temperature:g}" if several and part.temperature is not None else ""
    return tuple(kind.replace(label=f"{kind.label}{suffix}") for kind in part.parts if kind.speculation)


def _main(speculating: Sequence[SpecStats]) -> tuple[SpecStats, tuple[Message, ...]]:
    """What the verdict is about. What one file printed is not said of all of them together."""
    if len({each.engine for each in speculating}) > 1:
        return speculating[0], (Message("The files are of several engines: the verdict is about the first of them."),)
    if len(speculating) == 1:
        return _repeated(speculating[0]), ()
    stats = total(speculating)
    if len({each.source for each in speculating}) > 1:
        text = "The files are of several kinds and were added up: if they are of the same run, it is counted twice."
        return stats.replace(source=SEVERAL_KINDS), (Message(text),)
    return stats, ()


def linked_baseline(run: EngineRun) -> str:
    """The counters of the baseline for a link; empty where the settings of the run bring their plain run along.

    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=9.0)
    >>> linked_baseline(EngineRun(SpecStats("a", "b", tpot_ms=5.0), plain))
    'engine:a,off:1,tpot:9'
    """
    if run.baseline is None:
        return ""
    kept = unpack_stats(pack_stats(run.stats))
    return "" if own_plain_run(kept) is not None else pack_stats(run.baseline)
