"""Rounds as the counters of a run: those of all of them together, or of each setting and kind of text apart."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import N_
from specmodel.base.table_file import RoundsError
from specmodel.measured.rounds import MeasuredRounds
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats, total

ENGINE = "rounds CSV"
SOURCE = N_("table of rounds")
MOST_PARTS = 1024


def stats_of(rounds: MeasuredRounds) -> SpecStats:
    """The run that a table of rounds tells of: the setting with most rounds, and all settings as its parts.

    >>> from specmodel.measured.rounds import read_rounds
    >>> found = stats_of(read_rounds("proposed,accepted,k\\n1,1,1\\n3,1,3\\n3,3,3\\n"))
    >>> found.num_speculative_tokens, [part.label for part in found.parts]
    (3, ['k = 1', 'k = 3'])
    """
    return run_of(settings_of(rounds))


def settings_of(rounds: MeasuredRounds) -> tuple[SpecStats, ...]:
    """The counters of every k and temperature, in the order of the file, each with its kinds of text as parts.

    >>> from specmodel.measured.rounds import read_rounds
    >>> rounds = read_rounds("proposed,accepted,k,category\\n2,1,2,code\\n2,0,2,prose\\n")
    >>> [(each.label, [part.label for part in each.parts]) for each in settings_of(rounds)]
    [('k = 2', ['code', 'prose'])]
    """
    if rounds.num_parts(rounds.k, rounds.temperature, rounds.category) > MOST_PARTS:
        raise RoundsError("more than {limit} combinations of category, k and temperature", limit=MOST_PARTS)
    settings = [(each, tuple(each.split(each.category))) for each in rounds.split(rounds.k, rounds.temperature)]
    return tuple(_setting(each, kinds) for each, kinds in settings)


def _setting(rounds: MeasuredRounds, kinds: Sequence[MeasuredRounds]) -> SpecStats:
    values = {"k": _only(rounds.k), "T": _only(rounds.temperature)}
    label = ", ".join(f"{name} = {value:g}" for name, value in values.items() if value is not None)
    named = [counters(each, each.options()["category"][0]) for each in kinds] if len(kinds) > 1 else []
    return counters(rounds, label).replace(parts=tuple(named))


def added_up(pieces: Sequence[Sequence[SpecStats]]) -> tuple[SpecStats, ...]:
    """Settings of several pieces of one file: those of one name added up, and so are the kinds of text in them.

    >>> from specmodel.measured.rounds import read_rounds
    >>> piece = settings_of(read_rounds("proposed,accepted,k\\n2,1,2\\n"))
    >>> [each.num_rounds for each in added_up([piece, piece])]
    [2]
    """
    named: dict[str, list[SpecStats]] = {}
    for each in (setting for piece in pieces for setting in piece):
        named.setdefault(each.label, []).append(each)
    return tuple(total(same).replace(parts=added_up([each.parts for each in same])) for same in named.values())


def run_of(settings: Sequence[SpecStats]) -> SpecStats:
    """The setting with most rounds as the main one of a run that has all of them; settings are never added up.

    >>> run_of([SpecStats("a", "b", label="k = 2")]).label
    ''
    """
    if len(settings) == 1:
        return settings[0].replace(label="")
    main = max(settings, key=lambda each: each.num_rounds or 0)
    return main.replace(parts=tuple(settings), parts_are_settings=True)


def counters(rounds: MeasuredRounds, label: str = "") -> SpecStats:
    """All these rounds as the counters of one run; steps without a draft count in `num_steps` and `step_ms`.

    `plain_ms` is the time of as many plain steps ÷ tokens, so that

        tokens per step × plain_ms ÷ step_ms = Σ (accepted + 1)·baseline_ms ÷ Σ (draft_ms + verify_ms + overhead_ms)

    >>> from specmodel.measured.rounds import read_rounds
    >>> timed = "proposed,accepted,draft_ms,verify_ms,baseline_ms\\n2,2,4,20,18\\n2,0,4,20,18\\n"
    >>> counted = counters(read_rounds(timed))
    >>> counted.num_speculative_tokens, counted.tokens_per_step, counted.step_ms, counted.plain_ms
    (2, 2.0, 24.0, 18.0)
    """
    drafted, tokens = rounds.where(rounds.proposed > 0), rounds.num_rounds + int(rounds.accepted.sum())
    plain = None if rounds.baseline_ms is None else float(rounds.baseline_ms @ (rounds.accepted + 1.0))
    return SpecStats(
        ENGINE,
        SOURCE,
        label=label,
        speculation=drafted.num_rounds > 0,
        generated_tokens=tokens,
        num_steps=rounds.num_rounds,
        step_ms=_mean(rounds.round_ms),
        draft_ms=_mean(drafted.draft_ms),
        verify_ms=_mean(drafted.verify_ms),
        plain_ms=plain / tokens if plain is not None and tokens else None,
        temperature=_only(rounds.temperature),
        pace=_pace(rounds),
        **_of_drafts(drafted),
    )


def _of_drafts(rounds: MeasuredRounds) -> dict[str, Any]:
    """The counters of rounds that all drafted something. k is the column's, else the length that all of them have."""
    allowed, same = _only(rounds.k), _only(rounds.proposed)
    k = same if rounds.k is None else allowed
    counted: dict[str, Any] = {"num_speculative_tokens": None if k is None else int(k)}
    if not rounds.num_rounds:
        return counted
    positions = np.arange(1, max(int(rounds.proposed.max()), int(k or 0)) + 1)
    return counted | {
        "num_rounds": rounds.num_rounds,
        "num_draft_tokens": rounds.num_draft_tokens,
        "num_accepted_draft_tokens": int(rounds.accepted.sum()),
        "accepted_per_position": _reached(rounds.accepted, positions),
        "drafted_per_position": None if same == k is not None else _reached(rounds.proposed, positions),
        "units": _units(rounds, positions.size),
    }


