"""Speculation told in OpenAI's fields for predicted outputs."""

import json
from typing import Any

import pytest

from specmodel.logs import parse
from tests.logs.shared import lines, notes, read, refused


def answer(accepted: int | None, rejected: int | None, name: str = "openai-usage.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read(name))
    found["usage"]["completion_tokens_details"] = {
        "accepted_prediction_tokens": accepted, "rejected_prediction_tokens": rejected,
    }  # fmt: skip
    return found


def test_any_server():
    stats = parse(read("openai-usage.json"))
    assert (stats.engine, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == ("OpenAI API", 300, 180)
    assert (stats.num_rounds, stats.num_steps, stats.tokens_per_step) == (None, 100, 2.8)
    assert (stats.step_ms, stats.tpot_ms) == (None, None)
    assert "tell no rounds" in notes(stats)


def test_tabby_api_has_a_clock_and_timings_of_llama_cpp_beside_it():
    stats = parse(read("tabbyapi-usage.json"))
    assert (stats.engine, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == ("tabbyAPI", 300, 180)
    assert (stats.num_steps, stats.step_ms) == (100, 50)
    assert stats.tpot_ms == pytest.approx(5000 / 280)


def test_counts_are_summed_before_they_are_divided():
    stats = parse(lines(answer(180, 120), answer(20, 180)))
    assert stats.draft_acceptance_rate == 200 / 500
    assert stats.tokens_per_step == (2 * 280) / (100 + 260)


@pytest.mark.parametrize("counts", [(0, 0), (None, None)])
def test_nothing_told_is_no_baseline(counts: tuple[int | None, int | None]):
    assert "no numbers of speculative decoding were found" in refused(lines(answer(*counts)))


def test_tabby_api_without_a_draft_model_is_a_baseline():
    plain = answer(0, 0, "tabbyapi-usage.json")
    del plain["timings"]["draft_n"], plain["timings"]["draft_n_accepted"]
    stats = parse(lines(plain))
    assert (stats.engine, stats.speculation, stats.num_draft_tokens) == ("tabbyAPI", False, None)
    both = parse(lines(plain, json.loads(read("tabbyapi-usage.json"))))
    assert (both.num_draft_tokens, both.num_requests) == (300, 1)
    assert "1 answers without a draft are in the file and were left out" in notes(both)


def test_models_are_told_apart():
    stats = parse(lines(answer(180, 120), {**answer(90, 210), "model": "other"}))
    assert stats.parts_are_settings and [part.label for part in stats.parts] == ["demo-8b", "other"]


def test_counts_of_timings_that_differ_are_refused():
    found = json.loads(read("tabbyapi-usage.json"))
    found["timings"]["draft_n"] = 301
    assert "draft_n is 301, but 300 draft tokens were accepted or rejected" in refused(lines(found))


def test_fields_of_an_answer_that_another_reader_reads_are_no_second_engine():
    found = {**answer(0, 0), "timings": {"predicted_n": 281, "predicted_ms": 2525.0, "draft_n": 300,
                                        "draft_n_accepted": 180}}  # fmt: skip
    assert parse(lines(found)).engine == "llama.cpp"
