"""What is read from a real Prometheus that scrapes moving counters with known ratios."""

import math

import numpy as np
import pytest

from specmodel import engine
from specmodel.logs.prometheus import LiveError, Target, find, read_plain, read_series, read_window, targets
from specmodel.logs.prometheus.engines import NAMINGS
from specmodel.logs.prometheus.promql import ratios
from tests.logs.prometheus.exporter import (
    EVIL,
    FIRST_TOKENS,
    IDLE,
    LARGE,
    LLAMA,
    PLAIN_STEP_S,
    RENAMED,
    REPLICATED,
    RESTARTED,
    SGLANG,
    SMALL,
    SMALL_BUSIER,
    STRANGE,
    TICK_S,
)

WINDOW_S = 8.0


def target(scraped, model):
    return next(each for each in targets(scraped.server, scraped.now) if each.model == model)


def llama(scraped):
    return next(each for each in targets(scraped.server, scraped.now) if each.engine == "llama.cpp")


def test_targets_are_what_the_server_has(scraped):
    found = targets(scraped.server, scraped.now)
    models = {truth.model for truth in (SMALL, LARGE, IDLE, RESTARTED, STRANGE, RENAMED, REPLICATED)}
    assert {each.model for each in found if each.engine == "vLLM"} == models
    assert [each.model for each in found if each.engine == "SGLang"] == [SGLANG.model]
    (cpp,) = [each for each in found if each.engine == "llama.cpp"]
    assert cpp.model.startswith("engines · 127.0.0.1:")
    assert len({each.key for each in found}) == len(found)
    assert all(find(found, each.key) is each for each in found)


@pytest.mark.parametrize(
    "key", ["", "vllm:", 'vllm:{model_name="x"} or vector(1)', 'vllm:{model_name="demo/target-8b"']
)
def test_a_key_that_is_not_listed_finds_nothing(scraped, key):
    with pytest.raises(LiveError) as error:
        find(targets(scraped.server, scraped.now), key)
    assert error.value.kind == "unknown_target"


@pytest.mark.parametrize("truth", [LARGE, STRANGE, RENAMED], ids=["large", "strange", "renamed"])
def test_window_gives_the_known_ratios(scraped, truth):
    stats = read_window(scraped.server, target(scraped, truth.model), WINDOW_S, scraped.now)
    assert stats.mean_acceptance_length == pytest.approx(truth.acceptance_length, rel=0.01)
    assert stats.per_position_acceptance == pytest.approx(truth.shares, rel=0.02)
    assert stats.step_ms == pytest.approx(1000 * truth.step_s, rel=0.01)
    assert stats.ttft_ms == pytest.approx(200, rel=0.02)
    assert stats.num_speculative_tokens == truth.k
    assert stats.mean_draft_length == pytest.approx(truth.k, rel=0.01)
    assert stats.num_steps == pytest.approx(stats.num_rounds, rel=0.02)
    assert stats.tokens_per_step == pytest.approx(truth.acceptance_length, rel=0.02)
    assert stats.num_rounds == pytest.approx(truth.rounds * WINDOW_S / TICK_S, rel=0.25)  # as busy as this machine
    assert stats.num_requests == pytest.approx(FIRST_TOKENS / truth.rounds * stats.num_rounds, rel=0.05)
    assert stats.batch_size == 4
    assert stats.estimated and stats.window_s == WINDOW_S and stats.label == truth.model
    assert len(stats.notes) == 1
    assert stats.acceptance().mean_acceptance_length == pytest.approx(truth.acceptance_length, rel=0.01)


def test_engines_are_summed_before_anything_is_divided(scraped):
    stats = read_window(scraped.server, target(scraped, SMALL.model), WINDOW_S, scraped.now)
    weights = np.array([SMALL.rounds, SMALL_BUSIER.rounds])
    lengths = [SMALL.acceptance_length, SMALL_BUSIER.acceptance_length]
    expected = np.average(lengths, weights=weights)
    assert abs(expected - np.mean(lengths)) > 0.2
    assert stats.mean_acceptance_length == pytest.approx(expected, rel=0.01)
    assert stats.step_ms == pytest.approx(
        1000 * np.average([SMALL.step_s, SMALL_BUSIER.step_s], weights=weights), rel=0.01
    )
    assert stats.batch_size == 4  # of one engine, not of both together


