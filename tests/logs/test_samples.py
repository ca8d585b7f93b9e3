"""Every sample file against what was worked out for it by hand: `expected.json`, or a table for those without an entry.

A key of `expected.json` that no check knows fails its test: it is added to `CHECKS`, or to `NOT_CHECKED` with a reason.
"""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import pytest

from specmodel.engine.case import EngineCase
from specmodel.engine.sweep import best_by_batch, settings
from specmodel.logs import LogError, parse, parse_scrapes
from specmodel.measured.spec_stats import SpecStats

SAMPLES = Path(__file__).parent / "samples"
EXPECTED: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
FILES = sorted(path.name for path in SAMPLES.iterdir() if path.is_file() and path.name != "expected.json")

T = TypeVar("T")


def sample(name: str) -> SpecStats:
    return parse((SAMPLES / name).read_bytes(), name)


def present(value: T | None) -> T:
    assert value is not None
    return value


def field(name: str) -> Callable[[SpecStats], Any]:
    return lambda stats: getattr(stats, name)


def printed(definition: str, name: str = "") -> Callable[[SpecStats], float | None]:
    """The number that the engine printed under a definition (and a name)."""
    return lambda stats: next(
        (each.value for each in stats.printed if each.definition == definition and name in each.name), None
    )


def conditional(stats: SpecStats) -> list[float]:
    return [each.value for each in stats.printed if each.definition == "conditional"]


def given_drafted(stats: SpecStats) -> list[float]:
    accepted, drafted = present(stats.accepted_per_position), present(stats.drafted_per_position)
    return [a / d for a, d in zip(accepted, drafted, strict=True)]


def histogram(stats: SpecStats) -> list[float]:
    """Rounds that accepted exactly 0, 1, …, k."""
    reaching = (present(stats.num_rounds), *present(stats.accepted_per_position), 0)
    return [more - less for more, less in pairwise(reaching)]


def reached(lengths: list[int]) -> tuple[int, ...]:
    """How many of these lengths are at least 1, 2, …"""
    return tuple(sum(length > position for length in lengths) for position in range(max(lengths)))


def part(stats: SpecStats, label: str) -> SpecStats:
    return next(each for each in stats.parts if label.replace("_", "") in each.label.replace("-", "").replace("_", ""))


def surplus(stats: SpecStats) -> object:
    return next((note.values["surplus"] for note in stats.notes if "surplus" in note.values), None)


