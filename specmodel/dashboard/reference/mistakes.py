"""Wrong numbers in the wild: mistakes in the arithmetic of speculation, each with a wrong and a right number.

Both numbers are computed, the right one by what the app answers with, the wrong one by the mistaken formula from the
same example.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from specmodel.base.link import to_query
from specmodel.base.messages import N_
from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.reference import examples
from specmodel.dashboard.reference.examples import ALPHAS, BATCH, BONUS, CAPPED, OTHER_BATCH, RATE, SHORT, Pair
from specmodel.model.outcome import Outcome
from specmodel.model.scenario import Scenario
from specmodel.serving.load_outcome import LoadOutcome


@dataclass(frozen=True)
class Mistake:
    """One mistake: what is done, why it is wrong, both formulas, an example with its numbers, and where to try it.

    `number` is what the two numbers are, `shown` the format they are shown in; `values` fill the example in. `page` and
    `query` are the link that opens the example in the app.
    """

    key: str
    title: str
    done: str
    why: str
    wrong_formula: str
    right_formula: str
    example: str
    values: Mapping[str, Any]
    numbers: Callable[[], Pair]
    number: Quantity
    shown: str
    page: str
    query: Mapping[str, str]

    @property
    def pair(self) -> Pair:
        """Both numbers, computed once.

        >>> round(mistakes()["bonus_token"].pair.right, 3)
        2.401
        """
        return _pair(self.key)

    def show(self, value: float) -> str:
        """One of the numbers as text.

        >>> found = mistakes()["bonus_token"]
        >>> found.show(found.pair.wrong)
        '1.687×'
        """
        text = format(value, self.shown)
        return f"{text}{self.number.unit}" if self.number.unit == "×" else text


@cache
def _pair(key: str) -> Pair:
    return mistakes()[key].numbers()


@cache
def mistakes() -> Mapping[str, Mistake]:
    """Every mistake by its key.

    >>> [f"{each.pair.wrong:.2f} {each.pair.right:.2f}" for each in mistakes().values()][:2]
    ['1.69 2.40', '2.00 2.71']
    """
    return {each.key: each for each in _listed()}


def _listed() -> tuple[Mistake, ...]:
    results, served = declarations(Outcome), declarations(LoadOutcome)
    one = {"alpha": BONUS.alpha, "k": BONUS.num_speculative_tokens, "c": examples.draft_cost_ratio(BONUS)}
    return (
        Mistake(
            "bonus_token",
            N_("The bonus token forgotten"),
            N_("Only accepted drafts are counted as output of a round."),
            N_("The pass that checks the drafts yields a token of the target itself, whether or not drafts are kept."),
            "(τ − 1) ÷ ρ",
            "τ ÷ ρ,   τ = (1 − α^(k+1)) ÷ (1 − α),   ρ = 1 + k·c",
            N_("α = {alpha}, k = {k}, a draft step of {c} plain steps, free verification"),
            one,
            examples.bonus_token,
            results["speedup"],
            ".3f",
            "speedup",
            to_query(BONUS),
        ),
        Mistake(
            "capped",
            N_("Capped at k"),
            N_("The tokens of a round are cut off at the draft length, as if a round could yield k tokens at most."),
            N_("A round in which all k drafts are kept yields k + 1 tokens: the bonus token comes on top."),
            "min(τ, k)",
            "τ = 1 + α + … + α^k,   1 ≤ τ ≤ k + 1",
            N_("α = {alpha}, k = {k}"),
            {"alpha": CAPPED.alpha, "k": CAPPED.num_speculative_tokens},
            examples.capped,
            results["mean_acceptance_length"],
            ".2f",
            "speedup",
            to_query(CAPPED),
        ),
        Mistake(
            "rate_for_alpha",
            N_("Accepted ÷ proposed taken for α"),
            N_("The share of drafts that an engine prints as accepted is put into the formula as α."),
            N_(
                "Drafts behind a rejected one were never tried, and the printed share counts them as rejected. α is "
                "what gives the same tokens per round."
            ),
            "α = (τ − 1) ÷ k",
            "1 + α + … + α^k = τ",
            N_("k = {k}, printed rate {rate}"),
            {"k": RATE.num_speculative_tokens, "rate": f"{examples.rate_for_alpha().wrong:.3f}"},
            examples.rate_for_alpha,
            declarations(Scenario)["alpha"],
            ".3f",
            "speedup",
            to_query(RATE),
        ),
        Mistake(
            "rounds",
            N_("N ÷ τ for the mean rounds"),
            N_("The rounds of an answer are taken to be its tokens ÷ tokens per round."),
            N_(
                "The last round runs past the end and is paid in full. The mean is that of a renewal process; it is "
                "higher, and most so where an answer is short."
            ),
            "N ÷ τ",
            "M(N) = 1 + Σ_t P(T = t) · M(N − t)",
            N_("α = {alpha}, k = {k}, answers of {tokens} tokens"),
            {"alpha": SHORT.alpha, "k": SHORT.num_speculative_tokens, "tokens": SHORT.output_tokens},
            examples.rounds,
            results["num_rounds"],
            ".3f",
            "speedup",
            to_query(SHORT),
        ),
        Mistake(
            "averaged_ratios",
            N_("Averaged ratios"),
            N_("The tokens per round of requests, windows or replicas are averaged."),
            N_(
                "Where requests are slow most rounds are theirs. Add up tokens and rounds first, then divide: for "
                "answers of one length that is the harmonic mean."
            ),
            "Σ τ_i ÷ n",
            "n ÷ Σ 1/τ_i",
            N_("two answers of one length, α = {first} and α = {second}, k = {k}"),
            {"first": ALPHAS[0], "second": ALPHAS[1], "k": RATE.num_speculative_tokens},
            examples.averaged,
            results["mean_acceptance_length"],
            ".2f",
            "engine",
            {},
        ),
        Mistake(
            "free_verification",
            N_("Free verification at batch 64"),
            N_("The formula for one request, in which checking k drafts costs nothing, is used under load."),
            N_(
                "Every request of the batch brings k tokens more into the pass T, and beyond the roofline's turn each "
                "of them takes time."
            ),
            "τ ÷ (1 + k·c)",
            "τ ÷ (T(k + 1) ÷ T(1) + k·c)",
            N_("α = {alpha}, k = {k}, c = {c}, {batch} requests at once; a pass as fitted to Llama-3.1-8B on one H100"),
            one | {"batch": BATCH},
            examples.free_verification,
            served["speedup"],
            ".2f",
            "serving",
            examples.serving_query(BATCH),
        ),
        Mistake(
            "other_batch",
            N_("A plain run at another batch as baseline"),
            N_("A run with speculation is divided by a run without, though they served different numbers of requests."),
            N_(
                "A plain step takes longer with more requests. The ratio then holds the effect of the batch, which "
                "speculation has no part in: compare at like load."
            ),
            "τ · T(1, B = {other}) ÷ (T(k + 1, B = {batch}) + k·c·T(1, B = {batch}))",
            "τ · T(1, B = {batch}) ÷ (T(k + 1, B = {batch}) + k·c·T(1, B = {batch}))",
            N_("speculation at {batch} requests at once, the plain run at {other}; passes as fitted to Llama-3.1-8B"),
            {"batch": OTHER_BATCH, "other": BATCH},
            examples.other_batch,
            served["speedup"],
            ".2f",
            "serving",
            examples.serving_query(OTHER_BATCH),
        ),
    )
