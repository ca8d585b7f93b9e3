"""What the Speedup page says: does speculation pay, where is the break-even, what is wasted."""

from collections.abc import Sequence

from specmodel.dashboard.parts.answer import (
    Answer,
    Cards,
    Chart,
    Column,
    Note,
    Table,
    card,
    headline,
    outcome_cards,
    said,
    table_of,
)
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.dashboard.speedup.linked import linked_measured
from specmodel.dashboard.speedup.measured import MeasuredRun, measured_parts, points
from specmodel.figures.speedup import MeasuredPoint, speedup_figure
from specmodel.figures.time import time_figure, time_per_token_figure
from specmodel.model.draft_lengths import BEST_LENGTH, DraftLengths, covering, draft_lengths, sweep
from specmodel.model.outcome import Outcome, evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.speedup_curve import long_run_speedups, neighbours, speedup_curve

ARTICLE_ALPHAS = (0.2, 0.4, 0.6, 0.8, 0.95)


def answer(chosen: Chosen, translate: Translator, run: MeasuredRun | None = None) -> Answer:
    """The parts of the page; `run` is a measured run that stands beside the model."""
    _, scenario, pinned = translate, chosen.scenario, chosen.pinned
    most = covering(scenario, pinned)
    outcome, lengths = evaluate(scenario), draft_lengths(scenario, most)
    before, lengths_before = (evaluate(pinned), draft_lengths(pinned, most)) if pinned else (None, None)
    ghost = (pinned, before) if pinned and before else None
    return Answer(
        {
            "verdict": said(outcome.verdict, headline(outcome, _), _),
            "numbers": _numbers(outcome, before, lengths, lengths_before, _),
            "note": Note(
                _(
                    "Exact results of the model for the assumed values of the sliders. The band holds 5 to 95 % of "
                    "single answers."
                )
            ),
            "speedup": _speedup(chosen, outcome, before, points(run, _) if run else (), _),
            "time": Chart(
                time_figure(lengths, scenario, _, ghost=lengths_before),
                _("Time of one answer against draft length"),
                _("Time of one answer against draft tokens per round, with the best draft length marked."),
                250,
            ),
            "token": Chart(
                time_per_token_figure(scenario, outcome, _, ghost=ghost),
                _("Where the time of one output token goes"),
                _("Time of one output token split into target pass, accepted drafts, wasted drafts and overhead."),
                185,
            ),
            "by_acceptance": lambda: _by_acceptance(scenario, _),
            **(measured_parts(run, scenario, _) if run else {}),
        },
        leaves_out=(
            _(
                "One acceptance probability for every text, and for every position unless a measurement "
                "brought its own."
            ),
            _("Prefill, queueing and other requests of a batch: this is decoding of one request at a time."),
            _("A drafter that shares memory or compute with the target may slow the target down."),
            _(
                "The article's table found “exactly 1.00” at α = 0.4. That was one draw; the exact ratio "
                "there is 1.013."
            ),
        ),
    )


def linked(chosen: Chosen, translate: Translator) -> Answer:
    """The answer to a link, which holds a bundled run but no file."""
    return answer(chosen, translate, linked_measured(chosen))


def _numbers(
    outcome: Outcome,
    before: Outcome | None,
    lengths: DraftLengths,
    lengths_before: DraftLengths | None,
    translate: Translator,
) -> Cards:
    names = ("speedup", "tpot_ms", "alpha_needed", "wasted_per_token", "wasted_ms_per_token")
    cards = outcome_cards(outcome, before, translate, *names)
    best = card(BEST_LENGTH, lengths.best, translate, lengths_before.best if lengths_before else None, kind="exact")
    return Cards((*cards[:3], best, *cards[3:]))


def _speedup(
    chosen: Chosen, outcome: Outcome, before: Outcome | None, measured: tuple[MeasuredPoint, ...], translate: Translator
) -> Chart:
    """The main figure: speedup (or time ratio) against acceptance, with the break-even and where the scenario is."""
    _, scenario, pinned = translate, chosen.scenario, chosen.pinned
    as_time_ratio = chosen.option("show") == "time_ratio"
    figure = speedup_figure(
        speedup_curve(scenario),
        scenario,
        outcome,
        _,
        thin={k: long_run_speedups(scenario, k) for k in neighbours(scenario)},
        ghost=(speedup_curve(pinned), pinned, before) if pinned and before else None,
        measured=measured,
        as_time_ratio=as_time_ratio,
    )
    title = _("Time ratio against acceptance") if as_time_ratio else _("Speedup against acceptance")
    alt = _("Speedup against acceptance probability, with the break-even point and the current scenario.")
    return Chart(figure, title, alt, 430)


def _by_acceptance(scenario: Scenario, translate: Translator) -> Table:
    """The article's first table, live: its five acceptances and the current one, all else as in the scenario."""
    _ = translate
    swept = sweep(scenario, alpha=sorted({*ARTICLE_ALPHAS, scenario.alpha}))
    rows, name = swept.outcomes, "total_ms"
    spans = [f"{row.total_ms_low / 1000:,.2f} – {row.total_ms_high / 1000:,.2f}" for row in rows]

    def column(header: str, name: str, texts: Sequence[str]) -> Column:
        return Column(header, name, swept.column(name).tolist(), texts)

    columns = [
        column(_("acceptance"), "alpha", [f"{each.alpha:g}" for each in swept.scenarios]),
        column(_("tokens per round"), "mean_acceptance_length", [f"{row.mean_acceptance_length:.3f}" for row in rows]),
        column(_("rounds"), "num_rounds", [f"{row.num_rounds:,.1f}" for row in rows]),
        column(_("time (s)"), name, [f"{row.total_ms / 1000:,.2f}" for row in rows]),
        Column(_("5–95 %"), "", spans),
        column("", "total_ms_low", ()),
        column("", "total_ms_high", ()),
        column(_("time ratio"), "time_ratio", [f"{row.total_ms / row.baseline_ms:.3f}" for row in rows]),
        column(_("wasted drafts"), "num_wasted_draft_tokens", [f"{row.num_wasted_draft_tokens:,.0f}" for row in rows]),
    ]
    return table_of(_("By acceptance"), columns)
