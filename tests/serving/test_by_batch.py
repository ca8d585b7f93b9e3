import math
import random
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import first_highest
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost, DraftShape
from specmodel.serving.by_batch import best_k, by_batch, load_map
from specmodel.serving.hardware import Accelerator, accelerator, target_model
from specmodel.serving.load import USUAL_RATIOS, Drafter
from specmodel.serving.passes import AffinePass, MeasuredPass, Points
from specmodel.serving.roofline import RooflinePass
from specmodel.serving.served_model import Serving
from specmodel.serving.target_model import TargetModel
from tests.domains import accelerators, anything, from_pairs, lines, models

SHAPES = ("sequential", "parallel", "lookup", "heads")
alphas = st.floats(0, 1)
batches = st.integers(1, 4096)
contexts = st.integers(0, 10_000_000)
drafts = st.integers(0, 64)
rooflines = st.builds(RooflinePass, models(), accelerators)
draft_costs = st.builds(lambda drafter, shape: drafter.cost(shape), anything(Drafter), st.sampled_from(SHAPES))
tables = st.lists(st.floats(0.1, 1000), min_size=1, max_size=9).map(lambda ms: from_pairs(range(1, len(ms) + 1), ms))


# The regression of the issue


def widget(tokens_per_sequence, batch_size, context_tokens):
    """DeepSeek-V4-Flash on one B200 in bytes of one layer, as fergusfinn.com's SpecDecOptimalGamma computes it."""
    t = batch_size * tokens_per_sequence
    dense = max(2 * 107e6 * t / 563, 107e6)
    experts = max(2 * 7 * 25.2e6 * t / 1125, (256 * (1 - (1 - 6 / 256) ** t) + 1) * 25.2e6 * 0.53)
    return (
        dense
        + experts
        + batch_size * max(2 * 69_632 * context_tokens * tokens_per_sequence / 281, 576 * context_tokens)
    )


def flash_on_b200():
    peak = accelerator("b200").replace(compute_fraction=1, bandwidth_fraction=1, step_overhead_ms=0)
    return RooflinePass(target_model("deepseek_v4_flash"), peak)


REGRESSION = [
    (1, 1, 1.17),
    (2, 1, 1.06),
    (4, 0, 1.0),
    (8, 0, 1.0),
    (16, 3, 1.03),
    (32, 5, 1.35),
    (128, 3, 1.74),
    (1024, 1, 1.21),
    (16384, 0, 1.0),
]


@pytest.mark.parametrize("pass_ms", [widget, flash_on_b200()], ids=["formula", "roofline"])
@pytest.mark.parametrize(("batch", "k", "speedup"), REGRESSION)
def test_best_draft_lengths_of_the_published_widget(pass_ms, batch, k, speedup):
    """alpha .75, c .10, 4,096 tokens of context: a gutter at batch 4 to 8, and off again at 16,384."""
    found = best_k(pass_ms, alpha=0.75, batch_size=batch, context_tokens=4096, draft_cost_ratio=0.1)
    assert (found[0], round(found[1], 2)) == (k, speedup)
    assert type(found[0]) is int and type(found[1]) is float


@pytest.mark.parametrize("batch", [batch for batch, _, _ in REGRESSION])
def test_with_free_verification_all_are_five(batch):
    k, speedup = best_k(lambda q, b, s: 1.0, alpha=0.75, batch_size=batch, context_tokens=4096, draft_cost_ratio=0.1)
    assert (k, round(speedup, 2)) == (5, 2.19)


def test_the_table_and_the_map_show_the_same_gutter():
    serving = Serving(flash_on_b200(), 0.75, DraftCost(ratio=0.1))
    sizes, wanted = zip(*((batch, (k, speedup)) for batch, k, speedup in REGRESSION), strict=True)
    table = by_batch(serving, sizes, 4096)
    assert list(zip(table.best.tolist(), table.at_best().round(2).tolist(), strict=True)) == list(wanted)
    found = load_map(serving, sizes, [4096, 131_072])
    assert list(zip(found.best[0].tolist(), found.speedup[0].round(2).tolist(), strict=True)) == list(wanted)


# best_k


def brute_force(pass_ms, alpha, batch, context, ratio, max_k):
    plain = float(pass_ms(1, batch, context))
    speeds = []
    for k in range(max_k + 1):
        emitted = k + 1 if alpha == 1 else math.fsum(alpha**j for j in range(k + 1))
        speeds.append(emitted / (float(pass_ms(k + 1, batch, context)) / plain + k * ratio))
    return speeds


