import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.model.acceptance import Acceptance
from specmodel.model.mean_rounds import mean_rounds, mean_rounds_by_length
from specmodel.model.rounds import Distribution, rounds_distribution, rounds_needed

EDGES = [0, 1e-9, 0.2, 0.6, 0.95, 1 - 1e-9, 1]
LATTICES = [
    [0.5, 0, 0.5],
    [0, 0, 1],
    [0, 1, 0, 1, 0, 1],
    [1, 0, 0, 0, 0, 0, 1e-6],
    [1e-6, 0, 0, 1],
    [0.5, *[0] * 62, 0.5],
]

weights = st.lists(st.sampled_from([0, 0, 1e-9, 0.1, 1, 3]) | st.floats(1e-6, 1), min_size=1, max_size=18).filter(any)
short_outputs = st.integers(1, 60)


def step_by_step(acceptance, output_tokens):
    """The plain dynamic programme over positions: [r - 1, o] = P(round r is the last and overshoots by o tokens)."""
    k = acceptance.num_speculative_tokens
    joint = np.zeros((output_tokens, k + 1))
    at = np.zeros(output_tokens)
    at[0] = 1.0
    for r in range(output_tokens):
        moved = np.zeros(output_tokens + k + 1)
        for accepted, probability in enumerate(acceptance.pmf):
            moved[accepted + 1 : accepted + 1 + output_tokens] += probability * at
        joint[r], at = moved[output_tokens:], moved[:output_tokens]
        if not at.any():
            break
    return joint


def wasted_step_by_step(joint, output_tokens):
    """P(wasted = w) from the joint distribution: k·rounds − accepted, accepted = tokens out − rounds."""
    k = joint.shape[1] - 1
    found: dict[int, float] = {}
    for (r, overshoot), probability in np.ndenumerate(joint):
        rounds = r + 1
        wasted = k * rounds - (output_tokens + overshoot - rounds)
        found[wasted] = found.get(wasted, 0.0) + float(probability)
    return found


def assert_same(acceptance, output_tokens):
    exact, wanted = rounds_distribution(acceptance, output_tokens), step_by_step(acceptance, output_tokens)
    found = np.zeros_like(wanted)
    found[exact.support.astype(int) - 1] = exact.joint
    assert np.abs(found - wanted).max() < 1e-10
    assert exact.pmf == pytest.approx(exact.joint.sum(axis=1), abs=1e-15)
    assert exact.pmf.sum() == pytest.approx(1, abs=1e-12)
    mean = float(np.arange(1, output_tokens + 1) @ wanted.sum(axis=1))
    assert exact.mean == pytest.approx(mean, rel=1e-9)
    assert mean_rounds(acceptance, output_tokens) == pytest.approx(mean, rel=1e-9)


def assert_same_waste(acceptance, output_tokens):
    exact = rounds_distribution(acceptance, output_tokens).wasted_draft_tokens
    wanted = wasted_step_by_step(step_by_step(acceptance, output_tokens), output_tokens)
    found = dict(zip(exact.support.tolist(), exact.pmf.tolist(), strict=True))
    assert max(abs(found.get(w, 0) - wanted.get(w, 0)) for w in found.keys() | wanted.keys()) < 1e-10


@pytest.mark.parametrize("k", [0, 1, 5, 16, 64])
@pytest.mark.parametrize("alpha", EDGES)
def test_it_equals_the_plain_dynamic_programme(alpha, k):
    for output_tokens in {1, 2, 3, max(k, 1), k + 1, 20, 128, 500}:
        assert_same(Acceptance.iid(alpha, k), output_tokens)


@pytest.mark.parametrize("counts", LATTICES)
def test_it_equals_the_plain_dynamic_programme_on_lattices(counts):
    for output_tokens in (1, 2, 7, 128, 333):
        assert_same(Acceptance.from_histogram(counts), output_tokens)


