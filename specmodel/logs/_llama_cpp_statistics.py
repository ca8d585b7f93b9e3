"""What the statistics of a llama-server, counted since its start, add to the requests that its log shows."""

from collections.abc import Sequence

from specmodel.logs._format import note
from specmodel.measured.spec_stats import SpecStats, total


def with_statistics(stats: SpecStats, rounds: float, parts: Sequence[SpecStats], decode_ms: float | None) -> SpecStats:
    """Exact rounds of just these requests, and the time of drafting where every way of drafting was timed.

    `decode_ms` is the time that they decoded in, None where requests ran side by side.

    >>> part = SpecStats("a", "b", num_rounds=100, draft_ms=2.0)
    >>> known = with_statistics(SpecStats("a", "b", num_steps=100), 100, [part], 1200.0)
    >>> known.num_rounds, known.draft_ms, known.verify_ms
    (100, 2.0, 10.0)
    """
    positions = stats.accepted_per_position
    if not rounds or (positions and positions[0] > rounds):
        return stats
    stats = stats.replace(num_rounds=rounds, estimated=False)
    if any(each.num_rounds and each.draft_ms is None for each in parts):
        return stats
    drafting = sum((each.draft_ms or 0) * (each.num_rounds or 0) for each in parts)
    steps = stats.num_steps
    alone = decode_ms is not None and steps and decode_ms >= drafting
    return stats.replace(
        draft_ms=drafting / rounds, verify_ms=((decode_ms or 0) - drafting) / steps if alone and steps else None
    )


def since_start(stats: SpecStats, parts: Sequence[SpecStats]) -> SpecStats:
    """All that was counted since the start, of a log that lacks requests before its first; times are its requests'.

    Where the rounds of the requests that are there are exact, these stay what is counted.

    >>> shown = SpecStats("a", "b", num_draft_tokens=200, num_accepted_draft_tokens=120, step_ms=50.0)
    >>> all_of_it = SpecStats("a", "b", num_rounds=1300, num_draft_tokens=2600, num_accepted_draft_tokens=2000)
    >>> since_start(shown, [all_of_it]).num_rounds, since_start(shown, [all_of_it]).step_ms
    (1300, 50.0)
    """
    counted = total(parts)
    drafted, accepted = stats.num_draft_tokens or 0, stats.num_accepted_draft_tokens or 0
    if stats.num_rounds is not None and not stats.estimated:
        return stats
    said = note(
        "the log lacks requests before its first one: counters are those of the statistics since the server's start; "
        "of the requests in the log {accepted:,.0f} of {drafted:,.0f} drafts were accepted, and times are theirs",
        accepted=accepted, drafted=drafted,
    )  # fmt: skip
    return stats.replace(
        num_rounds=counted.num_rounds,
        num_draft_tokens=counted.num_draft_tokens,
        num_accepted_draft_tokens=counted.num_accepted_draft_tokens,
        accepted_per_position=counted.accepted_per_position,
        drafted_per_position=None,
        generated_tokens=None,
        num_steps=None,
        units=None,
        estimated=False,
        printed=(),
        notes=(*stats.notes, said),
    )
