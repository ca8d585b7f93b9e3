"""The table of rounds, row by row."""

import pytest

from specmodel.logs import parse
from specmodel.logs._lengths import Lengths
from tests.logs.shared import refused

TIMED = """run_id,category,prompt,k,temperature,proposed,accepted,draft_ms,verify_ms,overhead_ms,baseline_ms
0,code,0,2,0,2,2,1.0,9.0,0.5,8.0
0,code,0,2,0,2,0,3.0,11.0,0.5,9.0
0,prose,0,2,0,0,0,0.0,8.0,0.5,8.0
0,prose,1,2,0,1,1,2.0,10.0,0.5,7.0
"""


def test_counters():
    stats = parse(TIMED)
    assert (stats.engine, stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (
        "rounds CSV", 3, 5, 3,
    )  # fmt: skip
    assert (stats.accepted_per_position, stats.drafted_per_position) == ((2, 1), (3, 2))
    assert (stats.num_speculative_tokens, stats.temperature) == (2, 0)


def test_round_without_a_draft_is_a_step():
    stats = parse(TIMED)
    assert (stats.num_steps, stats.generated_tokens, stats.tokens_per_step) == (4, 7, 7 / 4)


def test_times():
    stats = parse(TIMED)
    assert (stats.draft_ms, stats.verify_ms) == (2.0, 10.0)
    assert stats.step_ms == pytest.approx((10.5 + 14.5 + 8.5 + 12.5) / 4)
    assert stats.plain_ms == pytest.approx((3 * 8 + 1 * 9 + 1 * 8 + 2 * 7) / 7)  # of as many tokens


def test_time_of_a_step_needs_both_parts():
    assert parse("proposed,accepted,verify_ms\n2,1,9.0\n").step_ms is None


def test_categories_are_parts_and_prompts_within_them_units():
    stats = parse(TIMED)
    assert [(part.label, part.num_rounds, part.num_steps) for part in stats.parts] == [("code", 2, 2), ("prose", 1, 2)]
    assert not stats.parts_are_settings
    assert stats.units is not None and stats.units.kind == "requests"
    assert stats.units.counts.tolist() == [[2, 4, 2, 1, 1], [1, 1, 1, 1, 0]]


def test_runs_are_units_without_prompts():
    stats = parse("run_id,proposed,accepted\na,1,1\nb,1,0\na,1,1\n")
    assert stats.units is not None and stats.units.counts.tolist() == [[2, 2, 2, 2], [1, 1, 0, 0]]


def test_blocks_of_16_rounds_are_units_without_requests():
    stats = parse("proposed,accepted\n" + "3,1\n" * 40)
    assert stats.units is not None and stats.units.kind == "rounds"
    assert stats.units.counts[:, 0].tolist() == [16, 16, 8]
    assert (stats.num_speculative_tokens, stats.accepted_per_position) == (3, (40, 0, 0))


def test_several_k_are_settings_and_never_added_up():
    stats = parse("proposed,accepted,k,verify_ms,draft_ms\n0,0,0,8,0\n1,1,1,9,1\n3,1,3,9,3\n3,3,3,9,3\n")
    assert stats.parts_are_settings
    assert (stats.num_speculative_tokens, stats.num_rounds, stats.label) == (3, 2, "k = 3")
    assert [(part.label, part.speculation, part.step_ms) for part in stats.parts] == [
        ("k = 0", False, 8), ("k = 1", True, 10), ("k = 3", True, 12),
    ]  # fmt: skip


def test_rounds_that_draft_less_than_k():
    stats = parse("proposed,accepted,k\n2,1,4\n2,2,4\n")
    assert (stats.num_speculative_tokens, stats.num_draft_tokens) == (4, 4)
    assert (stats.drafted_per_position, stats.accepted_per_position) == ((2, 2, 0, 0), (2, 1, 0, 0))


def test_nothing_proposed_is_a_baseline():
    stats = parse("proposed,accepted,draft_ms,verify_ms\n0,0,0,8\n0,0,0,10\n")
    assert (stats.speculation, stats.step_ms, stats.num_rounds) == (False, 9, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("proposed,accepted\n4,2\n4,5\n", "line 3: accepted = 5 is more than proposed = 4"),
        ("proposed,accepted\n4,x\n", "line 2, column accepted: found x, expected a whole number from 0 to 64"),
        ("proposed,accepted\n65,0\n", "line 2, column proposed: found 65, expected a whole number from 0 to 64"),
        ("proposed,accepted\n,0\n", "line 2, column proposed: nothing found, expected a whole number from 0 to 64"),
        ("proposed,accepted\n1.5,0\n", "line 2, column proposed: found 1.5"),
        ("proposed,accepted\ninf,0\n", "line 2, column proposed: found inf"),
        (
            "proposed,accepted,draft_ms\n4,2,-1\n",
            "line 2, column draft_ms: found -1, expected a finite number, 0 or more",
        ),
        ("proposed,accepted,verify_ms\n4,2,nan\n", "line 2, column verify_ms: found nan"),
        ("proposed,accepted,category\n4,2,\n", "line 2, column category: nothing found, expected a label"),
        ("proposed,accepted\n4,2,1\n", "line 2: number of columns is 3, expected 2 as in the header"),
    ],
)
def test_bad_cell_is_refused(text, said):
    assert said in refused(text)


def test_units_stay_few_and_alike_in_a_long_file():
    lengths = Lengths()
    for round_ in range(40_000):
        lengths.add(round_ % 3, 1, 2)
    units = lengths.units("rounds")
    assert units is not None and len(units.counts) <= 4096
    assert units.counts.sum(axis=0).tolist() == [40_000, 80_000, 39_999, 26_666, 13_333]
    assert set(units.counts[:2000, 0].tolist()) == {16.0}


def test_units_of_many_requests_that_take_turns():
    lengths = Lengths()
    for _ in range(2):
        for request in range(20_000):
            lengths.add(1, 1, 1, request)
    units = lengths.units("requests")
    assert units is not None and len(units.counts) <= 4096
    assert units.counts.sum(axis=0).tolist() == [40_000, 40_000, 40_000, 40_000]
