"""The words about a measured run on the Speedup page: what was measured beside what the model predicts."""

from collections.abc import Sequence

from specmodel.base.messages import N_
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.measured_vs_predicted import Comparison
from specmodel.measured.intervals import Estimate

KINDS_OF_TEXT = (N_("code"), N_("prose"), N_("repetitive"), N_("all"), N_("all chosen"))


def kind_of_text(name: str, translate: Translator) -> str:
    """A kind of text: those of the bundled runs in the visitor's language, those of a file as they stand there."""
    return translate(name) if name in KINDS_OF_TEXT else name


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


def comparison_sentence(run: Comparison, translate: Translator) -> str:
    """Measured against predicted, in a sentence or two."""
    measured, predicted, mistaken = run.length.value, run.predicted_length, run.mistaken_length
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


def interval_methods(parts: Sequence[tuple[str, Comparison]], translate: Translator) -> str:
    """How the intervals of the table were made."""
    names = dict.fromkeys(each.method for _, part in parts for each in (part.alpha, part.length))
    return translate("Intervals of 95 %: {methods}.").format(
        methods=translate.listed([translate(name) for name in names])
    )
