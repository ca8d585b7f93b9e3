"""The acceptance that several drafters would have along the same text of the target, without playing a round."""

from collections.abc import Mapping, Sequence

import numpy as np

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.numbers import seed_numbers, whole_number
from specmodel.ngram._draws import draw, tempered
from specmodel.ngram.drafters import Drafter
from specmodel.ngram.generate import MAX_TOKENS
from specmodel.ngram.ngram_model import NgramModel


def expected_acceptance(
    target: NgramModel,
    drafters: Mapping[str, Drafter],
    prompts: Sequence[str],
    max_tokens: int = 60,
    temperature: float = 1.0,
    seed: int = 0,
) -> dict[str, float | None]:
    """By drafter: the chance that its first draft is kept, averaged over the places of texts that the target writes.

    At each place it is Σ min(target, draft) over all tokens, exact for that place (Leviathan et al. 2023, theorem
    3.5); places where a drafter proposes nothing are left out, and None stands where it never does. All drafters see
    the same texts, so their differences are not noise. Later drafts of a round follow a draft and not the target's own
    text, so their acceptance differs a little.

    >>> from specmodel.ngram import ModelDrafter, language_models
    >>> pair = language_models("english")
    >>> found = expected_acceptance(pair.target, {"target": ModelDrafter(pair.target)}, ["Return the"], 10)
    >>> round(found["target"], 9)
    1.0
    """
    max_tokens = whole_number(max_tokens, N_("tokens to generate"), 1, MAX_TOKENS)
    seeds = seed_numbers(seed)
    if any(each.vocabulary != target.vocabulary for each in drafters.values()):
        raise SpecmodelError(Message("target and draft have different tokens: train both on one vocabulary"))
    overlaps: dict[str, list[float]] = {name: [] for name in drafters}
    for number, prompt in enumerate(prompts):
        rng = np.random.default_rng((*seeds, number))
        text = target.vocabulary.encode(prompt)
        for _ in range(max_tokens):
            probs = tempered(target.next_probs(text), temperature)
            for name, drafter in drafters.items():
                for proposed in drafter.propose(text, 1, temperature, rng):
                    overlaps[name].append(float(np.minimum(probs, proposed.draft_probs).sum()))
            text.append(draw(probs, rng))
    return {name: sum(each) / len(each) if each else None for name, each in overlaps.items()}