# key of expected.json -> what of the SpecStats it is
CHECKS: dict[str, Callable[[SpecStats], Any]] = {
    "proposed": field("num_draft_tokens"),
    "accepted": field("num_accepted_draft_tokens"),
    "rounds": field("num_rounds"),
    "k": field("num_speculative_tokens"),
    "k_max": field("num_speculative_tokens"),
    # of SGLang: the tokens of a verification pass
    "num_draft_tokens": lambda stats: present(stats.num_speculative_tokens) + 1,
    "mean_k": field("mean_draft_length"),
    "al_incl_bonus": field("mean_acceptance_length"),
    "al_from_counters": field("mean_acceptance_length"),
    "al_gauge": printed("length_with_bonus"),
    "printed_al": printed("length_without_bonus"),
    "rate": field("draft_acceptance_rate"),
    "prefix_rate": field("draft_acceptance_rate"),
    "rate_gauge": printed("accepted_per_drafted"),
    "printed_rate": printed("sglang_old_rate"),
    "v0_rate": printed("v0_rate"),
    "emitted": lambda stats: present(stats.num_rounds) + present(stats.num_accepted_draft_tokens),
    "per_pos": field("per_position_acceptance"),
    "per_pos_unconditional": field("per_position_acceptance"),
    "per_pos_given_drafted": given_drafted,
    "conditional": conditional,
    "accepted_count_hist": histogram,
    "per_step": lambda stats: present(stats.accepted_per_position) + present(stats.drafted_per_position),
    "accepted_count_hist_incl_bonus": field("accepted_per_position"),
    "accepted_run_lengths": field("accepted_per_position"),
    "interval_s": field("window_s"),
    "step_ms": field("step_ms"),
    "step_ms_decode_only": field("step_ms"),
    "requests": field("batch_size"),
    "tokens_per_request": lambda stats: present(stats.num_speculative_tokens) + 1,
    "tokens_in_step": lambda stats: present(stats.batch_size) * (present(stats.num_speculative_tokens) + 1),
    "tpot_ms": field("tpot_ms"),
    "itl_ms": field("itl_ms"),
    "draft_ms": field("draft_ms"),
    "draft_ms_per_round": field("draft_ms"),
    "draft_ms_per_token": lambda stats: present(stats.draft_ms) / present(stats.num_speculative_tokens),
    "verify_ms": field("verify_ms"),
    "output_tps": field("output_tokens_per_s"),
    "tokens": field("generated_tokens"),
    "generation_tokens": field("generated_tokens"),
    "itl_count": field("num_steps"),
    "tokens_per_step": field("tokens_per_step"),
    "tokens_per_pass": field("tokens_per_step"),
    "target_passes": field("num_steps"),
    "target_steps": field("num_steps"),
    "steps_incl_prefill": lambda stats: present(stats.num_steps) + present(stats.num_requests),
    "overcounted_tokens": surplus,
    "rows": lambda stats: len(stats.parts),
    "request_line": lambda stats: stats,
    "ngram_simple": lambda stats: part(stats, "ngram_simple"),
    "ngram_mod": lambda stats: part(stats, "ngram_mod"),
    "draft_ms_total": lambda stats: present(stats.draft_ms) * present(stats.num_rounds),
    "best_k_bs1": lambda stats: best_by_batch(settings(stats))[1].num_speculative_tokens,
    "speedup_bs1": lambda stats: speedups(stats, batch_size=1),
    "speedup_of_spec": lambda stats: throughput_gain(stats),  # of the server: below the speedup of decoding
    "delta_from_t0": lambda stats: parse_scrapes(
        (SAMPLES / "vllm-metrics-t0.prom").read_bytes(), (SAMPLES / "vllm-metrics-t1.prom").read_bytes()
    ),
}

# what a list in expected.json says in the form that the check gives
TURNED: dict[str, Callable[[Any], Any]] = {
    "per_step": lambda rounds: (
        reached([accepted for accepted, _ in rounds]) + reached([drafted for _, drafted in rounds])
    ),
    "accepted_run_lengths": reached,
    "accepted_count_hist_incl_bonus": lambda lengths: reached([length - 1 for length in lengths]),
    "speedup_bs1": lambda found: {int(k): value for k, value in found.items()},
}

# (file, key): the relative difference that is allowed, and why it is not zero
ROUNDED: dict[tuple[str, str], tuple[float, str]] = {
    ("vllm-bench-serve-console.txt", "tpot_ms"): (0.0051 / 4.49, "the console prints two decimals"),
    ("vllm-bench-serve-console.txt", "output_tps"): (0.005 / 850, "the console prints two decimals"),
    ("vllm-bench-serve-console.txt", "tokens_per_step"): (0.0051 / 4.49, "ITL ÷ TPOT, both printed with two decimals"),
    ("vllm-offline-example.txt", "per_pos"): (0.005 / 0.45, "printed with two decimals; the counts fit to them"),
    ("llamacpp-metrics.prom", "tokens_per_pass"): (0.01, "the page does not count requests: first tokens are in it"),
    ("tgi-metrics.prom", "tokens_per_step"): (0.01, "expected.json has the prompt's pass of each request in it"),
    ("gpt-fast.txt", "accepted_count_hist"): (1e-6, "shares of rounds"),
    ("trtllm-bench-report.json", "al_incl_bonus"): (0.001, "of the counters; expected.json has the mean over requests"),
    ("trtllm-bench-report.json", "rate"): (0.001, "of the counters; expected.json has the mean over requests"),
}

# key, or (file, key): why nothing is checked
NOT_CHECKED: dict[str | tuple[str, str], str] = {
    "note": "prose",
    "rate_rule": "prose",
    ("llamacpp-log-old.log", "rounds_with_accept"): "no field of SpecStats: nothing needs it",
}

