"""Each policy by hand on a few rounds, the laws that hold for all of them, and how one is added."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import OutOfDomain
from specmodel.base.params import Declared, Param, UnknownParameter, declarations
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.policies import Case, Policy, PolicyChoice, State, choice, find, policies
from specmodel.drift.round_costs import RoundCosts, best_lengths
from specmodel.drift.rounds import draw_rounds
from specmodel.drift.run import simulate_drift
from tests.conftest import examples
from tests.domains import domain

COSTS = tuple(22.0 + 3 * k for k in range(9))
SMALL = Workload("w", "W", (Phase("A", alpha=0.8, requests=4, output_tokens=30), Phase("B", alpha=0.2, requests=4)))


def begin(key, costs=COSTS, **values):
    costs = RoundCosts(costs)
    return choice(key, **values).start(Case(costs, draw_rounds(SMALL, costs.max_k)))


def lengths(key, accepted, costs=COSTS, **values):
    """What a policy drafts round after round when it is told these numbers of accepted drafts (at most its k)."""
    controller, state, found = begin(key, costs, **values), State(), []
    for most in accepted:
        k = controller.choose(state)
        controller.observe(k, min(most, k))
        found.append(k)
    return found


def test_heuristic_is_two_more_or_one_less():
    assert lengths("heuristic", [9, 9, 0, 0, 9], num_speculative_tokens=3) == [3, 5, 7, 6, 5]
    assert lengths("heuristic", [0, 0, 0, 0], num_speculative_tokens=2) == [2, 1, 1, 1]  # never off
    assert lengths("heuristic", [9, 9, 9], num_speculative_tokens=7) == [7, 8, 8]  # the longest that has a cost


def test_transient_heuristic_starts_again_with_each_answer():
    for transient, expected in ((0, 7), (1, 5)):
        controller, state = begin("heuristic", transient=transient), State()
        controller.observe(controller.choose(state), 5)
        state.request = 1
        assert controller.choose(state) == expected


def test_tiers_wait_for_warmup_and_interval_and_move_by_the_average():
    # SGLang's defaults at one request: tiers 1, 3, 5, 7 from the middle (5), first decision after 10 + 5 rounds
    found = lengths("tiers", [0] * 20)
    assert found[:15] == [5] * 15
    assert set(found[15:]) == {1}  # an average near 0 passes 3 − ½ − ¼ and 1 − ½ − ¼ at once
    assert lengths("tiers", [7] * 20)[15:] == [7] * 5


def test_tiers_follow_the_rounded_average_plus_one():
    values = {"weight": 1.0, "warmup": 0, "interval": 1, "down_hysteresis": 0.0}
    for kept in range(8):
        clamped = min(max(kept + 1, 1), 7)  # clamp(round(average) + 1), the tier that holds it
        found = lengths("tiers", [7, 7, 7, kept, kept], **values)[-1]
        assert found == min(tier for tier in (1, 3, 5, 7) if tier >= clamped)


def test_tiers_with_off_try_again_at_the_next_decision():
    values = {"smallest": 0, "largest": 3, "weight": 1.0, "warmup": 0, "interval": 2}
    assert lengths("tiers", [0] * 8, **values) == [1, 1, 0, 0, 1, 1, 0, 0]


def test_hysteresis_downwards_keeps_a_tier_longer():
    values = {"weight": 1.0, "warmup": 0, "interval": 1}
    assert lengths("tiers", [2, 2], down_hysteresis=0.6, **values)[-1] == 3
    assert lengths("tiers", [2, 2], down_hysteresis=-0.6, **values)[-1] == 5


def test_threshold_switches_off_and_probes_itself_on_again():
    values = {"num_speculative_tokens": 4, "off_below": 0.3, "on_above": 0.5, "weight": 0.5, "probe_every": 3}
    # the average goes .5, .25: off; three plain steps, a probe: .125; three more, a probe that is accepted: .5625: on
    assert lengths("threshold", [0, 0, 0, 0, 0, 0, 0, 0, 4, 4], **values) == [4, 0, 0, 0, 4, 0, 0, 0, 4, 4]


def test_averages_at_exactly_the_threshold_are_not_moved_by_rounding():
    values = {"off_below": 0.2, "on_above": 0.2, "weight": 1.0}
    assert lengths("threshold", [5, 1, 1], **values) == [5, 5, 5]  # 1 + (0.2 − 1) is 0.19999999999999996
    values = {"weight": 0.7, "warmup": 0, "interval": 1, "down_hysteresis": -0.6}
    assert lengths("tiers", [1, 1], **values) == [5, 3]  # 4 + 0.7·(1 − 4) is 1.9000000000000004


def test_threshold_refuses_thresholds_in_the_wrong_order():
    with pytest.raises(SpecmodelError, match=r"off_below = 0.6 is above on_above = 0.5"):
        choice("threshold", off_below=0.6, on_above=0.5)


def test_goodput_counts_only_drafts_that_were_tried():
    controller = begin("goodput", first_alpha=0.5, memory=1e9)
    controller.observe(5, 2)  # two accepted, one rejected, two behind it never tried
    controller.observe(1, 1)
    assert controller.accepted / controller.tried == pytest.approx((8 * 0.5 + 3) / (8 + 4), rel=1e-6)


def test_goodput_leaves_off_by_probing():
    found = lengths("goodput", [0] * 60 + [9] * 200, first_alpha=0.6, memory=40, probe_every=8, probe_length=2)
    assert 0 in found[:60]
    assert found[-1] > 2
    off = found[: found.index(0) + 40]
    assert off.count(2) >= 2  # probes while off


def test_goodput_margin_keeps_it_from_changing():
    pattern = [3, 0, 5, 1, 0, 7, 2, 2, 0, 4] * 30
    changes = [np.count_nonzero(np.diff(lengths("goodput", pattern, margin=margin))) for margin in (0.0, 0.1)]
    assert changes[0] > changes[1]


SETTLED = 0.01
"""By how much the speed that the rule settles at may fall short of the best fixed length's."""
CLEAR = 0.1
"""So much faster than plain decoding the best length is, or it is off: a rule that is off learns from probes only."""


