"""The tables of accelerators and models against numbers that are counted again here."""

import csv
import dataclasses
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import OutOfDomain
from specmodel.base.params import Param, UnknownParameter, declarations
from specmodel.serving import hardware
from specmodel.serving.hardware import Accelerator, accelerator, accelerators, target_model, target_models
from specmodel.serving.target_model import TargetModel
from tests.domains import accelerators as any_accelerator
from tests.domains import models

DATA = Path(hardware.__file__).parents[1] / "data"


class Config(NamedTuple):
    """Numbers of a model's config file; `extra` are weights of a layer beside attention, MLP and router."""

    full: int
    window: int
    width: int
    inner: int
    vocabulary: int
    heads: int
    kv_heads: int
    head: int
    experts: int = 0
    active: int = 0
    embeddings: int = 2
    extra: int = 0
    expert_extra: int = 0

    @property
    def layers(self) -> int:
        return self.full + self.window

    @property
    def expert(self) -> int:
        return 3 * self.width * self.inner + self.expert_extra

    @property
    def total(self) -> int:
        attention = self.width * self.head * (2 * self.heads + 2 * self.kv_heads)
        mlp = self.experts * (self.expert + self.width) if self.experts else self.expert
        ends = self.embeddings * self.vocabulary * self.width + self.width
        return ends + self.layers * (attention + mlp + 2 * self.width + self.extra)

    @property
    def used(self) -> int:
        return self.total - self.layers * (self.experts - self.active) * self.expert if self.experts else self.total


OSS_BIASES = {"extra": 64 * 64 + 2 * 8 * 64 + 2880 + 64, "expert_extra": 2 * 2880 + 2880}  # q, k, v, o, sinks; experts
CONFIGS = {
    "llama31_8b": Config(32, 0, 4096, 14336, 128256, 32, 8, 128),
    "llama33_70b": Config(80, 0, 8192, 28672, 128256, 64, 8, 128),
    "llama32_1b": Config(16, 0, 2048, 8192, 128256, 32, 8, 64, embeddings=1),
    "qwen3_8b": Config(36, 0, 4096, 12288, 151936, 32, 8, 128, extra=256),
    "qwen3_32b": Config(64, 0, 5120, 25600, 151936, 64, 8, 128, extra=256),
    "qwen3_30b_a3b": Config(48, 0, 2048, 768, 151936, 32, 4, 128, 128, 8, extra=256),
    "qwen3_235b_a22b": Config(94, 0, 4096, 1536, 151936, 64, 4, 128, 128, 8, extra=256),
    "mixtral_8x7b": Config(32, 0, 4096, 14336, 32000, 32, 8, 128, 8, 2),
    "mistral_7b": Config(0, 32, 4096, 14336, 32000, 32, 8, 128),
    "gpt_oss_20b": Config(12, 12, 2880, 2880, 201088, 64, 8, 64, 32, 4, **OSS_BIASES),
    "gpt_oss_120b": Config(18, 18, 2880, 2880, 201088, 64, 8, 64, 128, 4, **OSS_BIASES),
    "gemma3_27b": Config(10, 52, 5376, 21504, 262144, 32, 16, 128, embeddings=1, extra=2 * 5376 + 256),
    "vicuna_7b": Config(32, 0, 4096, 11008, 32000, 32, 32, 128),
    "vicuna_13b": Config(40, 0, 5120, 13824, 32000, 40, 40, 128),
}
ROUTER_BIASES = {"gpt_oss_20b": 24 * 32, "gpt_oss_120b": 36 * 128}
WITHOUT_INPUT_EMBEDDING = {"gpt_oss_20b", "gpt_oss_120b"}  # the vendor's way to count active parameters


@pytest.mark.parametrize("key", CONFIGS)
def test_parameters_of_a_model_are_those_of_its_config(key):
    config, model = CONFIGS[key], target_model(key)
    embedding = config.vocabulary * config.width if key in WITHOUT_INPUT_EMBEDDING else 0
    biases = ROUTER_BIASES.get(key, 0)
    assert model.total_billions == pytest.approx((config.total + biases) / 1e9, abs=0.0051)
    assert model.active_billions == pytest.approx((config.used + biases - embedding) / 1e9, abs=0.0051)
    assert (model.experts, model.active_experts, model.layers) == (config.experts, config.active, config.layers)
    assert model.expert_weights == pytest.approx(config.expert * config.layers if config.experts else 0, rel=0.036)


