# mypy: disable-error-code="arg-type, comparison-overlap, operator, type-var, union-attr"
import dataclasses
import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel import logs
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import first_rejected, group_row
from specmodel.engine.mix import mix, token_shares
from specmodel.engine.run import assemble
from specmodel.engine.speed import disagreeing, round_parts, side_by_side, speedup_ceiling
from specmodel.measured.spec_stats import SpecStats, StatsError

REAL = Path(__file__).parents[1] / "logs" / "samples" / "llama_server_real"


def measured(tau, step_ms, k=4, rounds=1000.0, **more):
    return SpecStats("a", "b", num_speculative_tokens=k, num_rounds=rounds, num_draft_tokens=k * rounds,
                     num_accepted_draft_tokens=(tau - 1) * rounds, step_ms=step_ms, **more)  # fmt: skip


def row(tau, step_ms, share=None, plain=10.0, **more):
    return group_row(EngineCase(measured(tau, step_ms, **more), plain_ms_typed=plain), share)


GROUP = st.tuples(st.floats(1, 5), st.floats(1, 80), st.floats(0.01, 10))  # tau, time of a round, share


@given(st.lists(GROUP, min_size=1, max_size=6))
def test_a_mix_is_the_time_of_all_its_tokens(groups):
    """Tokens in proportion to the shares, their rounds and times added up one group after the other."""
    found = mix([row(tau, ms, share) for tau, ms, share in groups])
    tokens = sum(share for *_, share in groups)
    rounds = sum(share / tau for tau, _, share in groups)
    on = sum(share / tau * ms for tau, ms, share in groups)
    chosen = sum(min(share / tau * ms, share * 10.0) for tau, ms, share in groups)
    assert found.tokens_per_step == pytest.approx(tokens / rounds)
    assert found.speedup == pytest.approx(tokens * 10.0 / on)
    assert found.selective_speedup == pytest.approx(tokens * 10.0 / chosen)
    assert found.selective_speedup >= max(found.speedup, 1) - 1e-9


def test_requests_of_equal_length_add_up_to_the_harmonic_mean():
    rng, tokens, rounds, rows = np.random.default_rng(8), 4000, 0, []
    for alpha in (0.2, 0.5, 0.8, 0.95):
        mine, emitted = 0, 0
        while emitted < tokens:
            emitted += 1 + int(np.cumprod(rng.random(4) < alpha).sum())
            mine += 1
        rounds += mine
        rows.append(row(emitted / mine, 12.0))
    found = mix(rows)
    assert found.tokens_per_step == pytest.approx(4 * tokens / rounds, rel=2e-3)
    assert found.tokens_per_step < np.mean([each.tokens_per_step for each in rows]) - 0.2


@given(st.lists(GROUP, min_size=1, max_size=5))
def test_a_group_is_on_exactly_where_it_gets_more_tokens_a_millisecond(groups):
    for tau, ms, _ in groups:
        found = row(tau, ms)
        assert found.pays == (tau / ms > 1 / 10.0)
        assert found.tokens_per_ms == pytest.approx(tau / ms)
        assert found.accepted_per_ms == pytest.approx((tau - 1) / ms)
        assert found.speedup == pytest.approx(tau * 10 / ms)
        assert found.accepted_length == pytest.approx(tau - 1)
        assert (found.proposed, found.accepted) == (4000, pytest.approx((tau - 1) * 1000))


def test_the_lowest_acceptance_may_be_the_one_that_pays():
    code, chat = row(4.0, 60.0), row(1.6, 11.0)
    assert (code.pays, chat.pays) == (False, True)
    assert mix([code, chat]).selective_speedup == pytest.approx(2 * 10 / (10 + 11 / 1.6))


def test_a_mix_without_shares_counts_all_the_same_and_without_times_has_no_speed():
    even, weighed = mix([row(1, 10.0), row(3, 10.0)]), mix([row(1, 10.0, 3.0), row(3, 10.0, 1.0)])
    assert even.tokens_per_step == pytest.approx(1.5)
    assert weighed.tokens_per_step == pytest.approx(4 / (3 + 1 / 3))
    assert mix([row(1, 10.0, 3.0), row(3, 10.0)]) == even
    assert mix([row(1, 10.0, 0.0), row(3, 10.0, 0.0)]) == even
    silent = mix([row(2, None), row(3, 10.0)])
    assert (silent.speedup, silent.selective_speedup, silent.tokens_per_step) == (None, None, pytest.approx(2.4))
    with pytest.raises(StatsError, match="nothing to add up"):
        mix([])


