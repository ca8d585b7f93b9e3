"""Published figures of the ways of drafting: one row of data/methods.csv each, with its source and how it was got."""

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specmodel.base.messages import N_
from specmodel.base.numbers import number_between, one_of

_FILE = Path(__file__).parents[1] / "data" / "methods.csv"

PROMPT_KINDS: Mapping[str, str] = {
    "chat": N_("Chat"),
    "code": N_("Code"),
    "math": N_("Mathematics"),
    "summary": N_("Summaries"),
    "translation": N_("Translation"),
    "qa": N_("Questions, with or without documents"),
    "writing": N_("Creative writing"),
    "agentic": N_("Agents and tool calls"),
    "mixed": N_("A mix of tasks"),
}
"""What is asked of the model: key -> label; only kinds that some row was published for."""

EVIDENCE: Mapping[str, str] = {
    "published": N_("published"),
    "derived": N_("derived from published figures"),
    "assumed": N_("partly assumed"),
    "measured": N_("measured"),
}
"""How sure the numbers of a row are: all of them printed, some computed from what was printed, some assumed; or, of the
visitor's own, measured."""

NOTES: Mapping[str, str] = {
    "rho": N_(
        "The cost of drafting is what the published speedup leaves: tokens per round ÷ speedup − 1. It holds that "
        "setup's overhead and checking too; another engine may need more or less."
    ),
    "size": N_("The cost of a draft step is the ratio of the weights, not a measured time."),
    "elsewhere": N_("The cost of drafting was published for another setup of this way of drafting."),
    "assumed_cost": N_("No cost of drafting was published for it; that of a similar drafter is assumed."),
    "assumed_length": N_("The draft length was not published; it is assumed."),
    "tau": N_("Only the tokens per round were published: one chance at every position that gives them was solved for."),
    "fit": N_("The chances were fitted to the published tokens per round at several draft lengths."),
    "positions": N_("Later drafts: the geometric mean of the published values by position."),
    "falls": N_(
        "The chances of the first and the second draft and the factor of each further one were fitted to the published "
        "values by position."
    ),
    "later": N_("Later drafts: fitted to the values by position that were published for another model of this kind."),
    "next": N_(
        "How likely the next candidate is was solved for: the best tree of that size then gives the published tokens "
        "per round."
    ),
    "speedup": N_("Tokens per round were not published: the speedup stands for them, which is the least they can be."),
    "heads": N_("The accuracies of all heads are scaled by one factor until they give the published tokens per round."),
    "typical": N_("Typical acceptance keeps tokens that the target might have said: the output is another one."),
    "match": N_(
        "How often a match was found was not published: the first draft after a match is taken to be right in 62 % of "
        "the rounds, as published for a lookup on MT-bench."
    ),
    "rate": N_("The share of drafts accepted comes from another set of prompts by the same authors."),
    "own": N_("Measured with a model of 135 million weights on a CPU; the rounds come with this app."),
    "single": N_("Measured on one prompt, or a few."),
    "read": N_("Read from a figure by somebody else."),
    "bonus": N_("Whether the published number counts the bonus token was not stated; it is taken to."),
    "low": N_("The low end of the published range."),
    "article": N_("Nothing was measured yet: the article's case."),
}
"""What a row's numbers rest on: code in the file -> sentence."""


@dataclass(frozen=True)
class Task:
    """What the visitor asks of the model: a kind of prompt and a sampling temperature (0 is greedy).

    >>> Task("code", 0).prompt_kind
    'code'
    """

    prompt_kind: str = "chat"
    temperature: float = 0.0

    def __post_init__(self) -> None:
        one_of(self.prompt_kind, PROMPT_KINDS, N_("kind of prompt"))
        number_between(self.temperature, N_("temperature"), 0)


@dataclass(frozen=True)
class Published:
    """One row: what a method was measured to do in one setup.

    `values` are parameters of the method; `temperature` is None where it was not stated; `kind` is a key of `EVIDENCE`
    and holds for the least sure number of the row; `notes` says what the derived or assumed numbers rest on,
    `arithmetic` how they were computed. `lossless` is empty where the method's own answer holds.
    """

    method: str
    prompt_kind: str
    temperature: float | None
    values: Mapping[str, float]
    setup: str
    source: str
    kind: str
    notes: tuple[str, ...] = ()
    arithmetic: str = ""
    lossless: str = ""

    def matches(self, task: Task) -> bool:
        """Whether it was published for exactly this kind of prompt and temperature."""
        return (self.prompt_kind, self.temperature) == (task.prompt_kind, task.temperature)

    def distance(self, task: Task) -> tuple[int, float]:
        """How far the row is from a task; the smallest is the best match.

        Same kind and temperature; same kind, temperature not stated; same temperature; same kind, the nearer
        temperature first; anything else.
        """
        same_kind = self.prompt_kind == task.prompt_kind
        gap = math.inf if self.temperature is None else abs(self.temperature - task.temperature)
        if same_kind and not (0 < gap < math.inf):
            return (0 if gap == 0 else 1), 0.0
        if gap == 0:
            return 2, 0.0
        return (3, gap) if same_kind else (4, 0.0)


@cache
def published_rows() -> tuple[Published, ...]:
    """All rows of data/methods.csv, in their order.

    >>> {row.kind for row in published_rows()} <= EVIDENCE.keys()
    True
    """
    with _FILE.open(newline="", encoding="utf-8") as file:
        return tuple(_row(row) for row in csv.DictReader(file))


def _row(row: Mapping[str, str]) -> Published:
    values = dict(pair.split("=") for pair in row["values"].split())
    return Published(
        method=row["method"],
        prompt_kind=row["prompt_kind"],
        temperature=float(row["temperature"]) if row["temperature"] else None,
        values={name: float(value) for name, value in values.items()},
        setup=row["setup"],
        source=row["source"],
        kind=row["kind"],
        notes=tuple(NOTES[code] for code in row["notes"].split()),
        arithmetic=row["arithmetic"],
        lossless=row["lossless"],
    )
