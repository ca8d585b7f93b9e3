"""The configuration to paste: an answer (method, k, perhaps a schedule by batch size) in the words of one engine.

One file an engine, each with a `SETTING`: where its option names were read, its ways of drafting, and how it writes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from specmodel.base.messages import Message, Verbatim
from specmodel.engine.setting import (
    llama_cpp,
    lm_studio,
    lmdeploy,
    mlc_llm,
    ollama,
    omlx,
    sglang,
    tensorrt_llm,
    vllm,
    words,
)
from specmodel.engine.setting.forms import command_form, kubernetes_form
from specmodel.engine.setting.request import (
    MAX_K,
    DraftingOption,
    EngineSetting,
    Request,
    SnippetError,
    Written,
    usable_name,
)
from specmodel.model.acceptance import Acceptance

__all__ = [
    "ENGINES",
    "LLAMA_CPP",
    "MAX_K",
    "PLACEHOLDERS",
    "SETTINGS",
    "VLLM",
    "Request",
    "Snippet",
    "SnippetError",
    "methods",
    "placeholders_in",
    "snippet",
    "synthetic_snippet",
    "usable_name",
]

_FILES = (vllm, sglang, llama_cpp, tensorrt_llm, lmdeploy, mlc_llm, ollama, lm_studio, omlx)
SETTINGS: Mapping[str, EngineSetting] = {each.ENGINE: each.SETTING for each in _FILES}
ENGINES = tuple(SETTINGS)
PLACEHOLDERS = words.PLACEHOLDERS
VLLM, LLAMA_CPP = vllm.ENGINE, llama_cpp.ENGINE


@dataclass(frozen=True)
class Snippet:
    """What to paste. `language` is that of `text`; `kubernetes` the same as YAML of a manifest, None where it is no
    command line; `placeholders` are the words in `text` to replace, which `PLACEHOLDERS` explains.

    `source` says where the option names of `version` were read.
    """

    engine: str
    version: str
    language: str
    text: str
    kubernetes: str | None
    placeholders: tuple[str, ...]
    notes: tuple[Message, ...]
    source: str


def methods(engine: str) -> tuple[DraftingOption, ...]:
    """The ways of drafting that snippets exist for.

    >>> [method.key for method in methods("llama.cpp")]
    ['draft_model', 'eagle3', 'mtp', 'ngram', 'dflash']
    """
    return _setting(engine).methods


def snippet(request: Request) -> Snippet:
    """The configuration of one engine; `SnippetError` for what it cannot express, or an engine nobody wrote down.

    >>> print(snippet(Request("vLLM", "mtp", 1)).text)
    vllm serve YOUR_MODEL --speculative-config '{"method": "mtp", "num_speculative_tokens": 1}'
    >>> print(snippet(Request("llama.cpp", "draft_model", 0)).text)
    llama-server -m YOUR_MODEL.gguf --spec-type none
    """
    setting = _setting(request.engine)
    setting.method(request.method)
    written = setting.write(request)
    told = words.acceptance_notes(request.acceptance, request.num_speculative_tokens)
    return _finished(setting, request.model, written, told)


def synthetic_snippet(acceptance: Acceptance, method: str = "eagle3", model: str | None = None) -> Snippet:
    """A vLLM configuration that accepts drafts by lot as often as was measured, to time a step without a good drafter.

    >>> print(synthetic_snippet(Acceptance.iid(0.5, 2), "mtp").text)
    vllm serve YOUR_MODEL --speculative-config '{"method": "mtp", "num_speculative_tokens": 2,
    "rejection_sample_method": "synthetic", "synthetic_acceptance_rates": [0.5, 0.25]}'
    """
    return _finished(vllm.SETTING, model, vllm.write_synthetic(acceptance, method, model), ())


def _setting(engine: str) -> EngineSetting:
    if engine not in SETTINGS:
        message = "there is no snippet for the engine {engine}: expected one of {engines}"
        values = {"engine": Verbatim(engine), "engines": Verbatim(", ".join(ENGINES))}
        raise SnippetError(Message(message, values))
    return SETTINGS[engine]


def _finished(setting: EngineSetting, model: str | None, written: Written, told: tuple[Message, ...]) -> Snippet:
    text, notes = command_form(written), [*written.notes]
    name = usable_name(model)
    notes += [words.AS_MEASURED] if name is not None and name in text else []
    if not setting.has_request_switch:
        values = {"engine": Verbatim(setting.engine), "version": Verbatim(setting.version)}
        notes.append(Message(words.NO_REQUEST_SWITCH, values))
    return Snippet(
        setting.engine,
        setting.version,
        written.language,
        text,
        kubernetes_form(written) if setting.starts_server else None,
        placeholders_in(text),
        (*notes, *told),
        setting.source,
    )


def placeholders_in(text: str) -> tuple[str, ...]:
    """The placeholders that a text holds as words of their own.

    >>> placeholders_in('llama-server -m YOUR_MODEL.gguf')
    ('YOUR_MODEL.gguf',)
    """
    found = set(re.findall(r"YOUR_[A-Z_]+(?:\.gguf|\.jsonl)?", text))
    return tuple(name for name in PLACEHOLDERS if name in found)
