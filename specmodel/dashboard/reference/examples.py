"""The examples of wrong numbers: what the app answers, and what the mistaken formula makes of the same example."""

from collections.abc import Mapping
from dataclasses import dataclass

from specmodel.base.link import to_query
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import group_row
from specmodel.engine.mix import mix
from specmodel.measured.definitions import translate_rate
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.model.mean_rounds import mean_rounds
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Drafter, Load
from specmodel.serving.passes import AffinePass
from specmodel.serving.served_model import Serving


@dataclass(frozen=True)
class Pair:
    """The number that the mistake gives, and the right one."""

    wrong: float
    right: float


BONUS = Scenario(alpha=0.8, num_speculative_tokens=4, target_ms=10, draft_ms=1)
CAPPED = BONUS.replace(alpha=0.9, num_speculative_tokens=2)
RATE = BONUS.replace(num_speculative_tokens=5)
SHORT = BONUS.replace(alpha=0.9, num_speculative_tokens=8, output_tokens=20)
ALPHAS = (0.9, 0.3)
"""The acceptance of two requests of the same length, of which ratios are averaged."""
SERVED = Serving(AffinePass(), alpha=0.8, draft=DraftCost(ratio=0.1))
"""The published fit of Llama-3.1-8B on one H100 (SpecDecode-Bench), with a drafter of a tenth of its cost."""
BATCH, OTHER_BATCH, CONTEXT = 64, 8, 2048


def draft_cost_ratio(scenario: Scenario) -> float:
    """A draft step in plain steps."""
    return scenario.draft_ms / scenario.target_ms


def bonus_token() -> Pair:
    """Speedup without and with the token that the target adds to each round."""
    found = evaluate(BONUS)
    return Pair((found.mean_acceptance_length - 1) / found.cost_ratio, found.speedup)


def capped() -> Pair:
    """Tokens per round cut off at k, and as they are."""
    tau = evaluate(CAPPED).mean_acceptance_length
    return Pair(min(tau, float(CAPPED.num_speculative_tokens)), tau)


def rate_for_alpha() -> Pair:
    """Accepted ÷ drafted of one α, and that α, found from the tokens per round that the rate means."""
    k = RATE.num_speculative_tokens
    rate = Acceptance.iid(RATE.alpha, k).draft_acceptance_rate or 0.0
    return Pair(rate, translate_rate("accepted_per_drafted", rate, k).alpha)


def rounds() -> Pair:
    """Output length ÷ tokens per round, and the exact mean of the rounds."""
    acceptance = Acceptance.iid(SHORT.alpha, SHORT.num_speculative_tokens)
    return Pair(SHORT.output_tokens / acceptance.mean_acceptance_length, mean_rounds(acceptance, SHORT.output_tokens))


def averaged() -> Pair:
    """Tokens per round of two answers averaged, and all their tokens ÷ all their rounds."""
    taus = [Acceptance.iid(alpha, RATE.num_speculative_tokens).mean_acceptance_length for alpha in ALPHAS]
    rows = [group_row(EngineCase(SpecStats("example", "request", printed_length=tau))) for tau in taus]
    return Pair(sum(taus) / len(taus), mix(rows).tokens_per_step or 0.0)


def free_verification() -> Pair:
    """Speedup at a batch if checking drafts cost nothing, and with what the pass costs there."""
    k = BONUS.num_speculative_tokens
    free = float(SERVED.tau(k)) / (1 + k * draft_cost_ratio(BONUS))
    return Pair(free, float(SERVED.speedup(k, BATCH, CONTEXT)))


def other_batch() -> Pair:
    """Speedup against a plain run at another batch, and against one at the same."""
    k = BONUS.num_speculative_tokens
    right = float(SERVED.speedup(k, OTHER_BATCH, CONTEXT))
    here, elsewhere = (float(SERVED.pass_ms(1.0, batch, CONTEXT)) for batch in (OTHER_BATCH, BATCH))
    return Pair(right * elsewhere / here, right)


def serving_query(batch: int) -> Mapping[str, str]:
    """The link of the served example at a batch."""
    scenario = Scenario(alpha=SERVED.alpha, num_speculative_tokens=BONUS.num_speculative_tokens)
    load = to_query(Load(batch_size=batch, context_tokens=CONTEXT))
    drafter = to_query(Drafter(draft_cost_ratio=draft_cost_ratio(BONUS)), Drafter())
    return {"cost": "fit", **to_query(scenario), **load, **drafter}
