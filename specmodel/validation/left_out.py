"""Published rows that tell too little to be judged, and why: they are counted, not hidden."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specmodel.base.messages import N_

_FILE = Path(__file__).parents[1] / "data" / "validation_left_out.csv"
REASONS: Mapping[str, str] = {
    "theory": N_("Theory or simulation: nothing was measured."),
    "acceptance_only": N_("Acceptance alone: no length and no speed to compare with."),
    "no_tokens": N_("A speed without tokens per round or acceptance."),
    "one_length": N_("Tokens per round at one draft length, without a speed."),
    "chain_and_tree": N_("Acceptance of a chain beside tokens per round of a tree."),
    "two_drafters": N_("One drafter against another, without plain decoding."),
    "ranges": N_("Ranges, or neither batch nor hardware."),
    "unnamed_hardware": N_("Costs of passes on hardware that is not named."),
    "tuned": N_("The preset's overhead of a step is taken from it, so it cannot judge that preset."),
    "twice": N_("It stands in another row already."),
    "report": N_("Reports without a plain run beside them, or with one draft length and no speed."),
    "no_drafts": N_("Lookups that drafted eight tokens at most."),
}


@dataclass(frozen=True)
class LeftOut:
    """Rows of one source that are not judged; `reason` is a key of `REASONS`."""

    source: str
    rows: int
    reason: str


@cache
def left_out() -> tuple[LeftOut, ...]:
    """What was collected and is not judged.

    >>> left_out()[0].rows
    15
    """
    with _FILE.open(encoding="utf-8", newline="") as file:
        return tuple(LeftOut(row["source"], int(row["rows"]), row["reason"]) for row in csv.DictReader(file))
