"""The answer on a measured engine in one object: should speculation be on, how long drafts, what to paste."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from specmodel.base.messages import Message, SpecmodelError
from specmodel.engine.case import EngineCase
from specmodel.engine.group_symptoms import group_symptoms
from specmodel.engine.groups import GroupRow, group_row
from specmodel.engine.lengths import LengthChoice, best_choice, length_choices
from specmodel.engine.mix import Mix, mix
from specmodel.engine.next_setting import NextSetting, next_setting
from specmodel.engine.run import EngineRun, assemble
from specmodel.engine.sweep import MeasuredSetting, best_by_batch, chains_at, same_way, settings
from specmodel.engine.sweep_lengths import fitted_cost, setting_choices
from specmodel.engine.symptoms import Symptom, symptoms
from specmodel.engine.to_paste import ToPaste, to_paste
from specmodel.engine.tried import Tried, tried_settings
from specmodel.engine.unused import Unused, unused_positions
from specmodel.engine.verdict import engine_verdict
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.measured.intervals import Estimate
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.acceptance import Acceptance
from specmodel.model.outcome import Verdict
from specmodel.model.step_cost import StepCost


@dataclass(frozen=True)
class EngineAnswer:
    """Everything that follows from one measured run; each part is computed when it is first asked for, and kept.

    `run` is what was measured, `case` the same with the times and the draft length that were typed beside it, `shares`
    are the groups' shares of the output tokens (None: unknown, all groups count the same).
    """

    run: EngineRun
    case: EngineCase
    shares: tuple[float, ...] | None = None

    @property
    def stats(self) -> SpecStats:
        """The counters that the verdict is about."""
        return self.run.stats

    @cached_property
    def _acceptance(self) -> tuple[MeasuredAcceptance | None, Message | None]:
        try:
            return self.case.acceptance, None
        except SpecmodelError as error:
            return None, error.message

    @property
    def acceptance(self) -> MeasuredAcceptance | None:
        """Acceptance by position with its intervals; None where the counters do not hold enough, see `missing`."""
        return self._acceptance[0]

    @property
    def missing(self) -> Message | None:
        """Why there is no acceptance; None where there is one."""
        return self._acceptance[1]

    @cached_property
    def verdict(self) -> Verdict:
        """Whether it pays (`kind`) and why (`reason`).

        `off` where a number is missing that this needs, `not_comparable` where the baseline is none for this run.
        """
        found = engine_verdict(self.case)
        nothing = self.case.decode_speedup is None and self.case.tokens_per_step is None
        if found.kind == "off" and self.missing is not None and nothing:
            return Verdict("off", self.missing)
        return found

    @property
    def speedup(self) -> Estimate | None:
        """Decode speedup with its 95 % interval; None where a time is unknown, or the baseline is none for this run."""
        return self.case.speedup

    @property
    def tokens_per_step(self) -> Estimate | None:
        """Tokens per decoding step, steps without a draft included, with its 95 % interval."""
        return self.case.tokens_per_step_estimate

    @cached_property
    def sweep(self) -> tuple[MeasuredSetting, ...]:
        """The settings of a file that measured several; empty for any other."""
        return settings(self.stats, self.case.plain_ms)

    @cached_property
    def _own_way(self) -> tuple[MeasuredSetting, ...]:
        """The settings that draft as the main one does: of two ways of drafting no curve can be drawn."""
        return same_way(self.sweep, self.stats)

    @cached_property
    def tried(self) -> tuple[Tried, ...]:
        """Every setting of a file that ran under the conditions of the main one, compared; empty for any other file."""
        return tried_settings(self.stats, self.case.plain_ms)

    @cached_property
    def next_setting(self) -> NextSetting | None:
        """What to measure next; None for a file that is no sweep."""
        return next_setting(self.case, self.lengths, self.tried) if self.stats.parts_are_settings else None

    @cached_property
    def step_cost(self) -> StepCost | None:
        """Fixed cost and cost per draft fitted over the measured draft lengths of a sweep; None for any other file."""
        return fitted_cost(chains_at(self._own_way, self.stats.batch_size))

    @cached_property
    def best_by_batch(self) -> dict[float, MeasuredSetting]:
        """The fastest measured setting of each batch size of a sweep."""
        return best_by_batch(self.sweep)

    @cached_property
    def lengths(self) -> tuple[LengthChoice, ...]:
        """Every draft length from 0 (off) on: as measured in a sweep, else predicted from the one that ran."""
        measured = setting_choices(self._own_way, self.stats.batch_size)
        return measured or (length_choices(self.case) if self.acceptance else ())

    @cached_property
    def best(self) -> LengthChoice | None:
        """The fastest draft length up to the longest that ran; None without times."""
        return best_choice(self.lengths)

    @cached_property
    def unused(self) -> Unused | None:
        """Draft positions that were never accepted; None where there are none, or nobody counted them."""
        return unused_positions(self.case, self.acceptance)

    @cached_property
    def groups(self) -> tuple[GroupRow, ...]:
        """One row for each kind of request."""
        cases = self.run.group_cases(self.case.k_typed, self.case.plain_ms_typed)
        shares = self.shares or [None] * len(cases)
        return tuple(group_row(case, share) for case, share in zip(cases, shares, strict=True))

    @cached_property
    def mix(self) -> Mix | None:
        """What all groups give together; None where there are fewer than two."""
        return mix(self.groups) if len(self.groups) > 1 else None

    @cached_property
    def group_acceptances(self) -> tuple[tuple[str, Acceptance, float | None], ...]:
        """Label, acceptance and temperature of every group that tells its acceptance."""
        rows = []
        for case in self.run.group_cases(self.case.num_speculative_tokens):
            try:
                rows.append((case.stats.label, case.acceptance.acceptance, case.stats.temperature))
            except SpecmodelError:
                continue  # a group that was not counted says nothing; the others do
        return tuple(rows)

    @cached_property
    def symptoms(self) -> tuple[Symptom, ...]:
        """What may be wrong with the engine's speculation, the gravest first."""
        return (*symptoms(self.stats), *group_symptoms(self.run.groups))

    @cached_property
    def to_paste(self) -> ToPaste | None:
        """The configuration that follows; None where no draft length is known."""
        return to_paste(self.case, self.acceptance, self.lengths, self.best_by_batch, self.unused)