@given(weights, short_outputs)
def test_it_equals_the_plain_dynamic_programme_for_any_acceptance(counts, output_tokens):
    assert_same(Acceptance.from_histogram(counts), output_tokens)


@given(st.floats(0, 1), st.integers(0, 64), short_outputs)
def test_it_equals_the_plain_dynamic_programme_for_any_alpha(alpha, k, output_tokens):
    assert_same(Acceptance.iid(alpha, k), output_tokens)


@given(weights, short_outputs)
def test_waste_equals_that_of_the_dynamic_programme(counts, output_tokens):
    assert_same_waste(Acceptance.from_histogram(counts), output_tokens)


@pytest.mark.parametrize(("alpha", "k"), [(0, 3), (1, 3), (0.6, 0), (0.6, 5), (0.8, 16)])
@pytest.mark.parametrize("output_tokens", [1, 3, 100])
def test_waste_at_the_edges(alpha, k, output_tokens):
    assert_same_waste(Acceptance.iid(alpha, k), output_tokens)


@given(weights, st.integers(1, 3000))
def test_rounds_lie_between_the_fewest_and_one_a_token(counts, output_tokens):
    acceptance = Acceptance.from_histogram(counts)
    exact = rounds_distribution(acceptance, output_tokens)
    assert -(-output_tokens // (acceptance.num_speculative_tokens + 1)) <= exact.support[0]
    assert exact.support[-1] <= output_tokens
    assert np.all(np.diff(exact.support) == 1)
    tau = acceptance.mean_acceptance_length
    most = output_tokens + acceptance.num_speculative_tokens
    assert output_tokens / tau * (1 - 1e-9) <= exact.mean <= most / tau * (1 + 1e-9)


@given(weights, st.integers(1, 3000), st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_quantiles_are_monotone_and_mean_what_they_say(counts, output_tokens, q):
    exact = rounds_distribution(Acceptance.from_histogram(counts), output_tokens)
    found = exact.quantile(sorted(q))
    assert np.all(np.diff(found) >= 0)
    for wanted, value in zip(sorted(q), found, strict=True):
        assert exact.pmf[exact.support <= value].sum() >= wanted - 1e-11
        assert exact.pmf[exact.support < value].sum() <= wanted + 1e-11


def test_quantiles_at_the_ends_and_of_any_shape():
    exact = rounds_distribution(Acceptance.iid(0.6, 5), 20)
    assert exact.quantile([0, 1]).tolist() == [4, 20]
    assert exact.quantile(0.5).shape == () and exact.quantile([[0.1, 0.5], [0.5, 0.9]]).shape == (2, 2)
    long = rounds_distribution(Acceptance.iid(0.6, 5), 4000)
    assert 667 <= long.quantile(0) < 1500 and 1850 < long.quantile(1) <= 4000


@pytest.mark.parametrize("q", [-0.01, 1.01, float("nan"), [0.5, 2]])
def test_a_quantile_outside_0_to_1_is_refused(q):
    with pytest.raises(ValueError, match="outside 0 to 1"):
        rounds_distribution(Acceptance.iid(0.6, 5), 20).quantile(q)


def test_time_is_rounds_times_the_time_of_a_round():
    exact = rounds_distribution(Acceptance.iid(0.6, 5), 128, round_ms=37)
    assert exact.total_ms.mean == pytest.approx(37 * exact.mean)
    assert exact.total_ms.sd == pytest.approx(37 * exact.sd)
    assert exact.total_ms.quantile([0.05, 0.95]) == pytest.approx(37 * exact.quantile([0.05, 0.95]))


def test_a_distribution_by_hand():
    coin = Distribution(np.array([0.0, 4.0]), np.array([0.75, 0.25]))
    assert coin.mean == 1 and coin.sd == pytest.approx(3**0.5)
    assert coin.quantile([0, 0.75, 0.76, 1]).tolist() == [0, 0, 4, 4]
    assert coin.scaled(0.5).support.tolist() == [0, 2]


@pytest.mark.parametrize(("alpha", "k"), [(0.2, 5), (0.6, 5), (0.9, 16), (0.97, 64), (0.5, 64), (1e-4, 1), (0.999, 64)])
@pytest.mark.parametrize("output_tokens", [100_000, 1_000_000])
def test_long_outputs_follow_the_renewal_theorems(alpha, k, output_tokens):
    """E[R] = (N + E[overshoot])/tau (Wald), and sd ≈ sqrt(N·variance/tau³) (central limit theorem)."""
    acceptance = Acceptance.iid(alpha, k)
    exact, tau = rounds_distribution(acceptance, output_tokens), acceptance.mean_acceptance_length
    overshoot = float(exact.joint.sum(axis=0) @ np.arange(k + 1))
    assert exact.mean == pytest.approx((output_tokens + overshoot) / tau, rel=1e-9)
    assert exact.mean == pytest.approx(mean_rounds(acceptance, output_tokens), rel=1e-9)
    assert exact.sd == pytest.approx((output_tokens * acceptance.variance / tau**3) ** 0.5, rel=0.01)
    low, high = exact.quantile([0.05, 0.95])
    assert high - low == pytest.approx(2 * 1.6449 * exact.sd, rel=0.05, abs=2)


def test_the_second_moment_solves_its_own_renewal_equation():
    """E[R²](n) = 1 + Σ_t P(T = t)·(2·E[R](n − t) + E[R²](n − t)), run forward token by token."""
    acceptance, output_tokens = Acceptance.iid(0.8, 5), 20_000
    first, second = np.zeros(output_tokens + 1), np.zeros(output_tokens + 1)
    for n in range(1, output_tokens + 1):
        most = min(6, n)
        past, chance = np.arange(n - 1, n - 1 - most, -1), acceptance.pmf[:most]
        first[n] = 1 + chance @ first[past]
        second[n] = 1 + chance @ (2 * first[past] + second[past])
    exact = rounds_distribution(acceptance, output_tokens)
    assert exact.mean == pytest.approx(first[-1], rel=1e-10)
    assert exact.sd == pytest.approx((second[-1] - first[-1] ** 2) ** 0.5, rel=1e-5)


@pytest.mark.parametrize(("alpha", "k"), [(0.6, 5), (0.5, 64), (1e-6, 64), (0.999, 64)])
def test_memory_is_bounded(alpha, k):
    acceptance = Acceptance.iid(alpha, k)
    tracemalloc.start()
    rounds_distribution(acceptance, 987_654)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.parametrize(("alpha", "k", "output_tokens"), [(1, 3, 10), (1, 5, 4000), (0.6, 5, 128), (0.99, 16, 40)])
def test_waste_is_never_negative(alpha, k, output_tokens):
    wasted = rounds_distribution(Acceptance.iid(alpha, k), output_tokens).wasted_draft_tokens
    assert wasted.support[0] >= 0
    assert wasted.quantile(0) >= 0


@given(st.floats(0, 1), st.integers(0, 20), st.integers(1, 3000))
def test_one_alpha_has_the_mean_rounds_of_the_recursion_at_every_length(alpha, most, output_tokens):
    found = mean_rounds_by_length(alpha, most, output_tokens)
    one_by_one = [mean_rounds(Acceptance.iid(alpha, k), output_tokens) for k in range(most + 1)]
    assert found == pytest.approx(one_by_one, rel=1e-11)


@given(st.floats(0, 1), st.integers(0, 8), st.integers(1, 3000))
def test_rounds_alone_are_those_of_the_whole_distribution(alpha, drafts, output_tokens):
    acceptance = Acceptance.iid(alpha, drafts)
    alone, whole = rounds_needed(acceptance, output_tokens), rounds_distribution(acceptance, output_tokens)
    assert alone.support.tolist() == whole.support.tolist() and abs(alone.pmf - whole.pmf).max() < 1e-12
