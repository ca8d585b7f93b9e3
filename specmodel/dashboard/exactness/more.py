"""The later steps of the Exactness page: other rules and vocabularies, temperature, what breaks it."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from specmodel.dashboard.exactness.input import Pair
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.parts.old_page import Page
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.exactness import breaks_figure, temperature_figure
from specmodel.model.vocabulary import effective_alpha
from specmodel.sampling.breaks import Rounding, rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling.temperature import acceptance_by_temperature, policy
from specmodel.sampling.verify import LOSSLESS, RULES, Verification, verify

Floats = NDArray[np.float64]
TEMPERATURES = np.linspace(0, 2, 41)
ROUNDING = 1e-9
CASES = ["right", "wrong temperature", "lenience", "typical acceptance"]


class Shown(Protocol):
    """What a step needs of the page: its distributions, what became of them, and the reader's numbers."""

    page: Page
    pair: Pair
    lesson: ExactnessLesson
    step: Verification
    names: tuple[str, ...]

    @property
    def shared(self) -> NDArray[np.bool_]:
        """The tokens that the drafter knows."""

    def leniently(self) -> Verification:
        """The lenient rule at the reader's lenience."""


def rules(shown: Shown) -> None:
    """The rules that lose nothing: how much each keeps; with a drafter that does not know the last tokens."""
    page, _, pair, shared = shown.page, shown.page.translate, shown.pair, shown.shared
    mass, share = float(pair.target_probs[shared].sum()), float(pair.draft_probs[shared].sum())
    found = {
        rule: verify(pair.target_probs, pair.draft_probs, rule, shared=shared)
        for rule in LOSSLESS
        if rule != "tli" or share > 0
    }
    columns = {
        _("rule"): [_(RULES[rule]) for rule in found],
        _("acceptance"): [f"{each.acceptance:.1%}" for each in found.values()],
        _("distance of the output"): [f"{each.total_variation:.0e}" for each in found.values()],
        _("looks at"): [_("known tokens") if rule in ("union", "tli") else _("every token") for rule in found],
    }
    data: dict[str, list[object]] = {
        "rule": list(found),
        "acceptance": [each.acceptance for each in found.values()],
        "total_variation": [each.total_variation for each in found.values()],
    }
    page.table("rules", _("The same pair under each rule"), columns, data=data)
    text = _(
        "Exact. The drafter knows {known:,} of {size:,} tokens, with {mass:.0%} of the target's probability: neither "
        "the union nor TLI keeps more than that. The article's rule, α × share of the tokens, would say {article:.0%}. "
        "Methods that go by whole strings (SLEM) translate the draft's text into the target's tokens; no distribution "
        "shows them."
    )
    known, size = int(shared.sum()), shared.size
    article = effective_alpha(shown.step.acceptance, known / size)
    notes = [text.format(known=known, size=size, mass=mass, article=article)]
    if "tli" in found:
        bound = _(
            "TLI lies between the union and min({mass:.0%}, union ÷ {share:.0%}) = {bound:.1%}; {share:.0%} of the "
            "drafter's probability is on tokens it shares."
        )
        highest = min(mass, found["union"].acceptance / share)
        notes.append(bound.format(mass=mass, share=share, bound=highest))
    page.note(_.sentences(*notes))


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
    top_k, top_p = shown.pair.cut
    scores = (shown.pair.target_scores, shown.pair.draft_scores)
    return acceptance_by_temperature(*scores, TEMPERATURES, rule, greedy_draft, top_k=top_k, top_p=top_p)


def breaks(shown: Shown) -> None:
    """A wrong draft distribution, lenience, typical acceptance; and rounding, which breaks nothing."""
    page, _ = shown.page, shown.page.translate
    target, draft = shown.pair.target_probs, shown.pair.draft_probs
    told, threshold = shown.lesson.told_temperature, shown.lesson.typical_threshold
    wrong = policy(shown.pair.draft_scores, shown.lesson.draft_temperature * told, *shown.pair.cut)
    cases = {
        _("right"): shown.step,
        _("wrong temperature"): wrong_draft_output(target, draft, wrong),
        _("lenience {l:.2f}").format(l=shown.lesson.lenience): shown.leniently(),
        _("typical acceptance"): typical_acceptance(target, draft, threshold, threshold**0.5),
    }
    alt = _("For each way of verifying its acceptance and the distance of its output from the target.")
    accepted = np.array([each.acceptance for each in cases.values()])
    errors = np.array([each.total_variation for each in cases.values()])
    title = _("What is kept, and how far off it comes out")
    page.chart(breaks_figure(list(cases), accepted, errors, _), "breaks", title, alt, height=330)
    columns = {
        _("verified"): list(cases),
        _("acceptance"): [f"{each:.1%}" for each in accepted],
        _("distance of the output"): [f"{each:.1%}" if each > ROUNDING else "0" for each in errors],
        _("exact"): [_("no") if each > ROUNDING else _("yes") for each in errors],
    }
    data: dict[str, list[object]] = {
        "verified": [*CASES],
        "acceptance": accepted.tolist(),
        "total_variation": errors.tolist(),
    }
    page.table("breaks", _("Row by row"), columns, data=data)
    case = rounding(seed=shown.lesson.seed)
    text = _(
        "Exact. Wrong temperature: the test is told the drafter's distribution as if its temperature were {factor:.2f} "
        "times what it is; a mistake of this kind in a real library (transformers, issue 47932) gave an acceptance of "
        ".78 instead of .73 and an output up to .31 off. Typical acceptance (Medusa) keeps a draft if the target "
        "gives it more than min(ε, √ε · exp(−entropy)), ε = {threshold:.2f}."
    )
    page.note(_.sentences(text.format(factor=told, threshold=threshold), _rounded(case, _)))


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
