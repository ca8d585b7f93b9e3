"""What the Live text page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.declared import LessonSeed
from specmodel.dashboard.live_text.values import TextLesson
from specmodel.dashboard.session.declaration import (
    Experiment,
    LessonPart,
    Option,
    Options,
    PageDeclaration,
    Panel,
    fields_of,
)
from specmodel.ngram import KINDS, LookupDrafter, NgramModel, build_vocabulary, measure_rounds, speculate, train
from specmodel.ngram.along import expected_acceptance
from specmodel.ngram.continuations import compare_continuations
from specmodel.ngram.corpora import PROMPTS
from specmodel.sampling.draws import chi_square

TEXT_END = 99_999
"""The position in a text at which all of it is shown, whatever its length."""


def _panel(options: Options) -> Panel:
    main = fields_of(TextLesson, "num_speculative_tokens", "temperature", "draft_order", "max_tokens")
    panel = Panel("live_text", (*main, *fields_of(LessonSeed, "lesson_seed")))
    return panel.without("live-lookup", "draft_order") if options["textdraft"] == "lookup" else panel


LESSON = {
    "text": LessonPart(
        3,
        N_("A pass yields the drafts that were right and one token of the target; the rest was for nothing."),
        (
            Experiment(
                N_("A drafter that is the target"),
                N_("A drafter of order 5 is the target itself: every draft is kept, nothing is wasted."),
                {TextLesson: {"draft_order": 5}},
                {"textdraft": "model"},
            ),
            Experiment(
                N_("Twelve drafts in a round"),
                N_("Few more passes are saved, if any, and far more drafts are thrown away."),
                {TextLesson: {"num_speculative_tokens": 12}},
            ),
        ),
    ),
    "same": LessonPart(
        2,
        N_("The words may differ; how often which words come does not."),
        (
            Experiment(
                N_("Temperature 0"),
                N_("Where nothing is random, both texts are the same token for token, whatever the drafter says."),
                {TextLesson: {"temperature": 0}},
            ),
        ),
    ),
    "kinds": LessonPart(
        1,
        N_("Acceptance belongs to two models and a kind of text: measure it where you use it."),
        (
            Experiment(
                N_("Copy instead of guess"),
                N_(
                    "Prompt lookup costs no model, and on these texts far fewer of its drafts are kept: it helps "
                    "where a text repeats itself."
                ),
                {TextLesson: {"temperature": 1}},
                {"textdraft": "lookup"},
            ),
        ),
    ),
    "positions": LessonPart(
        1,
        N_("Later drafts are looked at less often, since all before them have to be right."),
        (
            Experiment(
                N_("A drafter of order 1"),
                N_("It knows only how frequent tokens are: few drafts are kept, later ones are rarely reached."),
                {TextLesson: {"draft_order": 1, "temperature": 1}},
                {"textdraft": "model"},
            ),
        ),
    ),
}

DECLARED = PageDeclaration(
    key="live_text",
    title=N_("Live text"),
    section=N_("Learn"),
    order=90,
    question=N_("What does it do to real text?"),
    panel=_panel,
    options=(
        Option("textkind", "english", tuple(KINDS)),
        Option("textdraft", "model", ("model", "lookup")),
        Option("textprompt", "0", (*map(str, range(PROMPTS)), "own")),
        Option("textat", TEXT_END, range(TEXT_END + 1)),
        Option("textwaste", "1", ("0", "1")),
    ),
    groups=lambda options: (TextLesson(),),
    explains=(
        speculate,
        measure_rounds,
        expected_acceptance,
        compare_continuations,
        chi_square,
        LookupDrafter,
        NgramModel,
        train,
        build_vocabulary,
    ),
    lesson=LESSON,
)