def answer(
    stats: SpecStats | EngineRun,
    baseline: SpecStats | None = None,
    plain_ms: float | None = None,
    round_ms: float | None = None,
    num_speculative_tokens: int | None = None,
    shares: Sequence[float] | None = None,
    loaded_off_ms: float | None = None,
) -> EngineAnswer:
    """The answer on what `logs.parse` read (or `assemble` put together from several files).

    `baseline` is a run of the same work without speculation, at like load; one that speculates itself, or ran at
    another load, gives no speedup (`verdict.kind` is "not_comparable"). Where a file does not hold it, give the time
    of a plain decoding step (`plain_ms`), that of a step with speculation (`round_ms`), or the draft length
    (`num_speculative_tokens`; one that the file tells of counts more). `shares` of the output tokens, one for each
    group, stand for another mix than the measured one; `loaded_off_ms` is a step with the drafter loaded and nothing
    drafted, which tells the fixed cost of speculation. Raises `StatsError` where nothing speculates and `CaseError`
    for a time or a draft length that cannot be.

    >>> stats = SpecStats("vLLM", "log", num_speculative_tokens=3, num_rounds=100, num_draft_tokens=300,
    ...                   num_accepted_draft_tokens=180, accepted_per_position=(76, 59, 45), step_ms=12.5)
    >>> found = answer(stats, plain_ms=9.8)
    >>> found.verdict.kind, round(found.speedup.value, 2), found.best.num_speculative_tokens
    ('pays', 2.2, 3)
    >>> found.to_paste.pasted(method="mtp").snippet.text.split(" --")[0]
    'vllm serve YOUR_MODEL'
    """
    run = assemble([stats]) if isinstance(stats, SpecStats) else stats
    run = run.compared_with(baseline) if baseline else run
    given = tuple(shares) if shares is not None and len(shares) == len(run.groups) else run.shares
    return EngineAnswer(run, run.case(num_speculative_tokens, plain_ms, round_ms, loaded_off_ms), given)
