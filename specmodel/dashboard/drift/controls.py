"""The controls of the Drift page: workload, rules, the numbers of one rule. All that they set is in the link."""

from collections.abc import Callable
from typing import Any, cast

import pandas as pd
import streamlit as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.params import Declared, Param, declarations
from specmodel.dashboard.drift.declared import DRIFT_RULES, GROUPS, OWN
from specmodel.dashboard.drift.phases import OWN_LABEL
from specmodel.dashboard.drift.race import offered_workloads
from specmodel.dashboard.drift.race_parts import rules_to_choose, rules_to_show
from specmodel.dashboard.drift.tuned import FIXED, read_tuned, write_tuned
from specmodel.dashboard.engine.current import current_run
from specmodel.dashboard.parts.answer import Table
from specmodel.dashboard.parts.entries import help_text
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.drift.phases import Workload
from specmodel.drift.policies import choice, find
from specmodel.drift.workload_inputs import measured_workload

COLUMNS = 3
_BEFORE = "drift:before"


def measured_groups() -> Workload | None:
    """The groups of the run that the engine page shows now, as a workload; None where it has none."""
    current = current_run()
    return measured_workload(current.group_acceptances) if current else None


def workload_before() -> str:
    """The key of the workload that was chosen before the visitor's own phases; empty where none was."""
    return str(st.session_state.get(_BEFORE, ""))


def workload_decides(page: Page) -> bool:
    """Whether the workload rests on more than the link: measured groups, or phases that started from another one."""
    workload = page.chosen.option("workload")
    return bool(workload == GROUPS or (workload == OWN and workload_before()))


def choose_workload(page: Page, groups: Workload | None) -> None:
    """A published workload, the visitor's own phases, or the measured groups where there are some."""
    _ = page.translate
    labels = {**{key: workload.label for key, workload in offered_workloads(groups).items()}, OWN: OWN_LABEL}
    if state.option("workload") not in labels:
        state.set_option("workload", next(iter(labels)))
    chosen = select(page, "workload", _("Workload"), list(labels), lambda key: _(labels[key]), width=300)
    if chosen != OWN:
        st.session_state[_BEFORE] = chosen


def choose_rules(page: Page) -> None:
    """Which rules are shown."""
    _ = page.translate
    st.pills(
        _("Rules shown"),
        DRIFT_RULES,
        format_func=lambda key: _(find(key).label),
        selection_mode="multi",
        default=rules_to_show(page.chosen),
        key="rules_pills",
        on_change=lambda: state.set_option(
            "rules", "_".join(key for key in DRIFT_RULES if key in st.session_state["rules_pills"])
        ),
    )


def lesson_controls(page: Page) -> dict[str, Callable[[], object]]:
    """The controls among the parts of the lesson."""
    return {"rule": lambda: _choose_rule(page), "rule_numbers": lambda: _rule_numbers(page)}


def draw_wide(frame: pd.DataFrame) -> None:
    """A table with long texts: on a narrow screen it scrolls instead of growing tall."""
    st.dataframe(frame, hide_index=True, width="stretch", height="content")


def draw_rules(page: Page) -> None:
    """What each rule does, below the title of its expander and not among the downloads."""
    st.table(dict(cast(Table, page.answer["what_rules_do"]).columns))


def _choose_rule(page: Page) -> None:
    """The rule whose k is drawn and whose numbers can be changed."""
    labels = rules_to_choose(page.scenario, page.translate)
    left, _right = st.columns([1, 2])
    with left:
        select(page, "rule", page.translate("Rule whose k is drawn"), list(labels), labels.__getitem__)


def _rule_numbers(page: Page) -> None:
    """Boxes for the numbers of one rule, in an expander that is open where one was changed."""
    _, rule = page.translate, str(state.option("rule"))
    changes = _changes().get(rule, {})
    values = choice(rule, **changes).values
    numbers = declarations(find(rule).params)
    if rule == FIXED or not numbers:
        return
    title = _("Numbers of this rule: {rule}").format(rule=_(find(rule).label))
    with st.expander(title, expanded=bool(changes)):
        columns = st.columns(COLUMNS, gap="small")
        for index, number in enumerate(numbers.values()):
            with columns[index % COLUMNS]:
                _box(page, rule, number, values)
        st.caption(_("Assumed, unless the rule's source gives them; they are in the link."))


def _changes() -> dict[str, dict[str, Any]]:
    return read_tuned(str(state.option("tuned")))[0]


def _box(page: Page, rule: str, number: Param, values: Declared) -> None:
    _, key = page.translate, f"drift:{rule}.{number.name}"
    value = getattr(values, number.name)
    st.session_state[key] = int(value) if number.integer else float(value)
    unit = number.unit_in(_)
    st.number_input(
        f"{_(number.label)} ({unit})" if unit else _(number.label),
        step=1 if number.integer else None,
        format="%d" if number.integer else "%.6g",
        key=key,
        help=help_text(number, _),
        on_change=lambda: _change(rule, number, st.session_state[key]),
    )


def _change(rule: str, number: Param, value: Any) -> None:
    """Take over a number; what contradicts the others or is outside its range is refused with the reason."""
    changes = _changes()
    values = {**changes.get(rule, {}), number.name: value}
    try:
        choice(rule, **values)
    except SpecmodelError as error:
        st.session_state["complaints"] = (*state.complaints(), error.message)
        return
    state.set_option("tuned", write_tuned({**changes, rule: values}))