passes = tables | lines() | rooflines


@given(passes, alphas, batches, contexts, st.floats(0, 2), drafts)
def test_best_k_is_the_best_of_all_and_never_below_one(pass_ms, alpha, batch, context, ratio, max_k):
    k, speedup = best_k(
        pass_ms, alpha=alpha, batch_size=batch, context_tokens=context, draft_cost_ratio=ratio, max_k=max_k
    )
    speeds = brute_force(pass_ms, alpha, batch, context, ratio, max_k)
    assert speedup >= 1.0 and 0 <= k <= max_k
    assert speedup == pytest.approx(max(speeds), rel=1e-9) and speeds[k] == pytest.approx(speedup, rel=1e-9)
    assert all(shorter < speedup for shorter in speeds[:k]), "of equals the shortest"
    assert k or speedup == 1.0


@given(passes, alphas, st.lists(batches, min_size=1, max_size=4), contexts, st.floats(0, 2))
def test_the_table_agrees_with_best_k(pass_ms, alpha, sizes, context, ratio):
    table = by_batch(Serving(pass_ms, alpha, DraftCost(ratio=ratio)), sizes, context, max_k=64)
    assert table.speedup.shape == (len(sizes), 65) and (table.speedup[:, 0] == 1).all()
    for row, batch in enumerate(sizes):
        most = int(table.known[row].sum()) - 1
        assert table.known[row, : most + 1].all(), "what was measured goes up to one draft length"
        k, speedup = best_k(
            pass_ms, alpha=alpha, batch_size=batch, context_tokens=context, draft_cost_ratio=ratio, max_k=most
        )
        assert table.at_best()[row] == pytest.approx(speedup, rel=1e-9)
        assert table.best[row] == k or table.speedup[row, k] == pytest.approx(speedup, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (name, value)
        for name, values in {
            "alpha": (-0.01, 1.01, math.nan, math.inf),
            "batch_size": (0, -1, math.nan, math.inf),
            "context_tokens": (-1, math.nan, math.inf),
            "draft_cost_ratio": (-0.1, math.nan, math.inf),
            "max_k": (-1, math.nan),
        }.items()
        for value in values
    ],
)
def test_best_k_refuses_by_name(name, value):
    good = {"alpha": 0.7, "batch_size": 1, "context_tokens": 0, "draft_cost_ratio": 0.1, "max_k": 8}
    with pytest.raises(SpecmodelError, match=f"{name} = {value} is (outside|not a)"):
        best_k(widget, **good | {name: value})


@pytest.mark.parametrize("ms", [0, -1, math.nan, math.inf])
def test_best_k_refuses_a_pass_without_a_positive_finite_time(ms):
    with pytest.raises(SpecmodelError, match=rf"pass_ms\(3, 2, 9\) = {ms:.1f}"):
        best_k(lambda q, b, s: ms if q == 3 else 1, alpha=0.7, batch_size=2, context_tokens=9, draft_cost_ratio=0.1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"alpha": 2.0}, "alpha = 2.0 is outside 0 to 1"),
        ({"alpha": -0.1}, "alpha = -0.1 is outside 0 to 1"),
        ({"alpha": math.nan}, "alpha = nan is outside 0 to 1"),
        ({"standing_cost": 1.5}, "standing_cost = 1.5 is outside 0 to 0.99"),
        ({"standing_cost": -0.1}, "standing_cost = -0.1 is outside 0 to 0.99"),
        ({"standing_cost": math.nan}, "standing_cost = nan is outside 0 to 0.99"),
        ({"overhead_ms": -30}, "overhead_ms = -30 is not a number of at least 0"),
        ({"overhead_ms": math.nan}, "overhead_ms = nan is not a number of at least 0"),
        ({"overhead_ms": math.inf}, "overhead_ms = inf is not a number of at least 0"),
    ],
)
def test_serving_refuses_values_outside_their_domains(changes, said):
    with pytest.raises(SpecmodelError, match=said):
        Serving(widget, **{"alpha": 0.7} | changes)


def test_off_may_cost_nearly_all_of_the_speed_but_not_all():
    assert Serving(widget, 0.7, standing_cost=0.99).off_speedup == pytest.approx(0.01)
    with pytest.raises(SpecmodelError, match=r"standing_cost = 0\.991 is outside 0 to 0\.99"):
        Serving(widget, 0.7, standing_cost=0.991)


