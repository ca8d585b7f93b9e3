"""Which plain run belongs to which run with speculation: by name, by group, and mixed as the groups were mixed."""

import re
from collections.abc import Iterator, Sequence

from specmodel.engine.mix import token_shares
from specmodel.engine.repeats import same_batch, same_conditions, same_setting, together
from specmodel.measured.spec_stats import SpecStats, total

_BASELINE_WORDS = re.compile(r"baseline|no[-_ ]?spec\w*|without|plain|off", re.IGNORECASE)
_NAME_END = re.compile(r"\.(gz|log|txt|jsonl?|prom|csv|metrics)\b", re.IGNORECASE)


def own_plain_run(stats: SpecStats) -> SpecStats | None:
    """The plain run of the same batch in the same file, its repeats together; None where it has none.

    One of another batch says nothing about this one.

    >>> plain = SpecStats("a", "b", speculation=False, batch_size=11.0, tpot_ms=9.0)
    >>> own_plain_run(SpecStats("a", "b", batch_size=10.999999999999996, parts=(plain,))).tpot_ms
    9.0
    """
    plain = [part for part in stats.parts if not part.speculation]
    alike = [each for each in plain if each.batch_size is None or same_batch(each.batch_size, stats.batch_size)]
    if not alike:
        return None
    same = [each for each in alike if same_setting(each, alike[0])]
    closer = [each for each in alike if same_conditions(each, stats)]
    return together(closer or same)


def joined_baselines(baselines: Sequence[SpecStats]) -> SpecStats | None:
    """All of them together; None where there are none.

    >>> joined_baselines([]) is None
    True
    """
    return total(baselines) if baselines else None


def baseline_of(group: SpecStats, baselines: Sequence[SpecStats]) -> SpecStats | None:
    """The baseline of a group: the group of that name in a baseline, else the baseline of that name, else all together.

    >>> chat = SpecStats("a", "b", label="chat", speculation=False, tpot_ms=9.0)
    >>> code = chat.replace(label="code", tpot_ms=7.0)
    >>> baseline_of(SpecStats("a", "b", label="code"), [SpecStats("a", "b", groups=(chat, code))]).tpot_ms
    7.0
    """
    name = plain_name(group.label)
    inside = [part for each in baselines for part in _parts(each) if name and plain_name(part.label) == name]
    if inside:
        return joined_baselines(inside)
    if len(baselines) == 1:
        return baselines[0]
    return next((each for each in baselines if plain_name(each.label) == name), joined_baselines(baselines))


def _parts(baseline: SpecStats) -> Iterator[SpecStats]:
    yield from (part for part in baseline.groups if not part.speculation)
    if not baseline.parts_are_settings:
        yield from (part for part in baseline.parts if not part.speculation)


def plain_name(label: str) -> str:
    """A name without what says baseline and without the endings of files.

    >>> plain_name("code.baseline.log.gz"), plain_name("code.log")
    ('code', 'code')
    """
    name = _BASELINE_WORDS.sub("", label)
    while _NAME_END.search(name):
        name = _NAME_END.sub("", name)
    return re.sub(r"[\W_]+", " ", name).strip().lower()


TIMES_PER_TOKEN = ("tpot_ms", "step_ms")
OTHER_MIX = 0.02


def like_mix(
    baseline: SpecStats | None, own: Sequence[SpecStats | None], shares: Sequence[float] | None
) -> SpecStats | None:
    """The baseline with its times per token in the mix of the run with speculation; `own` are the groups' baselines.

    A time per token over all kinds of requests depends on how many tokens each kind has: as they ran, two runs whose
    shares differ by more than `OTHER_MIX` would differ without any speculation. The baseline as it is where groups
    share one, where shares are unknown, or where they are the same.

    >>> chat = SpecStats("a", "b", speculation=False, tpot_ms=10.0, generated_tokens=900.0)
    >>> code = chat.replace(tpot_ms=20.0, generated_tokens=100.0)
    >>> (chat + code).tpot_ms, like_mix(chat + code, [chat, code], [0.5, 0.5]).tpot_ms
    (11.0, 15.0)
    """
    known = [each for each in own if each is not None]
    if baseline is None or shares is None or len(known) < max(2, len(own)) or len({*map(id, known)}) < len(known):
        return baseline
    there = token_shares(known)
    if there is not None and max(abs(a - b) for a, b in zip(there, shares, strict=True)) <= OTHER_MIX:
        return baseline
    weighted: dict[str, float | None] = {}
    for name in TIMES_PER_TOKEN:
        times = [getattr(each, name) for each in known]
        whole = all(time is not None for time in times)
        weighted[name] = sum(share * time for share, time in zip(shares, times, strict=True)) if whole else None
    if all(each is None for each in weighted.values()):
        return baseline
    return baseline.replace(**weighted, pace=None)
