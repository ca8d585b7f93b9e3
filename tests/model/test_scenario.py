import dataclasses
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import OutOfDomain
from specmodel.base.params import Factors, UnknownParameter, declarations
from specmodel.model.acceptance import Acceptance
from specmodel.model.break_even import break_even_alpha
from specmodel.model.scenario import Scenario, cost_ratio, costs_at, rounds_to_emit

ALL = declarations(Scenario)
DECLARED = {name: declared for name, declared in ALL.items() if not isinstance(declared, Factors)}
NOT_NUMBERS = [True, False, None, math.nan, math.inf, -math.inf, "", "many", "nan", "1e400", [1], 1j]

ms = st.floats(0, 1000)


def test_without_arguments_it_is_the_case_of_the_article():
    assert dataclasses.asdict(Scenario()) == {
        "alpha": 0.6,
        "num_speculative_tokens": 5,
        "target_ms": 22,
        "draft_ms": 3,
        "vocabulary_overlap": 1,
        "output_tokens": 4000,
        "verify_ms_per_token": 0,
        "overhead_ms": 0,
        "acceptance_shape": (),
        "prompt_spread": 0,
    }


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
def test_every_parameter_is_declared_in_full(declared):
    assert declared.label and declared.help and declared.symbol and declared.key
    assert declared.low <= declared.default <= declared.high
    start, stop, step = declared.slider
    assert declared.low <= start < stop <= declared.high and 0 < step < stop - start
    assert start <= declared.default <= stop


def test_labels_symbols_and_keys_are_unique():
    assert set(ALL) == {field.name for field in dataclasses.fields(Scenario)}
    for what in ("label", "symbol", "key"):
        assert len({getattr(declared, what) for declared in ALL.values()}) == len(ALL)


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
def test_the_ends_of_the_domain_are_inside_and_beyond_is_named(declared):
    for value in (declared.low, declared.high):
        assert getattr(Scenario().replace(**{declared.name: value}), declared.name) == value
    for value in (declared.low - 1, declared.high + 1, -1e300, 1e300):
        with pytest.raises(OutOfDomain) as raised:
            Scenario().replace(**{declared.name: value})
        for part in (
            f"{declared.name} = {value}",
            f"{declared.low:,.10g} to {declared.high:,.10g}",
            f"({declared.label})",
        ):
            assert part in str(raised.value)


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize("name", DECLARED)
def test_what_is_no_number_is_refused(name, value):
    with pytest.raises(OutOfDomain) as raised:
        Scenario().replace(**{name: value})
    assert str(raised.value).startswith(f"{name} = {value!r} ")


@pytest.mark.parametrize("name", ["num_speculative_tokens", "output_tokens"])
def test_whole_numbers_stay_whole(name):
    made = getattr(Scenario().replace(**{name: 7.0}), name)
    assert made == 7 and isinstance(made, int)
    with pytest.raises(OutOfDomain, match=r"2\.5 is not a whole number"):
        Scenario().replace(**{name: 2.5})


@pytest.mark.parametrize(
    "value", [None, False, 3, "", "1_", "1__2", "nan", [-0.1], [1001], [1] * 64, ["x"], [None]], ids=repr
)
def test_a_shape_that_is_none_is_refused(value):
    with pytest.raises(OutOfDomain, match=r"acceptance_shape = .* is no list of factors from 0 to 1,000"):
        Scenario(acceptance_shape=value)


@given(st.floats(0, 1), st.lists(st.floats(0, 5), max_size=8), st.integers(0, 12))
def test_a_shape_multiplies_the_acceptance_at_the_first_position(alpha, shape, k):
    acceptance = Scenario(alpha=alpha, acceptance_shape=shape, num_speculative_tokens=k).acceptance
    wanted, still = [], 1.0
    for position in range(k):
        factor = 1.0 if position == 0 or not shape else shape[min(position, len(shape)) - 1]
        still *= min(alpha * factor, 1.0)
        wanted.append(still)
    assert acceptance.per_position_acceptance == pytest.approx(wanted)


@given(st.floats(0.05, 1), st.lists(st.floats(0.2, 2), min_size=1, max_size=5), st.integers(1, 10), st.floats(0, 5))
def test_with_a_shape_break_even_is_still_where_tau_is_rho(alpha, shape, k, draft_ms):
    scenario = Scenario(alpha=alpha, acceptance_shape=shape, num_speculative_tokens=k, draft_ms=draft_ms)
    threshold, rho = break_even_alpha(scenario), cost_ratio(scenario)
    most = scenario.replace(alpha=1).acceptance.mean_acceptance_length
    if threshold is None:
        assert most < rho
    else:
        assert scenario.replace(alpha=threshold).acceptance.mean_acceptance_length == pytest.approx(rho)


def test_a_shape_of_ones_changes_nothing():
    assert Scenario(acceptance_shape=(1, 1)).acceptance.pmf == pytest.approx(Scenario().acceptance.pmf)


def test_text_that_is_a_number_is_read():
    scenario = Scenario(alpha="0.25", num_speculative_tokens=" 3 ")  # type: ignore[arg-type]
    assert (scenario.alpha, scenario.num_speculative_tokens) == (0.25, 3)


def test_long_values_are_cut_in_the_message():
    with pytest.raises(OutOfDomain) as raised:
        Scenario(alpha="{0}" * 1000)  # type: ignore[arg-type]
    assert len(str(raised.value)) < 150


def test_braces_in_a_value_are_only_text():
    with pytest.raises(OutOfDomain, match=r"alpha = '\{low\}' is outside 0 to 1"):
        Scenario(alpha="{low}")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [10**400, -(10**400)], ids=["huge", "-huge"])
