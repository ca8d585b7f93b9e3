"""From scores to probabilities: temperature, top-k, top-p, greedy; and how the acceptance depends on them."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message
from specmodel.base.numbers import (
    OutOfDomain,
    distribution,
    number_between,
    numbers,
    seed_numbers,
    share_above_zero,
    shortened,
    whole_number,
)
from specmodel.sampling.verify import acceptance

MAX_TOKENS = 10_000_000


def policy(logits: ArrayLike, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None) -> Floats:
    """The probabilities that tokens are sampled with, from their scores (logits). Shape (tokens,).

    1. temperature: normalised exp(logits ÷ temperature); 0 is greedy, all on the largest score, ties to the first
    2. top_k: only the k likeliest tokens, ties to the first
    3. top_p: only the likeliest tokens, as many as it takes to reach the probability top_p together (Holtzman et al.
       2020, nucleus sampling), at least one

    in this order, with what is left made to add up to 1. Rejection sampling is exact for the target's policy as long
    as both models' probabilities are those after their policies. A score of −∞ is a probability of 0.

    >>> policy(np.log([0.5, 0.3, 0.2]), top_p=0.6).round(3).tolist()
    [0.625, 0.375, 0.0]
    >>> policy([2.0, 2.0, 1.0], temperature=0).tolist()
    [1.0, 0.0, 0.0]
    """
    scores = _scores(logits)
    kept = scores.size if top_k is None else whole_number(top_k, "top_k", 1, MAX_TOKENS)
    reached = None if top_p is None else share_above_zero(top_p, "top_p")
    if number_between(temperature, "temperature", 0) == 0:
        return greedy(scores)
    with np.errstate(over="ignore"):
        probs: Floats = np.exp((scores - scores.max()) / temperature)
    probs /= probs.sum()
    order = np.argsort(-scores, kind="stable")
    if top_k is not None:
        probs[order[kept:]] = 0
        probs /= probs.sum()
    if reached is not None:
        before = np.cumsum(probs[order]) - probs[order]
        probs[order[1:][before[1:] >= reached - 1e-12]] = 0
        probs /= probs.sum()
    return probs


def policy_of_probs(probs: ArrayLike, temperature: float = 1.0) -> Floats:
    """`policy` for a model given by its probabilities at temperature 1 instead of by scores. Shape (tokens,).

    >>> policy_of_probs([0.5, 0.25, 0.25], temperature=0.5).round(3).tolist()
    [0.667, 0.167, 0.167]
    """
    with np.errstate(divide="ignore"):
        return policy(np.log(distribution(probs, "probs")), temperature)


def greedy(scores: ArrayLike) -> Floats:
    """All the probability on the largest score, ties to the first: what temperature 0 samples. Shape (tokens,).

    >>> greedy([0.2, 0.4, 0.4]).tolist()
    [0.0, 1.0, 0.0]
    """
    values = _scores(scores)
    one_hot = np.zeros(values.size)
    one_hot[values.argmax()] = 1
    return one_hot


def acceptance_by_temperature(
    target_logits: ArrayLike,
    draft_logits: ArrayLike,
    temperatures: Iterable[float],
    rule: str = "rejection",
    greedy_draft: bool = False,
    *,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Floats:
    """The exact acceptance of a rule at each temperature of both models. Shape (temperatures,).

    Scores have shape (tokens,), or (contexts, tokens) for the mean over contexts. With `greedy_draft` the drafter
    always proposes its likeliest token. Then rejection sampling and exact match are the same rule: the token is kept
    as often as the target would draw it. A drafter that samples from the target's own distribution is always accepted
    by rejection sampling, by exact match only with chance Σ target², which is never above that of its likeliest token.

    top_k and top_p hold for both models; `rule` is one of `specmodel.sampling.verify`.

    >>> acceptance_by_temperature([2.0, 1.0, 0.0], [2.0, 1.5, 0.0], [0, 1]).round(3).tolist()
    [1.0, 0.897]
    >>> acceptance_by_temperature([2.0, 1.0, 0.0], [2.0, 1.5, 0.0], [1], "exact_match").round(3).tolist()
    [0.474]
    """
    targets, drafts = _rows(target_logits, "target_logits"), _rows(draft_logits, "draft_logits")
    if targets.shape != drafts.shape:
        message = "target_logits and draft_logits must be over the same tokens; got shapes {target} and {draft}"
        raise OutOfDomain(Message(message, {"target": targets.shape, "draft": drafts.shape}))

    def at(target: Floats, draft: Floats, temperature: float) -> float:
        """The acceptance in one context."""
        target_probs = policy(target, temperature, top_k, top_p)
        draft_probs = greedy(draft) if greedy_draft else policy(draft, temperature, top_k, top_p)
        return acceptance(target_probs, draft_probs, rule)

    pairs = list(zip(targets, drafts, strict=True))
    return np.array([np.mean([at(*pair, temperature) for pair in pairs]) for temperature in temperatures])


def toy_logits(size: int, skill: float, seed: int | Sequence[int] = 0) -> tuple[Floats, Floats]:
    """Scores of a target and of a drafter over `size` tokens, both standard normal, with correlation `skill`.

        draft = skill · target + √(1 − skill²) · independent

    Skill 1 is the target itself, skill 0 knows nothing of it. The same seed gives the same numbers. Made here.

    >>> target, draft = toy_logits(5, skill=1.0)
    >>> bool(np.all(target == draft))
    True
    """
    size, skill = whole_number(size, "size", 1, MAX_TOKENS), number_between(skill, "skill", 0, 1)
    target_seed, draft_seed = np.random.SeedSequence(seed_numbers(seed)).spawn(2)
    target = np.random.default_rng(target_seed).standard_normal(size)
    independent = np.random.default_rng(draft_seed).standard_normal(size)
    return target, skill * target + np.sqrt(1 - skill**2) * independent


def _scores(values: ArrayLike) -> Floats:
    scores = numbers(values, "logits")
    if scores.ndim != 1 or scores.size == 0 or not np.all(scores < np.inf) or not scores.max() > -np.inf:
        message = "logits must be a list with one number for each token, −∞ for some at most; got {values}"
        raise OutOfDomain(Message(message, {"values": shortened(repr(values))}))
    return scores


def _rows(values: ArrayLike, name: str) -> Floats:
    rows = np.atleast_2d(numbers(values, name))
    if rows.ndim != 2 or rows.size == 0:
        message = "{name} must have one row of scores for each context; got shape {shape}"
        raise OutOfDomain(Message(message, {"name": name, "shape": rows.shape}))
    return rows
