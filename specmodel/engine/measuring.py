"""The measurement to run next: one load, against the server with speculation and against the one without.

Where the options were read:
- `vllm bench serve`: vllm/benchmarks/serve.py (commit 009e6d4), datasets/arg_utils.py (commit 237145e), both of 2026.
- SGLang: sglang/benchmark/serving.py of the wheel 0.5.23 (2026-10-30); `sglang.bench_serving` is its deprecated name. A
  line of its custom data set is `{"conversations": [{"content": …}, {"content": …}]}`: prompt and answer.
- aiperf: aiperf/config/flags/cli_config.py of the wheel 0.13.0. Acceptance is in its records where a vLLM server runs
  with `--per-request-spec-decode-metrics` (aiperf/spec_decode/vllm_adapter.py).
- llama-benchy: llama_benchy/config.py of the wheel 0.4.0.
- llama.cpp: tools/server/bench/speed-bench/README.md (commit 440e352); the options of `llama-bench` (its README, commit
  08d0baa) have none of speculation, so that is a tool for the plain model only.
- trtllm-bench: tensorrt_llm/bench/benchmark/throughput.py (commit 000a01d) and its reference of 1.3.0rc26 (`--config`).
- LM Studio: POST /api/v0/chat/completions, its documentation (commit 4694b13) and API changelog (0.3.10).
"""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import N_, Message, Verbatim
from specmodel.engine.run_load import Load
from specmodel.engine.setting import LLAMA_CPP, VLLM, placeholders_in, usable_name
from specmodel.engine.setting import lm_studio as at_home
from specmodel.engine.setting.tensorrt_llm import ENGINE as TENSORRT_LLM
from specmodel.engine.setting.tensorrt_llm import FILE as TENSORRT_FILE

WITH, WITHOUT = "with-speculation", "without-speculation"
SAME_PROMPTS = Message(
    "Both runs send the same prompts at the same load: only then is the difference that of drafting."
)
REQUESTS = N_("{count} requests a run, 10 for each that runs at once and at least 100: more make the verdict surer.")
OWN_PROMPTS = Message("Take prompts of your own traffic: acceptance on random tokens says nothing of it.")


def _line(example: str) -> Message:
    return Message("A line of the file of prompts is `{line}`.", {"line": Verbatim(example)})


@dataclass(frozen=True)
class Measurement:
    """What to run. `text` are the commands for a shell, `placeholders` what to replace in them."""

    tool: str
    text: str
    placeholders: tuple[str, ...]
    notes: tuple[Message, ...]


@dataclass(frozen=True)
class _Tool:
    """A load generator: its command with the name of its result, and what to know of it."""

    name: str
    command: Callable[[Load, str], Sequence[str]]
    notes: tuple[Message, ...]


def tools(engine: str) -> tuple[str, ...]:
    """The load generators for an engine whose output can be read here.

    >>> tools("vLLM"), tools("Ollama")
    (('vllm bench serve', 'llama-benchy', 'aiperf'), ('llama-benchy',))
    """
    return tuple(tool.name for tool in _TOOLS.get(engine, (_BENCHY,)))


def measurement(engine: str, tool: str, load: Load) -> Measurement:
    """The commands of both runs; the first tool of the engine where it has none of that name.

    >>> print(measurement("llama.cpp", "", Load(concurrency=4, output_tokens=256)).text.splitlines()[1])
    python tools/server/bench/speed-bench/speed_bench.py --url YOUR_SERVER --bench qualitative --category all
    --osl 256 --concurrency 4 --output with-speculation.json
    """
    offered = _TOOLS.get(engine, (_BENCHY,))
    found = next((each for each in offered if each.name == tool), offered[0])
    first, second = (shlex.join(found.command(load, name)) for name in (WITH, WITHOUT))
    text = f"# with speculation:\n{first}\n# the same load without:\n{second}"
    requests = (Message(REQUESTS, {"count": load.requests}),) if str(load.requests) in first.split() else ()
    return Measurement(found.name, text, placeholders_in(text), (SAME_PROMPTS, *requests, *found.notes))


def _model(load: Load) -> str:
    return usable_name(load.model) or "YOUR_MODEL"


def _known(value: float | None, placeholder: str) -> str:
    return f"{value:g}" if value is not None else placeholder


def _at(load: Load, rate: str, concurrency: str) -> list[str]:
    """A fixed rate where the run had one, else so many requests at once."""
    if load.rate is not None:
        return [rate, _known(load.rate, "")]
    return [concurrency, _known(load.concurrency, "YOUR_CONCURRENCY")]


def _vllm_bench(load: Load, result: str) -> list[str]:
    command = ["vllm", "bench", "serve", "--base-url", "YOUR_SERVER", "--model", _model(load)]
    command += ["--dataset-name", "custom", "--dataset-path", "YOUR_PROMPTS.jsonl"]
    command += ["--custom-output-len", _known(load.output_tokens, "YOUR_OUTPUT_TOKENS")]
    command += ["--num-prompts", str(load.requests), *_at(load, "--request-rate", "--max-concurrency")]
    return [*command, "--save-result", "--save-detailed", "--result-filename", f"{result}.json"]


