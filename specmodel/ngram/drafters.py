"""What proposes tokens: a small model, one token after another, or a lookup in the text so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_
from specmodel.base.numbers import whole_number
from specmodel.ngram._draws import draw, one_hot, tempered
from specmodel.ngram.ngram_model import NgramModel
from specmodel.ngram.vocabulary import Vocabulary

MAX_LOOKUP = 8


@dataclass(frozen=True, eq=False)
class Proposed:
    """A drafted token and the distribution that it was drawn from, which the acceptance test needs."""

    token: int
    draft_probs: Floats


class Drafter(Protocol):
    """Proposes up to a number of tokens that may follow `tokens`; none at all is an answer too."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens it may propose."""
        ...

    def propose(
        self, tokens: Sequence[int], num_speculative_tokens: int, temperature: float, rng: np.random.Generator
    ) -> list[Proposed]:
        """The drafted tokens in their order."""
        ...


@dataclass(frozen=True)
class ModelDrafter:
    """Draws each token from a model, given the text and the tokens drafted before it."""

    model: NgramModel

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens of the model."""
        return self.model.vocabulary

    def propose(
        self, tokens: Sequence[int], num_speculative_tokens: int, temperature: float, rng: np.random.Generator
    ) -> list[Proposed]:
        """Exactly `num_speculative_tokens` drafts."""
        text = list(tokens[-self.model.order :])
        drafts: list[Proposed] = []
        for _ in range(num_speculative_tokens):
            probs = tempered(self.model.next_probs(text), temperature)
            drafts.append(Proposed(draw(probs, rng), probs))
            text.append(drafts[-1].token)
        return drafts


@dataclass(frozen=True)
class LookupDrafter:
    """Prompt lookup (Saxena 2023): where the last tokens stood before in prompt and text, propose what followed there.

    It looks for the last `longest` tokens first and for fewer, down to `shortest`, where they did not occur; of several
    places it takes the latest. No model runs. Each draft is a certain proposal: its distribution is 1 on its token.
    """

    vocabulary: Vocabulary
    longest: int = 3
    shortest: int = 1

    def __post_init__(self) -> None:
        shortest = whole_number(self.shortest, N_("shortest match of the lookup"), 1, MAX_LOOKUP)
        object.__setattr__(self, "shortest", shortest)
        object.__setattr__(
            self, "longest", whole_number(self.longest, N_("longest match of the lookup"), shortest, MAX_LOOKUP)
        )

    def propose(
        self, tokens: Sequence[int], num_speculative_tokens: int, temperature: float, rng: np.random.Generator
    ) -> list[Proposed]:
        """Up to `num_speculative_tokens` drafts: fewer near the end of the text, none where nothing matches."""
        text = list(tokens)
        for length in range(min(self.longest, len(text) - 1), self.shortest - 1, -1):
            place = _last_place_before(text, length)
            if place is not None:
                following = text[place + length : place + length + num_speculative_tokens]
                return [Proposed(token, one_hot(token, len(self.vocabulary))) for token in following]
        return []


def _last_place_before(text: list[int], length: int) -> int | None:
    """Where the last `length` tokens stood before, at the latest place."""
    wanted = text[-length:]
    for place in range(len(text) - length - 1, -1, -1):
        if text[place] == wanted[0] and text[place : place + length] == wanted:
            return place
    return None
