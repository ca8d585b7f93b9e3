"""What the Exactness page says: one draft token, what comes out of many, and the later steps of its lesson."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.exactness.blocks import block_parts
from specmodel.dashboard.exactness.breaks import break_parts
from specmodel.dashboard.exactness.pair import Pair, can_be_pulled, number_of_opening, pair_of, pulled_weights, written
from specmodel.dashboard.exactness.questions import how_far_off, how_many_kept, how_many_match
from specmodel.dashboard.exactness.rules import rule_parts
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.lesson.steps import Step
from specmodel.dashboard.parts.answer import Answer, Cards, Chart, Column, Note, Said, Table, Text, table_of, text_card
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.figures.exactness import output_figure, overlap_figure, pair_figure
from specmodel.ngram import language_models
from specmodel.sampling.draws import ChiSquare, chi_square, counted, draw_step, play

ACCEPTANCE = Quantity(
    "acceptance", N_("Acceptance"), N_("Chance that the draft token is kept: Σ min(target, drafter). Exact."), format=""
)
DISTANCE = Quantity(
    "distance",
    N_("Distance of the output"),
    N_("Total variation between what comes out and the target's distribution, enumerated. 0 is exact."),
    format="",
)
DRAWN = Quantity(
    "drawn", N_("Kept in the draws"), N_("Share of the drawn tokens that were kept drafts. Simulated."), format=""
)
FIT = Quantity(
    "fit",
    N_("Chi-square test"),
    N_("Chance of counts at least this far from the target's distribution if they come from it: tiny is suspicious."),
    format="",
)


class Draws(NamedTuple):
    """Many draws: how often each token came out, the share of drafts kept, and how well they fit the target."""

    counts: Ints
    kept: float
    fit: ChiSquare


@lru_cache(maxsize=32)
def draws_of(pair: Pair, draws: int, seed: int) -> Draws:
    """So many draws of a pair; shared by all, since they are nobody's."""
    played = play(pair.test, draws, seed)
    counts = counted(played, len(pair.names))
    return Draws(counts, played.acceptance, chi_square(counts, pair.target_probs))


def steps(chosen: Chosen, translate: Translator) -> list[Step]:
    """The steps of the lesson."""
    pair, lesson = pair_of(chosen), chosen.group(ExactnessLesson)
    match, off = how_many_match(pair, translate), how_far_off(pair, lesson.lenience, translate)
    return [
        Step("one", N_("One draft token"), ("one_token",), how_many_kept(pair, translate)),
        Step("output", N_("What comes out"), ("output", "tokens_table", "output_note")),
        Step("rules", N_("Other rules, other vocabularies"), ("rules_table", "rules_note"), match),
        Step("temperature", N_("What the temperature does"), ("temperature", "temperature_note")),
        Step("breaks", N_("What breaks it"), ("breaks", "breaks_table", "breaks_note"), off),
        Step("blocks", N_("Blocks, and several drafts at once"), ("blocks_and_several",)),
    ]


def answer(chosen: Chosen, translate: Translator, draws_played: int = 0) -> Answer:
    """The parts of the page; `draws_played` is how many single draws the visitor has asked for."""
    _, pair, lesson = translate, pair_of(chosen), chosen.group(ExactnessLesson)
    return Answer(
        {
            "source": Note(_source(chosen, pair, _)),
            "verdict": _verdict(pair, _),
            "numbers": lambda: _numbers(pair, lesson, _),
            "pair": lambda: _bars(pair, _),
            "overlap": lambda: _overlap(pair, can_be_pulled(chosen), _),
            "pull_note": _pull_note(_) if can_be_pulled(chosen) else None,
            "rule": _rule(_),
            "draw": lambda: _one_draw(pair, lesson.seed, draws_played, _),
            "draw_note": Note(_("Simulated: one draw.")),
            "output": lambda: _output(pair, lesson, _),
            "tokens_table": lambda: _tokens(pair, lesson, _),
            "output_note": lambda: _output_note(pair, lesson, _),
            **rule_parts(pair, lesson, _),
            **break_parts(pair, lesson, _),
            **block_parts(pair, _),
        },
        leaves_out=(
            _("One token at a time: in a round each draft meets distributions that the drafts before it decided."),
            _("Exact means up to rounding: where engines compute in bfloat16, greedy texts may part without a fault."),
        ),
    )


def pulled(chosen: Chosen, bar: str) -> Chosen | None:
    """What is chosen while a bar is held, told as `series:place:value`; None where there is no such bar.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> held = pulled(read_link({"dists": "edit", "probs": "5_5,3_3,2_2"})[0], "draft:0:0.75")
    >>> held.option("probs")
    '5_7.5,3_1.5,2_1'
    """
    series, _, rest = bar.partition(":")
    place, _, value = rest.partition(":")
    try:
        weights = pulled_weights(chosen, series, int(place), float(value))
    except ValueError:
        return None
    return None if weights is None else replace(chosen, options={**chosen.options, "probs": written(weights)})


def _source(chosen: Chosen, pair: Pair, translate: Translator) -> str:
    """Where the two distributions come from."""
    _, source = translate, chosen.option("dists")
    if source == "sliders":
        return _("Two made-up models over a small vocabulary. What is not enumerated exactly says so.")
    if source == "edit":
        return _("Your numbers, divided by their sum. What is not enumerated exactly says so.")
    kind = chosen.option("distkind")
    models = language_models(kind)
    opening = models.corpus.prompts[number_of_opening(kind, chosen.option("distprompt"))]
    text = _(
        "The next token of an n-gram model of order {target} and of one of order {draft}, after “{text}”. All {size:,} "
        "tokens count; the likeliest are shown by name, the rest together."
    )
    orders = {"target": models.target.order, "draft": models.draft.order}
    return text.format(**orders, text=escaped(opening[-60:]), size=len(pair.names))


