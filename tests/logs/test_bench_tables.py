"""Tables of benchmarks that do not say whether a server speculates: llama-benchy, sweep-bench, batched-bench."""

import pytest

from specmodel.logs import parse
from tests.logs.shared import notes, read, refused


def test_llama_benchy():
    stats = parse(read("llama-benchy.md"))
    assert (stats.engine, stats.speculation, stats.parts_are_settings) == ("llama-benchy", False, True)
    one, four = stats.parts
    assert (one.label, one.tpot_ms, one.batch_size, one.output_tokens_per_s) == ("demo-27b · tg128 (c1)", 25, 1, 40)
    assert (four.label, four.tpot_ms, four.batch_size) == ("demo-27b · tg128 @ d4096 (c4)", 40, 4)
    assert (four.output_tokens_per_s, one.context_tokens, four.context_tokens) == (90, 2048 + 64, 4096 + 2048 + 64)
    assert "whether the run speculated is not in the file" in notes(stats)


def test_llama_benchy_without_requests_at_once_or_a_model():
    head = "| Test | t/s | Peak t/s |\n|:--|--:|--:|\n"
    stats = parse(f"{head}| pp2048 | 1,329.72 ± 0.00 | — |\n| tg1500 | 35.21 ± 0.00 | **66.00** |\n")
    assert (stats.label, stats.output_tokens_per_s, stats.batch_size, stats.parts) == ("tg1500", 35.21, 1, ())
    assert stats.tpot_ms == pytest.approx(1000 / 35.21)


def test_llama_benchy_prompts_are_no_output():
    table = "| test | t/s |\n|:--|--:|\n| pp2048 | 1329.72 |\n| ctx_tg @ d4096 (c1) | 36.10 |\n"
    assert "no numbers of speculative decoding" in refused(table)


def test_sweep_bench():
    stats = parse(read("llamacpp-sweep-bench.md"))
    assert (stats.engine, stats.speculation, len(stats.parts)) == ("llama.cpp", False, 2)
    assert [(each.tpot_ms, each.context_tokens, each.output_tokens_per_s) for each in stats.parts] == [
        (50, 64, 20), (62.5, 576, 16),
    ]  # fmt: skip


def test_batched_bench():
    table = (
        "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |\n"
        "|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|\n"
        "|   512 |    128 |    4 |   2560 |    8.471 |   241.78 |   11.085 |    46.19 |   19.555 |   130.91 |\n"
    )
    stats = parse(table)
    assert (stats.batch_size, stats.output_tokens_per_s, stats.context_tokens) == (4, 46.19, 576)
    assert stats.tpot_ms == pytest.approx(11085 / 128)


def test_sweep_bench_speed_that_is_not_tokens_by_time_is_refused():
    assert "line 6: S_TG t/s is printed as 26, but the counters give 16" in refused(
        read("llamacpp-sweep-bench.md").replace("    16.00", "    26.00")
    )
