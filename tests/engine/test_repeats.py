# mypy: disable-error-code="arg-type, union-attr, operator, list-item"
"""A sweep keeps its repeats: settings that differ by rounding are one, and several runs of it give its spread."""

import numpy as np
import pytest

import specmodel as sm
from specmodel.engine.repeats import Spread, by_setting, same_batch
from specmodel.engine.run import assemble
from specmodel.engine.sweep import best_by_batch, settings
from specmodel.engine.sweep_lengths import setting_choices
from specmodel.measured.assumed_spread import TIME
from specmodel.measured.spec_stats import SpecStats


def run(k, ms, batch, **more):
    if not k:
        return SpecStats("a", "sweep", speculation=False, tpot_ms=ms, batch_size=batch, **more)
    return SpecStats("a", "sweep", num_speculative_tokens=k, tpot_ms=ms, printed_length=2.0, batch_size=batch, **more)


def sweep(*parts):
    speculating = next(each for each in parts if each.speculation)
    return speculating.replace(parts=parts, parts_are_settings=True)


def test_batches_that_differ_by_rounding_are_one_setting_with_the_mean_of_its_runs():
    stats = sweep(run(0, 10.0, 11), run(3, 5.0, 10.999999999999996), run(3, 5.5, 11), run(0, 10.4, 10.999999999999996))
    found = settings(stats)
    assert [(each.num_speculative_tokens, each.batch_size, each.runs) for each in found] == [(0, 11, 2), (3, 11, 2)]
    assert found[1].speedup == pytest.approx(np.sqrt(10 * 10.4 / (5 * 5.5)))
    assert found[1].low < found[1].speedup < found[1].high
    assert list(best_by_batch(found)) == [11.0]
    answer = sm.engine.answer(stats)
    assert answer.stats.tpot_ms == pytest.approx(5.25) and answer.run.baseline.tpot_ms == pytest.approx(10.2)
    assert answer.lengths[1].speedup.low == found[1].low
    assert answer.groups == (), "repeats are no kinds of requests"


def test_the_schedule_has_whole_batches():
    parts = [run(0, 10.0, 10.999999999999996), run(3, 5.0, 11), run(0, 20.0, 64), run(3, 25.0, 63.9999999)]
    assert sm.engine.answer(sweep(*parts)).to_paste.schedule == ((11, 3), (64, 0))


def test_settings_that_differ_in_context_rate_or_tree_are_no_repeats():
    parts = [run(3, 5.0, 4, context_tokens=1000.0), run(3, 9.0, 4, context_tokens=32000.0),
             run(3, 5.0, 4, request_rate=2.0), run(3, 5.0, 4, label="k=3 top-k 4"), run(2, 5.0, 4)]  # fmt: skip
    assert [len(each) for each in by_setting(parts)] == [1] * 5
    named = [run(3, 5.0, 4, label=name) for name in ("eagle", "ngram", "run 1", "run 2")]
    assert [len(each) for each in by_setting(named)] == [1, 1, 2]
    assert not same_batch(4, 5) and not same_batch(0, 1) and same_batch(0, 0)


def test_without_repeats_the_spread_is_assumed():
    found = settings(sweep(run(0, 10.0, 1), run(3, 5.0, 1)))
    assert (found[1].speedup, found[1].low, found[1].runs) == (2.0, None, 1)
    assumed = setting_choices(found, 1)[1].speedup  # two times that were measured once
    assert assumed.low == pytest.approx(2 * np.exp(-1.96 * TIME * 2**0.5), rel=0.03) and "assumed" in assumed.method


def test_the_interval_of_repeats_holds_the_true_ratio_as_often_as_it_says():
    rng, held = np.random.default_rng(5), 0
    for _ in range(400):
        times = [[10.0, 5.0][i] * np.exp(rng.normal(0, 0.05, 3)) for i in range(2)]
        parts = [run(k, float(ms), 8) for k, each in zip((0, 3), times, strict=True) for ms in each]
        setting = settings(sweep(*parts))[1]
        held += setting.low <= 2.0 <= setting.high
    assert 0.92 <= held / 400 <= 0.98


def test_the_spread_is_pooled_and_a_setting_that_ran_once_gets_it():
    parts = [run(0, 10.0, 1), run(0, 10.5, 1), run(2, 6.0, 1), run(3, 5.0, 1), run(3, 5.2, 1)]
    found = {each.num_speculative_tokens: each for each in settings(sweep(*parts))}
    assert Spread.of([parts[:2], parts[3:]]).freedom == 2
    assert found[2].high / found[2].speedup > found[3].high / found[3].speedup > 1


def test_files_of_repeats_are_one_setting_of_a_file():
    """--append-result: three runs with and three without speculation in one file."""
    parts = [run(0, ms, 4) for ms in (10.0, 10.2, 9.9)] + [run(3, ms, 4) for ms in (5.0, 5.1, 4.9)]
    answer = sm.engine.answer(assemble([sweep(*parts)]))
    assert answer.verdict.kind == "pays" and len(answer.sweep) == 2
    assert answer.sweep[1].runs == 3 and answer.sweep[1].low > 1.8
