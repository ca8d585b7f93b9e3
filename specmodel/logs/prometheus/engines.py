"""Where each engine keeps its speculation counters: the names under which a Prometheus stores them.

Names as in the engines' own source: vLLM 0.33.0 (vllm/v1/spec_decode/metrics.py, vllm/v1/metrics/loggers.py), SGLang
0.5.23 (srt/observability/metrics_collector.py), llama.cpp (tools/server, August 2026), LMDeploy
(lmdeploy/metrics/loggers.py, 1263d5cd), TensorRT-LLM (tensorrt_llm/metrics/collector.py, 050f80def8).
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from specmodel.base.messages import Message


@dataclass(frozen=True)
class Metric:
    """A metric by its stored name; `labels` narrow it down, `by` is the label that holds a position."""

    name: str
    labels: tuple[tuple[str, str], ...] = ()
    by: str = ""


@dataclass(frozen=True)
class Engine:
    """An engine's counters and gauges by what they mean here; of several names the first one with samples counts.

    Counters: `rounds`, `drafted`, `accepted`, `positions`, `drafted_positions`, `generated` (output tokens),
    `first_tokens` (requests, by their first token), `steps` and `step_seconds` (decoding steps of sequences, their
    time), `tokens` and `token_seconds` (output tokens, their time), `first_token_seconds`.
    Gauges: `running`, `draft_steps` and `verified` (tokens that a verification looks at: k + 1 in a chain).
    `marker` is the counter that only an engine with speculation has; `prefix` is common to all its metrics.
    """

    name: str
    prefix: str
    marker: str
    counters: Mapping[str, tuple[Metric, ...]]
    gauges: Mapping[str, Metric] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()


def _speculation(prefix: str, by: str = "position") -> dict[str, tuple[Metric, ...]]:
    """The four counters that vLLM named first and others took over."""
    return {
        "rounds": (Metric(f"{prefix}spec_decode_num_drafts_total"),),
        "drafted": (Metric(f"{prefix}spec_decode_num_draft_tokens_total"),),
        "accepted": (Metric(f"{prefix}spec_decode_num_accepted_tokens_total"),),
        "positions": (Metric(f"{prefix}spec_decode_num_accepted_tokens_per_pos_total", by=by),),
    }


AT_THE_END = Message(
    "this engine counts a request when it has finished: in a short window few long requests weigh a lot"
)
VLLM = Engine(
    "vLLM",
    "vllm:",
    "vllm:spec_decode_num_drafts_total",
    {
        **_speculation("vllm:"),
        "generated": (Metric("vllm:generation_tokens_total"),),
        "first_tokens": (
            Metric("vllm:time_to_first_token_seconds_count"),
            Metric("vllm:request_time_per_output_token_seconds_count"),
        ),
        "first_token_seconds": (Metric("vllm:time_to_first_token_seconds_sum"),),
        # one observation per step and request, whether the step had a draft or not: the mean is the time of a step
        "steps": (Metric("vllm:inter_token_latency_seconds_count"),),
        "step_seconds": (Metric("vllm:inter_token_latency_seconds_sum"),),
    },
    {"running": Metric("vllm:num_requests_running")},
)
SGLANG = Engine(
    "SGLang",
    "sglang:",
    "sglang:spec_verify_calls_total",
    {
        "rounds": (Metric("sglang:spec_verify_calls_total"),),
        "generated": (Metric("sglang:generation_tokens_total"),),
        "first_tokens": (Metric("sglang:num_requests_total"),),
        # one observation per token here, an interval divided by its tokens
        "tokens": (Metric("sglang:inter_token_latency_seconds_count"),),
        "token_seconds": (Metric("sglang:inter_token_latency_seconds_sum"),),
    },
    {
        "running": Metric("sglang:num_running_reqs"),
        "draft_steps": Metric("sglang:spec_num_steps"),
        "verified": Metric("sglang:spec_num_draft_tokens"),
    },
    notes=(
        AT_THE_END,
        Message(
            "SGLang counts neither drafted nor accepted tokens here: accepted is generated tokens less the rounds and "
            "the first token of each request"
        ),
    ),
)
LLAMA_CPP = Engine(
    "llama.cpp",
    "llamacpp:",
    "llamacpp:spec_decode_num_drafts_total",
    {
        **_speculation("llamacpp:"),
        "generated": (Metric("llamacpp:tokens_predicted_total"),),
        "tokens": (Metric("llamacpp:tokens_predicted_total"),),
        "token_seconds": (Metric("llamacpp:tokens_predicted_seconds_total"),),
    },
    {"running": Metric("llamacpp:requests_processing")},
    notes=(AT_THE_END,),
)
LMDEPLOY = Engine(
    "LMDeploy",
    "lmdeploy:",
    "lmdeploy:spec_decode_num_drafts_total",
    {**_speculation("lmdeploy:"), "generated": (Metric("lmdeploy:generation_tokens_total"),)},
)
TENSORRT_LLM = Engine(
    "TensorRT-LLM",
    "trtllm_",
    "trtllm_spec_decode_num_draft_tokens_total",
    {
        # there is no counter of rounds: every round drafts position 0
        "rounds": (Metric("trtllm_spec_decode_drafted_tokens_total", (("token_position", "0"),)),),
        "drafted": (Metric("trtllm_spec_decode_num_draft_tokens_total"),),
        "accepted": (Metric("trtllm_spec_decode_num_accepted_tokens_total"),),
        "positions": (Metric("trtllm_spec_decode_accepted_tokens_total", by="token_position"),),
        "drafted_positions": (Metric("trtllm_spec_decode_drafted_tokens_total", by="token_position"),),
        "generated": (Metric("trtllm_generation_tokens_total"),),
    },
)
ENGINES: Mapping[str, Engine] = {each.name: each for each in (VLLM, SGLANG, LLAMA_CPP, LMDEPLOY, TENSORRT_LLM)}


def _renamed(engine: Engine, prefix: str) -> Engine:
    def name(old: str) -> str:
        return prefix + old.removeprefix(engine.prefix)

    counters = {
        role: tuple(dataclasses.replace(metric, name=name(metric.name)) for metric in metrics)
        for role, metrics in engine.counters.items()
    }
    gauges = {role: dataclasses.replace(metric, name=name(metric.name)) for role, metric in engine.gauges.items()}
    return dataclasses.replace(engine, prefix=prefix, marker=name(engine.marker), counters=counters, gauges=gauges)


# A colon does not always survive: prometheus_client writes an underscore for it when a server before Prometheus 3 asks
# (prometheus/client_python#1180), OpenTelemetry and Ray do so too, and Dynamo writes trtllm: for trtllm_.
_OTHER_PREFIXES = (
    (VLLM, "vllm_"),
    (VLLM, "ray_vllm_"),
    (SGLANG, "sglang_"),
    (LLAMA_CPP, "llamacpp_"),
    (LMDEPLOY, "lmdeploy_"),
    (TENSORRT_LLM, "trtllm:"),
)
NAMINGS: Mapping[str, Engine] = {
    **{each.prefix: each for each in ENGINES.values()},
    **{prefix: _renamed(engine, prefix) for engine, prefix in _OTHER_PREFIXES},
}