# the same file has one value for each of its lines: they are read line by line
LINE_BY_LINE = {"sglang-decode-log-current.log": "Decode batch"}

# files without an entry, and what they are: (engine, speculates, tau, tokens per second), or the words of the refusal
WITHOUT_ENTRY: dict[str, tuple[str, bool, float | None, float | None] | str] = {
    "llama-benchy.md": ("llama-benchy", False, None, 40.0),
    "llamacpp-speed-bench.json": ("llama.cpp", True, None, 110.9),
    "llamacpp-sweep-bench.md": ("llama.cpp", False, None, 20.0),
    "lmstudio-server.log": ("LM Studio", True, None, 23.076923077),
    "lmstudio-usage.json": ("LM Studio", True, None, 25.0),
    "mlx-lm-generate.txt": ("mlx-lm", False, None, 35.648),
    "mlx-vlm-timings.json": ("mlx-vlm", True, 3.7, None),
    "omlx-dflash.log": ("oMLX", True, 128 / 39, 64.0),
    "omlx-mtp.log": ("oMLX", True, 1 + 278 / 165, 452 / (300 / 63 + 152 / 59)),
    "omlx-ngram.log": ("oMLX", True, 3.0, 80.0),
    "omlx-vlm-mtp.log": ("oMLX", True, 2.75, 55.0),
    "openai-usage.json": ("OpenAI API", True, None, None),
    "openvino-genai.txt": ("OpenVINO GenAI", True, 2.8, None),
    "rapid-mlx-metrics.prom": ("Rapid-MLX", True, 1 + 180 / 110, None),
    "sglang-adaptive-config.json": "a configuration of adaptive speculation in SGLang (candidate_steps by batch size)",
    "sglang-adaptive.log": ("SGLang", True, 1.62, None),
    "sglang-bench-one-batch-server.jsonl": ("SGLang", True, 2.8, 223.8),
    "sglang-mtbench.txt": ("SGLang", True, 2.8, 224.0),
    "sglang-openai-sglext.json": ("SGLang", True, 2.8, None),
    "sglang-send-one.txt": ("SGLang", True, 2.8, 224.0),
    "spec-bench-summary.txt": ("Spec-Bench", True, 2.8, 224.0),
    "specdecode-bench-simulator.jsonl": ("SpecDecode-Bench", True, 2.5, None),
    "specforge-bench-eagle3-results.jsonl": ("SGLang", True, 2.8, 224.0),
    "tabbyapi-usage.json": ("tabbyAPI", True, None, None),
    "trtllm-bench-console.txt": ("TensorRT-LLM", True, 1 + 164 / 92, None),
    "vllm-speculative-config.json": "a speculative_config of vLLM, a configuration and not a measurement",
}

# the engine that every file with an entry is of, by the beginning of its name
ENGINES = {
    "aiperf": "aiperf",
    "eagle": "EAGLE",
    "exllama": "ExLlama",
    "gpt-fast": "gpt-fast",
    "ik-llamacpp": "llama.cpp",
    "llamacpp": "llama.cpp",
    "lmdeploy": "LMDeploy",
    "lmstudio": "LM Studio",
    "mlc": "MLC-LLM",
    "mlx": "mlx-lm",
    "ollama": "Ollama",
    "sglang": "SGLang",
    "spec-bench": "Spec-Bench",
    "speculators": "speculators",
    "tgi": "TGI",
    "trtllm": "TensorRT-LLM",
    "vllm": "vLLM",
}


def speedups(stats: SpecStats, batch_size: int) -> dict[int, float | None]:
    """Speedup by k of the chains (top-k 1) of a batch: the trees come after them."""
    found: dict[int, float | None] = {}
    for each in settings(stats):
        if each.batch_size == batch_size and each.num_speculative_tokens:
            found.setdefault(each.num_speculative_tokens, each.speedup)
    return found


def throughput_gain(baseline: SpecStats) -> float:
    faster = sample("vllm-bench-serve-spec.json")
    return present(faster.output_tokens_per_s) / present(baseline.output_tokens_per_s)