def _verdict(pair: Pair, translate: Translator) -> Said:
    text = translate(
        "Rejected drafts are replaced from exactly what kept drafts leave out: the output differs from the target "
        "by **{distance:.0e}**, which is rounding. {share:.0%} of the draft tokens are kept."
    )
    distance = max(pair.test.total_variation, 1e-17)
    return Said("says", text.format(distance=distance, share=pair.test.acceptance))


def _numbers(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Cards:
    """Acceptance and distance, exact; the draws and their test, simulated."""
    _, distance, draws = translate, pair.test.total_variation, draws_of(pair, lesson.draws, lesson.seed)
    simulated = _("of {n:,} draws, simulated").format(n=lesson.draws)
    test = _("χ² = {value:.1f}, {degrees} degrees").format(value=draws.fit.statistic, degrees=draws.fit.degrees)
    acceptance, kept, p = pair.test.acceptance, draws.kept, draws.fit.p_value
    return Cards(
        (
            text_card(ACCEPTANCE, f"{acceptance:.1%}", _, _("exact"), known=known("exact", acceptance)),
            text_card(DISTANCE, f"{distance:.1e}" if distance else "0", _, _("exact"), known=known("exact", distance)),
            text_card(DRAWN, f"{kept:.1%}", _, simulated, known=known("simulated", kept)),
            text_card(FIT, f"p = {p:.2f}", _, test, known=known("simulated", p)),
        )
    )


def _bars(pair: Pair, translate: Translator) -> Chart:
    """Both distributions, before any draft is judged."""
    _ = translate
    alt = _("Bars of both distributions, the target's and the drafter's, token by token.")
    return Chart(pair_figure(pair.test_by_name, pair.labels(_), _), _("Target and drafter"), alt, 280)


def _overlap(pair: Pair, whole: bool, translate: Translator) -> Chart:
    """Both distributions, and what is kept; over the whole axis where the bars can be pulled."""
    _ = translate
    alt = _("Bars of both distributions: of the drafter's, the part that is kept and the part that is rejected.")
    figure = overlap_figure(pair.test_by_name, pair.labels(_), _, whole=whole)
    return Chart(figure, _("Target and drafter"), alt, 330)


def _pull_note(translate: Translator) -> Note:
    return Note(translate("Pull a bar up or down: the others of the same model make room. The table above is exact."))


def _rule(translate: Translator) -> Text:
    return Text(
        translate(
            "The drafter draws a token. It is kept with chance **min(1, target ÷ drafter)**: always where the "
            "drafter is less sure than the target, else as often as the target would have it. A rejected one "
            "is replaced by a token from **max(0, target − drafter)**."
        )
    )


def _one_draw(pair: Pair, seed: int, number: int, translate: Translator) -> Text:
    """One draft token and its test in words; another number is another draw."""
    _ = translate
    step = draw_step(pair.test, np.random.default_rng((seed, number)))
    drafted = _("Drafted: **{token}**, kept with chance {keep:.0%}; the random number is {u:.2f}.")
    drafted = drafted.format(token=escaped(pair.names[step.draft_token]), keep=step.keep, u=step.uniform)
    kept, rejected = _("Kept: **{token}** comes out."), _("Rejected: **{token}** is recovered in its place.")
    ended = (kept if step.accepted else rejected).format(token=escaped(pair.names[step.token]))
    return Text(f"{drafted}\n\n{ended}")


def _counts_by_name(pair: Pair, lesson: ExactnessLesson) -> Ints:
    """How often each token that is shown by name was drawn, and all others together."""
    counts = draws_of(pair, lesson.draws, lesson.seed).counts
    named = pair.num_named
    return np.append(counts[:named], counts[named:].sum()) if pair.has_others else counts


def _output(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Chart:
    """What comes out, by token, beside the target and the draws."""
    _, counts = translate, _counts_by_name(pair, lesson)
    alt = _("For each token the kept drafts and the recovered tokens stacked; rings are the target, crosses the draws.")
    figure = output_figure(pair.test_by_name, pair.labels(_), counts / counts.sum(), _)
    return Chart(figure, _("Kept + recovered = target"), alt, 340)


def _tokens(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Table:
    _, test, counts = translate, pair.test_by_name, _counts_by_name(pair, lesson)

    def texts(shares: Floats, decimals: int = 2) -> list[str]:
        return [f"{share:.{decimals}%}" for share in shares]

    columns = [
        Column(_("token"), "token", pair.labels(_)),
        Column(_("target"), "target", test.target_probs, texts(test.target_probs)),
        Column(_("drafter"), "draft", test.draft_probs, texts(test.draft_probs)),
        Column(_("kept once drafted"), "keep", test.keep, texts(test.keep, 0)),
        Column(_("recovered"), "", (), texts((1 - test.acceptance) * test.recovered)),
        Column(_("comes out"), "output", test.output, texts(test.output)),
        Column(_("drawn"), "drawn", counts, texts(counts / counts.sum())),
    ]
    return table_of(_("Token by token"), columns, "tokens")


def _output_note(pair: Pair, lesson: ExactnessLesson, translate: Translator) -> Note:
    text = translate(
        "Exact but for the last column: {n:,} draws with seed {seed}, simulated. Chi-square test of their fit to "
        "the target: p = {p:.2f}."
    )
    p = draws_of(pair, lesson.draws, lesson.seed).fit.p_value
    return Note(text.format(n=lesson.draws, seed=lesson.seed, p=p))
