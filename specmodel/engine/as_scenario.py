"""The scenario that stands for a measured engine, so that the Explore pages start from it."""

from specmodel.base.messages import SpecmodelError
from specmodel.engine.case import EngineCase
from specmodel.measured.request_spread import request_spread
from specmodel.model.scenario import Scenario
from specmodel.model.step_cost import one_round


def engine_scenario(case: EngineCase, current: Scenario) -> Scenario | None:
    """Measured acceptance by position, draft length and costs, in place of the current ones; None if they do not fit.

    alpha is the acceptance at position 1, the later positions keep their measured factors. Steps without a draft become
    rounds that accept nothing, so that tokens per step and speed are those measured. With the times of drafting
    and verification these are taken; with only the time of a round, half of what it costs beyond a plain step is
    charged to the drafts and half is a fixed cost of speculation, the middle of what one round leaves open
    (`specmodel.model.step_cost`). Without times the current ones stay.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> stats = SpecStats("a", "b", num_rounds=100, accepted_per_position=(80, 40), step_ms=14.0)
    >>> found = engine_scenario(EngineCase(stats, plain_ms_typed=10.0), Scenario())
    >>> found.alpha, found.acceptance_shape, found.target_ms, found.draft_ms
    (0.8, (0.625,), 10.0, 1.0)
    """
    try:
        acceptance = case.acceptance.acceptance
        first, *later = acceptance.conditional_acceptance
        first *= case.share_with_draft
        shape = tuple(round(a / first, 6) if first and a == a else 0.0 for a in later)
        return current.replace(
            alpha=round(first, 6),
            acceptance_shape=() if not first or all(factor == 1 for factor in shape) else shape,
            num_speculative_tokens=acceptance.num_speculative_tokens,
            vocabulary_overlap=1,
            prompt_spread=round(min(request_spread(case.stats) or 0.0, 0.5), 4),
            **_costs(case, acceptance.num_speculative_tokens),
        )
    except SpecmodelError:
        return None


def _costs(case: EngineCase, k: int) -> dict[str, float]:
    plain, whole = case.plain_ms, case.round_ms
    if plain is None or whole is None:
        return {}
    draft, verify = case.stats.draft_ms, case.stats.verify_ms
    if draft is None or verify is None or case.round_ms_typed is not None:
        cost = one_round(k, max(whole / plain, 1.0))
        return {
            "target_ms": round(plain, 4),
            "draft_ms": round(cost.per_draft * plain, 4),
            "verify_ms_per_token": 0,
            "overhead_ms": round(cost.fixed * plain, 4),
        }
    drafting = draft * case.share_with_draft
    return {
        "target_ms": round(plain, 4),
        "draft_ms": round(drafting / k, 4),
        "verify_ms_per_token": round(max(verify - plain, 0) / k, 4),
        "overhead_ms": round(max(whole - drafting - max(verify, plain), 0), 4),
    }
