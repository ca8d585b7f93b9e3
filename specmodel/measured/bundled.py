"""The real runs that come with the package: what was measured, and under which conditions.

`data/rounds_*.csv.gz` hold one line per round. The `baseline_ms` of a round is the mean of the plain decoding steps
that ran between the speculative ones of the same run.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specmodel.base.messages import N_
from specmodel.measured.rounds import MeasuredRounds, read_rounds

_DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class BundledRun:
    """A real run that comes with the package; texts are English sources for the translator.

    >>> run = bundled_run("pair")
    >>> run.load().select(category="code", k=4, temperature=0).num_rounds
    637
    """

    key: str
    name: str
    description: str
    conditions: str

    def load(self) -> MeasuredRounds:
        """The rounds, read once and shared: the arrays are read-only."""
        return _load(self.key)


_RUNS = (
    BundledRun(
        "pair",
        N_("A small pair of models"),
        N_(
            "A target of 2.2 million parameters and a drafter of 0.74 million, trained for it. Code, prose and "
            "repetitive text, 1 to 12 draft tokens, temperature 0 and 1."
        ),
        N_(
            "Measured by the project on 2026-11-29 on two CPU cores, one thread, float32, with other work on the "
            "machine. The plain step is the mean of 48 steps beside each run."
        ),
    ),
    BundledRun(
        "lookup_timed",
        N_("Prompt lookup, with times"),
        N_(
            "SmolLM2-135M-Instruct, drafts copied from the prompt where its last tokens occur again. The quiet "
            "runs: one or two prompts for each kind of text, so its intervals are too narrow."
        ),
        N_(
            "Measured by the project on 2026-11-29 on two CPU cores, one thread, bfloat16, while the machine "
            "was quiet. The plain step is the mean of 24 steps beside each run."
        ),
    ),
    BundledRun(
        "lookup",
        N_("Prompt lookup, acceptance only"),
        N_(
            "SmolLM2-135M-Instruct, drafts copied from the prompt where its last tokens occur again. All runs "
            "together, five to eight prompts for each kind of text, without times."
        ),
        N_(
            "Measured by the project on 2026-11-29 on two CPU cores, one thread, bfloat16. Times are left out, "
            "because some of these runs shared the machine with other work."
        ),
    ),
)


def bundled_runs() -> tuple[BundledRun, ...]:
    """The real runs that come with the package.

    >>> [run.key for run in bundled_runs()]
    ['pair', 'lookup_timed', 'lookup']
    """
    return _RUNS


def bundled_run(key: str) -> BundledRun:
    """The bundled run with this key; `KeyError` where there is none.

    >>> bundled_run("lookup").load().draft_ms is None
    True
    """
    return {run.key: run for run in bundled_runs()}[key]


@cache
def _load(key: str) -> MeasuredRounds:
    return read_rounds(_DATA / f"rounds_{key}.csv.gz", name=key)