@pytest.mark.parametrize(
    "k", [-1, 65, 2.5, math.nan, np.array([0, 1, 65]), np.array([-1, 3]), np.array([0.5])], ids=str
)
@pytest.mark.parametrize("name", ["speedup", "tpot_ms", "wasted_ms"])
def test_serving_refuses_draft_lengths_that_are_no_whole_number_from_0_to_64(name, k):
    with pytest.raises(
        SpecmodelError, match=r"num_speculative_tokens(\[\d\])? = \S+ is not a whole number from 0 to 64"
    ):
        getattr(Serving(widget, 0.7), name)(k, 1, 0)


# A pass as anybody may write it


@pytest.mark.parametrize("pass_ms", [lambda q, b, s: 20, lambda q, b, s: 20.0, lambda q, b, s: np.float32(20)])
def test_a_constant_pass_keeps_the_shape_of_the_table(pass_ms):
    serving = Serving(pass_ms, 0.75, DraftCost(ratio=0.1))
    table = by_batch(serving, [1, 8], 0)
    assert table.speedup.shape == table.known.shape == (2, 17) and table.plain_ms.tolist() == [20, 20]
    assert table.best.tolist() == [5, 5]
    assert load_map(serving, [1, 8], [0, 9, 99]).best.tolist() == [[5, 5]] * 3


def test_a_pass_of_plain_numbers_is_asked_one_by_one():
    serving = Serving(widget, 0.75, DraftCost(ratio=0.1))
    sizes, lengths, speeds = zip(*REGRESSION, strict=True)
    table = by_batch(serving, sizes, 4096)
    assert table.best.tolist() == list(lengths) and table.at_best().round(2).tolist() == list(speeds)
    assert table.plain_ms.tolist() == [widget(1, size, 4096) for size in sizes]
    found = load_map(serving, sizes, [4096, 131_072])
    assert found.best[0].tolist() == list(lengths)
    alone = load_map(serving, sizes, [131_072])
    assert found.best[1].tolist() == alone.best[0].tolist()


@pytest.mark.parametrize(
    "pass_ms",
    [
        lambda q, b, s: 20.0 + (5.0 if q * b > 30 else 0.0),
        lambda q, b, s: 20.0 + 5.0 * math.floor(q * b / 7),
        lambda q, b, s: {True: 20.0, False: 30.0}[q * b <= 30],
        lambda q, b, s: max(20.0, q * b),
    ],
)
def test_plain_numbers_mean_the_same_in_a_table(pass_ms):
    table = by_batch(Serving(pass_ms, 0.8, DraftCost(ratio=0.05)), range(1, 40), 0)
    for batch in range(1, 40):
        k, speedup = best_k(pass_ms, alpha=0.8, batch_size=batch, context_tokens=0, draft_cost_ratio=0.05, max_k=16)
        assert (table.best[batch - 1], table.at_best()[batch - 1]) == (k, pytest.approx(speedup))


# A round


@given(rooflines, alphas, draft_costs, st.floats(0, 1000), drafts, batches, contexts)
def test_everything_about_a_round_is_finite_over_the_whole_domain(roofline, alpha, draft, overhead, k, batch, context):
    serving = Serving(roofline, alpha, draft, overhead_ms=overhead)
    load = (k, batch, context)
    plain = float(serving.plain_ms(batch, context))
    round_ms, wasted = float(serving.round_ms(*load)), float(serving.wasted_ms(*load))
    parts = (serving.draft_ms(*load), serving.verify_ms(*load), serving.tpot_ms(*load), serving.speedup(*load))
    assert all(np.isfinite(part) and part >= 0 for part in (*parts, round_ms, wasted)) and plain > 0
    assert -1e-9 * round_ms <= wasted <= (round_ms - plain) + 1e-9 * round_ms
    assert float(serving.speedup(*load)) == pytest.approx(plain / round_ms * float(serving.tau(k)), rel=1e-9)
    if k == 0:
        assert (round_ms, wasted, float(serving.speedup(*load))) == (plain, 0, 1)


@given(alphas, drafts, st.lists(st.floats(0, 10), max_size=5).map(tuple))
def test_tokens_per_round_are_those_of_the_acceptance(alpha, k, shape):
    serving = Serving(lambda q, b, s: 1.0 + 0 * q * b, alpha, shape=shape)
    assert float(serving.tau(k)) == pytest.approx(serving.acceptance(k).mean_acceptance_length)
    assert float(serving.tau(k)) == pytest.approx(Acceptance.shaped(alpha, k, shape).mean_acceptance_length)


