"""The ways of drafting beside each other, as they were chosen: workload, values, filters and order. No Streamlit."""

from collections.abc import Mapping, Sequence
from typing import Any

from specmodel.base.messages import N_
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session.chosen import Chosen
from specmodel.methods import Choice, MethodRow, Task, compare, find, methods
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Load

SORTS = {
    "load": N_("Speedup at this batch"),
    "one": N_("Speedup of one request"),
    "tau": N_("Tokens per round"),
    "waste": N_("Least waste"),
    "order": N_("Kind of drafter"),
}
FILTERS = {
    "lossless": N_("Output certainly the target's"),
    "untrained": N_("Nothing to train"),
    "matching": N_("Published for this work"),
}
BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
Rows = Sequence[tuple[int, MethodRow]]
"""Rows of the comparison, each with its place in the list of all: its colour does not change with the filters."""


def task_of(chosen: Chosen) -> Task:
    """The kind of prompt and the temperature that are chosen."""
    return Task(chosen.option("kind"), float(chosen.option("sampling")))


def choice_of(key: str, chosen: Chosen) -> Choice:
    """A way of drafting with its published values and the visitor's changes; the measured one is that of the sliders.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> choice_of("ngram", read_link({"ngram_found": "0.9"})[0]).values.found_share
    0.9
    """
    changes = {**chosen.method_changes, "measured": _measured(chosen.scenario)}
    return find(key).choose(task_of(chosen), changes.get(key))


def _measured(scenario: Scenario) -> Mapping[str, Any]:
    """The sliders of the Explore pages, which a measurement sets."""
    return {
        "alpha": scenario.effective_alpha,
        "acceptance_shape": scenario.acceptance_shape,
        "num_speculative_tokens": scenario.num_speculative_tokens,
        "draft_cost_ratio": min(scenario.draft_ms / scenario.target_ms, 100.0),
    }


def compared(chosen: Chosen, source: PassSource) -> tuple[MethodRow, ...]:
    """Every way of drafting on the chosen load."""
    load = chosen.group(Load)
    return compare(
        [choice_of(method.key, chosen) for method in methods()],
        source.pass_ms,
        batch_size=load.batch_size,
        context_tokens=load.context_tokens,
        overhead_ms=chosen.scenario.overhead_ms,
        batch_sizes=BATCHES,
    )


def listed_rows(chosen: Chosen, rows: Sequence[MethodRow]) -> Rows:
    """The rows that pass the chosen filters, in the chosen order."""
    filters = chosen.option("only").split("_")
    kept = [(place, row) for place, row in enumerate(rows) if all(_passes(row, key) for key in filters)]
    keys = {
        "load": lambda row: -row.speedup,
        "one": lambda row: -row.speedup_at_one,
        "tau": lambda row: -row.tau,
        "waste": lambda row: row.wasted_per_token,
        "order": lambda row: row.method.order,
    }
    return sorted(kept, key=lambda placed: keys[chosen.option("sort")](placed[1]))


def _passes(row: MethodRow, key: str) -> bool:
    if key == "lossless":
        return row.lossless == "yes"
    if key == "untrained":
        return not row.method.trained
    return row.matches if key == "matching" else True


def is_tree(choice: Choice) -> bool:
    """Whether more tokens are checked than a chain of its levels holds."""
    proposal = choice.proposal
    return bool(proposal.verified_tokens > proposal.acceptance.num_speculative_tokens + 1)


def as_scenario(choice: Choice, scenario: Scenario) -> Scenario:
    """The scenario with a way of drafting's acceptance by position, draft length and cost of a draft.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> as_scenario(choice_of("block", read_link({})[0]), Scenario()).vocabulary_overlap
    1.0
    """
    proposal = choice.proposal
    first, *later = proposal.acceptance.conditional_acceptance or (0.0,)
    shape = tuple(round(chance / first, 6) if first and chance == chance else 0.0 for chance in later)
    step = float(proposal.draft_ms(scenario.target_ms)) / max(proposal.acceptance.num_speculative_tokens, 1)
    return scenario.replace(
        alpha=round(first, 6),
        acceptance_shape=() if all(factor == 1 for factor in shape) else shape,
        num_speculative_tokens=proposal.acceptance.num_speculative_tokens,
        vocabulary_overlap=1,
        draft_ms=round(step, 4),
    )


def drafter_values(choice: Choice) -> Mapping[str, Any]:
    """The values of the drafter of the other pages that a way of drafting sets: cost and memory."""
    draft = choice.proposal.draft
    return {
        "draft_cost_ratio": round(float(draft.ratio), 6),
        "draft_step_ms": round(draft.ms, 6),
        "weights_billions": choice.weights_billions or 0,
        "cache_bytes_per_token": round(choice.cache_bytes_per_token or 0),
    }
