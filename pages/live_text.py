"""What does it do to real text? Speculation between two real, small language models, draft by draft."""

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.old_lesson import lesson
from specmodel.dashboard.live_text.input import text_input
from specmodel.dashboard.live_text.sections import LiveText
from specmodel.dashboard.parts.old_page import Page
from specmodel.ngram import LookupDrafter, NgramModel, build_vocabulary, measure_rounds, speculate, train
from specmodel.ngram.along import expected_acceptance
from specmodel.ngram.continuations import compare_continuations
from specmodel.sampling.draws import chi_square

page = Page("live_text", N_("What does it do to real text?"))
_ = page.translate
shown = LiveText(page, text_input(page))
lesson(page, shown.steps(), shown.opening)
page.rests_on(shown.facts())
page.why(
    [
        _("n-gram models look back four tokens; large models look back over everything, and their drafters too."),
        _("Acceptance here is that of these models and texts; what real pairs reach stands on the Methods page."),
        _("Passes are counted, not timed: with models this small a pass costs nothing worth saving."),
    ],
    speculate,
    measure_rounds,
    expected_acceptance,
    compare_continuations,
    chi_square,
    LookupDrafter,
    NgramModel,
    train,
    build_vocabulary,
)
page.finish()
