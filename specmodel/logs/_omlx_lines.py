"""The four lines that oMLX logs of a request with speculation, each read by the names of its fields."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from specmodel.logs._checks import checked, count, number
from specmodel.logs._format import LogError
from specmodel.logs._omlx_fields import (
    ENGINE,
    SOURCE,
    Finished,
    check_emitted,
    counters_of,
    fields_of,
    pair_of,
    rate_of,
)
from specmodel.logs._printed import agree, draft_length
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

_DEPTHS = re.compile(r"\bdepth\[([^\]]{0,8000})\]")
_DRAFTS = re.compile(r"\(drafts (\d{1,15})/(\d{1,15})")
_DFLASH = re.compile(r"complete: (\d{1,15}) tokens, ([\d.]{1,20}) tok/s, acceptance=([\d.]{1,20})%, cycles=(\d{1,15})")


def mtp(found: str, line: int) -> Finished | None:
    """A request of the model's own prediction heads.

    >>> mtp("MTP[1] finish=stop tokens=6 cycles=3 accept=2/3 (66.7%) emits[init=2,draft=2,bonus=1,verify=1]", 1).tokens
    6
    """
    found = found[found.index("MTP[") :]
    fields = fields_of(found)
    pair = pair_of(fields, "accept", line) or pair_of(fields, "draft_accept", line)
    if pair is None or not {"tokens", "cycles"} <= fields.keys():
        return None
    cycles, idle = (count(fields.get(name, 0), line, name) for name in ("cycles", "d0"))
    tokens, first = (count(fields.get(name, 0), line, name) for name in ("tokens", "init"))
    drafts = _DRAFTS.search(found)  # then `accept` counts cycles whose drafts were all accepted
    accepted, drafted = (count(each, line, "drafts") for each in drafts.groups()) if drafts else pair
    if idle > cycles:
        raise LogError(
            "line {line}: {idle:,} of {cycles:,} cycles drafted nothing", line=line, idle=idle, cycles=cycles
        )
    if idle == cycles:  # the count of drafts then stands for the cycles
        accepted = drafted = 0
    depths = _depths(found, cycles - idle, accepted, drafted, line)
    check_emitted(fields, ("init", "draft", "bonus", "verify"), tokens, line)
    printed = rate_of(found, accepted, drafted, line)
    if "tok/cycle" in fields and cycles:
        agree(number(fields["tok/cycle"], line, "tok/cycle"), tokens / cycles, 0.005, line, "tok/cycle")
    stats = SpecStats(
        ENGINE,
        SOURCE,
        speculation=drafted > 0,
        generated_tokens=tokens,
        num_steps=cycles + max(first - 1, 0) if cycles else None,
        num_requests=1,
        printed=printed,
        **counters_of(cycles - idle, drafted, accepted, depths),
        **_times(fields, cycles, cycles - idle, line),
    )
    return Finished("MTP", tokens, checked(stats, line), plain=not drafted)


def _depths(
    found: str, rounds: int, accepted: int, drafted: int, line: int
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Accepted and drafted by position; builds without them draft one token a cycle."""
    match = _DEPTHS.search(found)
    if match is None:
        return ((accepted,), (drafted,)) if drafted == rounds > 0 else None
    named = fields_of(match[1])
    pairs = [pair_of(named, f"d{at}", line) for at in range(1, len(named) + 1)]
    known = [each for each in pairs if each is not None]
    while known and known[-1] == (0, 0):
        known.pop()
    kept, tried = tuple(a for a, _ in known), tuple(d for _, d in known)
    if len(known) < len([each for each in pairs if each != (0, 0)]):
        raise LogError("line {line}: {name} is no list of counts", line=line, name="depth")
    if sum(tried) != drafted:
        raise LogError(
            "line {line}: the depths add up to {sum:,} draft tokens, but {drafted:,} are given",
            line=line, sum=sum(tried), drafted=drafted,
        )  # fmt: skip
    if tried and (tried[0] != rounds or list(tried) != sorted(tried, reverse=True)):
        raise LogError(
            "line {line}: drafted by position is {shown}, which cannot be in {rounds:,} rounds",
            line=line, shown=", ".join(map(str, tried)), rounds=rounds,
        )  # fmt: skip
    return kept, tried


def _times(fields: Mapping[str, str], cycles: int, rounds: int, line: int) -> dict[str, Any]:
    """Of a cycle: the target's pass and the head's, without sampling and the cache; apart only if all cycles draft."""
    if not cycles or not {"backbone", "mtp"} <= fields.keys():
        return {}
    target, head = (number(fields[name].removesuffix("ms"), line, name) for name in ("backbone", "mtp"))
    times = {"step_ms": (target + head) / cycles}
    return times | {"draft_ms": head / cycles, "verify_ms": target / cycles} if rounds == cycles else times


