"""The configuration to paste: an answer (method, k, perhaps a schedule by batch size) in the words of one engine.

A snippet names the version whose option names it uses; where they come from stands in `specmodel.engine.config_text`.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from numbers import Integral

from specmodel.base.messages import Message, Verbatim
from specmodel.engine import config_text as text
from specmodel.engine.config_text import (
    LLAMA_CPP,
    SGLANG,
    TENSORRT_LLM,
    VLLM,
    SnippetError,
    find_method,
    method_notes,
    methods,
)
from specmodel.model.acceptance import Acceptance

__all__ = ["MAX_K", "Request", "Snippet", "SnippetError", "methods", "snippet", "synthetic_snippet"]

MAX_K = 64


@dataclass(frozen=True)
class Request:
    """What is to be configured. `num_speculative_tokens` = 0 is off.

    `schedule` holds tiers (last batch size, k), the first from batch size 1, each following one from where the one
    before ends; the longest k in it is `num_speculative_tokens`. `acceptance`, if measured, is told in the notes.

    >>> Request("vLLM", "eagle3", 5, ((32, 5), (128, 2), (512, 0))).ranges
    ((1, 32, 5), (33, 128, 2), (129, 512, 0))
    """

    engine: str
    method: str
    num_speculative_tokens: int
    schedule: tuple[tuple[int, int], ...] = ()
    acceptance: Acceptance | None = None

    def __post_init__(self) -> None:
        find_method(self.engine, self.method)
        object.__setattr__(self, "num_speculative_tokens", _whole(self.num_speculative_tokens))
        object.__setattr__(self, "schedule", tuple((_whole(end), _whole(k)) for end, k in self.schedule))
        _check_k(self.num_speculative_tokens)
        _check_schedule(self.schedule, self.num_speculative_tokens)

    @property
    def ranges(self) -> tuple[tuple[int, int, int], ...]:
        """The tiers as (first batch size, last batch size, k): contiguous, both ends included."""
        ends = (0, *(end for end, _ in self.schedule))
        return tuple((before + 1, end, k) for before, (end, k) in zip(ends, self.schedule, strict=False))


@dataclass(frozen=True)
class Snippet:
    """What to paste. `language` is "shell" or "yaml"; `placeholders` are the words in `text` to replace.

    `source` says where the option names of `version` were read; `config_text.PLACEHOLDERS` explains the placeholders.
    """

    engine: str
    version: str
    language: str
    text: str
    placeholders: tuple[str, ...]
    notes: tuple[Message, ...]
    source: str


def snippet(request: Request) -> Snippet:
    """The configuration of one engine.

    >>> print(snippet(Request("vLLM", "mtp", 1)).text)
    vllm serve YOUR_MODEL --speculative-config '{"method": "mtp", "num_speculative_tokens": 1}'
    >>> print(snippet(Request("llama.cpp", "draft_model", 0)).text)
    llama-server -m YOUR_MODEL.gguf --spec-type none
    """
    pasted, notes = _BUILDERS[request.engine](request)
    told = text.acceptance_notes(request.acceptance, request.num_speculative_tokens)
    return _finished(request.engine, pasted, (*notes, *told))


def synthetic_snippet(acceptance: Acceptance, method: str = "eagle3") -> Snippet:
    """A vLLM configuration that accepts drafts by lot as often as was measured, to time a step without a good drafter.

    `synthetic_acceptance_rates` are the unconditional S_1 … S_k, rounded to 4 decimals without ever rising.

    >>> print(synthetic_snippet(Acceptance.iid(0.5, 2), "mtp").text)
    vllm serve YOUR_MODEL --speculative-config '{"method": "mtp", "num_speculative_tokens": 2,
    "rejection_sample_method": "synthetic", "synthetic_acceptance_rates": [0.5, 0.25]}'
    """
    k = acceptance.num_speculative_tokens
    if k == 0:
        raise SnippetError(Message("synthetic acceptance needs at least one drafted token"))
    request = Request(VLLM, method, k)
    rates = list(accumulate((round(rate, 4) for rate in acceptance.per_position_acceptance), min))
    config = {**_vllm_config(request), "rejection_sample_method": "synthetic", "synthetic_acceptance_rates": rates}
    notes = (text.SYNTHETIC, Message(text.SYNTHETIC_LENGTH, {"tau": 1 + sum(rates)}))
    return _finished(VLLM, _vllm_command(config), (*notes, *_vllm_notes(request)))


def _whole(value: int) -> int:
    return int(value) if isinstance(value, Integral) else value


def _check_k(k: int) -> None:
    if type(k) is not int or not 0 <= k <= MAX_K:
        message = "{k} drafted tokens cannot be configured: expected a whole number from 0 to {most}"
        raise SnippetError(Message(message, {"k": Verbatim(k), "most": MAX_K}))


def _check_schedule(schedule: tuple[tuple[int, int], ...], k: int) -> None:
    ends, lengths = [end for end, _ in schedule], [length for _, length in schedule]
    for length in lengths:
        _check_k(length)
    if any(type(end) is not int for end in ends) or any(end <= before for before, end in pairwise([0, *ends])):
        message = "the last batch sizes of a schedule must be whole numbers that rise from 1 on; got {ends}"
        raise SnippetError(Message(message, {"ends": Verbatim(ends)}))
    if schedule and max(lengths) != k:
        message = "the longest K of a schedule must be the number of drafted tokens, {k}; got {lengths}"
        raise SnippetError(Message(message, {"k": k, "lengths": Verbatim(lengths)}))


def _finished(engine: str, pasted: str, notes: tuple[Message, ...]) -> Snippet:
    words = pasted.replace('"', " ").split()
    language = "yaml" if engine == TENSORRT_LLM else "shell"
    named = tuple(name for name in text.PLACEHOLDERS if name in words)
    return Snippet(engine, text.VERSIONS[engine], language, pasted, named, notes, text.SOURCES[engine])


def _vllm(request: Request) -> tuple[str, tuple[Message, ...]]:
    if request.num_speculative_tokens == 0:
        return "vllm serve YOUR_MODEL", (text.OFF_LEFT_OUT,)
    config = _vllm_config(request)
    if request.schedule:
        config["num_speculative_tokens_per_batch_size"] = [list(tier) for tier in request.ranges]
    return _vllm_command(config), _vllm_notes(request)


def _vllm_command(config: Mapping[str, object]) -> str:
    return shlex.join(["vllm", "serve", "YOUR_MODEL", "--speculative-config", json.dumps(config)])


def _vllm_config(request: Request) -> dict[str, object]:
    method = find_method(VLLM, request.method)
    config: dict[str, object] = {"method": method.name}
    if method.needs_drafter:
        config["model"] = "YOUR_DRAFTER"
    config["num_speculative_tokens"] = request.num_speculative_tokens
    if method.key == "ngram":
        config["prompt_lookup_max"] = 4
    if method.key == "pard":
        config["parallel_drafting"] = True
    return config


def _vllm_notes(request: Request) -> tuple[Message, ...]:
    notes = [*method_notes(VLLM, request.method, request.num_speculative_tokens)]
    notes += [text.LOOKUP] if request.method == "ngram" else []
    if request.schedule:
        end, k = request.schedule[-1]
        notes.append(Message(text.PAST_LAST_VLLM, {"end": end, "k": k}))
        notes += [text.NOT_WITH_DP, text.THRESHOLD]
        notes += [] if request.method in ("eagle", "eagle3", "dflash") else [text.UNTESTED]
        notes += [text.ZERO_TIER] if any(k == 0 for _, k in request.schedule) else []
        notes += [text.RISING] if any(b[1] > a[1] for a, b in pairwise(request.schedule)) else []
    return tuple(notes)


def _no_schedule(request: Request) -> tuple[Message, ...]:
    return (Message(text.NO_SCHEDULE, {"engine": Verbatim(request.engine)}),) if request.schedule else ()


def _sglang(request: Request) -> tuple[str, tuple[Message, ...]]:
    k, method = request.num_speculative_tokens, find_method(SGLANG, request.method)
    words = ["python3", "-m", "sglang.launch_server", "--model-path", "YOUR_MODEL"]
    if k == 0:
        return shlex.join(words), (text.OFF_LEFT_OUT,)
    words += ["--speculative-algorithm", method.name]
    if method.needs_drafter:
        words += ["--speculative-draft-model-path", "YOUR_DRAFTER"]
    if method.key == "ngram":
        words += ["--speculative-num-draft-tokens", str(k + 1), "--speculative-ngram-max-bfs-breadth", "1"]
        counts = text.NGRAM_CHAIN
    else:
        words += ["--speculative-num-steps", str(k), "--speculative-eagle-topk", "1"]
        words += ["--speculative-num-draft-tokens", str(k + 1)]
        counts = text.ROOT
    notes = (
        Message(counts, {"k": k, "tokens": k + 1}),
        *method_notes(request.engine, method.key, k),
        *_no_schedule(request),
    )
    adaptive = request.schedule and method.key in ("eagle", "eagle3")
    return shlex.join(words), (*notes, text.SGLANG_ADAPTIVE) if adaptive else notes


def _llama(request: Request) -> tuple[str, tuple[Message, ...]]:
    k, method = request.num_speculative_tokens, find_method(LLAMA_CPP, request.method)
    words = ["llama-server", "-m", "YOUR_MODEL.gguf"]
    if k == 0:
        return shlex.join([*words, "--spec-type", "none"]), (text.OFF_LLAMA,)
    words += ["-md", "YOUR_DRAFTER.gguf"] if method.needs_drafter else []
    length = "--spec-ngram-simple-size-m" if method.key == "ngram" else "--spec-draft-n-max"
    words += ["--spec-type", method.name, length, str(k)]
    about = text.LLAMA_NGRAM if method.key == "ngram" else text.LLAMA_LENGTH
    return shlex.join(words), (about, *method_notes(request.engine, method.key, k), *_no_schedule(request))


def _tensorrt(request: Request) -> tuple[str, tuple[Message, ...]]:
    k, method = request.num_speculative_tokens, find_method(TENSORRT_LLM, request.method)
    source = f"# Option names: NVIDIA/TensorRT-LLM, {text.SOURCES[TENSORRT_LLM]}"
    if k == 0:
        return f"{source}\n# Speculation is off: no speculative_config.", (text.OFF_LEFT_OUT,)
    lines = [source, "speculative_config:", f"  decoding_type: {method.name}", f"  max_draft_len: {k}"]
    notes = [text.TRT_FILE, *method_notes(request.engine, method.key, k)]
    if method.needs_drafter:
        lines.append("  speculative_model: YOUR_DRAFTER")
    if request.schedule:
        lines += ["  draft_len_schedule:", *(f"    {end}: {tier}" for end, tier in request.schedule)]
        notes += _tensorrt_schedule_notes(request)
    if method.key in ("draft_model", "ngram"):
        lines.append("disable_overlap_scheduler: true")
        notes.append(text.TRT_OVERLAP)
    return "\n".join(lines), tuple(notes)


def _tensorrt_schedule_notes(request: Request) -> list[Message]:
    if request.schedule[0][1] != request.num_speculative_tokens:
        message = "TensorRT-LLM wants the longest K, {k}, in the first tier of a schedule; got {first}"
        values = {"k": request.num_speculative_tokens, "first": request.schedule[0][1]}
        raise SnippetError(Message(message, values))
    return [Message(text.PAST_LAST_TRT, {"end": request.schedule[-1][0]}), text.OLD_KEYS]


_BUILDERS: Mapping[str, Callable[[Request], tuple[str, tuple[Message, ...]]]] = {
    VLLM: _vllm,
    SGLANG: _sglang,
    LLAMA_CPP: _llama,
    TENSORRT_LLM: _tensorrt,
}
