"""Later steps of the Exactness page: other rules and vocabularies, and what the temperature does."""

import numpy as np
from numpy.typing import NDArray

from specmodel.base.arrays import Floats
from specmodel.dashboard.exactness.pair import Pair
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.parts.answer import Chart, Column, Note, Parts, Table, table_of
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.exactness import temperature_figure
from specmodel.model.vocabulary import effective_alpha
from specmodel.sampling.temperature import acceptance_by_temperature
from specmodel.sampling.verify import LOSSLESS, RULES, acceptance, verify

TEMPERATURES = np.linspace(0, 2, 41)


def rule_parts(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Parts:
    """The rules that lose nothing, with a drafter that does not know the last tokens; acceptance by temperature."""
    _, shared = translate, pair.shared(lesson.unknown_tokens)
    return {
        "rules_table": lambda: _rules(pair, shared, _),
        "rules_note": lambda: _rules_note(pair, shared, _),
        "temperature": lambda: _temperature(pair, lesson.target_temperature, _),
        "temperature_note": Note(
            _(
                "Exact. At temperature 0 both models take their likeliest token, and a draft is kept always or never. "
                "A real pair, measured by the project with llama.cpp, which keeps only equal tokens: .26 at "
                "temperature 0, .11 at 1."
            )
        ),
    }


def _rules(pair: Pair, shared: NDArray[np.bool_], translate: Translator) -> Table:
    """How much each rule keeps; TLI needs a draft on a token that it knows."""
    _, drafted = translate, pair.draft_probs[shared].sum() > 0
    rules = [rule for rule in LOSSLESS if drafted or rule != "tli"]
    tests = [verify(pair.target_probs, pair.draft_probs, rule, shared=shared) for rule in rules]
    kept, distances = [test.acceptance for test in tests], [test.total_variation for test in tests]
    known, every = _("known tokens"), _("every token")
    columns = [
        Column(_("rule"), "rule", rules, [_(RULES[rule]) for rule in rules]),
        Column(_("acceptance"), "acceptance", kept, [f"{share:.1%}" for share in kept]),
        Column(_("distance of the output"), "total_variation", distances, [f"{value:.0e}" for value in distances]),
        Column(_("looks at"), "", [known if rule in ("union", "tli") else every for rule in rules]),
    ]
    return table_of(_("The same pair under each rule"), columns, "rules")


def _rules_note(pair: Pair, shared: NDArray[np.bool_], translate: Translator) -> Note:
    """How far an unknown part of the vocabulary bounds each of the rules."""
    _, known, size = translate, int(shared.sum()), shared.size
    mass, share = float(pair.target_probs[shared].sum()), float(pair.draft_probs[shared].sum())
    text = _(
        "Exact. The drafter knows {known:,} of {size:,} tokens, with {mass:.0%} of the target's probability: neither "
        "the union nor TLI keeps more than that. The article's rule, α × share of the tokens, would say {article:.0%}. "
        "Methods that go by whole strings (SLEM) translate the draft's text into the target's tokens; no distribution "
        "shows them."
    )
    text = text.format(known=known, size=size, mass=mass, article=effective_alpha(pair.test.acceptance, known / size))
    if not share > 0:
        return Note(text)
    bound = _(
        "TLI lies between the union and min({mass:.0%}, union ÷ {share:.0%}) = {bound:.1%}; {share:.0%} of the "
        "drafter's probability is on tokens it shares."
    )
    highest = min(mass, acceptance(pair.target_probs, pair.draft_probs, "union", shared=shared) / share)
    return Note(_.sentences(text, bound.format(mass=mass, share=share, bound=highest)))


def _temperature(pair: Pair, at: float, translate: Translator) -> Chart:
    """Acceptance against temperature: rejection and exact match, sampled and greedy drafts."""
    _ = translate

    def curve(rule: str, greedy_draft: bool) -> Floats:
        (top_k, top_p), scores = pair.cut, (pair.target_scores, pair.draft_scores)
        return acceptance_by_temperature(*scores, TEMPERATURES, rule, greedy_draft, top_k=top_k, top_p=top_p)

    curves = {
        _("rejection sampling"): curve("rejection", False),
        _("rejection sampling, greedy drafts"): curve("rejection", True),
        _("exact match"): curve("exact_match", False),
    }
    alt = _("Acceptance against the temperature of both models, for rejection sampling and exact match.")
    return Chart(temperature_figure(TEMPERATURES, curves, at, _), _("Acceptance against temperature"), alt, 340)
