"""Speculative sampling between two real language models, recorded round by round.

One round (Leviathan et al. 2023, algorithm 1; Chen et al. 2023, algorithm 2): the drafter proposes tokens x_1 … x_k;
x_i is accepted with probability min(1, target(x_i) / draft(x_i)), both given the text and the drafts before it. At the
first rejection the target's own token is drawn from max(0, target − draft), normalised (the recovered token); where
every draft is accepted, from the target (the bonus token). The text has the distribution of the target alone, and at
temperature 0 it is the same text. In a serving engine one pass of the target gives all its distributions of a round.
"""

from collections.abc import Sequence

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.numbers import generator, whole_number
from specmodel.ngram._draws import draw, tempered
from specmodel.ngram.drafters import Drafter, ModelDrafter, Proposed
from specmodel.ngram.ngram_model import NgramModel
from specmodel.ngram.trace import Round, Trace

MAX_TOKENS = 4000
MAX_DRAFTS = 32


def speculate(
    target: NgramModel,
    draft: NgramModel | Drafter,
    prompt: str,
    max_tokens: int = 200,
    num_speculative_tokens: int = 4,
    temperature: float = 1.0,
    seed: int | np.random.Generator = 0,
) -> Trace:
    """Continue a prompt by `max_tokens` tokens with `num_speculative_tokens` drafts a round.

    `draft` is a model or another drafter over the same tokens. `temperature` holds for target and draft. Whole rounds
    are played; the text ends at `max_tokens`, inside the last one.

    >>> from specmodel.ngram.pair import language_models
    >>> pair = language_models("english")
    >>> fast = speculate(pair.target, pair.draft, "Return the", 20, temperature=0)
    >>> fast.text == decode(pair.target, "Return the", 20, temperature=0).text, len(fast.rounds) < 20
    (True, True)
    """
    drafter = ModelDrafter(draft) if isinstance(draft, NgramModel) else draft
    if drafter.vocabulary is not target.vocabulary and drafter.vocabulary != target.vocabulary:
        raise SpecmodelError(Message("target and draft have different tokens: train both on one vocabulary"))
    k = whole_number(num_speculative_tokens, N_("drafts a round"), 1, MAX_DRAFTS)
    return _played(target, drafter, prompt, max_tokens, k, temperature, seed)


def decode(
    target: NgramModel,
    prompt: str,
    max_tokens: int = 200,
    temperature: float = 1.0,
    seed: int | np.random.Generator = 0,
) -> Trace:
    """Continue a prompt with the target alone: one pass a token; the trace has as many rounds as tokens, no drafts.

    >>> from specmodel.ngram.pair import language_models
    >>> decode(language_models("code").target, "def", 5).target_passes_saved
    0
    """
    return _played(target, None, prompt, max_tokens, 0, temperature, seed)


def _played(
    target: NgramModel,
    drafter: Drafter | None,
    prompt: str,
    max_tokens: int,
    num_speculative_tokens: int,
    temperature: float,
    seed: int | np.random.Generator,
) -> Trace:
    max_tokens, rng = whole_number(max_tokens, N_("tokens to generate"), 1, MAX_TOKENS), generator(seed)
    start = tuple(target.vocabulary.encode(prompt))
    text = list(start)
    rounds: list[Round] = []
    while len(text) < len(start) + max_tokens:
        drafts = drafter.propose(text, num_speculative_tokens, temperature, rng) if drafter else []
        rounds.append(_round(target, drafts, text, temperature, rng))
        text += rounds[-1].emitted
    return Trace(target.vocabulary, start, tuple(rounds), max_tokens, num_speculative_tokens)


def _round(
    target: NgramModel, drafts: Sequence[Proposed], text: Sequence[int], temperature: float, rng: np.random.Generator
) -> Round:
    """Check the drafts against the target up to the first rejection, then draw the target's own token."""
    recent = list(text[-target.order :])
    drafted = tuple(each.token for each in drafts)
    chances: list[tuple[float, float, float]] = []  # the target's and the draft's probability, and the overlap
    for accepted, proposed in enumerate(drafts):
        probs = tempered(target.next_probs(recent), temperature)
        ours, theirs = float(probs[proposed.token]), float(proposed.draft_probs[proposed.token])
        chances.append((ours, theirs, float(np.minimum(probs, proposed.draft_probs).sum())))
        if ours < theirs and rng.random() * theirs >= ours:
            recovered = draw(_residual(probs, proposed.draft_probs), rng)
            return Round(drafted, accepted, recovered, *_columns(chances))
        recent.append(proposed.token)
    bonus = draw(tempered(target.next_probs(recent), temperature), rng)
    return Round(drafted, len(drafted), bonus, *_columns(chances))


def _residual(target_probs: Floats, draft_probs: Floats) -> Floats:
    """What the drafts left open, as weights; the target itself where rounding leaves nothing."""
    left: Floats = np.maximum(target_probs - draft_probs, 0)
    return left if left.any() else target_probs


def _columns(chances: Sequence[tuple[float, float, float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(zip(*chances, strict=True)) if chances else ((), (), ())
