"""A target model from the text of a Hugging Face config.json: its weights counted, its caches and its arithmetic."""

from dataclasses import dataclass

from specmodel.base.messages import Message
from specmodel.serving.config_json.experts import Experts, experts_of
from specmodel.serving.config_json.families import Family, family_of
from specmodel.serving.config_json.keys import Keys, keys_of
from specmodel.serving.config_json.layers import STATE_PASSES, Attention, attention_of
from specmodel.serving.config_json.stored import NUMBER_BYTES, PLAIN, Stored, stored_of
from specmodel.serving.target_model import GIGA, TargetModel

DIGITS = 4
"""Billions of parameters are kept to 100 thousand of them."""
INDEX_BYTES = 1.0


@dataclass(frozen=True)
class ReadModel:
    """A model as its config.json tells it, the name of its architecture, and what was assumed beside it."""

    architecture: str
    model: TargetModel
    assumed: tuple[Message, ...]


def read_config(text: str) -> ReadModel:
    """The target model of a config.json, in the form in which Hugging Face publishes it.

    Counted are the weights of the language model: embeddings, attention, dense parts or experts with their routers,
    norms; what sees or hears and modules that draft are left out. Caches hold keys and values, or one latent vector, of
    every token in layers with full attention, of the last ones in layers with a window. A layer with a state in place
    of a cache counts as a window of one token that is read and written. Derived here from the architectures' papers.

    Raises `SpecmodelError` with the key and the reason for what cannot be read.

    >>> llama = '''{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
    ... "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "torch_dtype": "bfloat16"}'''
    >>> found = read_config(llama).model
    >>> found.total_billions, found.kv_bytes_full
    (8.0303, 131072.0)
    """
    keys = keys_of(text)
    family = family_of(keys)
    attention = attention_of(keys, family)
    experts = experts_of(keys, family, attention.layers)
    embedding = _embedding(keys, family)
    stored = stored_of(keys)
    model = _model(keys, family, attention, experts, embedding, stored)
    return ReadModel(keys.text("model_type"), model, tuple(keys.assumed))


def _embedding(keys: Keys, family: Family) -> int:
    """Weights of the embedding, and of the output head where it has its own."""
    if keys.get("tie_word_embeddings") is None:
        keys.assume("tie_word_embeddings is missing: as is usual for this architecture.")
    tied = keys.flag("tie_word_embeddings", family.tied)
    return keys.whole("vocab_size") * keys.whole("hidden_size") * (1 if tied else 2)


def _model(
    keys: Keys, family: Family, attention: Attention, experts: Experts, embedding: int, stored: Stored
) -> TargetModel:
    width = keys.whole("hidden_size")
    dense = embedding + attention.weights + width * (1 + family.norms * attention.layers)
    total, used = dense + experts.total, dense + experts.used
    shared = experts.shared if stored.shared else 0
    not_experts = total - int((experts.routed + shared) * experts.expert * experts.layers)
    low = max(not_experts - embedding, 0)
    window = _window_bytes(keys, attention, stored)
    return TargetModel(
        total_billions=round(total / GIGA, DIGITS),
        active_billions=round(used / GIGA, DIGITS),
        experts=experts.routed,
        active_experts=experts.chosen,
        shared_experts=shared,
        dense_bytes=round((embedding * stored.embedding + low * stored.dense) / not_experts, DIGITS),
        expert_bytes=round(stored.expert, 6),
        layers=attention.layers,
        kv_bytes_full=attention.full * stored.cache + attention.index * INDEX_BYTES,
        kv_bytes_window=window,
        kv_bytes_kept=attention.kept * stored.cache,
        window_tokens=1 if attention.state else attention.window_tokens or TargetModel().window_tokens,
        attention_macs_full=attention.macs_full,
        attention_macs_window=attention.macs_window,
    )


def _window_bytes(keys: Keys, attention: Attention, stored: Stored) -> float:
    """Bytes of a token in layers with a window; of a sequence, read and written, where they have a state."""
    if not attention.state:
        return attention.window * stored.cache
    size = NUMBER_BYTES.get(keys.text("mamba_ssm_dtype"), PLAIN)
    keys.assume(
        "Layers with a state in place of a cache are counted as a window of one token: the state, {size:g} bytes a "
        "number, is read and written in every pass. Memory counts it twice: engines that draft keep more than one. "
        "Its arithmetic is left out.",
        size=size,
    )
    return attention.state * size * STATE_PASSES
