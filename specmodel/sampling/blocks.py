"""Verifying a whole block of drafts at once instead of token by token: more drafts kept, the same distribution.

Everything is enumerated over all blocks of a small vocabulary. A model is given as what it samples next after each
prefix, a tuple of token numbers: a function of the prefix, or a table with the prefixes as keys.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message
from specmodel.base.numbers import OutOfDomain, distribution, distributions, whole_number
from specmodel.model.acceptance import Acceptance
from specmodel.sampling.distributions import ratios

Prefix = tuple[int, ...]
Model = Callable[[Prefix], ArrayLike] | Mapping[Prefix, ArrayLike]

MAX_BLOCKS = 100_000
"""The most sequences that are enumerated: vocabulary to the power of k + 1."""
MAX_DRAFTS = 63
"""The most drafts of a block: an array has at most 64 axes, one for each of k + 1 tokens."""


@dataclass(frozen=True)
class DraftedBlock:
    """One drafted block and how both ways verify it, given that it was drafted.

    `chance` is how often it is drafted; `stops_by_token[i]` and `stops_by_block[i]` how often exactly its first i
    tokens are kept, i = 0 … k.
    """

    tokens: Prefix
    chance: float
    stops_by_token: Floats
    stops_by_block: Floats

    @property
    def kept_by_token(self) -> float:
        """Mean number of its tokens that are kept token by token."""
        return float(self.stops_by_token @ np.arange(self.stops_by_token.size))

    @property
    def kept_by_block(self) -> float:
        """Mean number of its tokens that block verification keeps."""
        return float(self.stops_by_block @ np.arange(self.stops_by_block.size))


@dataclass(frozen=True)
class BlockModels:
    """A target and a drafter over blocks of k drafts: what each samples next after every prefix of up to k tokens.

    `target[i]` and `draft[i]` have shape (vocabulary,) · (i + 1): one axis for each token of a prefix of i tokens, and
    the last for the token that follows, i = 0 … k for the target and 0 … k − 1 for the drafter.

    >>> models = BlockModels.of(lambda prefix: [0.5, 0.5], lambda prefix: [1.0, 0.0] if prefix else [0.5, 0.5], 2)
    >>> models.by_token().mean_accepted
    1.5
    """

    target: tuple[Floats, ...]
    draft: tuple[Floats, ...]

    @classmethod
    def of(cls, target: Model, draft: Model, num_speculative_tokens: int) -> "BlockModels":
        """Look both models up after every prefix; both are checked to be distributions over one vocabulary."""
        size = _next(target, (), "target", None).size
        k = _drafts(num_speculative_tokens, size)
        return cls(
            tuple(_level(target, length, "target", size) for length in range(k + 1)),
            tuple(_level(draft, length, "draft", size) for length in range(k)),
        )

    @classmethod
    def alike(cls, target_probs: ArrayLike, draft_probs: ArrayLike, num_speculative_tokens: int) -> "BlockModels":
        """Models that ignore what came before: the same two distributions after every prefix.

        >>> models = BlockModels.alike([1/3, 2/3], [2/3, 1/3], 2)
        >>> round(9 * models.by_token().mean_accepted), round(9 * models.by_block().mean_accepted)
        (10, 11)
        """
        target, draft = distributions(target_probs, draft_probs)
        k = _drafts(num_speculative_tokens, target.size)
        shapes = [(target.size,) * (length + 1) for length in range(k + 1)]
        return cls(
            tuple(np.broadcast_to(target, shape) for shape in shapes),
            tuple(np.broadcast_to(draft, shape) for shape in shapes[:-1]),
        )

    @property
    def num_speculative_tokens(self) -> int:
        """k: drafts in a block."""
        return len(self.draft)

    def target_output(self) -> Floats:
        """The target's own distribution of the next k + 1 tokens, one axis for each."""
        return self._continued([np.ones(()), *([None] * (self.num_speculative_tokens + 1))])

    def by_token(self) -> "Verified":
        """Each draft is kept with chance min(1, target ÷ draft), the first rejected one ends the block.

        It is replaced from max(0, target − draft); after k kept drafts the target adds a token (Leviathan et al. 2023,
        algorithm 1). A beginning is drafted and kept with the product of its min(target, draft).
        """
        reached: list[Floats] = [np.ones(())]
        for target, draft in zip(self.target, self.draft, strict=False):
            reached.append(reached[-1][..., None] * np.minimum(target, draft))
        left = [np.maximum(t - d, 0) for t, d in zip(self.target, self.draft, strict=False)]
        ends = [mass * rest.sum(axis=-1) for mass, rest in zip(reached, left, strict=False)]
        return self._verified([*ends, reached[-1]], left)

    def by_block(self) -> "Verified":
        """The longest beginning that passes its test is kept, even where a shorter one failed (Sun et al. 2024).

        With p_0 = 1 and p_i = min(1, p_(i−1) · target ÷ draft) of draft i, the first i drafts pass with chance

            h_i = R_i ÷ (R_i + 1 − p_i),  R_i = Σ max(0, p_i · target − draft) of the next token;  h_k = p_k

        After the longest beginning that passed comes a token from max(0, p_i · target − draft), after all k drafts one
        of the target (algorithm 2). A draft may make up for one before it.

        At least i drafts are kept with chance p_i, given the first i. For i = k that is the test. If it holds for
        i + 1, then on average over the next draft Σ min(draft, p_i · target) = p_i − R_i, and so for i it is
        h_i + (1 − h_i)(p_i − R_i) = p_i. The mean number kept is thus Σ_i E[p_i]; as p_i is never below the product of
        the first i chances min(1, target ÷ draft), it is never less than token by token (derived here).
        """
        running, passing = self.running(), self.passing()
        later: list[Floats] = [np.ones_like(running[-1])]
        for draft, passed in zip(reversed(self.draft), reversed(passing[1:]), strict=True):
            later.insert(0, (draft * (1 - passed) * later[0]).sum(axis=-1))
        drafted = self.drafted()
        ends = [mass * passed * rest for mass, passed, rest in zip(drafted, passing, later, strict=True)]
        return self._verified(ends, self._left(running))

    def drafted(self) -> list[Floats]:
        """How often each beginning of i tokens is drafted, i = 0 … k: one axis for each token."""
        mass: list[Floats] = [np.ones(())]
        for draft in self.draft:
            mass.append(mass[-1][..., None] * draft)
        return mass

    def running(self) -> list[Floats]:
        """p_i of block verification for each beginning of i tokens, i = 0 … k: one axis for each token."""
        values: list[Floats] = [np.ones(())]
        for target, draft in zip(self.target, self.draft, strict=False):
            wanted = values[-1][..., None] * target
            values.append(ratios(np.minimum(wanted, draft), draft, never=wanted > 0))
        return values

    def passing(self) -> list[Floats]:
        """h_i of block verification for each beginning of i tokens, i = 0 … k; keeping none always passes, h_0 = 1."""
        running = self.running()
        left = [rest.sum(axis=-1) for rest in self._left(running)]
        inner = [ratios(rest, rest + 1 - p, never=1.0) for rest, p in zip(left, running, strict=False)]
        return [np.ones(()), *inner[1:], running[-1]] if self.draft else [np.ones(())]

    def blocks(self) -> list[DraftedBlock]:
        """Every block that can be drafted, with what both ways make of it: the rows of a table."""
        drafted, passing = self.drafted()[-1], self.passing()
        keep = [ratios(np.minimum(t, d), d) for t, d in zip(self.target, self.draft, strict=False)]
        found = []
        for tokens in itertools.product(range(self.target[0].size), repeat=self.num_speculative_tokens):
            if drafted[tokens] > 0:
                kept = np.cumprod([1.0, *(keep[i][tokens[: i + 1]] for i in range(len(tokens)))])
                passed = np.array([passing[i][tokens[:i]] for i in range(len(tokens) + 1)])
                later_fail = np.append(np.cumprod((1 - passed[1:])[::-1])[::-1], 1.0)
                found.append(
                    DraftedBlock(tokens, float(drafted[tokens]), -np.diff(np.append(kept, 0)), passed * later_fail)
                )
        return found

    def _left(self, running: Sequence[Floats]) -> list[Floats]:
        """What block verification replaces from after each beginning of i < k tokens, not normalised."""
        levels = zip(running, self.target, self.draft, strict=False)
        return [np.maximum(p[..., None] * target - draft, 0) for p, target, draft in levels]

    def _verified(self, ends: Sequence[Floats], left: Sequence[Floats]) -> "Verified":
        """From how often exactly each beginning is kept, and what its next token is drawn from."""
        emitted: list[Floats | None] = [None]
        for end, rest in zip(ends, [*left, self.target[-1]], strict=True):
            emitted.append(end[..., None] * ratios(rest, np.broadcast_to(rest.sum(axis=-1)[..., None], rest.shape)))
        kept = np.array([float(end.sum()) for end in ends])
        survival = np.minimum(np.cumsum(kept[::-1])[::-1][1:], 1)
        return Verified(Acceptance.from_per_position(survival.tolist()), self._continued(emitted))

    def _continued(self, emitted: Sequence[Floats | None]) -> Floats:
        """The distribution of k + 1 tokens when texts that end after i tokens, emitted[i], are continued by the target.

        emitted[i] has one axis for each of the i tokens; None stands for none.
        """
        text: Floats = np.zeros(()) if emitted[0] is None else emitted[0]
        for target, more in zip(self.target, emitted[1:], strict=True):
            text = text[..., None] * target + (0 if more is None else more)
        return text