def test_a_row_and_the_verdict_of_its_run_agree():
    plain = SpecStats("a", "b", speculation=False, step_ms=9.0, tpot_ms=10.0)
    for stats in (
        measured(2.8, 14.0, tpot_ms=5.6),
        measured(2.8, 14.0),
        measured(2.8, None, tpot_ms=5.6),
        measured(2.8, 14.0, tpot_ms=5.6, num_steps=2000.0, generated_tokens=3800.0),
    ):
        for case in (EngineCase(stats, plain), EngineCase(stats, plain, plain_ms_typed=8.0)):
            assert group_row(case).speedup == pytest.approx(case.decode_speedup)


def test_a_row_says_only_what_is_known():
    empty = group_row(EngineCase(SpecStats("a", "b", label="x")))
    assert empty.label == "x"
    assert {value for name, value in vars(empty).items() if name != "label"} == {None}
    assert (empty.pays, empty.speedup) == (None, None)
    timed = group_row(EngineCase(measured(2.0, 20.0, output_tokens_per_s=77.0, memory_gb=5.0, request_ms=9.0)))
    assert (timed.tokens_per_s, timed.memory_gb, timed.latency_ms, timed.pays) == (77.0, 5.0, 9.0, None)
    assert group_row(EngineCase(measured(2.0, 20.0))).tokens_per_s == pytest.approx(100)


# First rejected position


@given(st.integers(1, 8), st.integers(1, 60), st.floats(0.1, 0.95), st.integers(0, 10**6))
def test_first_rejected_is_the_mean_over_the_rounds_that_rejected_one(k, rounds, alpha, seed):
    kept = np.cumprod(np.random.default_rng(seed).random((rounds, k)) < alpha, axis=1).sum(axis=1)
    stats = SpecStats("a", "b", num_rounds=float(rounds),
                      accepted_per_position=tuple(float((kept >= i).sum()) for i in range(1, k + 1)))  # fmt: skip
    rejected = kept[kept < k] + 1
    assert first_rejected(stats) == (pytest.approx(rejected.mean()) if rejected.size else None)


def test_first_rejected_is_unknown_without_positions():
    assert first_rejected(measured(2.0, 10.0)) is None
    assert first_rejected(SpecStats("a", "b", num_rounds=5.0, accepted_per_position=(0.0,))) == 1


# Shares


def test_shares_are_those_of_the_tokens():
    groups = [SpecStats("a", "b", generated_tokens=30.0), measured(2.0, 1.0, rounds=5.0)]
    assert token_shares(groups) == (0.75, 0.25)
    assert token_shares([*groups, SpecStats("a", "b")]) is None
    assert token_shares([]) is None


# A run from several files


def test_files_become_groups_with_the_baseline_of_the_same_name():
    files = [
        measured(3.0, 12.0, label="code.log", generated_tokens=300.0),
        SpecStats("a", "b", label="chat-baseline.log.gz", speculation=False, step_ms=8.0, num_steps=1.0),
        measured(1.5, 12.0, label="chat.log.gz", generated_tokens=100.0),
        SpecStats("a", "b", label="no_spec code.log", speculation=False, step_ms=10.0, num_steps=1.0),
    ]
    run = assemble(files)
    assert [group.label for group in run.groups] == ["code.log", "chat.log.gz"]
    assert [plain.step_ms for plain in run.group_baselines] == [10.0, 8.0]
    assert run.shares == (0.75, 0.25)
    assert run.stats.mean_acceptance_length == pytest.approx(1 + 2500 / 2000)
    assert run.baseline.step_ms == 0.75 * 10 + 0.25 * 8  # in the mix of the run with speculation
    assert run.case(plain_ms=6.0).decode_speedup == pytest.approx(2.25 * 6 / 12)
    assert [case.plain_ms for case in run.group_cases(plain_ms=7.0)] == [7.0, 7.0]


