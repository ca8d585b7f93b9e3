"""OpenVINO GenAI: the blocks of both models."""

import pytest

from specmodel.logs import parse
from tests.logs.shared import notes, read, refused


def test_blocks():
    stats = parse(read("openvino-genai.txt"))
    assert (stats.engine, stats.num_rounds, stats.num_accepted_draft_tokens) == ("OpenVINO GenAI", 100, 180)
    assert (stats.mean_acceptance_length, stats.tokens_per_step, stats.num_draft_tokens) == (2.8, 2.8, None)
    assert (stats.verify_ms, stats.draft_ms, stats.step_ms) == (30, 12, None)
    assert "what was drafted is not told" in notes(stats)


def test_requests_are_summed():
    text = read("openvino-genai.txt")
    other = text.replace("181", "").replace(": 281 tokens", ": 141 tokens").replace(": 101\n", ": 61\n")
    stats = parse(text + other.replace(": 180 tokens", ": 80 tokens"))
    assert (stats.num_rounds, stats.num_accepted_draft_tokens, stats.num_requests) == (160, 260, 2)
    assert stats.units is not None and stats.units.kind == "requests"


@pytest.mark.parametrize("old", [": 281 tokens", ": 101\n", ": 180 tokens"])
def test_counts_that_do_not_go_together_are_refused(old: str):
    text = read("openvino-genai.txt").replace(old, old.replace("1", "2", 1))
    assert "line 1: " in refused(text) and "accepted ones and one for each of" in refused(text)


def test_block_that_is_cut_off_is_refused():
    assert "line 1: the block MAIN MODEL is cut off" in refused(read("openvino-genai.txt").split("  Total")[0])