@pytest.mark.parametrize("key", CONFIGS)
def test_cache_and_attention_of_a_model_are_those_of_its_config(key):
    """K and V of every head at 16 bits; one multiply-accumulate a component for the score and one for the sum."""
    config, model = CONFIGS[key], target_model(key)
    for layers, kind in ((config.full, "full"), (config.window, "window")):
        assert getattr(model, f"kv_bytes_{kind}") == 2 * 2 * config.kv_heads * config.head * layers
        assert getattr(model, f"attention_macs_{kind}") == 2 * config.heads * config.head * layers


def test_deepseek_v3_is_counted_from_its_config():
    """Latent attention: 512 + 64 numbers a token and layer; queries attend in the latent space. 3 of 61 are dense."""
    width, heads, latent, rope = 7168, 128, 512, 64
    attention = width * 1536 + 1536 + 1536 * heads * 192 + width * (latent + rope) + latent
    attention += latent * heads * 256 + heads * 128 * width + 2 * width
    expert = 3 * width * 2048
    sparse = 257 * expert + 256 * width + 256
    total = 2 * 129280 * width + width + 61 * attention + 3 * 3 * width * 18432 + 58 * sparse
    model = target_model("deepseek_v3")
    assert model.total_billions == pytest.approx(total / 1e9, abs=0.0051)
    assert model.active_billions == pytest.approx((total - 58 * 248 * expert) / 1e9, abs=0.0051)
    assert (model.kv_bytes_full, model.attention_macs_full) == (
        (latent + rope) * 2 * 61,
        heads * (2 * latent + rope) * 61,
    )
    assert model.expert_weights == pytest.approx(58 * expert, rel=1e-3)


def test_deepseek_v4_flash_has_the_constants_of_the_widget():
    """fergusfinn.com, SpecDecOptimalGamma: W = 107e6, w = 25.2e6, 576 bytes and 69,632 multiply-accumulates a layer."""
    model = target_model("deepseek_v4_flash")
    assert model.expert_weights / 43 == pytest.approx(25.2e6, rel=1e-4)
    assert model.dense_weights / 43 == pytest.approx(107e6, rel=1e-4)
    assert (model.kv_bytes_full / 43, model.attention_macs_full / 43) == (576, 69_632)
    assert (model.experts, model.active_experts, model.shared_experts) == (256, 6, 1)


PUBLISHED = {
    "llama31_8b": (8.03, 8.03),
    "llama32_1b": (1.24, 1.24),
    "llama33_70b": (70.6, 70.6),
    "qwen3_8b": (8.2, 8.2),
    "qwen3_32b": (32.8, 32.8),
    "qwen3_30b_a3b": (30.5, 3.3),
    "qwen3_235b_a22b": (235, 22),
    "mixtral_8x7b": (46.7, 12.9),
    "gpt_oss_20b": (21, 3.6),
    "gpt_oss_120b": (117, 5.1),
    "deepseek_v3": (671, 37),
}


@pytest.mark.parametrize("key", PUBLISHED)
def test_parameters_are_the_published_ones(key):
    """The vendors' model cards and reports, as far as they round."""
    model = target_model(key)
    assert (model.total_billions, model.active_billions) == pytest.approx(PUBLISHED[key], rel=0.02)


def test_gpt_oss_120b_weighs_what_its_checkpoint_does():
    """openai/gpt-oss: MXFP4 experts, the rest bf16; the files have 65.25 GB. It fits one accelerator of 80 GB."""
    assert target_model("gpt_oss_120b").weight_bytes / 1e9 == pytest.approx(65.25, rel=0.02)


PEAKS = {  # TFLOP/s at 16, 8 and 4 bits, GB/s, GB
    "a100_80gb": (312, 624, 0, 2039, 80),
    "h100_sxm": (989.5, 1979, 0, 3350, 80),
    "h200": (989.5, 1979, 0, 4800, 141),
    "b200": (2250, 4500, 9000, 8000, 180),
    "b300": (2250, 4500, 13500, 8000, 288),
    "mi300x": (1307.4, 2614.9, 0, 5300, 192),
    "l4": (121, 242.5, 0, 300, 24),
    "rtx_4090": (165.2, 330.3, 0, 1008, 24),
}


