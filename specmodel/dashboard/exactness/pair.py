"""The two distributions of the Exactness page: made up, from a visitor's own numbers, or the language models'."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.ngram import language_models
from specmodel.sampling.distributions import with_probability
from specmodel.sampling.temperature import policy, policy_of_probs, toy_logits
from specmodel.sampling.verify import Verification, verify

MOST_NAMED = 7
"""Of a large vocabulary so many tokens are shown by name."""
SHARPNESS = 1.5  # of the made-up scores: with 1 a handful of tokens looks alike
LETTERS = "ABCDEFGHIJKLMNOP"
MOST_WEIGHT = 1000.0
SERIES = ("target", "draft")
"""Whose bars can be pulled, in the order of the weights."""
HIGHEST = 0.99  # of a bar that is pulled: the others keep their proportions
TOTAL = 10.0  # of the weights after a bar was pulled
Weights = list[tuple[float, float]]
"""For each token the weight that the target and the drafter give it; they need not add up to 1."""
Scores = tuple[tuple[str, ...], int, Floats, Floats]
"""Names of the tokens, how many of them are shown, scores of target and drafter."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Scores of target and drafter over tokens, and their distributions by the visitor's sampling.

    The first `num_named` tokens are shown by name, the rest of a large vocabulary together; everything is computed
    over all of them. `cut` is top-k and top-p, None where all tokens are kept.
    """

    names: tuple[str, ...]
    num_named: int
    target_scores: Floats
    draft_scores: Floats
    target_probs: Floats
    draft_probs: Floats
    cut: tuple[int | None, float | None]

    @cached_property
    def test(self) -> Verification:
        """Rejection sampling of one draft token, enumerated over all tokens."""
        return verify(self.target_probs, self.draft_probs)

    @property
    def has_others(self) -> bool:
        """Whether there are tokens that are not shown by name."""
        return len(self.names) > self.num_named

    @property
    def test_by_name(self) -> Verification:
        """The same test over the tokens that are shown by name, all others counted as one."""
        return self.test.lumped(self.num_named) if self.has_others else self.test

    def labels(self, translate: Translator) -> tuple[str, ...]:
        """The names that are shown, and one for all other tokens where there are some."""
        return (*self.names[: self.num_named], *((translate("others"),) if self.has_others else ()))

    def shared(self, unknown_tokens: int) -> NDArray[np.bool_]:
        """The tokens that the drafter knows: all but the last ones that are shown by name, and at least one."""
        at = np.arange(len(self.names))
        return (at < max(1, self.num_named - unknown_tokens)) | (at >= self.num_named)

    def named_probs(self) -> tuple[Floats, Floats]:
        """Both distributions over the tokens that are shown by name alone."""
        target, draft = self.target_probs[: self.num_named], self.draft_probs[: self.num_named]
        return target / target.sum(), draft / draft.sum()

    def leniently(self, lenience: float) -> Verification:
        """The lenient rule."""
        return verify(self.target_probs, self.draft_probs, "lenient", lenience=lenience)


def pair_of(chosen: Chosen) -> Pair:
    """The pair that a link asks for; the same object as long as nothing of it changes.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> pair_of(read_link({"dists": "edit", "probs": "1_1,1_3"})[0]).target_probs.tolist()
    [0.5, 0.5]
    """
    options = (str(chosen.option(key)) for key in ("dists", "probs", "distkind", "distprompt"))
    return _pair(chosen.group(ExactnessLesson), *options)


@lru_cache(maxsize=32)
def _pair(lesson: ExactnessLesson, source: str, weights: str, kind: str, opening: str) -> Pair:
    if source == "text":
        names, num_named, target, draft = _after_text(kind, opening)
    else:
        names, num_named, target, draft = _weighed(weights) if source == "edit" else _made_up(lesson)
    cut = (min(lesson.top_k, len(names)) or None, lesson.top_p if lesson.top_p < 1 else None)
    target_probs = policy(target, lesson.target_temperature, *cut)
    return Pair(names, num_named, target, draft, target_probs, policy(draft, lesson.draft_temperature, *cut), cut)


def _made_up(lesson: ExactnessLesson) -> Scores:
    target, draft = toy_logits(lesson.vocabulary_size, lesson.skill, lesson.seed)
    order = np.argsort(-target, kind="stable")
    return tuple(LETTERS[: target.size]), target.size, SHARPNESS * target[order], SHARPNESS * draft[order]


def _weighed(text: str) -> Scores:
    weights = read_weights(text)
    target, draft = np.log(np.array(weights).T + 1e-300)
    return tuple(LETTERS[: len(weights)]), len(weights), target, draft


def _after_text(kind: str, opening: str) -> Scores:
    """The next token after a real text: the likeliest tokens first."""
    models = language_models(kind)
    tokens = models.vocabulary.encode(models.corpus.prompts[number_of_opening(kind, opening)])
    target, draft = models.target.next_probs(tokens), models.draft.next_probs(tokens)
    order = _likeliest_first(target, draft)
    names = tuple(repr(models.vocabulary.label(int(token))) for token in order)
    with np.errstate(divide="ignore"):
        return names, MOST_NAMED, np.log(target[order]), np.log(draft[order])


def number_of_opening(kind: str, opening: str) -> int:
    """The place of the text that is asked for among those of its kind; the first where there are not so many.

    >>> number_of_opening("english", "1"), number_of_opening("english", "1000")
    (1, 0)
    """
    return int(opening) if int(opening) < len(language_models(kind).corpus.prompts) else 0


def _likeliest_first(target: Floats, draft: Floats) -> NDArray[np.intp]:
    """The tokens by their rank in the model that likes them better.

    >>> _likeliest_first(np.array([0.1, 0.6, 0.3]), np.array([0.1, 0.2, 0.7])).tolist()
    [1, 2, 0]
    """
    ranks = [np.argsort(np.argsort(-probs, kind="stable"), kind="stable") for probs in (target, draft)]
    return np.argsort(np.minimum(*ranks), kind="stable")


def can_be_pulled(chosen: Chosen) -> bool:
    """Whether the bars are the visitor's own numbers: with nothing cut and no temperature of 0."""
    lesson = chosen.group(ExactnessLesson)
    uncut = lesson.top_k == 0 and lesson.top_p == 1
    return uncut and lesson.target_temperature > 0 and lesson.draft_temperature > 0 and chosen.option("dists") == "edit"


