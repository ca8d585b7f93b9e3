"""Engines for Apple's chips: oMLX, mlx-vlm, Rapid-MLX, and what Ollama may add to its line or leave out."""

import json

import pytest

from specmodel.logs import parse
from tests.logs.shared import lines, notes, printed, read, refused

# oMLX


def test_omlx_heads_of_the_model():
    stats = parse(read("omlx-mtp.log"))
    assert (stats.engine, stats.num_rounds, stats.num_draft_tokens) == ("oMLX", 105 + 60, 261 + 170)
    assert (stats.num_accepted_draft_tokens, stats.num_requests, stats.generated_tokens) == (188 + 90, 2, 452)
    assert stats.accepted_per_position == (92 + 48, 61 + 28, 35 + 14)
    assert stats.drafted_per_position == (105 + 60, 96 + 60, 60 + 50)
    assert stats.mean_acceptance_length == 1 + 278 / 165
    assert stats.units is not None and stats.units.counts[:, :3].tolist() == [[105, 261, 188], [60, 170, 90]]


def test_omlx_steps_are_cycles_and_the_plain_pass_before_them():
    stats = parse(read("omlx-mtp.log"))
    assert stats.num_steps == 110 + 1 + 60 + 1
    assert stats.tokens_per_step == (452 - 2) / 172
    # (4180 + 330) ms in 110 cycles, (2280 + 180) in 60: both 41
    assert stats.step_ms == pytest.approx(41)
    assert stats.draft_ms is None and stats.verify_ms is None  # five of the cycles drafted nothing


def test_omlx_parts_of_a_round_where_every_cycle_drafts():
    stats = parse(read("omlx-mtp.log").splitlines()[3] + "\n")
    assert (stats.step_ms, stats.draft_ms, stats.verify_ms) == (41, 3, 38)
    assert printed(stats) == {"accept": (0.529, "accepted_per_drafted")}


def test_omlx_speed_is_that_of_the_answer_with_as_many_tokens():
    stats = parse(read("omlx-mtp.log"))
    assert stats.output_tokens_per_s == pytest.approx(452 / (300 / 63 + 152 / 59))
    assert stats.tpot_ms == pytest.approx((300 / 63 + 152 / 59) / 452 * 1000)  # the seconds have the prompt in them
    old = parse(read("omlx-vlm-mtp.log"))
    assert (old.output_tokens_per_s, old.tpot_ms) == (55, None)  # 330 tokens ÷ 6 s: the prompt may be in it


def test_omlx_vision_model():
    stats = parse(read("omlx-vlm-mtp.log"))
    assert (stats.num_rounds, stats.num_speculative_tokens, stats.num_draft_tokens) == (120, 3, 360)
    assert (stats.num_accepted_draft_tokens, stats.mean_acceptance_length) == (210, 2.75)
    assert printed(stats)["tokens_per_round"] == (2.75, "length_with_bonus")


def test_omlx_vision_model_with_plain_passes():
    text = read("omlx-vlm-mtp.log").replace("emitted=330", "emitted=341").replace("330 tokens in", "341 tokens in")
    stats = parse(text)
    assert (stats.num_rounds, stats.num_steps, stats.tokens_per_step) == (120, 130, 340 / 130)


def test_omlx_dflash_acceptance_is_of_output_tokens():
    stats = parse(read("omlx-dflash.log"))
    assert (stats.num_rounds, stats.num_accepted_draft_tokens, stats.num_draft_tokens) == (39, 89, None)
    assert (stats.mean_acceptance_length, stats.draft_acceptance_rate) == (128 / 39, None)
    assert stats.output_tokens_per_s == 64


def test_omlx_drafts_looked_up_in_the_text():
    stats = parse(read("omlx-ngram.log"))
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (50, 250, 100)
    assert (stats.num_speculative_tokens, stats.mean_acceptance_length) == (None, 3)
    # 250 tokens after the prompt's in 50 steps with a draft and 100 without one
    assert (stats.num_steps, stats.step_ms, stats.tokens_per_step) == (150, 20, 250 / 150)
    assert stats.draft_ms is None and stats.output_tokens_per_s == 80


def test_omlx_request_whose_text_never_repeats_is_plain():
    text = read("omlx-ngram.log").replace("cycles=50", "cycles=0").replace("100/250 (40.0%)", "n/a")
    stats = parse(text.replace("plain=100", "plain=250").replace("draft=100,plain=150", "draft=0,plain=250"))
    assert (stats.speculation, stats.num_draft_tokens, stats.num_steps, stats.step_ms) == (False, None, 250, 12)