def test_files_of_two_engines_are_not_added_up():
    run = assemble([measured(3.0, 12.0), measured(2.0, 12.0).replace(engine="other")])
    assert run.stats.mean_acceptance_length == 3.0
    assert len(run.groups) == 2
    assert "several engines" in str(run.notes[0])


def test_baselines_alone_are_refused():
    with pytest.raises(StatsError, match="no file tells of speculation"):
        assemble([SpecStats("a", "b", speculation=False)])


def test_a_sweep_is_compared_with_the_plain_run_of_its_own_batch():
    plain = [
        SpecStats("a", "b", speculation=False, batch_size=size, step_ms=ms) for size, ms in [(1.0, 10.0), (8.0, 14.0)]
    ]
    best = measured(2.8, 21.0, batch_size=8.0)
    run = assemble([best.replace(parts=(*plain, best), parts_are_settings=True)])
    assert run.case().decode_speedup == pytest.approx(2.8 * 14 / 21)
    alone = assemble([best.replace(parts=(plain[0], best), parts_are_settings=True)])
    assert alone.baseline is None  # a plain run of one sequence says nothing about eight
    unnamed = plain[0].replace(batch_size=None)
    assert assemble([best.replace(parts=(unnamed, best), parts_are_settings=True)]).baseline is unnamed


def real(name):
    with gzip.open(REAL / f"{name}.server.log.gz") as file:
        return logs.parse(file.read(), f"{name}.server.log.gz")


@pytest.mark.parametrize(("name", "most"), [("smol_draft15m_k4", 0.25), ("gemma_draft_smollm2_k4", 1.0)])
def test_the_real_server_log_shows_that_speculation_lost(name, most):
    run = assemble([real(name), real(f"{name}.baseline")])
    case = run.case()
    assert case.decode_speedup < most
    assert group_row(run.group_cases()[0]).pays is False
    assert case.decode_speedup == pytest.approx(group_row(run.group_cases()[0]).speedup)


# Measures of speed beside each other


def test_like_measures_stand_side_by_side():
    plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, itl_ms=10.0, output_tokens_per_s=100.0, ttft_ms=50.0)
    fast = SpecStats("a", "b", tpot_ms=5.0, itl_ms=14.0, output_tokens_per_s=120.0, request_ms=9.0)
    found = {each.key: each.speedup for each in side_by_side(fast, plain)}
    assert found == pytest.approx({"tpot_ms": 2.0, "itl_ms": 10 / 14, "output_tokens_per_s": 1.2})
    assert [each.key for each in disagreeing(side_by_side(fast, plain), 2.0)] == ["output_tokens_per_s"]
    assert side_by_side(fast, None) == ()


@given(st.floats(0.2, 5), st.floats(0.2, 5))
def test_disagreement_is_a_tenth_or_two_sides_of_one(decode, throughput):
    plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, output_tokens_per_s=100.0)
    fast = SpecStats("a", "b", tpot_ms=10 / decode, output_tokens_per_s=100 * throughput)
    apart = max(decode / throughput, throughput / decode)
    if abs(apart - 1.1) > 1e-9 and min(abs(decode - 1), abs(throughput - 1)) > 1e-9:
        found = disagreeing(side_by_side(fast, plain), decode)
        assert bool(found) == (apart > 1.1 or (decode > 1) != (throughput > 1))


@pytest.mark.parametrize(("decode", "throughput", "apart"), [(1.03, 0.97, True), (1.09, 1.03, False), (1.3, 1.1, True)])
def test_small_differences_matter_only_around_one(decode, throughput, apart):
    plain = SpecStats("a", "b", speculation=False, tpot_ms=10.0, output_tokens_per_s=100.0)
    fast = SpecStats("a", "b", tpot_ms=10 / decode, output_tokens_per_s=100 * throughput)
    assert bool(disagreeing(side_by_side(fast, plain), decode)) == apart


