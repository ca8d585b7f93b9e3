"""A measured run on the Speedup page: its points in the main figure, and what it says beside the model's prediction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.parts.answer import (
    Card,
    Cards,
    Chart,
    Column,
    Note,
    Notice,
    Part,
    Table,
    Text,
    table_of,
    text_card,
)
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.session.translation import Translator
from specmodel.dashboard.speedup.words import comparison_sentence, interval_methods, kind_of_text, with_interval
from specmodel.engine.measured_vs_predicted import Comparison
from specmodel.figures.measured import conditional_figure
from specmodel.figures.speedup import MeasuredPoint
from specmodel.measured.intervals import Estimate
from specmodel.model.scenario import Scenario

ALWAYS_DRAFTS = 0.98
"""Share of the rounds with a draft from which on a run drafts as the sliders do: always."""
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
SPEEDUP = Quantity(
    "speedup", N_("Speedup, measured"), N_("Plain time of the same tokens ÷ time of the rounds."), unit="×"
)


@dataclass(frozen=True)
class MeasuredRun:
    """The rounds that are chosen, all together and by kind of text: (kind, comparison)."""

    whole: Comparison
    by_kind: Sequence[tuple[str, Comparison]]


def points(run: MeasuredRun, translate: Translator) -> tuple[MeasuredPoint, ...]:
    """A point for each kind of text: its acceptance and its measured speedup, with intervals."""
    _ = translate
    made = []
    for kind, comparison in run.by_kind:
        alpha, speedup = comparison.alpha, comparison.speedup
        if alpha.value is not None and speedup is not None and speedup.value is not None:
            name = _("measured: {name}").format(name=kind_of_text(kind, _)) if kind else _("measured")
            made.append(MeasuredPoint(name, _interval(alpha), _interval(speedup)))
    return tuple(made)


def _interval(estimate: Estimate) -> tuple[float, float, float]:
    value = estimate.value or 0.0
    return value, value if estimate.low is None else estimate.low, value if estimate.high is None else estimate.high


def measured_parts(run: MeasuredRun, scenario: Scenario, translate: Translator) -> Mapping[str, Part | None]:
    """What was measured, beside what the model predicts from it."""
    _, whole = translate, run.whole
    if not whole.rounds.num_rounds:
        return {"no_rounds": Notice("warning", _("No round of the file has these values together."))}
    alt = _("Measured acceptance by draft position with intervals, and the single value that the model uses.")
    figure = conditional_figure(whole.conditional, whole.alpha, _)
    return {
        "measured_sentence": Text(comparison_sentence(whole, _)),
        "measured_numbers": _numbers(whole, _),
        "measured": _table(run, _),
        "measured_note": Note(_("Measured values; predictions take the measured α and the measured cost of a round.")),
        "measured_methods": Note(interval_methods(run.by_kind, _)),
        "conditional": Chart(figure, _("Acceptance by position"), alt, 260),
        **_as_scenario(whole, scenario, _),
    }


def _numbers(whole: Comparison, translate: Translator) -> Cards:
    rounds = text_card(
        ROUNDS, f"{whole.rounds.num_rounds:,}", translate, known=known("measured", whole.rounds.num_rounds)
    )
    estimates = ((ALPHA, whole.alpha, 3), (LENGTH, whole.length, 2), (SPEEDUP, whole.speedup, 2))
    return Cards((rounds, *(_estimate(*each, translate) for each in estimates)))


def _estimate(quantity: Quantity, estimate: Estimate | None, digits: int, translate: Translator) -> Card:
    """A card with the interval below the value: beside it, it is wider than a phone."""
    if estimate is None or estimate.value is None:
        return text_card(quantity, "–", translate, known=known("measured"))
    has_ends = estimate.low is not None and estimate.high is not None
    below = f"{estimate.low:.{digits}f}–{estimate.high:.{digits}f}" if has_ends else ""
    number = known("measured", estimate.value, estimate.low, estimate.high)
    return text_card(quantity, f"{estimate.value:.{digits}f}{quantity.unit}", translate, below, known=number)


def _as_scenario(whole: Comparison, scenario: Scenario, translate: Translator) -> Mapping[str, Part | None]:
    """What the sliders have to do with this run; the page's button sets them to it."""
    _, same = translate, whole.scenario(scenario)
    if same is None:
        missing = _(
            "To compare speed too, the file needs plausible draft_ms and verify_ms, and the time of a plain step."
        )
        return {"run_scenario": Note(missing)}
    if same == scenario:
        set_to_it = _("The sliders are set to this run: the curve is the model's prediction for it.")
    else:
        set_to_it = _("Until then the curve uses the values of the sliders, and the points were measured elsewhere.")
    text = _("In part of these rounds nothing was drafted; sliders, which always draft, only come near to that.")
    seldom = (whole.rounds.share_with_draft or 0) < ALWAYS_DRAFTS
    return {"run_scenario": Note(set_to_it), "run_seldom": Note(text) if seldom else None}


def _table(run: MeasuredRun, translate: Translator) -> Table:
    """One row for each kind of text and one for all of them."""
    _ = translate
    kinds = list(run.by_kind) if len(run.by_kind) > 1 else []
    rows = [*(each for _kind, each in kinds), run.whole]
    names = [kind for kind, _each in kinds]
    texts = [kind_of_text(name, _) for name in (*names, N_("all chosen"))]
    counts = [each.rounds.num_rounds for each in rows]
    lengths, speedups = [each.predicted_length for each in rows], [each.predicted_speedup for each in rows]

    def estimated(
        header: str, name: str, estimates: Sequence[Estimate | None], digits: int, unit: str = ""
    ) -> list[Column]:
        bounds = {bound: [getattr(each, bound, None) for each in estimates] for bound in ("value", "low", "high")}
        shown = Column(header, name, bounds["value"], [with_interval(each, digits, unit) for each in estimates])
        return [shown, *(Column("", f"{name}_{bound}", bounds[bound]) for bound in ("low", "high"))]

    columns = [
        Column(_("kind of text"), "category", [*names, "all"], texts),
        Column(_("rounds"), "num_rounds", counts, [f"{count:,}" for count in counts]),
        *estimated(_("acceptance"), "alpha", [each.alpha for each in rows], 3),
        *estimated(_("tokens per round"), "mean_acceptance_length", [each.length for each in rows], 2),
        Column(_("predicted"), "predicted_mean_acceptance_length", lengths, [_number(each) for each in lengths]),
        *estimated(_("speedup"), "speedup", [each.speedup for each in rows], 2, "×"),
        Column(_("predicted speedup"), "predicted_speedup", speedups, [_number(each, "×") for each in speedups]),
        Column("", "interval_method", [each.alpha.method for each in rows]),
    ]
    return table_of(_("Measured, and what the model predicts"), columns)


def _number(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:.2f}{unit}"