@st.composite
def any_costs(draw):
    """Round times that rise with the draft length, by two plain steps a draft at most."""
    steps = draw(st.lists(st.floats(0.01, 2), min_size=1, max_size=12))
    return (10.0, *(10 + 10 * np.cumsum(steps)).tolist())


@examples(40)
@given(alpha=st.floats(0, 1), costs=any_costs(), seed=st.integers(0, 99))
def test_goodput_settles_at_the_speed_of_the_best_fixed_length_where_nothing_changes(alpha, costs, seed):
    """Switching is free, acceptance stationary, nothing forgotten: the argmax of tau/rho, but for probes when off.

    Speeds are expected ones, of the lengths that the rule chose in its second half: tokens tau(k) over their times.
    """
    tau, ms = np.cumsum(alpha ** np.arange(len(costs))), np.array(costs)
    gains = tau / ms * ms[0]
    best = int(best_lengths(tau, costs))
    assume(not best or gains[best] > 1 + CLEAR)
    made = Workload("w", "W", (Phase("A", alpha=alpha, persistence=0, requests=20, output_tokens=1000),))
    chosen = (
        simulate_drift(made, RoundCosts(costs), [choice("goodput", memory=1e9)], seed)
        .run("goodput")
        .num_speculative_tokens
    )
    late = chosen[-(chosen.size // 2) :]
    aim = np.full(17, best)
    if not best:
        aim[-1] = min(2, len(costs) - 1)  # a probe after every 16 plain steps
    found, expected = (tau[each].sum() / ms[each].sum() for each in (late, aim))
    assert found > expected * (1 - SETTLED)
    assert found <= gains[best] / ms[0] * (1 + 1e-9)


@st.composite
def choices(draw):
    policy = draw(st.sampled_from(policies()))
    values = {}
    for name, declared in declarations(policy.params).items():
        assert isinstance(declared, Param)
        values[name] = draw(domain(declared))
    if policy.key == "threshold":
        values["off_below"], values["on_above"] = sorted((values["off_below"], values["on_above"]))
    return choice(policy.key, **values)


@examples(100)
@given(choices(), st.integers(0, 9), st.sampled_from([0.0, 1.5]))
def test_any_parameters_give_a_run_or_a_refusal_by_name(chosen, seed, switching):
    fixed_k = getattr(chosen.values, "num_speculative_tokens", 1)
    if chosen.policy.key in ("fixed", "threshold") and fixed_k > 8:
        with pytest.raises(SpecmodelError, match=f"policy {chosen.name} asked for {fixed_k} drafts"):
            simulate_drift(SMALL, RoundCosts(COSTS, switching), [chosen], seed)
        return
    run = simulate_drift(SMALL, RoundCosts(COSTS, switching), [chosen], seed).run(chosen.name)
    assert run.tokens.sum() == SMALL.num_tokens
    assert run.num_speculative_tokens.min() >= 0
    assert run.num_speculative_tokens.max() <= 8


def test_every_policy_is_declared_for_readers():
    for policy in policies():
        assert policy.label
        assert policy.rule.endswith(".")
        assert find(policy.key) is policy
    keys = [each.key for policy in policies() for each in declarations(policy.params).values()]
    assert len(keys) == len(set(keys))
    assert all(keys)


def test_a_policy_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(SpecmodelError, match="there is no policy best: expected one of off, fixed"):
        choice("best")


def test_a_misspelt_or_impossible_parameter_is_refused():
    with pytest.raises(UnknownParameter, match="num_speculative_tokens"):
        choice("fixed", num_speculative_token=3)
    with pytest.raises(OutOfDomain, match="Draft tokens per round"):
        choice("fixed", num_speculative_tokens=0)


@dataclass(frozen=True)
class Nothing(Declared):
    pass


class Alternate:
    """A policy as anybody would write it: 0, k, 0, k …"""

    def __init__(self, k):
        self.k, self.on = k, True

    def choose(self, state):
        self.on = not self.on
        return self.k * self.on

    def observe(self, num_speculative_tokens, accepted):
        assert 0 <= accepted <= num_speculative_tokens


def own(k):
    policy = Policy("own", 99, "Own", "Own.", "", Nothing, lambda values, case: Alternate(k))
    return PolicyChoice(policy, Nothing(), "own")


def test_a_policy_of_ones_own_is_played_like_any_other():
    run = simulate_drift(SMALL, RoundCosts(COSTS), [own(3)]).run("own")
    assert set(run.num_speculative_tokens[1::2].tolist()) == {3}
    assert run.num_switches == run.num_rounds - 1


@pytest.mark.parametrize("k", [9, -1])
def test_a_policy_that_asks_for_a_round_without_a_cost_is_refused_by_name(k):
    with pytest.raises(SpecmodelError, match=f"policy own asked for {k} drafts: there are costs for 0 to 8"):
        simulate_drift(SMALL, RoundCosts(COSTS), [own(k)])
