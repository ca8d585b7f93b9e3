"""A text takes a reader a time that grows with its length, whatever it holds: one visitor must not stop the server.

CPU times of two sizes of one text are compared, so that nothing fails because a machine is busy.
"""

import time

import pytest

from specmodel.logs import LogError, formats, parse
from specmodel.logs._format import Format, Lines
from tests.logs.hostile import VARIED, Hostile, modules, of_format, of_logs, samples

TIMES = 8
MOST = 3.0  # times as long a character in the larger text: time in proportion to the square of its size makes 8
QUICK_S = 0.06
SMALL, LARGE = 3_000, 640_000
MODULES = modules()
OWN_LINES = [each for each in formats() if isinstance(each, Lines)]


def named(value: object) -> str:
    return f"{value.engine} {value.source}" if isinstance(value, Format) else str(value)


def seconds(text: str) -> float:
    """CPU seconds that reading or refusing takes."""
    start = time.process_time()
    try:
        parse(text)
    except LogError as error:
        assert len(str(error)) < 2000
    return time.process_time() - start


def growth(hostile: Hostile, size: int) -> float:
    """How many times as long a character takes where there are `TIMES` as many; 0 where it takes no time at all."""
    large = hostile(TIMES * size)
    took = seconds(large)
    if took < QUICK_S:
        return 0.0
    small = hostile(size)
    return took / len(large) / (seconds(small) / len(small))


def grows(hostile: Hostile, size: int) -> bool:
    """Whether it takes more than its share each time that it is measured."""
    return all(growth(hostile, size) > MOST for _ in range(3))


@pytest.mark.parametrize("format", formats(), ids=named)
def test_every_format_takes_time_in_proportion_to_the_size(format: Format) -> None:
    for hostile in of_format(format, MODULES[format]):
        assert not grows(hostile, SMALL), hostile(200)


@pytest.mark.parametrize("name", VARIED)
def test_what_a_reader_keeps_a_list_of(name: str) -> None:
    assert not grows(VARIED[name], 4 * SMALL), VARIED[name](200)


@pytest.mark.deep
@pytest.mark.parametrize("format", formats(), ids=named)
def test_five_megabytes_of_the_slowest_texts_of_each_format(format: Format) -> None:
    every = sorted(of_format(format, MODULES[format]), key=lambda hostile: -seconds(hostile(TIMES * SMALL)))
    for hostile in every[:2]:
        assert not grows(hostile, LARGE), hostile(200)


@pytest.mark.deep
@pytest.mark.parametrize("name", VARIED)
def test_five_megabytes_of_what_a_reader_keeps_a_list_of(name: str) -> None:
    assert not grows(VARIED[name], LARGE), VARIED[name](200)


@pytest.mark.deep
@pytest.mark.parametrize("format", OWN_LINES, ids=named)
def test_lines_that_differ_in_a_number(format: Lines) -> None:
    for text in samples(format):
        for hostile in of_logs(text):
            assert not grows(hostile, 4 * SMALL), hostile(200)
