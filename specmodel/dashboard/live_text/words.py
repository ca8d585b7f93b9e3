"""What the Live text page says in sentences: its answer, what has just happened, what the tests found."""

from collections.abc import Callable, Sequence

from specmodel.base.messages import N_
from specmodel.base.params import declarations
from specmodel.dashboard.live_text.html import percent
from specmodel.dashboard.live_text.run import TextRun
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.model.scenario import Scenario
from specmodel.ngram import Measured, Trace
from specmodel.ngram.continuations import Continuations

SHORT_TOKEN = 24


def one_line(text: str, longest: int) -> str:
    """A text in one line, cut after so many characters.

    >>> one_line("def f():\\n    pass", 12)
    'def f():↵ pa…'
    """
    line = " ".join(text.replace("\n", "↵ ").split())
    return line if len(line) <= longest else f"{line[:longest]}…"


def share(value: float | None) -> str:
    """A share as a percentage; a dash where there is none."""
    return "–" if value is None else f"{value:.0%}"


def quoted(text: str) -> str:
    """A token or a few as they can stand in a sentence."""
    return escaped(one_line(text, SHORT_TOKEN) or "␣")


def drafter_name(run: TextRun, translate: Translator) -> str:
    """The chosen drafter."""
    if run.looks_up:
        return translate("prompt lookup")
    return translate("n-gram model of order {order}").format(order=run.lesson.draft_order)


def origin(run: TextRun, translate: Translator) -> str:
    """Where the models and the text to continue come from, in sentences."""
    _, corpus, target = translate, run.pair.corpus, run.pair.target
    models = _("Real models, small ones: n-gram models, trained here on {origin}.")
    looks = _("The target looks at {order} tokens, the next one included, and knows {size:,} tokens.")
    if run.looks_up:
        drafter = _("The drafter is no model: it copies what followed the last tokens the last time they occurred.")
    else:
        drafter = _("The drafter is the same kind of model of order {order}.").format(order=run.lesson.draft_order)
    held_out = _("The opening is from {parts} parts of the text that were kept away from training.")
    text = {
        "typed": _("Your text stays in this session; the link opens with another."),
        "awaited": _("Until you type one, the first opening is continued."),
        "held_out": held_out.format(parts=len(corpus.held_out)),
    }
    return _.sentences(
        models.format(origin=_.message(corpus.origin)),
        looks.format(order=target.order, size=len(run.pair.vocabulary)),
        drafter,
        text[run.source],
    )


def opening_words(run: TextRun, translate: Translator) -> str:
    """The page's answer in a sentence or two."""
    return translate.sentences(_saved_words(run.counted, translate), _same_words(run, translate))


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


def _same_words(run: TextRun, translate: Translator) -> str:
    """Whether this text is that of the target alone, and what holds for all texts."""
    _, parted = translate, first_difference(run)
    if run.lesson.temperature == 0:
        return _("The text is the same, token by token: checked.") if parted is None else _(DIFFERENT)
    if parted is None:
        text = _("Here the text is the same as the target's alone, token by token; at this temperature it need not be.")
    else:
        text = _("The text parts from that of the target alone at token {n}.").format(n=parted)
    tested = _("How often which words come does not change: tested below.")
    return _.sentences(text, tested if run.continuations.fit_speculative.degrees else _(UNCHANGED))


UNCHANGED = N_("How often which words come does not change.")


def first_difference(run: TextRun) -> int | None:
    """The first token, counted from 1, at which the texts with and without speculation part; None if they never do."""
    both = zip(run.trace.tokens, run.plain.tokens, strict=True)
    return next((number for number, (fast, alone) in enumerate(both, 1) if fast != alone), None)


DIFFERENT = N_("**The two texts differ, which must not be at temperature 0.**")


