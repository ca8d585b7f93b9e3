"""The measurement to run next: options that its tools have, filled with what the file told of its load."""

import json
import shlex

import pytest

from specmodel.engine.measuring import measurement, tools
from specmodel.engine.run_load import Load, load_of
from specmodel.engine.setting import ENGINES, PLACEHOLDERS
from specmodel.logs import parse
from specmodel.measured.spec_stats import SpecStats

EVERY = [(engine, tool) for engine in ENGINES for tool in tools(engine)]
KNOWN = Load("Qwen/Qwen3-8B", 16, None, 512, 256)

# Where an option of a tool was read; a flag takes no value.
OPTIONS = {
    "vllm bench serve": (
        "vllm/benchmarks/serve.py, commit 009e6d4; datasets/arg_utils.py, commit 237145e",
        "--base-url --model --dataset-name --dataset-path --custom-output-len --num-prompts --request-rate "
        "--max-concurrency --save-result --save-detailed --result-filename",
    ),
    "sglang.benchmark.serving": (
        "sglang/benchmark/serving.py, wheel 0.5.23",
        "-m --backend --base-url --model --dataset-name --dataset-path --sharegpt-output-len --num-prompts "
        "--request-rate --max-concurrency --output-file",
    ),
    "aiperf": (
        "aiperf/config/flags/cli_config.py, wheel 0.13.0",
        "--url --model --endpoint-type --streaming --input-file --custom-dataset-type --osl --request-count "
        "--request-rate --concurrency --artifact-dir",
    ),
    "llama-benchy": (
        "llama_benchy/config.py, wheel 0.4.0",
        "--base-url --model --pp --tg --concurrency --runs --save-result",
    ),
    "speed_bench.py": (
        "tools/server/bench/speed-bench/README.md, commit 440e352",
        "--url --bench --category --osl --concurrency --output",
    ),
    "trtllm-bench": (
        "tensorrt_llm/bench/benchmark/throughput.py, commit 000a01d; its reference of 1.3.0rc26",
        "--model --dataset --streaming --config --concurrency --num_requests --report_json",
    ),
    "curl": ("curl(1)", "-H -d -o"),
}


def commands(engine: str, tool: str, load: Load) -> tuple[list[str], list[str]]:
    lines = [line for line in measurement(engine, tool, load).text.splitlines() if not line.startswith("#")]
    first, second = map(shlex.split, lines)
    return first, second


@pytest.mark.parametrize(("engine", "tool"), EVERY)
@pytest.mark.parametrize("load", [Load(), KNOWN, Load(rate=2.5, output_tokens=100)])
def test_every_option_is_one_of_the_tool(engine, tool, load):
    source, options = OPTIONS[tool]
    assert source
    for command in commands(engine, tool, load):
        assert {word for word in command if word.startswith("-")} <= set(options.split())
    assert all(str(note) for note in measurement(engine, tool, load).notes)


@pytest.mark.parametrize(("engine", "tool"), EVERY)
def test_both_runs_are_the_same_but_for_drafting_and_the_name_of_the_result(engine, tool):
    first, second = commands(engine, tool, KNOWN)
    told = {"--config", "speculation.yaml"} if tool == "trtllm-bench" else set()
    kept = [word for word in first if word not in told]
    if tool == "curl":
        at = kept.index("-d") + 1
        body = json.loads(kept[at])
        assert body.pop("draft_model") == "YOUR_DRAFTER"
        assert body == json.loads(second[at])
        kept[at] = second[at]
    assert [word.replace("with-speculation", "without-speculation") for word in kept] == second
    assert first != second


@pytest.mark.parametrize(("engine", "tool"), EVERY)
def test_what_is_known_is_not_asked_again(engine, tool):
    text = measurement(engine, tool, KNOWN).text
    assert not {"YOUR_MODEL", "YOUR_CONCURRENCY", "YOUR_PROMPT_TOKENS", "YOUR_OUTPUT_TOKENS"} & set(shlex.split(text))
    found = measurement(engine, tool, Load())
    assert (set(found.placeholders) <= PLACEHOLDERS.keys() and "YOUR_SERVER" in found.text) or tool == "trtllm-bench"


def test_a_run_at_a_rate_is_repeated_at_that_rate():
    first, _ = commands("vLLM", "vllm bench serve", Load(concurrency=8, rate=2.5))
    assert first[first.index("--request-rate") + 1] == "2.5" and "--max-concurrency" not in first
    assert first[first.index("--num-prompts") + 1] == "100"
    many, _ = commands("vLLM", "vllm bench serve", Load(concurrency=64))
    assert many[many.index("--num-prompts") + 1] == "640"


@pytest.mark.parametrize("name", ["a'b; reboot", "$(reboot)", '"', "a b"])
@pytest.mark.parametrize(("engine", "tool"), EVERY)
def test_a_hostile_name_stays_one_word(engine, tool, name):
    if tool == "speed_bench.py":
        return  # it asks for no model
    first, second = commands(engine, tool, Load(model=name))
    for command in (first, second):
        named = json.loads(command[command.index("-d") + 1])["model"] if tool == "curl" else None
        assert name in (named, command[command.index("--model") + 1] if "--model" in command else None)


def test_the_load_of_a_bench_file_is_its_own():
    run = {
        "model_id": "Qwen/Qwen3-8B", "tokenizer_id": "t", "duration": 60.0, "completed": 100, "max_concurrency": 8,
        "total_input_tokens": 50000, "total_output_tokens": 20000, "output_throughput": 333.0, "request_rate": "inf",
        "mean_ttft_ms": 50.0, "mean_tpot_ms": 10.0, "mean_itl_ms": 25.0, "spec_decode_num_drafts": 8000,
        "spec_decode_draft_tokens": 24000, "spec_decode_accepted_tokens": 12000,
        "spec_decode_acceptance_rate": 50.0, "spec_decode_acceptance_length": 2.5,
    }  # fmt: skip
    stats = parse(json.dumps(run))
    assert stats.model == "Qwen/Qwen3-8B"
    assert load_of(stats) == Load("Qwen/Qwen3-8B", 8, None, 500, 200)
    assert load_of(SpecStats("vLLM", "log")) == Load()
