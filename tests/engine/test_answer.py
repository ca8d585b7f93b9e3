# mypy: disable-error-code="union-attr, arg-type, operator"
"""One answer on a measured run: the same object for a notebook, the pages, the command line and reports."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import specmodel as sm
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.case import EngineCase
from specmodel.engine.checked_numbers import CaseError
from specmodel.engine.lengths import best_choice, length_choices
from specmodel.engine.mix import mix
from specmodel.engine.run import EngineRun, assemble
from specmodel.engine.setting import ENGINES, methods
from specmodel.engine.verdict import engine_verdict
from specmodel.measured.rounds import read_rounds
from specmodel.measured.rounds_counters import counters, stats_of
from specmodel.measured.spec_stats import SpecStats, StatsError

STATS = SpecStats("vLLM", "log", num_speculative_tokens=3, num_rounds=100.0, num_draft_tokens=300.0,
                  num_accepted_draft_tokens=180.0, accepted_per_position=(76.0, 59.0, 45.0), step_ms=12.5)  # fmt: skip
PLAIN = SpecStats("vLLM", "log", speculation=False, step_ms=9.8)


def test_a_notebook_asks_with_counters_alone():
    found = sm.engine.answer(STATS, PLAIN)
    case = EngineCase(STATS, PLAIN)
    assert isinstance(found, EngineAnswer)
    assert (found.verdict, found.speedup) == (engine_verdict(case), case.speedup)
    assert found.lengths == length_choices(case) and found.best == best_choice(found.lengths)
    assert (found.tokens_per_step.value, found.tokens_per_step.low) == (2.8, found.acceptance.length.low)
    assert isinstance(found.speedup, sm.measured.Estimate) and isinstance(found.stats, sm.measured.SpecStats)
    assert found.symptoms == () and found.sweep == () and found.missing is None


def test_the_answer_is_frozen_and_each_part_is_computed_once():
    found = sm.engine.answer(STATS, PLAIN)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.run = None  # type: ignore[misc, assignment]
    for name in ("lengths", "groups", "to_paste", "symptoms", "sweep", "speedup", "best"):
        assert getattr(found, name) is getattr(found, name)


def test_a_baseline_is_one_whatever_it_says_of_itself():
    spoken = PLAIN.replace(speculation=True)
    assert sm.engine.answer(STATS, spoken).speedup == sm.engine.answer(STATS, PLAIN).speedup


def test_a_baseline_takes_the_place_of_that_of_an_assembled_run():
    run = assemble([STATS, PLAIN.replace(step_ms=20.0)])
    found = sm.engine.answer(run, PLAIN)
    assert found.case.plain_ms == 9.8 and found.groups[0].plain_tokens_per_ms == pytest.approx(1 / 9.8)


def test_what_is_typed_beside_it():
    silent = SpecStats("a", "b", printed_length=2.8)
    found = sm.engine.answer(silent, plain_ms=10.0, round_ms=14.0, num_speculative_tokens=3)
    assert found.speedup.value == pytest.approx(2) and found.best.num_speculative_tokens == 3
    without = sm.engine.answer(silent, plain_ms=10.0, round_ms=14.0)
    assert without.acceptance is None and "k" in str(without.missing) and without.lengths == ()
    assert without.verdict.kind == "pays" and without.to_paste is None
    unknown = sm.engine.answer(silent)
    assert "less than 2.80 plain steps" in str(unknown.verdict.reason) and unknown.tokens_per_step.low is None


@pytest.mark.parametrize("k", [0, -1, 1025, 2.5, "3"])
def test_what_is_no_draft_length_is_refused(k):
    with pytest.raises(CaseError, match="no draft length"):
        sm.engine.answer(STATS, num_speculative_tokens=k)


def test_without_speculation_there_is_nothing_to_answer():
    with pytest.raises(StatsError, match="no file tells of speculation"):
        sm.engine.answer(PLAIN)


def grouped(*taus):
    groups = tuple(
        STATS.replace(label=f"g{tau}", num_accepted_draft_tokens=100 * (tau - 1), accepted_per_position=None)
        for tau in taus
    )
    return STATS.replace(groups=groups)


def test_groups_of_one_file_are_rows_and_a_mix():
    found = sm.engine.answer(grouped(1.2, 2.4), PLAIN)
    assert [row.label for row in found.groups] == ["g1.2", "g2.4"] and [row.pays for row in found.groups] == [
        False,
        True,
    ]
    assert found.mix == mix(found.groups) and [row.share for row in found.groups] == [1.2 / 3.6, 2.4 / 3.6]
    other = sm.engine.answer(grouped(1.2, 2.4), PLAIN, shares=[0.9, 0.1])
    assert [row.share for row in other.groups] == [0.9, 0.1] and other.mix.speedup < found.mix.speedup
    assert sm.engine.answer(grouped(1.2, 2.4), PLAIN, shares=[1.0]).shares == found.shares


def test_groups_tell_their_acceptance_with_the_draft_length_typed_beside():
    run = grouped(1.2, 2.4).replace(num_speculative_tokens=None)
    run = run.replace(groups=tuple(each.replace(num_speculative_tokens=None) for each in run.groups))
    assert sm.engine.answer(run).group_acceptances == ()
    rows = sm.engine.answer(run, num_speculative_tokens=3).group_acceptances
    assert [(label, temperature) for label, _, temperature in rows] == [("g1.2", None), ("g2.4", None)]
    assert [each.mean_acceptance_length for _, each, _ in rows] == pytest.approx([1.2, 2.4])


# Rounds: the same run by both ways

TIMED = "proposed,accepted,draft_ms,verify_ms,baseline_ms,prompt,category\n" + "".join(
    f"{p},{a},{1.5 * p},{20 + p},{18 + a % 2},{row // 9},{'code' if row < 60 else 'prose'}\n"
    for row, (p, a) in enumerate([(4, 4), (4, 1), (2, 0), (0, 0), (4, 3), (3, 3), (4, 2)] * 20)
)


def test_a_table_of_rounds_answers_alike_as_a_file_and_as_rounds():
    rounds = read_rounds(TIMED)
    assert stats_of(rounds) == sm.logs.parse(TIMED)
    whole = sm.engine.answer(EngineRun(counters(rounds)))
    assert whole.speedup == sm.engine.answer(sm.logs.parse(TIMED)).speedup
    tokens = rounds.accepted + 1
    assert whole.tokens_per_step.value == pytest.approx(tokens.mean())
    assert whole.speedup.value == pytest.approx(float(tokens @ rounds.baseline_ms) / rounds.round_ms.sum())
    assert whole.speedup.method.startswith("bootstrap over requests, their times")


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=60), st.booleans())
def test_any_table_of_rounds_answers(rows, by_run):
    text = f"proposed,accepted,draft_ms,verify_ms{',run_id' if by_run else ''}\n" + "".join(
        f"{max(p, a)},{a},{max(p, a)},10{f',{n // 5}' if by_run else ''}\n" for n, (p, a) in enumerate(rows)
    )
    found = sm.engine.answer(EngineRun(counters(read_rounds(text))), plain_ms=8.0)
    tokens, ms = sum(a + 1 for _, a in rows), sum(max(p, a) + 10 for p, a in rows)
    assert found.speedup.value == pytest.approx(8 * tokens / ms)
    if found.speedup.low is not None:
        assert found.speedup.low <= found.speedup.value <= found.speedup.high


# What is to be pasted


def test_the_fastest_length_is_pasted_and_off_where_it_ties_or_loses():
    fast = sm.engine.answer(STATS, PLAIN).to_paste
    assert (fast.num_speculative_tokens, fast.schedule, fast.engine) == (3, (), "vLLM")
    slow = sm.engine.answer(STATS.replace(step_ms=40.0), PLAIN).to_paste
    assert slow.num_speculative_tokens == 0 and "speculative" not in slow.pasted().snippet.text
    nothing = STATS.replace(num_draft_tokens=0.0, num_accepted_draft_tokens=0.0, accepted_per_position=None)
    assert sm.engine.answer(nothing).to_paste.num_speculative_tokens == 0
    assert sm.engine.answer(SpecStats("a", "b", tpot_ms=20.0), plain_ms=10.0).to_paste.num_speculative_tokens == 0
    assert sm.engine.answer(SpecStats("a", "b", tpot_ms=5.0), plain_ms=10.0).to_paste is None


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_and_way_of_drafting_can_be_pasted(engine):
    found = sm.engine.answer(STATS, PLAIN).to_paste
    for way in methods(engine):
        pasted = found.pasted(engine, way.key)
        assert pasted.snippet.engine == engine and pasted.without_schedule is None
        assert (pasted.rehearsal is None) == (engine != "vLLM")


def test_an_engine_without_snippets_is_written_for_vllm_and_a_lookup_stays_one():
    seldom = STATS.replace(engine="TGI", num_steps=1000.0)
    found = sm.engine.answer(seldom, PLAIN).to_paste
    assert found.engine == "vLLM" and found.method() == "ngram" and found.method("llama.cpp") == "ngram"
    assert found.pasted().rehearsal.text != found.pasted(method="mtp").rehearsal.text


def swept(*best):
    """A file with two batch sizes, and how fast k = 1, 2, 3 are at each."""
    parts = []
    for batch, speeds in zip((1.0, 8.0), best, strict=True):
        parts.append(PLAIN.replace(step_ms=10.0, batch_size=batch))
        parts += [
            STATS.replace(num_speculative_tokens=k, tpot_ms=10 / speed, batch_size=batch, label=f"k = {k}")
            for k, speed in enumerate(speeds, 1)
        ]
    return parts[1].replace(parts=tuple(parts), parts_are_settings=True)


def test_a_sweep_gives_a_schedule_where_the_best_differs_by_batch():
    found = sm.engine.answer(swept((1.1, 2.0, 1.5), (1.2, 0.9, 0.8)))
    assert [each.num_speculative_tokens for each in found.lengths if each.measured] == [0, 1, 2, 3]
    assert found.best.num_speculative_tokens == 2 and found.best_by_batch[8.0].num_speculative_tokens == 1
    paste = found.to_paste
    assert (paste.num_speculative_tokens, paste.schedule) == (2, ((1, 2), (8, 1)))
    assert "num_speculative_tokens_per_batch_size" in paste.pasted("vLLM", "eagle3").snippet.text
    assert sm.engine.answer(swept((1.1, 2.0, 1.5), (1.2, 1.9, 0.8))).to_paste.schedule == ()


def test_a_schedule_that_an_engine_cannot_take_is_left_out_and_named():
    paste = sm.engine.answer(swept((2.0, 1.1, 1.5), (1.2, 1.9, 0.8))).to_paste
    pasted = paste.pasted("TensorRT-LLM", "eagle3")
    assert "first tier" in str(pasted.without_schedule) and "max_draft_len: 1" in pasted.snippet.text
    assert paste.pasted("vLLM", "eagle3").without_schedule is None


def test_a_long_file_is_answered_from_bounded_counts():
    rng = np.random.default_rng(0)
    kept = rng.integers(0, 5, 200_000)
    rounds = read_rounds("proposed,accepted\n" + "".join(f"4,{a}\n" for a in kept))
    stats = counters(rounds)
    assert len(stats.units.counts) <= 4096
    assert sm.engine.answer(stats, PLAIN).acceptance.draws.shape == (1000, 4)
