"""A later step of the Exactness page: what breaks it, and rounding, which breaks nothing."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from specmodel.dashboard.exactness.pair import Pair
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.parts.answer import Chart, Column, Note, Parts, Table, table_of
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.exactness import breaks_figure
from specmodel.sampling.breaks import Rounding, rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling.temperature import policy
from specmodel.sampling.verify import Verification

ROUNDING = 1e-9


@lru_cache(maxsize=32)
def ways_of_verifying(pair: Pair, lesson: ExactnessLesson) -> Mapping[str, Verification]:
    """The right test, one with a wrong draft distribution, lenience, and typical acceptance."""
    target, draft, threshold = pair.target_probs, pair.draft_probs, lesson.typical_threshold
    told = policy(pair.draft_scores, lesson.draft_temperature * lesson.told_temperature, *pair.cut)
    return {
        "right": pair.test,
        "wrong temperature": wrong_draft_output(target, draft, told),
        "lenience": pair.leniently(lesson.lenience),
        "typical acceptance": typical_acceptance(target, draft, threshold, threshold**0.5),
    }


def break_parts(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Parts:
    """What each way of verifying keeps, and how far off the target it comes out."""
    return {
        "breaks": lambda: _chart(pair, lesson, translate),
        "breaks_table": lambda: _row_by_row(pair, lesson, translate),
        "breaks_note": lambda: _note(lesson, translate),
    }


def _labels(lesson: ExactnessLesson, translate: Translator) -> list[str]:
    _ = translate
    lenience = _("lenience {l:.2f}").format(l=lesson.lenience)
    return [_("right"), _("wrong temperature"), lenience, _("typical acceptance")]


def _chart(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Chart:
    _, tests = translate, ways_of_verifying(pair, lesson).values()
    accepted = np.array([test.acceptance for test in tests])
    errors = np.array([test.total_variation for test in tests])
    alt = _("For each way of verifying its acceptance and the distance of its output from the target.")
    figure = breaks_figure(_labels(lesson, _), accepted, errors, _)
    return Chart(figure, _("What is kept, and how far off it comes out"), alt, 330)


def _row_by_row(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Table:
    _, tests = translate, ways_of_verifying(pair, lesson)
    accepted, errors = zip(*((test.acceptance, test.total_variation) for test in tests.values()), strict=True)
    distances = [f"{error:.1%}" if error > ROUNDING else "0" for error in errors]
    columns = [
        Column(_("verified"), "verified", list(tests), _labels(lesson, _)),
        Column(_("acceptance"), "acceptance", accepted, [f"{share:.1%}" for share in accepted]),
        Column(_("distance of the output"), "total_variation", errors, distances),
        Column(_("exact"), "", [_("no") if error > ROUNDING else _("yes") for error in errors]),
    ]
    return table_of(_("Row by row"), columns, "breaks")


def _note(lesson: ExactnessLesson, translate: Translator) -> Note:
    _ = translate
    text = _(
        "Exact. Wrong temperature: the test is told the drafter's distribution as if its temperature were {factor:.2f} "
        "times what it is; a mistake of this kind in a real library (transformers, issue 47932) gave an acceptance of "
        ".78 instead of .73 and an output up to .31 off. Typical acceptance (Medusa) keeps a draft if the target "
        "gives it more than min(ε, √ε · exp(−entropy)), ε = {threshold:.2f}."
    )
    text = text.format(factor=lesson.told_temperature, threshold=lesson.typical_threshold)
    return Note(_.sentences(text, _rounded(rounding(seed=lesson.seed), _)))


def _rounded(case: Rounding, translate: Translator) -> str:
    """What rounding alone does to the choice of tokens, in a sentence or two."""
    _, differing, positions = translate, case.differing, case.logits.shape[0]
    if not differing.size:
        text = _(
            "Rounding is another thing: summed in another order in bfloat16, these scores choose the same token at all "
            "{positions} positions (simulated); those of another pair do not."
        )
        return text.format(positions=positions)
    text = _(
        "Rounding is another thing: the same scores, summed in another order in bfloat16, choose another token at "
        "{count} of {positions} positions (simulated), all of them near-ties: the two best scores are at most "
        "{most:.2f} apart there, {median:.2f} at the position in the middle. The texts part, and nothing is wrong."
    )
    most, median = float(case.margins[differing].max()), float(np.median(case.margins))
    return text.format(count=differing.size, positions=positions, most=most, median=median)
