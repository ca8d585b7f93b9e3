"""The answer of the Methods page in words and cards."""

from collections.abc import Sequence

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.methods.compared import Rows
from specmodel.dashboard.parts.answer import Card, text_card
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.session.translation import Translator
from specmodel.methods import MethodRow
from specmodel.serving.load import Load

BEST = Quantity(
    "best",
    N_("Fastest at this batch"),
    N_("The way of drafting with the highest speedup at the chosen batch and context."),
    unit="×",
)
BEST_ALONE = Quantity("best_alone", N_("Fastest for one request"), N_("The same with one request at a time."), unit="×")
BEST_UNTRAINED = Quantity(
    "best_untrained",
    N_("Fastest without training"),
    N_("The fastest at this batch of those that need no trained drafter."),
    unit="×",
)
PAYING = Quantity(
    "paying",
    N_("Methods that pay here"),
    N_("How many of those shown are faster than plain decoding at this batch."),
)


def answer_words(listed: Rows, load: Load, translate: Translator) -> str:
    """Which method fits, in a sentence."""
    _ = translate
    if not listed:
        return _("No way of drafting passes these filters.")
    measured = [row for _place, row in listed if not row.extrapolated]
    if not measured:
        return _("At this batch every way of drafting needs a larger pass than any measured one: all are extrapolated.")
    best = max(measured, key=lambda row: row.speedup)
    text = _("At batch {batch} **{name}** is the fastest: {speedup:.2f}× plain decoding.")
    if best.speedup <= 1:
        text = _("At batch {batch} no way of drafting pays: the fastest is {name} with {speedup:.2f}×.")
    return text.format(name=_(best.method.label), speedup=best.speedup, batch=load.batch_size)


def method_cards(listed: Rows, translate: Translator) -> tuple[Card, ...]:
    """The fastest here, for one request, and without training; and how many pay."""
    _ = translate
    measured = [row for _place, row in listed if not row.extrapolated]
    untrained = [row for row in measured if not row.method.trained]
    pays = sum(row.speedup > 1 for row in measured)
    return (
        _fastest(BEST, measured, "speedup", _),
        _fastest(BEST_ALONE, measured, "speedup_at_one", _),
        _fastest(BEST_UNTRAINED, untrained, "speedup", _),
        text_card(
            PAYING, f"{pays}", _, _("of {count} shown").format(count=len(measured)), known=known("assumed", pays)
        ),
    )


def _fastest(quantity: Quantity, rows: Sequence[MethodRow], at: str, translate: Translator) -> Card:
    """The highest speedup among the rows, and whose it is."""
    if not rows:
        return text_card(quantity, "–", translate, known=known("assumed"))
    best = max(rows, key=lambda row: float(getattr(row, at)))
    speedup = getattr(best, at)
    return text_card(
        quantity, f"{speedup:.2f}×", translate, translate(best.method.label), known=known("assumed", speedup)
    )
