"""Whole numbers as a person writes them."""

from collections.abc import Callable, Sequence


def ranges(numbers: Sequence[int], shown: Callable[[int], str] = str) -> str:
    """Whole numbers as a person writes them; `shown` writes one, where they stand for something else.

    >>> ranges([1, 2, 3, 7]), ranges([1, 2, 5], lambda number: f"{number / 10:.1f}")
    ('1–3, 7', '0.1–0.2, 0.5')
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{shown(run[0])}–{shown(run[-1])}" if len(run) > 1 else shown(run[0]) for run in runs)