@dataclass(frozen=True)
class Verified:
    """What a way of verifying makes of a drafted block, over all blocks.

    `output` is the distribution of the next k + 1 tokens, one axis for each: where fewer were emitted, the target
    continues.
    """

    acceptance: Acceptance
    output: Floats

    @property
    def mean_accepted(self) -> float:
        """Mean number of drafts kept in a block; the bonus token does not count."""
        return float(sum(self.acceptance.per_position_acceptance))


def _drafts(num_speculative_tokens: int, size: int) -> int:
    """The drafts of a block, once it can be enumerated."""
    k = whole_number(num_speculative_tokens, "num_speculative_tokens", 0, MAX_DRAFTS)
    if size ** (k + 1) > MAX_BLOCKS:
        message = "blocks of {k} drafts over {size} tokens cannot be enumerated: expected at most {most} sequences"
        raise OutOfDomain(Message(message, {"k": k, "size": size, "most": MAX_BLOCKS}))
    return k


def _level(model: Model, length: int, name: str, size: int) -> Floats:
    """The model after every prefix of a length, one axis for each of its tokens."""
    prefixes = itertools.product(range(size), repeat=length)
    rows = np.array([_next(model, prefix, name, size) for prefix in prefixes])
    return rows.reshape((size,) * (length + 1))


def _next(model: Model, prefix: Prefix, name: str, size: int | None) -> Floats:
    if isinstance(model, Mapping) and prefix not in model:
        message = "{name} has no distribution after the tokens {prefix}"
        raise OutOfDomain(Message(message, {"name": name, "prefix": prefix}))
    probs = distribution(model[prefix] if isinstance(model, Mapping) else model(prefix), f"{name}[{prefix}]")
    if size is not None and probs.size != size:
        message = "{name} has {got} tokens after {prefix}, expected {size} as in the target at the start"
        raise OutOfDomain(Message(message, {"name": name, "prefix": prefix, "got": probs.size, "size": size}))
    return probs
