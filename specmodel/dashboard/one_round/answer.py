"""What the One round page says: one run drawn draft by draft, how many drafts are kept, and the words of it."""

from collections.abc import Sequence
from functools import lru_cache

from specmodel.base.messages import N_
from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.lesson.steps import Step
from specmodel.dashboard.one_round.narration import narration
from specmodel.dashboard.one_round.questions import assumption, how_many, how_often
from specmodel.dashboard.parts.answer import Answer, Cards, Chart, Column, Note, Said, Table, card, table_of
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.draft_length import accepted_figure
from specmodel.figures.one_round import Moment, round_figure
from specmodel.model.outcome import Outcome, evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.simulate import Trace, trace

CARDS = (
    Quantity("round", N_("Round"), N_("The round that is shown, counted from 1."), format="d"),
    Quantity(
        "accepted",
        N_("Accepted now"),
        N_("Drafts of this round kept before the first rejection."),
        symbol="J",
        format="d",
    ),
    Quantity(
        "wasted",
        N_("Wasted now"),
        N_("Drafts of this round thrown away: the rejected one and all after it."),
        format="d",
    ),
    Quantity(
        "tokens", N_("Tokens so far"), N_("Tokens emitted by all finished rounds, bonus tokens included."), format=",d"
    ),
    Quantity(
        "plain", N_("Plain decoding so far"), N_("Tokens that plain decoding emits in the same time."), format=",d"
    ),
    Quantity("time", N_("Time so far"), N_("Since the start of the run."), unit="ms", format=",.1f"),
)


OFF = N_("Nothing is drafted: a round is one plain decoding step and emits one token.")
PLAYER = ("narration", "buttons", "numbers", "lanes")
"""The parts of the player; the buttons are a control of the page."""


@lru_cache(maxsize=16)
def run_of(scenario: Scenario, seed: int) -> Trace:
    """One run of a scenario, drawn from a seed; shared by all, since it is nobody's."""
    return trace(scenario, seed)


def moment_of(chosen: Chosen) -> tuple[Trace, Moment]:
    """The run of the link, and how far it has been played: a round, and a stage of it."""
    run = run_of(chosen.scenario, int(chosen.option("seed")))
    number = min(int(chosen.option("round")), run.accepted.size)
    return run, Moment(number, min(int(chosen.option("stage")), chosen.scenario.num_speculative_tokens + 1))


def steps(chosen: Chosen, translate: Translator) -> list[Step]:
    """The steps of the lesson; with nothing drafted there is nothing to guess."""
    scenario = chosen.scenario
    drafts = scenario.num_speculative_tokens > 0
    many = how_many(scenario, translate) if drafts else None
    often = how_often(scenario, translate) if drafts else None
    return [
        Step("play", N_("Round by round"), ("player", "play_note")),
        Step("kept", N_("How many drafts are kept?"), ("kept", "kept_note"), many),
        Step("whole", N_("How often are all of them kept?"), ("positions", "whole_note"), often),
        Step("symbols", N_("The words of it"), ("symbols",)),
    ]


def answer(chosen: Chosen, translate: Translator) -> Answer:
    """The parts of the page."""
    _, scenario, acceptance = translate, chosen.scenario, chosen.scenario.acceptance
    run, moment = moment_of(chosen)
    text = _("{kept:.2f} on average, so {tau:.2f} tokens a round with the target's own. Exact.")
    tau = acceptance.mean_acceptance_length
    drafts = scenario.num_speculative_tokens > 0
    by_position = _("Exact. The last column is what vLLM prints by position; its last row is the answer.")
    return Answer(
        {
            "opening": _opening(scenario, _),
            "narration": Said("says", narration(run, moment, _)),
            "numbers": _numbers(run, moment, _),
            "lanes": lambda: _lanes(chosen, run, moment, _),
            "play_note": Note(
                _("Simulated: one run of this scenario, drawn draft by draft from the seed in the link.")
            ),
            "kept": lambda: Chart(
                accepted_figure(acceptance, _),
                _("Accepted drafts in a round"),
                _("Share of rounds by number of accepted drafts."),
                280,
            ),
            "kept_note": Note(text.format(kept=tau - 1, tau=tau)),
            "positions": lambda: _by_draft(scenario, _) if drafts else None,
            "whole_note": Note(by_position if drafts else _(OFF)),
            "symbols": lambda: _symbols(scenario, _),
        },
        leaves_out=(
            assumption(scenario, _),
            _("Draft and target take turns; engines that overlap them save part of the drafting time."),
        ),
    )