def _sglang_bench(load: Load, result: str) -> list[str]:
    command = ["python3", "-m", "sglang.benchmark.serving", "--backend", "sglang", "--base-url", "YOUR_SERVER"]
    command += ["--model", _model(load), "--dataset-name", "custom", "--dataset-path", "YOUR_PROMPTS.jsonl"]
    command += ["--sharegpt-output-len", _known(load.output_tokens, "YOUR_OUTPUT_TOKENS")]
    command += ["--num-prompts", str(load.requests), *_at(load, "--request-rate", "--max-concurrency")]
    return [*command, "--output-file", f"{result}.jsonl"]


def _aiperf(load: Load, result: str) -> list[str]:
    command = ["aiperf", "profile", "--url", "YOUR_SERVER", "--model", _model(load), "--endpoint-type", "chat"]
    command += ["--streaming", "--input-file", "YOUR_PROMPTS.jsonl", "--custom-dataset-type", "single_turn"]
    command += ["--osl", _known(load.output_tokens, "YOUR_OUTPUT_TOKENS"), "--request-count", str(load.requests)]
    return [*command, *_at(load, "--request-rate", "--concurrency"), "--artifact-dir", result]


def _benchy(load: Load, result: str) -> list[str]:
    command = ["llama-benchy", "--base-url", "YOUR_SERVER/v1", "--model", _model(load)]
    command += ["--pp", _known(load.prompt_tokens, "YOUR_PROMPT_TOKENS")]
    command += ["--tg", _known(load.output_tokens, "YOUR_OUTPUT_TOKENS")]
    command += ["--concurrency", _known(load.concurrency, "YOUR_CONCURRENCY"), "--runs", "5"]
    return [*command, "--save-result", f"{result}.md"]


def _speed_bench(load: Load, result: str) -> list[str]:
    command = ["python", "tools/server/bench/speed-bench/speed_bench.py", "--url", "YOUR_SERVER"]
    command += ["--bench", "qualitative", "--category", "all"]
    command += ["--osl", _known(load.output_tokens, "YOUR_OUTPUT_TOKENS")]
    command += ["--concurrency", _known(load.concurrency, "YOUR_CONCURRENCY")]
    return [*command, "--output", f"{result}.json"]


def _trtllm_bench(load: Load, result: str) -> list[str]:
    command = ["trtllm-bench", "--model", _model(load), "throughput", "--dataset", "YOUR_PROMPTS.jsonl", "--streaming"]
    command += ["--config", TENSORRT_FILE] if result == WITH else []
    command += ["--concurrency", _known(load.concurrency, "YOUR_CONCURRENCY"), "--num_requests", str(load.requests)]
    return [*command, "--report_json", f"{result}.json"]


def _request(load: Load, result: str) -> list[str]:
    body: dict[str, object] = {"model": _model(load)}
    if result == WITH:
        body["draft_model"] = "YOUR_DRAFTER"
    body["messages"] = [{"role": "user", "content": "YOUR_PROMPT"}]
    if load.output_tokens is not None:
        body["max_tokens"] = load.output_tokens
    command = ["curl", "YOUR_SERVER/api/v0/chat/completions", "-H", "Content-Type: application/json"]
    return [*command, "-d", json.dumps(body, ensure_ascii=False), "-o", f"{result}.json"]


_BENCHY = _Tool(
    "llama-benchy",
    _benchy,
    (
        Message("Its prompts are pieces of a book; its file tells speeds and no acceptance: give the log beside it."),
        Message("It keeps so many requests running at once; a rate it cannot hold."),
    ),
)
_TOOLS: Mapping[str, tuple[_Tool, ...]] = {
    VLLM: (
        _Tool(
            "vllm bench serve",
            _vllm_bench,
            (OWN_PROMPTS, _line('{"prompt": "…"}')),
        ),
        _BENCHY,
        _Tool(
            "aiperf",
            _aiperf,
            (
                OWN_PROMPTS,
                _line('{"text": "…"}'),
                Message("Acceptance is in its records if vLLM runs with `--per-request-spec-decode-metrics summary`."),
            ),
        ),
    ),
    "SGLang": (
        _Tool(
            "sglang.benchmark.serving",
            _sglang_bench,
            (
                OWN_PROMPTS,
                _line('{"conversations": [{"content": "prompt"}, {"content": "answer"}]}'),
            ),
        ),
        _BENCHY,
    ),
    LLAMA_CPP: (
        _Tool(
            "speed_bench.py",
            _speed_bench,
            (Message("`llama-bench` has no option of speculation: it measures the plain model only."),),
        ),
        _BENCHY,
    ),
    TENSORRT_LLM: (
        _Tool(
            "trtllm-bench",
            _trtllm_bench,
            (
                OWN_PROMPTS,
                Message("It starts the engine itself; `prepare-dataset` writes its prompts."),
            ),
        ),
        _BENCHY,
    ),
    at_home.ENGINE: (
        _Tool(
            "curl",
            _request,
            (Message("One request each: repeat both with several prompts, and give all answers in one file a kind."),),
        ),
        _BENCHY,
    ),
}
