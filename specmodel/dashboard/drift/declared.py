"""What the Drift page declares of itself."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from specmodel.base.messages import N_
from specmodel.dashboard.drift.values import DriftLesson
from specmodel.dashboard.lesson.declared import LessonSeed
from specmodel.dashboard.session.declaration import (
    Experiment,
    LessonPart,
    Option,
    Options,
    PageDeclaration,
    Panel,
    fields_of,
)
from specmodel.drift.adaptation import Adaptation
from specmodel.drift.boundary import failure_boundary, phase_speedups
from specmodel.drift.phases import Phase
from specmodel.drift.plan import best_plan
from specmodel.drift.policies import policies
from specmodel.drift.published import workloads
from specmodel.drift.rounds import draw_rounds
from specmodel.drift.workload_inputs import with_spread
from specmodel.model.scenario import Scenario

GROUPS = "groups"
"""The workload of the groups on the engine page."""
OWN = "own"
"""The workload of the phases that a visitor edits."""
DRIFT_RULES = tuple(each.key for each in policies() if each.key not in ("off", "oracle"))
SOME_RULES = tuple(
    "_".join(chosen) for count in range(len(DRIFT_RULES) + 1) for chosen in combinations(DRIFT_RULES, count)
)


_SLOW_DRAFTER: Mapping[str, Any] = {
    "num_speculative_tokens": 5,
    "target_ms": 22,
    "draft_ms": 9,
    "verify_ms_per_token": 0,
    "overhead_ms": 0,
}


def _panel(options: Options) -> Panel:
    main = (
        *fields_of(Scenario, "num_speculative_tokens", "target_ms", "draft_ms"),
        *fields_of(DriftLesson, "switching_ms"),
        *fields_of(LessonSeed, "lesson_seed"),
    )
    more = (
        *fields_of(Scenario, "verify_ms_per_token", "overhead_ms"),
        *fields_of(DriftLesson, "spread"),
        *fields_of(Adaptation, "learning_rate", "gain", "training_share", "training_ms"),
    )
    return Panel("drift", main, more, N_("Costs, requests and learning"))


LESSON = {
    "workload": LessonPart(
        2,
        N_("Acceptance is no constant of two models: it changes with what they are asked."),
        (
            Experiment(
                N_("A sudden shift"),
                N_(
                    "From code to role play and back: the acceptance falls at once, and the draft length of the "
                    "rule follows it."
                ),
                {},
                {"workload": "shift"},
            ),
            Experiment(
                N_("Requests that differ more"),
                N_("The dots spread: one draft length for all of a phase fits fewer of its requests."),
                {DriftLesson: {"spread": 0.25}},
            ),
        ),
    ),
    "boundary": LessonPart(
        2,
        N_("Below its break-even acceptance speculation is slower than none, however good it is elsewhere."),
        (
            Experiment(
                N_("A slower drafter"),
                N_(
                    "At 9 ms a draft, 22 ms a step and k = 5 a round costs what 3.05 plain steps do, which takes "
                    "an acceptance of 0.716: three of the five phases of the day now lose."
                ),
                {Scenario: _SLOW_DRAFTER},
                {"workload": "day"},
            ),
        ),
    ),
    "rules": LessonPart(
        1,
        N_("No rule sees what comes; it can watch what is accepted, and know what a round costs."),
        (
            Experiment(
                N_("Every change costs 20 ms"),
                N_("A fixed length changes nothing and loses nothing; a rule pays as often as it changes."),
                {DriftLesson: {"switching_ms": 20}},
            ),
        ),
    ),
    "phases": LessonPart(
        1,
        N_("Sums hide losses: look at the worst phase too."),
        (
            Experiment(
                N_("A slower drafter, a sudden shift"),
                N_(
                    "At 9 ms a draft the fixed length is slower than plain decoding in “Role play”; the rule that "
                    "drafts for most tokens per time is not."
                ),
                {Scenario: _SLOW_DRAFTER},
                {"workload": "shift"},
            ),
        ),
    ),
    "learning": LessonPart(
        1,
        N_("A draft that learns wins acceptance back; it pays if its training costs less than that saves."),
        (
            Experiment(
                N_("Training takes 30 % of the time"),
                N_("Learning now costs more than it gains: the gain is below 1×."),
                {Adaptation: {"training_share": 0.3}},
            ),
            Experiment(
                N_("A draft that learns ten times as fast"),
                N_("The acceptance reaches its ceiling soon after each change, and learning gains more."),
                {Adaptation: {"learning_rate": 0.02}},
            ),
        ),
    ),
}

DECLARED = PageDeclaration(
    key="drift",
    title=N_("Drift"),
    section=N_("Learn"),
    order=100,
    question=N_("What happens when the workload changes?"),
    panel=_panel,
    options=(
        Option("workload", "day", (*(each.key for each in workloads()), GROUPS, OWN)),
        Option("phases", "", None),
        Option("rules", "_".join(DRIFT_RULES), SOME_RULES),
        Option("rule", "goodput", tuple(each.key for each in policies() if each.key != "off")),
        Option("tuned", "", None),
    ),
    groups=lambda options: (DriftLesson(), Adaptation()),
    explains=(
        failure_boundary,
        phase_speedups,
        Phase,
        with_spread,
        draw_rounds,
        best_plan,
        Adaptation.learned,
    ),
    lesson=LESSON,
)
