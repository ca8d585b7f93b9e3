"""Curves of a live engine: how fast it was beside plain decoding, and since when it loses."""

import numpy as np
import pytest

from specmodel.logs.prometheus import LiveSeries

NAN = float("nan")


def series(tpot_ms: list[float]) -> LiveSeries:
    nothing = np.full(len(tpot_ms), NAN)
    times = np.linspace(1_000.0, 1_000.0 + 60 * (len(tpot_ms) - 1), len(tpot_ms))
    return LiveSeries(
        times, nothing, np.empty((len(tpot_ms), 0)), nothing, nothing, nothing, np.array(tpot_ms), nothing, 60.0
    )


def test_the_speedup_is_plain_time_by_time() -> None:
    assert series([5.0, 20.0]).speedup(10.0).tolist() == [2.0, 0.5]


@pytest.mark.parametrize(
    ("tpot_ms", "since"),
    [
        ([5, 5, 12, 12, 12], 1_120.0),
        ([5, 5, 12, NAN, 12, 12], 1_120.0),  # a gap is no change
        ([12, 12, 12], 1_000.0),
        ([5, 5, 12, 12], None),  # two points are chance
        ([12, 12, 12, 5], None),  # it pays again
        ([NAN, NAN], None),
        ([], None),
    ],
)
def test_it_loses_since_the_first_of_the_last_slow_points(tpot_ms: list[float], since: float | None) -> None:
    assert series(tpot_ms).losing_since(10.0) == since