def _units(rounds: MeasuredRounds, positions: int) -> Units:
    """Rounds, drafted, accepted and accepted by position of each unit."""
    kind, codes = rounds.unit_codes
    size = positions + 1
    lengths = np.bincount(codes * size + rounds.accepted, minlength=(int(codes.max()) + 1) * size)
    reached = lengths.reshape(-1, size)[:, ::-1].cumsum(axis=1)[:, ::-1]  # rounds that accepted at least 0, 1, …
    tokens = [np.bincount(codes, weights=each) for each in (rounds.proposed, rounds.accepted)]
    return Units(kind, np.column_stack((reached[:, 0], *tokens, reached[:, 1:])).astype(float))


def _pace(rounds: MeasuredRounds) -> Units | None:
    """Tokens, milliseconds, and those of as many plain steps, by unit; None where rounds were not timed."""
    if rounds.round_ms is None or not rounds.num_rounds:
        return None
    kind, codes = rounds.unit_codes
    tokens = rounds.accepted + 1.0
    plain = np.zeros(rounds.num_rounds) if rounds.baseline_ms is None else rounds.baseline_ms * tokens
    columns = [np.bincount(codes, weights=each) for each in (tokens, rounds.round_ms, plain)]
    return Units(kind, np.column_stack(columns))


def _reached(lengths: Ints, positions: Ints) -> tuple[int, ...]:
    """How many rounds had at least so many tokens, for each position."""
    counts = np.bincount(lengths, minlength=positions.size + 1)[::-1].cumsum()[::-1]
    return tuple(counts[positions].tolist())


def _only(values: NDArray[Any] | None) -> float | None:
    """The value that all rounds have in common; None where there is none."""
    if values is None or not values.size or (values != values[0]).any():
        return None
    return float(values[0])


def _mean(values: Floats | None) -> float | None:
    return None if values is None or not values.size else float(values.mean())