@given(draft_costs, st.floats(0.001, 1e5))
def test_the_shape_decides_how_a_draft_grows(draft, plain):
    costs = draft.draft_ms(np.arange(9), plain)
    one = draft.ratio * plain + draft.ms
    assert costs[0] == 0 and costs[1] == pytest.approx(one)
    wanted = np.arange(1, 9) * one if draft.shape == "sequential" else np.full(8, one)
    assert costs[1:] == pytest.approx(wanted)


def test_all_is_wasted_where_nothing_is_accepted_and_nothing_where_all_is():
    growing = AffinePass(10, 0.5, 0, 0)
    for alpha, wanted in ((0, 4 * 2 + 4 * 8 * 0.5), (1, 0)):
        serving = Serving(growing, alpha, DraftCost(ms=2))
        assert float(serving.wasted_ms(4, 8, 0)) == pytest.approx(wanted)


def test_a_shorter_checking_pass_gives_no_waste_back():
    """Where checking takes less than a plain step, as captured graphs can, only drafting is wasted."""
    serving = Serving(from_pairs([1, 5], [20, 12]), 0, DraftCost(ms=2))
    assert float(serving.wasted_ms(4, 1, 0)) == pytest.approx(8)


def test_beyond_the_largest_measured_pass_nothing_is_the_best():
    """Ten tokens were measured: at batch 4 one draft is 8 tokens, two are 12. Off is always known."""
    serving = Serving(from_pairs([1, 10], [20, 20.1]), 0.9, largest_tokens=10)
    table = by_batch(serving, [1, 4, 6, 99], 0, max_k=12)
    assert table.known.sum(axis=1).tolist() == [10, 2, 1, 1] and table.known[:, 0].all()
    assert table.best.tolist() == [9, 1, 0, 0] and table.at_best()[2:].tolist() == [1, 1]
    found = load_map(serving, [1, 4, 6, 99], [0, 500], max_k=12)
    assert found.best.tolist() == [table.best.tolist()] * 2 and (found.speedup[:, 2:] == 1).all()


def test_the_largest_measured_pass_is_that_of_the_pass_unless_given():
    measured = from_pairs([1, 10], [20, 20.1])
    assert Serving(measured, 0.9).largest_tokens == 10 and Serving(measured, 0.9, largest_tokens=4).largest_tokens == 4
    assert by_batch(Serving(measured, 0.9), [1, 4], 0).known.sum(axis=1).tolist() == [10, 2]
    assert by_batch(Serving(measured, 0.9, largest_tokens=4), [1, 4], 0).known.sum(axis=1).tolist() == [4, 1]
    assert by_batch(Serving(AffinePass(), 0.9), [1, 4096], 0).known.all()


def test_a_context_where_only_one_token_was_measured_decides_nothing():
    """At 4,096 tokens of context one point: flat beyond it, which would make every draft free."""
    serving = Serving(MeasuredPass(Points([1, 64, 1], [0, 0, 4096], [10, 40, 15])), 0.9)
    assert by_batch(serving, [1, 8], 4096).best.tolist() == [0, 0]


def test_what_a_shape_usually_costs():
    """A lookup takes next to nothing: 0.5875 % of a step in SpecDecode-Bench (arXiv 2601.11580)."""
    assert set(USUAL_RATIOS) == set(SHAPES) == set(get_args(DraftShape))
    assert USUAL_RATIOS["sequential"] == Drafter().draft_cost_ratio == 0.1
    lookup = Drafter(draft_cost_ratio=USUAL_RATIOS["lookup"]).cost("lookup")
    assert float(lookup.draft_ms(5, 20.0)) == pytest.approx(0.1175)


def test_a_measured_draft_step_is_added_to_each_step():
    """Steps of 1 ms + 0.25 ms a sequence, beside a tenth of a plain step of 20 ms and half a millisecond."""
    sizes = np.array([1, 8])
    wanted: dict[DraftShape, int] = {"sequential": 4, "parallel": 1, "lookup": 1, "heads": 1}
    for shape, steps in wanted.items():
        cost = DraftCost(shape, 0.1, 0.5, lambda batch: 1 + 0.25 * batch)
        assert cost.draft_ms(4, 20.0, sizes) == pytest.approx(steps * np.array([3.75, 5.5]))
        assert cost.draft_ms(0, 20.0, sizes).tolist() == [0, 0]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_drafter_says_what_drafting_costs(shape):
    drafter = Drafter(draft_cost_ratio=0.25, draft_step_ms=3)
    assert drafter.cost(shape) == DraftCost(shape, ratio=0.25, ms=3)