@pytest.mark.parametrize("key", PEAKS)
def test_peaks_are_the_vendors_dense_ones(key):
    chip = accelerator(key)
    assert (chip.tflops_16, chip.tflops_8, chip.tflops_4, chip.bandwidth_gb_s, chip.memory_gb) == PEAKS[key]


@pytest.mark.parametrize("file", ["accelerators.csv", "target_models.csv"])
def test_every_row_has_a_source_and_values_of_declared_columns(file):
    kind = Accelerator if file == "accelerators.csv" else TargetModel
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    presets = accelerators() if kind is Accelerator else target_models()
    assert [row["key"] for row in rows] == list(presets) and len(rows) >= 10
    for row in rows:
        preset = presets[row["key"]]
        assert None not in row and row.keys() - {"key", "name", "source", "assumed"} <= declarations(kind).keys()
        assert preset.source.strip() and preset.name and row["key"].isidentifier()
        assert set(preset.assumed) <= declarations(kind).keys()
        for name in row.keys() & declarations(kind).keys():
            assert getattr(preset.values, name) == float(row[name] or 0)
    assert len({row["name"] for row in rows}) == len(rows)


def test_rows_are_plausible():
    for preset in accelerators().values():
        chip = preset.values
        if chip.tflops_8 and preset.key != "rtx_3090":
            assert chip.tflops_8 == pytest.approx(2 * chip.tflops_16, rel=0.02)
        assert 30 < chip.tflops_16 / chip.bandwidth_gb_s * 1e3 < 500, "FLOP a byte at 16 bits"
    for preset in target_models().values():
        model = preset.values
        assert model.dense_weights > 0 and model.weight_bytes > 0
        assert (model.experts > 0) == (model.active_billions < model.total_billions)
        assert model.kv_bytes_full + model.kv_bytes_window > 0 and model.window_tokens >= 1


def test_a_preset_that_is_not_there_is_refused_with_those_that_are():
    for find, there in ((accelerator, "h100_sxm"), (target_model, "llama31_8b")):
        with pytest.raises(
            SpecmodelError, match=f"there is no (accelerator|target model) h1000: expected one of .*{there}"
        ):
            find("h1000")


# Bad rows


DECLARED = [
    (kind, declared)
    for kind in (Accelerator, TargetModel)
    for declared in declarations(kind).values()
    if isinstance(declared, Param)
]


@pytest.mark.parametrize(("kind", "declared"), DECLARED, ids=lambda each: getattr(each, "name", None))
def test_a_bad_value_is_refused_by_name(kind, declared):
    bad = [math.nan, math.inf, -math.inf, -1, declared.high * 2, "many", "", None, True]
    bad += [declared.low / 2] if declared.low > 0 else []
    bad += [declared.low + 0.5] if declared.integer else []
    for value in bad:
        with pytest.raises(OutOfDomain) as refused:
            kind(**{declared.name: value})
        assert declared.name in str(refused.value) and declared.label in str(refused.value)


@pytest.mark.parametrize("name", ["bandwidth_gb_s", "tflops_16", "memory_gb", "count", "compute_fraction"])
def test_nothing_can_be_divided_by_zero(name):
    with pytest.raises(OutOfDomain, match=name):
        Accelerator(**{name: 0})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"experts": 8, "active_experts": 9}, "9 active experts of 8"),
        ({"active_experts": 1}, "1 active experts of 0"),
        ({"total_billions": 8, "active_billions": 8.1}, "8.1 billion active parameters of 8"),
        (
            {"total_billions": 100, "active_billions": 10, "experts": 8, "active_experts": 2},
            "10 active of 100 billion parameters do not fit 2 of 8 experts",
        ),
        (
            {"total_billions": 100, "active_billions": 20, "experts": 8, "active_experts": 1, "shared_experts": 1},
            "do not fit 2 of 8 experts",
        ),
        (
            {"total_billions": 100, "active_billions": 10, "experts": 8, "active_experts": 8},
            "all 8 experts are active, but only 10 of 100 billion",
        ),
    ],
)
def test_values_that_contradict_each_other_are_refused_with_both(changes, said):
    with pytest.raises(SpecmodelError, match=said):
        TargetModel(**changes)