def test_omlx_kinds_and_models_are_never_added_up():
    stats = parse(read("omlx-mtp.log") + read("omlx-vlm-mtp.log") + read("omlx-dflash.log"))
    assert stats.parts_are_settings
    assert [(part.label, part.num_rounds) for part in stats.parts] == [
        ("MTP · Demo-27B-MTP", 165), ("vlm_mtp, block_size 4 · Demo-VL-27B", 120), ("DFlash · Demo-4B", 39),
    ]  # fmt: skip
    two = parse(read("omlx-mtp.log") + read("omlx-mtp.log").replace("Demo-27B", "Other-9B").replace("2026-11-05", "-"))
    assert [part.label for part in two.parts] == ["MTP · Demo-27B-MTP", "MTP · Other-9B-MTP"]


def test_omlx_requests_without_their_answer_count_with_the_only_model():
    text = "\n".join(read("omlx-mtp.log").splitlines()[:-1]) + "\n"
    stats = parse(text)
    assert (stats.num_rounds, stats.parts, stats.output_tokens_per_s) == (165, (), 63)


def test_omlx_answers_without_speculation():
    plain = read("omlx-mtp.log").splitlines()[2] + "\n"
    stats = parse(plain)
    assert (stats.speculation, stats.generated_tokens, stats.output_tokens_per_s) == (False, 300, 63)
    assert stats.tpot_ms == pytest.approx(1000 / 63)
    both = parse(read("omlx-vlm-mtp.log") + plain)
    assert (both.num_rounds, both.generated_tokens) == (120, 330)
    assert "1 answers in the log had no speculation" in notes(both)


def test_omlx_build_without_depths_drafts_one_token():
    line = (
        "MTP[7] finish=stop tokens=62 cycles=40 accept=20/40 (50.0%) emits[init=2,draft=20,bonus=20,verify=20] "
        "timing[backbone=800.0ms mtp=80.0ms sample=1.0ms cache=1.0ms]\n"
    )
    stats = parse(line)
    assert (stats.num_rounds, stats.num_speculative_tokens, stats.accepted_per_position) == (40, 1, (20,))
    assert (stats.step_ms, stats.num_draft_tokens) == (22, 40)


def test_omlx_build_that_counts_whole_accepts_beside_drafts():
    drafts = "tokens=84 cycles=30 accept=12/30 (drafts 54/90, 60.0%)"
    stats = parse(f"MTP[7] finish=stop {drafts} emits[init=0,draft=54,bonus=30,verify=0]\n")
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.num_rounds) == (90, 54, 30)


def test_omlx_request_that_never_drafted_is_plain():
    stats = parse(
        "MTP[7] finish=parked tokens=12 cycles=10 accept=0/10 (0.0%) d0=10 emits[init=2,draft=0,bonus=10,verify=0]\n"
    )
    assert (stats.speculation, stats.num_draft_tokens, stats.generated_tokens) == (False, None, 12)
    fell_back = read("omlx-dflash.log").replace("cycles=39", "cycles=39, fallback=AR")
    assert not parse(fell_back).speculation


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("omlx-mtp.log", "accept=188/261", "accept=288/261", "line 2: accept is printed as 0.72"),
        ("omlx-mtp.log", "tokens=300 cycles", "tokens=301 cycles", "line 2: emits adds up to 300, but 301 are given"),
        ("omlx-mtp.log", "d3=35/60]", "d3=35/61]", "line 2: the depths add up to 262 draft tokens, but 261 are given"),
        ("omlx-mtp.log", "d0=5", "d0=4", "line 2: drafted by position is 105, 96, 60, which cannot be in 106 rounds"),
        ("omlx-mtp.log", "d2=61/96,d3=35/60", "d2=35/96,d3=61/60", "line 2: accepted by position may never rise"),
        ("omlx-mtp.log", "tok/cycle=2.73", "tok/cycle=2.63", "line 2: tok/cycle is printed as 2.63"),
        ("omlx-ngram.log", "accept=100/250", "accept=120/250", "line 2: accept is printed as 0.4"),
        ("omlx-ngram.log", "tokens=251", "tokens=252", "line 2: emits adds up to 251, but 252 are given"),
        ("omlx-ngram.log", "cycles=50", "cycles=0", "line 2: 250 drafted in 0 rounds"),
        ("omlx-vlm-mtp.log", "block_size=4", "block_size=3", "line 1: 360 drafted in 120 rounds of 2 are not possible"),
        ("omlx-vlm-mtp.log", "round=2.75", "round=2.85", "line 1: tokens_per_round is printed as 2.85"),
        ("omlx-dflash.log", "acceptance=69.5%", "acceptance=60.5%", "line 1: acceptance is printed as 60.5% of 128"),
    ],
)
def test_omlx_contradiction_is_refused(name: str, old: str, new: str, said: str):
    assert old in read(name)
    assert said in refused(read(name).replace(old, new))


@pytest.mark.parametrize(("name", "known"), [("omlx-mtp.log", "accept=188/261"), ("omlx-ngram.log", "accept=100/250")])
def test_omlx_line_that_cannot_be_read_is_no_baseline(name: str, known: str):
    text = read(name).splitlines()
    broken = text[1].replace(known, known.replace("accept", "kept"))
    assert "lines of oMLX's speculation that could not be read (1)" in refused(f"{broken}\n{text[2]}\n")


