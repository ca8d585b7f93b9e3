import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.serving.hardware import Accelerator, accelerator, accelerators, target_model, target_models
from specmodel.serving.roofline import RooflinePass, experts_touched, turning_tokens
from specmodel.serving.target_model import TargetModel
from tests.domains import accelerators as any_accelerator
from tests.domains import models

rooflines = st.builds(RooflinePass, models(), any_accelerator)
loads = st.tuples(st.integers(1, 65), st.integers(1, 4096), st.integers(0, 10_000_000))


# Experts


@pytest.mark.parametrize(("tokens", "experts", "active"), [(1, 8, 2), (3, 8, 2), (16, 128, 8), (40, 32, 4), (6, 6, 6)])
def test_experts_touched_agree_with_drawing_them(tokens, experts, active):
    rng = random.Random(tokens)
    drawn = [len({expert for _ in range(tokens) for expert in rng.sample(range(experts), active)}) for _ in range(4000)]
    error = statistics.pstdev(drawn) / len(drawn) ** 0.5
    assert float(experts_touched(tokens, experts, active)) == pytest.approx(statistics.fmean(drawn), abs=4 * error)


@given(st.integers(1, 10_000), st.integers(0, 10_000), st.integers(1, 100_000))
def test_experts_touched_lie_between_those_of_one_token_and_all(experts, active, tokens):
    active = min(active, experts)
    touched = float(experts_touched(tokens, experts, active))
    assert active * (1 - 1e-9) <= touched <= min(experts, tokens * active) * (1 + 1e-9)
    assert float(experts_touched(1, experts, active)) == pytest.approx(active, abs=1e-8)
    assert float(experts_touched(tokens + 1, experts, active)) >= touched


def test_a_dense_model_has_no_experts_to_touch():
    assert experts_touched([1, 2, 3], 0, 0).tolist() == [0, 0, 0]


# The pass


def by_hand(model: TargetModel, chip: Accelerator, q: int, batch: int, context: int) -> float:
    """The same roofline in seconds, written out with its units, then in ms."""
    tokens = q * batch
    reached = chip.compute_fraction * chip.count * 1e12

    def peak(size: float) -> float:
        fours = [chip.tflops_4] if size <= 0.6 else []
        eights = [chip.tflops_8] if size <= 1.1 else []
        return max(*fours, *eights, chip.tflops_16, 0) * reached

    bandwidth = chip.bandwidth_gb_s * 1e9 * chip.bandwidth_fraction * chip.count
    seconds = max(
        2 * model.dense_weights * tokens / peak(model.dense_bytes), model.dense_weights * model.dense_bytes / bandwidth
    )
    if model.experts:
        read = (
            model.experts - model.experts * (1 - model.active_experts / model.experts) ** tokens + model.shared_experts
        )
        used = (model.active_experts + model.shared_experts) * tokens
        size = model.expert_weights
        seconds += max(2 * used * size / peak(model.expert_bytes), read * size * model.expert_bytes / bandwidth)
    for _ in range(batch):
        windowed = min(context, model.window_tokens)
        pairs = q * (context * model.attention_macs_full + windowed * model.attention_macs_window)
        cached = context * model.kv_bytes_full + windowed * model.kv_bytes_window
        seconds += max(2 * pairs / (chip.tflops_16 * reached), cached / bandwidth)
    return seconds * 1000 + chip.step_overhead_ms + chip.layer_ms * model.layers


@given(models(), any_accelerator, st.integers(1, 65), st.integers(1, 64), st.integers(0, 10_000_000))
def test_a_pass_is_what_it_is_by_hand(model, chip, q, batch, context):
    wanted = by_hand(model, chip, q, batch, context)
    assert float(RooflinePass(model, chip)(q, batch, context)) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("model", target_models())
@pytest.mark.parametrize("chip", ["h100_sxm", "b200", "rtx_4090"])
def test_presets_are_what_they_are_by_hand(model, chip):
    values, hardware = target_model(model), accelerator(chip).replace(count=4)
    for load in [(1, 1, 0), (4, 1, 100_000), (6, 32, 2048), (65, 128, 300)]:
        assert float(RooflinePass(values, hardware)(*load)) == pytest.approx(by_hand(values, hardware, *load), rel=1e-9)


def test_one_step_of_llama_on_one_h100_is_its_bytes():
    """8.03e9 weights of 2 bytes and 2,048 cached tokens of 131,072 bytes at 3.35e12 byte/s: 4.874 ms."""
    chip = accelerator("h100_sxm").replace(bandwidth_fraction=1, compute_fraction=1, step_overhead_ms=0)
    wanted = (8.03e9 * 2 + 2048 * 131_072) / 3.35e12 * 1e3
    assert float(RooflinePass(target_model("llama31_8b"), chip)(1, 1, 2048)) == pytest.approx(wanted)


