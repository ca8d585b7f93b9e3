"""Where the two distributions of the Exactness page come from: sliders, edited numbers, or the language models."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from specmodel.dashboard import state
from specmodel.dashboard.choose import select
from specmodel.dashboard.page import Page, escaped
from specmodel.language import KINDS, language_models
from specmodel.lessons import ExactnessLesson
from specmodel.messages import N_
from specmodel.sampling_policy import policy, toy_logits

Floats = NDArray[np.float64]
SOURCES = {"sliders": N_("Sliders"), "edit": N_("My own numbers"), "text": N_("Language models")}
SHOWN = 7
SHARPNESS = 1.5  # of the made-up scores: with 1 a handful of tokens looks alike
LETTERS = "ABCDEFGHIJKLMNOP"


@dataclass(frozen=True)
class Pair:
    """Scores of target and drafter over named tokens, their distributions at the reader's temperatures, and a note."""

    names: tuple[str, ...]
    target_scores: Floats
    draft_scores: Floats
    target_probs: Floats
    draft_probs: Floats
    note: str


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
    names, target, draft, note = scores
    top_k, top_p = min(lesson.top_k, len(names)) or None, lesson.top_p if lesson.top_p < 1 else None
    page.note(note)
    return Pair(
        names,
        target,
        draft,
        policy(target, lesson.target_temperature, top_k, top_p),
        policy(draft, lesson.draft_temperature, top_k, top_p),
        note,
    )


Scores = tuple[tuple[str, ...], Floats, Floats, str]


def _toy(page: Page) -> Scores:
    lesson = state.group(ExactnessLesson)
    target, draft = toy_logits(lesson.vocabulary_size, lesson.skill, lesson.seed)
    order = np.argsort(-target, kind="stable")
    note = page.translate("Two made-up models over a small vocabulary; everything below is enumerated exactly.")
    return tuple(LETTERS[: target.size]), SHARPNESS * target[order], SHARPNESS * draft[order], note


def _edited(page: Page) -> Scores:
    """Weights that the reader types; they need not add up to 1. They stay in the session and in the link."""
    _ = page.translate
    kept = _read(str(state.option("probs")))
    kept = st.session_state.setdefault("exactness:start", kept)  # what the editor started from: it keeps the edits
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
        key="exactness:editor",
        column_config=config,
        width=360,
        height="content",
        num_rows="dynamic",
    ).dropna(subset=["target", "draft"])
    rows = list(zip(edited["target"].astype(float), edited["draft"].astype(float), strict=True))[: len(LETTERS)]
    if len(rows) < 2 or min(sum(column) for column in zip(*rows, strict=True)) <= 0:
        st.warning(_("Each distribution needs two tokens and a number above 0: the page shows the numbers before."))
        rows = st.session_state.get("exactness:rows", kept)
    st.session_state["exactness:rows"] = rows
    state.set_option("probs", _written(rows))
    weights = np.array(rows).T + 1e-300
    note = _("Your numbers, divided by their sum; everything below is enumerated exactly.")
    return tuple(LETTERS[: len(rows)]), np.log(weights[0]), np.log(weights[1]), note


def _read(text: str) -> list[tuple[float, float]]:
    """Pairs of weights from an option; the start where they are not readable.

    >>> _read("3_1.2_2")
    [(3.0, 1.0), (2.0, 2.0)]
    """
    try:
        rows = [(float(each.split("_")[0]), float(each.split("_")[1])) for each in _parts(text)]
    except (ValueError, IndexError):
        rows = []
    usable = 2 <= len(rows) <= len(LETTERS) and all(0 <= value <= 1000 for row in rows for value in row)
    return rows if usable and all(sum(column) > 0 for column in zip(*rows, strict=True)) else [(6, 4), (3, 3), (1, 3)]


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
    shown = np.argsort(-(target + draft), kind="stable")[:SHOWN]
    names = (*(repr(pair.vocabulary.label(int(each))) for each in shown), _("others"))
    both = [np.append(probs[shown], max(1 - probs[shown].sum(), 1e-12)) for probs in (target, draft)]
    note = _(
        "The next token of an n-gram model of order {target} and of one of order {draft}, after “{text}”; all other "
        "tokens count as one here."
    )
    shown_text = escaped(prompts[number][-60:])
    note = note.format(target=pair.target.order, draft=pair.draft.order, text=shown_text)
    return names, np.log(both[0]), np.log(both[1]), note
