"""An n-gram language model, interpolated by Witten and Bell's rule: small, exact, and a real next-token distribution.

With c(h, w) the times that token w followed the context h, c(h) their sum and T(h) the number of different tokens that
followed it, and h' the context without its oldest token,

    p(w | h) = (c(h, w) + T(h)·p(w | h')) / (c(h) + T(h)),

down to the empty context, whose p(w | h') is the base distribution of the vocabulary (Witten and Bell 1991, method C;
in this recursive form Chen and Goodman 1998, eq. 14). A context that was never seen is passed over. Every token keeps
a positive probability, so speculative sampling between two such models is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import N_
from specmodel.base.numbers import whole_number, whole_numbers_between
from specmodel.ngram.vocabulary import Vocabulary

MAX_ORDER = 8


@dataclass(frozen=True, eq=False)
class Contexts:
    """All contexts of one length, sorted by `keys`; context i was followed by `followers[starts[i]:starts[i + 1]]`.

    A key is (the number of the context without its oldest token) × (size of the vocabulary) + (the oldest token).
    `shares` are c(h, w) / (c(h) + T(h)), in the order of the followers; `backoff[i]` is T(h) / (c(h) + T(h)).
    """

    keys: Ints
    starts: Ints
    followers: Ints
    shares: Floats
    backoff: Floats


@dataclass(frozen=True, eq=False)
class NgramModel:
    """A model that looks back `order` − 1 tokens; `unigram` and `contexts` are never changed, so readers share it."""

    vocabulary: Vocabulary
    unigram: Floats
    contexts: tuple[Contexts, ...]

    @property
    def order(self) -> int:
        """n of the n-gram: the tokens looked at, the next one included. 1 ignores the context."""
        return len(self.contexts) + 1

    def next_probs(self, tokens: Sequence[int]) -> Floats:
        """The distribution of the token that follows, shape (tokens of the vocabulary,): positive, of sum 1."""
        found = self._found(tokens)
        shares: list[tuple[Contexts, int, float]] = []
        weight = 1.0
        for level, index in reversed(found):
            shares.append((level, index, weight))
            weight *= float(level.backoff[index])
        probs: Floats = self.unigram * weight
        for level, index, weight in shares:
            start, stop = level.starts[index], level.starts[index + 1]
            probs[level.followers[start:stop]] += weight * level.shares[start:stop]
        return probs

    def _found(self, tokens: Sequence[int]) -> list[tuple[Contexts, int]]:
        """The contexts that end here and were seen in training, from the shortest to the longest."""
        found: list[tuple[Contexts, int]] = []
        before = 0
        for back, level in enumerate(self.contexts[: len(tokens)], 1):
            key = before * len(self.vocabulary) + tokens[-back]
            index = int(level.keys.searchsorted(key))
            if index == level.keys.size or level.keys[index] != key:
                break
            found.append((level, index))
            before = index
        return found

    def of_order(self, order: int) -> "NgramModel":
        """The model with shorter contexts that the same training gives; nothing is trained again.

        >>> text = Vocabulary("(?s:.)", ("a", "b"))
        >>> train(text, text.encode("abab"), 3).of_order(2).order
        2
        """
        order = whole_number(order, N_("order of the n-gram model"), 1, self.order)
        return replace(self, contexts=self.contexts[: order - 1])


def train(vocabulary: Vocabulary, tokens: Sequence[int], order: int) -> NgramModel:
    """Count every context of up to `order` − 1 tokens in the training tokens.

    >>> letters = Vocabulary("(?s:.)", ("a", "b"))
    >>> letters.decode([int(train(letters, letters.encode("ababab"), 2).next_probs([256]).argmax())])
    'b'
    """
    order, text = (
        whole_number(order, N_("order of the n-gram model"), 1, MAX_ORDER),
        whole_numbers_between(tokens, "tokens", 0, len(vocabulary) - 1),
    )
    counts = np.bincount(text, minlength=len(vocabulary)).astype(float)
    kinds = max(int(np.count_nonzero(counts)), 1)
    unigram: Floats = (counts + kinds * vocabulary.base_probs) / (counts.sum() + kinds)
    unigram.setflags(write=False)
    contexts: list[Contexts] = []
    before = np.zeros(text.size, dtype=np.int64)
    for length in range(1, min(order, text.size)):
        keys, before = np.unique(before[1:] * len(vocabulary) + text[:-length], return_inverse=True)
        contexts.append(_counted(keys, before, text[length:], len(vocabulary)))
    return NgramModel(vocabulary, unigram, tuple(contexts))


def _counted(keys: Ints, context: Ints, following: Ints, size: int) -> Contexts:
    pairs, counts = np.unique(context * size + following, return_counts=True)
    owner = pairs // size
    starts = np.searchsorted(owner, np.arange(keys.size + 1)).astype(np.int64)
    kinds = np.diff(starts)
    total = np.add.reduceat(counts, starts[:-1]) + kinds
    level = Contexts(keys, starts, pairs % size, counts / total[owner], kinds / total)
    for array in (level.keys, level.starts, level.followers, level.shares, level.backoff):
        array.setflags(write=False)
    return level
