"""What is estimated from the rounds of a real run: alpha, acceptance by position, tokens per round, speed."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from specmodel.measured.intervals import Estimate, block_bootstrap_ratio, clustered_proportion
from specmodel.measured.rounds_file import read_table
from specmodel.measured.rounds_table import Floats, RoundsTable
from specmodel.model.acceptance import Acceptance


@dataclass(frozen=True, eq=False)
class MeasuredRounds(RoundsTable):
    """Measured rounds with the estimates that can be made from them, each with its interval where it has one.

    >>> rounds = read_rounds("proposed,accepted\\n2,2\\n2,1\\n2,0\\n0,0\\n")
    >>> rounds.alpha().value, rounds.mean_acceptance_length().value
    (0.6, 1.75)
    """

    @property
    def share_with_draft(self) -> float | None:
        """Share of the rounds in which anything was drafted: below 1 for a lookup, which often finds nothing."""
        return float(np.mean(self.proposed > 0)) if self.num_rounds else None

    def alpha(self) -> Estimate:
        """The one alpha under which the counts are most likely.

            alpha = accepted / (accepted + rounds that ended in a rejection)

        A round is a row of trials that ends at its first rejection: drafts behind it were never tried, so dividing by
        all proposed drafts makes alpha too small. Maximum likelihood for the capped geometric distribution of
        Leviathan et al. 2023, definition 3.1 (derived here). The interval is the wider of Wilson's and a bootstrap
        over requests.

        >>> rounds = read_rounds("proposed,accepted\\n4,4\\n4,1\\n4,1\\n")
        >>> rounds.alpha().value, rounds.draft_acceptance_rate
        (0.75, 0.5)
        """
        tried = self.accepted + (self.accepted < self.proposed)
        return clustered_proportion(self.accepted, tried, clusters=self.request)

    def conditional_acceptance(self) -> tuple[Estimate, ...]:
        """a_1, a_2, …: the share of the rounds that reached position i in which draft i was accepted.

            a_i = rounds with accepted ≥ i / rounds with proposed ≥ i and accepted ≥ i − 1

        It stops before the first position that no round reached.

        >>> [a.value for a in read_rounds("proposed,accepted\\n2,2\\n2,1\\n2,0\\n0,0\\n").conditional_acceptance()]
        [0.6666666666666666, 0.5]
        """
        estimates = []
        for position in range(1, int(self.proposed.max(initial=0)) + 1):
            tried = (self.proposed >= position) & (self.accepted >= position - 1)
            if not tried.any():
                break
            estimates.append(clustered_proportion(self.accepted >= position, tried, clusters=self.request))
        return tuple(estimates)

    def acceptance(self) -> Acceptance:
        """The distribution of a round in which every position is proposed: the a_i chained, S_j = a_1 ··· a_j.

        Where rounds proposed less than k, it says what full rounds would do; the rounds as they were have
        `mean_acceptance_length`.

        >>> read_rounds("proposed,accepted\\n2,2\\n2,1\\n").acceptance().per_position_acceptance
        (1.0, 0.5)
        """
        return Acceptance.from_conditional([a.value for a in self.conditional_acceptance() if a.value is not None])

    def mean_acceptance_length(self) -> Estimate:
        """Tokens per round, bonus token included, with a bootstrap interval over requests or blocks of rounds.

            tau = 1 + accepted / rounds

        >>> read_rounds("proposed,accepted\\n2,2\\n2,1\\n").mean_acceptance_length().value
        2.5
        """
        return block_bootstrap_ratio(self.accepted + 1, np.ones(self.num_rounds), clusters=self.request)

    def predicted_mean_acceptance_length(self, alpha: float) -> float | None:
        """Tokens per round that the model predicts from one alpha, for rounds that propose as much as these did.

            mean over the rounds of 1 + alpha + … + alpha^proposed

        (Leviathan et al. 2023, eq. 1, averaged over the lengths proposed.)

        >>> read_rounds("proposed,accepted\\n2,2\\n0,0\\n").predicted_mean_acceptance_length(0.5)
        1.375
        """
        if not self.num_rounds:
            return None
        lengths = np.bincount(self.proposed)
        tau = [Acceptance.iid(alpha, k).mean_acceptance_length for k in range(lengths.size)]
        return float(lengths @ tau) / self.num_rounds

    @cached_property
    def _round_ms(self) -> Floats | None:
        if self.draft_ms is None or self.verify_ms is None:
            return None
        total: Floats = self.draft_ms + self.verify_ms
        return total if self.overhead_ms is None else total + self.overhead_ms

    @property
    def round_ms(self) -> float | None:
        """Mean time of a round: drafting, verification and, where the file has it, overhead."""
        return _mean(self._round_ms)

    @property
    def draft_ms_per_token(self) -> float | None:
        """Drafting time ÷ draft tokens."""
        if self.draft_ms is None or not self.num_draft_tokens:
            return None
        return float(self.draft_ms.sum()) / self.num_draft_tokens

    @property
    def verify_ms_per_round(self) -> float | None:
        """Mean time of the target's pass over the drafts of a round."""
        return _mean(self.verify_ms)

    @property
    def overhead_ms_per_round(self) -> float | None:
        """Mean time of a round outside both models; None when the file does not say."""
        return _mean(self.overhead_ms)

    @property
    def baseline_ms_per_token(self) -> float | None:
        """Time of a plain step for each token that these rounds emitted; None when the file does not say."""
        if self.baseline_ms is None or not self.num_rounds:
            return None
        return float(self.baseline_ms @ (self.accepted + 1)) / self.num_tokens

    @property
    def measured_tpot_ms(self) -> float | None:
        """Time per output token: total time of the rounds ÷ tokens emitted.

        >>> read_rounds("proposed,accepted,draft_ms,verify_ms\\n2,2,4,20\\n2,0,4,20\\n").measured_tpot_ms
        12.0
        """
        return float(self._round_ms.sum()) / self.num_tokens if self._round_ms is not None and self.num_rounds else None

    def speedup(self, baseline_ms_per_token: float | None = None) -> Estimate | None:
        """Time the same tokens take without speculation ÷ time the rounds took; None without the times.

            speedup = Σ (accepted + 1)·baseline_ms / Σ (draft_ms + verify_ms + overhead_ms)

        Without an argument the plain step measured beside each round is used, where the file has it.

        >>> rounds = read_rounds("proposed,accepted,draft_ms,verify_ms\\n2,2,4,20\\n2,0,4,20\\n")
        >>> rounds.speedup(18).value
        1.5
        """
        step: Floats | float | None = self.baseline_ms if baseline_ms_per_token is None else baseline_ms_per_token
        if step is None or self._round_ms is None:
            return None
        return block_bootstrap_ratio((self.accepted + 1) * step, self._round_ms, clusters=self.request)


def _mean(values: Floats | None) -> float | None:
    return None if values is None or not values.size else float(values.mean())


def read_rounds(source: str | bytes | Path, name: str = "") -> MeasuredRounds:
    """Rounds from a CSV file: text is its content, a path is a file, bytes may be gzip; else `RoundsError`.

    Needed are the columns `proposed` and `accepted`; `rounds_file.NUMBERS` and
    `rounds_file.TEXTS` list the others.

    >>> read_rounds(b"proposed;accepted;note\\n3;1;x\\n").ignored_columns
    ('note',)
    """
    table = read_table(source)
    return MeasuredRounds(**table.columns, ignored_columns=table.ignored, name=name)
