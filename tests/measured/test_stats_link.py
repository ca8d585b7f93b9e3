# mypy: disable-error-code="arg-type, comparison-overlap, union-attr"
import itertools
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.engine.as_scenario import engine_scenario
from specmodel.engine.case import EngineCase
from specmodel.measured.spec_stats import SpecStats, StatsError
from specmodel.measured.stats_link import LISTS, MAX_LENGTH, NUMBERS, pack_stats, unpack_stats
from specmodel.model.acceptance import Acceptance
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario

TIMES = st.none() | st.floats(1e-3, 1e6)
COUNTS = st.none() | st.integers(0, 10**9).map(float)


@st.composite
def any_stats(draw):
    """Counters that obey their identities, some of them unknown."""
    k, rounds = draw(st.integers(1, 12)), draw(st.integers(0, 10**9))
    reached = list(itertools.accumulate(draw(st.lists(st.floats(0, 1), min_size=k, max_size=k)), lambda a, b: a * b))
    drafted = tuple(float(int(rounds * share)) for share in reached)
    shares = draw(st.lists(st.floats(0, 1), min_size=k, max_size=k))
    kept = tuple(
        float(int(count * share)) for count, share in zip(drafted, itertools.accumulate(shares, min), strict=True)
    )
    known = draw(st.booleans())
    numbers = {name: draw(TIMES if name.endswith(("_ms", "_size", "_s")) else COUNTS) for name in NUMBERS.values()}
    numbers |= {
        "num_rounds": draw(st.sampled_from([None, float(rounds)])),
        "num_draft_tokens": draw(st.sampled_from([None, sum(drafted)])),
        "num_accepted_draft_tokens": draw(st.sampled_from([None, sum(kept)])),
        "printed_length": draw(st.none() | st.floats(1, k + 1)),
    }
    return SpecStats(
        draw(st.sampled_from(["vLLM", "SGLang", "llama.cpp", "TensorRT-LLM", "MLC-LLM"])),
        "link",
        speculation=draw(st.booleans()),
        estimated=draw(st.booleans()),
        num_speculative_tokens=draw(st.sampled_from([None, k])),
        accepted_per_position=kept if known else None,
        drafted_per_position=drafted if known else None,
        **numbers,
    )


def close(found, expected):
    return found is expected is None or found == pytest.approx(expected, rel=1e-8)


@given(any_stats())
def test_counters_survive_a_link(stats):
    text = pack_stats(stats)
    back = unpack_stats(unquote(quote(text)))
    for name in ("engine", "speculation", "estimated", "num_speculative_tokens", *LISTS.values()):
        assert getattr(back, name) == getattr(stats, name), name
    for name in NUMBERS.values():
        assert close(getattr(back, name), getattr(stats, name)), name
    assert pack_stats(back) == text
    assert close(back.mean_acceptance_length, stats.mean_acceptance_length)


def test_a_link_of_a_real_length_is_short_enough():
    k = 64
    stats = SpecStats("vLLM", "log", num_speculative_tokens=k, num_rounds=1e9, num_draft_tokens=64e9,
                      accepted_per_position=tuple(1e9 - i for i in range(k)),
                      drafted_per_position=(1e9,) * k)  # fmt: skip
    assert len(pack_stats(stats)) < MAX_LENGTH
    assert unpack_stats(pack_stats(stats)).acceptance().num_speculative_tokens == k


