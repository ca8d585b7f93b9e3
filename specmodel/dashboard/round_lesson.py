"""The steps of the One round page: the player, how many drafts are kept, how often all are, and the symbols."""

from functools import partial

from specmodel.dashboard.lesson import Question, Step
from specmodel.dashboard.page import Page
from specmodel.dashboard.player import play
from specmodel.figures.draft_length import accepted_figure
from specmodel.messages import N_


def opening(page: Page) -> None:
    """What a round comes to on average, in a sentence."""
    scenario = page.scenario
    drafts = scenario.num_speculative_tokens
    text = page.translate.plural(
        "On average a round of {k} draft emits {tau:.2f} tokens: the draft, if it is kept, and one of the target.",
        "On average a round of {k} drafts emits {tau:.2f} tokens: the drafts that are kept, and one of the target.",
        drafts,
    )
    page.say(text.format(k=drafts, tau=scenario.acceptance.mean_acceptance_length))


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


def _how_many(page: Page) -> Question:
    _, scenario = page.translate, page.scenario
    kept = scenario.acceptance.mean_acceptance_length - 1
    text = _("Each draft is kept with chance {alpha:.2f} if all before it were. How many of {k} are kept on average?")
    return Question(
        text.format(alpha=scenario.effective_alpha, k=scenario.num_speculative_tokens),
        0,
        scenario.num_speculative_tokens,
        0.1,
        kept,
        _("Fewer than k·α: a rejection throws away all drafts behind it, so position i counts only with chance α^i."),
    )


def _how_often(page: Page) -> Question:
    _, acceptance = page.translate, page.scenario.acceptance
    drafts = acceptance.num_speculative_tokens
    text = _.plural(
        "In how many of 100 rounds is the {k} draft kept?", "In how many of 100 rounds are all {k} drafts kept?", drafts
    )
    return Question(
        text.format(k=drafts),
        0,
        100,
        1,
        100 * acceptance.per_position_acceptance[-1],
        _("All of them have to be right one after another: α multiplied by itself k times."),
        format=".1f",
    )


def _kept(page: Page) -> None:
    _, acceptance = page.translate, page.scenario.acceptance
    alt = _("Share of rounds by number of accepted drafts.")
    page.chart(accepted_figure(acceptance, _), "kept", _("Accepted drafts in a round"), alt, height=280)
    text = _("{kept:.2f} on average, so {tau:.2f} tokens a round with the target's own. Exact.")
    page.note(text.format(kept=acceptance.mean_acceptance_length - 1, tau=acceptance.mean_acceptance_length))


def _whole(page: Page) -> None:
    _, acceptance = page.translate, page.scenario.acceptance
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