# mlx-vlm


def test_mlx_vlm():
    stats = parse(read("mlx-vlm-timings.json"))
    assert (stats.engine, stats.num_rounds, stats.num_speculative_tokens) == ("mlx-vlm", 30, 3)
    assert (stats.num_draft_tokens, stats.num_accepted_draft_tokens, stats.mean_acceptance_length) == (90, 81, 3.7)
    assert (stats.num_steps, stats.step_ms, stats.ttft_ms, stats.memory_gb) == (30, 50, 160, 3.9)
    assert stats.units is not None and stats.units.kind == "requests"


def _mlx_vlm(**timings: object) -> dict[str, object]:
    found = json.loads(read("mlx-vlm-timings.json"))
    kept = {**found["timings"], **timings}
    return {**found, "timings": {name: value for name, value in kept.items() if value is not None}}


def test_mlx_vlm_plain_answers_are_a_baseline():
    nothing = dict.fromkeys(("draft_kind", "draft_rounds", "draft_n", "draft_n_accepted"))
    stats = parse(lines(_mlx_vlm(**nothing)))
    assert (stats.engine, stats.speculation, stats.num_draft_tokens) == ("mlx-vlm", False, None)
    assert stats.tpot_ms == pytest.approx(1500 / 110)


def test_mlx_vlm_drafters_are_told_apart_and_lengths_that_differ_give_no_k():
    stats = parse(lines(_mlx_vlm(), _mlx_vlm(draft_kind="dflash")))
    assert stats.parts_are_settings and len(stats.parts) == 2
    mixed = parse(lines(_mlx_vlm(), _mlx_vlm(draft_n=120)))
    assert (mixed.num_speculative_tokens, mixed.num_rounds, mixed.num_draft_tokens) == (None, 60, 210)


def test_mlx_vlm_more_rounds_than_drafts_is_refused():
    assert "line 1: 90 draft tokens are fewer than the 91 rounds" in refused(lines(_mlx_vlm(draft_rounds=91)))


def test_answers_of_llama_cpp_stay_its_own():
    found = {"timings": {"predicted_n": 281, "predicted_ms": 2525.0, "draft_n": 300, "draft_n_accepted": 180}}
    assert parse(lines(found)).engine == "llama.cpp"


# Rapid-MLX


def test_rapid_mlx():
    stats = parse(read("rapid-mlx-metrics.prom"))
    assert (stats.engine, stats.num_rounds, stats.num_draft_tokens) == ("Rapid-MLX", 110, 300)
    assert (stats.accepted_per_position, stats.drafted_per_position) == ((88, 60, 32), (110, 100, 90))
    assert stats.mean_acceptance_length == 1 + 180 / 110


def test_rapid_mlx_builds_without_rounds_do_not_say_that_they_draft_one_token():
    page = read("rapid-mlx-metrics.prom").splitlines()
    kept = [line for line in page if "depth" not in line and "verify" not in line]
    stats = parse("\n".join(kept) + "\n")
    assert (stats.num_rounds, stats.num_speculative_tokens, stats.draft_acceptance_rate) == (None, None, 0.6)
    assert "the page tells no rounds" in notes(stats)


def test_rapid_mlx_that_counted_nothing_is_a_baseline():
    page = '# TYPE rapid_mlx_spec_decode_attempts_total counter\nrapid_mlx_spec_decode_attempts_total{method="mtp"} 0\n'
    assert not parse(page).speculation


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('depth="3"} 90', 'depth="3"} 91', "the depths add up to 301 draft tokens, but 300 are given"),
        ('depth="3"', 'depth="4"', "the depths are 1, 2, 4, expected 1, 2, 3, …"),
        ('depth="1"} 88', 'depth="1"} 188', "accepted by position adds up to 280"),
    ],
)
def test_rapid_mlx_contradiction_is_refused(old: str, new: str, said: str):
    assert said in refused(read("rapid-mlx-metrics.prom").replace(old, new))


# Ollama


def test_ollama_reads_fields_by_name():
    line = read("ollama-mlx.log").splitlines()[0]
    stats = parse(line.replace("drafted=300", "rejected=120 drafted=300").replace(" avg_draft=3.00", "") + "\n")
    assert (stats.num_rounds, stats.num_draft_tokens, stats.num_accepted_draft_tokens) == (100, 300, 180)
    assert parse(line.replace(" max_draft=5", "") + "\n").num_speculative_tokens is None


def test_ollama_more_drafts_than_its_longest_draft_allows_is_refused():
    line = read("ollama-mlx.log").splitlines()[0].replace("max_draft=5", "max_draft=2")
    assert "300 draft tokens are more than 100 rounds of at most 2 can have" in refused(line + "\n")
