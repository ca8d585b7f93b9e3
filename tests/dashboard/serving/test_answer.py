"""What the Serving load page says: best lengths, limits, the schedule to paste, request rates, the bill."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from specmodel.dashboard.parts.answer import Answer, Code, Said, Table
from specmodel.dashboard.passes.pass_source import NO_PASSES, OwnPasses
from specmodel.dashboard.serving.answer import answer
from specmodel.dashboard.session.chosen import read_link, write_link
from specmodel.dashboard.session.translation import translator
from specmodel.serving.passes import Points
from tests.dashboard.answers import below, numbers, texts, warnings

FLASH = {"llm": "deepseek_v4_flash", "gpu": "b200", "mfu": "1", "mbu": "1", "step": "0", "alpha": "0.75", "ctx": "4096"}
GUTTER = {**FLASH, "gpus": "2"}
KINDS = ("operators", "roofline", "fit", "points")
FIT = {"cost": "fit", "ctx": "1024", "maxseqs": "200"}


def at(own: OwnPasses = NO_PASSES, /, **query: str) -> Answer:
    chosen, complaints = read_link(query)
    assert not complaints
    return answer(chosen, translator("en"), own)


def table(said: Answer, name: str) -> Table:
    part = said[name]
    assert isinstance(part, Table)
    return part


def fitting(said: Answer) -> list[str]:
    """The requests that fit: without and with the drafter."""
    name, *columns = table(said, "memory").columns.values()
    assert name[-1] == "requests that fit"
    return [column[-1] for column in columns]


def tiers(said: Answer) -> list[tuple[str, str]]:
    columns = table(said, "tiers").columns
    return list(zip(columns["batch size"], columns["k"], strict=True))


def to_paste(said: Answer) -> str:
    part = said["paste"]
    assert isinstance(part, Code)
    return part.text


def config(said: Answer) -> dict[str, Any]:
    """What the vLLM snippet sets."""
    match = re.search(r"--speculative-config '(.*)'", to_paste(said))
    assert match
    return dict(json.loads(match[1]))


def saturation(said: Answer) -> float:
    return float(below(said)["Off at request rate"].removeprefix("saturated at ").replace(",", ""))


@pytest.mark.parametrize(
    ("batch", "k", "speedup"), [("1", "1", "1.17×"), ("4", "0", "1.00×"), ("32", "5", "1.35×"), ("128", "3", "1.74×")]
)
def test_best_draft_lengths_of_the_published_widget(batch: str, k: str, speedup: str) -> None:
    said = at(batch=batch, **GUTTER)
    assert numbers(said)["Best k here"] == k and below(said)["Best k here"] == speedup
    assert below(said)["Off at batch"].startswith("best k: 4–13, dear end: ")
    assert "too_large" not in said


def test_free_checking_pays_at_every_batch() -> None:
    free = {"cost": "fit", "fit_base": "20", "fit_token": "0", "fit_cached": "0", "fit_step": "0"}
    said = at(alpha="0.75", batch="128", **free)
    assert numbers(said)["Best k here"] == "5" and below(said)["Best k here"] == "2.19×"
    assert numbers(said)["Off at batch"] == numbers(said)["Off at request rate"] == "never"


def test_memory_caps_the_batch_of_one_accelerator_and_two_have_room() -> None:
    said = at(batch="128", **FLASH)
    assert "A batch of 128 is beyond the largest one here, 96: memory holds no more requests." in warnings(said)
    assert fitting(said)[0] == "96"
    said = at(batch="128", **GUTTER)
    assert not warnings(said) and fitting(said)[0] == "1,693"


@pytest.mark.parametrize(
    ("query", "most", "reason"),
    [
        ({"maxseqs": "100"}, 100, "the engine is set to no more"),
        ({"cost": "points", "passes": "pair"}, 13, "no larger pass was measured"),
    ],
    ids=str,
)
def test_what_else_limits_the_batch_is_told(query: dict[str, str], most: int, reason: str) -> None:
    assert f"A batch of 2,000 is beyond the largest one here, {most:,}: {reason}." in warnings(
        at(batch="2000", **query)
    )


def test_a_drafter_takes_room() -> None:
    said = at(dsize="1.24", dkv="32768", ctx="8192")
    assert fitting(said) == ["52", "39"]
    assert "The drafter takes the room of 13 requests of this context." in texts(said)


@pytest.mark.parametrize(
    ("query", "kind", "text"),
    [
        ({}, "pays", "Yes, at this load it pays: 1.52× as fast with k = 5."),
        ({"cost": "roofline"}, "too_close", "Not known well enough at this load: 0.98–1.59× with k = 5."),
        ({"batch": "64"}, "too_close", "Not known well enough at this load: 0.83–1.39× with k = 5."),
        (
            {"cost": "fit", "batch": "200", "ctx": "1024"},
            "does_not_pay",
            "No, at this load it costs time: 1.09× as long with k = 5.",
        ),
        ({"k": "0"}, "off", "Speculation is off."),
        (
            {"k": "1", "alpha": "0.14", "fixed": "0.001"},
            "too_close",
            "Too close to call at this load: 1.00× with k = 1.",
        ),
    ],
)
def test_every_verdict(query: dict[str, str], kind: str, text: str) -> None:
    verdict = at(**query)["verdict"]
    assert isinstance(verdict, Said) and (verdict.kind, verdict.headline) == (kind, text) and verdict.reason


def test_the_sources_answer_differently() -> None:
    times = [numbers(at(ctx="1024", cost=cost))["Time per output token"] for cost in KINDS]
    assert times == ["4.43 ms", "5.16 ms", "5.12 ms", "3.47 ms"]


def test_measured_tables_are_extrapolated_aloud_and_never_the_best() -> None:
    said = at(cost="points", passes="pair", batch="3")
    assert "Extrapolated: this batch checks 18 tokens, the largest measured pass has 13." in warnings(said)
    assert (int(numbers(said)["Best k here"]) + 1) * 3 <= 13
    assert all((int(k) + 1) * int(last.split("–")[-1]) <= 13 for last, k in tiers(said) if k != "off")


ROUND_TRIPS: list[dict[str, str]] = [
    {**GUTTER, "batch": "32", "offcost": "0", "ties": "0.05"},
    {"cost": "fit", "fit_base": "12.25", "fit_cached": "7.5e-06", "drafting": "parallel", "dratio": "0.3"},
    {"cost": "points", "passes": "smollm2_fp32", "sizes": "1, 4, 8, 13", "drafting": "lookup", "maxseqs": "4"},
    {"rps": "2.25", "prefill": "40", "tokens": "250", "price": "1.1", "watts": "450", "engine": "SGLang"},
    {"dsize": "1.24", "dkv": "32768", "dms": "0.5", "overhead": "0.7", "pin": "k:3"},
]


@pytest.mark.parametrize("query", ROUND_TRIPS, ids=str)
def test_a_link_comes_back_as_it_was_and_says_the_same(query: dict[str, str]) -> None:
    chosen, complaints = read_link(query)
    link = write_link(chosen)
    assert not complaints and query.keys() <= link.keys() and read_link(link) == (chosen, ())
    assert texts(at(**link)) == texts(at(**query)) and numbers(at(**link)) == numbers(at(**query))
    assert to_paste(at(**link)) == to_paste(at(**query))


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"llm": "deepseek_v4_flash", "topk": "300"}, "300 active experts of 256"),
        ({"experts": "8", "topk": "9"}, "9 active experts of 8: a token cannot use more experts than a layer has"),
        ({"active": "99"}, "99 billion active parameters of 8.03"),
        ({"bw": "0"}, "bandwidth_gb_s = '0' is outside 0.1 to 1,000,000 (Memory bandwidth)"),
        ({"bw": "nan"}, "bandwidth_gb_s = 'nan' is outside 0.1 to 1,000,000 (Memory bandwidth)"),
        ({"batch": "0"}, "batch_size = '0' is not a whole number from 1 to 2,048"),
        ({"batch": "2.5"}, "batch_size = '2.5' is not a whole number"),
        ({"rps": "-1"}, "request_rate = '-1' is outside"),
        ({"rps": "inf"}, "request_rate = 'inf' is outside"),
        ({"offcost": "1"}, "standing_cost = '1' is outside 0 to 0.99"),
        (
            {"cost": "fit", "fit_base": "0", "fit_token": "0", "fit_cached": "0", "fit_step": "0"},
            "a pass takes some time",
        ),
        ({"gpu": "abacus"}, "gpu = abacus is none of a100_80gb"),
        ({"llm": "<b>"}, "llm = <b> is none of"),
        ({"cost": "guess"}, "cost = guess is none of operators, roofline, fit, points"),
        ({"drafting": "never"}, "drafting = never is none of sequential, parallel, lookup, heads"),
    ],
    ids=str,
)
def test_what_a_link_cannot_say_is_named_and_answered_all_the_same(query: dict[str, str], complaint: str) -> None:
    chosen, complaints = read_link(query)
    assert complaint in "\n".join(map(translator("en").message, complaints))
    assert "verdict" in answer(chosen, translator("en"))


@pytest.mark.parametrize(
    "query",
    [
        {"cost": "fit", "fit_cached": "1000", "ctx": "10000000"},
        {"cost": "fit", "fit_cached": "1000", "ctx": "131072", "tokens": "1000000"},
        {"f16": "0.001", "ctx": "10000000", "alpha": "0", "dratio": "100"},
    ],
    ids=str,
)
def test_very_slow_engines_are_still_answered(query: dict[str, str]) -> None:
    said = at(**query)
    assert len(list(said)) >= 20 and len(numbers(said)) == 6 and "nan" not in " ".join(numbers(said).values())


def test_the_weights_that_do_not_fit_are_told() -> None:
    assert "The weights and one request do not fit into" in warnings(at(llm="qwen3_235b_a22b", gpu="l4"))


def test_a_context_shorter_than_half_an_answer_is_told() -> None:
    assert "short_context" in at(ctx="100", tokens="4000") and "short_context" not in at()


# The schedule


def test_the_schedule_can_be_pasted_into_vllm() -> None:
    said = at(**GUTTER)
    settings = config(said)
    schedule = settings["num_speculative_tokens_per_batch_size"]
    assert [(f"{first}–{last}", str(k)) for first, last, k in schedule] == tiers(said)
    assert schedule[0][0] == 1 and schedule[-1][1] == 1024
    assert all(before[1] + 1 == after[0] for before, after in pairwise(schedule))
    assert settings["num_speculative_tokens"] == max(k for _, _, k in schedule)
    data = table(said, "tiers").data
    assert data and list(data) == [
        "first",
        "last",
        "num_speculative_tokens",
        "lowest_speedup",
        "highest_speedup",
        "band_low",
        "band_high",
    ]
    assert list(zip(data["first"], data["last"], data["num_speculative_tokens"], strict=True)) == [
        *map(tuple, schedule)
    ]


@pytest.mark.parametrize(
    ("engine", "option"),
    [
        ("vLLM", "num_speculative_tokens_per_batch_size"),
        ("SGLang", "--speculative-num-steps 3"),
        ("llama.cpp", "--spec-draft-n-max 3"),
        ("TensorRT-LLM", "draft_len_schedule"),
        ("", "num_speculative_tokens_per_batch_size"),
    ],
)
def test_the_snippet_is_that_of_the_engine(engine: str, option: str) -> None:
    said = at(engine=engine) if engine else at()
    assert option in to_paste(said)
    assert ("SGLang takes no schedule by batch size here" in texts(said)) == (engine == "SGLang")


def test_the_standing_cost_of_off_changes_the_schedule() -> None:
    """Off costs nothing: it is off in the gutter. It costs 19 %: it is never off, and that is said."""
    free, loaded = at(**GUTTER, offcost="0"), at(**GUTTER)
    assert "off" in [k for _, k in tiers(free)] and "off" not in [k for _, k in tiers(loaded)]
    assert 0 in [k for _, _, k in config(free)["num_speculative_tokens_per_batch_size"]]
    assert "Off is taken to cost nothing" in texts(free)
    assert re.search(r"keeps drafting at 1[01] batch sizes where the plain engine would be faster", texts(loaded))
    assert "19% slower than the plain engine (measured elsewhere, not here)" in texts(loaded)
    for name in ("Off at batch", "Off at request rate", "Speedup here"):
        assert numbers(free)[name] == numbers(loaded)[name], "it is the plain engine that they compare with"


def test_ties_make_the_schedule_shorter() -> None:
    assert len(tiers(at(**GUTTER, ties="0.001"))) > len(tiers(at(**GUTTER, ties="0.1")))


# By request rate


def test_below_saturation_the_running_batch_is_told() -> None:
    said = texts(at(**FIT, rps="1"))
    assert "With k = 5: 26.7 requests in the engine, 26.68 s an answer." in said
    assert "Without speculation: 37.6 requests in the engine, 37.57 s an answer." in said
    assert "The batch swings: nine moments in ten it is between 17 and 38." in said


def test_beyond_saturation_the_queue_grows() -> None:
    said = texts(at(**FIT, rps=f"{1.02 * saturation(at(**FIT)):.4f}"))
    assert "With k = 5: saturated, the queue grows without end." in said
    assert re.search(r"Without speculation: [\d.]+ requests in the engine", said)
    both = texts(at(rps="500"))
    assert both.count("saturated, the queue grows without end") == 2
    assert "The batch swings" not in both


def test_several_solutions_are_told() -> None:
    """The measured passes jump from 20.6 to 104 ms between 1,024 and 1,536 tokens: 65 requests of 16 tokens."""
    said = texts(at(cost="points", k="15", alpha="0.7", rps="2.2"))
    assert "57.3 requests in the engine, 26.04 s an answer. Other solutions at 64.6, 654.4" in said
    assert "which one it is depends on the past" in said
    assert "Other solutions" not in texts(at(cost="points", k="15", alpha="0.7", rps="0.5"))


def test_the_rate_where_they_cross_and_where_it_saturates() -> None:
    assert numbers(at(**FIT))["Off at request rate"] == "≥ 2.10 /s"
    (ours, theirs), (ours_above, theirs_above) = (
        [float(seconds) for seconds in re.findall(r"([\d.]+) s an answer", texts(at(**FIT, rps=rate)))]
        for rate in ("2.08", "2.12")
    )
    assert ours < theirs and ours_above > theirs_above


@pytest.mark.parametrize(
    "query",
    [{"cost": "points"}, {"cost": "points", "k": "15", "alpha": "0.7"}, {"dsize": "27"}],
    ids=str,
)
def test_off_is_advised_where_only_plain_decoding_is_not_saturated(query: dict[str, str]) -> None:
    """Beyond the saturation with k drafts the queue grows without end, while the plain engine still serves."""
    said = at(**query, rps=str(saturation(at(**query)) * 1.05))
    assert re.search(r"With k = \d+: saturated.*Without speculation: [\d.]+ requests", texts(said))
    assert numbers(said)["Off at request rate"] != "never"


def test_the_bill() -> None:
    said = at(price="2", gpus="2", watts="500")
    labels, *ways = table(said, "bill").columns.items()
    assert [labels[0], *(name for name, _ in ways)] == ["at this batch", "without", "k = 5", "best k = 3"]
    for name, column in ways:
        speed, money, wasted, energy, wasted_energy = (float(text.replace(",", "")) for text in column)
        assert money == pytest.approx(2 * 2 / 3600 * 1e6 / speed, abs=0.001)
        assert energy == pytest.approx(2 * 500 / speed, abs=0.001)
        assert (wasted == wasted_energy == 0) == (name == "without")
        assert wasted < money and wasted_energy < energy
    data = table(said, "bill").data
    assert data and data["way"] == ["plain", "k", "best"] and data["wasted_share"][0] == 0
    assert "assumed, not measured" in texts(said)


def test_a_pinned_scenario_is_compared() -> None:
    assert below(at(k="3"))["Speedup here"] == "1.03–1.67×, k = 3"
    assert below(at(k="3", pin="k:3"))["Speedup here"] == "pinned 1.60×"


def test_passes_of_a_file_are_answered_for() -> None:
    own = OwnPasses(file=Points([1, 4, 16], [0, 0, 0], [20, 20, 40]))
    said = at(own, cost="points", passes="upload", batch="4", k="3", alpha="0.8", dratio="0")
    assert "passes of your file" in texts(said)
    assert below(said)["Time per output token"] == "plain 20.00 ms"
    assert numbers(said)["Speedup here"] == "1.48×"  # 2.952 tokens for 40 ÷ 20 plain steps


def test_what_it_rests_on_names_the_numbers_behind_a_pass() -> None:
    facts = {name: value for _, value, name in at(**FLASH).facts or ()}
    assert facts["experts"] == "256" and facts["batch_size"] and "roofline" in facts["pass"]
    assert "target_ms" not in facts
    assert "experts" not in {name for _, _, name in at(cost="points").facts or ()}
