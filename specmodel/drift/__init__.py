"""What happens when the workload changes: policies that choose the draft length, played on the same seeded rounds.

>>> from specmodel.model.scenario import Scenario
>>> run = simulate_drift(workload("shift"), round_costs(Scenario(), 8), ["off", "fixed", "goodput"], seed=1)
>>> run.speedup("off")
1.0
"""

from specmodel.drift.adaptation import Adaptation, AdaptationOutcome, acceptance_over_tokens, compare_adaptation
from specmodel.drift.boundary import Boundary, PhaseAtLength, failure_boundary, phase_speedups
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.plan import Plan, best_plan
from specmodel.drift.policies import Policy, PolicyChoice, choice
from specmodel.drift.policy_run import PhaseOutcome, PolicyRun
from specmodel.drift.published import DOMAINS, PublishedPhase, published_phase, published_phases, workload, workloads
from specmodel.drift.round_costs import RoundCosts, round_costs
from specmodel.drift.rounds import Rounds, draw_rounds
from specmodel.drift.run import DriftRun, simulate_drift

__all__ = [
    "DOMAINS",
    "Adaptation",
    "AdaptationOutcome",
    "Boundary",
    "DriftRun",
    "Phase",
    "PhaseAtLength",
    "PhaseOutcome",
    "Plan",
    "Policy",
    "PolicyChoice",
    "PolicyRun",
    "PublishedPhase",
    "RoundCosts",
    "Rounds",
    "Workload",
    "acceptance_over_tokens",
    "best_plan",
    "choice",
    "compare_adaptation",
    "draw_rounds",
    "failure_boundary",
    "phase_speedups",
    "published_phase",
    "published_phases",
    "round_costs",
    "simulate_drift",
    "workload",
    "workloads",
]
