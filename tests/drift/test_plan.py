"""The oracle: no rule has a smaller expected time, exactly; its own expected time is what it takes on average."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.drift.phases import Phase, Workload
from specmodel.drift.plan import best_plan
from specmodel.drift.policies import choice, policies
from specmodel.drift.round_costs import RoundCosts, round_costs
from specmodel.drift.rounds import draw_rounds
from specmodel.drift.run import simulate_drift
from specmodel.model.acceptance import Acceptance
from specmodel.model.draft_lengths import best_num_speculative_tokens
from specmodel.model.mean_rounds import mean_rounds
from specmodel.model.scenario import Scenario
from tests.conftest import examples

COSTS = (20.0, 24.0, 26.0, 28.5, 31.0, 34.0)
WORKLOAD = Workload(
    "w",
    "W",
    (
        Phase("Good", alpha=0.85, requests=6, output_tokens=20, persistence=0.1),
        Phase("Bad", alpha=0.15, requests=6, output_tokens=20, persistence=0.1),
        Phase("Other", alpha=0.7, requests=6, output_tokens=12, acceptance_shape=(0.8, 0.6)),
    ),
)


def expected_ms(pmfs, costs, rule):
    """Expected time of any rule k = rule[token][previous k], straight from the definition; the first k is free."""
    tokens = sum(len(answer) for answer in pmfs)
    ends = np.repeat(np.cumsum([len(answer) for answer in pmfs]), [len(answer) for answer in pmfs])
    by_token = [each for answer in pmfs for each in answer]
    time = np.zeros((tokens + 1, costs.max_k + 1))
    for token in range(tokens - 1, -1, -1):
        for before in range(costs.max_k + 1):
            k = rule[token][before]
            change = costs.switching_ms * (k != before) + costs.resume_ms * (before == 0 < k)
            total = costs.round_ms[k] + (change if token else 0.0)
            for accepted, chance in enumerate(by_token[token].truncate(k).pmf):
                total += chance * time[min(token + accepted + 1, ends[token])][k]
            time[token][before] = total
    return time[0][rule[0][0]]


@st.composite
def small_cases(draw):
    chance = st.floats(0, 1)
    phases = tuple(
        Phase(str(i), draw(chance), requests=draw(st.integers(1, 2)), output_tokens=draw(st.integers(1, 5)))
        for i in range(draw(st.integers(1, 2)))
    )
    more = draw(st.lists(st.floats(0, 6), min_size=1, max_size=3))
    times = tuple(np.cumsum([10.0, *more]).tolist())
    extra = st.sampled_from([0.0, 0.5, 7.0])
    return Workload("w", "W", phases), RoundCosts(times, draw(extra), draw(extra)), draw(st.integers(0, 5))


@examples(80)
@given(small_cases(), st.randoms(use_true_random=False))
def test_no_rule_has_a_smaller_expected_time(case, random):
    made, costs, seed = case
    drawn = draw_rounds(made, costs.max_k, seed)
    by_token = [Acceptance.from_per_position(np.minimum.accumulate(row)) for row in drawn.survival]
    pmfs = [by_token[start:stop] for start, stop in zip(drawn.starts, drawn.starts[1:], strict=False)]
    best = best_plan(drawn, costs)
    own = np.broadcast_to(best.lengths, (drawn.num_tokens, costs.max_k + 1)).tolist()
    assert expected_ms(pmfs, costs, own) == pytest.approx(best.expected_ms)
    for _ in range(5):
        rule = [[random.randint(0, costs.max_k) for _ in costs.round_ms] for _ in range(drawn.num_tokens)]
        assert best.expected_ms <= expected_ms(pmfs, costs, rule) * (1 + 1e-12)
    flipped = [list(row) for row in own]  # one decision changed: where a slip would show first
    flipped[random.randrange(drawn.num_tokens)][random.randrange(costs.max_k + 1)] = random.randint(0, costs.max_k)
    flipped[0] = [flipped[0][0]] * len(flipped[0])
    assert best.expected_ms <= expected_ms(pmfs, costs, flipped) * (1 + 1e-12)


@examples(40)
@given(st.floats(0, 0.98), st.integers(1, 200), st.integers(0, 5))
def test_no_fixed_length_has_a_smaller_exact_mean(alpha, tokens, k):
    made = Workload("w", "W", (Phase("A", alpha=alpha, persistence=0, requests=1, output_tokens=tokens),))
    best = best_plan(draw_rounds(made, 5), RoundCosts(COSTS)).expected_ms
    assert best <= mean_rounds(Acceptance.iid(alpha, k), tokens) * COSTS[k] * (1 + 1e-9)


def test_a_tiny_switching_cost_gives_the_time_of_none():
    drawn = draw_rounds(WORKLOAD, 5, seed=1)
    free, tiny = best_plan(drawn, RoundCosts(COSTS)), best_plan(drawn, RoundCosts(COSTS, 1e-9))
    assert tiny.expected_ms == pytest.approx(free.expected_ms, rel=1e-9)


def test_a_prohibitive_switching_cost_gives_the_best_single_length():
    made = Workload("w", "W", tuple(Phase(p.label, p.alpha, 2, 15, 0) for p in WORKLOAD.phases))
    drawn = draw_rounds(made, 5)
    best = best_plan(drawn, RoundCosts(COSTS, 1e6))
    single = [
        sum(phase.requests * mean_rounds(Acceptance.iid(phase.alpha, k), 15) * COSTS[k] for phase in made.phases)
        for k in range(6)
    ]
    assert best.expected_ms == pytest.approx(min(single))


@pytest.mark.parametrize(("switching", "resume"), [(0.0, 0.0), (2.0, 0.0), (1.0, 4.0)])
def test_the_oracle_takes_its_expected_time_and_no_policy_less_on_average(switching, resume):
    """Given the acceptance of the answers (no spread here), over 150 seeds, paired draw by draw."""
    made = Workload("w", "W", tuple(Phase(p.label, p.alpha, 6, p.output_tokens, 0) for p in WORKLOAD.phases))
    names = [policy.key for policy in policies()]
    totals, expected = [], 0.0
    for seed in range(150):
        run = simulate_drift(made, RoundCosts(COSTS, switching, resume), names, seed)
        expected = best_plan(run.rounds, run.costs).expected_ms
        totals.append([run.run(name).total_ms() for name in names])
    time = np.array(totals)
    oracle = time[:, names.index("oracle")]
    assert abs(oracle.mean() - expected) <= 4 * oracle.std() / np.sqrt(len(oracle))
    for name, column in zip(names, time.T, strict=True):
        more = column - oracle
        assert more.mean() >= -4 * more.std() / np.sqrt(len(more)), name


def test_luck_can_beat_the_oracle_on_one_set_of_draws():
    """Why the law is about expectations: some seed has a fixed length that is faster than the oracle."""
    made = Workload("w", "W", (Phase("A", alpha=0.5, persistence=0, requests=1, output_tokens=20),))
    fixed = [choice("fixed", name=str(k), num_speculative_tokens=k) for k in range(1, 6)]
    runs = [simulate_drift(made, RoundCosts(COSTS), fixed, seed) for seed in range(10)]
    assert any(run.regret_ms(each.name)[-1] < 0 for run in runs for each in fixed)


@pytest.mark.parametrize("alpha", [0.1, 0.45, 0.6, 0.9])
def test_far_from_the_end_the_oracle_drafts_the_best_length(alpha):
    scenario = Scenario(alpha=alpha, output_tokens=1_000_000)
    made = Workload("w", "W", (Phase("A", alpha=alpha, persistence=0, requests=1, output_tokens=400),))
    plan = best_plan(draw_rounds(made, 10), round_costs(scenario, 10))
    assert set(plan.lengths[:200, 0].tolist()) == {best_num_speculative_tokens(scenario, 10)}
    assert plan.lengths[-1, 0] == 0  # the last token needs no draft


@pytest.mark.parametrize(("resume", "expected"), [(0.0, 42.0), (0.25, 42.25), (4.0, 43.0)])
def test_resuming_is_weighed_against_never_switching_off(resume, expected):
    """Two sure answers of three tokens: a draft and a plain step each (21 ms), or two drafts in the first (22 ms)."""
    made = Workload("w", "W", (Phase("A", alpha=1, requests=2, output_tokens=3),))
    drawn = draw_rounds(made, 1)
    assert best_plan(drawn, RoundCosts((10.0, 11.0), 0.0, resume)).expected_ms == expected
    run = simulate_drift(made, RoundCosts((10.0, 11.0), resume_ms=resume), ["oracle"]).oracle
    assert run.total_ms() == expected