def test_instances_that_do_not_speculate_are_never_added_to_those_that_do(scraped):
    """Their tokens were steps without a draft: 1.75 tokens a step, and a lookup was recommended."""
    chosen = target(scraped, REPLICATED.model)
    assert (chosen.where, chosen.plain.where) == ("job engines", "job without")
    stats = read_window(scraped.server, chosen, WINDOW_S, scraped.now)
    assert stats.tokens_per_step == pytest.approx(REPLICATED.acceptance_length, rel=0.02)
    assert stats.step_ms == pytest.approx(1000 * REPLICATED.step_s, rel=0.01)
    plain = read_plain(scraped.server, chosen.plain, WINDOW_S, scraped.now)
    assert not plain.speculation and plain.step_ms == pytest.approx(1000 * PLAIN_STEP_S, rel=0.01)
    assert plain.ttft_ms == pytest.approx(150, rel=0.02) and plain.batch_size == 4
    found = engine.answer(engine.assemble([stats, plain]))
    assert found.speedup is not None and found.to_paste is not None
    assert found.speedup.value == pytest.approx(2.5 * 10 / 12.5, rel=0.03) and found.verdict.kind == "pays"
    assert not found.to_paste.is_lookup
    series = read_series(scraped.server, chosen, 5.0, scraped.now, 6)
    assert series.acceptance_length == pytest.approx(REPLICATED.acceptance_length, rel=0.02)


def test_a_link_to_all_instances_of_a_model_still_finds_those_that_speculate(scraped):
    chosen = target(scraped, REPLICATED.model)
    assert find(targets(scraped.server, scraped.now), f'vllm:{{model_name="{REPLICATED.model}"}}') == chosen


def test_instances_that_served_nothing_are_no_baseline(scraped):
    nowhere = Target("vLLM", "m", (("model_name", "nobody"),), "vllm:", where="job nowhere")
    with pytest.raises(LiveError, match="job nowhere served nothing") as error:
        read_plain(scraped.server, nowhere, WINDOW_S, scraped.now)
    assert error.value.kind == "idle"


def test_llama_cpp(scraped):
    stats = read_window(scraped.server, llama(scraped), WINDOW_S, scraped.now)
    assert stats.mean_acceptance_length == pytest.approx(LLAMA.acceptance_length, rel=0.01)
    assert stats.per_position_acceptance == pytest.approx(LLAMA.shares, rel=0.02)
    assert stats.tpot_ms == pytest.approx(9, rel=0.01)
    assert stats.step_ms is None


def test_sglang(scraped):
    stats = read_window(scraped.server, target(scraped, SGLANG.model), WINDOW_S, scraped.now)
    assert stats.mean_acceptance_length == pytest.approx(SGLANG.acceptance_length, rel=0.01)
    assert stats.num_speculative_tokens == 3
    assert stats.num_draft_tokens == pytest.approx(3 * (stats.num_rounds or 0), rel=1e-3)
    assert stats.accepted_per_position is None and stats.step_ms is None


def test_a_restart_in_the_window_gives_nothing_negative(scraped):
    stats = read_window(scraped.server, target(scraped, RESTARTED.model), 14.0, scraped.now)
    assert stats.num_rounds == pytest.approx(RESTARTED.rounds * 14 / TICK_S, rel=0.3)
    assert stats.mean_acceptance_length == pytest.approx(RESTARTED.acceptance_length, rel=0.05)
    assert any("started anew" in str(note) for note in stats.notes)
    series = read_series(scraped.server, target(scraped, RESTARTED.model), 12.0, scraped.now, 13, rate_window_s=4)
    assert np.nanmin(series.accepted_per_s) > 0 and np.nanmin(series.wasted_per_s) > 0
    assert np.nanmax(series.accepted_per_s) < 3 * RESTARTED.rounds * sum(RESTARTED.shares) / TICK_S


def test_idle_is_said_and_is_no_number(scraped):
    with pytest.raises(LiveError) as error:
        read_window(scraped.server, target(scraped, IDLE.model), WINDOW_S, scraped.now)
    assert error.value.kind == "idle" and IDLE.model in str(error.value)
    series = read_series(scraped.server, target(scraped, IDLE.model), 6.0, scraped.now, 7)
    assert np.isnan(series.acceptance_length).all() and np.isnan(series.step_ms).all()
    assert np.isnan(series.per_position).all()
    assert series.accepted_per_s[-1] == 0 and series.running[-1] == 0