def test_a_round_by_hand():
    """20 ms at 8 tokens, 26 at 32; 3 drafts of a tenth and 1 ms; 2 ms beside. tau = 1 + .5 + .25 + .125."""
    serving = Serving(from_pairs([8, 32], [20, 26]), 0.5, DraftCost(ratio=0.1, ms=1), overhead_ms=2, standing_cost=0.19)
    assert float(serving.round_ms(3, 8, 0)) == pytest.approx(3 * 3 + 26 + 2)
    assert float(serving.tpot_ms(3, 8, 0)) == pytest.approx(37 / 1.875)
    assert float(serving.speedup(3, 8, 0)) == pytest.approx(20 * 1.875 / 37)
    assert float(serving.wasted_ms(3, 8, 0)) == pytest.approx((3 - 0.875) / 3 * (9 + 6))
    assert serving.off_speedup == pytest.approx(444.6 / 548.6, abs=0.001)


@given(passes, alphas, draft_costs)
def test_scalars_and_arrays_of_a_round_agree(pass_ms, alpha, draft):
    serving = Serving(pass_ms, alpha, draft, overhead_ms=0.5)
    k, batch, context = np.array([0, 1, 7]), np.array([[1], [200]]), np.array([[[0]], [[5000]]])
    for name in ("round_ms", "tpot_ms", "speedup", "wasted_ms", "draft_ms", "verify_ms"):
        grid = getattr(serving, name)(k, batch, context)
        assert grid.shape == (2, 2, 3)
        for c, b, j in np.ndindex(2, 2, 3):
            one = float(getattr(serving, name)(int(k[j]), int(batch[b, 0]), int(context[c, 0, 0])))
            assert grid[c, b, j] == pytest.approx(one, rel=1e-9, abs=1e-9 * float(serving.round_ms(7, 200, 5000)))


@given(
    passes, alphas, draft_costs, st.lists(batches, min_size=1, max_size=4), st.lists(contexts, min_size=1, max_size=3)
)
def test_the_map_is_made_of_tables(pass_ms, alpha, draft, sizes, lengths):
    serving = Serving(pass_ms, alpha, draft)
    found = load_map(serving, sizes, lengths, max_k=8)
    assert found.best.shape == found.speedup.shape == (len(lengths), len(sizes))
    for row, context in enumerate(lengths):
        table = by_batch(serving, sizes, context, max_k=8)
        assert found.best[row].tolist() == table.best.tolist()
        assert found.speedup[row] == pytest.approx(table.at_best())


@given(lines(), alphas, draft_costs, st.floats(0, 0.99), batches)
def test_a_standing_cost_only_makes_drafts_longer(line, alpha, draft, cost, batch):
    table = by_batch(Serving(line, alpha, draft, standing_cost=cost), [batch], 1024)
    assert table.loaded[0, 0] == 1 - cost and (table.loaded[:, 1:] == table.speedup[:, 1:]).all()
    assert table.best_loaded[0] >= table.best[0]
    assert table.best[0] == 0 or table.best_loaded[0] == table.best[0]


def test_speculation_pays_again_at_long_contexts():
    """Many short requests are bound by arithmetic; with long caches reading them is what takes time."""
    serving = Serving(RooflinePass(TargetModel(), Accelerator()), 0.75, DraftCost(ratio=0.1))
    found = load_map(serving, [512], [128, 8192])
    assert found.best[1, 0] > found.best[0, 0] and found.speedup[1, 0] > 1.3 * found.speedup[0, 0]


def test_the_first_of_equals_up_to_rounding():
    assert first_highest(np.array([[1.0, 1.0 + 1e-15], [0.5, 1.0], [1.0, 1.0 + 1e-9]])).tolist() == [0, 1, 1]


# The whole chain against another one: a roofline in plain numbers, and rounds that are played


