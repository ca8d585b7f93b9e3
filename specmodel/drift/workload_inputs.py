"""Workloads from what a visitor gives: how much requests differ, and groups of requests that were measured."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from specmodel.base.messages import N_, SpecmodelError
from specmodel.base.numbers import number_between
from specmodel.drift.phases import Phase, Workload
from specmodel.engine.case import EngineCase
from specmodel.model.acceptance import Acceptance

MOST_PERSISTENT = 0.99
MOST_GROUPS = 12
MEASURED = "measured"


def with_spread(workload: Workload, spread: float) -> Workload:
    """The workload with requests whose acceptance has this standard deviation inside each phase.

    A Beta distribution of mean m whose two parameters add up to 1/persistence − 1 has the variance
    m·(1 − m)·persistence, so persistence = spread² ÷ (m·(1 − m)), and at most 0.99 (derived here).

    >>> from specmodel.drift.published import workload
    >>> [round(phase.persistence, 3) for phase in with_spread(workload("shift"), 0.1).phases]
    [0.093, 0.04, 0.093]
    """
    spread = number_between(spread, "spread", 0, 1)
    phases = []
    for phase in workload.phases:
        mean = float(np.mean(phase.alphas))
        room = mean * (1 - mean)
        persistence = min(spread**2 / room, MOST_PERSISTENT) if room > 0 else 0.0
        phases.append(replace(phase, persistence=persistence))
    return replace(workload, phases=tuple(phases))


def measured_workload(cases: Sequence[EngineCase]) -> Workload | None:
    """Groups of requests as phases, one after another, in their order; None where fewer than two tell their acceptance.

    Each has one acceptance at every position, solved for from its tokens per round. What a group does not tell is left
    out, and so is what comes after twelve groups.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> counted = [SpecStats("a", "b", label=name, num_speculative_tokens=2, num_rounds=100,
    ...                      num_draft_tokens=200, num_accepted_draft_tokens=kept)
    ...            for name, kept in (("code", 144), ("chat", 75))]
    >>> found = measured_workload([EngineCase(each) for each in counted])
    >>> [(each.label, round(each.alpha, 3)) for each in found.phases]
    [('code', 0.8), ('chat', 0.5)]
    """
    found: dict[str, Phase] = {}
    for case in cases:
        alpha, label = _alpha(case), case.stats.label or "–"
        if alpha is not None and label not in found and len(found) < MOST_GROUPS:
            found[label] = Phase(label, alpha=alpha, temperature=case.stats.temperature, kind=MEASURED)
    if len(found) < 2:
        return None
    phases = tuple(found.values())
    description = N_(
        "The kinds of requests of the Measure page, one after another; their order and length are assumed."
    )
    return Workload("groups", N_("Your groups"), phases, description)


def _alpha(case: EngineCase) -> float | None:
    """The one acceptance that gives the tokens per round of a measurement; None where it does not hold enough."""
    try:
        measured = case.acceptance.acceptance
        k = measured.num_speculative_tokens
        solved = Acceptance.from_mean_acceptance_length(min(measured.mean_acceptance_length, k + 1.0), k)
    except SpecmodelError:
        return None
    return float(solved.conditional_acceptance[0]) if k else None
