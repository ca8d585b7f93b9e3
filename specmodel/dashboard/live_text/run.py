"""What is played on the Live text page: one text continued with speculation and without, many short ones, and what the
drafter reaches on held-out texts. No Streamlit.

What comes of held-out openings is nobody's, so all visitors share it. What comes of the text that is continued, which
a visitor may have typed, is kept in the store that the caller gives, and nowhere else.
"""

from collections.abc import Callable, Hashable, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar, cast

import numpy as np

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.declared import LessonSeed
from specmodel.dashboard.live_text.values import TextLesson
from specmodel.dashboard.session.chosen import Chosen
from specmodel.model.scenario import Scenario
from specmodel.ngram import (
    KINDS,
    Drafter,
    LanguagePair,
    LookupDrafter,
    Measured,
    ModelDrafter,
    Trace,
    decode,
    language_models,
    measure_rounds,
    speculate,
)
from specmodel.ngram.along import expected_acceptance
from specmodel.ngram.continuations import Continuations, compare_continuations

Made = TypeVar("Made")
Store = MutableMapping[str, tuple[Hashable, Any]]
"""Name of a result -> what it was made from, and the result: the last one of each name, of one visitor."""

DRAFTERS = {"model": N_("n-gram model"), "lookup": N_("Prompt lookup")}
OWN = "own"
LOOKUP = "lookup"
ORDERS = (1, 2, 3, 4, 5)
LONGEST = 200
HELD_OUT_TOKENS = 80  # after each opening, for the acceptance by kind of text; the last round is played to its end
ALONG_TOKENS = 40
DRAWS = 400
FEWEST_CELLS = 3
MOST_FACTOR = 1000.0


def drafter_of(pair: LanguagePair, key: str, order: int) -> Drafter:
    """The drafter that an option and an order name."""
    return LookupDrafter(pair.vocabulary) if key == LOOKUP else ModelDrafter(pair.drafter(order))


@lru_cache(maxsize=512)
def held_out(kind: str, key: str, order: int, k: int, temperature: float, seed: int) -> Measured:
    """What a drafter reaches on the held-out openings of a kind of text.

    Whole rounds are counted, the last ones beyond the end of their texts too: so the tokens per round are those that
    the acceptance gives on the Explore pages.
    """
    pair = language_models(kind)
    drafter = drafter_of(pair, key, order)
    played = [
        speculate(pair.target, drafter, text, HELD_OUT_TOKENS, k, temperature, np.random.default_rng((seed, number)))
        for number, text in enumerate(pair.corpus.prompts)
    ]
    return measure_rounds((each for trace in played for each in trace.rounds), k)


@lru_cache(maxsize=256)
def along(kind: str, temperature: float, seed: int) -> dict[str, float | None]:
    """The expected acceptance of every drafter's first draft along texts of the target, by order or `LOOKUP`."""
    pair = language_models(kind)
    drafters = {str(order): drafter_of(pair, "model", order) for order in ORDERS}
    drafters[LOOKUP] = drafter_of(pair, LOOKUP, 1)
    return expected_acceptance(pair.target, drafters, pair.corpus.prompts, ALONG_TOKENS, temperature, seed)


