"""Workloads that a reader gives: the spread of requests, and measured groups as phases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.published import workload, workloads
from specmodel.drift.workload_inputs import MOST_GROUPS, measured_workload, with_spread
from specmodel.engine.case import EngineCase
from specmodel.measured.spec_stats import SpecStats


def case(label, tau, k=3):
    rounds = 1000
    counted = SpecStats(
        "a", "b", label=label, num_speculative_tokens=k, num_rounds=rounds, num_draft_tokens=rounds * k,
        num_accepted_draft_tokens=round(rounds * (tau - 1)),
    )  # fmt: skip
    return EngineCase(counted)


@given(st.floats(0.05, 0.95), st.floats(0.01, 0.2))
def test_the_spread_is_the_standard_deviation_of_the_requests(alpha, spread):
    one = Workload("own", "Own", (Phase("Own", alpha=alpha, requests=1),))
    (phase,) = with_spread(one, spread).phases
    if phase.persistence < 0.9:
        middle = (np.arange(4000) + 0.5) / 4000
        drawn = phase.request_alphas(middle[None, :])
        assert drawn.std() == pytest.approx(spread, rel=0.03)
        assert drawn.mean() == pytest.approx(alpha, abs=0.002)


@pytest.mark.parametrize("each", workloads(), ids=lambda each: each.key)
def test_no_spread_makes_all_requests_alike(each):
    assert {phase.persistence for phase in with_spread(each, 0).phases} == {0}


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_certain_acceptance_has_no_spread(alpha):
    own = Workload("own", "Own", (Phase("Own", alpha=alpha),))
    assert with_spread(own, 0.4).phases[0].persistence == 0


def groups(cases: list[EngineCase]) -> Workload:
    found = measured_workload(cases)
    assert found is not None
    return found


def test_only_the_persistence_changes():
    before, after = workload("shift"), with_spread(workload("shift"), 0.2)
    assert [phase.alpha for phase in after.phases] == [phase.alpha for phase in before.phases]
    assert after.key == before.key and after.num_tokens == before.num_tokens


@given(st.lists(st.floats(1, 4), min_size=2, max_size=6))
def test_groups_keep_their_tokens_per_round(taus):
    found = groups([case(f"g{at}", tau) for at, tau in enumerate(taus)])
    for phase, tau in zip(found.phases, taus, strict=True):
        assert sum(phase.alpha**i for i in range(4)) == pytest.approx(tau, abs=2e-3)
        assert phase.kind == "measured"


def test_what_tells_no_acceptance_is_left_out():
    silent = EngineCase(SpecStats("a", "b", label="silent"))
    assert measured_workload([case("a", 2), silent]) is None
    found = groups([case("a", 2), silent, case("b", 3), case("a", 1.5)])
    assert [phase.label for phase in found.phases] == ["a", "b"]


def test_no_more_than_twelve_groups_are_played():
    assert len(groups([case(f"g{at}", 2) for at in range(30)]).phases) == MOST_GROUPS


def test_of_several_groups_without_a_label_the_first_is_kept():
    found = groups([case("", 2), case("a", 2), case("", 3)])
    assert [phase.label for phase in found.phases] == ["–", "a"]
    assert found.phases == groups([case("", 2), case("a", 2)]).phases


@pytest.mark.parametrize("spread", [-0.1, 1.01, 1e200, float("inf"), float("nan"), [0.1, 0.2], 1j])
def test_what_is_no_spread_is_refused(spread):
    with pytest.raises(SpecmodelError, match="spread"):
        with_spread(workload("shift"), spread)
