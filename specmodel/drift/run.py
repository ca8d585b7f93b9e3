"""Policies played on the same rounds, against no speculation and against the oracle, by request and by phase."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.drift.phases import Workload
from specmodel.drift.policies import Case, PolicyChoice, State, choice
from specmodel.drift.policy_run import PhaseOutcome, PolicyRun
from specmodel.drift.round_costs import RoundCosts
from specmodel.drift.rounds import Learning, Rounds, draw_rounds

ORACLE = "oracle"


@dataclass(frozen=True, eq=False)
class DriftRun:
    """Every policy on the same rounds; the oracle is always played beside them.

    Arrays by request have shape (requests,); `tokens_out` is the axis to draw them over.
    """

    rounds: Rounds
    costs: RoundCosts
    runs: tuple[PolicyRun, ...]
    oracle: PolicyRun

    def run(self, name: str) -> PolicyRun:
        """The run of the policy with this name; "oracle" is always the oracle, whatever name it was given."""
        for run in (*self.runs, self.oracle):
            if run.choice.name == name:
                return run
        if name == ORACLE:
            return self.oracle
        known = Verbatim(", ".join(run.choice.name for run in self.runs))
        message = "no policy named {name} was played; played were {known}"
        raise SpecmodelError(Message(message, {"name": Verbatim(name), "known": known}))

    @property
    def tokens_out(self) -> Ints:
        """Tokens out at the end of each answer."""
        out: Ints = self.rounds.starts[1:]
        return out

    @property
    def plain_ms(self) -> float:
        """Time of the whole workload without speculation."""
        return self.rounds.num_tokens * self.costs.plain_ms

    def speedup(self, name: str) -> float:
        """Time without speculation ÷ time of the policy, its changes of the draft length included."""
        return self.plain_ms / self.run(name).total_ms()

    def elapsed_ms(self, name: str) -> Floats:
        """Time of the policy up to the end of each answer."""
        return np.cumsum(self.run(name).request_ms)

    def saved_ms(self, name: str) -> Floats:
        """Time saved against no speculation up to the end of each answer; below 0 the policy has lost time so far."""
        saved: Floats = self.tokens_out * self.costs.plain_ms - self.elapsed_ms(name)
        return saved

    def regret_ms(self, name: str) -> Floats:
        """Time beyond the oracle's on the same draws, up to the end of each answer; by luck it can be below 0."""
        oracle = np.cumsum(self.oracle.request_ms)
        regret: Floats = self.elapsed_ms(name) - oracle
        return regret

    def saved_share(self, name: str) -> float | None:
        """Time that the policy saves ÷ what the oracle saves; None where the oracle saves nothing.

        Below 0 the policy loses time where speculation could save some.
        """
        possible = self.plain_ms - self.oracle.total_ms()
        return (self.plain_ms - self.run(name).total_ms()) / possible if possible > 0 else None

    def by_phase(self, name: str) -> tuple[PhaseOutcome, ...]:
        """What the policy did in each phase, in their order."""
        run = self.run(name)
        return tuple(self._phase(run, at) for at in range(len(self.rounds.workload.phases)))

    def losing_phases(self, name: str) -> tuple[str, ...]:
        """The phases in which the policy was slower than no speculation, each named once."""
        return tuple(dict.fromkeys(outcome.label for outcome in self.by_phase(name) if outcome.loses))

    def _phase(self, run: PolicyRun, at: int) -> PhaseOutcome:
        chosen = run.phase == at
        phase, ms = self.rounds.workload.phases[at], run.total_ms(chosen)
        drafted = int(run.num_speculative_tokens[chosen].sum())
        wasted = int(run.wasted[chosen].sum())
        return PhaseOutcome(
            label=phase.label,
            num_tokens=phase.num_tokens,
            num_rounds=int(chosen.sum()),
            num_draft_tokens=drafted,
            num_accepted_draft_tokens=drafted - wasted,
            num_wasted_draft_tokens=wasted,
            num_switches=int(run.switched[chosen].sum()),
            ms=ms,
            speedup=phase.num_tokens * self.costs.plain_ms / ms,
            regret_ms=ms - self.oracle.total_ms(self.oracle.phase == at),
        )


def simulate_drift(
    workload: Workload,
    costs: RoundCosts,
    policies: Sequence[PolicyChoice | str],
    seed: int = 0,
    learning: Learning | None = None,
) -> DriftRun:
    """Play policies on the same rounds of a workload.

    A policy is a key, for its defaults, or a `choice(…)`. `learning` is a draft that adapts (see
    `specmodel.drift.adaptation`).

    >>> from specmodel.drift.published import workload
    >>> run = simulate_drift(workload("shift"), RoundCosts([22, 25, 28, 31]), ["off", "heuristic"], seed=1)
    >>> run.speedup("off"), run.losing_phases("off"), bool(run.speedup("oracle") > run.speedup("heuristic"))
    (1.0, (), True)
    """
    choices = [choice(each) if isinstance(each, str) else each for each in policies]
    _check_names(choices)
    case = Case(costs, draw_rounds(workload, costs.max_k, seed, learning))
    runs = tuple(_play(each, case) for each in choices)
    found = [run for run in runs if run.choice.policy.key == ORACLE]
    return DriftRun(case.rounds, costs, runs, found[0] if found else _play(choice(ORACLE), case))


def _check_names(choices: list[PolicyChoice]) -> None:
    """Every name once; the oracle is played in any case, so its name is no other policy's."""
    names = [each.name for each in choices]
    for each in choices:
        if names.count(each.name) > 1 or (each.name == ORACLE and each.policy.key != ORACLE):
            message = "two policies are named {name}: give each choice its own name"
            raise SpecmodelError(Message(message, {"name": Verbatim(each.name)}))


def _play(chosen: PolicyChoice, case: Case) -> PolicyRun:
    """Round after round through every answer: all that depends on what came before happens here."""
    controller, state, rounds = chosen.start(case), State(), case.rounds
    choose, observe, longest = controller.choose, controller.observe, rounds.longest.tolist()
    lengths: list[int] = []
    kept: list[int] = []
    counts: list[int] = []
    token, most = 0, case.costs.max_k
    for request, end in enumerate(rounds.starts[1:].tolist()):
        state.request, before = request, len(lengths)
        while token < end:
            state.token = token
            k = choose(state)
            if not 0 <= k <= most:
                raise _no_cost(chosen, k, most)
            accepted = min(k, longest[token])
            observe(k, accepted)
            lengths.append(k)
            kept.append(accepted)
            token += accepted + 1
        token = end
        counts.append(len(lengths) - before)
    return _collected(chosen, case, np.array(lengths), np.array(kept), np.array(counts))


def _no_cost(chosen: PolicyChoice, k: int, most: int) -> SpecmodelError:
    message = "policy {name} asked for {k} drafts: there are costs for 0 to {most}"
    return SpecmodelError(Message(message, {"name": Verbatim(chosen.name), "k": k, "most": most}))


def _collected(chosen: PolicyChoice, case: Case, k: Ints, accepted: Ints, counts: Ints) -> PolicyRun:
    request = np.repeat(np.arange(counts.size), counts)
    out = np.cumsum(accepted + 1) - (accepted + 1)  # as if no answer ended; then moved to where each answer starts
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    start = out + (case.rounds.starts[:-1] - out[first])[request]
    return PolicyRun(chosen, case.rounds, case.costs, k, accepted, request, start)
