"""100,000 changed files over all readers: a result or `LogError`, and no number that the file does not hold.

What a result may hold: counts that are no more than all numbers of the file together, printed values between the
least and the greatest number of the file, and of a file without a digit nothing but the number of its records.
"""

import random
import re
from collections.abc import Callable

import pytest

from specmodel.logs import LogError
from specmodel.measured.spec_stats import COUNTERS, SpecStats
from tests.conftest import SAMPLE_NAMES
from tests.logs.test_fuzz import DATA, WRITTEN, flipped, marks, moved, other_digits, read, removed

pytestmark = pytest.mark.deep
INPUTS = 100_000
COUNTED = [name for name in COUNTERS if name != "window_s"]  # a time may be tokens ÷ speed
_NUMBER = re.compile(rb"\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+")
# files whose counts are products of two numbers: a mean and of how many, or a speed and a time
PRODUCTS = ("gpt-fast", "sglang-bench-one-batch-server", "specforge", "trtllm-bench")


def other_number(data: bytearray, draw: random.Random) -> None:
    """One number becomes another one of the file, or one that breaks things."""
    found = [match.span() for match in _NUMBER.finditer(data)]
    if found:
        start, end = draw.choice(found)
        first, last = draw.choice(found)
        data[start:end] = draw.choice((bytes(data[first:last]), draw.choice(WRITTEN)))


def other_lines(data: bytearray, draw: random.Random) -> None:
    """A line is lost, stands there twice, or stands elsewhere."""
    lines = bytes(data).split(b"\n")
    at = draw.randrange(len(lines))
    line = lines[at]
    if draw.random() < 0.7:
        del lines[at]
    if draw.random() < 0.7:
        lines.insert(draw.randrange(len(lines) + 1), line)
    data[:] = b"\n".join(lines)


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flipped,
    other_digits,
    other_number,
    other_number,
    other_lines,
    moved,
    removed,
    marks,
)


def untold(stats: SpecStats, data: bytes, products: bool) -> str | None:
    """A number of a result that cannot have come from the file; None where there is none."""
    numbers = [value for value in map(float, _NUMBER.findall(data)) if value <= 1e15]
    digits = [float(part) for part in re.findall(rb"\d+", data) if len(part) <= 16]  # of numbers that marks broke up
    greatest = max([*numbers, *digits, 1.0])
    most = sum(numbers) + sum(digits) + data.count(b"\n") + data.count(b"{") + 1
    if products:
        most = max(most, greatest**2)
    for part in (stats, *stats.parts, *stats.groups):
        for name in COUNTED:
            value = getattr(part, name)
            if value is not None and value > most * (1 + 1e-6):
                return f"{name} = {value}, but all numbers of the file together are {most:g}"
        for each in part.printed:
            if each.value > greatest * (1 + 1e-6) or (each.value > 0 and not any(numbers + digits)):
                return f"{each.name} = {each.value}, but the greatest number of the file is {greatest:g}"
    return None


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_no_error_and_no_number_that_is_not_in_the_file(name: str):
    """Its share of the inputs: one to three changes each, of every kind."""
    draw = random.Random(f"deep {name}")
    for _ in range(-(-INPUTS // len(SAMPLE_NAMES))):
        data = bytearray(DATA[name])
        for _ in range(draw.choice((1, 1, 2, 3))):
            if data:
                draw.choice(DAMAGES)(data, draw)
        found = read(bytes(data))
        if isinstance(found, SpecStats):
            wrong = untold(found, bytes(data), name.startswith(PRODUCTS))
            assert wrong is None, f"{wrong}: {bytes(data)[-2000:]!r}"


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_a_file_without_digits_has_no_numbers(name: str):
    """Records may be counted (tokens of a dump, answers); nothing else may be known."""
    found = read(re.sub(rb"\d", b"", DATA[name]))
    if isinstance(found, SpecStats):
        assert untold(found, b"\n" * DATA[name].count(b"\n"), products=False) is None
    else:
        assert isinstance(found, LogError)