def check(file: str, key: str, expected: Any, stats: SpecStats) -> None:
    if {key, (file, key)} & NOT_CHECKED.keys():
        return
    assert key in CHECKS, f"{file}: nothing checks {key}"
    found = CHECKS[key](stats)
    if isinstance(found, SpecStats):
        for inner, value in expected.items():
            check(file, inner, value, found)
        return
    tolerance, _ = ROUNDED.get((file, key), (1e-9, ""))
    wanted = TURNED.get(key, lambda value: value)(expected)
    if isinstance(wanted, dict) or expected is None:
        assert found == (pytest.approx(wanted, rel=tolerance) if wanted else None), f"{file}: {key}"
        return
    as_list = [list(each) if isinstance(each, list | tuple) else [each] for each in (found, wanted)]
    assert as_list[0] == pytest.approx(as_list[1], rel=tolerance), f"{file}: {key}"


def check_lines(file: str, key: str, values: list[Any]) -> None:
    text = (SAMPLES / file).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if LINE_BY_LINE[file] in line]
    for line, value in zip(lines, values, strict=True):
        check(file, key, value, parse(line + "\n"))


def test_every_file_is_in_exactly_one_table():
    assert len(FILES) == 78
    assert sorted([*EXPECTED, *WITHOUT_ENTRY]) == FILES


@pytest.mark.parametrize("file", EXPECTED)
def test_expected(file: str):
    entry = dict(EXPECTED[file])
    if "error" in entry:
        entry.pop("error")
        try:
            stats = sample(file)
        except LogError:
            assert not entry
            return
        assert not stats.speculation
    else:
        stats = sample(file)
        assert stats.speculation or file.startswith("vllm-bench-")
    engine = next(name for start, name in ENGINES.items() if file.startswith(start))
    assert stats.engine == engine
    for key, value in entry.items():
        if file in LINE_BY_LINE and isinstance(value, list):
            check_lines(file, key, value)
        else:
            check(file, key, value, stats)


@pytest.mark.parametrize("file", WITHOUT_ENTRY)
def test_file_without_entry(file: str):
    expected = WITHOUT_ENTRY[file]
    if isinstance(expected, str):
        with pytest.raises(LogError) as caught:
            sample(file)
        assert str(caught.value).startswith("line 1: this is ") and expected in str(caught.value)
        return
    stats = sample(file)
    engine, speculation, length, speed = expected
    assert (stats.engine, stats.speculation) == (engine, speculation)
    assert stats.output_tokens_per_s == (None if speed is None else pytest.approx(speed))
    assert stats.mean_acceptance_length == (None if length is None else pytest.approx(length))


def test_diffusion_is_said_to_be_no_speculation():
    with pytest.raises(LogError, match="line 1: these are denoising steps of a diffusion model"):
        sample("vllm-log-diffusion.log")


def test_speed_of_the_benchmark_beside_its_baseline():
    """Decode speedup (TPOT) is above the gain in throughput, which has the prompts in it."""
    case = EngineCase(sample("vllm-bench-serve-spec.json"), sample("vllm-bench-serve-baseline.json"))
    assert case.decode_speedup == pytest.approx(9.8 / 4.485)
    assert EXPECTED["vllm-bench-serve-baseline.json"]["speedup_of_spec"] < present(case.decode_speedup) < 2.2
    assert case.rho == pytest.approx(12.5 / 9.8)


def test_every_exception_is_needed():
    """No table names a file or key that is not there."""
    known = {(file, key) for file, entry in EXPECTED.items() for key in _keys(entry)}
    for each in [*NOT_CHECKED, *ROUNDED]:
        assert each in known or any(each == key for _, key in known), each
    assert {key for _, key in known} - {"error"} <= {
        *CHECKS,
        *(each for each in NOT_CHECKED if isinstance(each, str)),
    } | {key for each in NOT_CHECKED if not isinstance(each, str) for key in each[1:]}
    assert LINE_BY_LINE.keys() <= EXPECTED.keys()


def _keys(entry: dict[str, Any]) -> set[str]:
    inner = ("request_line", "ngram_simple", "ngram_mod", "delta_from_t0")
    return set(entry) | {key for name in inner if name in entry for key in entry[name]}
