"""What the Live text page says: its answer, its numbers, what has just happened, what the tests found."""

from collections.abc import Callable, Mapping, Sequence

from specmodel.base.messages import N_
from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.live_text.html import percent
from specmodel.dashboard.live_text.input import LOOKUP, Asked, one_line
from specmodel.dashboard.parts.old_page import escaped
from specmodel.dashboard.session.translation import Translator
from specmodel.model.scenario import Scenario
from specmodel.ngram import KINDS, Measured, Trace
from specmodel.ngram.continuations import Continuations

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
    label, below = _("Drafts kept, {kind}"), _("held-out: {length:.2f} tokens a round")
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
    _ = translate
    return _.sentences(_saved_words(asked.counted, _), _same_words(asked, _))


def _saved_words(counted: Measured, translate: Translator) -> str:
    """How many passes this text took, and why so many."""
    _ = translate
    values = {"rounds": counted.num_rounds, "tokens": counted.num_tokens}
    if not counted.num_draft_tokens:
        text = _("It saves nothing on this text: {rounds} passes for {tokens} tokens, as nothing was found to propose.")
        return text.format(**values)
    if not counted.target_passes_saved:
        text = _("It saves nothing on this text: {rounds} passes for {tokens} tokens, as no draft helped.")
        return text.format(**values)
    text = _(
        "It writes a text of the target in fewer passes of the target: **{rounds} instead of {tokens}** here, because "
        "the target keeps {kept} of the drafts that it looks at."
    )
    return text.format(**values, kept=share(counted.alpha))


def _same_words(asked: Asked, translate: Translator) -> str:
    """Whether this text is that of the target alone, and what holds for all texts."""
    _, parted = translate, first_difference(asked)
    if asked.lesson.temperature == 0:
        return _("The text is the same, token by token: checked.") if parted is None else _(DIFFERENT)
    if parted is None:
        text = _("Here the text is the same as the target's alone, token by token; at this temperature it need not be.")
    else:
        text = _("The text parts from that of the target alone at token {n}.").format(n=parted)
    tested = _("How often which words come does not change: tested below.")
    return _.sentences(text, tested if asked.continuations.fit_speculative.degrees else _(UNCHANGED))


UNCHANGED = N_("How often which words come does not change.")


def first_difference(asked: Asked) -> int | None:
    """The first token, counted from 1, at which the texts with and without speculation part; None if they never do."""
    both = zip(asked.trace.tokens, asked.plain.tokens, strict=True)
    return next((number for number, (fast, alone) in enumerate(both, 1) if fast != alone), None)


DIFFERENT = N_("**The two texts differ, which must not be at temperature 0.**")


def agreement(asked: Asked, translate: Translator) -> tuple[bool, str]:
    """Whether the two texts are as they have to be, and a sentence on it: compared token by token."""
    _, first = translate, first_difference(asked)
    if first is None:
        text = _("Identical: all {n} tokens of the two texts are the same (compared token by token).")
        return True, text.format(n=len(asked.trace.tokens))
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
        text = _("Round {number}: {stage} of {k} drafted. The target has not looked yet.")
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
        return _nothing_to_test(found, _)
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


def _nothing_to_test(found: Continuations, translate: Translator) -> str:
    """What there is to say where only one continuation is likely enough to count, or none is."""
    _ = translate
    if not found.tokens:
        return _("The target has no continuation that is likely enough to count in {n} draws.").format(n=found.draws)
    text = _(
        "One continuation is so likely that there is nothing to test: {alone} of {n} draws of the target alone are it, "
        "and {fast} of {n} with speculation."
    )
    return text.format(alone=found.alone[0], fast=found.speculative[0], n=found.draws)


def worth_words(asked: Asked, scenario: Scenario, translate: Translator) -> str:
    """What the Explore pages make of the measured acceptance; a lookup costs no time of a model there."""
    _, declared = translate, declarations(Scenario)
    first = _("What would such an acceptance be worth with a large model? The Explore pages take it, draft by draft.")
    target = declared["target_ms"].show(scenario.target_ms, _)
    if asked.drafter_key != LOOKUP:
        text = _("The times stay those of the sliders there: {target} for a step of the target, {draft} for a draft.")
        draft = declared["draft_ms"].show(scenario.draft_ms, _)
        return _.sentences(first, text.format(target=target, draft=draft))
    text = _(
        "Prompt lookup runs no model, so the draft step there becomes 0 ms; the step of the target stays {target}. "
        "A round in which nothing was found counts as one whose drafts were all rejected."
    )
    second = text.format(target=target)
    if not scenario.verify_ms_per_token:
        return _.sentences(first, second)
    third = _("It is charged the extra time per verified token for all its drafts, so the speedup comes out too low.")
    return _.sentences(first, second, third)


def cell_names(found: Continuations, decode: Callable[[Sequence[int]], str], translate: Translator) -> list[str]:
    """Names of the cells for a figure: the words, and all others."""
    names = [one_line(decode(each), SHORT_TOKEN) or "␣" for each in found.tokens]
    unique = [name if names.count(name) == 1 else f"{name} ({number + 1})" for number, name in enumerate(names)]
    return [*unique, translate("any other")]
