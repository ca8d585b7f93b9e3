"""The measured settings of a sweep (draft lengths, batch sizes): nothing is predicted, the fastest is looked up."""

from collections.abc import Sequence
from dataclasses import dataclass

from specmodel.engine.lengths import LengthChoice
from specmodel.engine.speed import tpot_ms
from specmodel.measured.intervals import Estimate, estimate
from specmodel.measured.spec_stats import SpecStats


@dataclass(frozen=True)
class MeasuredSetting:
    """One measured setting of a sweep: its draft length, batch, and decode speedup over the plain run of that batch."""

    stats: SpecStats
    batch_size: float | None
    num_speculative_tokens: int
    speedup: float | None

    @property
    def is_tree(self) -> bool:
        """Whether it drafts trees: SGLang's benchmark says so by a top-k above 1, which stands in the label."""
        return "top-k" in self.stats.label


def settings(stats: SpecStats, plain_ms: float | None = None) -> tuple[MeasuredSetting, ...]:
    """The settings of a file that measured several, each against the plain run of the same batch; off counts as 1.

    Where the file has no plain run of a batch, `plain_ms` (typed, or of another file) or the plain step measured beside
    the rounds takes its place. A setting that speculates with an unknown draft length is left out: it could only pass
    for off. Of several temperatures that of the file's main setting counts.

    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, batch_size=1.0)
    >>> fast = SpecStats("a", "b", num_speculative_tokens=3, tpot_ms=5.0, batch_size=1.0)
    >>> [each.speedup for each in settings(fast.replace(parts=(plain, fast), parts_are_settings=True))]
    [1.0, 2.0]
    """
    if not stats.parts_are_settings:
        return ()
    plain = {part.batch_size: tpot_ms(part) for part in stats.parts if not part.speculation}
    return tuple(
        MeasuredSetting(
            part,
            part.batch_size,
            (part.num_speculative_tokens or 0) if part.speculation else 0,
            _ratio(plain.get(part.batch_size) or plain_ms or part.plain_ms, tpot_ms(part)),
        )
        for part in stats.parts
        if (part.num_speculative_tokens or not part.speculation) and part.temperature in (None, stats.temperature)
    )


def setting_choices(measured: Sequence[MeasuredSetting], batch_size: float | None) -> tuple[LengthChoice, ...]:
    """The measured chains of one batch size as draft lengths, off first: nothing is predicted. Empty without times.

    >>> plain = SpecStats("a", "b", speculation=False, step_ms=10.0, batch_size=1.0)
    >>> fast = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.0, step_ms=10.0, batch_size=1.0)
    >>> measured = settings(fast.replace(parts=(plain, fast), parts_are_settings=True))
    >>> [(each.num_speculative_tokens, each.speedup.value) for each in setting_choices(measured, 1.0)]
    [(0, 1.0), (3, 2.0)]
    """
    rows: dict[int, MeasuredSetting] = {}
    for each in measured:
        if each.batch_size == batch_size and each.speedup is not None and not each.is_tree:
            rows.setdefault(each.num_speculative_tokens, each)
    if not any(rows):
        return ()
    off = () if 0 in rows else (LengthChoice(0, _exact(1.0), None, _exact(1.0), None, False, False),)
    return off + tuple(
        LengthChoice(
            k,
            _exact(each.stats.mean_acceptance_length if k else 1.0),
            each.stats.step_ms,
            _exact(each.speedup),
            None,
            False,
            False,
            measured=True,
        )
        for k, each in sorted(rows.items())
    )


def _exact(value: float | None) -> Estimate:
    return Estimate(None, None, None) if value is None else estimate(value, None, "none")


def best_by_batch(measured: Sequence[MeasuredSetting]) -> dict[float, MeasuredSetting]:
    """The fastest measured chain of each batch size, off included; batches without a plain run are left out.

    >>> best_by_batch([])
    {}
    """
    chains = [
        each for each in measured if each.speedup is not None and each.batch_size is not None and not each.is_tree
    ]
    best: dict[float, MeasuredSetting] = {}
    for batch in sorted({each.batch_size for each in chains if each.batch_size is not None}):
        rows = [each for each in chains if each.batch_size == batch]
        off = MeasuredSetting(rows[0].stats.replace(speculation=False, label=""), batch, 0, 1.0)
        best[batch] = max((*rows, off), key=lambda each: (each.speedup or 0, -each.num_speculative_tokens))
    return best


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None
