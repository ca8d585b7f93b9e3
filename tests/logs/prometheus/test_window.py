"""What becomes of increases that extrapolation has bent, and of engines that count by position."""

import pytest

from specmodel.logs.prometheus import Target, read_window
from specmodel.logs.prometheus.answer import Answer, Sample

VLLM = Target("vLLM", "m", (("model_name", "m"),))
TENSORRT_LLM = Target("TensorRT-LLM", "m", (("model_name", "m"),))


class Canned:
    """Answers every question with the same values."""

    def __init__(self, label="position", **values):
        self.rows = []
        for role, value in values.items():
            labels = [{}] if isinstance(value, float) else [{label: str(place)} for place in range(len(value))]
            found = [value] if isinstance(value, float) else value
            rows = zip(labels, found, strict=True)
            self.rows += [Sample({"specmodel_role": role, **more}, each) for more, each in rows]

    def query(self, promql, at):
        return Answer(tuple(self.rows))


def read(server, target=VLLM):
    return read_window(server, target, 300, 1e9)


def test_positions_are_scaled_to_the_accepted_tokens():
    stats = read(Canned(rounds=101.3, drafted=303.9, accepted=182.0, positions=[76.0, 59.0, 45.0]))
    assert sum(stats.accepted_per_position) == pytest.approx(182, abs=0.02)
    assert len(stats.notes) == 1


def test_positions_that_rise_are_cut_and_that_is_said():
    stats = read(Canned(rounds=100.0, drafted=200.0, accepted=110.0, positions=[50.0, 60.0]))
    assert stats.accepted_per_position == (50, 50)
    assert "cut there" in str(stats.notes[-1]) and "10.0%" in str(stats.notes[-1])
    assert stats.acceptance().mean_acceptance_length == 2


def test_a_position_is_never_accepted_more_often_than_there_were_rounds():
    stats = read(Canned(rounds=100.0, drafted=100.0, accepted=101.0, positions=[102.0]))
    assert stats.accepted_per_position == (100,) and stats.num_accepted_draft_tokens == 100


def test_positions_that_miss_the_accepted_tokens_are_left_out():
    stats = read(Canned(rounds=1000.0, drafted=3000.0, accepted=1800.0, positions=[400.0, 300.0, 200.0]))
    assert stats.accepted_per_position is None and stats.num_speculative_tokens == 3
    assert "positions are left out" in str(stats.notes[-1])


def test_nothing_accepted():
    stats = read(Canned(rounds=100.0, drafted=200.0, accepted=0.0, positions=[0.0, 0.0]))
    assert stats.mean_acceptance_length == 1 and stats.accepted_per_position == (0, 0)


def test_no_number_is_made_of_no_steps():
    stats = read(Canned(rounds=100.0, drafted=200.0, accepted=50.0, steps=0.0, step_seconds=0.0))
    assert stats.step_ms is None
    stats = read(Canned(rounds=100.0, accepted=float("nan"), drafted=float("inf")))
    assert stats.num_accepted_draft_tokens is None and stats.num_draft_tokens is None


def test_tensorrt_llm_counts_drafts_by_position():
    values = {"rounds": 1000.0, "drafted": 2500.0, "accepted": 1150.0, "positions": [700.0, 300.0, 150.0]}
    stats = read(Canned("token_position", **values, drafted_positions=[1000.0, 900.0, 600.0]), TENSORRT_LLM)
    assert stats.drafted_per_position == (1000, 900, 600)
    assert stats.per_position_acceptance == (0.7, 0.3, 0.15)
    even = read(Canned("token_position", **values, drafted_positions=[1000.0, 999.0, 998.0]), TENSORRT_LLM)
    assert even.drafted_per_position is None


@pytest.mark.parametrize(("fewest", "verified", "drafted"), [(3.0, 4.0, 3000), (1.0, 4.0, None), (3.0, 8.0, None)])
def test_sglang_drafts_are_known_only_for_one_chain(fewest, verified, drafted):
    values = {"rounds": 1000.0, "generated": 2810.0, "first_tokens": 10.0}
    sglang = Target("SGLang", "m", (("model_name", "m"),))
    stats = read(Canned(**values, most_steps=3.0, fewest_steps=fewest, verified=verified), sglang)
    assert stats.num_accepted_draft_tokens == 1800 and stats.mean_acceptance_length == 2.8
    assert stats.num_draft_tokens == drafted
