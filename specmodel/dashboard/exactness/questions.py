"""The questions of the Exactness page."""

from specmodel.dashboard.exactness.pair import Pair
from specmodel.dashboard.lesson.steps import Question
from specmodel.dashboard.session.translation import Translator
from specmodel.sampling.verify import acceptance


def how_many_kept(pair: Pair, translate: Translator) -> Question:
    """Of 100 draft tokens, how many are kept?"""
    _ = translate
    return Question(
        _("Of 100 draft tokens, how many does the target keep?"),
        0, 100, 1, round(100 * pair.test.acceptance, 1),
        _("It is the overlap of the two distributions: the sum of the smaller of both bars over all tokens."),
        format=".0f",
        given=("pair",),
    )  # fmt: skip


def how_many_match(pair: Pair, translate: Translator) -> Question:
    """And how many, if only equal tokens are kept?"""
    _ = translate
    return Question(
        _(
            "Now the target draws its own token, and a draft is kept only if it is the same one (as llama.cpp "
            "does). How many of 100 are kept?"
        ),
        0, 100, 1, round(100 * acceptance(pair.target_probs, pair.draft_probs, "exact_match"), 1),
        _(
            "Both draw by themselves and have to meet: Σ target · drafter. The text is just as exact, the "
            "acceptance never higher."
        ),
        format=".0f",
    )  # fmt: skip


def how_far_off(pair: Pair, lenience: float, translate: Translator) -> Question:
    """How far is the output from the target with the lenient rule?"""
    _ = translate
    text = _("With lenience {l:.2f} more drafts are kept. How far is the output from the target then, in %?")
    return Question(
        text.format(l=lenience),
        0, 60, 1, round(100 * pair.leniently(lenience).total_variation, 1),
        _(
            "Exactly as far as acceptance was gained: what is kept beyond the overlap is kept where the target has "
            "less."
        ),
        unit="%",
        format=".1f",
    )  # fmt: skip
