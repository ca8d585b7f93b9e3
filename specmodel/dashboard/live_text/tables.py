"""The cards, figures and tables of the Live text page."""

from collections.abc import Iterable, Sequence

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.live_text.run import LOOKUP, ORDERS, TextRun
from specmodel.dashboard.live_text.words import cell_names, drafter_name, share
from specmodel.dashboard.parts.answer import Card, Chart, Column, Table, table_of, text_card
from specmodel.dashboard.parts.entries import number_entry
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.live_text import continuations_figure, kinds_figure, position_figure
from specmodel.ngram import KINDS, Measured

CARDS = (
    Quantity("tau", N_("Tokens per round"), N_("Tokens that one pass of the target yields, its own included.")),
    Quantity(
        "target_passes_saved",
        N_("Target passes saved"),
        N_("Passes that the target alone would need on top for the same text: tokens − rounds."),
    ),
    Quantity(
        "alpha",
        N_("Drafts kept"),
        N_("Of the drafts that the target looked at, how many it kept: the acceptance α of this text."),
    ),
    Quantity(
        "num_wasted_draft_tokens",
        N_("Wasted drafts"),
        N_("Drafts thrown away: rejected, or behind a rejected one and never looked at."),
    ),
)
"""The numbers of a text."""
KEPT_ON_KIND = Quantity(
    "alpha",
    N_("Drafts kept, by kind of text"),
    N_(
        "Of the drafts that the target looked at, how many it kept, on held-out openings of this kind of text, with "
        "the chosen drafter, draft length and temperature. Measured."
    ),
)


def text_cards(counted: Measured, translate: Translator) -> tuple[Card, ...]:
    """What the rounds so far come to: all counted, so measured on this one text."""
    rows = zip(CARDS, _text_values(counted, translate), _text_numbers(counted), strict=True)
    return tuple(
        text_card(quantity, value, translate, below, known=known("measured", number))
        for quantity, (value, below), number in rows
    )


def _text_numbers(counted: Measured) -> Sequence[float | None]:
    """The numbers of the cards as they are; none of them before the first round."""
    if not counted.num_rounds:
        return [None] * len(CARDS)
    length = counted.num_tokens / counted.num_rounds
    return length, counted.target_passes_saved, counted.alpha, counted.num_wasted_draft_tokens


def _text_values(counted: Measured, translate: Translator) -> list[tuple[str, str]]:
    """The value of each card and the line below it."""
    _, tokens, rounds = translate, counted.num_tokens, counted.num_rounds
    if not rounds:
        return [("–", _("no round yet"))] * len(CARDS)
    kept, looked_at = counted.num_accepted_draft_tokens, sum(counted.reached)
    return [
        (f"{tokens / rounds:.2f}", _("tokens {tokens:,}, rounds {rounds:,}").format(tokens=tokens, rounds=rounds)),
        (f"{counted.target_passes_saved:,}", _("of {tokens:,}, measured").format(tokens=tokens)),
        (share(counted.alpha), _("{kept:,} of {looked_at:,} looked at").format(kept=kept, looked_at=looked_at)),
        (f"{counted.num_wasted_draft_tokens:,}", _("of {n:,} drafted").format(n=counted.num_draft_tokens)),
    ]


def kind_cards(run: TextRun, translate: Translator) -> tuple[Card, ...]:
    """The acceptance of the chosen drafter on each kind of text, measured."""
    _ = translate
    label, below = _("Drafts kept, {kind}"), _("held-out: {length:.2f} tokens a round")
    return tuple(
        Card(
            label.format(kind=_(KINDS[kind].label)),
            share(measured.alpha),
            _(KEPT_ON_KIND.help),
            below.format(length=measured.num_tokens / measured.num_rounds),
            number_entry(KEPT_ON_KIND),
            name=f"{KEPT_ON_KIND.name}_{kind}",
            unit=KEPT_ON_KIND.unit,
            known=known("measured", measured.alpha),
        )
        for kind, measured in run.by_kind().items()
    )


def continuations_chart(run: TextRun, translate: Translator) -> Chart:
    """How often each likely continuation came, both ways."""
    _, drawn = translate, run.continuations
    names = cell_names(drawn, run.pair.vocabulary.decode, _)
    alt = _("Bars for each likely continuation, without and with speculation; rings are the exact probabilities.")
    return Chart(continuations_figure(drawn, names, _), _("How often which words come"), alt, 320)


