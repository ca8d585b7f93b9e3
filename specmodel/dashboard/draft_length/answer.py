"""What the Draft length page says: the article's second table, live, and the map of acceptance and draft length."""

from specmodel.base.params import Quantity
from specmodel.dashboard.draft_length.p_min import p_min_parts
from specmodel.dashboard.draft_length.words import advice
from specmodel.dashboard.parts.answer import (
    Answer,
    Cards,
    Chart,
    Column,
    Note,
    Said,
    Table,
    card,
    outcome_cards,
    table_of,
)
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.draft_length import accepted_figure, map_figure, marginal_figure, waste_figure
from specmodel.figures.time import time_figure
from specmodel.model.confidence import Stopping
from specmodel.model.draft_lengths import (
    BEST_LENGTH,
    DraftLengths,
    covering,
    draft_lengths,
    marginal_gain_ms,
    speedup_map,
)
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.speedup_curve import ALPHAS


def answer(chosen: Chosen, translate: Translator) -> Answer:
    """The parts of the page."""
    _, scenario, pinned = translate, chosen.scenario, chosen.pinned
    most = covering(scenario, pinned)
    table, ghost = draft_lengths(scenario, most), draft_lengths(pinned, most) if pinned else None
    return Answer(
        {
            "verdict": Said("says", advice(table, scenario, _)),
            "numbers": _numbers(table, scenario, ghost, pinned, _),
            "note": Note(
                _("At the best draft length; exact results of the model for the assumed values of the sliders.")
            ),
            **_charts(scenario, pinned, table, ghost, _),
            **p_min_parts(scenario, chosen.group(Stopping), _),
            "map": Chart(
                map_figure(speedup_map(scenario, ALPHAS, most), scenario, _, pinned=pinned),
                _("Where speculation pays"),
                _(
                    "Speedup over acceptance and draft length, with the break-even contour and the best draft "
                    "length at each."
                ),
                420,
            ),
            "by_draft_length": _by_draft_length(table, _),
        },
        leaves_out=(
            _(
                "The same acceptance at every position, unless a measurement brought its own; real "
                "drafters often differ."
            ),
            _("Draft tokens cost the same whatever their number; parallel drafters and heads do not behave so."),
            _("A tie means: within the 5 to 95 % spread of one answer at the best draft length."),
        ),
    )


def _charts(
    scenario: Scenario, pinned: Scenario | None, table: DraftLengths, ghost: DraftLengths | None, translate: Translator
) -> dict[str, Chart]:
    _ = translate
    return {
        "time": Chart(
            time_figure(table, scenario, _, ghost=ghost),
            _("Time of one answer"),
            _("Time of one answer against draft tokens per round, with the best draft length marked."),
            300,
        ),
        "marginal": Chart(
            marginal_figure(table, _, ghost=ghost),
            _("What one more draft token gains"),
            _("Seconds that each further draft token saves or costs."),
            260,
        ),
        "waste": Chart(
            waste_figure(table, _, ghost=ghost),
            _("Draft tokens kept and wasted"),
            _("Draft tokens of one answer by draft length, split into accepted and wasted."),
            300,
        ),
        "accepted": Chart(
            accepted_figure(scenario.acceptance, _, ghost=pinned.acceptance if pinned else None),
            _("Accepted drafts in a round of {k}").format(k=scenario.num_speculative_tokens),
            _("Share of rounds by number of accepted drafts."),
            260,
        ),
    }


def _numbers(
    table: DraftLengths,
    scenario: Scenario,
    ghost: DraftLengths | None,
    pinned: Scenario | None,
    translate: Translator,
) -> Cards:
    """The best draft length and what it comes to."""
    best = evaluate(scenario.replace(num_speculative_tokens=table.best))
    before = evaluate(pinned.replace(num_speculative_tokens=ghost.best)) if pinned and ghost else None
    names = ("speedup", "total_ms", "baseline_ms", "num_rounds", "num_wasted_draft_tokens")
    length: Quantity = BEST_LENGTH
    first = card(length, table.best, translate, ghost.best if ghost else None, kind="exact")
    return Cards((first, *outcome_cards(best, before, translate, *names)))


def _by_draft_length(table: DraftLengths, translate: Translator) -> Table:
    """The article's second table for the current scenario: one row a draft length."""
    _, lengths, ms = translate, table.num_speculative_tokens, table.total_ms
    gains = marginal_gain_ms(table)
    marks = ["best" if k == table.best else "tie" if k in table.ties else "" for k in lengths]
    words = {"best": _("best"), "tie": _("ties with the best"), "": ""}
    saved = ("–", *(f"{value / 1000:+,.2f}" for value in gains))
    tokens = table.mean_acceptance_length
    wasted = table.num_wasted_draft_tokens
    columns = [
        Column("k", "num_speculative_tokens", lengths, [str(k) for k in lengths]),
        Column(_("tokens per round"), "mean_acceptance_length", tokens, [f"{value:.3f}" for value in tokens]),
        Column(_("rounds"), "num_rounds", table.num_rounds, [f"{value:,.1f}" for value in table.num_rounds]),
        Column(_("time (s)"), "total_ms", ms, [f"{value / 1000:,.2f}" for value in ms]),
        Column(_("time ratio"), "total_ms_ratio", ms / ms[0], [f"{value:.3f}" for value in ms / ms[0]]),
        Column(_("wasted drafts"), "num_wasted_draft_tokens", wasted, [f"{value:,.0f}" for value in wasted]),
        Column(_("saved by this draft (s)"), "saved_by_this_draft_ms", [None, *gains], saved),
        Column(_("verdict"), "verdict", marks, [words[mark] for mark in marks]),
    ]
    return table_of(_("By draft length"), columns)