def test_a_whole_number_beyond_all_floats_is_out_of_domain(value):
    with pytest.raises(OutOfDomain, match="alpha = "):
        Scenario(alpha=value)


def test_replace_changes_a_copy():
    scenario = Scenario()
    assert scenario.replace(alpha=0.8).alpha == 0.8
    assert scenario == Scenario() and scenario.replace() == scenario
    with pytest.raises(dataclasses.FrozenInstanceError):
        scenario.alpha = 0.8  # type: ignore[misc]


def test_a_misspelt_parameter_is_named_with_the_right_one():
    with pytest.raises(UnknownParameter, match="no parameter targt_ms; did you mean target_ms") as raised:
        Scenario().replace(targt_ms=3)
    assert isinstance(raised.value, SpecmodelError) and isinstance(raised.value, TypeError)
    with pytest.raises(UnknownParameter, match=", ".join(DECLARED)):
        Scenario().replace(qqq=3)


def test_costs_of_a_round():
    scenario = Scenario(target_ms=20, draft_ms=2, verify_ms_per_token=0.5, overhead_ms=3, num_speculative_tokens=4)
    cost = scenario.round_cost
    assert (cost.draft_ms, cost.verify_ms, cost.overhead_ms, cost.round_ms) == (8, 22, 3, 33)
    assert cost_ratio(scenario) == pytest.approx(1.65)
    assert costs_at(scenario, [0, 1, 4]).round_ms.tolist() == [20, 25.5, 33]  # type: ignore[union-attr]
    assert scenario.baseline_ms == 80_000


def test_the_overlap_lowers_the_acceptance():
    scenario = Scenario(alpha=0.5, vocabulary_overlap=0.4, num_speculative_tokens=2)
    assert scenario.effective_alpha == pytest.approx(0.2)
    assert scenario.acceptance == Acceptance.iid(scenario.effective_alpha, 2)


def test_rounds_to_emit_takes_acceptance_length_and_cost_from_the_scenario():
    scenario = Scenario(alpha=1, num_speculative_tokens=3, output_tokens=10)
    exact = rounds_to_emit(scenario)
    assert (exact.mean, exact.total_ms.mean) == (3, 3 * 31)
    assert exact.wasted_draft_tokens.mean == pytest.approx(0, abs=1e-9)


# Break-even: tau(alpha) = rho


@given(st.floats(0.01, 1000), ms)
def test_break_even_with_one_draft_is_rho_minus_one(target_ms, draft_ms):
    scenario = Scenario(num_speculative_tokens=1, target_ms=target_ms, draft_ms=draft_ms)
    rho = cost_ratio(scenario)
    assume(abs(rho - 2) > 1e-9)
    assert break_even_alpha(scenario) == (None if rho > 2 else pytest.approx(rho - 1, abs=1e-9))


@given(st.floats(0.01, 1000), ms, ms)
def test_break_even_with_two_drafts_solves_a_quadratic(target_ms, draft_ms, overhead_ms):
    scenario = Scenario(num_speculative_tokens=2, target_ms=target_ms, draft_ms=draft_ms, overhead_ms=overhead_ms)
    rho = cost_ratio(scenario)
    assume(abs(rho - 3) > 1e-9)
    wanted = None if rho > 3 else pytest.approx((-1 + math.sqrt(4 * rho - 3)) / 2, abs=1e-9)
    assert break_even_alpha(scenario) == wanted


@given(st.integers(1, 64), st.floats(0, 0.999), ms)
def test_at_the_break_even_a_round_emits_what_it_costs(k, share, draft_ms):
    target_ms = 10.0
    scenario = Scenario(num_speculative_tokens=k, target_ms=target_ms, draft_ms=share * target_ms)
    found = break_even_alpha(scenario)
    assert found is not None and 0 <= found <= 1
    assert Acceptance.iid(found, k).mean_acceptance_length == pytest.approx(cost_ratio(scenario), rel=1e-9)


@given(st.integers(0, 64), st.floats(0, 1), st.floats(0, 1))
def test_break_even_does_not_depend_on_the_drafter_s_acceptance(k, alpha, overlap):
    scenario = Scenario(num_speculative_tokens=k)
    assert break_even_alpha(scenario.replace(alpha=alpha, vocabulary_overlap=overlap)) == break_even_alpha(scenario)


@pytest.mark.parametrize("k", [1, 2, 5, 16, 64])
def test_a_draft_as_slow_as_the_target_has_to_be_accepted_always(k):
    assert break_even_alpha(Scenario(draft_ms=22, num_speculative_tokens=k)) == 1.0


@pytest.mark.parametrize("target_ms", [0.1, 0.3, 7, 21.7, 33.3, 1e5])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 7, 16, 64])
def test_rounding_does_not_hide_that_break_even(k, target_ms):
    scenario = Scenario(target_ms=target_ms, draft_ms=target_ms, num_speculative_tokens=k)
    assert break_even_alpha(scenario) == pytest.approx(1, abs=1e-9)


def test_where_nothing_pays_there_is_no_break_even():
    assert break_even_alpha(Scenario(draft_ms=22.001)) is None
    assert break_even_alpha(Scenario(overhead_ms=500)) is None
    assert break_even_alpha(Scenario(verify_ms_per_token=100_000)) is None


def test_what_is_free_pays_from_the_first_accepted_draft():
    assert break_even_alpha(Scenario(draft_ms=0)) == 0.0


def test_nothing_drafted_has_nothing_to_break_even():
    assert break_even_alpha(Scenario(num_speculative_tokens=0)) is None
    assert break_even_alpha(Scenario(num_speculative_tokens=0, draft_ms=0)) is None
