"""In how many bytes weights and caches are stored: the precision of a config.json, and its quantization."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from specmodel.serving.config_json.keys import Keys, refuse, verbatim

NUMBER_BYTES = {"bfloat16": 2.0, "float16": 2.0, "half": 2.0, "float32": 4.0, "float": 4.0, "float8_e4m3fn": 1.0}
PLAIN = 2.0
MXFP4 = 17 / 32
"""4-bit weights with one 8-bit scale for 32 of them, in bytes."""
NVFP4 = 9 / 16
"""4-bit weights with one 8-bit scale for 16 of them, in bytes."""


@dataclass(frozen=True)
class Stored:
    """Bytes of a weight: of embeddings, of other dense weights, of experts; bytes of a number in the cache.

    `shared`: whether shared experts are stored like the routed ones.
    """

    embedding: float = PLAIN
    dense: float = PLAIN
    expert: float = PLAIN
    cache: float = PLAIN
    shared: bool = True


def stored_of(keys: Keys) -> Stored:
    """How weights are stored. Raises `SpecmodelError` for a quantization that is not known.

    >>> stored_of(Keys({"torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8"}}))
    Stored(embedding=2.0, dense=1.0, expert=1.0, cache=2.0, shared=True)
    """
    own = _own_bytes(keys)
    mlx = keys.part("quantization")
    given = keys.part("quantization_config") or keys.part("compression_config")
    if mlx is not None and given in (None, mlx):
        size = _grouped(Keys(mlx), "bits", scale_bits=32)
        return Stored(size, size, size)
    if given is None:
        keys.assume("No quantization is named in it: weights of {size:g} bytes.", size=own)
        return Stored(own, own, own, min(own, PLAIN))
    quantized = Keys(given)
    method = quantized.text("quant_method").lower()
    if method in ("compressed-tensors", "compressed_tensors"):
        size = _compressed(given)
    elif method == "modelopt":
        size = _modelopt(quantized)
    else:
        size = _by_method(quantized, method)
    only_experts = method == "mxfp4" or _left_out(given, "self_attn")
    dense = own if only_experts else size
    shared = method != "mxfp4" and not _left_out(given, "shared_expert")
    keys.assume("Embedding and output head are counted as not quantized.")
    return Stored(own, dense, size, _cache_bytes(given), shared)


def _own_bytes(keys: Keys) -> float:
    name = keys.text("torch_dtype", "dtype").removeprefix("torch.")
    if not name:
        keys.assume("No precision is named: 16 bits.")
        return PLAIN
    if name not in NUMBER_BYTES:
        refuse("{key} = {value} is not known here", key=keys.name_of("torch_dtype", "dtype"), value=name)
    return NUMBER_BYTES[name]


def _by_method(quantized: Keys, method: str) -> float:
    if method in ("fp8", "fbgemm_fp8"):
        return 1.0
    if method == "mxfp4":
        return MXFP4
    if method in ("awq", "gptq", "auto-round"):
        bits = quantized.whole("bits", "w_bit", high=16)
        return _grouped(quantized, "bits", "w_bit", scale_bits=16 + bits)
    if method == "bitsandbytes":
        return NVFP4 if quantized.flag("load_in_4bit", False) else 1.0
    refuse("quantization_config: quant_method = {value} is not known here", value=method)


def _grouped(quantized: Keys, *bits: str, scale_bits: int) -> float:
    """Bytes of a weight with a scale (and a zero) for each group; without groups scales are next to nothing."""
    group = quantized.whole("group_size", "q_group_size", low=-1, default=-1)
    return (quantized.whole(*bits, high=16) + (scale_bits / group if group > 0 else 0)) / 8


def _compressed(given: Mapping[str, Any]) -> float:
    """Bytes of the weights of compressed-tensors: all groups have to be alike."""
    groups = given.get("config_groups")
    weights = [each.get("weights") for each in groups.values() if isinstance(each, dict)] if _is_map(groups) else []
    sizes = set()
    for each in weights:
        if not isinstance(each, dict):
            refuse("quantization_config: config_groups without {key}", key="weights")
        bits, group = Keys(each).whole("num_bits", high=16), Keys(each).whole("group_size", low=-1, default=-1)
        scale = 8 if bits == 4 and each.get("type") == "float" else 16
        sizes.add((bits + (scale / group if group > 0 else 0)) / 8)
    if len(sizes) != 1:
        refuse("quantization_config: {count} precisions of weights, where one is needed", count=len(sizes))
    return sizes.pop()


def _modelopt(quantized: Keys) -> float:
    algorithm = quantized.text("quant_algo").upper()
    sizes = {"FP8": 1.0, "NVFP4": NVFP4, "W4A16_NVFP4": NVFP4, "NVFP4_AWQ": NVFP4}
    if algorithm not in sizes:
        refuse("quantization_config: quant_algo = {value} is not known here", value=algorithm)
    return sizes[algorithm]


def _left_out(given: Mapping[str, Any], part: str) -> bool:
    """Whether the quantization names a part of the layers as left out."""
    names = [given.get(key) for key in ("ignore", "modules_to_not_convert", "exclude_modules")]
    return any(part in str(name) for each in names if isinstance(each, list) for name in each)


def _cache_bytes(given: Mapping[str, Any]) -> float:
    scheme = given.get("kv_cache_scheme")
    if not _is_map(scheme):
        return PLAIN
    bits = Keys(scheme).whole("num_bits", high=16, default=16)
    if bits not in (4, 8, 16):
        refuse("{key} = {value}: 4, 8 or 16 bits are known", key="kv_cache_scheme.num_bits", value=verbatim(bits))
    return bits / 8


def _is_map(value: object) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)
