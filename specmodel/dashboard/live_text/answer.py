"""What the Live text page says: draft by draft through a text, the same without, kinds of text, positions."""

from specmodel.base.messages import N_
from specmodel.base.params import declarations
from specmodel.dashboard.lesson.steps import Step
from specmodel.dashboard.live_text.html import checked_rounds, html_legend, html_plain, html_text
from specmodel.dashboard.live_text.questions import continuation_question, kinds_question, passes_question
from specmodel.dashboard.live_text.run import DRAWS, HELD_OUT_TOKENS, Store, TextRun, run_of
from specmodel.dashboard.live_text.tables import (
    continuations_chart,
    continuations_table,
    drafters_chart,
    kind_cards,
    kinds_table,
    positions_chart,
    positions_table,
    text_cards,
)
from specmodel.dashboard.live_text.words import (
    agreement,
    drafter_name,
    fit_words,
    narration,
    opening_words,
    origin,
    worth_words,
)
from specmodel.dashboard.parts.answer import Answer, Cards, Fact, Html, Note, Notice, Parts, Said, Text
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.ngram import KINDS


def num_events(chosen: Chosen, run: TextRun) -> int:
    """How many events of the text are to be seen: drafts and tokens, in the order in which they come."""
    return min(int(chosen.option("textat")), len(run.trace.events))


def steps(chosen: Chosen, translate: Translator, own_text: str = "", store: Store | None = None) -> list[Step]:
    """The steps of the lesson; arguments as those of `answer`."""
    run = run_of(chosen, own_text, store)
    player = ("buttons", "narration", "numbers", "texts", "legend", "text_note")
    same = ("agreement", "continuations", "fit", "continuations_table", "same_note")
    positions = ("positions", "positions_table", "positions_note", "worth", "take")
    return [
        Step("text", N_("Draft by draft through a text"), player, passes_question(run, translate)),
        Step("same", N_("Is it still the target's text?"), same, continuation_question(run, translate)),
        Step("kinds", N_("Another kind of text, another drafter"), ("kinds",), kinds_question(run, translate)),
        Step("positions", N_("Deeper in the round"), positions),
    ]


def answer(chosen: Chosen, translate: Translator, own_text: str = "", store: Store | None = None) -> Answer:
    """The parts of the page.

    `own_text` is what the visitor typed; `store` keeps what is played from one call to the next, see `run_of`.
    """
    _, run = translate, run_of(chosen, own_text, store)
    return Answer(
        {
            "origin": Note(origin(run, _)),
            "opening": lambda: Said("says", opening_words(run, _)),
            "opening_numbers": lambda: Cards((*text_cards(run.counted, _)[:2], *kind_cards(run, _))),
            "opening_note": Note(
                _("Measured: the first two on the text below, the others on held-out openings of each kind.")
            ),
            **_text(chosen, run, _),
            **_same(run, _),
            **_kinds(run, _),
            **_positions(chosen, run, _),
        },
        leaves_out=(
            _("n-gram models look back four tokens; large models look back over everything, and their drafters too."),
            _("Acceptance here is that of these models and texts; what real pairs reach stands on the Methods page."),
            _("Passes are counted, not timed: with models this small a pass costs nothing worth saving."),
        ),
        facts=_facts(run, _),
    )


def _text(chosen: Chosen, run: TextRun, translate: Translator) -> Parts:
    """What has just happened, the numbers so far, and both texts."""
    _, events = translate, num_events(chosen, run)
    checked, waste = checked_rounds(run.trace, events), chosen.option("textwaste") == "1"
    return {
        "narration": Notice("info", narration(run.trace, events, checked, _)),
        "numbers": Cards(text_cards(run.counted_to(checked), _)),
        "speculative_text": lambda: Html(html_text(run.trace, events, waste, run.kind, _), _("With speculation")),
        "plain_text": lambda: Html(html_plain(run.plain, checked, run.kind, _), _("The target alone, same seed")),
        "legend": Html(html_legend(_)),
        "text_note": Note(
            _(
                "Real rounds of real (small) models; the numbers are of this text, as far as it is shown. The mark in "
                "the right text is where the target alone stands after the same number of passes; hold the pointer on "
                "a draft for both probabilities. So small a target makes little sense by itself: what counts is that "
                "speculation changes nothing about it."
            )
        ),
    }


def _same(run: TextRun, translate: Translator) -> Parts:
    """The two texts compared, and many short ones against the target's own probabilities."""
    _ = translate
    return {
        "agreement": lambda: Notice(*agreement(run, _)),
        "continuations": lambda: continuations_chart(run, _),
        "fit": lambda: Text(fit_words(run, _)),
        "continuations_table": lambda: continuations_table(run, _),
        "same_note": lambda: _same_note(run, _),
    }


def _same_note(run: TextRun, translate: Translator) -> Note:
    tokens = run.continuations.tokens
    length = len(tokens[0]) if tokens else 1
    text = translate.plural(
        "Simulated: {draws} continuations of {n} token each way, each anew from the same text.",
        "Simulated: {draws} continuations of {n} tokens each way, each anew from the same text.",
        length,
    )
    return Note(text.format(draws=DRAWS, n=length))


def _kinds(run: TextRun, translate: Translator) -> Parts:
    """All drafters on all kinds of text, and the chosen one."""
    _ = translate
    text = _(
        "Measured on the held-out openings of each kind: {n} tokens after each, the last round to its end. "
        "Every kind has models of its own, trained on text of that kind."
    )
    return {
        "drafters": lambda: drafters_chart(run, _),
        "drafters_note": Note(
            _(
                "Lines: expected acceptance of a round's first draft along texts of the target, exact for each place. "
                "Order 5 is the target itself, so all its drafts are kept."
            )
        ),
        "kinds_table": lambda: kinds_table(run, _),
        "kinds_note": Note(text.format(n=HELD_OUT_TOKENS)),
    }


def _positions(chosen: Chosen, run: TextRun, translate: Translator) -> Parts:
    """Acceptance by position, and what it would be worth on the Explore pages."""
    _ = translate
    return {
        "positions": lambda: positions_chart(run, _),
        "positions_table": lambda: positions_table(run, _),
        "positions_note": lambda: _positions_note(run, _),
        "worth": Text(worth_words(run, chosen.scenario, _)),
    }


def _positions_note(run: TextRun, translate: Translator) -> Note:
    text = translate(
        "Measured: {rounds:,} rounds on the held-out openings of “{kind}”; whiskers are one standard error. A "
        "draft is only looked at when all before it were kept, so few rounds come far."
    )
    return Note(text.format(rounds=run.held_out(run.kind).num_rounds, kind=translate(KINDS[run.kind].label)))


def _facts(run: TextRun, translate: Translator) -> tuple[Fact, ...]:
    """What the page rests on, for its downloads."""
    _ = translate
    rows = [
        (_(declared.label), declared.show(getattr(run.lesson, name), _), name)
        for name, declared in declarations(type(run.lesson)).items()
        if not run.looks_up or name != "draft_order"
    ]
    return (
        (_("kind of text"), _(KINDS[run.kind].label), "kind"),
        (_("drafter"), drafter_name(run, _), "drafter"),
        (_("text to continue"), run.opening, "opening"),
        *rows,
        (_("seed"), str(run.seed), "seed"),
        (_("training text"), _.message(run.pair.corpus.origin), "corpus"),
    )
