"""What the Live text page says: its answer, its numbers, what has just happened, what to guess first."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from specmodel.dashboard.language import Translator
from specmodel.dashboard.lesson import Question
from specmodel.dashboard.live_text_html import percent
from specmodel.dashboard.live_text_input import Asked, one_line
from specmodel.dashboard.page import escaped
from specmodel.language import KINDS, Measured, Trace
from specmodel.language.continuations import Continuations
from specmodel.messages import N_
from specmodel.params import Quantity

LENGTH = Quantity(
    "tau", N_("Tokens per round"), N_("Tokens that one pass of the target yields, its own included."), format=""
)
SAVED = Quantity(
    "saved",
    N_("Target passes saved"),
    N_("Passes that the target alone would need on top for the same text: tokens − rounds."),
    format="",
)
KEPT = Quantity(
    "kept",
    N_("Drafts kept"),
    N_("Of the drafts that the target looked at, how many it kept: the acceptance α of this text."),
    format="",
)
WASTED = Quantity(
    "wasted",
    N_("Wasted drafts"),
    N_("Drafts thrown away: rejected, or behind a rejected one and never looked at."),
    format="",
)
KEPT_ON_KIND = N_(
    "Of the drafts that the target looked at, how many it kept, on held-out openings of this kind of text, with the "
    "chosen drafter, draft length and temperature. Measured."
)
SHORT_TOKEN = 24


def share(value: float | None) -> str:
    """A share as a percentage; a dash where there is none."""
    return "–" if value is None else f"{value:.0%}"


def quoted(text: str) -> str:
    """A token or a few as they can stand in a sentence."""
    return escaped(one_line(text, SHORT_TOKEN) or "␣")


def text_cards(counted: Measured, translate: Translator) -> list[tuple[Quantity, str, str]]:
    """What the rounds so far come to: all counted, so measured on this one text."""
    _ = translate
    if not counted.num_rounds:
        return [(quantity, "–", _("no round yet")) for quantity in (LENGTH, SAVED, KEPT, WASTED)]
    tokens, rounds = counted.num_tokens, counted.num_rounds
    kept = _("{kept:,} of {looked_at:,} looked at")
    return [
        (
            LENGTH,
            f"{tokens / rounds:.2f}",
            _("tokens {tokens:,}, rounds {rounds:,}").format(tokens=tokens, rounds=rounds),
        ),
        (SAVED, f"{counted.target_passes_saved:,}", _("of {tokens:,}, measured").format(tokens=tokens)),
        (
            KEPT,
            share(counted.alpha),
            kept.format(kept=counted.num_accepted_draft_tokens, looked_at=sum(counted.reached)),
        ),
        (WASTED, f"{counted.num_wasted_draft_tokens:,}", _("of {n:,} drafted").format(n=counted.num_draft_tokens)),
    ]


def kind_cards(found: Mapping[str, Measured], translate: Translator) -> list[tuple[Quantity, str, str]]:
    """The acceptance of the chosen drafter on each kind of text, measured."""
    _ = translate
    label, below = _("Drafts kept, {kind}"), _("{length:.2f} tokens per round")
    return [
        (
            Quantity(kind, label.format(kind=_(KINDS[kind].label)), KEPT_ON_KIND, format=""),
            share(each.alpha),
            below.format(length=each.num_tokens / each.num_rounds),
        )
        for kind, each in found.items()
    ]


def answer(asked: Asked, translate: Translator) -> str:
    """The page's answer in a sentence or two."""
    _, counted = translate, asked.counted
    text = _(
        "It writes a text of the target in fewer passes of the target: **{rounds} instead of {tokens}** here, because "
        "the target keeps {kept} of the drafts that it looks at."
    )
    first = text.format(rounds=counted.num_rounds, tokens=counted.num_tokens, kept=share(counted.alpha))
    if asked.lesson.temperature == 0:
        same = asked.trace.tokens == asked.plain.tokens
        second = _("The text is the same, token by token: checked.") if same else _(DIFFERENT)
    else:
        second = _(
            "The words differ from those of the target alone; how often which words come does not: tested below."
        )
    return _.sentences(first, second)


DIFFERENT = N_("**The two texts differ, which must not be at temperature 0.**")


def agreement(asked: Asked, translate: Translator) -> tuple[bool, str]:
    """Whether the two texts are as they have to be, and a sentence on it: compared token by token."""
    _, fast, alone = translate, asked.trace.tokens, asked.plain.tokens
    if fast == alone:
        text = _("Identical: all {n} tokens of the two texts are the same (compared token by token).")
        return True, text.format(n=len(fast))
    first = next(number for number, pair in enumerate(zip(fast, alone, strict=True), 1) if pair[0] != pair[1])
    if asked.lesson.temperature == 0:
        return False, _.sentences(_(DIFFERENT), _("They part at token {n}.").format(n=first))
    text = _(
        "The two texts part at token {n}: the same random numbers are asked other questions, some of them about "
        "drafts. Neither text is the better one. At temperature 0, where nothing is random, they would be the same."
    )
    return True, text.format(n=first)


