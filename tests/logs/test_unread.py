"""A file whose speculation could not be read is refused: what is left would pass for a run without speculation."""

import gzip
import json
import re

import pytest

from specmodel.logs import parse
from tests.conftest import SAMPLES
from tests.logs.shared import read, refused, sample

HEAD = "(APIServer pid=7) INFO 11-02 10:00:10 [loggers.py:311] Engine 000: Avg prompt throughput: 0.0 tokens/s, "
LOAD = "Avg generation throughput: 90.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.0%, "
TIMES = f"{HEAD}{LOAD}Prefix cache hit rate: 0.0%\n"
NEWER = (
    "(APIServer pid=7) INFO 11-02 10:00:10 [metrics.py:125] SpecDecoding metrics: Mean kept length: 3.20, "
    "Kept: 220 tokens, Drafted: 400 tokens\n"
)


def test_a_log_with_lines_of_speculation_that_nobody_can_read_is_no_baseline():
    """It was compared with a run that speculates: 'speculation loses, 0.36×'."""
    assert "vLLM's speculation that could not be read (2, 4)" in refused(TIMES + NEWER + TIMES + NEWER)
    assert not parse(TIMES).speculation
    assert not parse(TIMES + TIMES[:150] + "\n").speculation, "a line of throughput that was cut off is no speculation"


@pytest.mark.parametrize("name", ["vllm-log-current.log", "vllm-log-v0.log", "lmdeploy-log.log",
                                  "llamacpp-log-current.log", "sglang-decode-log-current.log",
                                  "sglang-decode-log-0.4.log"])  # fmt: skip
def test_a_log_whose_acceptance_has_other_numbers_is_refused_or_still_speculates(name):
    text = read(name)
    words = re.compile(r"accept|draft|spec", re.IGNORECASE)
    changed = "\n".join(re.sub(r"\d", "x", each) if words.search(each) else each for each in text.split("\n"))
    assert changed != text
    assert "could not be read" in refused(changed) or "no numbers" in refused(changed)


def test_a_length_of_sglang_under_another_name_is_no_plain_line():
    text = read("sglang-decode-log-current.log")
    for old, new in (("accept len", "kept len"), ("accept rate", "kept rate")):
        text = text.replace(old, new)
    assert "could not be read" in refused(text)
    plain = re.sub(r"kept \w+: [\d.]+, ", "", text)
    assert not parse(plain).speculation
    assert "SGLang's speculation that could not be read" in refused(text + plain)


def test_real_logs_without_speculation_stay_baselines():
    found = sorted((SAMPLES / "llama_server_real").glob("*baseline*.gz"))
    assert len(found) > 3
    for path in found:
        assert not parse(gzip.decompress(path.read_bytes())).speculation, path.name
    assert not sample("vllm-metrics-baseline-nospec.prom").speculation
    assert not sample("vllm-bench-serve-baseline.json").speculation


def test_a_page_that_counts_speculation_under_other_names_is_no_baseline():
    page = read("vllm-metrics-baseline-nospec.prom")
    newer = '# TYPE vllm:spec_decode_rounds counter\nvllm:spec_decode_rounds_total{model_name="m"} 40\n'
    assert "vllm:spec_decode_rounds_total" in refused(page + newer)
    assert not parse(page + newer.replace(" 40", " 0")).speculation


def test_a_console_block_with_a_part_on_speculation_is_no_baseline():
    text = read("vllm-bench-serve-console.txt")
    head, title, rest = text.partition("---------------Speculative Decoding---------------\n")
    renamed = head + title + rest.replace("A", "B").replace("Draft", "Guess")
    assert "below “Speculative Decoding” nothing could be read" in refused(renamed)
    rates = rest.replace("Drafts:   ", "Rounds:   ")
    found = parse(head + title + rates)
    assert found.speculation and found.mean_acceptance_length == 2.8 and found.num_speculative_tokens == 3
    without_length = rates.replace("Acceptance length", "Mean length")
    assert "tells of speculation" in refused(head + title + without_length)


def test_a_record_that_names_accepted_tokens_is_no_baseline():
    serving = json.loads(read("sglang-bench-serving.jsonl"))
    length = serving.pop("accept_length")
    assert not parse(json.dumps(serving)).speculation
    assert "avg_accept_tokens" in refused(json.dumps(serving | {"avg_accept_tokens": length}))
    assert not parse(json.dumps(serving | {"accept_length": 1.0})).speculation


# What a benchmark tells of its load


def test_benchmarks_tell_their_rate_and_context():
    text = read("vllm-bench-serve-console.txt")
    fixed = text.replace("Maximum request", "Request rate configured (RPS):           5.00\nMaximum request")
    assert parse(fixed).request_rate == 5.0 and parse(text).request_rate is None
    assert parse(text).context_tokens == sample("vllm-bench-serve-spec.json").context_tokens == 512 + 128
    spec = json.loads(read("vllm-bench-serve-spec.json"))
    assert parse(json.dumps(spec | {"request_rate": 2.5})).request_rate == 2.5
    serving = json.loads(read("sglang-bench-serving.jsonl"))
    assert parse(json.dumps(serving | {"request_rate": 4.0})).request_rate == 4.0
    assert sample("sglang-bench-serving.jsonl").request_rate is None
    console = (
        "============ Serving Benchmark Result ============\nBackend:  sglang\nTraffic request rate:  8.0\n"
        "Successful requests: 40\nTotal input tokens: 20480\nTotal generated tokens: 10240\nMean TPOT (ms): 4.5\n"
        "Accept length: 2.8\n"
    )
    assert (parse(console).request_rate, parse(console).context_tokens) == (8.0, 640)
    assert parse(console.replace("8.0", "inf")).request_rate is None
