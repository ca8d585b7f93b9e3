"""Many short continuations of one text, with and without speculation, tested against the target's own distribution."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from specmodel.base.messages import N_
from specmodel.base.numbers import seed_numbers, whole_number
from specmodel.ngram._draws import tempered
from specmodel.ngram.drafters import Drafter
from specmodel.ngram.generate import MAX_DRAFTS, decode, speculate
from specmodel.ngram.ngram_model import NgramModel
from specmodel.sampling.draws import POOLED_BELOW, ChiSquare, chi_square

Tokens = tuple[int, ...]

MAX_LENGTH = 4
MAX_DRAWS = 20_000


@dataclass(frozen=True)
class Continuations:
    """How often each likely continuation came out of `draws` draws; the last cell of each field counts all others.

    `probs` are the target's own probabilities of the continuations, exact; `alone` and `speculative` are counts.
    """

    tokens: tuple[Tokens, ...]
    probs: tuple[float, ...]
    alone: Tokens
    speculative: Tokens
    draws: int

    @property
    def fit_alone(self) -> ChiSquare:
        """Whether the draws of the target alone fit the probabilities."""
        return chi_square(self.alone, self.probs)

    @property
    def fit_speculative(self) -> ChiSquare:
        """Whether the draws with speculation fit the probabilities."""
        return chi_square(self.speculative, self.probs)


def likely_continuations(
    target: NgramModel, prompt: str, length: int, temperature: float, at_least: float
) -> dict[Tokens, float]:
    """The continuations of `length` tokens with a probability of `at_least` or more, the likeliest first; exact.

    The probability of a continuation is the product of its tokens' probabilities, each given all tokens before it.

    >>> from specmodel.ngram.pair import language_models
    >>> found = likely_continuations(language_models("code").target, "def", 2, 0, 0.5)
    >>> list(found.values())
    [1.0]
    """
    length = whole_number(length, N_("tokens of a continuation"), 1, MAX_LENGTH)
    text = target.vocabulary.encode(prompt)
    found = dict(_likely(target, text, length, temperature, at_least))
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _likely(
    target: NgramModel, text: Sequence[int], length: int, temperature: float, at_least: float
) -> Iterator[tuple[Tokens, float]]:
    probs = tempered(target.next_probs(text), temperature)
    for token in map(int, np.flatnonzero(probs >= at_least)):
        first = float(probs[token])
        if length == 1:
            yield (token,), first
            continue
        for rest, chance in _likely(target, [*text, token], length - 1, temperature, at_least / first):
            yield (token, *rest), first * chance


def compare_continuations(
    target: NgramModel,
    drafter: Drafter,
    prompt: str,
    draws: int = 400,
    length: int = 2,
    num_speculative_tokens: int = 4,
    temperature: float = 1.0,
    seed: int = 0,
) -> Continuations:
    """Draw many continuations of a few tokens from one text, with speculation and without, and count them.

    Counted one by one are those that the target's own probabilities expect five times or more; the others share a
    cell, as a chi-square test needs. The counts of both ways are tested against these probabilities, which are exact:
    nothing is estimated from the draws.
    Each continuation starts anew from the text. No round drafts beyond its end: such drafts would change nothing in it.

    >>> from specmodel.ngram import ModelDrafter, language_models
    >>> pair = language_models("english")
    >>> found = compare_continuations(pair.target, ModelDrafter(pair.draft), "Return the", draws=50, temperature=0)
    >>> found.alone == found.speculative == (50, 0)
    True
    """
    draws, seeds = whole_number(draws, N_("draws"), 1, MAX_DRAWS), seed_numbers(seed)
    found = likely_continuations(target, prompt, length, temperature, POOLED_BELOW / max(draws, POOLED_BELOW))
    drafts = min(whole_number(num_speculative_tokens, N_("drafts a round"), 1, MAX_DRAFTS), length)
    first, second = np.random.default_rng((*seeds, 0)), np.random.default_rng((*seeds, 1))
    alone = Counter(decode(target, prompt, length, temperature, first).tokens for _ in range(draws))
    speculative = Counter(
        speculate(target, drafter, prompt, length, drafts, temperature, second).tokens for _ in range(draws)
    )
    others = max(1 - sum(found.values()), 0.0)
    probs = (*found.values(), others if others > 1e-12 else 0.0)
    return Continuations(tuple(found), probs, _cells(alone, found), _cells(speculative, found), draws)


def _cells(counts: Counter[Tokens], found: dict[Tokens, float]) -> Tokens:
    known = tuple(counts[each] for each in found)
    return (*known, counts.total() - sum(known))
