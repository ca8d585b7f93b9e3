"""A measured run beside what the model predicts from it: the same quantities, so that like is compared with like."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from specmodel.base.numbers import OutOfDomain
from specmodel.engine.answer import EngineAnswer, answer
from specmodel.engine.checked_numbers import TIMES, CaseError
from specmodel.engine.run import EngineRun
from specmodel.measured.intervals import Estimate
from specmodel.measured.rounds import MeasuredRounds
from specmodel.measured.rounds_counters import counters
from specmodel.model.scenario import Scenario


@dataclass(frozen=True)
class Comparison:
    """Estimates from some rounds of one run, and the model's predictions from them.

    `baseline_ms` is the time of a plain step; None uses the one the file measured beside each round, if it did.

    >>> from specmodel.measured.rounds import read_rounds
    >>> rounds = read_rounds("proposed,accepted,draft_ms,verify_ms\\n2,2,4,20\\n2,1,4,20\\n2,0,4,20\\n")
    >>> found = Comparison(rounds, baseline_ms=18)
    >>> found.alpha.value, round(found.predicted_length, 2), round(found.speedup.value, 2)
    (0.6, 1.96, 1.5)
    """

    rounds: MeasuredRounds
    baseline_ms: float | None = None

    @cached_property
    def alpha(self) -> Estimate:
        """One alpha by maximum likelihood: accepted ÷ (accepted + rounds that ended in a rejection)."""
        return self.rounds.alpha()

    @cached_property
    def conditional(self) -> tuple[Estimate, ...]:
        """Acceptance by position, given that all drafts before it were accepted."""
        return self.rounds.conditional_acceptance()

    @cached_property
    def answer(self) -> EngineAnswer:
        """The answer on these rounds together, whatever their settings; without times where they cannot be."""
        counted = counters(self.rounds)
        try:
            return answer(EngineRun(counted), plain_ms=self.baseline_ms)
        except CaseError:
            return answer(EngineRun(counted.replace(**dict.fromkeys(TIMES), pace=None)))

    @property
    def length(self) -> Estimate:
        """Measured tokens per round, bonus token included; rounds without a draft are rounds of one token."""
        return self.answer.tokens_per_step or Estimate(None, None, None)

    @property
    def speedup(self) -> Estimate | None:
        """Measured speedup: plain time of the same tokens ÷ time of the rounds; None without the times."""
        return self.answer.speedup

    @property
    def predicted_length(self) -> float | None:
        """Tokens per round from alpha, for the draft lengths that were really proposed."""
        return None if self.alpha.value is None else self.rounds.predicted_mean_acceptance_length(self.alpha.value)

    @property
    def mistaken_length(self) -> float | None:
        """The same if accepted ÷ proposed is taken for alpha: a common mistake, shown beside."""
        rate = self.rounds.draft_acceptance_rate
        return None if rate is None else self.rounds.predicted_mean_acceptance_length(rate)

    @property
    def predicted_speedup(self) -> float | None:
        """Predicted tokens per round × plain step ÷ measured time of a round."""
        length, rho = self.predicted_length, self.answer.case.rho
        return None if length is None or rho is None else length / rho

    def scenario(self, current: Scenario) -> Scenario | None:
        """The scenario that stands for this run: measured alpha and costs; None where they are unknown or impossible.

        The verification pass is charged as one plain step and an equal share of the rest to each further token; a
        pass that was measured faster than a plain step counts as one plain step. Rounds without a draft have no place
        in a scenario: the draft length is that of the rounds that drafted.

        >>> from specmodel.measured.rounds import read_rounds
        >>> rounds = read_rounds("proposed,accepted,draft_ms,verify_ms\\n2,1,4,20\\n")
        >>> found = Comparison(rounds, 18).scenario(Scenario())
        >>> found.draft_ms, found.verify_ms_per_token, found.num_speculative_tokens
        (2.0, 1.0, 2)
        """
        rounds, step, alpha = self.rounds, self.answer.case.plain_ms, self.alpha.value
        drafts = rounds.num_draft_tokens
        if step is None or alpha is None or not drafts or rounds.draft_ms is None or rounds.verify_ms is None:
            return None
        k = round(drafts / int((rounds.proposed > 0).sum()))
        extra = max(float(rounds.verify_ms.mean()) - step, 0.0)
        overhead = 0.0 if rounds.overhead_ms is None else float(rounds.overhead_ms.mean())
        try:
            return current.replace(
                alpha=round(alpha, 4),
                num_speculative_tokens=k,
                target_ms=round(step, 4),
                draft_ms=round(float(rounds.draft_ms.sum()) / drafts, 4),
                vocabulary_overlap=1,
                verify_ms_per_token=round(extra / k, 4),
                overhead_ms=round(overhead, 4),
                acceptance_shape=(),
            )
        except OutOfDomain:
            return None


def by_category(rounds: MeasuredRounds, baseline_ms: float | None = None) -> Sequence[tuple[str, Comparison]]:
    """One comparison for each category of the file; one for all where it has no categories.

    >>> from specmodel.measured.rounds import read_rounds
    >>> [name for name, _ in by_category(read_rounds("proposed,accepted,category\\n2,1,code\\n2,0,prose\\n"))]
    ['code', 'prose']
    """
    names = rounds.options().get("category", ())
    if len(names) < 2:
        return [(str(names[0]) if names else "", Comparison(rounds, baseline_ms))]
    return [(name, Comparison(rounds.select(category=name), baseline_ms)) for name in names]
