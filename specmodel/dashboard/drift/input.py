"""What the Drift page plays: the workload, the rules, and the numbers of one rule, all of them in the link."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.base.params import Declared, Param, declarations
from specmodel.dashboard.drift.editor import leave_own, own_phases
from specmodel.dashboard.drift.phases import OWN_LABEL
from specmodel.dashboard.engine.files import example_run
from specmodel.dashboard.lesson.values import DriftLesson, LessonSeed
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.dashboard.session.options import DRIFT_RULES, OWN
from specmodel.drift.adaptation import Adaptation, AdaptationOutcome, compare_adaptation
from specmodel.drift.boundary import Boundary, failure_boundary, phase_speedups
from specmodel.drift.phases import Workload
from specmodel.drift.policies import PolicyChoice, choice, find, policies
from specmodel.drift.published import workloads
from specmodel.drift.round_costs import RoundCosts, round_costs
from specmodel.drift.run import DriftRun, simulate_drift
from specmodel.drift.workload_inputs import measured_workload, with_spread
from specmodel.engine.run import EngineRun, assemble

LEAST_MAX_K = 16
"""Rules may draft at least so many tokens, or the slider's k where that is more."""
FIXED = "fixed"
COLUMNS = 3
BEFORE = "drift:before"
"""Where the workload is kept that was chosen before the reader's own phases."""


@dataclass(frozen=True)
class Asked:
    """What is played. `k` is the fixed length: the slider's, but 1 where that is off."""

    workload: Workload
    costs: RoundCosts
    k: int
    choices: tuple[PolicyChoice, ...]
    seed: int

    def run(self) -> DriftRun:
        """Every rule on the same rounds."""
        return _played(self)

    def boundary(self) -> Boundary:
        """Where the fixed length stops paying, and the phases beside it."""
        return _bounded(self)

    def speedups(self) -> NDArray[np.float64]:
        """Long-run speedup of each phase at each draft length."""
        return _long_run(self)

    def learning(self, names: Sequence[str], adaptation: Adaptation) -> AdaptationOutcome:
        """Some of the rules with a draft that learns, and with one that does not."""
        return _learned(self, tuple(names), adaptation)


@lru_cache(maxsize=12)
def _played(asked: Asked) -> DriftRun:
    return simulate_drift(asked.workload, asked.costs, asked.choices, asked.seed)


@lru_cache(maxsize=64)
def _bounded(asked: Asked) -> Boundary:
    return failure_boundary(asked.costs, asked.k, asked.workload)


@lru_cache(maxsize=64)
def _long_run(asked: Asked) -> NDArray[np.float64]:
    return phase_speedups(asked.workload, asked.costs)


@lru_cache(maxsize=12)
def _learned(asked: Asked, names: tuple[str, ...], adaptation: Adaptation) -> AdaptationOutcome:
    chosen = [each for each in asked.choices if each.name in names]
    return compare_adaptation(asked.workload, asked.costs, chosen, adaptation, asked.seed)


def drift_input(page: Page) -> Asked:
    """The choice of a workload and of the rules shown; the rest comes from the sliders beside the page."""
    scenario, lesson = page.scenario, state.group(DriftLesson)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = _workload(page)
        _rules(page)
    if state.option("workload") == OWN:
        chosen = own_phases(page, chosen)
    else:
        leave_own()
    k = max(scenario.num_speculative_tokens, 1)
    if not scenario.num_speculative_tokens:
        st.caption(page.translate("The slider's k is 0, which is off: the fixed length is 1 here."))
    costs = round_costs(scenario, max(LEAST_MAX_K, k), lesson.switching_ms)
    changed, wrong = _changed()
    if wrong:
        st.warning("\n\n".join(escaped(page.translate.message(each)) for each in wrong))
    values = {**changed, FIXED: {"num_speculative_tokens": k}}
    choices = tuple(choice(each.key, **values.get(each.key, {})) for each in policies())
    seed = state.group(LessonSeed).lesson_seed
    return Asked(with_spread(chosen, lesson.spread), costs, k, choices, seed)


def shown_rules() -> tuple[str, ...]:
    """The rules that the reader wants to see beside off and the oracle, which are always there."""
    chosen = str(state.option("rules")).split("_")
    return tuple(key for key in DRIFT_RULES if key in chosen)


def _workload(page: Page) -> Workload:
    """A published workload, or the groups of the engine page where it has some; for own phases the one before."""
    _ = page.translate
    measured = _measured()
    offered = {each.key: each for each in (*workloads(), *([measured] if measured else []))}
    labels = {**{key: each.label for key, each in offered.items()}, OWN: OWN_LABEL}
    first = next(iter(offered))
    if state.option("workload") not in labels:
        st.warning(_("The engine page holds no groups with an acceptance: a published workload is shown instead."))
        state.set_option("workload", first)
    select(page, "workload", _("Workload"), list(labels), lambda key: _(labels[key]), width=300)
    chosen = str(state.option("workload"))
    if chosen != OWN:
        st.session_state[BEFORE] = chosen
    return offered.get(st.session_state.get(BEFORE, first), offered[first])


