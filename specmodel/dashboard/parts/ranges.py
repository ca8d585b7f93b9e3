"""Whole numbers as a person writes them."""

from collections.abc import Sequence


def ranges(numbers: Sequence[int]) -> str:
    """Whole numbers as a person writes them.

    >>> ranges([1, 2, 3, 7])
    '1–3, 7'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
