"""The race of the Drift page: every rule over one workload, as the link asks for it. No Streamlit."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import Message
from specmodel.dashboard.drift.declared import OWN
from specmodel.dashboard.drift.phases import own_workload, read_phases, write_phases
from specmodel.dashboard.drift.tuned import FIXED, read_tuned
from specmodel.dashboard.drift.values import DriftLesson
from specmodel.dashboard.lesson.declared import LessonSeed
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.drift.adaptation import Adaptation, AdaptationOutcome, compare_adaptation
from specmodel.drift.boundary import Boundary, failure_boundary, phase_speedups
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.policies import PolicyChoice, choice, policies
from specmodel.drift.published import workloads
from specmodel.drift.round_costs import RoundCosts, round_costs
from specmodel.drift.run import DriftRun, simulate_drift
from specmodel.drift.workload_inputs import with_spread
from specmodel.model.scenario import Scenario

LEAST_MAX_K = 16
"""Rules may draft at least so many tokens, or the slider's k where that is more."""


@dataclass(frozen=True)
class Race:
    """Who runs, and over what. `k` is the fixed length: the slider's, but 1 where that is off. Times are in ms."""

    workload: Workload
    costs: RoundCosts
    k: int
    choices: tuple[PolicyChoice, ...]
    seed: int


@lru_cache(maxsize=12)
def run_of(race: Race) -> DriftRun:
    """Every rule on the same rounds."""
    return simulate_drift(race.workload, race.costs, race.choices, race.seed)


@lru_cache(maxsize=64)
def boundary_of(race: Race) -> Boundary:
    """Where the fixed length stops paying, and the phases beside it."""
    return failure_boundary(race.costs, race.k, race.workload)


@lru_cache(maxsize=64)
def speedups_of(race: Race) -> NDArray[np.float64]:
    """Long-run speedup of each phase at each draft length."""
    return phase_speedups(race.workload, race.costs)


@lru_cache(maxsize=12)
def learning_of(race: Race, rules: tuple[str, ...], adaptation: Adaptation) -> AdaptationOutcome:
    """Some of the rules with a draft that learns, and with one that does not."""
    choices = [each for each in race.choices if each.name in rules]
    return compare_adaptation(race.workload, race.costs, choices, adaptation, race.seed)


def race_of(chosen: Chosen, translate: Translator, groups: Workload | None = None, before: str = "") -> Race:
    """The race that the link asks for; `groups` and `before` as in `workload_of`.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> race = race_of(read_link({"workload": "shift", "k": "0"})[0], translator("en"))
    >>> race.workload.key, race.k, race.costs.max_k
    ('shift', 1, 16)
    """
    scenario, lesson = chosen.scenario, chosen.group(DriftLesson)
    workload = with_spread(workload_of(chosen, translate, groups, before), lesson.spread)
    k = fixed_length(scenario)
    costs = round_costs(scenario, max(LEAST_MAX_K, k), lesson.switching_ms)
    values = {**read_tuned(str(chosen.option("tuned")))[0], FIXED: {"num_speculative_tokens": k}}
    choices = tuple(choice(rule.key, **values.get(rule.key, {})) for rule in policies())
    return Race(workload, costs, k, choices, chosen.group(LessonSeed).lesson_seed)


def fixed_length(scenario: Scenario) -> int:
    """The slider's k, but 1 where that is off.

    >>> fixed_length(Scenario(num_speculative_tokens=0))
    1
    """
    return max(scenario.num_speculative_tokens, 1)


def offered_workloads(groups: Workload | None) -> dict[str, Workload]:
    """The workloads to choose from by key: the published ones, and the measured groups where there are some.

    >>> list(offered_workloads(None))[0]
    'day'
    """
    return {each.key: each for each in (*workloads(), *([groups] if groups else []))}


def start_of(groups: Workload | None, before: str) -> Workload:
    """The workload that a visitor's own phases start from: the one that was chosen before, else the first.

    >>> start_of(None, "shift").key, start_of(None, "groups").key
    ('shift', 'day')
    """
    offered = offered_workloads(groups)
    return offered.get(before, next(iter(offered.values())))


def workload_of(chosen: Chosen, translate: Translator, groups: Workload | None = None, before: str = "") -> Workload:
    """The workload that the link asks for.

    `groups` are the groups that the engine page measured, as a workload; None where it has none, and then the first
    published workload stands for them. `before` is the key of the workload that was chosen before the visitor's own
    phases: its phases stand for these where the link holds none.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> link = {"workload": "own", "phases": "Chat_0.6_12_150"}
    >>> [phase.label for phase in workload_of(read_link(link)[0], translator("en")).phases]
    ['Chat']
    """
    if chosen.option("workload") != OWN:
        return start_of(groups, str(chosen.option("workload")))
    return own_workload(phases_in_link(chosen, start_of(groups, before))[0], translate)


def phases_in_link(chosen: Chosen, start: Workload) -> tuple[tuple[Phase, ...], tuple[Message, ...]]:
    """The visitor's own phases, else those of `start`; and what of the link could not be used."""
    text = str(chosen.option("phases"))
    phases, wrong = read_phases(text)
    if phases:
        return phases, wrong
    if text:
        message = "The link holds no phase that can be used: those of {label} are shown instead."
        wrong = (*wrong, Message(message, {"label": start.label}))
    return read_phases(write_phases(start.phases))[0], wrong  # as a link will hold them, to the last digit
