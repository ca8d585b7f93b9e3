"""Where the two distributions of the Exactness page come from: sliders, edited numbers, or the language models."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from specmodel.base.messages import N_
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.parts.chart import Pull
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator
from specmodel.ngram import KINDS, language_models
from specmodel.sampling.distributions import with_probability
from specmodel.sampling.temperature import policy, policy_of_probs, toy_logits
from specmodel.sampling.verify import Verification

Floats = NDArray[np.float64]
SOURCES = {"sliders": N_("Sliders"), "edit": N_("My own numbers"), "text": N_("Language models")}
SHOWN = 7
SHARPNESS = 1.5  # of the made-up scores: with 1 a handful of tokens looks alike
HIGHEST = 0.99  # of a bar that is pulled: the others keep their proportions
TOTAL = 10.0  # of the weights after a bar was pulled
_START, _ROWS, _HELD = "exactness:start", "exactness:rows", "exactness:held"
_EDITION, _PULLING = "exactness:edition", "exactness:pulling"
LETTERS = "ABCDEFGHIJKLMNOP"


@dataclass(frozen=True)
class Pair:
    """Scores of target and drafter over tokens, their distributions by the reader's sampling, and a note.

    The first `shown` tokens are shown by name, the rest of a large vocabulary together; everything is computed over
    all of them. `cut` is top-k and top-p, None where all tokens are kept.
    """

    names: tuple[str, ...]
    shown: int
    target_scores: Floats
    draft_scores: Floats
    target_probs: Floats
    draft_probs: Floats
    cut: tuple[int | None, float | None]
    note: str

    def labels(self, translate: Translator) -> tuple[str, ...]:
        """The names that are shown, and one for all other tokens where there are some."""
        rest = (translate("others"),) if len(self.names) > self.shown else ()
        return (*self.names[: self.shown], *rest)

    def lumped(self, step: Verification) -> Verification:
        """A test over all tokens as it is shown."""
        return step.lumped(self.shown) if len(self.names) > self.shown else step

    def known(self, unknown_tokens: int) -> NDArray[np.bool_]:
        """The tokens that the drafter knows: all but the last ones that are shown, and at least one."""
        at = np.arange(len(self.names))
        return (at < max(1, self.shown - unknown_tokens)) | (at >= self.shown)

    def named(self) -> tuple[Floats, Floats]:
        """Both distributions over the tokens that are shown alone."""
        target, draft = self.target_probs[: self.shown], self.draft_probs[: self.shown]
        return target / target.sum(), draft / draft.sum()


def pair_input(page: Page) -> Pair:
    """Draw the choice of a source and what belongs to it; the pair of distributions."""
    _ = page.translate
    key = "exactness:from"
    st.session_state[key] = state.option("dists")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            _("Where the distributions come from"),
            list(SOURCES),
            format_func=lambda each: _(SOURCES[each]),
            key=key,
            required=True,
            on_change=lambda: state.set_option("dists", st.session_state[key]),
        )
        scores = {"sliders": _toy, "edit": _edited, "text": _text}[str(state.option("dists"))](page)
    lesson = state.group(ExactnessLesson)
    names, shown, target, draft, note = scores
    cut = (min(lesson.top_k, len(names)) or None, lesson.top_p if lesson.top_p < 1 else None)
    page.note(note)
    return Pair(
        names,
        shown,
        target,
        draft,
        policy(target, lesson.target_temperature, *cut),
        policy(draft, lesson.draft_temperature, *cut),
        cut,
        note,
    )


Scores = tuple[tuple[str, ...], int, Floats, Floats, str]


def _toy(page: Page) -> Scores:
    lesson = state.group(ExactnessLesson)
    target, draft = toy_logits(lesson.vocabulary_size, lesson.skill, lesson.seed)
    order = np.argsort(-target, kind="stable")
    note = page.translate("Two made-up models over a small vocabulary. What is not enumerated exactly says so.")
    return tuple(LETTERS[: target.size]), target.size, SHARPNESS * target[order], SHARPNESS * draft[order], note


def _edited(page: Page) -> Scores:
    """Weights that the reader types; they need not add up to 1. They stay in the session and in the link."""
    _ = page.translate
    held = st.session_state.get(_HELD)
    if held and not st.session_state.pop(_PULLING, False):  # let go of unseen: the chart was gone
        _let_go(held)
    if _START not in st.session_state and not _readable(str(state.option("probs"))):
        st.warning(_("The numbers of the link could not be read: the page shows its own."))
    kept = st.session_state.setdefault(_START, _read(str(state.option("probs"))))  # the editor keeps its edits itself
    columns = {
        "token": list(LETTERS[: len(kept)]),
        "target": [row[0] for row in kept],
        "draft": [row[1] for row in kept],
    }
    config = {
        "token": st.column_config.TextColumn(_("token"), disabled=True),
        "target": st.column_config.NumberColumn(_("target"), min_value=0.0, max_value=1000.0, required=True),
        "draft": st.column_config.NumberColumn(_("drafter"), min_value=0.0, max_value=1000.0, required=True),
    }
    edited = st.data_editor(
        pd.DataFrame(columns),
        hide_index=True,
        key=f"exactness:editor:{st.session_state.setdefault(_EDITION, 0)}",
        column_config=config,
        width=360,
        height="content",
        num_rows="dynamic",
    ).dropna(subset=["target", "draft"])
    rows = list(zip(edited["target"].astype(float), edited["draft"].astype(float), strict=True))[: len(LETTERS)]
    if len(rows) < 2 or min(sum(column) for column in zip(*rows, strict=True)) <= 0:
        st.warning(_("Each distribution needs two tokens and a number above 0: the page shows the numbers before."))
        rows = st.session_state.get(_ROWS, kept)
    rows = st.session_state.get(_HELD) or rows
    st.session_state[_ROWS] = rows
    state.set_option("probs", _written(rows))
    weights = np.array(rows).T + 1e-300
    note = _("Your numbers, divided by their sum. What is not enumerated exactly says so.")
    return tuple(LETTERS[: len(rows)]), len(rows), np.log(weights[0]), np.log(weights[1]), note


def bars_to_pull() -> Pull | None:
    """The bars of the reader's own numbers, as long as they show them: with nothing cut and no temperature of 0."""
    lesson = state.group(ExactnessLesson)
    uncut = lesson.top_k == 0 and lesson.top_p == 1 and lesson.target_temperature > 0 and lesson.draft_temperature > 0
    return Pull(("target", "draft"), _pulled) if uncut and state.option("dists") == "edit" else None


