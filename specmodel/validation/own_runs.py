"""The runs that come with the package as rows: one for each draft length, kind of text and temperature."""

from collections.abc import Iterator

from specmodel.measured.bundled import BundledRun, bundled_runs
from specmodel.measured.rounds import MeasuredRounds
from specmodel.measured.rounds_counters import counters
from specmodel.validation.points import Row

OURS = "Measured by the project, 2026-11-29"


def own_rows() -> tuple[Row, ...]:
    """Every setting of every bundled run, counters and times included.

    >>> rows = own_rows()
    >>> len(rows), rows[0].setup
    (102, 'A small pair of models, code, temperature 0')
    """
    return tuple(row for run in bundled_runs() for row in _rows(run))


def _rows(run: BundledRun) -> Iterator[Row]:
    rounds = run.load()
    options = rounds.options()
    for text in options["category"]:
        for temperature in options["temperature"]:
            for k in options["k"]:
                chosen = rounds.select(text, k, temperature)
                if (chosen.proposed > 0).any():
                    yield _row(run, chosen, text, temperature, k)


def _row(run: BundledRun, rounds: MeasuredRounds, text: str, temperature: float, k: int) -> Row:
    stats = counters(rounds)
    drafted = rounds.where(rounds.proposed > 0)
    timed = stats.step_ms is not None and stats.plain_ms is not None
    rho = stats.step_ms / stats.plain_ms if stats.step_ms and stats.plain_ms else None
    return Row(
        OURS,
        setup=f"{run.name}, {text}, temperature {temperature:g}",
        group=f"{run.key} {temperature:g}",
        text=text,
        drafter="model" if run.key == "pair" else "lookup",
        per_position=stats.per_position_acceptance or (),
        k=k,
        alpha=drafted.alpha().value,
        tau=stats.mean_acceptance_length,
        rounds=stats.num_rounds,
        speedup=(stats.tokens_per_step or 1.0) / rho if timed and rho else None,
        plain_ms=stats.plain_ms,
        batch=1,
        share=drafted.num_rounds / rounds.num_rounds,
        counted=stats,
    )
