"""What the Exactness page declares of itself."""

from collections.abc import Mapping

from specmodel.base.messages import N_
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.session.declaration import (
    Experiment,
    LessonPart,
    Option,
    Options,
    PageDeclaration,
    Panel,
    fields_of,
)
from specmodel.model.independent_drafts import recursive_rejection_acceptance
from specmodel.ngram import KINDS
from specmodel.ngram.corpora import PROMPTS
from specmodel.sampling.blocks import BlockModels
from specmodel.sampling.breaks import rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling.draws import chi_square
from specmodel.sampling.temperature import acceptance_by_temperature, toy_logits
from specmodel.sampling.verify import residual, verify

_MADE_UP: Mapping[str, str | int] = {"dists": "sliders"}


def _panel(options: Options) -> Panel:
    main = fields_of(ExactnessLesson, "skill", "target_temperature", "draft_temperature", "vocabulary_size", "seed")
    more = ("unknown_tokens", "top_k", "top_p", "lenience", "told_temperature", "typical_threshold", "draws")
    panel = Panel("exactness", main, fields_of(ExactnessLesson, *more), N_("More to change"))
    made_up = options["dists"] == "sliders"
    return panel if made_up else panel.without("exactness-given", "skill", "vocabulary_size")


LESSON = {
    "one": LessonPart(
        2,
        N_("What counts is how much of the two distributions overlaps: that part of the drafts is kept."),
        (
            Experiment(
                N_("An unrelated drafter"),
                N_(
                    "More is rejected, less is kept. The target's bars have not moved, and the next part shows "
                    "that what comes out has not either."
                ),
                {ExactnessLesson: {"skill": 0}},
                needs=_MADE_UP,
            ),
            Experiment(
                N_("A drafter that is the target"),
                N_("At the same temperature both distributions are the same, and every draft is kept."),
                {ExactnessLesson: {"skill": 1, "target_temperature": 1, "draft_temperature": 1}},
                needs=_MADE_UP,
            ),
        ),
    ),
    "output": LessonPart(
        2,
        N_("Rejected drafts are replaced from exactly what is missing: the output is the target's."),
        (
            Experiment(
                N_("A bad, unsure drafter"),
                N_("Less green, more violet: recovered tokens fill exactly what is missing, up to the same rings."),
                {ExactnessLesson: {"skill": 0, "draft_temperature": 2}},
                needs=_MADE_UP,
            ),
            Experiment(
                N_("Only 100 draws"),
                N_(
                    "The crosses leave the rings, by chance alone: the chi-square test below says how often chance "
                    "does at least that."
                ),
                {ExactnessLesson: {"draws": 100}},
            ),
        ),
    ),
    "rules": LessonPart(
        2,
        N_("Several rules lose nothing. They differ in how many drafts they keep."),
        (
            Experiment(
                N_("The drafter knows every token"),
                N_("Rejection sampling, the union and TLI are now the same rule."),
                {ExactnessLesson: {"unknown_tokens": 0}},
            ),
        ),
    ),
    "temperature": LessonPart(
        1,
        N_("How many drafts are kept depends on temperature and rule; whose text it is does not."),
        (
            Experiment(
                N_("A drafter that is the target"),
                N_(
                    "Rejection sampling keeps every draft at every temperature. Exact match does so only at 0: two "
                    "samples of the same model need not be the same token."
                ),
                {ExactnessLesson: {"skill": 1, "top_k": 0, "top_p": 1}},
                needs=_MADE_UP,
            ),
            Experiment(
                N_("Top k = 1"),
                N_(
                    "With one token left to each model sampling is greedy at every temperature: flat lines, "
                    "at 0 or at 100 %."
                ),
                {ExactnessLesson: {"top_k": 1}},
            ),
        ),
    ),
    "breaks": LessonPart(
        2,
        N_("Whatever keeps more than the overlap is not exact; the distance says how far off it is."),
        (
            Experiment(
                N_("Tell the test the right temperature"),
                N_("The second row is now the first: the test is exact as soon as it is told the truth."),
                {ExactnessLesson: {"told_temperature": 1}},
            ),
            Experiment(
                N_("Lenience 1"),
                N_("Lenience 1 is rejection sampling: the third row is the first, and nothing is off."),
                {ExactnessLesson: {"lenience": 1}},
            ),
            Experiment(
                N_("Lenience 0.2"),
                N_("More is kept, and the output is further off, by exactly as much as acceptance was gained."),
                {ExactnessLesson: {"lenience": 0.2}},
            ),
        ),
    ),
    "blocks": LessonPart(
        1,
        N_("Looking at more than one draft at once can keep more of them, and the text stays the target's."),
        (
            Experiment(
                N_("Another pair of models"),
                N_("Other numbers; but as a block never fewer drafts are kept, and both texts stay exact."),
                {ExactnessLesson: {"seed": 7}},
            ),
        ),
    ),
}

DECLARED = PageDeclaration(
    key="exactness",
    title=N_("Exactness"),
    section=N_("Learn"),
    order=80,
    question=N_("Why is the output still the target model's?"),
    panel=_panel,
    options=(
        Option("dists", "sliders", ("sliders", "edit", "text")),
        Option("probs", "6_4,3_3,1_3", None),
        Option("distkind", "english", tuple(KINDS)),
        Option("distprompt", "0", tuple(map(str, range(PROMPTS)))),
    ),
    groups=lambda options: (ExactnessLesson(),),
    explains=(
        verify,
        residual,
        chi_square,
        acceptance_by_temperature,
        wrong_draft_output,
        typical_acceptance,
        rounding,
        BlockModels.by_token,
        BlockModels.by_block,
        recursive_rejection_acceptance,
        toy_logits,
    ),
    lesson=LESSON,
)
