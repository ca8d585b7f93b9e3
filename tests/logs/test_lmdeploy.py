"""LMDeploy: the log line in its variants, and /metrics."""

import pytest

from specmodel.logs import parse, parse_scrapes
from tests.logs.shared import read, refused

LINE = read("lmdeploy-log.log")
SCRAPE = read("lmdeploy-metrics.prom")
PLAIN = LINE.partition("SpecDecoding")[0].rstrip(", ") + "\n"


def test_line():
    stats = parse(LINE)
    assert (stats.engine, stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (
        "LMDeploy", 3200, 9600, 5760,
    )  # fmt: skip
    assert stats.per_position_acceptance == (0.76, 0.59, 0.45)
    assert (stats.num_speculative_tokens, stats.mean_acceptance_length) == (3, 2.8)
    assert (stats.batch_size, stats.output_tokens_per_s) == (4, 896)
    assert [each.definition for each in stats.printed] == ["accepted_per_drafted", "length_with_bonus"]
    assert stats.units is not None and stats.units.kind == "windows"


def test_prefix_cache_hit_rate_may_stand_in_between():
    text = LINE.replace("KV cache: 3.1%, ", "KV cache: 3.1%, Prefix cache hit rate: 12.5%, ")
    assert text != LINE
    assert parse(text).num_accepted_draft_tokens == 5760


def test_windows_add_up_and_those_without_a_draft_are_left_out():
    stats = parse(LINE + PLAIN + LINE.replace("14:09:24", "14:09:34"))
    assert stats.num_rounds == 6400
    assert stats.units is not None and stats.units.counts[:, 0].tolist() == [3200, 3200]


def test_log_that_never_drafts_is_a_baseline():
    stats = parse(PLAIN)
    assert (stats.speculation, stats.num_rounds, stats.output_tokens_per_s) == (False, None, 896)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Drafted: 9600", "Drafted: 9601", "line 1: 9601 draft tokens are no multiple of the 3 positions"),
        ("60.00%", "61.00%", "line 1: Draft acceptance rate is printed as 0.61, but the counters give 0.6"),
        ("length: 2.80", "length: 1.80", "line 1: Mean acceptance length is printed as 1.8, but the counters give 2.8"),
        ("Accepted: 5760", "Accepted: 4760", "line 1: the rates by position 0.76, 0.59, 0.45 of 3,200 rounds"),
        ("0.590, 0.450", "0.450, 0.590", "line 1: accepted by position may never rise"),
    ],
)
def test_contradiction_is_refused(old, new, said):
    assert old in LINE
    assert said in refused(LINE.replace(old, new))


def test_metrics():
    stats = parse(SCRAPE)
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (4000, 12000, 7200)
    assert stats.per_position_acceptance == (0.76, 0.59, 0.45)
    assert (stats.num_speculative_tokens, stats.generated_tokens) == (3, 11240)
    assert {each.name: each.value for each in stats.printed} == {"mean_accept_rate": 0.6, "mean_accept_length": 2.8}


def test_metrics_of_two_scrapes():
    later = SCRAPE.replace(" 4000.0", " 5000.0").replace(" 12000.0", " 15000.0").replace(" 7200.0", " 9000.0")
    later = later.replace(" 3040.0", " 3800.0").replace(" 2360.0", " 2950.0").replace(" 1800.0", " 2250.0")
    stats = parse_scrapes(SCRAPE, later)
    assert (stats.num_rounds, stats.num_accepted_draft_tokens) == (1000, 1800)


def test_metrics_without_speculation():
    text = "\n".join(line for line in SCRAPE.splitlines() if "spec_decode" not in line) + "\n"
    assert not parse(text).speculation