def narration(trace: Trace, shown: int, checked: int, translate: Translator) -> str:
    """What has just happened, in a sentence."""
    _ = translate
    if not shown:
        return _("The text to continue. “Forward” lets the drafter propose its first token.")
    last = trace.events[shown - 1]
    number, each = last.round + 1, trace.rounds[last.round]
    if last.round >= checked:
        text = _("Round {number}: {stage} of {k} tokens are drafted. The target has not looked at them yet.")
        return text.format(number=number, stage=last.position + 1, k=len(each.drafted))
    own = quoted(trace.vocabulary.label(each.bonus_token))
    if not each.drafted:
        text = _("Round {number}: the drafter found nothing to propose; the target's pass gives “{own}” alone.")
        return text.format(number=number, own=own)
    if not each.recovered:
        text = _.plural(
            "Round {number}: the {k} draft was kept, and the same pass gives “{own}” as a bonus.",
            "Round {number}: all {k} drafts were kept, and the same pass gives “{own}” as a bonus.",
            len(each.drafted),
        )
        return text.format(number=number, k=len(each.drafted), own=own)
    place = each.num_accepted
    text = _(
        "Round {number}: {kept} of {k} drafts were kept. “{token}” was rejected: the target gives it {target}, the "
        "drafter gave it {draft}, so it is kept in {chance:.0%} of such cases. “{own}” was recovered in its place."
    )
    target, draft = each.target_probs[place], each.draft_probs[place]
    return text.format(
        number=number,
        kept=place,
        k=len(each.drafted),
        token=quoted(trace.vocabulary.label(each.drafted[place])),
        target=percent(target),
        draft=percent(draft),
        chance=min(1.0, target / draft),
        own=own,
    )


def passes_question(asked: Asked, translate: Translator) -> Question:
    """How many passes the text takes."""
    _, counted = translate, asked.counted
    text = _(
        "The text gets {n} tokens longer. The target alone needs {n} passes for that. How many does it need when {k} "
        "tokens are drafted before each?"
    )
    k = counted.num_speculative_tokens
    why = _(
        "One pass a round: it checks the drafts and adds a token of its own, so a round yields 1 to {most} tokens, "
        "here {tau:.2f} on average."
    )
    return Question(
        text.format(n=counted.num_tokens, k=k),
        ceil(counted.num_tokens / (k + 1)),
        counted.num_tokens,
        1,
        counted.num_rounds,
        why.format(most=k + 1, tau=counted.num_tokens / counted.num_rounds),
        unit=_("passes"),
        format=".0f",
    )


def continuation_question(asked: Asked, translate: Translator) -> Question | None:
    """How often the likeliest continuation comes with speculation."""
    _, found = translate, asked.continuations
    if not found.tokens:
        return None
    likeliest = quoted(asked.pair.vocabulary.decode(found.tokens[0]))
    text = _(
        "The target alone is asked {n} times to go on from this text; {alone} times it begins with “{words}”. How "
        "often will it be with speculation, out of {n}?"
    )
    why = _(
        "Its own probability for that is {exact:.1%} either way, whatever the drafter proposes; the rest is chance."
    )
    return Question(
        text.format(n=found.draws, alone=found.alone[0], words=likeliest),
        0,
        found.draws,
        1,
        found.speculative[0],
        why.format(exact=found.probs[0]),
        unit=_("times"),
        format=".0f",
    )


def fit_words(asked: Asked, translate: Translator) -> str:
    """What the chi-square tests say."""
    _, found = translate, asked.continuations
    if asked.lesson.temperature == 0:
        text = _(
            "At temperature 0 there is one continuation: {alone} of {n} draws of the target alone are it, and {fast} "
            "of {n} with speculation."
        )
        return text.format(alone=found.alone[0], fast=found.speculative[0], n=found.draws)
    alone, fast = found.fit_alone, found.fit_speculative
    if not fast.degrees:
        return _("The target has no continuation that is likely enough to count in {n} draws.").format(n=found.draws)
    text = _(
        "Chi-square test against the exact probabilities: p = {alone:.2f} for the target alone, **p = {fast:.2f} with "
        "speculation**."
    )
    means = _("Nothing speaks against the target's distribution.")
    if fast.p_value < UNLIKELY:
        means = _(
            "So small a p comes up by chance in {share:.1%} of the seeds, and no more often: take another seed to see."
        ).format(share=fast.p_value)
    return _.sentences(text.format(alone=alone.p_value, fast=fast.p_value), means)


UNLIKELY = 0.02


def kinds_question(asked: Asked, translate: Translator) -> Question | None:
    """What the drafter reaches on another kind of text."""
    _, kinds = translate, list(KINDS)
    other = kinds[(kinds.index(asked.kind) + 1) % len(kinds)]
    here, there = asked.held_out(asked.kind).alpha, asked.held_out(other).alpha
    if here is None or there is None:
        return None
    text = _(
        "Of 100 drafts that the target looks at, it keeps {here:.0f} in “{kind}” with this way of drafting. How many "
        "will it keep in “{other}”?"
    )
    return Question(
        text.format(here=100 * here, kind=_(KINDS[asked.kind].label), other=_(KINDS[other].label)),
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


def cell_names(found: Continuations, decode: Callable[[Sequence[int]], str], translate: Translator) -> list[str]:
    """Names of the cells for a figure: the words, and all others."""
    names = [one_line(decode(each), SHORT_TOKEN) or "␣" for each in found.tokens]
    unique = [name if names.count(name) == 1 else f"{name} ({number + 1})" for number, name in enumerate(names)]
    return [*unique, translate("any other")]
