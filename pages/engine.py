"""Should speculation be on in your engine? From what it prints to what to set."""

from specmodel import engine
from specmodel.base.messages import N_
from specmodel.dashboard.engine.beside import typed_beside
from specmodel.dashboard.engine.input import engine_input
from specmodel.dashboard.engine.live import live_section
from specmodel.dashboard.engine.sections import (
    about_section,
    figures,
    given,
    groups_section,
    lengths_section,
    notes_section,
    rates_section,
    settings_section,
    symptoms_section,
    time_section,
    typed_shares,
)
from specmodel.dashboard.engine.to_set import answer, send
from specmodel.dashboard.engine.words import advice, engine_cards, engine_headline, kind_of_numbers
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import first_rejected, group_row, mix
from specmodel.engine.lengths import length_choices
from specmodel.engine.speed import speedup_ceiling
from specmodel.measured.acceptance import measured_acceptance
from specmodel.measured.definitions import translate_rate

page = Page("engine", N_("Should speculation be on in your engine?"))
_ = page.translate
run = engine_input(page)
if run is None:
    page.say(_("Give a file, paste a log, or type a rate: the answer then stands here."))
else:
    about_section(page, run)
    k, plain_ms, round_ms = typed_beside(page, run)
    found = engine.answer(run, None, plain_ms, round_ms, k, typed_shares(len(run.groups)))
    given(page, run, found.case)
    if found.missing and found.speedup is None:
        page.say(escaped(_.message(found.missing)))
    else:
        page.verdict(found.verdict, engine_headline(found.case, found.verdict, _))
        page.measured_cards(engine_cards(found.case, found.acceptance, found.lengths, _))
        page.note(_.sentences(kind_of_numbers(found.case, _), advice(found.case, found.lengths, _)))
    notes_section(page, run)
    figures(page, found.case, found.acceptance, found.lengths, found.best)
    live_section(page)
    groups_section(page, found.groups, found.mix)
    if len(found.sweep) > 1:
        settings_section(page, found.sweep)
    answer(page, found.to_paste)
    send(page, found.case)
    symptoms_section(page, found.symptoms)
    time_section(page, found.case)
    lengths_section(page, found.lengths)
    rates_section(page, found.case, found.acceptance)
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
