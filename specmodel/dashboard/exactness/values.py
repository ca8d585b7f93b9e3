"""What the Exactness page lets a class change, each number declared once, with its link key."""

from dataclasses import dataclass

from specmodel.base.params import Declared, param


@dataclass(frozen=True)
class ExactnessLesson(Declared):
    """Two distributions over a small vocabulary, how they are sampled, and how many draws are played.

    >>> ExactnessLesson(skill=1).vocabulary_size
    6
    """

    skill: float = param(
        "How well the drafter is trained",
        "0: it knows nothing of the target. 1: it has learned the target's scores exactly.",
        default=0.6,
        low=0,
        high=1,
        slider=(0, 1, 0.01),
        format=".2f",
        key="skill",
    )
    target_temperature: float = param(
        "Temperature of the target",
        "0 always takes the likeliest token; 1 is the model's own distribution; above 1 it is flatter.",
        default=1,
        low=0,
        high=5,
        slider=(0, 2, 0.05),
        format=".2f",
        symbol="T_t",
        key="ttemp",
    )
    draft_temperature: float = param(
        "Temperature of the drafter",
        "Below 1 the drafter is sharper, above 1 flatter. It need not be the target's: the output stays the target's.",
        default=1,
        low=0,
        high=5,
        slider=(0, 2, 0.05),
        format=".2f",
        symbol="T_d",
        key="dtemp",
    )
    vocabulary_size: int = param(
        "Tokens",
        "Size of the vocabulary.",
        default=6,
        low=2,
        high=16,
        slider=(2, 12, 1),
        format="d",
        key="vocab",
        integer=True,
    )
    unknown_tokens: int = param(
        "Tokens the drafter does not know",
        "The last tokens that are shown by name: only the target knows them.",
        default=2,
        low=0,
        high=15,
        slider=(0, 8, 1),
        format="d",
        key="unknown",
        integer=True,
    )
    top_k: int = param(
        "Top k",
        "Only the k likeliest tokens are kept, for target and drafter; 0 keeps all.",
        default=0,
        low=0,
        high=16,
        slider=(0, 12, 1),
        format="d",
        key="topk_tokens",
        integer=True,
    )
    top_p: float = param(
        "Top p",
        "Only the likeliest tokens that together have this probability are kept; 1 keeps all.",
        default=1,
        low=0.01,
        high=1,
        slider=(0.05, 1, 0.05),
        format=".2f",
        key="topp",
    )
    lenience: float = param(
        "Lenience",
        "A draft is kept as if the drafter had been this much less sure: 1 is exact, smaller is faster and not exact.",
        default=0.5,
        low=0.01,
        high=1,
        slider=(0.05, 1, 0.05),
        format=".2f",
        symbol="l",
        key="lenience",
    )
    told_temperature: float = param(
        "Temperature told to the test",
        "A mistake to try: the temperature that the test believes the drafter has, as a multiple of the true one.",
        default=1.75,
        low=0.05,
        high=20,
        slider=(0.25, 3, 0.05),
        format=".2f",
        unit="× the true one",
        key="told",
    )
    typical_threshold: float = param(
        "Threshold of typical acceptance",
        "A draft is kept if the target gives it more than this, or less where the target itself is unsure. Medusa's "
        "own default is 0.09.",
        default=0.09,
        low=0,
        high=1,
        slider=(0, 0.5, 0.01),
        format=".2f",
        symbol="ε",
        key="typical",
    )
    draws: int = param(
        "Draws",
        "How many tokens are drawn, from the seed in the link.",
        default=10_000,
        low=10,
        high=1_000_000,
        slider=(100, 100_000, 100),
        stops=(100, 300, 1000, 3000, 10_000, 30_000, 100_000),
        format=",d",
        key="draws",
        integer=True,
    )
    seed: int = param(
        "Pair of models",
        "Another number is another pair of scores, and other draws.",
        default=3,
        low=0,
        high=999_999,
        slider=(0, 50, 1),
        format="d",
        key="pair",
        integer=True,
    )
