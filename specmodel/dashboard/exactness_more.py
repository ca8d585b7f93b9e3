"""The later steps of the Exactness page: other rules and vocabularies, temperature, what breaks it, blocks."""

from functools import lru_cache
from typing import Protocol

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from specmodel.block_verification import BlockModels
from specmodel.dashboard.exactness_input import Pair
from specmodel.dashboard.page import Page
from specmodel.figures.exactness import breaks_figure, several_figure, temperature_figure
from specmodel.independent_drafts import recursive_rejection
from specmodel.lessons import ExactnessLesson
from specmodel.sampling import LOSSLESS, RULES, Verification, verify
from specmodel.sampling_breaks import rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling_policy import acceptance_by_temperature, policy
from specmodel.vocabulary import effective_alpha

Floats = NDArray[np.float64]
TEMPERATURES = np.linspace(0, 2, 41)
MOST_DRAFTS = 6
BLOCK_TOKENS, BLOCK_DRAFTS = 3, 4
WRONG_TEMPERATURE = 1.75


class Shown(Protocol):
    """What a step needs of the page: its distributions, what became of them, and the reader's numbers."""

    page: Page
    pair: Pair
    lesson: ExactnessLesson
    step: Verification

    @property
    def shared(self) -> NDArray[np.bool_]:
        """The tokens that the drafter knows."""

    def leniently(self) -> Verification:
        """The lenient rule at the reader's lenience."""


def rules(shown: Shown) -> None:
    """Every rule: how much it keeps, how exact it is; with a drafter that does not know the last tokens."""
    page, _ = shown.page, shown.page.translate
    shared = shown.shared
    found = {}
    for rule in RULES:
        if rule == "tli" and shown.pair.draft_probs[shared].sum() <= 0:
            continue
        pair, lenience = shown.pair, shown.lesson.lenience
        found[rule] = verify(pair.target_probs, pair.draft_probs, rule, shared=shared, lenience=lenience)
    distances = [f"{each.total_variation:.1%}" if each.total_variation > 1e-9 else "0" for each in found.values()]
    columns = {
        _("rule"): [_(RULES[rule]) for rule in found],
        _("acceptance"): [f"{each.acceptance:.1%}" for each in found.values()],
        _("distance of the output"): distances,
        _("exact"): [_("yes") if rule in LOSSLESS else _("no") for rule in found],
    }
    data: dict[str, list[object]] = {
        "rule": list(found),
        "acceptance": [each.acceptance for each in found.values()],
        "total_variation": [each.total_variation for each in found.values()],
    }
    page.table("rules", _("The same pair under each rule"), columns, data=data)
    known, size = int(shared.sum()), len(shown.pair.names)
    article = effective_alpha(shown.step.acceptance, known / size)
    ceiling = float(shown.pair.target_probs[shared].sum())
    text = _(
        "The drafter knows {known} of {size} tokens, with {mass:.0%} of the target's probability: no rule keeps more "
        "than that. The article's rule, α × share of the tokens, would say {article:.0%}. Methods that go by whole "
        "strings (SLEM) translate the draft's text into the target's tokens; no distribution shows them."
    )
    page.note(text.format(known=known, size=size, mass=ceiling, article=article))


def temperature(shown: Shown) -> None:
    """Acceptance against temperature: rejection and exact match, sampled and greedy drafts."""
    page, _ = shown.page, shown.page.translate
    curves = {
        _("rejection sampling"): _curve(shown, "rejection", False),
        _("rejection sampling, greedy drafts"): _curve(shown, "rejection", True),
        _("exact match"): _curve(shown, "exact_match", False),
    }
    alt = _("Acceptance against the temperature of both models, for rejection sampling and exact match.")
    figure = temperature_figure(TEMPERATURES, curves, shown.lesson.target_temperature, _)
    page.chart(figure, "temperature", _("Acceptance against temperature"), alt, height=340)
    page.note(
        _(
            "Exact. At temperature 0 both models take their likeliest token, and a draft is kept always or never. A "
            "real pair, measured by the project with llama.cpp, which keeps only equal tokens: .26 at temperature 0, "
            ".11 at 1."
        )
    )


