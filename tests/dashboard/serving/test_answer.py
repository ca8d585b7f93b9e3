"""What the Serving load page says: best lengths, limits, the schedule to paste, request rates, the bill."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies

from specmodel.dashboard.parts.answer import Answer, Code, Said, Table
from specmodel.dashboard.parts.element_data import COLOURS
from specmodel.dashboard.passes.pass_source import NO_PASSES, OwnPasses
from specmodel.dashboard.serving.answer import answer
from specmodel.dashboard.session.chosen import read_link, write_link
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import translator
from specmodel.methods import Task, find, methods
from specmodel.serving.passes import Points
from tests.conftest import examples
from tests.dashboard.answers import below, numbers, texts, warnings

FLASH = {"llm": "deepseek_v4_flash", "gpu": "b200", "mfu": "1", "mbu": "1", "step": "0", "alpha": "0.75", "ctx": "4096"}
GUTTER = {**FLASH, "gpus": "2"}
FIT = {"cost": "fit", "ctx": "1024", "maxseqs": "200"}


BEFORE = {"cost": "roofline", "step": "1.5", "fixed": "0"}
"""The shares of peaks that were assumed before they were fitted, and no fixed cost of a round."""


def at(own: OwnPasses = NO_PASSES, /, **query: str) -> Answer:
    chosen, complaints = read_link({**BEFORE, **query})
    assert not complaints
    return answer(chosen, translator("en"), own)


def table(said: Answer, name: str) -> Table:
    part = said[name]
    assert isinstance(part, Table)
    return part


def verdict(said: Answer) -> Said:
    part = said["verdict"]
    assert isinstance(part, Said)
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
    assert "too_large" not in said


def test_free_checking_pays_at_every_batch() -> None:
    free = {"cost": "fit", "fit_base": "20", "fit_token": "0", "fit_cached": "0", "fit_step": "0"}
    said = at(alpha="0.75", batch="128", **free)
    assert numbers(said)["Best k here"] == "5" and below(said)["Best k here"] == "2.19×"
    assert numbers(said)["Off at batch"] == numbers(said)["Off at request rate"] == "never"


def test_memory_caps_the_batch_of_one_accelerator_and_two_have_room() -> None:
    said = at(batch="128", **FLASH)
    assert "No: a batch of 128 cannot run here with k = 5. Memory holds 96 requests of 4,096 tokens" in texts(said)
    assert fitting(said)[0] == "96"
    said = at(batch="128", **GUTTER)
    assert not warnings(said) and fitting(said)[0] == "1,693"


@pytest.mark.parametrize(
    ("query", "kind", "reason"),
    [
        ({"maxseqs": "100"}, "does_not_fit", "The engine is set to at most 100 requests at once."),
        ({"cost": "points", "passes": "pair"}, "extrapolated", "was measured, the largest has 13"),
    ],
    ids=str,
)
def test_what_else_limits_the_batch_is_told(query: dict[str, str], kind: str, reason: str) -> None:
    said = at(batch="2000", **query)
    assert verdict(said).kind == kind and reason in texts(said)


def test_a_drafter_takes_room() -> None:
    said = at(dsize="1.24", dkv="32768", ctx="8192")
    assert fitting(said) == ["52", "39"]
    assert "The drafter takes the room of 13 requests of this context." in texts(said)


@pytest.mark.parametrize(
    ("query", "kind", "text"),
    [
        ({**FIT, "batch": "8"}, "pays", "Yes, at this load it pays: 1.48× as fast with k = 5."),
        ({}, "too_close", "Not known well enough at this load: 0.98–1.59× with k = 5."),
        (
            {"cost": "fit", "batch": "200", "ctx": "1024"},
            "does_not_pay",
            "No, at this load it costs time: 1.09× as long with k = 5.",
        ),
        ({"k": "0"}, "off", "Speculation is off."),
        ({"k": "1", "alpha": "0.1"}, "too_close", "Too close to call at this load: 1.00× with k = 1."),
    ],
)
def test_every_verdict(query: dict[str, str], kind: str, text: str) -> None:
    said = verdict(at(**query))
    assert (said.kind, said.headline) == (kind, text) and said.reason


def test_the_sources_answer_differently() -> None:
    times = [numbers(at(ctx="1024", cost=cost))["Time per output token"] for cost in ("roofline", "fit", "points")]
    assert times == ["4.97 ms", "5.12 ms", "3.47 ms"]


def test_measured_tables_are_extrapolated_aloud_and_never_the_best() -> None:
    said = at(cost="points", passes="pair", batch="3")
    assert verdict(said).kind == "extrapolated" and below(said)["Speedup here"] == "extrapolated"
    assert verdict(said).headline.startswith("Not known: no such pass was measured. Extrapolated it is 0.83×")
    assert "No pass of 18 tokens was measured, the largest has 13: its time is extrapolated." in texts(said)
    assert (int(numbers(said)["Best k here"]) + 1) * 3 <= 13
    assert all((int(k) + 1) * int(last.split("–")[-1]) <= 13 for last, k in tiers(said) if k != "off")


ROUND_TRIPS: list[dict[str, str]] = [
    {**GUTTER, "batch": "32", "offcost": "0", "ties": "0.05"},
    {"cost": "fit", "fit_base": "12.25", "fit_cached": "7.5e-06", "drafting": "parallel", "dratio": "0.3"},
    {"cost": "points", "passes": "smollm2_fp32", "sizes": "1, 4, 8, 13", "drafting": "lookup", "maxseqs": "4"},
    {
        "rps": "2.25",
        "load_by": "rate",
        "prefill": "40",
        "tokens": "250",
        "price": "1.1",
        "watts": "450",
        "engine": "SGLang",
    },
    {"batch": "16", "rps": "2.25", "load_by": "batch"},
    {"way": "medusa", "medusa_nodes": "20", "kind": "code", "rps": "0.5", "load_by": "rate"},
    {"way": "measured", "mine": "alpha:0.8,k:3,shape:0.9_0.8"},
    {"dsize": "1.24", "dkv": "32768", "dms": "0.5", "overhead": "0.7", "pin": "k:3"},
]


@pytest.mark.parametrize("query", ROUND_TRIPS, ids=str)
def test_a_link_comes_back_as_it_was_and_says_the_same(query: dict[str, str]) -> None:
    chosen, complaints = read_link(query)
    link = write_link(chosen)
    assert not complaints and query.keys() - {"step"} <= link.keys() and read_link(link) == (chosen, ())
    first, again = (answer(read_link(each)[0], translator("en")) for each in (query, link))
    assert texts(first) == texts(again) and numbers(first) == numbers(again)
    assert first.get_part("paste") == again.get_part("paste")


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
    said = at(llm="qwen3_235b_a22b", gpu="l4")
    assert (verdict(said).kind, verdict(said).headline) == ("does_not_fit", "No: the model does not fit into memory.")
    assert "take 470.6 GB, and 21.6 GB are there" in verdict(said).reason
    assert "The limit by memory is left out of everything below" in warnings(said)
    assert set(numbers(said).values()) == {"–"} and set(below(said).values()) == {"does not fit"}


def test_a_context_shorter_than_half_an_answer_is_told() -> None:
    assert "short_context" in at(ctx="100", tokens="4000") and "short_context" not in at()


# The load that is asked for

ONE_SERVES = {"cost": "fit", "fit_base": "20", "fit_token": "0", "fit_cached": "0", "fit_step": "0", "maxseqs": "16"}
NOT_SERVED = ("does_not_fit", "saturated", "prefill_bound")


@pytest.mark.parametrize(
    ("query", "kind", "headline", "reason"),
    [
        (
            {**FIT, "rps": "0.3"},
            "pays",
            "Yes, at 0.30 requests per second it pays: an answer comes 1.54×",
            "With speculation 5.9 requests run",
        ),
        ({"rps": "1"}, "too_close", "Not known well enough at 1.00 requests per second: ", "not known well enough"),
        ({**FIT, "rps": "2.3"}, "does_not_pay", "No, at 2.30 requests per second it costs time", "149.4 run"),
        ({**FIT, "rps": "2.1"}, "too_close", "Too close to call at 2.10 requests per second", "no run of an engine"),
        ({**ONE_SERVES, "rps": "0.3"}, "only_with", "Yes, only with speculation", "at most 0.20 requests per second"),
        (
            {**FIT, "rps": "2.5"},
            "saturated",
            "No: 2.50 requests per second saturate the engine with k = 5, and not",
            "",
        ),
        ({"rps": "500"}, "saturated", "No: 500.00 requests per second saturate the engine, with k = 5 and", "208 run"),
        ({"rps": "500", "k": "0"}, "saturated", "No: 500.00 requests per second saturate the engine.", "1.84"),
        ({"rps": "3", "prefill": "400"}, "prefill_bound", "No: prefill eats it. At 3.00", "takes 120% of the engine"),
        (
            {"rps": "1.5", "prefill": "300"},
            "prefill_bound",
            "No: prefill eats it.",
            "takes 45% of the engine's time; what",
        ),
        (
            {"rps": "0.2", "prefill": "2000", "tokens": "10"},
            "prefill_bound",
            "No: prefill eats what k = 5 wins.",
            "97%",
        ),
        (
            {"prefill": "3000", "tokens": "10"},
            "prefill_bound",
            "No: prefill eats what k = 5 wins.",
            "goes into prefill",
        ),
        ({"rps": "0.1", "prefill": "500"}, "pays", "Yes", "Prefill takes 5% of"),
        ({"dsize": "40"}, "does_not_fit", "No: the drafter does not fit into memory", "without it they fit"),
        ({"dsize": "40", "rps": "1"}, "does_not_fit", "No: the drafter does not fit into memory", "96.3 GB"),
        (
            {"batch": "50", "ctx": "8192", "dsize": "1.24", "dkv": "32768"},
            "does_not_fit",
            "No: a batch of 50",
            "holds 39",
        ),
        (
            {"ctx": "10000000", "rps": "1000000"},
            "does_not_fit",
            "No: not even one request of this context",
            "1,326.8 GB",
        ),
        ({"cost": "points", "passes": "pair", "rps": "3"}, "extrapolated", "Not known", "no larger pass was measured"),
        ({"cost": "points", "k": "15", "alpha": "0.7", "rps": "24"}, "saturated", "No: 24.00", "At most 3.36"),
        ({"k": "0", "rps": "0.0001"}, "off", "Speculation is off.", "Nothing is drafted"),
    ],
    ids=str,
)
def test_the_headline_is_about_the_load_that_is_asked_for(
    query: dict[str, str], kind: str, headline: str, reason: str
) -> None:
    said = at(**query)
    found = verdict(said)
    assert found.kind == kind and headline in found.headline and reason in found.reason
    assert found.headline.startswith("Yes") == (kind in ("pays", "only_with"))
    assert not (found.kind in NOT_SERVED and "it pays" in texts(said))
    assert not {"nan", "inf"} & {
        word for value in (*numbers(said).values(), *below(said).values()) for word in value.split()
    }
    if kind in ("does_not_fit", "saturated", "only_with"):
        assert next(iter(numbers(said).values())) == "–", "nothing to compare, so no speedup"


def test_the_kinds_that_cannot_be_served_are_red() -> None:
    assert all(COLOURS[kind] == "error" for kind in (*NOT_SERVED, "does_not_pay"))
    assert COLOURS["only_with"] == COLOURS["pays"] == "success" and COLOURS["extrapolated"] == "warning"


def test_a_rate_leads_to_two_batches_and_the_cards_show_both() -> None:
    said = at(**FIT, rps="1")
    shown, lower = numbers(said), below(said)
    assert (shown["Requests running"], lower["Requests running"]) == ("26.7", "plain 37.6")
    assert (shown["Time of an answer"], lower["Time of an answer"]) == ("26.68 s", "plain 37.57 s")
    assert shown["Speedup at this rate"] == f"{37.57 / 26.68:.2f}×" and "Speedup here" not in shown
    assert shown["Throughput"] == "4,000 /s" and lower["Throughput"] == "plain 4,000 /s", "as much as is asked for"
    assert list(table(said, "bill").columns) == ["at this rate", "without", "k = 5"]
    _labels, without, with_it = table(said, "bill").columns.values()
    assert without[0] == with_it[0] == "4,000" and without[1] == with_it[1]


@given(strategies.floats(0.01, 100), strategies.sampled_from([0.0, 1.0, 50.0, 400.0, 3000.0]))
@examples(40)
def test_what_is_said_follows_from_what_is_served(rate: float, prefill: float) -> None:
    said = at(rps=str(rate), prefill=str(prefill), tokens="200")
    found, lower = verdict(said), below(said)
    ours, theirs = numbers(said)["Time of an answer"], lower["Time of an answer"].removeprefix("plain ")
    if found.kind in ("saturated", "only_with") or "too little time" in found.headline:
        assert "–" in (ours, theirs) and (ours != "–") == (found.kind == "only_with")
    else:
        gain = float(numbers(said)["Speedup at this rate"].removesuffix("×"))
        assert "–" not in (ours, theirs)
        unsure = "not known well enough" in found.reason  # the band of the costs holds a loss and a gain
        assert unsure or (found.kind == "pays") == (gain > 1.02) or gain == pytest.approx(1.02, abs=0.006)
        assert found.kind == "too_close" or not unsure


@pytest.mark.parametrize(
    ("query", "decides", "complaint"),
    [
        ({}, "batch", ""),
        ({"batch": "64"}, "batch", ""),
        ({"rps": "2"}, "rate", ""),
        ({"batch": "64", "rps": "2"}, "rate", "a batch of 64 and a request rate of 2 /s: the rate decides"),
        ({"batch": "64", "rps": "2", "load_by": "batch"}, "batch", ""),
        ({"batch": "64", "load_by": "rate"}, "rate", ""),
        ({"load_by": "luck"}, "batch", "load_by = luck is none of batch, rate"),
        ({"way": "telepathy"}, "batch", "way = telepathy is none of draft_model, ngram"),
        ({"way": "measured"}, "batch", "leads with a measured way of drafting but holds none"),
        ({"mine": "k:many"}, "batch", "num_speculative_tokens = 'many' is not a whole number"),
    ],
    ids=str,
)
def test_a_rate_or_a_batch_decides_and_never_both(query: dict[str, str], decides: str, complaint: str) -> None:
    chosen, complaints = read_link(query)
    assert chosen.option("load_by") == decides
    assert complaint in "".join(map(str, complaints)) and bool(complaints) == bool(complaint)
    panel = pages()["serving"].panel(chosen.options)
    names = {name for _, name in panel.main} if panel else set()
    assert ({"batch_size", "request_rate"} & names) == {"request_rate" if decides == "rate" else "batch_size"}
    assert read_link(write_link(chosen)) == (chosen, ())
    facts = {name for _, _, name in answer(chosen, translator("en")).facts or ()}
    assert ("request_rate" in facts) == (decides == "rate") != ("batch_size" in facts)


def test_by_hand_the_rates_that_lead_to_the_batch_are_told() -> None:
    said = at(**FIT, batch="27")
    found = re.search(
        r"A batch of 27 runs at ([\d.]+) requests per second with k = 5, at ([\d.]+) without", texts(said)
    )
    assert found and float(found[1]) > float(found[2])
    assert "requests in the engine" not in texts(said), "no rate was asked for"


@pytest.mark.parametrize("key", [method.key for method in methods() if method.key != "measured"])
def test_a_way_of_drafting_leads_the_page_whole(key: str) -> None:
    choice = find(key).choose(Task("chat", 0))
    for query in ({}, {"rps": "0.2"}):
        said = at(way=key, alpha="0.01", k="1", dratio="9", **query)
        assert f"{choice.proposal.tau:.2f} emitted" in texts(said) and choice.method.label in verdict(said).headline
        assert ("a tree of" in texts(said)) == (key in ("medusa", "eagle", "eagle2", "eagle3"))
        assert ("paste" in said) == (key not in ("medusa", "eagle", "eagle2", "eagle3", "lookahead"))
    facts = {name: value for _, value, name in at(way=key).facts or ()}
    assert facts["way"] == choice.method.label and "vocabulary_overlap" not in facts
    panel = pages()["serving"].panel(read_link({"way": key})[0].options)
    assert panel and not {"alpha", "draft_cost_ratio", "weights_billions"} & {
        name for _, name in panel.main + panel.more
    }


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
    assert below(at(k="3"))["Speedup here"].endswith(", k = 3")
    assert below(at(k="3", pin="k:3"))["Speedup here"] == "pinned 1.67×"


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
