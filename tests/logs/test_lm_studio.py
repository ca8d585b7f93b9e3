"""LM Studio since 0.4: counts in `usage`, answers without a clock, the log of its server."""

import json
from typing import Any

import pytest

from specmodel.logs import parse
from specmodel.logs._stream import BLOCK
from tests.logs.shared import lines, notes, read, refused


def answer(**changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read("lmstudio-usage.json"))
    return {**found, **changes}


def test_counts_in_usage():
    stats = parse(read("lmstudio-usage.json"))
    assert (stats.engine, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == ("LM Studio", 300, 120)
    assert (stats.num_steps, stats.tokens_per_step, stats.generated_tokens) == (80, 2.5, 201)
    # (201 − 1) tokens ÷ (8.5 − 0.5) s are the 25 that are printed
    assert (stats.output_tokens_per_s, stats.tpot_ms, stats.step_ms) == (25, 40, 100)
    assert (stats.window_s, stats.request_ms, stats.ttft_ms) == (8.5, 8500, 500)


def test_counts_without_a_clock():
    counts = {"draft_model": "demo-1b", "total_draft_tokens_count": 90, "accepted_draft_tokens_count": 41,
              "rejected_draft_tokens_count": 49, "ignored_draft_tokens_count": 0}  # fmt: skip
    stats = parse(lines({"model": "demo-7b", "usage": {"completion_tokens": 102}, "stats": counts}))
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_steps) == (90, 41, 60)
    assert (stats.tpot_ms, stats.step_ms, stats.output_tokens_per_s, stats.window_s) == (None, None, None, None)


def test_server_log():
    stats = parse(read("lmstudio-server.log"))
    assert (stats.num_requests, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (2, 450, 170)
    assert (stats.generated_tokens, stats.num_steps, stats.window_s) == (302, 80 + 50, 14)
    assert stats.step_ms == pytest.approx((8000 + 5000) / 130)


def test_server_log_read_in_blocks():
    filler = "[2026-11-06 07:59:59][INFO][demo-27b] Running chat completion on conversation with 1 messages.\n"
    long = filler * (BLOCK // len(filler))  # the first answer lies across two blocks
    for cut in (0, 3, 10):
        stats = parse(long + filler * cut + read("lmstudio-server.log"))
        assert (stats.num_requests, stats.num_draft_tokens) == (2, 450)


def test_server_log_that_is_cut_off_tells_the_counts_that_are_whole():
    text = read("lmstudio-server.log")
    stats = parse(text[: text.rindex('"stats"')])
    assert (stats.num_requests, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (1, 300, 120)
    assert "lines that look like those of LM Studio but could not be read were left out: 42" in notes(stats)
    behind = parse(text[text.index('"usage"') :])
    assert (behind.num_requests, behind.num_draft_tokens, behind.step_ms) == (2, 450, None)


def test_counts_that_are_cut_off_are_no_baseline():
    text = read("lmstudio-server.log")
    cut = text[text.rindex("[2026") : text.rindex('"rejected_draft')]
    assert "line 11 looks like LM Studio, but it could not be read" in refused(cut)
    plain = (
        f"[2026-11-06 08:02:00] Generated prediction: {json.dumps(answer(usage={'completion_tokens': 9}), indent=2)}\n"
    )
    assert "lines of LM Studio's speculation that could not be read" in refused(plain + cut)


def test_answer_that_is_broken_around_its_counts():
    text = read("lmstudio-server.log").replace('"id": "chatcmpl-b1",', '"id": "chatcmpl-b1"')
    stats = parse(text)
    assert (stats.num_requests, stats.num_draft_tokens, stats.step_ms) == (2, 450, None)


def test_answers_of_other_engines_in_a_log_are_read_as_well():
    timings = {"timings": {"predicted_n": 281, "predicted_ms": 2525.0, "draft_n": 300, "draft_n_accepted": 180}}
    log = f"srv  log_server_r: response: {json.dumps(timings, indent=2)}\nsrv  done\n"
    assert (parse(log).engine, parse(log).num_draft_tokens) == ("llama.cpp", 300)


def test_models_are_told_apart_and_plain_answers_are_named():
    two = parse(lines(answer(), answer(model="other-9b")))
    assert two.parts_are_settings and [part.label for part in two.parts] == ["demo-27b", "other-9b"]
    mixed = parse(lines(answer(), answer(usage={"completion_tokens": 11})))
    assert (mixed.num_draft_tokens, mixed.generated_tokens) == (300, 201)
    assert "1 answers without a draft are in the file and were left out" in notes(mixed)


def test_more_rejected_than_drafted_is_refused():
    usage = {**answer()["usage"], "rejected_draft_tokens_count": 181}
    assert "120 accepted and 181 rejected draft tokens are more than the 300 drafted" in refused(
        lines(answer(usage=usage))
    )