def _curve(shown: Shown, rule: str, greedy_draft: bool) -> Floats:
    lesson = shown.lesson
    top_k, top_p = min(lesson.top_k, len(shown.pair.names)) or None, lesson.top_p if lesson.top_p < 1 else None
    scores = (shown.pair.target_scores, shown.pair.draft_scores)
    return acceptance_by_temperature(*scores, TEMPERATURES, rule, greedy_draft, top_k=top_k, top_p=top_p)


def breaks(shown: Shown) -> None:
    """A wrong draft distribution, lenience, typical acceptance; and rounding, which breaks nothing."""
    page, _ = shown.page, shown.page.translate
    target, draft = shown.pair.target_probs, shown.pair.draft_probs
    wrong = policy(shown.pair.draft_scores, max(shown.lesson.draft_temperature, 0.05) * WRONG_TEMPERATURE)
    cases = {
        _("right"): shown.step,
        _("wrong temperature"): wrong_draft_output(target, draft, wrong),
        _("lenience {l:.2f}").format(l=shown.lesson.lenience): shown.leniently(),
        _("typical acceptance"): typical_acceptance(target, draft),
    }
    alt = _("For each way of verifying its acceptance and the distance of its output from the target.")
    accepted = np.array([each.acceptance for each in cases.values()])
    errors = np.array([each.total_variation for each in cases.values()])
    page.chart(breaks_figure(list(cases), accepted, errors, _), "breaks", _("Faster, but not exact"), alt, height=330)
    case = rounding(seed=shown.lesson.seed)
    text = _(
        "Exact. Wrong temperature: the drafter's distribution is given to the test as if its temperature were {factor} "
        "times what it is. Rounding is another thing: the same scores summed in another order in bfloat16 choose "
        "another token at {count} of {positions} positions (simulated), each where the two best are closer than the "
        "rounding. Texts differ then although nothing is wrong."
    )
    page.note(text.format(factor=WRONG_TEMPERATURE, count=case.differing.size, positions=case.logits.shape[0]))


def blocks(shown: Shown) -> None:
    """Block verification against token by token, and several independent drafts at one position."""
    page, _ = shown.page, shown.page.translate
    left, right = st.columns(2, gap="medium")
    with left:
        by_token, by_block = _blocks(shown.lesson.skill, shown.lesson.seed)
        columns = {
            _("verified"): [_("token by token"), _("as a block")],
            _("drafts kept of {k}").format(k=BLOCK_DRAFTS): [f"{by_token:.3f}", f"{by_block:.3f}"],
        }
        page.table("blocks", _("A block of {k} drafts over {n} tokens").format(k=BLOCK_DRAFTS, n=BLOCK_TOKENS), columns)
        page.note(
            _(
                "Exact, over all blocks of two made-up models of this skill: looking at the block as a whole never "
                "keeps less (Sun et al. 2024), and the text is the target's in both."
            )
        )
    with right:
        pair, drafts = shown.pair, np.arange(1.0, MOST_DRAFTS + 1)
        independent = np.cumsum(recursive_rejection(pair.target_probs, pair.draft_probs, MOST_DRAFTS))
        figure = several_figure(independent, 1 - np.power(1 - shown.step.acceptance, drafts), _)
        alt = _("Chance that one of K independent drafts is kept, beside 1 − (1 − α)^K, which is more.")
        page.chart(figure, "several", _("Several drafts for one position"), alt, height=300)
        page.note(_("Exact: after each rejection the next draft meets what is left of the target, which it fits less."))


@lru_cache(maxsize=64)
def _blocks(skill: float, seed: int) -> tuple[float, float]:
    models = BlockModels.toy(BLOCK_TOKENS, BLOCK_DRAFTS, skill, sharpness=1.5, seed=seed)
    return models.by_token().mean_accepted, models.by_block().mean_accepted