@given(rooflines, loads)
def test_a_pass_takes_a_positive_finite_time_over_the_whole_domain(roofline, load):
    parts = roofline.parts(*load)
    for name, value in vars(parts).items():
        assert np.isfinite(value) and value >= 0, name
    assert 0 < float(parts.total_ms) < np.inf
    assert float(roofline(*load)) == float(parts.weights_ms + parts.attention_ms + parts.overhead_ms)


@given(rooflines, loads)
def test_a_pass_never_costs_less_than_its_bytes_or_its_arithmetic(roofline, load):
    parts = roofline.parts(*load)
    compute = parts.dense_compute_ms + parts.expert_compute_ms + parts.attention_compute_ms
    bytes_ms = parts.dense_bytes_ms + parts.expert_bytes_ms + parts.attention_bytes_ms
    total = float(parts.total_ms) * (1 + 1e-12)
    assert total >= compute + parts.overhead_ms and total >= bytes_ms + parts.overhead_ms
    assert total <= (compute + bytes_ms + parts.overhead_ms) * (1 + 1e-9)


@given(rooflines, loads, st.integers(1, 1000))
def test_a_pass_never_falls_with_tokens_batch_or_context(roofline, load, more):
    q, batch, context = load
    least = float(roofline(*load)) * (1 - 1e-12)
    for larger in ((q + more, batch, context), (q, batch + more, context), (q, batch, context + more)):
        assert float(roofline(*larger)) >= least


@given(rooflines, loads)
def test_a_faster_machine_is_never_slower(roofline, load):
    chip = roofline.hardware
    for name in ("compute_fraction", "bandwidth_fraction"):
        faster = RooflinePass(roofline.model, chip.replace(**{name: 1}))
        assert float(faster(*load)) <= float(roofline(*load)) * (1 + 1e-12)


@given(rooflines)
def test_scalars_and_arrays_of_a_roofline_agree(roofline):
    q, batch, context = np.array([1, 4, 65]), np.array([[1], [33]]), np.array([[[0]], [[127]], [[100_000]]])
    grid = roofline(q, batch, context)
    assert grid.shape == (3, 2, 3)
    for c, b, t in np.ndindex(3, 2, 3):
        one = float(roofline(int(q[t]), int(batch[b, 0]), int(context[c, 0, 0])))
        assert grid[c, b, t] == pytest.approx(one, rel=1e-12)


def test_a_window_stops_the_growth_of_attention():
    model = target_model("mistral_7b")
    whole = RooflinePass(model, accelerator("h100_sxm"))
    assert float(whole(1, 8, 4096)) == float(whole(1, 8, 1_000_000)) > float(whole(1, 8, 4095))


# Where it turns


@given(st.floats(0.001, 1e6), st.sampled_from([0.53, 1.0, 2.0, 4.0]), any_accelerator)
def test_a_dense_model_turns_where_the_formula_says(billions, size, chip):
    model = TargetModel(total_billions=billions, active_billions=billions, dense_bytes=size)
    wanted = chip.flops(size) * size / (2 * chip.bytes_per_s)
    assert turning_tokens(model, chip) == pytest.approx(max(wanted, 1.0), rel=1e-6, abs=1e-5)


def test_one_h100_turns_at_295_tokens_of_16_bits_and_b200_at_281():
    """989.5e12 / 3.35e12 and 2250e12 / 8e12: FLOP a byte at the peaks, with 2 FLOP and 2 bytes a weight."""
    for key, wanted in (("h100_sxm", 295.37), ("b200", 281.25)):
        peak = accelerator(key).replace(compute_fraction=1, bandwidth_fraction=1)
        assert turning_tokens(TargetModel(), peak) == pytest.approx(wanted, abs=0.01)


@given(models(), any_accelerator)
def test_at_the_turn_arithmetic_takes_over(model, chip):
    turn = turning_tokens(model, chip)
    assert 1 <= turn < np.inf
    whole = RooflinePass(model, chip)

    def surplus(tokens):
        parts = whole.parts(tokens, 1, 0)
        compute, read = parts.dense_compute_ms + parts.expert_compute_ms, parts.dense_bytes_ms + parts.expert_bytes_ms
        return float(compute - read) / float(compute + read)

    assert surplus(turn * 1.001) >= 0
    assert turn == 1 or surplus(turn * 0.999) <= 0


@pytest.mark.parametrize("chip", accelerators())
def test_verification_is_free_below_the_turn_of_a_dense_model(chip):
    hardware, model = accelerator(chip), target_model("llama31_8b")
    whole, turn = RooflinePass(model, hardware), turning_tokens(target_model("llama31_8b"), hardware)
    assert float(whole(np.floor(turn), 1, 0)) == pytest.approx(float(whole(1, 1, 0)), rel=1e-12)
    assert float(whole(np.ceil(turn) * 2, 1, 0)) > 1.5 * float(whole(1, 1, 0)) - hardware.step_overhead_ms