@pytest.mark.parametrize(
    ("changes", "dense", "expert"),
    [
        ({"active_billions": 7.5}, 7.5e9, 0),
        ({"shared_experts": 2}, 8.03e9, 0),
        ({"experts": 8, "active_experts": 2}, 8.03e9, 0),
        ({"experts": 8, "active_experts": 8}, 8.03e9, 0),
        ({"total_billions": 90, "active_billions": 10, "experts": 8, "active_experts": 0}, 10e9, 10e9),
    ],
    ids=["embedding not read", "shared without experts", "active = total", "all experts", "no expert used"],
)
def test_values_on_the_way_to_another_model_are_allowed(changes, dense, expert):
    """A reader edits one number after the other; all weights stay in memory."""
    model = TargetModel(**changes)
    assert (model.dense_weights, model.expert_weights) == pytest.approx((dense, expert))
    assert model.weight_bytes == pytest.approx(2e9 * model.total_billions)


def test_a_misspelt_name_is_refused():
    with pytest.raises(UnknownParameter, match="bandwidth_gb_s"):
        Accelerator().replace(bandwith_gb_s=1)


# What follows from the numbers


@given(any_accelerator, st.integers(1, 8))
def test_rates_and_memory_grow_with_the_count(chip, count):
    one, many = dataclasses.replace(chip, count=1), dataclasses.replace(chip, count=count)
    assert many.bytes_per_s == pytest.approx(count * one.bytes_per_s)
    assert many.usable_bytes == pytest.approx(count * one.usable_bytes)
    for size in (0.5, 1, 2, 4):
        assert many.flops(size) == pytest.approx(count * one.flops(size))


def test_arithmetic_runs_at_the_fastest_precision_that_is_wide_enough():
    chip = Accelerator(tflops_16=100, tflops_8=200, tflops_4=400, compute_fraction=1)
    assert [chip.flops(size) / 1e12 for size in (4, 2, 1, 0.53125, 0.5, 0.25)] == [100, 100, 200, 400, 400, 400]
    assert [chip.replace(tflops_4=0).flops(size) / 1e12 for size in (2, 1, 0.5)] == [100, 200, 200]
    assert [chip.replace(tflops_4=0, tflops_8=0).flops(size) / 1e12 for size in (2, 1, 0.5)] == [100, 100, 100]
    assert [chip.replace(tflops_8=0).flops(size) / 1e12 for size in (1, 0.5)] == [100, 400]


@pytest.mark.parametrize("slow", [1e-300, 0.001, 99])
def test_a_narrow_peak_that_is_slower_than_a_wider_one_is_not_used(slow):
    chip = Accelerator(tflops_16=100, tflops_8=200, tflops_4=400, compute_fraction=1)
    assert [chip.replace(tflops_4=slow).flops(size) / 1e12 for size in (2, 1, 0.5)] == [100, 200, 200]
    assert [chip.replace(tflops_8=slow).flops(size) / 1e12 for size in (2, 1, 0.5)] == [100, 100, 400]
    assert chip.replace(tflops_8=slow, tflops_4=slow).flops(0.5) == chip.flops(2)


@given(any_accelerator)
def test_narrower_weights_are_never_slower_and_a_peak_more_never_hurts(chip):
    speeds = [chip.flops(size) for size in (4, 2, 1.1, 1, 0.6, 0.5)]
    assert speeds == sorted(speeds)
    for name in ("tflops_8", "tflops_4"):
        assert chip.replace(**{name: 0}).flops(0.5) <= chip.flops(0.5)


@given(models())
def test_weights_of_a_model_add_up(model):
    """One token uses what is dense, K routed and the shared experts; all of them are the whole model."""
    dense, expert = model.dense_weights, model.expert_weights
    assert dense >= 0 and expert >= 0
    assert dense + (model.active_experts + model.shared_experts) * expert == pytest.approx(model.active_billions * 1e9)
    if model.active_experts < model.experts:
        total = dense + (model.experts + model.shared_experts) * expert
        assert total == pytest.approx(model.total_billions * 1e9)
        wanted = dense * model.dense_bytes + (total - dense) * model.expert_bytes
        assert model.weight_bytes == pytest.approx(wanted, rel=1e-6)


def test_windows_stop_the_growth_of_the_cache():
    model = target_model("gpt_oss_20b")
    assert model.cache_bytes(100) == 100 * 2 * 24576
    assert model.cache_bytes(10_000) == 10_000 * 24576 + 128 * 24576
    both = model.cache_bytes(np.array([[100.0], [10_000.0]]))
    assert both.tolist() == [[float(model.cache_bytes(100))], [float(model.cache_bytes(10_000))]]