def test_vllm_24505_the_gap_between_chunks_is_no_speedup():
    # FP16: throughput 1.01×, ITL +50.5 %: three measures, and only one of them says slower
    plain = SpecStats("vLLM", "b", speculation=False, itl_ms=10.0, output_tokens_per_s=100.0, tpot_ms=10.0)
    fast = SpecStats("vLLM", "b", itl_ms=15.05, output_tokens_per_s=101.0, tpot_ms=9.9)
    found = {each.key: each for each in side_by_side(fast, plain)}
    assert found["itl_ms"].speedup < 0.7 < 1 < found["output_tokens_per_s"].speedup
    assert "Not a speedup" in found["itl_ms"].meaning


def test_where_the_time_of_a_round_goes():
    case = EngineCase(measured(2.0, 15.0, draft_ms=3.0, verify_ms=9.0), plain_ms_typed=10.0)
    parts = round_parts(case)
    assert (parts.draft_ms, parts.verify_ms, parts.rest_ms, parts.round_ms, parts.plain_ms) == (3, 9, 3, 15, 10)
    assert round_parts(EngineCase(measured(2.0, 11.0, draft_ms=3.0, verify_ms=9.0))).rest_ms == 0
    assert round_parts(EngineCase(measured(2.0, 15.0, draft_ms=3.0))).rest_ms is None
    assert round_parts(EngineCase(measured(2.0, None))) is None


@given(st.floats(1, 5), st.floats(0, 20), st.floats(5, 20), st.floats(0.05, 1), st.floats(0.1, 1), st.floats(0, 5))
def test_no_run_is_faster_than_its_ceiling(tau, draft, verify, share, of_verify, rest):
    """Any plain step that is no longer than a verification, any share of steps with a draft, any overhead."""
    plain, steps = of_verify * verify, 1000.0
    rounds = share * steps
    ms = share * (draft + verify + rest) + (1 - share) * plain
    stats = measured(tau, ms, rounds=rounds, draft_ms=draft, verify_ms=verify, num_steps=steps,
                     generated_tokens=steps + (tau - 1) * rounds)  # fmt: skip
    case = EngineCase(stats, plain_ms_typed=plain)
    assert case.decode_speedup <= speedup_ceiling(case) * (1 + 1e-9)
    same = EngineCase(stats.replace(step_ms=share * (draft + verify) + (1 - share) * verify), plain_ms_typed=verify)
    assert same.decode_speedup == pytest.approx(speedup_ceiling(same))


def test_a_ceiling_needs_both_times():
    assert speedup_ceiling(EngineCase(measured(2.0, 15.0, draft_ms=3.0))) is None
    assert speedup_ceiling(EngineCase(SpecStats("a", "b", draft_ms=3.0, verify_ms=9.0))) is None


def test_a_file_given_twice_counts_once_and_says_so():
    fast = SpecStats("a", "log", label="x", num_rounds=10, num_draft_tokens=20, num_accepted_draft_tokens=5)
    run = assemble([fast, fast])
    assert run.stats.num_rounds == 10 and "counted once" in str(run.notes[0])


def test_files_of_several_kinds_are_warned_of():
    fast = SpecStats("a", "log", label="x", num_rounds=10, num_draft_tokens=20, num_accepted_draft_tokens=5)
    other = fast.replace(source="page", label="y", num_rounds=30)
    assert "several kinds" in str(assemble([fast, other]).notes[0])


def test_settings_that_share_the_main_draft_length_are_groups_by_kind_and_temperature():
    def setting(k, temperature, rounds):
        kinds = tuple(
            SpecStats("a", "csv", label=label, num_speculative_tokens=k, num_rounds=rounds, temperature=temperature)
            for label in ("code", "prose")
        )
        return kinds[0].replace(label=f"k = {k}", parts=kinds)

    parts = (setting(2, 0.0, 30), setting(2, 1.0, 20), setting(4, 0.0, 10))
    run = assemble([parts[0].replace(parts=parts, parts_are_settings=True)])
    assert [each.label for each in run.groups] == ["code, T = 0", "prose, T = 0", "code, T = 1", "prose, T = 1"]


def test_groups_that_take_no_time_have_no_speedup_but_raise_nothing():
    usual = row(2.0, 10.0)
    endless = dataclasses.replace(usual, tokens_per_ms=math.inf)
    assert mix([endless, endless]).speedup is None and mix([endless, usual]).speedup is not None
