"""The load that an engine serves and the drafter beside it: every number declared once, with its link key."""

from collections.abc import Mapping
from dataclasses import dataclass

from specmodel.base.params import Declared, param
from specmodel.model.costs import DraftCost, DraftShape

BATCH_STOPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
CONTEXT_STOPS = (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)
RATE_STOPS = (0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 50, 75, 100)
MAX_BATCH = 2048


@dataclass(frozen=True)
class Load(Declared):
    """What the engine serves: how many requests at once, how long, how fast they come, and what a second costs.

    >>> Load(batch_size=32).context_tokens
    2048
    """

    batch_size: int = param(
        "Batch size",
        "Requests that are decoded together: one step of the engine is one pass over all of them.",
        default=8,
        low=1,
        high=MAX_BATCH,
        slider=(1, 512, 1),
        stops=BATCH_STOPS,
        format=",d",
        symbol="B",
        key="batch",
        integer=True,
    )
    context_tokens: int = param(
        "Context",
        "Tokens that a request has in the cache while it is decoded: its prompt and about half of its answer, on "
        "average over the requests of a batch.",
        default=2048,
        low=0,
        high=10_000_000,
        slider=(128, 131072, 128),
        stops=CONTEXT_STOPS,
        format=",d",
        unit="tokens",
        symbol="S",
        key="ctx",
        integer=True,
    )
    request_rate: float = param(
        "Request rate",
        "Requests that arrive in a second, at random times that do not depend on each other.",
        default=1,
        low=0.0001,
        high=1_000_000,
        slider=(0.1, 100, 0.1),
        stops=RATE_STOPS,
        format=",.2f",
        unit="/s",
        symbol="λ",
        key="rps",
    )
    prefill_ms: float = param(
        "Prefill of a request",
        "Time in which the engine reads one prompt and decodes nothing. 0 leaves prefill out: it then happens "
        "elsewhere, or costs nothing.",
        default=0,
        low=0,
        high=1_000_000,
        slider=(0, 1000, 5),
        format=",.0f",
        unit="ms",
        key="prefill",
    )
    max_sequences: int = param(
        "Most requests at once",
        "Limit that the engine is set to; vLLM calls it `max_num_seqs` and takes 1,024 on accelerators of 70 GiB and "
        "more, else 256. Memory may allow fewer.",
        default=1024,
        low=1,
        high=MAX_BATCH,
        slider=(1, 1024, 1),
        stops=(*BATCH_STOPS, 768, 1024),
        format=",d",
        key="maxseqs",
        integer=True,
    )
    standing_cost: float = param(
        "Standing cost of off",
        "Share of the plain engine's speed that is lost where speculation is loaded but drafts nothing (k = 0). Not "
        "measured here: one public sweep found 444.6 instead of 548.6 tokens/s, 19 % slower.",
        default=0.19,
        low=0,
        high=0.99,
        slider=(0, 0.5, 0.01),
        format=".0%",
        key="offcost",
    )
    tolerance: float = param(
        "Ties of the schedule",
        "Draft lengths whose speedups differ by less than this share count as equal: the schedule then has few steps.",
        default=0.02,
        low=0,
        high=0.5,
        slider=(0, 0.1, 0.005),
        format=".1%",
        key="ties",
    )
    price_per_hour: float = param(
        "Price of an accelerator",
        "What one accelerator costs in an hour, in dollars or any other currency (assumed).",
        default=2.5,
        low=0,
        high=100_000,
        slider=(0, 20, 0.1),
        format=",.2f",
        unit="$/h",
        key="price",
    )


USUAL_RATIOS: Mapping[DraftShape, float] = {"sequential": 0.1, "parallel": 0.1, "lookup": 0.005875, "heads": 0.2}
"""What drafting costs by its shape, to start from: assumed, but for the lookup (SpecDecode-Bench, arXiv 2601.11580)."""


@dataclass(frozen=True)
class Drafter(Declared):
    """What drafting costs in time and memory; its shape is chosen beside it.

    >>> Drafter().cost("parallel").draft_ms(4, plain_ms=10.0).item()
    1.0
    """

    draft_cost_ratio: float = param(
        "Cost of a draft step",
        "Time of one step of the drafter ÷ plain target step, at the same batch and context.",
        default=0.1,
        low=0,
        high=100,
        slider=(0, 1, 0.01),
        format=".2f",
        symbol="c",
        key="dratio",
    )
    draft_step_ms: float = param(
        "Fixed time of a draft step",
        "What a step of the drafter takes beside that, whatever the batch.",
        default=0,
        low=0,
        high=100_000,
        slider=(0, 10, 0.1),
        format=",.2f",
        unit="ms",
        key="dms",
    )
    fixed_cost: float = param(
        "Fixed cost of a round",
        "What a speculative round takes at once beside drafting and checking (scheduling, sampling, preparing the "
        "drafter), in plain target steps. It decides from which batch on speculation loses.",
        default=0,
        low=0,
        high=100,
        slider=(0, 1, 0.01),
        format=".2f",
        symbol="f",
        key="fixed",
    )
    weights_billions: float = param(
        "Parameters of the drafter",
        "Weights that the drafter adds, in billions, at 16 bits. A lookup adds none.",
        default=0,
        low=0,
        high=100_000,
        slider=(0, 10, 0.05),
        format=",.2f",
        unit="B",
        key="dsize",
    )
    cache_bytes_per_token: int = param(
        "Cache of the drafter per token",
        "Bytes that one cached token takes in the drafter's own cache.",
        default=0,
        low=0,
        high=1e9,
        slider=(0, 200_000, 1024),
        format=",.0f",
        unit="B",
        key="dkv",
        integer=True,
    )

    def cost(self, shape: DraftShape) -> DraftCost:
        """What drafting costs with this shape."""
        return DraftCost(shape, ratio=self.draft_cost_ratio, ms=self.draft_step_ms)
