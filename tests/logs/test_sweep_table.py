"""Tables of settings: columns by their names and values, rows as settings, and what is refused with its line."""

import random
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel import engine
from specmodel.logs import LogError, parse, read_table
from specmodel.logs._sweep_table import MOST_BYTES
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats, unpack_stats
from tests.conftest import examples
from tests.logs.test_fuzz import unsound

pytestmark = pytest.mark.sized
Rows = Sequence[Sequence[str]]


# ── the ways in which people write a table ──


def markdown(rows: Rows) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("---:" for _ in rows[0]) + "|", *lines[1:]])


def drawn(rows: Rows) -> str:
    lines = ["│ " + " │ ".join(row) + " │" for row in rows]
    return "\n".join(["┌────┬────┐", lines[0], "├────┼────┤", *lines[1:], "└────┴────┘"])


def console(rows: Rows) -> str:
    widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
    return "\n".join(
        "".join(f"{cell or '-':<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows
    )


def in_prose(rows: Rows) -> str:
    return f"Here is what I got on my machine, 3 runs each:\n\n{markdown(rows)}\n\nAny ideas? The last one is odd.\n"


WAYS: dict[str, Callable[[Rows], str]] = {
    "markdown": markdown,
    "drawn": drawn,
    "console": console,
    "csv": lambda rows: "\n".join(",".join(row) for row in rows),
    "semicolons": lambda rows: "\n".join(";".join(row) for row in rows),
    "tsv": lambda rows: "\n".join("\t".join(row) for row in rows),
    "in prose": in_prose,
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_writing_a_table_gives_the_same_settings(way: str) -> None:
    rows = [("k", "tok/s", "accept len"), ("0", "50", ""), ("2", "85.5", "2.10"), ("4", "**96.2**", "2.75")]
    found = parse(WAYS[way](rows))
    assert [(each.num_speculative_tokens, each.speculation) for each in found.parts] == [
        (None, False),
        (2, True),
        (4, True),
    ]
    assert found.num_speculative_tokens == 4 and found.printed_length == 2.75
    assert engine.answer(found).speedup.value == pytest.approx(96.2 / 50)  # type: ignore[union-attr]


# ── which acceptance it is ──

TAU = {1: 1.8, 2: 2.4, 4: 3.1, 8: 3.6}
DEFINED: dict[str, Callable[[int, float], str]] = {
    "accepted_per_drafted": lambda k, tau: f"{(tau - 1) / k:.4f}",
    "length_with_bonus": lambda k, tau: f"{tau:.4f}",
    "length_without_bonus": lambda k, tau: f"{tau - 1:.4f}",
}
NAMED = [
    ("acceptance rate", "accepted_per_drafted"),
    ("Draft acceptance rate (%)", "accepted_per_drafted"),
    ("accept %", "accepted_per_drafted"),
    ("Mean acceptance length", "length_with_bonus"),
    ("accept_length", "length_with_bonus"),
    ("τ", "length_with_bonus"),
    ("tokens/round", "length_with_bonus"),
]


def sweep(header: str, reading: str, speedup: float = 1.2) -> list[tuple[str, ...]]:
    percent = "%" in header
    rows: list[tuple[str, ...]] = [("k", "t/s", header), ("0", "40", "-")]
    for k, tau in TAU.items():
        value = DEFINED[reading](k, tau)
        rows.append((str(k), f"{40 * tau / speedup:.3f}", f"{100 * float(value):.2f}" if percent else value))
    return rows


@pytest.mark.parametrize(("header", "reading"), NAMED)
def test_acceptance_is_known_by_its_name(header: str, reading: str) -> None:
    found = parse(markdown(sweep(header, reading)))
    got = {each.num_speculative_tokens: each.mean_acceptance_length for each in found.parts if each.speculation}
    assert got == pytest.approx(TAU, rel=2e-3)


@pytest.mark.parametrize("reading", DEFINED)
def test_acceptance_without_a_name_is_told_by_laws_and_costs_or_asked(reading: str) -> None:
    """A share falls with k; a round that costs less than a plain step rules out a length; what is left is asked."""
    found = read_table(markdown(sweep("accept", reading)))
    assert found is not None and found.stats is not None
    column = found.columns[2]
    if column.is_sure:
        assert column.role == reading
        got = {e.num_speculative_tokens: e.mean_acceptance_length for e in found.stats.parts if e.speculation}
        assert got == pytest.approx(TAU, rel=2e-3)
    else:
        assert reading in column.readings and len(column.readings) > 1
        assert all(each.mean_acceptance_length is None for each in found.stats.parts)
        assert any("fits several definitions" in str(note) for note in found.stats.notes)


def test_a_length_that_would_make_rounds_cheaper_than_a_plain_step_is_not_taken() -> None:
    rows = [("k", "tok/s", "accepted"), ("0", "50", ""), ("2", "80", "1.4"), ("4", "85", "1.9")]
    assert parse(markdown(rows)).printed_length == pytest.approx(2.9)


def test_what_the_visitor_calls_a_column_counts() -> None:
    text = markdown([("k", "tok/s", "accepted"), ("0", "50", "-"), ("4", "60", "2.1")])
    asked = read_table(text)
    assert asked is not None and not asked.columns[2].is_sure
    lengths = {}
    for role in ("length_with_bonus", "length_without_bonus"):
        found = read_table(text, ["", "", role])
        assert found is not None and found.stats is not None
        lengths[role] = found.stats.printed_length
    assert lengths == {"length_with_bonus": 2.1, "length_without_bonus": 3.1}


def test_another_column_tells_which_length_it_is() -> None:
    rows = [("k", "accept rate", "accepted tokens"), ("3", "0.5", "1.5"), ("5", "0.4", "2.0")]
    found = read_table(markdown(rows))
    assert found is not None and found.columns[2].role == "length_without_bonus"


def test_sglang_says_accept_rate_in_two_senses() -> None:
    rows = [("steps", "accept rate", "tok/s"), ("3", "0.65", "100"), ("5", "0.5", "105")]
    asked = read_table("SGLang 0.5.9\n\n" + markdown(rows))
    assert asked is not None and asked.columns[1].readings == ("accepted_per_drafted", "sglang_old_rate")
    low = [("steps", "accept rate", "tok/s"), ("3", "0.15", "100"), ("5", "0.1", "105")]  # below 1/(k + 1)
    told = read_table("SGLang 0.5.9\n\n" + markdown(low))
    assert told is not None and told.columns[1].role == "accepted_per_drafted"


def test_positions_in_columns_or_in_a_cell() -> None:
    apart = parse(markdown([("k", "tok/s", "pos 0", "pos 1"), ("2", "80", "0.8", "60%"), ("0", "50", "", "")]))
    within = parse(markdown([("k", "tok/s", "per-position acceptance"), ("2", "80", "0.8 / 0.6"), ("0", "50", "")]))
    given = parse(markdown([("k", "tok/s", "conditional acceptance"), ("2", "80", "0.8, 0.75"), ("0", "50", "")]))
    for found in (apart, within, given):
        assert found.per_position_acceptance == pytest.approx((0.8, 0.6))
        assert any("assumed behind each row" in str(note) for note in found.notes)


# ── settings ──


def test_p_min_is_a_setting_of_its_own_and_its_share_tells_no_length() -> None:
    rows = [("p-min", "draft-max", "t/s", "acceptance rate"), ("baseline", "-", "20", "-"), ("0", "16", "25", "35%")]
    rows += [("0.5", "16", "31", "61%"), ("0.75", "16", "33", "80%")]
    found = parse(markdown(rows))
    assert [each.printed_length for each in found.parts] == [None, pytest.approx(6.6), None, None]
    answer = engine.answer(found)
    assert len(answer.tried) == 4 and answer.tried[0].stats.label == "k = 16 · p-min 0.75"
    assert any("p-min ends drafts early" in str(note) for note in found.notes)


def test_ways_of_drafting_are_compared_but_not_fitted_together() -> None:
    rows = [("method", "k", "tok/s", "τ"), ("none", "", "50", ""), ("eagle3", "3", "100", "2.6")]
    rows += [
        ("eagle3", "5", "103", "2.9"),
        ("ngram", "4", "70", "1.75"),
        ("qwen-0.6b", "4", "60", "2"),
        ("qwen-1.7b", "4", "55", "2.2"),
    ]
    answer = engine.answer(parse(markdown(rows)))
    assert len(answer.tried) == 6  # names that differ in a number are no repeats of one setting
    assert {each.num_speculative_tokens for each in answer.lengths if each.measured} == {0, 3, 5}


def test_repeats_of_a_row_are_runs_of_one_setting() -> None:
    rows = [("k", "tok/s"), ("0", "50"), ("0", "51"), ("3", "90"), ("3", "92"), ("5", "93"), ("5", "85")]
    answer = engine.answer(parse(markdown(rows)))
    assert answer.tried[0].runs == 2 and answer.tried[0].stats.num_speculative_tokens == 3
    assert answer.case.num_speculative_tokens == 3  # not the fastest run, the fastest setting


def test_a_plain_speed_or_a_speedup_in_the_row_stands_for_the_plain_run() -> None:
    wide = parse(markdown([("concurrency", "baseline tok/s", "spec tok/s"), ("1", "50", "100"), ("8", "350", "500")]))
    assert engine.answer(wide).speedup.value == pytest.approx(2.0)  # type: ignore[union-attr]
    ratio = parse(markdown([("k", "tok/s", "speedup"), ("3", "100", "1.8x"), ("5", "110", "+98%")]))
    assert engine.answer(ratio).speedup.value == pytest.approx(1.98)  # type: ignore[union-attr]


def test_kinds_of_work_are_not_compared_with_each_other() -> None:
    rows = [("task", "k", "tok/s"), ("code", "0", "50"), ("code", "4", "120"), ("chat", "0", "60"), ("chat", "4", "66")]
    found = parse(markdown(rows))
    assert [each.label for each in found.groups] == ["code", "chat"]
    assert engine.answer(found).speedup.value == pytest.approx(2.4)  # type: ignore[union-attr]
    assert any("not compared" in str(note) for note in found.notes)


def test_a_table_on_its_side() -> None:
    found = parse(
        markdown([("", "k=0", "k=2", "k=4"), ("tok/s", "50", "80", "85"), ("accept length", "-", "2.1", "2.7")])
    )
    assert [each.num_speculative_tokens for each in found.parts] == [None, 2, 4] and found.printed_length == 2.7


def test_the_link_keeps_the_settings() -> None:
    found = parse(markdown(sweep("accept len", "length_with_bonus")))
    again = unpack_stats(pack_stats(found))
    one, other = engine.answer(found), engine.answer(again)
    assert [each.stats.label for each in one.tried] == [each.stats.label for each in other.tried]
    assert one.next_setting is not None and other.next_setting is not None
    assert (one.next_setting.kind, one.next_setting.num_speculative_tokens) == ("length", 10)
    assert other.next_setting.gain == pytest.approx(one.next_setting.gain, rel=1e-6)


def test_the_engine_is_known_by_its_words() -> None:
    assert parse("--draft-max,t/s\n0,20\n8,30\n").engine == "llama.cpp"
    assert parse("num_speculative_tokens,tok/s\n0,20\n3,30\n").engine == "vLLM"
    assert parse("k,tok/s\n0,20\n3,30\n").engine == ""


# ── what is refused ──

REFUSED = [
    (markdown([("k", "tok/s", "accept len"), ("2", "80", "3.9")]), "line 3", "cannot be with 2"),
    (markdown([("k", "tok/s", "accept len"), ("2", "fast", "2.1"), ("4", "9", "2.1")]), "line 3", "fast"),
    (markdown([("k", "tok/s"), ("2.5", "80"), ("3", "80")]), "line 3", "whole number"),
    (markdown([("k", "tok/s"), ("2", "-80"), ("3", "80")]), "line 3", "not negative"),
    (markdown([("k", "tok/s"), ("2", "0"), ("3", "80")]), "line 3", "above 0"),
    (markdown([("k", "acceptance rate", "tok/s"), ("2", "0.9", "1"), ("3", "62", "2")]), "line 3", "per cent"),
    (markdown([("k", "tok/s", "pos 1", "pos 2"), ("2", "9", "0.5", "0.8")]), "line 3", "never rise"),
    ("k,tok/s\n0,50\n3,80,7\n", "line 3", "number of columns"),
    (
        markdown([("k", "tok/s"), ("0", "50")]) + "\n\n" + markdown([("k", "tok/s"), ("4", "60")]),
        "lines 1 and 5",
        "two",
    ),
    ("k,tok/s\n" + "3,80\n" * 600, "500", "rows"),
]


@pytest.mark.parametrize(("text", "where", "why"), REFUSED)
def test_refused_with_line_and_reason(text: str, where: str, why: str) -> None:
    with pytest.raises(LogError) as refused:
        parse(text)
    assert where in str(refused.value) and why in str(refused.value)


PROSE = ["I accept the draft of 3 tokens\nthe rate was 5\n", "a b c\n1 2 3\n", "draft accept 12\nspeed 9 8 7\n"]


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_no_table(text: str) -> None:
    assert read_table(text) is None


# ── laws and hostile input ──

HEADERS = ("k", "tok/s", "ms/token", "accept", "acceptance rate", "τ", "batch", "method", "p-min", "speedup", "foo", "")


@given(
    st.lists(st.sampled_from(HEADERS), min_size=2, max_size=5),
    st.lists(st.lists(st.text("0123456789.,%x-±(= offk", max_size=7), min_size=5, max_size=5), min_size=1, max_size=6),
    st.sampled_from(sorted(WAYS)),
)
@examples(60)
def test_any_table_is_read_or_refused(header: list[str], rows: list[list[str]], way: str) -> None:
    text = WAYS[way]([header, *(row[: len(header)] for row in rows)])
    try:
        found = parse(text)
    except LogError as error:
        assert str(error)
        return
    assert unsound(found) is None
    if found.speculation:
        answer = engine.answer(found)
        assert answer.verdict.kind and (answer.tried or not answer.next_setting)


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(WAYS)))
@examples(60)
def test_a_damaged_table_is_read_or_refused(seed: int, way: str) -> None:
    rng = random.Random(seed)
    text = list(WAYS[way](sweep("acceptance", "accepted_per_drafted")))
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(text))
        text[at] = rng.choice(["", text[at] * 2, "|", ",", "-", "9", "%", "\n", "e", "\t", "k", "∞"])
    try:
        found: SpecStats | None = parse("".join(text))
    except LogError as error:
        found = None
        assert str(error)
    assert found is None or unsound(found) is None


HOSTILE = {
    "one long row": "|".join(["k"] * 3000) + "\n" + "|".join(["1"] * 3000),
    "many rows": "k,tok/s,accept\n" + "3,80,0.5\n" * 6000,
    "brackets": "k,tok/s\n3," + "(" * 60000,
    "many tables": "k|t/s\n1|2\n\n" * 5000,
    "digits": "k,tok/s\n3," + "9" * 60000,
    "long names": ("accept" * 9000) + "|t/s\n1|2",
    "spaces": "k" + " " * 60000 + "t/s\n1 2",
    "rules": "|---" * 15000 + "\nk|t/s\n1|2",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_tables_end_soon(name: str) -> None:
    start = time.process_time()
    try:
        parse(HOSTILE[name][: MOST_BYTES - 1])
    except LogError as error:
        assert str(error)
    assert time.process_time() - start < 2
