"""Words, cards and table for a measured run."""

from collections.abc import Callable, Sequence
from typing import Any

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.measured_vs_predicted import Comparison
from specmodel.measured.intervals import Estimate

ROUNDS = Quantity(
    "rounds", N_("Rounds"), N_("Rounds measured, those in which nothing was drafted included."), format=",d"
)
ALPHA = Quantity(
    "alpha",
    N_("Acceptance, measured"),
    N_("Accepted ÷ (accepted + rejections): drafts after a rejection were never tried. With its 95 % interval."),
    symbol="α",
)
LENGTH = Quantity(
    "length", N_("Tokens per round, measured"), N_("Bonus token included, with its 95 % interval."), symbol="τ"
)
SPEEDUP = Quantity("speedup", N_("Speedup, measured"), N_("Plain time of the same tokens ÷ time of the rounds."))


CATEGORIES = (N_("code"), N_("prose"), N_("repetitive"), N_("all"), N_("all chosen"))


def category(name: str, translate: Translator) -> str:
    """A kind of text: those of the bundled runs in the reader's language, those of a file as they stand there."""
    return translate(name) if name in CATEGORIES else name


class Shown(Quantity):
    """A quantity whose values come as finished text."""

    def show(self, value: Any, translate: Callable[[str], str] = str) -> str:
        """The text as it is; a dash for None."""
        return "–" if value is None else str(value)


def with_interval(estimate: Estimate | None, digits: int = 2, unit: str = "") -> str:
    """An estimate with its interval, as text.

    >>> with_interval(Estimate(0.5, 0.25, 0.75))
    '0.50 [0.25, 0.75]'
    """
    if estimate is None or estimate.value is None:
        return "–"
    text = f"{estimate.value:.{digits}f}{unit}"
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def estimate_cards(found: Comparison, translate: Translator) -> list[tuple[Quantity, Any, None]]:
    """Cards of what was measured."""
    values = (
        (ROUNDS, f"{found.rounds.num_rounds:,}"),
        (ALPHA, with_interval(found.alpha, 3)),
        (LENGTH, with_interval(found.length)),
        (SPEEDUP, with_interval(found.speedup, 2, "×")),
    )
    return [(Shown(q.name, q.label, q.help, symbol=q.symbol), value, None) for q, value in values]


def comparison_sentence(found: Comparison, translate: Translator) -> str:
    """Measured against predicted, in a sentence or two."""
    measured, predicted, mistaken = found.length.value, found.predicted_length, found.mistaken_length
    if measured is None or predicted is None or mistaken is None:
        return translate("Nothing was drafted in these rounds.")
    text = translate(
        "Measured: **{measured:.2f} tokens per round**. One acceptance probability taken from these rounds predicts "
        "{predicted:.2f} ({error:+.1%}). Taking accepted ÷ proposed for it instead would predict {mistaken:.2f} "
        "({mistake:+.1%})."
    )
    return text.format(
        measured=measured,
        predicted=predicted,
        error=predicted / measured - 1,
        mistaken=mistaken,
        mistake=mistaken / measured - 1,
    )


def comparison_columns(
    parts: Sequence[tuple[str, Comparison]], whole: Comparison, translate: Translator
) -> dict[str, Sequence[Any]]:
    """One row for each kind of text and one for all of them."""
    rows = list(parts) if len(parts) > 1 else []
    rows.append((N_("all chosen"), whole))
    return {
        translate("kind of text"): [category(name, translate) for name, _ in rows],
        translate("rounds"): [f"{each.rounds.num_rounds:,}" for _, each in rows],
        translate("acceptance"): [with_interval(each.alpha, 3) for _, each in rows],
        translate("tokens per round"): [with_interval(each.length) for _, each in rows],
        translate("predicted"): [_number(each.predicted_length) for _, each in rows],
        translate("speedup"): [with_interval(each.speedup, 2, "×") for _, each in rows],
        translate("predicted speedup"): [_number(each.predicted_speedup, "×") for _, each in rows],
    }


def comparison_data(parts: Sequence[tuple[str, Comparison]], whole: Comparison) -> dict[str, Sequence[Any]]:
    """The same as plain numbers with the bounds of their 95 % intervals, for the CSV."""
    rows = [*(parts if len(parts) > 1 else ()), ("all", whole)]
    data: dict[str, Sequence[Any]] = {"category": [name for name, _ in rows]}
    data["num_rounds"] = [each.rounds.num_rounds for _, each in rows]
    for name, estimates in (
        ("alpha", [each.alpha for _, each in rows]),
        ("mean_acceptance_length", [each.length for _, each in rows]),
        ("speedup", [each.speedup for _, each in rows]),
    ):
        for bound in ("value", "low", "high"):
            column = name if bound == "value" else f"{name}_{bound}"
            data[column] = [getattr(estimate, bound, None) for estimate in estimates]
    data["predicted_mean_acceptance_length"] = [each.predicted_length for _, each in rows]
    data["predicted_speedup"] = [each.predicted_speedup for _, each in rows]
    data["interval_method"] = [each.alpha.method for _, each in rows]
    return data


def methods(parts: Sequence[tuple[str, Comparison]], translate: Translator) -> str:
    """How the intervals of the table were made."""
    names = dict.fromkeys(each.method for _, part in parts for each in (part.alpha, part.length))
    return translate("Intervals of 95 %: {methods}.").format(
        methods=translate.listed([translate(name) for name in names])
    )


def _number(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:.2f}{unit}"
