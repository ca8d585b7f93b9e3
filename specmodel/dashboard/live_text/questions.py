"""What the Live text page asks its visitors to guess first."""

from math import ceil

from specmodel.dashboard.lesson.steps import Question
from specmodel.dashboard.live_text.run import TextRun
from specmodel.dashboard.live_text.words import quoted
from specmodel.dashboard.session.translation import Translator
from specmodel.ngram import KINDS


def passes_question(run: TextRun, translate: Translator) -> Question:
    """How many passes the text takes."""
    _, counted = translate, run.counted
    k = counted.num_speculative_tokens
    why = _(
        "One pass a round: it checks the drafts and adds a token of its own, so a round yields 1 to {most} tokens, "
        "here {tau:.2f} on average."
    )
    return Question(
        _passes_text(run, _).format(n=counted.num_tokens, k=k),
        ceil(counted.num_tokens / (k + 1)),
        counted.num_tokens,
        1,
        counted.num_rounds,
        why.format(most=k + 1, tau=counted.num_tokens / counted.num_rounds),
        unit=_("passes"),
        format=".0f",
    )


def _passes_text(run: TextRun, translate: Translator) -> str:
    """The question: a lookup drafts as much as it finds, a model always k tokens."""
    k = run.lesson.num_speculative_tokens
    if run.looks_up:
        return translate.plural(
            "The text gets {n} tokens longer. The target alone needs {n} passes for that. How many does it need when "
            "at most {k} token is drafted before each?",
            "The text gets {n} tokens longer. The target alone needs {n} passes for that. How many does it need when "
            "at most {k} tokens are drafted before each?",
            k,
        )
    return translate.plural(
        "The text gets {n} tokens longer. The target alone needs {n} passes for that. How many does it need when {k} "
        "token is drafted before each?",
        "The text gets {n} tokens longer. The target alone needs {n} passes for that. How many does it need when {k} "
        "tokens are drafted before each?",
        k,
    )


def continuation_question(run: TextRun, translate: Translator) -> Question | None:
    """How often the likeliest continuation comes with speculation."""
    _, drawn = translate, run.continuations
    if not drawn.tokens:
        return None
    likeliest = quoted(run.pair.vocabulary.decode(drawn.tokens[0]))
    text = _(
        "The target alone is asked {n} times to go on from this text; {alone} times it begins with “{words}”. How "
        "often will it be with speculation, out of {n}?"
    )
    why = _(
        "Its own probability for that is {exact:.1%} either way, whatever the drafter proposes; the rest is chance."
    )
    return Question(
        text.format(n=drawn.draws, alone=drawn.alone[0], words=likeliest),
        0,
        drawn.draws,
        1,
        drawn.speculative[0],
        why.format(exact=drawn.probs[0]),
        unit=_("times"),
        format=".0f",
    )


def kinds_question(run: TextRun, translate: Translator) -> Question | None:
    """What the drafter reaches on another kind of text."""
    _, kinds = translate, list(KINDS)
    other = kinds[(kinds.index(run.kind) + 1) % len(kinds)]
    here, there = run.held_out(run.kind).alpha, run.held_out(other).alpha
    if here is None or there is None:
        return None
    text = _(
        "Of 100 drafts that the target looks at in held-out texts of “{kind}”, it keeps {here:.0f} with this way of "
        "drafting. How many will it keep in those of “{other}”?"
    )
    return Question(
        text.format(here=100 * here, kind=_(KINDS[run.kind].label), other=_(KINDS[other].label)),
        0,
        100,
        1,
        100 * there,
        _(
            "Acceptance belongs to the text as much as to the drafter: it is how far the two distributions overlap, on "
            "average over the places of the text."
        ),
        format=".0f",
    )
