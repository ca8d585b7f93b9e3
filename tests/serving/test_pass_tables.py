"""Files of passes: what is read, and what is refused with its place."""

import pytest

from specmodel.base.messages import SpecmodelError
from specmodel.serving.pass_tables import read_points


def test_passes_are_read_by_the_names_of_their_columns() -> None:
    points = read_points("ms,context,tokens\n20,0,1\n40,1000,16\n")
    assert points.tokens.tolist() == [1, 16] and points.context_tokens.tolist() == [0, 1000]
    assert points.ms.tolist() == [20, 40]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tokens,ms\n1,20\n4,fast\n", "line 3, column ms: 'fast' is not a number"),
        ("tokens,ms\n1,20\n0,20\n", "row 2 of the passes"),
        ("tokens,ms\n1,20\n4,nan\n", "row 2 of the passes"),
        ("tokens,seconds\n1,2\n", "line 1 has no column ms"),
        ("ms\n2\n", "the table needs a column tokens"),
        ("", "the file is empty"),
        ("\x00\x01", "line 1 holds a zero byte"),
    ],
    ids=repr,
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(SpecmodelError) as refused:
        read_points(text.encode())
    assert complaint in str(refused.value)
