"""What the Live text page lets a class change, each number declared once, with its link key."""

from dataclasses import dataclass

from specmodel.base.params import Declared, param


@dataclass(frozen=True)
class TextLesson(Declared):
    """How the text on the Live text page is made.

    >>> TextLesson().num_speculative_tokens
    4
    """

    num_speculative_tokens: int = param(
        "Draft tokens per round",
        "How many tokens the drafter proposes before the target checks them in one pass.",
        default=4,
        low=1,
        high=16,
        slider=(1, 12, 1),
        format="d",
        symbol="k",
        key="text_k",
        integer=True,
    )
    temperature: float = param(
        "Temperature",
        "0 always takes the likeliest token, and both texts are the same; at 1 they come from the same distribution.",
        default=1,
        low=0,
        high=2,
        slider=(0, 1.5, 0.05),
        format=".2f",
        symbol="T",
        key="text_temp",
    )
    max_tokens: int = param(
        "Tokens of the text",
        "Where the text ends.",
        default=120,
        low=10,
        high=600,
        slider=(20, 400, 10),
        format="d",
        unit="tokens",
        key="text_len",
        integer=True,
    )
    draft_order: int = param(
        "Order of the drafter",
        "How many tokens the drafter's n-gram model looks at, its own included; the target looks at five.",
        default=3,
        low=1,
        high=5,
        slider=(1, 4, 1),
        format="d",
        key="text_order",
        integer=True,
    )