def seconds(chip, dense, experts, attention, q, batch, context):
    """A pass in SI units: chip (FLOP/s dense, experts, 16 bits; byte/s), dense (weights, bytes), experts, attention."""
    dense_flops, expert_flops, flops, bandwidth = chip
    total = max(2 * dense[0] * batch * q / dense_flops, dense[0] * dense[1] / bandwidth)
    if experts:
        every, used, shared, weights, size = experts
        missed = 1.0
        for _ in range(batch * q):
            missed *= 1 - used / every
        read = every * (1 - missed) + shared
        total += max(2 * (used + shared) * weights * batch * q / expert_flops, read * weights * size / bandwidth)
    compute = read_cache = 0.0
    for macs, cache, window in attention:
        compute += 2 * macs * min(context, window) * q / flops
        read_cache += cache * min(context, window) / bandwidth
    return total + batch * max(compute, read_cache) + 1.207e-3


LLAMA = ((692.65e12, 692.65e12, 692.65e12, 2.68e12), (8.03e9, 2), None, [(262_144, 131_072, 1e99)])
OSS_EXPERT = (116.83e9 - 5.13e9) / 124
OSS = (
    (1575e12, 6300e12, 1575e12, 6.4e12),
    (5.13e9 - 4 * OSS_EXPERT, 2),
    (128, 4, 0, OSS_EXPERT, 0.53125),
    [(147_456, 36_864, 1e99), (147_456, 36_864, 128)],
)
V3_EXPERT = (671.03e9 - 37.55e9) / 248
V3 = (
    (8 * 1385.3e12, 8 * 1385.3e12, 8 * 692.65e12, 8 * 3.84e12),
    (37.55e9 - 9 * V3_EXPERT, 1),
    (256, 8, 1, V3_EXPERT, 1),
    [(8_495_104, 70_272, 1e99)],
)
CHAINS = {
    "llama on h100": (target_model("llama31_8b"), accelerator("h100_sxm"), LLAMA),
    "gpt-oss on b200": (target_model("gpt_oss_120b"), accelerator("b200"), OSS),
    "deepseek on 8 h200": (target_model("deepseek_v3"), accelerator("h200").replace(count=8), V3),
}


def played(rng, acceptance, k, round_s, rounds):
    """Tokens per second of a sequence over rounds that are played, and the standard error of its tokens per round."""
    emitted = []
    for _ in range(rounds):
        tokens = 1
        for draft in range(k):
            if rng.random() >= acceptance[draft]:
                break
            tokens += 1
        emitted.append(tokens)
    return sum(emitted) / (rounds * round_s), float(np.std(emitted)) / rounds**0.5


@pytest.mark.parametrize("preset", CHAINS)
@pytest.mark.parametrize(("batch", "context", "k"), [(1, 2048, 3), (4, 100, 7), (32, 30_000, 5), (256, 1024, 2)])
def test_speedups_are_those_of_rounds_that_are_played(preset, batch, context, k):
    model, chip, numbers = CHAINS[preset]
    serving = Serving(RooflinePass(model, chip), 0.7, DraftCost("sequential", 0.05, 0.2), (0.9,), overhead_ms=0.3)
    plain = seconds(*numbers, 1, batch, context)
    round_s = k * (0.05 * plain + 0.2e-3) + seconds(*numbers, k + 1, batch, context) + 0.3e-3
    assert float(serving.plain_ms(batch, context)) == pytest.approx(1000 * plain, rel=1e-9)
    assert float(serving.round_ms(k, batch, context)) == pytest.approx(1000 * round_s, rel=1e-9)
    rng = random.Random(f"{preset} {batch}")
    speed, error = played(rng, [0.7, *[0.63] * (k - 1)], k, round_s, 10_000)
    assert float(serving.speedup(k, batch, context)) == pytest.approx(speed * plain, abs=4 * error * plain / round_s)
    tpot = 1000 / speed
    assert float(serving.tpot_ms(k, batch, context)) == pytest.approx(tpot, abs=4 * tpot * error / (speed * round_s))


def test_a_measured_table_that_is_not_monotone_decides_as_it_is():
    """One CPU thread, float32 (means, context 150): three tokens cost more than four, so k = 3 beats k = 2."""
    measured = from_pairs((1, 2, 3, 4, 5), (37.35, 61.82, 77.08, 56.37, 62.77))
    speeds = by_batch(Serving(measured, 0.9), [1], 150, max_k=4).speedup[0]
    assert speeds[3] > 1.5 * speeds[2] and speeds[3] == pytest.approx(3.439 * 37.35 / 56.37)
    assert best_k(measured, alpha=0.9, batch_size=1, context_tokens=150, draft_cost_ratio=0, max_k=3)[0] == 3
