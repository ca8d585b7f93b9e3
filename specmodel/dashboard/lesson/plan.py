"""What a class does with each part of the Learn pages: about how long, and what to try.

Every claim of `look` is tested against what its page computes (tests/dashboard/test_lesson_plan.py).
"""

from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.experiments import Experiment, Part
from specmodel.dashboard.lesson.values import DriftLesson, ExactnessLesson, TextLesson
from specmodel.drift.adaptation import Adaptation
from specmodel.model.scenario import Scenario

LESSONS = ("one_round", "exactness", "live_text", "drift")
"""The Learn pages in the order of a lesson of half an hour."""

_ONE_ALPHA: Mapping[str, Any] = {"acceptance_shape": (), "vocabulary_overlap": 1}
_SLOW_DRAFTER: Mapping[str, Any] = {
    "num_speculative_tokens": 5,
    "target_ms": 22,
    "draft_ms": 9,
    "verify_ms_per_token": 0,
    "overhead_ms": 0,
}
_MADE_UP: Mapping[str, str | int] = {"dists": "sliders"}

PLAN: Mapping[str, Mapping[str, Part]] = {
    "one_round": {
        "play": Part(2),
        "kept": Part(
            2,
            (
                Experiment(
                    N_("Twice as many drafts"),
                    N_(
                        "Five drafts keep 1.38 on average, ten keep 1.49: position i only counts with chance 0.6^i, so "
                        "nearly all the added drafts are thrown away."
                    ),
                    {Scenario: {"alpha": 0.6, "num_speculative_tokens": 10, **_ONE_ALPHA}},
                ),
                Experiment(
                    N_("A better drafter"),
                    N_("With α = 0.9 five drafts keep 3.69 on average, and one bar stands out: all of them."),
                    {Scenario: {"alpha": 0.9, "num_speculative_tokens": 5, **_ONE_ALPHA}},
                ),
            ),
        ),
        "whole": Part(
            1,
            (
                Experiment(
                    N_("How sure is sure enough?"),
                    N_(
                        "To keep all five in every other round, each has to be right 87 times in 100: 0.87 multiplied "
                        "by itself five times is 0.498."
                    ),
                    {Scenario: {"alpha": 0.87, "num_speculative_tokens": 5, **_ONE_ALPHA}},
                ),
            ),
        ),
        "symbols": Part(1),
    },
    "exactness": {
        "one": Part(
            2,
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
        "output": Part(
            2,
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
        "rules": Part(
            2,
            (
                Experiment(
                    N_("The drafter knows every token"),
                    N_("Rejection sampling, the union and TLI are now the same rule."),
                    {ExactnessLesson: {"unknown_tokens": 0}},
                ),
            ),
        ),
        "temperature": Part(
            1,
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
        "breaks": Part(
            2,
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
        "blocks": Part(
            1,
            (
                Experiment(
                    N_("Another pair of models"),
                    N_("Other numbers; but as a block never fewer drafts are kept, and both texts stay exact."),
                    {ExactnessLesson: {"seed": 7}},
                ),
            ),
        ),
    },
    "live_text": {
        "text": Part(
            3,
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
        "same": Part(
            2,
            (
                Experiment(
                    N_("Temperature 0"),
                    N_("Where nothing is random, both texts are the same token for token, whatever the drafter says."),
                    {TextLesson: {"temperature": 0}},
                ),
            ),
        ),
        "kinds": Part(
            1,
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
        "positions": Part(
            1,
            (
                Experiment(
                    N_("A drafter of order 1"),
                    N_("It knows only how frequent tokens are: few drafts are kept, later ones are rarely reached."),
                    {TextLesson: {"draft_order": 1, "temperature": 1}},
                    {"textdraft": "model"},
                ),
            ),
        ),
    },
    "drift": {
        "workload": Part(
            2,
            (
                Experiment(
                    N_("A sudden shift"),
                    N_(
                        "From code to role play and back: the acceptance falls at once, and the draft length of the "
                        "rule follows it."
                    ),
                    {},
                    {"workload": "shift"},
                ),
                Experiment(
                    N_("Requests that differ more"),
                    N_("The dots spread: one draft length for all of a phase fits fewer of its requests."),
                    {DriftLesson: {"spread": 0.25}},
                ),
            ),
        ),
        "boundary": Part(
            2,
            (
                Experiment(
                    N_("A slower drafter"),
                    N_(
                        "At 9 ms a draft, 22 ms a step and k = 5 a round costs what 3.05 plain steps do, which takes "
                        "an acceptance of 0.716: three of the five phases of the day now lose."
                    ),
                    {Scenario: _SLOW_DRAFTER},
                    {"workload": "day"},
                ),
            ),
        ),
        "rules": Part(
            1,
            (
                Experiment(
                    N_("Every change costs 20 ms"),
                    N_("A fixed length changes nothing and loses nothing; a rule pays as often as it changes."),
                    {DriftLesson: {"switching_ms": 20}},
                ),
            ),
        ),
        "phases": Part(
            1,
            (
                Experiment(
                    N_("A slower drafter, a sudden shift"),
                    N_(
                        "At 9 ms a draft the fixed length is slower than plain decoding in “Role play”; the rule that "
                        "drafts for most tokens per time is not."
                    ),
                    {Scenario: _SLOW_DRAFTER},
                    {"workload": "shift"},
                ),
            ),
        ),
        "learning": Part(
            1,
            (
                Experiment(
                    N_("Training takes 30 % of the time"),
                    N_("Learning now costs more than it gains: the gain is below 1×."),
                    {Adaptation: {"training_share": 0.3}},
                ),
                Experiment(
                    N_("A draft that learns ten times as fast"),
                    N_("The acceptance reaches its ceiling soon after each change, and learning gains more."),
                    {Adaptation: {"learning_rate": 0.02}},
                ),
            ),
        ),
    },
}
"""Page -> part -> what a class does with it."""
