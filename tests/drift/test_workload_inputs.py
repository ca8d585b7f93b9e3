"""Workloads that a reader gives: the spread of requests, and measured groups as phases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.published import workload, workloads
from specmodel.drift.workload_inputs import MOST_GROUPS, measured_workload, with_spread
from specmodel.model.acceptance import Acceptance


def group(label, tau, k=3):
    return label, Acceptance.from_mean_acceptance_length(tau, k), None


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


def played(rows: list[tuple[str, Acceptance, float | None]]) -> Workload:
    found = measured_workload(rows)
    assert found is not None
    return found


def test_only_the_persistence_changes():
    before, after = workload("shift"), with_spread(workload("shift"), 0.2)
    assert [phase.alpha for phase in after.phases] == [phase.alpha for phase in before.phases]
    assert after.key == before.key and after.num_tokens == before.num_tokens


@given(st.lists(st.floats(1, 4), min_size=2, max_size=6))
def test_groups_keep_their_tokens_per_round(taus):
    found = played([group(f"g{at}", tau) for at, tau in enumerate(taus)])
    for phase, tau in zip(found.phases, taus, strict=True):
        assert sum(phase.alpha**i for i in range(4)) == pytest.approx(tau, abs=2e-3)
        assert phase.kind == "measured"


def test_a_workload_needs_two_groups_that_draft():
    silent = ("silent", Acceptance.iid(0, 0), None)
    assert measured_workload([group("a", 2), silent]) is None
    found = played([group("a", 2), silent, group("b", 3), group("a", 1.5)])
    assert [phase.label for phase in found.phases] == ["a", "b"]


def test_groups_keep_their_temperature():
    rows = [("a", Acceptance.iid(0.5, 2), 1.0), ("b", Acceptance.iid(0.7, 2), None)]
    assert [phase.temperature for phase in played(rows).phases] == [1.0, None]


def test_no_more_than_twelve_groups_are_played():
    assert len(played([group(f"g{at}", 2) for at in range(30)]).phases) == MOST_GROUPS


def test_of_several_groups_without_a_label_the_first_is_kept():
    found = played([group("", 2), group("a", 2), group("", 3)])
    assert [phase.label for phase in found.phases] == ["–", "a"]
    assert found.phases == played([group("", 2), group("a", 2)]).phases


@pytest.mark.parametrize("spread", [-0.1, 1.01, 1e200, float("inf"), float("nan"), [0.1, 0.2], 1j])
def test_what_is_no_spread_is_refused(spread):
    with pytest.raises(SpecmodelError, match="spread"):
        with_spread(workload("shift"), spread)
