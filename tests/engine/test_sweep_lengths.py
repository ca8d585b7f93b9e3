# mypy: disable-error-code="arg-type, misc, operator, union-attr"
"""A sweep of draft lengths: what was measured, what lies between, and how sure one can be of the fastest."""

import numpy as np
import pytest

from specmodel.engine.answer import answer
from specmodel.engine.lengths import best_choice
from specmodel.engine.sweep import settings
from specmodel.engine.sweep_lengths import fitted_cost, setting_choices
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.acceptance import Acceptance
from specmodel.model.step_cost import StepCost

PLAIN_MS, ALPHA = 10.0, 0.75
COST = StepCost(0.15, 0.06)


def sweep(drafts, noise=0.0, repeats=1, seed=0):
    rng, parts = np.random.default_rng(seed), []
    for _ in range(repeats):
        for k in (0, *drafts):
            ms = PLAIN_MS * float(COST.at(k)) * rng.lognormal(0, noise)
            tau = Acceptance.iid(ALPHA, k).mean_acceptance_length if k else None
            parts.append(SpecStats("a", "b", speculation=bool(k), num_speculative_tokens=k or None, batch_size=4.0,
                                   printed_length=tau, step_ms=ms, label=f"k={k}"))  # fmt: skip
    return parts[1].replace(parts=tuple(parts), parts_are_settings=True)


def true_speedup(k):
    return Acceptance.iid(ALPHA, k).mean_acceptance_length / float(COST.at(k))


def test_the_cost_of_a_round_is_fitted_over_the_measured_lengths():
    rows = {each.num_speculative_tokens: each for each in settings(sweep([1, 3, 6]))}
    cost = fitted_cost(rows)
    assert (cost.fixed, cost.per_draft) == pytest.approx((0.15, 0.06), abs=1e-6)
    assert fitted_cost({k: rows[k] for k in (0, 3)}) is None


def test_lengths_between_and_beyond_are_predicted_and_never_chosen():
    found = {each.num_speculative_tokens: each for each in setting_choices(settings(sweep([1, 3, 6])), 4.0)}
    assert [k for k, each in found.items() if each.measured] == [0, 1, 3, 6]
    assert [k for k, each in found.items() if each.extrapolated] == [7, 8]
    for k, each in found.items():
        if k and not each.measured:
            assert each.speedup.low < true_speedup(k) < each.speedup.high
            assert each.speedup.value == pytest.approx(true_speedup(k), rel=0.08)  # one rate: positions are open
    assert best_choice(list(found.values())).num_speculative_tokens in (3, 6)
    assert sum(each.chance_best for each in found.values()) == pytest.approx(1)


def test_a_sweep_that_ran_once_calls_no_close_length_sure():
    """Settings a few per cent apart and times good to 5 %: the fastest is one of several."""
    for seed in range(20):
        found = setting_choices(settings(sweep([2, 3, 4, 5], noise=0.04, seed=seed)), 4.0)
        best = best_choice(found)
        assert best.chance_best < 0.9
        assert {best.num_speculative_tokens, *(each.num_speculative_tokens for each in found if each.ties)} >= {4, 5}


def test_repeats_make_it_as_sure_as_they_agree():
    once, alike, apart = (
        next(each for each in setting_choices(settings(data), 4.0) if each.num_speculative_tokens == 3).speedup
        for data in (sweep([1, 3]), sweep([1, 3], 0.01, 5), sweep([1, 3], 0.15, 5))
    )
    assert alike.high - alike.low < once.high - once.low < apart.high - apart.low


def test_a_batch_where_only_plain_decoding_ran_decides_nothing():
    def part(k, batch, ms):
        return SpecStats("a", "b", speculation=bool(k), num_speculative_tokens=k or None, batch_size=batch,
                         printed_length=3.0 if k else None, step_ms=ms)  # fmt: skip

    parts = (part(0, 1.0, 10.0), part(0, 8.0, 10.0), part(3, 8.0, 20.0), part(5, 8.0, 16.0))
    found = answer(parts[2].replace(parts=parts, parts_are_settings=True))
    assert list(found.best_by_batch) == [8.0]
    assert (found.to_paste.num_speculative_tokens, found.to_paste.schedule) == (5, ())
