"""Workloads from what a visitor gives: how much requests differ, and groups of requests that were measured."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from specmodel.base.messages import N_
from specmodel.base.numbers import number_between
from specmodel.drift.phases import Phase, Workload
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


def measured_workload(groups: Sequence[tuple[str, Acceptance, float | None]]) -> Workload | None:
    """Groups of requests as phases, one after another, in their order; None where there are fewer than two.

    A group is its label, its acceptance and its temperature (None: unknown). A phase has one acceptance at every
    position, solved for from the tokens per round. Of several groups with one label the first is kept, and what comes
    after twelve groups is left out.

    >>> found = measured_workload([("code", Acceptance.iid(0.8, 2), 0.0), ("chat", Acceptance.iid(0.5, 2), None)])
    >>> [(each.label, round(each.alpha, 3)) for each in found.phases]
    [('code', 0.8), ('chat', 0.5)]
    """
    phases: dict[str, Phase] = {}
    for name, acceptance, temperature in groups:
        label = name or "–"
        if acceptance.num_speculative_tokens and label not in phases and len(phases) < MOST_GROUPS:
            phases[label] = Phase(label, alpha=_alpha(acceptance), temperature=temperature, kind=MEASURED)
    if len(phases) < 2:
        return None
    description = N_(
        "The kinds of requests of the Measure page, one after another; their order and length are assumed."
    )
    return Workload("groups", N_("Your groups"), tuple(phases.values()), description)


def _alpha(measured: Acceptance) -> float:
    """The one acceptance at every position that gives the same tokens per round."""
    k = measured.num_speculative_tokens
    solved = Acceptance.from_mean_acceptance_length(min(measured.mean_acceptance_length, k + 1.0), k)
    return float(solved.conditional_acceptance[0])
