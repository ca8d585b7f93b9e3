"""The reader's workload, the methods beside each other with their values, and which of them are shown."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session import state
from specmodel.methods import PROMPT_KINDS, Choice, MethodRow, Task, compare, methods
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
TEMPERATURES = {"0": N_("greedy"), "1": N_("temperature 1")}
BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)


def workload_input(page: Page) -> Task:
    """The kind of prompt and the temperature."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.selectbox(
            _("What it is asked"),
            list(PROMPT_KINDS),
            format_func=lambda key: _(PROMPT_KINDS[key]),
            key="kind",
            persist_state="session",
            width=300,
        )
        st.segmented_control(
            _("Sampling"),
            list(TEMPERATURES),
            format_func=lambda key: _(TEMPERATURES[key]),
            key="sampling",
            required=True,
            persist_state="session",
        )
    return Task(kind, float(state.option("sampling")))


def choices(workload: Task, scenario: Scenario) -> list[Choice]:
    """Every method with its published values and the reader's changes; the measured one has those of the sliders."""
    changes = {**state.method_changes(), "measured": _measured(scenario)}
    return [each.choose(workload, changes.get(each.key)) for each in methods()]


def _measured(scenario: Scenario) -> Mapping[str, Any]:
    """The sliders of the Explore pages, which a measurement sets."""
    return {
        "alpha": scenario.effective_alpha,
        "acceptance_shape": scenario.acceptance_shape,
        "num_speculative_tokens": scenario.num_speculative_tokens,
        "draft_cost_ratio": min(scenario.draft_ms / scenario.target_ms, 100.0),
    }


def compared(source: PassSource, found: Sequence[Choice], scenario: Scenario) -> tuple[MethodRow, ...]:
    """The methods side by side on the reader's load."""
    load = state.group(Load)
    return compare(
        found,
        source.pass_ms,
        batch_size=load.batch_size,
        context_tokens=load.context_tokens,
        overhead_ms=scenario.overhead_ms,
        batch_sizes=BATCHES,
    )


def shown_rows(page: Page, rows: Sequence[MethodRow]) -> list[tuple[int, MethodRow]]:
    """The rows that pass the filters, sorted as chosen, each with its place in the list of all."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Sort by"),
            list(SORTS),
            format_func=lambda key: _(SORTS[key]),
            key="sort",
            persist_state="session",
            width=230,
        )
        st.pills(
            _("Show only"),
            list(FILTERS),
            format_func=lambda key: _(FILTERS[key]),
            selection_mode="multi",
            default=[key for key in str(state.option("only")).split("_") if key in FILTERS],
            key="only_pills",
            on_change=lambda: state.set_option("only", _only(st.session_state["only_pills"])),
        )
    wanted = str(state.option("only")).split("_")
    kept = [(place, row) for place, row in enumerate(rows) if all(_passes(row, key) for key in wanted)]
    keys = {
        "load": lambda row: -row.speedup,
        "one": lambda row: -row.speedup_at_one,
        "tau": lambda row: -row.tau,
        "waste": lambda row: row.wasted_per_token,
        "order": lambda row: row.method.order,
    }
    return sorted(kept, key=lambda each: keys[str(state.option("sort"))](each[1]))


def _only(chosen: Sequence[str]) -> str:
    """The filters as the option writes them, in one order."""
    return "_".join(key for key in FILTERS if key in chosen)


def _passes(row: MethodRow, key: str) -> bool:
    if key == "lossless":
        return row.lossless == "yes"
    if key == "untrained":
        return not row.method.trained
    return row.matches if key == "matching" else True
