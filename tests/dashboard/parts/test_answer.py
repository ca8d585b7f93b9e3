"""Named parts: made once and when asked for, absent where there is nothing to say, said once for screen and CSV."""

import pytest

from specmodel.dashboard.parts.answer import Answer, Column, Note, Said, table_of


def test_a_part_is_made_once_and_only_when_it_is_asked_for() -> None:
    made: list[str] = []

    def part() -> Note:
        made.append("note")
        return Note("Exact.")

    answer = Answer({"verdict": Said("says", "Yes."), "note": part})
    assert answer["verdict"] == Said("says", "Yes.") and made == []
    assert answer["note"] is answer["note"] and made == ["note"]


def test_what_is_nothing_is_not_there() -> None:
    answer = Answer({"a": None, "b": lambda: None, "c": Note("c")})
    assert list(answer) == ["c"] and len(answer) == 1 and "b" not in answer
    assert answer.get_part("b") is None and answer.get_part("z") is None
    with pytest.raises(KeyError):
        answer["a"]


def test_a_column_says_screen_and_csv_once() -> None:
    columns = [
        Column("time (s)", "ms", [1500, 2500], ["1.5", "2.5"]),
        Column("k", "k", [1, 2]),
        Column("", "low", [1, 2]),
        Column("verdict", "", ["best", ""]),
    ]
    table = table_of("By k", columns)
    assert table.columns == {"time (s)": ["1.5", "2.5"], "k": [1, 2], "verdict": ["best", ""]}
    assert table.data == {"ms": [1500, 2500], "k": [1, 2], "low": [1, 2]}
