"""What the engine page says of a measured run: does speculation pay there, with which draft length, what to paste."""

from collections.abc import Mapping
from dataclasses import replace

from specmodel.dashboard.engine.about import about_parts, asked, facts
from specmodel.dashboard.engine.cards import engine_cards
from specmodel.dashboard.engine.figures import acceptance_parts, length_parts, time_parts
from specmodel.dashboard.engine.groups import group_parts, setting_parts
from specmodel.dashboard.engine.how_long_part import how_long_parts
from specmodel.dashboard.engine.implied_part import implied_part
from specmodel.dashboard.engine.lately_part import lately_parts
from specmodel.dashboard.engine.linked import read_run
from specmodel.dashboard.engine.over_time import over_time_parts
from specmodel.dashboard.engine.pasted import what_to_set
from specmodel.dashboard.engine.said import engine_said
from specmodel.dashboard.engine.sweep_parts import sweep_parts
from specmodel.dashboard.engine.tables import lengths_table, rates_table
from specmodel.dashboard.engine.two_runs_part import two_runs_parts
from specmodel.dashboard.engine.typed import answer_on
from specmodel.dashboard.engine.watched import what_to_watch
from specmodel.dashboard.engine.words import advice, capitalised, kind_of_numbers
from specmodel.dashboard.parts.answer import Answer, Cards, Heading, Note, Notice, Part, Said, Text
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.as_scenario import engine_scenario
from specmodel.logs.prometheus import LiveSeries
from specmodel.measured.definitions import Rates, one_alpha


def answer(
    chosen: Chosen,
    translate: Translator,
    measured: EngineAnswer | None,
    live: LiveSeries | None = None,
    lately: EngineAnswer | None = None,
) -> Answer:
    """The parts of the page; `measured` is None while nothing was given, `live` are curves of a running server, and
    `lately` is the answer on its last minutes."""
    _ = translate
    limits = (
        _("One run of one kind of work: another mix, batch, context or temperature has another acceptance."),
        _("Where requests were not timed one by one, times are taken as exact; those of other lengths always are."),
        _("Decode speedup leaves prefill out, which speculation does not shorten."),
    )
    if measured is None:
        nothing = Said("says", _("Give a file, paste a log, or type a rate: the answer then stands here."))
        return Answer({"verdict": nothing}, limits)
    return Answer(
        {
            **about_parts(measured.run, _),
            **lately_parts(measured, lately, live, _),
            **_verdict(measured, _),
            **how_long_parts(chosen, measured, _),
            **two_runs_parts(chosen, measured, _),
            "implied": implied_part(chosen, measured, _),
            **acceptance_parts(measured, _),
            **length_parts(measured, _),
            **(over_time_parts(live, measured, _) if live is not None else {}),
            **group_parts(chosen, measured, _),
            **sweep_parts(measured, _),
            **setting_parts(measured, _),
            **what_to_set(chosen, measured, _),
            **what_to_watch(chosen, measured, _),
            "send_note": _what_goes_along(chosen, measured, _),
            **_symptoms(measured, _),
            **time_parts(measured, _),
            "lengths_table": lengths_table(measured.lengths, measured.case.times_vary, _) if measured.lengths else None,
            **_rates(measured, _),
        },
        limits,
        facts(measured, _),
        asked(measured, _),
        main="lengths",
    )


def linked(chosen: Chosen, translate: Translator) -> Answer:
    """The answer to a link, with what of it could not be read."""
    run, wrong = read_run(chosen)
    found = answer(chosen, translate, answer_on(chosen, run) if run is not None else None)
    why = "\n\n".join(escaped(translate.message(each)) for each in wrong)
    return replace(found, parts={"unread": Notice("error", why) if why else None, **found.parts})


def _verdict(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    _ = translate
    cards = tuple(engine_cards(measured, _))
    if measured.missing and measured.verdict.reason == measured.missing:
        return {"verdict": Said("says", escaped(_.message(measured.missing)))}
    missing = [capitalised(escaped(_.message(measured.missing)))] if measured.missing else []
    return {
        "verdict": engine_said(measured, _),
        "numbers": Cards(cards) if cards else None,
        "kind": Note(_.sentences(kind_of_numbers(measured.case, _), *missing, advice(measured, _))),
    }


def _what_goes_along(chosen: Chosen, measured: EngineAnswer, translate: Translator) -> Note | None:
    """What the Explore pages are told of this engine; None where it has no scenario."""
    _, case = translate, measured.case
    if engine_scenario(case, chosen.scenario) is None:
        return None
    if case.rho is None:
        return Note(_("Acceptance by position and draft length go along; the times stay those of the sliders."))
    if case.share_with_draft < 0.995:
        return Note(
            _("Acceptance and times go along; steps without a draft count there as rounds that accept nothing.")
        )
    return Note(_("Acceptance by position, draft length and times go along, also in the link."))


def _symptoms(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """Patterns that something may be wrong."""
    _ = translate
    if not measured.symptoms:
        return {}
    lines = []
    for symptom in measured.symptoms:
        seen = _("Seen at: {places}.").format(places=symptom.seen_at) if symptom.seen_at else ""
        text = _.sentences(_.message(symptom.cause), seen)
        lines.append(f"- **{escaped(_.message(symptom.evidence))}** {escaped(text)}")
    return {
        "symptoms_heading": Heading(_("Worth a look")),
        "symptoms_note": Note(_("Leads, not diagnoses: what these counters have meant elsewhere.")),
        **{f"symptom_{number}": Text(line) for number, line in enumerate(lines)},
    }


def _rates(measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """The same acceptance in every definition, and what this engine calls it."""
    if measured.acceptance is None:
        return {}
    _, acceptance = translate, measured.acceptance.acceptance
    tau, k = acceptance.mean_acceptance_length, acceptance.num_speculative_tokens
    rates = Rates(k, acceptance, one_alpha(min(tau, k + 1), k), not measured.acceptance.by_position)
    text = _("For rounds that draft {k}. One α that gives the same tokens per round: {alpha:.3f}.")
    return {
        "rates": rates_table(rates, measured.stats, _),
        "rates_note": Note(text.format(k=k, alpha=rates.alpha)),
    }
