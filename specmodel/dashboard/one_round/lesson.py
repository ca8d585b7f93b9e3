"""The steps of the One round page: the player, how many drafts are kept, how often all are, and the symbols."""

from collections.abc import Sequence
from functools import partial

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.lesson import Question, Step
from specmodel.dashboard.one_round.player import play
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.draft_length import accepted_figure
from specmodel.model.acceptance import factors
from specmodel.model.scenario import Scenario

SHOWN = 5
"""Of more numbers than this in a row some are left out."""


def opening(page: Page) -> None:
    """What a round comes to on average, in a sentence."""
    scenario = page.scenario
    drafts = scenario.num_speculative_tokens
    if not drafts:
        page.say(page.translate(OFF))
        return
    text = page.translate.plural(
        "On average a round of {k} draft emits {tau:.2f} tokens: the draft, if it is kept, and one of the target.",
        "On average a round of {k} drafts emits {tau:.2f} tokens: the drafts that are kept, and one of the target.",
        drafts,
    )
    page.say(text.format(k=drafts, tau=scenario.acceptance.mean_acceptance_length))


OFF = N_("Nothing is drafted: a round is one plain decoding step and emits one token.")


def round_steps(page: Page) -> list[Step]:
    """The parts of the lesson; with nothing drafted there is nothing to guess."""
    drafts = page.scenario.num_speculative_tokens
    how_many, how_often = (_how_many(page), _how_often(page)) if drafts else (None, None)
    return [
        Step("play", N_("Round by round"), partial(_play, page)),
        Step("kept", N_("How many drafts are kept?"), partial(_kept, page), how_many),
        Step("whole", N_("How often are all of them kept?"), partial(_whole, page), how_often),
        Step("symbols", N_("The words of it"), page.symbols),
    ]


def _play(page: Page) -> None:
    play(page)
    page.note(page.translate("Simulated: one run of this scenario, drawn draft by draft from the seed in the link."))


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
    return between.join(shown if len(shown) <= SHOWN else [*shown[: SHOWN - 2], "…", shown[-1]])


def assumption(scenario: Scenario, translate: Translator) -> str:
    """What the page assumes of the acceptance."""
    if _alike(scenario):
        return translate("Every draft is accepted with the same chance, whatever the text.")
    return translate("The chance of a draft depends on its place in the round, and not on the text.")


def _how_many(page: Page) -> Question:
    acceptance = page.scenario.acceptance
    drafts, kept = acceptance.num_speculative_tokens, acceptance.mean_acceptance_length - 1
    return Question(_how_many_text(page), 0, drafts, 0.05, kept, _how_many_why(page))


def _how_many_text(page: Page) -> str:
    _, scenario = page.translate, page.scenario
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


def _how_many_why(page: Page) -> str:
    _, scenario = page.translate, page.scenario
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


def _how_often(page: Page) -> Question:
    _, scenario, acceptance = page.translate, page.scenario, page.scenario.acceptance
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


def _kept(page: Page) -> None:
    _, acceptance = page.translate, page.scenario.acceptance
    alt = _("Share of rounds by number of accepted drafts.")
    page.chart(accepted_figure(acceptance, _), "kept", _("Accepted drafts in a round"), alt, height=280)
    text = _("{kept:.2f} on average, so {tau:.2f} tokens a round with the target's own. Exact.")
    page.note(text.format(kept=acceptance.mean_acceptance_length - 1, tau=acceptance.mean_acceptance_length))


def _whole(page: Page) -> None:
    _, acceptance = page.translate, page.scenario.acceptance
    if not acceptance.num_speculative_tokens:
        page.note(_(OFF))
        return
    positions = range(1, acceptance.num_speculative_tokens + 1)
    conditional, every = acceptance.conditional_acceptance, acceptance.per_position_acceptance
    columns = {
        _("draft"): [str(position) for position in positions],
        _("kept, given all before"): [f"{value:.1%}" if value == value else "–" for value in conditional],
        _("kept, of all rounds"): [f"{value:.1%}" for value in every],
    }
    data: dict[str, list[float]] = {
        "position": list(positions),
        "conditional": list(conditional),
        "per_position": list(every),
    }
    page.table("positions", _("Draft by draft"), columns, data=data)
    page.note(_("Exact. The last column is what vLLM prints by position; its last row is the answer."))