def continuations_table(run: TextRun, translate: Translator) -> Table:
    """The same in numbers."""
    _, drawn = translate, run.continuations
    names = cell_names(drawn, run.pair.vocabulary.decode, _)
    columns = [
        Column(_("continuation"), "continuation", names),
        Column(_("target, exact"), "target", drawn.probs, [f"{value:.1%}" for value in drawn.probs]),
        Column(_("target alone, drawn"), "alone", drawn.alone, _counts(drawn.alone)),
        Column(_("with speculation, drawn"), "speculative", drawn.speculative, _counts(drawn.speculative)),
    ]
    return table_of(_("Continuation by continuation"), columns, "continuations")


def _counts(values: tuple[int, ...]) -> list[str]:
    return [f"{value:,}" for value in values]


def drafters_chart(run: TextRun, translate: Translator) -> Chart:
    """The expected acceptance of all drafters on all kinds of text, and the measured one of the chosen drafter."""
    _, keys = translate, [*map(str, ORDERS), LOOKUP]
    names = [*(_("order {n}").format(n=order) for order in ORDERS), _("lookup")]
    expected = {_(kind.label): [run.along(key)[drafter] for drafter in keys] for key, kind in KINDS.items()}
    measured = {_(KINDS[kind].label): measured.alpha for kind, measured in run.by_kind().items()}
    chosen = keys.index(LOOKUP if run.looks_up else str(run.lesson.draft_order))
    alt = _("Acceptance against the order of the drafter, one line for each kind of text; prompt lookup beside it.")
    figure = kinds_figure(expected, measured, names, chosen, _)
    return Chart(figure, _("Acceptance by kind of text and drafter"), alt, 340)


def kinds_table(run: TextRun, translate: Translator) -> Table:
    """The chosen drafter on each kind of text; the shares are for the screen, the counts for the file."""
    _, by_kind = translate, run.by_kind()
    measured = list(by_kind.values())
    columns = [
        Column(_("kind of text"), "kind", list(by_kind), [_(KINDS[kind].label) for kind in by_kind]),
        Column(_("kept of those looked at"), "", [share(each.alpha) for each in measured]),
        Column(_("tokens per round"), "", [f"{each.num_tokens / each.num_rounds:.2f}" for each in measured]),
        Column(_("passes saved"), "", [share(each.target_passes_saved / each.num_tokens) for each in measured]),
        Column(_("drafts wasted"), "", [share(_wasted(each)) for each in measured]),
        Column("", "looked_at", [sum(each.reached) for each in measured]),
        Column("", "accepted", [each.num_accepted_draft_tokens for each in measured]),
        Column("", "drafted", [each.num_draft_tokens for each in measured]),
        Column("", "rounds", [each.num_rounds for each in measured]),
        Column("", "tokens", [each.num_tokens for each in measured]),
    ]
    title = _("The chosen drafter, {drafter}, on each kind").format(drafter=drafter_name(run, _))
    return table_of(title, columns, "kinds")


def _wasted(measured: Measured) -> float | None:
    return measured.num_wasted_draft_tokens / measured.num_draft_tokens if measured.num_draft_tokens else None


def positions_chart(run: TextRun, translate: Translator) -> Chart:
    """Acceptance by position in the round, measured beside expected."""
    _ = translate
    alt = _("Bars of the measured acceptance at each position of a round, rings for the expected one.")
    figure = position_figure(run.held_out(run.kind), _)
    return Chart(figure, _("Acceptance by position in the round"), alt, 320)


def positions_table(run: TextRun, translate: Translator) -> Table:
    """The same in numbers."""
    _, measured = translate, run.held_out(run.kind)
    numbers = list(range(1, measured.num_speculative_tokens + 1))

    def shares(header: str, name: str, values: Iterable[float | None]) -> Column:
        listed = list(values)
        return Column(header, name, listed, [share(value) for value in listed])

    columns = [
        Column(_("draft"), "position", numbers, [str(number) for number in numbers]),
        Column(_("looked at"), "looked_at", measured.reached, _counts(measured.reached)),
        Column(_("kept"), "kept", measured.accepted, _counts(measured.accepted)),
        shares(_("kept, given all before"), "conditional", measured.conditional_acceptance),
        shares(_("expected, Σ min"), "expected", measured.expected_acceptance),
        shares(_("kept, of all rounds"), "per_position", measured.acceptance.per_position_acceptance),
    ]
    return table_of(_("Draft by draft"), columns, name="positions")
