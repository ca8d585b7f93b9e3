"""Rows of a CSV: what is read, and what is refused with its line and value."""

import gzip

import pytest

from specmodel.base.messages import SpecmodelError
from specmodel.validation.points import MOST_ROWS, NUMBERS, TEXTS, Row, read_rows
from specmodel.validation.table import ROWS, bundled_rows


def test_a_row_needs_its_source_only():
    assert read_rows("source\nmine\n") == (Row("mine"),)


def test_numbers_lists_and_texts_are_taken_and_other_columns_passed_over():
    text = "source,k,per_position,plain_ms,drafter,colour\nmine,2,0.6 0.3,9.5,heads,red\n"
    (row,) = read_rows(text)
    assert (row.k, row.per_position, row.plain_ms, row.drafter) == (2, (0.6, 0.3), 9.5, "heads")
    assert row.length == pytest.approx(1.9)


def test_gzip_and_semicolons_are_read():
    assert read_rows(gzip.compress(b"source;k;tau\r\nmine;3;2.5\r\n"))[0].tau == 2.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("k,tau\n3,2\n", "line 1 has no column source"),
        ("source,k\n,3\n", "line 2, column source: nothing found, expected the place where the numbers stand"),
        ("source,k\na,3\na,2.5\n", "line 3, column k: found 2.5, expected a whole number from 1 to 64"),
        ("source,k\na,many\n", "line 2, column k: found many, expected a whole number from 1 to 64"),
        ("source,speedup\na,-1\n", "line 2, column speedup: found -1, expected a number from 0.001 to 10000"),
        ("source,speedup\na,nan\n", "line 2, column speedup: found nan, expected a number"),
        ("source,plain_ms\na,1e400\n", "line 2, column plain_ms: found 1e400"),
        ("source,drafter\na,<b>magic\n", "line 2, column drafter: found <b>magic, expected one of model, heads"),
        ("source,accelerator\na,abacus\n", "line 2, column accelerator: found abacus, expected one of a100_80gb"),
        ("source,k,tau\na,3,4.5\n", "line 2: 4.5 tokens a round cannot come from 3 drafts: expected 1 to 4"),
        ("source,k,per_position\na,3,0.6 0.3\n", "line 2: there are 2 positions for k = 3"),
        ("source,k,per_position\na,2,0.3 0.6\n", "line 2: per_position rises"),
        (
            "source,k,per_position\na,2,0.3 1.6\n",
            "line 2, column per_position: found 0.3 1.6, expected a number from 0",
        ),
        ("source,k,per_position,conditional\na,1,0.3,0.3\n", "line 2: per_position and conditional say the same twice"),
        ("source,k\na\n", "line 2: number of columns is 1, expected 2"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line_and_value(text, said):
    with pytest.raises(SpecmodelError) as refused:
        read_rows(text)
    assert said in str(refused.value)


def test_more_rows_than_are_judged_are_refused():
    text = "source\n" + "a\n" * (MOST_ROWS + 1)
    with pytest.raises(SpecmodelError, match=f"the table has {MOST_ROWS + 1} rows; at most {MOST_ROWS} are judged"):
        read_rows(text)
    assert len(read_rows(text, None)) == MOST_ROWS + 1


def test_every_bundled_row_has_only_documented_columns_and_a_source():
    header = ROWS.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert set(header) == {*TEXTS, *NUMBERS}
    assert all(row.source for row in bundled_rows())


def test_attribution_stands_on_every_inventivehq_row():
    lines = [line for line in ROWS.read_text(encoding="utf-8").splitlines() if "Qwen2.5-Coder-7B, drafter" in line]
    assert len(lines) == 30
    assert all("InventiveHQ, Local LLM benchmarks (CC BY 4.0)" in line for line in lines)


def test_a_round_costs_tokens_per_step_over_speedup():
    row = Row("a", k=3, tau=2.5, speedup=2.0, share=0.5)
    assert (row.tokens_per_step, row.rho) == (1.75, 0.875)
    assert Row("a", tau=3.0, round_ms=15, plain_ms=10).measured_speedup == 2.0


def test_rows_are_alike_within_a_group_only():
    one = Row("a", group="g", text="chat", k=2, batch=1)
    assert one.alike(Row("b", group="g", text="chat", k=4, batch=1), "k")
    assert not one.alike(Row("a", group="g", text="code", k=4, batch=1), "k")
    assert not one.alike(Row("a", group="h", text="chat", k=4, batch=1), "k")
    assert not one.alike(Row("a", group="g", text="chat", k=4, batch=8), "k")