def _opening(scenario: Scenario, translate: Translator) -> Said:
    """What a round comes to on average, in a sentence."""
    drafts = scenario.num_speculative_tokens
    if not drafts:
        return Said("says", translate(OFF))
    text = translate.plural(
        "On average a round of {k} draft emits {tau:.2f} tokens: the draft, if it is kept, and one of the target.",
        "On average a round of {k} drafts emits {tau:.2f} tokens: the drafts that are kept, and one of the target.",
        drafts,
    )
    return Said("says", text.format(k=drafts, tau=scenario.acceptance.mean_acceptance_length))


def _numbers(run: Trace, moment: Moment, translate: Translator) -> Cards:
    numbers = zip(CARDS, _values(run, moment), strict=True)
    return Cards(tuple(card(quantity, value, translate, kind="simulated") for quantity, value in numbers))


def _lanes(chosen: Chosen, run: Trace, moment: Moment, translate: Translator) -> Chart:
    _, seed = translate, int(chosen.option("seed"))
    ghost = run_of(chosen.pinned, seed) if chosen.pinned else None
    alt = _("Two lanes on one clock: drafts and verification passes with speculation, plain steps without.")
    figure = round_figure(run, moment, _, ghost=ghost)
    return Chart(figure, _("Round by round, on one clock"), alt, 420 if ghost else 330)


def _values(run: Trace, moment: Moment) -> tuple[int | float | None, ...]:
    done = moment.stage > run.scenario.num_speculative_tokens
    now = moment.now_ms(run)
    return (
        moment.number,
        int(run.accepted[moment.number - 1]) if done else None,
        int(run.wasted[moment.number - 1]) if done else None,
        int(run.emitted[: moment.number if done else moment.number - 1].sum()),
        int(now / run.scenario.target_ms + 1e-9),
        now,
    )


def _by_draft(scenario: Scenario, translate: Translator) -> Table:
    """What each draft of a round adds, chance by chance."""
    _, acceptance = translate, scenario.acceptance
    positions = range(1, acceptance.num_speculative_tokens + 1)
    conditional, every = acceptance.conditional_acceptance, acceptance.per_position_acceptance
    given = [f"{value:.1%}" if value == value else "–" for value in conditional]
    columns = [
        Column(_("draft"), "position", list(positions), [str(position) for position in positions]),
        Column(_("kept, given all before"), "conditional", list(conditional), given),
        Column(_("kept, of all rounds"), "per_position", list(every), [f"{value:.1%}" for value in every]),
    ]
    return table_of(_("Draft by draft"), columns)


def _symbols(scenario: Scenario, translate: Translator) -> Table:
    """Every symbol of the formulas with its name, its current value and its definition."""
    _, outcome = translate, evaluate(scenario)
    named: Sequence[tuple[Quantity, object]] = [
        (declared, getattr(source, name))
        for source, kind in ((scenario, Scenario), (outcome, Outcome))
        for name, declared in declarations(kind).items()
        if declared.symbol
    ]
    shown = [declared.show(value, _) for declared, value in named]
    columns = [
        Column(_("symbol"), "symbol", [declared.symbol for declared, _value in named]),
        Column(_("name"), "name", [declared.name for declared, _value in named], [_(each.label) for each, _v in named]),
        Column(_("value"), "value", [value for _declared, value in named], shown),
        Column("", "unit", [declared.unit for declared, _value in named]),
        Column(_("definition"), "", (), [_(declared.help) for declared, _value in named]),
    ]
    return table_of(_("Every symbol"), columns)
