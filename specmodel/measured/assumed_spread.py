"""What is assumed of a run that does not show how much it varies: how far another run of the same work would differ.

Counters alone say nothing of the differences between requests or between runs, and those are larger than what chance
does to single rounds: between seeds of one published vLLM run an interval of independent rounds held one repeat in
five. So a floor is assumed, and named wherever it is used.

It acts on log(−log S), where S is an acceptance: S becomes S^p with log p normal. That keeps S between 0 and 1, and its
standard deviation is about a third of itself in tokens per round. Its size is

    sd² = RUN² + REQUEST² ÷ requests

`REQUEST` is the spread of prompts in the bundled runs, what chance does to their rounds taken off: 0.36 for the pair of
models, 0.79 for prompt lookup, over all kinds of text. `RUN` is what remains however many requests are in a run (0.15:
5 % of the tokens per round), and `TIME` the relative one of a step that was timed once: six vLLM logs of one generator
that differed in the seed alone read 0.93 to 1.06 ×. All three are assumptions about other engines.
"""

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.measured.spec_stats import TYPED, SpecStats

RUN = 0.15
REQUEST = 0.6
TIME = 0.05
ANSWER_TOKENS = 300
"""Tokens of one answer, where a file counts tokens but no requests."""
UNKNOWN_REQUESTS = 20
"""Requests behind a rate of which nothing else is known."""
TIME_SEED, RUN_SEED = 77, 78


def rates_only(stats: SpecStats) -> bool:
    """Whether rates stand as the counts of one round: typed by a visitor, or printed without any count.

    >>> shares = SpecStats("a", "log", num_rounds=1, accepted_per_position=(0.7, 0.5), estimated=True)
    >>> rates_only(shares), rates_only(shares.replace(estimated=False))
    (True, False)
    """
    shares = stats.estimated and stats.num_rounds == 1 and stats.num_draft_tokens is None
    return shares or stats.source == TYPED


def assumed_requests(stats: SpecStats) -> float:
    """Requests behind a measurement: as counted, else from its tokens, else `UNKNOWN_REQUESTS`; at least 1.

    >>> assumed_requests(SpecStats("a", "log", num_requests=7)), assumed_requests(SpecStats("a", "log"))
    (7.0, 20.0)
    >>> assumed_requests(SpecStats("a", "log", num_rounds=3000, num_accepted_draft_tokens=3000))
    20.0

    Rates by position of which no counts are known are told as those of one round.
    """
    if stats.source == TYPED or (rates_only(stats) and stats.num_requests is None):
        return float(UNKNOWN_REQUESTS)
    if stats.num_requests:
        return max(float(stats.num_requests), 1.0)
    tau = stats.mean_acceptance_length
    tokens = stats.generated_tokens or (stats.num_rounds * tau if stats.num_rounds and tau else None)
    return float(UNKNOWN_REQUESTS) if tokens is None else max(tokens / ANSWER_TOKENS, 1.0)


def spread_of_a_run(requests: float) -> float:
    """Standard deviation of log(−log S) between runs of so many requests.

    >>> round(spread_of_a_run(1), 3), round(spread_of_a_run(1e9), 3)
    (0.618, 0.15)
    """
    return float(np.hypot(RUN, REQUEST / np.sqrt(requests)))


def powers_of_other_runs(requests: float, draws: int, seed: int = RUN_SEED) -> Floats:
    """Powers p for acceptances S^p that other runs might have shown, shape (draws,); their median is 1.

    >>> powers_of_other_runs(20, 3).shape
    (3,)
    """
    normal = np.random.default_rng(seed).standard_normal(draws)
    powers: Floats = np.exp(spread_of_a_run(requests) * (normal - np.median(normal)))
    return powers


def times_of_other_runs(draws: int, seed: int = TIME_SEED) -> Floats:
    """Factors by which a time that was measured once might differ in another run, shape (draws,); their median is 1.

    >>> bool(0.03 < times_of_other_runs(4000).std() < 0.07)
    True
    """
    normal = np.random.default_rng(seed).standard_normal(draws)
    factors: Floats = np.exp(TIME * (normal - np.median(normal)))
    return factors