def test_nothing_scraped_in_the_window(scraped):
    for read in (read_window, read_series):
        with pytest.raises(LiveError) as error:
            read(scraped.server, target(scraped, LARGE.model), 60, scraped.now - 3600)
        assert error.value.kind == "no_data"


def test_series(scraped):
    series = read_series(scraped.server, target(scraped, LARGE.model), 6.0, scraped.now, points=13)
    assert series.rate_window_s == pytest.approx(4, rel=0.1)  # four scrapes, one a second
    assert series.time_s.shape == (13,) and series.time_s[-1] == pytest.approx(scraped.now)
    assert np.diff(series.time_s) == pytest.approx(0.5)
    assert series.acceptance_length == pytest.approx(LARGE.acceptance_length, rel=0.02)
    assert series.per_position.shape == (13, 5)
    assert series.per_position.mean(axis=0) == pytest.approx(LARGE.shares, rel=0.02)
    assert series.step_ms == pytest.approx(1000 * LARGE.step_s, rel=0.01)
    wasted = (LARGE.k - sum(LARGE.shares)) / sum(LARGE.shares)
    assert series.wasted_per_s == pytest.approx(series.accepted_per_s * wasted, rel=0.05)
    assert series.accepted_per_s.mean() == pytest.approx(LARGE.rounds * sum(LARGE.shares) / TICK_S, rel=0.25)
    assert (series.running == 4).all()


def test_series_of_an_engine_that_counts_less(scraped):
    series = read_series(scraped.server, target(scraped, SGLANG.model), 5.0, scraped.now, 6)
    assert series.acceptance_length == pytest.approx(SGLANG.acceptance_length, rel=0.02)
    assert series.per_position.shape == (6, 0) and np.isnan(series.step_ms).all()
    assert series.wasted_per_s == pytest.approx(series.accepted_per_s * 1.2 / 1.8, rel=0.05)


def test_before_the_first_scrape_the_curves_are_not_known(scraped):
    series = read_series(scraped.server, target(scraped, LARGE.model), 60.0, scraped.now, 61)
    assert np.isnan(series.acceptance_length[:30]).all() and np.isnan(series.running[:30]).all()
    assert series.acceptance_length[-1] == pytest.approx(LARGE.acceptance_length, rel=0.02)


@pytest.mark.parametrize("prefix", NAMINGS)
def test_every_expression_stands_alone(scraped, prefix):
    for labels in [(("model_name", EVIL),), (("job", "engines"),)]:
        for role, expression in ratios(NAMINGS[prefix], labels, 4).items():
            rows = scraped.server.query(expression, scraped.now).rows
            assert len(rows) <= (5 if role == "per_position" else 1)
            assert all(math.isfinite(row.value) for row in rows)


@pytest.mark.parametrize(
    "model",
    [
        'evil"}) or vector(1)',
        'a"b',
        "a\\",
        'a\\"} or vector(1) #',
        "a\nb",
        "a\r\nb",
        "a`b",
        "a'b",
        "日本",
        "{}[5m]",
        "",
    ],
)
def test_labels_cannot_leave_their_quotes(scraped, model):
    for read in (read_window, read_series):
        with pytest.raises(LiveError) as error:
            read(scraped.server, Target("vLLM", model, (("model_name", model),)), WINDOW_S, scraped.now)
        assert error.value.kind == "no_data"


def test_a_query_that_is_wrong_is_refused_with_the_reason(scraped):
    with pytest.raises(LiveError, match=r"bad_data.*parse error") as error:
        scraped.server.query("sum(", scraped.now)
    assert error.value.kind == "refused"


def test_a_server_without_engines(empty_server, scraped):
    with pytest.raises(LiveError, match="has no metrics of vLLM, SGLang") as error:
        targets(empty_server, scraped.now)
    assert error.value.kind == "no_metrics"


def test_label_values(scraped):
    found = scraped.server.label_values("model_name", "vllm:generation_tokens_total", scraped.now - 60, scraped.now)
    assert EVIL in found.rows and LARGE.model in found.rows
