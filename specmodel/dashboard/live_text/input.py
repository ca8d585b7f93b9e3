"""What the Live text page is asked: kind of text, drafter, the text to continue; and what is played from it.

A text that the reader types stays in the session: what comes of it is kept there and nowhere else.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar, cast

import numpy as np
import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.declared import LessonSeed
from specmodel.dashboard.live_text.declared import TextLesson
from specmodel.dashboard.parts.old_page import Page
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
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

DRAFTERS = {"model": N_("n-gram model"), "lookup": N_("Prompt lookup")}
OWN = "own"
TYPED = "live_text:typed"
LONGEST = 200
ORDERS = (1, 2, 3, 4, 5)
LOOKUP = "lookup"
HELD_OUT_TOKENS = 80  # after each opening, for the acceptance by kind of text; the last round is played to its end
ALONG_TOKENS = 40
DRAWS = 400
FEWEST_CELLS = 3
SHOWN_OPENING = 36


def drafter_of(pair: LanguagePair, key: str, order: int) -> Drafter:
    """The drafter that an option and an order name."""
    return LookupDrafter(pair.vocabulary) if key == LOOKUP else ModelDrafter(pair.drafter(order))


@lru_cache(maxsize=512)
def held_out(kind: str, key: str, order: int, k: int, temperature: float, seed: int) -> Measured:
    """What a drafter reaches on the held-out openings of a kind of text; they are nobody's, so all readers share it.

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
    """The expected acceptance of every drafter's first draft along texts of the target; shared like `held_out`."""
    pair = language_models(kind)
    drafters = {str(order): drafter_of(pair, "model", order) for order in ORDERS}
    drafters[LOOKUP] = drafter_of(pair, LOOKUP, 1)
    return expected_acceptance(pair.target, drafters, pair.corpus.prompts, ALONG_TOKENS, temperature, seed)


@dataclass(frozen=True)
class Asked:
    """The reader's question, and what is played from it."""

    pair: LanguagePair
    drafter_key: str
    opening: str
    own: bool
    lesson: TextLesson
    seed: int

    @property
    def kind(self) -> str:
        """The kind of text."""
        return self.pair.kind

    @property
    def drafter(self) -> Drafter:
        """The chosen drafter."""
        return drafter_of(self.pair, self.drafter_key, self.lesson.draft_order)

    @property
    def _values(self) -> tuple[Hashable, ...]:
        lesson = self.lesson
        order = 0 if self.drafter_key == LOOKUP else lesson.draft_order
        return (
            self.kind, self.drafter_key, order, self.opening, lesson.num_speculative_tokens, lesson.temperature,
            self.seed,
        )  # fmt: skip

    @cached_property
    def trace(self) -> Trace:
        """The text with speculation."""
        lesson = self.lesson
        return _kept(
            "trace",
            (*self._values, lesson.max_tokens),
            lambda: speculate(
                self.pair.target, self.drafter, self.opening, lesson.max_tokens, lesson.num_speculative_tokens,
                lesson.temperature, self.seed,
            ),
        )  # fmt: skip

    @cached_property
    def plain(self) -> Trace:
        """The text of the target alone, from the same seed."""
        lesson = self.lesson
        return _kept(
            "plain",
            (self.kind, self.opening, lesson.temperature, lesson.max_tokens, self.seed),
            lambda: decode(self.pair.target, self.opening, lesson.max_tokens, lesson.temperature, self.seed),
        )

    @cached_property
    def counted(self) -> Measured:
        """Counts over the whole text."""
        return measure_rounds(self.trace.rounds, self.trace.num_speculative_tokens, self.trace.max_tokens)

    @cached_property
    def continuations(self) -> Continuations:
        """Many short continuations with and without; of one token where those of two are too many to count."""
        return _kept("continuations", self._values, self._continuations)

    def _continuations(self) -> Continuations:
        lesson = self.lesson
        for length in (2, 1):
            found = compare_continuations(
                self.pair.target, self.drafter, self.opening, DRAWS, length, lesson.num_speculative_tokens,
                lesson.temperature, self.seed,
            )  # fmt: skip
            if lesson.temperature == 0 or len(found.tokens) >= FEWEST_CELLS:
                break
        return found

    def held_out(self, kind: str) -> Measured:
        """What the same drafter reaches on the held-out openings of a kind of text."""
        lesson = self.lesson
        order = 0 if self.drafter_key == LOOKUP else lesson.draft_order
        drafts, temperature = lesson.num_speculative_tokens, lesson.temperature
        return held_out(kind, self.drafter_key, order, drafts, temperature, self.seed)

    def along(self, kind: str) -> dict[str, float | None]:
        """The expected acceptance of all drafters on a kind of text."""
        return along(kind, self.lesson.temperature, self.seed)


