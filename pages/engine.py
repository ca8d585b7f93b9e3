"""Should speculation be on in your engine? From what it prints to what to set."""

from specmodel.base.messages import N_
from specmodel.dashboard.engine.beside import typed_beside
from specmodel.dashboard.engine.input import engine_input
from specmodel.dashboard.engine.live import live_section
from specmodel.dashboard.engine.sections import (
    about_section,
    figures,
    given,
    groups_section,
    known_acceptance,
    leads_section,
    lengths_section,
    notes_section,
    rates_section,
    settings_section,
    time_section,
)
from specmodel.dashboard.engine.to_set import answer, send
from specmodel.dashboard.engine.words import advice, engine_cards, engine_headline, kind_of_numbers
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import first_rejected, group_row, mix
from specmodel.engine.lengths import best_choice, length_choices, setting_choices, settings
from specmodel.engine.speed import speedup_ceiling
from specmodel.engine.verdict import engine_verdict
from specmodel.measured.acceptance import measured_acceptance
from specmodel.measured.definitions import translate_rate

page = Page("engine", N_("Should speculation be on in your engine?"))
_ = page.translate
run = engine_input(page)
if run is None:
    page.say(_("Give a file, paste a log, or type a rate: the answer then stands here."))
else:
    about_section(page, run)
    case = typed_beside(page, run)
    given(page, run, case)
    known, wrong = known_acceptance(case)
    found = settings(run.stats, case.plain_ms)
    choices = setting_choices(found, run.stats.batch_size) or (length_choices(case) if known else ())
    best = best_choice(choices)
    if wrong and case.decode_speedup is None:
        page.say(escaped(_.message(wrong.message)))
    else:
        verdict = engine_verdict(case)
        page.verdict(verdict, engine_headline(case, verdict, _))
        page.measured_cards(engine_cards(case, known, choices, _))
        page.note(_.sentences(kind_of_numbers(case, _), advice(case, choices, _)))
    notes_section(page, run)
    figures(page, case, known, choices, best)
    live_section(page)
    groups_section(page, run, run.group_cases(case.k_typed, case.plain_ms_typed), run.shares)
    if len(found) > 1:
        settings_section(page, found)
    answer(page, case, known, choices, found)
    send(page, case)
    leads_section(page, run)
    time_section(page, case)
    lengths_section(page, choices)
    rates_section(page, case, known)
page.why(
    [
        _("One run of one kind of work: another mix, batch, context or temperature has another acceptance."),
        _("Where requests were not timed one by one, times are taken as exact; those of other lengths always are."),
        _("Decode speedup leaves prefill out, which speculation does not shorten."),
    ],
    measured_acceptance,
    length_choices,
    EngineCase,
    group_row,
    first_rejected,
    mix,
    speedup_ceiling,
    translate_rate,
)
page.finish()
