"""What the lessons share: presenting them part by part, guessing first, and the seed of what is drawn."""

from dataclasses import dataclass

from specmodel.base.params import Declared, param
from specmodel.dashboard.session.declaration import Declaration, Option


@dataclass(frozen=True)
class LessonSeed(Declared):
    """The seed of what the Live text and Drift pages draw.

    >>> LessonSeed().lesson_seed
    1
    """

    lesson_seed: int = param(
        "Seed",
        "Another seed is another run of the same question.",
        default=1,
        low=0,
        high=999_999,
        slider=(0, 100, 1),
        format="d",
        key="lesson_seed",
        integer=True,
    )


DECLARED = Declaration(
    options=(
        Option("present", "0", ("0", "1")),
        Option("part", 1, range(1, 21)),
        Option("guess", "1", ("0", "1")),
    ),
    groups=lambda options: (LessonSeed(),),
)