def agreement(run: TextRun, translate: Translator) -> tuple[str, str]:
    """Compared token by token: the kind of notice, an error where the texts differ and must not, and a sentence."""
    _, first = translate, first_difference(run)
    if first is None:
        text = _("Identical: all {n} tokens of the two texts are the same (compared token by token).")
        return "success", text.format(n=len(run.trace.tokens))
    if run.lesson.temperature == 0:
        return "error", _.sentences(_(DIFFERENT), _("They part at token {n}.").format(n=first))
    text = _(
        "The two texts part at token {n}: the same random numbers are asked other questions, some of them about "
        "drafts. Neither text is the better one. At temperature 0, where nothing is random, they would be the same."
    )
    return "success", text.format(n=first)


def narration(trace: Trace, num_events: int, checked: int, translate: Translator) -> str:
    """What has just happened, in a sentence."""
    _ = translate
    if not num_events:
        return _("The text to continue. “Forward” lets the drafter propose its first token.")
    last = trace.events[num_events - 1]
    number, played = last.round + 1, trace.rounds[last.round]
    if last.round >= checked:
        text = _("Round {number}: {stage} of {k} drafted. The target has not looked yet.")
        return text.format(number=number, stage=last.position + 1, k=len(played.drafted))
    own = quoted(trace.vocabulary.label(played.bonus_token))
    if not played.drafted:
        text = _("Round {number}: the drafter found nothing to propose; the target's pass gives “{own}” alone.")
        return text.format(number=number, own=own)
    if not played.recovered:
        text = _.plural(
            "Round {number}: the {k} draft was kept, and the same pass gives “{own}” as a bonus.",
            "Round {number}: all {k} drafts were kept, and the same pass gives “{own}” as a bonus.",
            len(played.drafted),
        )
        return text.format(number=number, k=len(played.drafted), own=own)
    place = played.num_accepted
    text = _(
        "Round {number}: {kept} of {k} drafts were kept. “{token}” was rejected: the target gives it {target}, the "
        "drafter gave it {draft}, so it is kept in {chance:.0%} of such cases. “{own}” was recovered in its place."
    )
    target, draft = played.target_probs[place], played.draft_probs[place]
    return text.format(
        number=number,
        kept=place,
        k=len(played.drafted),
        token=quoted(trace.vocabulary.label(played.drafted[place])),
        target=percent(target),
        draft=percent(draft),
        chance=min(1.0, target / draft),
        own=own,
    )


def fit_words(run: TextRun, translate: Translator) -> str:
    """What the chi-square tests say."""
    _, drawn = translate, run.continuations
    if run.lesson.temperature == 0:
        text = _(
            "At temperature 0 there is one continuation: {alone} of {n} draws of the target alone are it, and {fast} "
            "of {n} with speculation."
        )
        return text.format(alone=drawn.alone[0], fast=drawn.speculative[0], n=drawn.draws)
    alone, fast = drawn.fit_alone, drawn.fit_speculative
    if not fast.degrees:
        return _nothing_to_test(drawn, _)
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


def _nothing_to_test(drawn: Continuations, translate: Translator) -> str:
    """What there is to say where only one continuation is likely enough to count, or none is."""
    _ = translate
    if not drawn.tokens:
        return _("The target has no continuation that is likely enough to count in {n} draws.").format(n=drawn.draws)
    text = _(
        "One continuation is so likely that there is nothing to test: {alone} of {n} draws of the target alone are it, "
        "and {fast} of {n} with speculation."
    )
    return text.format(alone=drawn.alone[0], fast=drawn.speculative[0], n=drawn.draws)


def worth_words(run: TextRun, scenario: Scenario, translate: Translator) -> str:
    """What the Explore pages make of the measured acceptance; a lookup costs no time of a model there."""
    _, declared = translate, declarations(Scenario)
    first = _("What would such an acceptance be worth with a large model? The Explore pages take it, draft by draft.")
    target = declared["target_ms"].show(scenario.target_ms, _)
    if not run.looks_up:
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


def cell_names(drawn: Continuations, decode: Callable[[Sequence[int]], str], translate: Translator) -> list[str]:
    """Names of the cells for a figure: the words, and all others."""
    names = [one_line(decode(tokens), SHORT_TOKEN) or "␣" for tokens in drawn.tokens]
    unique = [name if names.count(name) == 1 else f"{name} ({number + 1})" for number, name in enumerate(names)]
    return [*unique, translate("any other")]