def _pulled(series: str, place: int, value: float, final: bool) -> None:
    """Take over a bar that was pulled: the weights that give it at the model's temperature, with the same sum."""
    lesson, weights = state.group(ExactnessLesson), np.array(st.session_state[_ROWS], dtype=float)
    column = ("target", "draft").index(series)
    if place >= len(weights):
        return
    temperature = (lesson.target_temperature, lesson.draft_temperature)[column]
    shown = policy_of_probs(weights[:, column] / weights[:, column].sum(), temperature)
    wanted = with_probability(shown, place, min(value, HIGHEST)) ** temperature
    weights[:, column] = np.round(wanted / wanted.sum() * TOTAL, 3)
    rows = [(float(target), float(draft)) for target, draft in weights]
    state.set_option("probs", _written(rows))
    st.session_state.update({_HELD: rows, _ROWS: rows, _PULLING: True})
    if final:
        _let_go(rows)


def _let_go(rows: list[tuple[float, float]]) -> None:
    """A new editor, which starts from what was pulled."""
    st.session_state.update({_HELD: None, _START: rows, _EDITION: st.session_state[_EDITION] + 1})


def _read(text: str) -> list[tuple[float, float]]:
    """Pairs of weights from an option; the start where they are not readable.

    >>> _read("3_1.2_2")
    [(3.0, 1.0), (2.0, 2.0)]
    """
    return _readable(text) or [(6, 4), (3, 3), (1, 3)]


def _readable(text: str) -> list[tuple[float, float]]:
    """Pairs of weights from an option; none where it holds anything else."""
    try:
        pairs = [each.split("_") for each in _parts(text)]
        rows = [(float(target), float(draft)) for target, draft in pairs]
    except ValueError:
        return []
    usable = 2 <= len(rows) <= len(LETTERS) and all(0 <= value <= 1000 for row in rows for value in row)
    return rows if usable and all(sum(column) > 0 for column in zip(*rows, strict=True)) else []


def _parts(text: str) -> Sequence[str]:
    return [each for each in text.split(".") if each] if "," not in text else text.split(",")


def _written(rows: Sequence[tuple[float, float]]) -> str:
    """Pairs of weights as an option writes them.

    >>> _written([(3.0, 1.0), (0.5, 2.0)])
    '3_1,0.5_2'
    """
    return ",".join(f"{target:g}_{draft:g}" for target, draft in rows)


def _text(page: Page) -> Scores:
    """The next token after a real text: the likeliest tokens of the target by name, the rest together."""
    _ = page.translate
    kind = select(page, "distkind", _("Kind of text"), list(KINDS), lambda key: _(KINDS[key].label), width=200)
    with st.spinner(_("Training the language models…")):
        pair = language_models(kind)
    prompts = pair.corpus.prompts
    places = [str(number) for number in range(len(prompts))]
    if state.option("distprompt") not in places:
        state.set_option("distprompt", "0")
    place = select(page, "distprompt", _("After the text"), places, lambda at: prompts[int(at)][-40:], width=360)
    number = int(place)
    tokens = pair.vocabulary.encode(prompts[number])
    target, draft = pair.target.next_probs(tokens), pair.draft.next_probs(tokens)
    order = _likeliest_first(target, draft)
    names = tuple(repr(pair.vocabulary.label(int(each))) for each in order)
    note = _(
        "The next token of an n-gram model of order {target} and of one of order {draft}, after “{text}”. All {size:,} "
        "tokens count; the likeliest are shown by name, the rest together."
    )
    note = note.format(
        target=pair.target.order, draft=pair.draft.order, text=escaped(prompts[number][-60:]), size=len(names)
    )
    with np.errstate(divide="ignore"):
        return names, SHOWN, np.log(target[order]), np.log(draft[order]), note


def _likeliest_first(target: Floats, draft: Floats) -> NDArray[np.intp]:
    """The tokens by their rank in the model that likes them better.

    >>> _likeliest_first(np.array([0.1, 0.6, 0.3]), np.array([0.1, 0.2, 0.7])).tolist()
    [1, 2, 0]
    """
    ranks = [np.argsort(np.argsort(-probs, kind="stable"), kind="stable") for probs in (target, draft)]
    return np.argsort(np.minimum(*ranks), kind="stable")