def _kept(name: str, values: Hashable, make: Callable[[], Made]) -> Made:
    """The last result of this name in this session, made anew when the values differ."""
    key = f"live_text:{name}"
    if st.session_state.get(key, (None,))[0] != values:
        st.session_state[key] = values, make()
    return cast(Made, st.session_state[key][1])


def text_input(page: Page) -> Asked:
    """Draw the choices; train on first use; what was asked."""
    _ = page.translate
    with st.spinner(_("Training two small language models on each kind of text: once, for a second or two…")):
        pairs = {kind: language_models(kind) for kind in KINDS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = select(page, "textkind", _("Kind of text"), list(KINDS), lambda key: _(KINDS[key].label), width=170)
        drafter = select(page, "textdraft", _("Drafter"), list(DRAFTERS), lambda key: _(DRAFTERS[key]), width=170)
        pair = pairs[kind]
        opening, own = _opening(page, pair)
    asked = Asked(pair, drafter, opening, own, state.group(TextLesson), state.group(LessonSeed).lesson_seed)
    page.note(origin(asked, page))
    return asked


def _opening(page: Page, pair: LanguagePair) -> tuple[str, bool]:
    """An opening that no model has seen, or what the reader types."""
    _, prompts = page.translate, pair.corpus.prompts
    places = [*map(str, range(len(prompts))), OWN]
    if state.option("textprompt") not in places:
        state.set_option("textprompt", "0")

    def shown(place: str) -> str:
        return _("A text of my own") if place == OWN else one_line(prompts[int(place)], SHOWN_OPENING)

    place = select(page, "textprompt", _("Text to continue"), places, shown, width=380)
    if place != OWN:
        return prompts[int(place)], False
    st.session_state.setdefault("live_text:own", "")
    st.session_state[TYPED] = st.session_state["live_text:own"]
    st.text_input(
        _("My own text"),
        key=TYPED,
        max_chars=LONGEST,
        width=320,
        placeholder=one_line(prompts[0], SHOWN_OPENING),
        help=_("Up to 200 characters. It stays in this session and is not in the link."),
        on_change=_keep_typed,
    )
    typed = str(st.session_state["live_text:own"])
    return (typed, True) if typed.strip() else (prompts[0], False)


def _keep_typed() -> None:
    typed = str(st.session_state[TYPED])[:LONGEST]
    st.session_state["live_text:own"] = typed.encode("utf-8", "replace").decode("utf-8")


def one_line(text: str, longest: int) -> str:
    """A text in one line, cut after so many characters.

    >>> one_line("def f():\\n    pass", 12)
    'def f():↵ pa…'
    """
    line = " ".join(text.replace("\n", "↵ ").split())
    return line if len(line) <= longest else f"{line[:longest]}…"


def drafter_name(key: str, order: int, page: Page) -> str:
    """A drafter in words."""
    _ = page.translate
    if key == LOOKUP:
        return _("prompt lookup")
    return _("n-gram model of order {order}").format(order=order)


def origin(asked: Asked, page: Page) -> str:
    """Where the models come from, in sentences."""
    _, corpus = page.translate, asked.pair.corpus
    lines = [
        _("Real models, small ones: n-gram models, trained here on {origin}.").format(origin=_.message(corpus.origin)),
        _("The target looks at {order} tokens, the next one included, and knows {size:,} tokens.").format(
            order=asked.pair.target.order, size=len(asked.pair.vocabulary)
        ),
    ]
    if asked.drafter_key == LOOKUP:
        lines.append(_("The drafter is no model: it copies what followed the last tokens the last time they occurred."))
    else:
        text = _("The drafter is the same kind of model of order {order}.")
        lines.append(text.format(order=asked.lesson.draft_order))
    if asked.own:
        lines.append(_("Your text stays in this session; the link opens with another."))
    elif state.option("textprompt") == OWN:
        lines.append(_("Until you type one, the first opening is continued."))
    else:
        text = _("The opening is from {parts} parts of the text that were kept away from training.")
        lines.append(text.format(parts=len(corpus.held_out)))
    return _.sentences(*lines)
