"""The questions of the One round page, and what it assumes of the acceptance, in words."""

from collections.abc import Sequence

from specmodel.dashboard.lesson.steps import Question
from specmodel.dashboard.session.translation import Translator
from specmodel.model.acceptance import factors
from specmodel.model.scenario import Scenario

MOST_LISTED = 5
"""Of more numbers than this in a row some are left out."""


def chances(scenario: Scenario) -> list[float]:
    """The chance of each draft of a round, if all before it were kept."""
    shape = factors(scenario.acceptance_shape, scenario.num_speculative_tokens)
    return [min(scenario.effective_alpha * float(factor), 1.0) for factor in shape]


def _alike(scenario: Scenario) -> bool:
    """Whether all drafts of a round have the same chance."""
    return len(set(chances(scenario))) <= 1


def _number(value: float) -> str:
    return f"{value:.3g}"


def _some(values: Sequence[float], between: str) -> str:
    """Numbers in a row; of many only the first three and the last."""
    shown = [_number(value) for value in values]
    return between.join(shown if len(shown) <= MOST_LISTED else [*shown[: MOST_LISTED - 2], "…", shown[-1]])


def assumption(scenario: Scenario, translate: Translator) -> str:
    """What the page assumes of the acceptance."""
    if _alike(scenario):
        return translate("Every draft is accepted with the same chance, whatever the text.")
    return translate("The chance of a draft depends on its place in the round, and not on the text.")


def how_many(scenario: Scenario, translate: Translator) -> Question:
    """How many drafts of a round are kept on average?"""
    acceptance = scenario.acceptance
    drafts, kept = acceptance.num_speculative_tokens, acceptance.mean_acceptance_length - 1
    return Question(_how_many_text(scenario, translate), 0, drafts, 0.05, kept, _how_many_why(scenario, translate))


def _how_many_text(scenario: Scenario, translate: Translator) -> str:
    _ = translate
    drafts, listed = scenario.num_speculative_tokens, chances(scenario)
    if drafts == 1:
        text = _(
            "The one draft of a round is kept with chance {alpha}. How many drafts of a round are kept on average?"
        )
        return text.format(alpha=_number(listed[0]))
    if _alike(scenario):
        text = _("Each draft is kept with chance {alpha} if all before it were. How many of {k} are kept on average?")
        return text.format(alpha=_number(listed[0]), k=drafts)
    text = _(
        "If all before them were kept, the {k} drafts of a round are kept with these chances, one after another: "
        "{chances}. How many are kept on average?"
    )
    return text.format(k=drafts, chances=_some(listed, ", "))


def _how_many_why(scenario: Scenario, translate: Translator) -> str:
    _ = translate
    first, every = chances(scenario)[0], scenario.acceptance.per_position_acceptance
    if len(every) == 1:
        return _("With one draft in a round that is its chance.")
    if every[-1] == 1:
        return _("Nothing is ever rejected.")
    if first == 0:
        return _("The first draft is always rejected, and that throws away all drafts behind it.")
    if _alike(scenario):
        text = _(
            "Fewer than {k} × {alpha}: a rejection throws away all drafts behind it, so draft number i counts only "
            "with chance {alpha}^i."
        )
        return text.format(k=len(every), alpha=_number(first))
    text = _(
        "A rejection throws away all drafts behind it, so a draft counts only with the product of the chances up to "
        "it: one after another {products}. The answer is their sum."
    )
    return text.format(products=_some(every, ", "))


def how_often(scenario: Scenario, translate: Translator) -> Question:
    """In how many of 100 rounds are all drafts kept?"""
    _, acceptance = translate, scenario.acceptance
    drafts, every = acceptance.num_speculative_tokens, 100 * acceptance.per_position_acceptance[-1]
    text = _.plural(
        "In how many of 100 rounds is the {k} draft kept?", "In how many of 100 rounds are all {k} drafts kept?", drafts
    )
    why = _.plural(
        "There is only {k} draft to be right: its chance is {product}.",
        "All {k} of them have to be right, one after another, so their chances are multiplied: {product}.",
        drafts,
    )
    product = _some(chances(scenario), " × ")
    return Question(text.format(k=drafts), 0, 100, 1, every, why.format(k=drafts, product=product), format=".1f")