def _measured() -> Workload | None:
    run = _engine_run()
    return measured_workload(run.group_cases(run.stats.num_speculative_tokens)) if run else None


def _engine_run() -> EngineRun | None:
    """What the engine page shows: the reader's files where there are some, else the chosen example."""
    if state.option("src") == "example":
        return example_run(str(state.option("example")))
    files = [file.stats for file in st.session_state.get("engine_files", {}).values() if file.stats]
    try:
        return assemble(files) if files else None
    except SpecmodelError:
        return None


def _rules(page: Page) -> None:
    """Which rules are shown."""
    _ = page.translate
    st.pills(
        _("Rules shown"),
        DRIFT_RULES,
        format_func=lambda key: _(find(key).label),
        selection_mode="multi",
        default=shown_rules(),
        key="rules_pills",
        on_change=lambda: state.set_option("rules", _joined(st.session_state["rules_pills"])),
    )


def _joined(chosen: Sequence[str]) -> str:
    return "_".join(key for key in DRIFT_RULES if key in chosen)


# The numbers of the rules that the reader has changed


def _declared() -> dict[str, tuple[str, Param]]:
    """Every number of a rule by its link key, with the rule it belongs to; the fixed length is the slider's."""
    return {
        declared.key: (policy.key, declared)
        for policy in policies()
        if policy.key != FIXED
        for declared in declarations(policy.params).values()
    }


def _changed() -> tuple[dict[str, dict[str, Any]], list[Message]]:
    """What the link changes, by rule; and what of it could not be used."""
    found: dict[str, dict[str, Any]] = {}
    wrong = []
    known = _declared()
    for part in filter(None, str(state.option("tuned")).split(",")):
        key, _colon, text = part.partition(":")
        if key not in known:
            wrong.append(Message("The link's {name} is not known and was left out.", {"name": Verbatim(key[:40])}))
            continue
        policy, declared = known[key]
        try:
            found.setdefault(policy, {})[declared.name] = declared.check(text)
        except SpecmodelError as error:
            wrong.append(Message("The link's values were left out: {error}.", {"error": error.message}))
    for policy, values in [*found.items()]:  # all of a rule's numbers together: they may need each other
        try:
            choice(policy, **values)
        except SpecmodelError as error:
            wrong.append(Message("The link's values were left out: {error}.", {"error": error.message}))
            del found[policy]
    return found, wrong


def rule_numbers(page: Page, key: str) -> None:
    """Boxes for the numbers of one rule, in an expander that is open where one was changed."""
    _ = page.translate
    changed = _changed()[0].get(key, {})
    values = choice(key, **changed).values
    declared = declarations(find(key).params)
    if key == FIXED or not declared:
        return
    title = _("Numbers of this rule: {rule}").format(rule=_(find(key).label))
    with st.expander(title, expanded=bool(changed)):
        columns = st.columns(COLUMNS, gap="small")
        for index, each in enumerate(declared.values()):
            with columns[index % COLUMNS]:
                _box(page, key, each, values)
        st.caption(_("Assumed, unless the rule's source gives them; they are in the link."))


def _box(page: Page, key: str, declared: Param, values: Declared) -> None:
    _, name = page.translate, f"drift:{key}.{declared.name}"
    value = getattr(values, declared.name)
    st.session_state[name] = int(value) if declared.integer else float(value)
    unit = declared.unit_in(_)
    st.number_input(
        f"{_(declared.label)} ({unit})" if unit else _(declared.label),
        step=1 if declared.integer else None,
        format="%d" if declared.integer else "%.6g",
        key=name,
        help=_(declared.help),
        on_change=lambda: _change(key, declared, st.session_state[name]),
    )


def _change(key: str, declared: Param, value: Any) -> None:
    """Take over a number; what contradicts the others or is outside its range is refused with the reason."""
    changed, _wrong = _changed()
    values = {**changed.get(key, {}), declared.name: value}
    try:
        choice(key, **values)
    except SpecmodelError as error:
        st.session_state["complaints"] = (*state.complaints(), error.message)
        return
    state.set_option("tuned", _text({**changed, key: values}))


def _text(changed: dict[str, dict[str, Any]]) -> str:
    """The changes as the link writes them; what is the default again is left out."""
    return ",".join(
        f"{declared.key}:{declared.text(changed[policy][declared.name])}"
        for policy, declared in _declared().values()
        if changed.get(policy, {}).get(declared.name, declared.default) != declared.default
    )
