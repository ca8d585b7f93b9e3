"""A model from its config.json: sizes as their makers publish them, and files that are refused for a true reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.serving.config_json import read_config
from specmodel.serving.hardware import target_models

# The keys that count, as the published files have them (aiconfigurator_core 0.12.0, model_configs).
LLAMA_8B = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "torch_dtype": "bfloat16",
    "tie_word_embeddings": False,
}  # fmt: skip
QWEN3_30B = {
    "model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768,
    "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "num_experts": 128,
    "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [], "vocab_size": 151936,
    "torch_dtype": "bfloat16", "tie_word_embeddings": False, "attention_bias": False,
}  # fmt: skip
DEEPSEEK_V3 = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
    "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128, "n_routed_experts": 256,
    "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3, "moe_layer_freq": 1,
    "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "vocab_size": 129280, "torch_dtype": "bfloat16", "tie_word_embeddings": False,
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
}  # fmt: skip
GPT_OSS_20B = {
    "model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_hidden_layers": 24,
    "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 32,
    "num_experts_per_tok": 4, "sliding_window": 128, "vocab_size": 201088, "tie_word_embeddings": False,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]},
}  # fmt: skip


def read(config: dict[str, Any], **changes: Any) -> Any:
    """The model of a config with some keys changed; a key that is None is left out."""
    return read_config(json.dumps({key: value for key, value in {**config, **changes}.items() if value is not None}))


@pytest.mark.parametrize(
    ("config", "key"),
    [
        (LLAMA_8B, "llama31_8b"),
        (QWEN3_30B, "qwen3_30b_a3b"),
        (DEEPSEEK_V3, "deepseek_v3"),
        (GPT_OSS_20B, "gpt_oss_20b"),
    ],
)
def test_it_counts_what_the_rows_hold(config: dict[str, Any], key: str) -> None:
    """The rows were counted by hand before there was a reader."""
    found, row = read(config).model, target_models()[key].values
    assert found.total_billions == pytest.approx(row.total_billions, rel=2e-3)
    if key != "gpt_oss_20b":  # whose row has the 3.6 billion of its card, which leaves the embedding out
        assert found.active_billions == pytest.approx(row.active_billions, rel=2e-3)
    for name in ("experts", "active_experts", "layers", "kv_bytes_full", "kv_bytes_window", "attention_macs_full"):
        assert getattr(found, name) == getattr(row, name)


@pytest.mark.parametrize(
    ("key", "total", "active"),
    [
        ("qwen35_27b", 27, 27), ("qwen35_35b_a3b", 35, 3), ("qwen35_122b_a10b", 122, 10), ("qwen35_397b_a17b", 397, 17),
        ("deepseek_v32", 671, 37), ("glm5", 744, 40), ("gemma4_31b", 31, 31), ("gemma4_26b_a4b", 26, 4),
        ("minimax_m27", 230, 10), ("kimi_k25", 1000, 32), ("llama4_scout", 109, 17), ("llama4_maverick", 400, 17),
    ],
)  # fmt: skip
def test_rows_that_it_counted_are_as_large_as_their_names_say(key: str, total: float, active: float) -> None:
    row = target_models()[key].values
    assert row.total_billions == pytest.approx(total, rel=0.04)
    assert row.active_billions == pytest.approx(active, rel=0.16)  # makers count embeddings or not


def test_what_is_not_said_is_named() -> None:
    assert [str(each) for each in read(LLAMA_8B).assumed] == ["No quantization is named in it: weights of 2 bytes."]
    found = read(LLAMA_8B, tie_word_embeddings=None, torch_dtype=None, num_key_value_heads=None)
    assert len(found.assumed) == 4
    assert found.model.kv_bytes_full == 4 * read(LLAMA_8B).model.kv_bytes_full


@pytest.mark.parametrize(
    ("quantization", "size"),
    [
        ({"quant_method": "fp8"}, 1.0),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, (4 + 20 / 128) / 8),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, 9 / 16),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 9 / 16),
    ],
)
def test_quantized_weights_are_smaller(quantization: dict[str, Any], size: float) -> None:
    found = read(QWEN3_30B, quantization_config=quantization).model
    assert found.expert_bytes == pytest.approx(size, rel=1e-5)
    assert size < found.dense_bytes < 2  # the embedding is not quantized


def test_sparse_attention_keeps_what_it_does_not_read() -> None:
    sparse = read(
        DEEPSEEK_V3, model_type="deepseek_v32", index_topk=2048, index_n_heads=64, index_head_dim=128
    ).model  # fmt: skip
    plain = read(DEEPSEEK_V3).model
    assert sparse.kv_bytes_kept == plain.kv_bytes_full
    assert sparse.cache_bytes(100_000) > plain.cache_bytes(100_000)
    assert sparse.kv_bytes_full * 100_000 + sparse.kv_bytes_window * 2048 < plain.kv_bytes_full * 100_000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no text"),
        ("{", "no JSON"),
        ("[1]", "no object"),
        ("{}", "model_type is missing"),
        ('{"model_type": "mamba9"}', "mamba9 is not known"),
        ("[" * 100_000, "nested"),
        ("x" * 300_000, "too many"),
        ('{"model_type": ' + "9" * 5000 + "}", "too long"),
    ],
)
def test_what_is_no_config_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(SpecmodelError, match=says):
        read_config(text)


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": -1}, {"num_hidden_layers": 1.5}, {"hidden_size": "large"}, {"vocab_size": None},
        {"num_experts_per_tok": 128}, {"torch_dtype": "int3"}, {"quantization_config": {"quant_method": "magic"}},
        {"mlp_only_layers": "all"}, {"tie_word_embeddings": "yes"}, {"hidden_size": float("inf")},
    ],
)  # fmt: skip
def test_keys_that_make_no_sense_are_refused_by_name(changes: dict[str, Any]) -> None:
    with pytest.raises(SpecmodelError) as error:
        read(QWEN3_30B, **changes)
    assert next(iter(changes)) in str(error.value) or "magic" in str(error.value) or "expert" in str(error.value)


scalars = st.none() | st.booleans() | st.integers(-5, 10**9) | st.floats() | st.text(max_size=8)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


@given(st.sampled_from([LLAMA_8B, QWEN3_30B, DEEPSEEK_V3, GPT_OSS_20B]), st.data())
def test_it_is_read_or_refused_whatever_stands_in_it(config: dict[str, Any], data: st.DataObject) -> None:
    changed = data.draw(st.dictionaries(st.sampled_from(sorted(config)), anything, min_size=1, max_size=4))
    try:
        model = read(config, **changed).model
    except SpecmodelError as error:
        assert str(error)
    else:
        assert 0 < model.active_billions <= model.total_billions