def vlm_mtp(found: str, line: int) -> Finished | None:
    """A request of a drafter beside a vision model.

    >>> vlm_mtp("vlm_mtp stats: rounds=4 accepted=5/8 (62.5%) tokens_per_round=2.25 emitted=9 block_size=3", 1).setting
    'vlm_mtp, block_size 3'
    """
    fields = fields_of(found)
    pair = pair_of(fields, "accepted", line)
    if pair is None or not {"rounds", "emitted", "block_size"} <= fields.keys():
        return None
    (accepted, drafted), size = pair, draft_length(number(fields["block_size"], line, "block_size"), line, "block_size")
    rounds, tokens = (count(fields[name], line, name) for name in ("rounds", "emitted"))
    k = max(size - 1, 1)
    if drafted != rounds * k:
        raise LogError(
            "line {line}: {drafted:,} drafted in {rounds:,} rounds of {k} are not possible",
            line=line, drafted=drafted, rounds=rounds, k=k,
        )  # fmt: skip
    printed = rate_of(found, accepted, drafted, line)
    if rounds and "tokens_per_round" in fields:
        length = number(fields["tokens_per_round"], line, "tokens_per_round")
        agree(length, 1 + accepted / rounds, 0.005, line, "tokens_per_round")
        printed = (*printed, Printed("tokens_per_round", length, "length_with_bonus"))
    counters: dict[str, Any] = {}
    if drafted:
        counters = {**counters_of(rounds, drafted, accepted, None), "num_speculative_tokens": k}
    stats = SpecStats(
        ENGINE,
        SOURCE,
        speculation=drafted > 0,
        generated_tokens=tokens,
        num_steps=max(rounds, tokens - 1 - accepted) or None,
        num_requests=1,
        printed=printed,
        **counters,
    )
    return Finished(f"vlm_mtp, block_size {size}", tokens, checked(stats, line), plain=not drafted)


def dflash(found: str, line: int) -> Finished | None:
    """A request of a block drafter; without speculation where it fell back to plain decoding.

    >>> line = "DFlash generation complete: 100 tokens, 50.0 tok/s, acceptance=75.0%, cycles=25"
    >>> dflash(line, 1).stats.mean_acceptance_length
    4.0
    """
    match = _DFLASH.search(found)
    if match is None:
        return None
    tokens, cycles = count(match[1], line, "tokens"), count(match[4], line, "cycles")
    speed, share = number(match[2], line, "tok/s"), number(match[3], line, "acceptance") / 100
    stats = SpecStats(
        ENGINE,
        SOURCE,
        speculation=False,
        generated_tokens=tokens,
        num_requests=1,
        window_s=tokens / speed if speed else None,
        output_tokens_per_s=speed or None,
    )
    if not cycles or "fallback=AR" in found:
        return Finished("DFlash", tokens, stats, plain=True)
    accepted = tokens - cycles
    if accepted < 0 or abs(share * tokens - accepted) > 1 + 0.0005 * tokens:  # the prompt's token may be counted or not
        raise LogError(
            "line {line}: acceptance is printed as {printed:.1%} of {tokens:,} tokens, but {cycles:,} cycles leave "
            "{accepted:,} accepted ones",
            line=line, printed=share, tokens=tokens, cycles=cycles, accepted=accepted,
        )  # fmt: skip
    stats = stats.replace(
        speculation=True,
        num_rounds=cycles,
        num_accepted_draft_tokens=accepted,
        num_steps=cycles,
        units=Units.of("requests", [(cycles, 0, accepted, None)]),
        printed=(Printed("acceptance", share),),
    )
    return Finished("DFlash", tokens, checked(stats, line))


def ngram(found: str, line: int) -> Finished | None:
    """A request that looked its drafts up in its own text; steps that found none are `plain`.

    Each step of either kind gives one token beside its accepted drafts (`plain` among the emits counts those).

    >>> line = "NgramSpec[4] finish=stop tokens=13 cycles=2 plain=5 accept=5/8 (62.5%) emits[init=1,draft=5,plain=7]"
    >>> ngram(line, 1).stats.num_steps, ngram(line, 1).stats.mean_acceptance_length
    (7, 3.5)
    """
    head, _, rest = found[found.index("NgramSpec[") :].partition(" emits[")
    fields, emits = fields_of(head), fields_of(rest)
    pair = (0, 0) if fields.get("accept") == "n/a" else pair_of(fields, "accept", line)
    if pair is None or not {"tokens", "cycles", "plain"} <= fields.keys():
        return None
    accepted, drafted = pair
    tokens, rounds, alone = (count(fields[name], line, name) for name in ("tokens", "cycles", "plain"))
    if (drafted > 0) != (rounds > 0):
        raise LogError("line {line}: {drafted:,} drafted in {rounds:,} rounds", line=line, drafted=drafted,
                       rounds=rounds)  # fmt: skip
    check_emitted(emits, ("init", "draft", "plain"), tokens, line)
    steps = rounds + alone
    times: dict[str, Any] = {}
    if steps and {"backbone", "propose"} <= emits.keys():
        target, lookup = (number(emits[name].removesuffix("ms"), line, name) for name in ("backbone", "propose"))
        times = {"step_ms": (target + lookup) / steps}
        if not alone:
            times |= {"draft_ms": lookup / steps, "verify_ms": target / steps}
    stats = SpecStats(
        ENGINE,
        SOURCE,
        speculation=drafted > 0,
        generated_tokens=tokens,
        num_steps=steps or None,
        num_requests=1,
        printed=rate_of(head, accepted, drafted, line),
        **{**counters_of(rounds, drafted, accepted, None), **times},
    )
    return Finished("n-gram", tokens, checked(stats, line), plain=not drafted)


Read = Callable[[str, int], Finished | None]
KINDS: tuple[tuple[str, Read], ...] = (
    ("MTP[", mtp),
    ("NgramSpec[", ngram),
    ("vlm_mtp stats:", vlm_mtp),
    ("DFlash generation complete:", dflash),
)
"""What marks a line, and what reads it."""
