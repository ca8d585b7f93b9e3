"""What each of several files was taken for, so that nothing that was given is dropped in silence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import Message, Verbatim
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats


@dataclass(frozen=True)
class Taken:
    """A file by its name, and what it was taken for."""

    name: str
    as_what: Message


def taken_for(
    given: Sequence[SpecStats],
    main: Sequence[SpecStats],
    baselines: Sequence[SpecStats],
    own: Mapping[int, SpecStats | None],
    has_its_plain_run: bool,
) -> tuple[Taken, ...]:
    """Each file in the order in which it was given: `main` are those that the verdict is about, `baselines` those that
    are used, and `own` has the baseline of each group by the id of the group.

    >>> fast, plain = SpecStats("a", "b", label="x"), SpecStats("a", "b", label="y", speculation=False)
    >>> [str(each.as_what) for each in taken_for([fast, plain, plain], [fast], [plain], {}, False)]
    ['with speculation: the verdict is about it', 'the baseline', 'the same counters as a file before it: left out']
    """
    found, seen = [], set()
    for each in given:
        counters = pack_stats(each)
        if counters in seen:
            as_what = Message("the same counters as a file before it: left out")
        elif each.speculation:
            as_what = _speculating(each, main, has_its_plain_run)
        else:
            as_what = _plain(each, main, baselines, own)
        seen.add(counters)
        found.append(Taken(each.label, as_what))
    return tuple(found)


def _speculating(stats: SpecStats, main: Sequence[SpecStats], has_its_plain_run: bool) -> Message:
    if not any(stats is each for each in main):
        return Message("with speculation: not used, since a file of several settings stands alone")
    if has_its_plain_run:
        return Message("with and without speculation: the verdict is about it")
    if len({each.engine for each in main}) > 1:
        if stats is main[0]:
            return Message("with speculation: the verdict is about it")
        return Message("with speculation, of another engine: a group of its own")
    if len(main) > 1:
        return Message("with speculation: a group of its own, and added up with the others for the verdict")
    return Message("with speculation: the verdict is about it")


def _plain(
    stats: SpecStats, main: Sequence[SpecStats], baselines: Sequence[SpecStats], own: Mapping[int, SpecStats | None]
) -> Message:
    if not any(stats is each for each in baselines):
        return Message("without speculation: not used")
    groups = [each for each in main if own.get(id(each)) is stats]
    if len(baselines) > 1 and len(groups) == 1:
        return Message("the baseline of {name}", {"name": Verbatim(groups[0].label or "–")})
    if len(baselines) > 1:
        return Message("without speculation: a baseline, added up with the others")
    return Message("the baseline")