CONTRADICTIONS = {
    "more accepted than drafted": "drafted:10,accepted:11",
    "positions rise": "rounds:10,positions:3_4",
    "a position above the rounds": "rounds:10,positions:11_4",
    "positions do not add up": "rounds:10,accepted:8,positions:5_4",
    "positions but nothing accepted": "rounds:10,accepted:0,positions:5_4",
    "drafted positions rise": "rounds:10,reached:3_4",
    "more drafted at a position than rounds": "rounds:10,reached:11_4",
    "accepted where none was drafted": "rounds:10,positions:5_4,reached:10_3",
    "accepted beyond the drafted": "rounds:10,positions:5_4,reached:10",
    "a round that emits less than one token": "length:0.5",
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_are_refused_with_the_counters_that_contradict(name):
    with pytest.raises(StatsError, match="contradict one another: ") as error:
        unpack_stats("engine:vLLM,k:2," + CONTRADICTIONS[name])
    named = str(error.value).partition("another: ")[2].split(", ")
    assert named and set(named) <= set(CONTRADICTIONS[name].split(","))


def test_counters_that_contradict_the_positions_travel_without_them():
    # a mutated page of llama-server: positions that do not add up to what was accepted
    stats = SpecStats("llama.cpp", "page", num_speculative_tokens=1, num_rounds=4e6, num_draft_tokens=12000.0,
                      num_accepted_draft_tokens=7200.0, accepted_per_position=(3040.0,))  # fmt: skip
    back = unpack_stats(pack_stats(stats))
    assert back.accepted_per_position is None
    assert (back.num_accepted_draft_tokens, back.mean_acceptance_length) == (7200, stats.mean_acceptance_length)


def test_a_long_round_is_written_short_and_read_back():
    # a mutated record of aiperf: 1,000 drafts a round, of which three positions were ever accepted
    stats = SpecStats("aiperf", "records", num_speculative_tokens=1000, num_rounds=100, num_draft_tokens=300,
                      num_accepted_draft_tokens=180, accepted_per_position=(76, 59, 45) + (0,) * 997)  # fmt: skip
    assert "positions:76_59_45_0x997" in pack_stats(stats)
    assert unpack_stats(pack_stats(stats)).accepted_per_position == stats.accepted_per_position


def test_what_is_still_too_long_stays_behind_and_the_rest_is_right():
    falling = tuple(float(10**12 - 7**i * i) for i in range(14)) + tuple(
        float(2 * 10**11 - 997 * i) for i in range(990)
    )
    stats = SpecStats("a", "log", num_speculative_tokens=1004, num_rounds=1e12, accepted_per_position=falling,
                      num_accepted_draft_tokens=sum(falling))  # fmt: skip
    assert len(pack_stats(stats)) < MAX_LENGTH
    back = unpack_stats(pack_stats(stats))
    assert back.accepted_per_position is None and close(back.mean_acceptance_length, stats.mean_acceptance_length)


@pytest.mark.parametrize(
    "text", ["positions:5x0", "positions:5x", "positions:5x1025", "positions:9x600_9x600", "reached:x3"]
)
def test_a_list_that_repeats_without_end_is_refused(text):
    with pytest.raises(StatsError, match="cannot be used"):
        unpack_stats(f"rounds:10,{text}")


@pytest.mark.parametrize(
    "text",
    ["rounds:-1", "rounds:nan", "rounds:inf", "rounds:1e16", "rounds:", "rounds", "k:0", "k:2.5", "k:1025", "k:x",
     "positions:", "positions:x", "shell:rm", "step:<b>"],
)  # fmt: skip
def test_what_is_no_counter_is_refused_by_name(text):
    with pytest.raises(StatsError) as error:
        unpack_stats(text)
    key, _, value = text.partition(":")
    assert f"{key} = {value}" in str(error.value)


@pytest.mark.parametrize(
    "text", ["rounds:1,rounds:2", "engine:a,engine:a", "x" * (MAX_LENGTH + 1), "positions:" + "9_" * 3000]
)
def test_too_much_is_refused(text):
    with pytest.raises(StatsError, match="too long or given twice"):
        unpack_stats(text)


@given(st.text(st.characters(codec="utf-8"), max_size=60) | st.text("kroundsaccepted:,_.019-e", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        found = unpack_stats(text)
    except StatsError as error:
        assert str(error)
    else:
        assert found.source == "link"


# The scenario of an engine

SURVIVAL = st.lists(st.floats(0.05, 1), min_size=1, max_size=8).map(
    lambda shares: list(itertools.accumulate(shares, min))
)


@given(SURVIVAL, st.floats(1, 100), st.floats(1, 4))
def test_the_explore_pages_start_from_the_measured_speed(survival, plain, rho):
    rounds = 10_000.0
    stats = SpecStats("a", "b", num_speculative_tokens=len(survival), num_rounds=rounds, step_ms=plain * rho,
                      accepted_per_position=tuple(share * rounds for share in survival))  # fmt: skip
    case = EngineCase(stats, plain_ms_typed=plain)
    found = engine_scenario(case, Scenario())
    assert found is not None
    assert found.acceptance.per_position_acceptance == pytest.approx(tuple(survival), abs=1e-4)
    assert (found.target_ms, found.num_speculative_tokens) == (pytest.approx(plain, abs=1e-4), len(survival))
    assert float(found.round_cost.round_ms) == pytest.approx(plain * rho, rel=1e-3, abs=1e-3)
    assert found.acceptance.mean_acceptance_length * plain / float(found.round_cost.round_ms) == pytest.approx(
        case.decode_speedup, rel=2e-3
    )


@given(st.floats(0, 30), st.floats(5, 30), st.floats(0, 10), st.floats(5, 12))
def test_parts_of_a_round_go_to_their_own_sliders(draft, verify, rest, plain):
    stats = SpecStats("a", "b", num_rounds=100.0, accepted_per_position=(80.0, 60.0, 40.0, 20.0),
                      draft_ms=draft, verify_ms=verify, step_ms=draft + max(verify, plain) + rest)  # fmt: skip
    found = engine_scenario(EngineCase(stats, plain_ms_typed=plain), Scenario())
    assert found is not None
    assert float(found.round_cost.round_ms) == pytest.approx(stats.step_ms, abs=2e-3)
    assert float(found.round_cost.draft_ms) == pytest.approx(draft, abs=1e-3)
    assert found.overhead_ms == pytest.approx(rest, abs=1e-3)


def test_without_times_those_of_the_sliders_stay():
    mine = Scenario(target_ms=33, draft_ms=4, verify_ms_per_token=0.5, overhead_ms=2)
    stats = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.5)
    found = engine_scenario(EngineCase(stats), mine)
    assert found == mine.replace(alpha=found.alpha, num_speculative_tokens=3, acceptance_shape=(), vocabulary_overlap=1)
    assert found.alpha == pytest.approx(
        Acceptance.from_mean_acceptance_length(2.5, 3).per_position_acceptance[0], abs=1e-6
    )
    assert evaluate(found).mean_acceptance_length == pytest.approx(2.5, abs=1e-4)


def test_an_engine_that_accepts_nothing_and_one_that_has_nothing_to_say():
    dead = SpecStats("a", "b", num_speculative_tokens=2, num_rounds=10.0, accepted_per_position=(0.0, 0.0))
    found = engine_scenario(EngineCase(dead), Scenario())
    assert (found.alpha, found.acceptance_shape) == (0, ())
    assert engine_scenario(EngineCase(SpecStats("a", "b")), Scenario()) is None
    far = SpecStats("a", "b", num_speculative_tokens=1024, printed_length=3.0)
    assert engine_scenario(EngineCase(far), Scenario()) is None  # beyond what the sliders can show