def read_weights(text: str) -> Weights:
    """Weights from an option; the page's own where they cannot be read.

    >>> read_weights("3_1.2_2"), read_weights("nonsense")
    ([(3.0, 1.0), (2.0, 2.0)], [(6.0, 4.0), (3.0, 3.0), (1.0, 3.0)])
    """
    return readable_weights(text) or [(6.0, 4.0), (3.0, 3.0), (1.0, 3.0)]


def readable_weights(text: str) -> Weights:
    """Weights from an option; none where it holds anything else.

    >>> readable_weights("1_2,4_5"), readable_weights("1_2_3,4_5_6")
    ([(1.0, 2.0), (4.0, 5.0)], [])
    """
    try:
        rows = text.split(",") if "," in text else filter(None, text.split("."))
        weights = [(float(target), float(draft)) for target, draft in (row.split("_") for row in rows)]
    except ValueError:
        return []
    in_range = all(0 <= value <= MOST_WEIGHT for row in weights for value in row)
    return weights if in_range and is_pair(weights) else []


def is_pair(weights: Sequence[tuple[float, float]]) -> bool:
    """Whether two distributions can be made of the weights: of two to sixteen tokens, neither of them all 0.

    >>> is_pair([(1, 0), (0, 1)]), is_pair([(1, 0), (2, 0)]), is_pair([(1, 1)])
    (True, False, False)
    """
    return 2 <= len(weights) <= len(LETTERS) and all(sum(column) > 0 for column in zip(*weights, strict=True))


def written(weights: Sequence[tuple[float, float]]) -> str:
    """Weights as an option writes them.

    >>> written([(3.0, 1.0), (0.5, 2.0)])
    '3_1,0.5_2'
    """
    return ",".join(f"{target:g}_{draft:g}" for target, draft in weights)


def pulled_weights(chosen: Chosen, series: str, place: int, value: float) -> Weights | None:
    """The weights after the bar of a token was pulled to a probability, with the others' proportions kept.

    They give that bar at the model's temperature; None where there is no such bar.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> pulled_weights(read_link({"dists": "edit", "probs": "5_5,3_3,2_2"})[0], "draft", 0, 0.75)
    [(5.0, 7.5), (3.0, 1.5), (2.0, 1.0)]
    """
    lesson, weights = chosen.group(ExactnessLesson), np.array(read_weights(str(chosen.option("probs"))))
    if not can_be_pulled(chosen) or series not in SERIES or not (0 <= place < len(weights) and 0 <= value <= 1):
        return None
    column = SERIES.index(series)
    temperature = (lesson.target_temperature, lesson.draft_temperature)[column]
    probs = policy_of_probs(weights[:, column] / weights[:, column].sum(), temperature)
    wanted = with_probability(probs, place, min(value, HIGHEST)) ** temperature
    weights[:, column] = np.round(wanted / wanted.sum() * TOTAL, 3)
    return [(float(target), float(draft)) for target, draft in weights]