@dataclass(frozen=True)
class TextRun:
    """A text that is continued, and what comes of it; each result is played when it is asked for.

    `source` says whether the opening is held out, typed by the visitor, or stands in until the visitor types one.
    """

    pair: LanguagePair
    drafter_key: str
    opening: str
    source: Literal["held_out", "typed", "awaited"]
    lesson: TextLesson
    seed: int
    store: Store = field(default_factory=dict, compare=False, repr=False)

    @property
    def kind(self) -> str:
        """The kind of text."""
        return self.pair.kind

    @property
    def looks_up(self) -> bool:
        """Whether the drafter is no model."""
        return self.drafter_key == LOOKUP

    @property
    def _order(self) -> int:
        return 0 if self.looks_up else self.lesson.draft_order

    @property
    def _drafter(self) -> Drafter:
        return drafter_of(self.pair, self.drafter_key, self.lesson.draft_order)

    @property
    def _values(self) -> tuple[Hashable, ...]:
        k, temperature = self.lesson.num_speculative_tokens, self.lesson.temperature
        return self.kind, self.drafter_key, self._order, self.opening, k, temperature, self.seed

    @property
    def trace(self) -> Trace:
        """The text with speculation."""
        most, k, temperature = self.lesson.max_tokens, self.lesson.num_speculative_tokens, self.lesson.temperature
        return self._stored(
            "trace",
            (*self._values, most),
            lambda: speculate(self.pair.target, self._drafter, self.opening, most, k, temperature, self.seed),
        )

    @property
    def plain(self) -> Trace:
        """The text of the target alone, from the same seed."""
        most, temperature = self.lesson.max_tokens, self.lesson.temperature
        return self._stored(
            "plain",
            (self.kind, self.opening, temperature, most, self.seed),
            lambda: decode(self.pair.target, self.opening, most, temperature, self.seed),
        )

    @cached_property
    def counted(self) -> Measured:
        """Counts over the whole text."""
        return self.counted_to(len(self.trace.rounds))

    def counted_to(self, rounds: int) -> Measured:
        """Counts over the first so many rounds of the text."""
        trace = self.trace
        return measure_rounds(trace.rounds[:rounds], trace.num_speculative_tokens, trace.max_tokens)

    @property
    def continuations(self) -> Continuations:
        """Many short continuations with and without; of one token where those of two are too many to count."""
        return self._stored("continuations", self._values, self._continuations)

    def _continuations(self) -> Continuations:
        k, temperature = self.lesson.num_speculative_tokens, self.lesson.temperature
        for length in (2, 1):
            drawn = compare_continuations(
                self.pair.target, self._drafter, self.opening, DRAWS, length, k, temperature, self.seed
            )
            if temperature == 0 or len(drawn.tokens) >= FEWEST_CELLS:
                break
        return drawn

    def _stored(self, name: str, values: Hashable, make: Callable[[], Made]) -> Made:
        """The last result of this name, made anew where it came of other values."""
        if name not in self.store or self.store[name][0] != values:
            self.store[name] = values, make()
        return cast(Made, self.store[name][1])

    def held_out(self, kind: str) -> Measured:
        """What the same drafter reaches on the held-out openings of a kind of text."""
        k, temperature = self.lesson.num_speculative_tokens, self.lesson.temperature
        return held_out(kind, self.drafter_key, self._order, k, temperature, self.seed)

    def by_kind(self) -> dict[str, Measured]:
        """What the same drafter reaches on each kind of text."""
        return {kind: self.held_out(kind) for kind in KINDS}

    def along(self, kind: str) -> dict[str, float | None]:
        """The expected acceptance of all drafters on a kind of text."""
        return along(kind, self.lesson.temperature, self.seed)

    def as_scenario(self, scenario: Scenario) -> Scenario:
        """A scenario with the held-out acceptance by position, and the draft length that it was measured with.

        A lookup runs no model: its draft step takes no time. Its rounds without a proposal are among the rejected.
        """
        measured = self.held_out(self.kind)
        first, *later = measured.acceptance.conditional_acceptance
        shape = tuple(round(min(each / first, MOST_FACTOR), 6) if first and each == each else 0.0 for each in later)
        return scenario.replace(
            alpha=round(first, 6),
            acceptance_shape=() if all(factor == 1 for factor in shape) else shape,
            num_speculative_tokens=measured.num_speculative_tokens,
            vocabulary_overlap=1,
            **({"draft_ms": 0} if self.looks_up else {}),
        )


def run_of(chosen: Chosen, own_text: str = "", store: Store | None = None) -> TextRun:
    """What is played of the chosen values. `own_text` is what the visitor typed, for when that is to be continued.

    `store` keeps results from one call to the next: it has to be the visitor's own. Without one nothing is kept.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> run_of(read_link({"textprompt": "own", "text_k": "2"})[0], "Return the").opening
    'Return the'
    """
    pair = language_models(chosen.option("textkind"))
    lesson, seed = chosen.group(TextLesson), chosen.group(LessonSeed).lesson_seed
    opening, source = _opening(pair, chosen.option("textprompt"), own_text)
    return TextRun(pair, chosen.option("textdraft"), opening, source, lesson, seed, {} if store is None else store)


def _opening(pair: LanguagePair, place: str, own_text: str) -> tuple[str, Literal["held_out", "typed", "awaited"]]:
    prompts = pair.corpus.prompts
    if place != OWN:
        return prompts[int(place) if int(place) < len(prompts) else 0], "held_out"
    return (own_text, "typed") if own_text.strip() else (prompts[0], "awaited")
