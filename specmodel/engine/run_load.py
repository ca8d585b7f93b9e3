"""The load of a measured run, as far as its file tells it: what the next measurement repeats."""

from dataclasses import dataclass

from specmodel.engine.setting import usable_name
from specmodel.measured.spec_stats import SpecStats

LEAST_REQUESTS = 100
REQUESTS_A_SLOT = 10


@dataclass(frozen=True)
class Load:
    """What is known of a run's load: requests at once, or their rate per second; mean lengths in tokens; the model."""

    model: str | None = None
    concurrency: int | None = None
    rate: float | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def requests(self) -> int:
        """How many requests a run sends."""
        return max(LEAST_REQUESTS, REQUESTS_A_SLOT * (self.concurrency or 0))


def load_of(stats: SpecStats) -> Load:
    """The load of a measured run, as far as its file told it.

    A token of the answer follows the prompt and on average half of the answer, so that the prompt is what is left.

    >>> load_of(SpecStats("vLLM", "bench", batch_size=8, num_requests=10, generated_tokens=2000, context_tokens=600))
    Load(model=None, concurrency=8, rate=None, prompt_tokens=500, output_tokens=200)
    """
    output = stats.generated_tokens / stats.num_requests if stats.generated_tokens and stats.num_requests else None
    prompt = stats.context_tokens - output / 2 if stats.context_tokens and output else None
    return Load(
        usable_name(stats.model),
        max(round(stats.batch_size), 1) if stats.batch_size else None,
        stats.request_rate,
        round(prompt) if prompt and prompt >= 1 else None,
        max(round(output), 1) if output else None,
    )
