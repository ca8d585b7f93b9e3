"""The earlier form of a lesson, whose steps draw themselves; for the pages that have no `answer.py` yet."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from specmodel.dashboard.lesson import lesson as lessons
from specmodel.dashboard.lesson import steps as new
from specmodel.dashboard.lesson.lesson import presenting
from specmodel.dashboard.parts.page import Page

__all__ = ["Question", "Step", "lesson", "presenting"]


@dataclass(frozen=True)
class Question(new.Question):
    given: Any = None


@dataclass(frozen=True)
class Step:
    key: str
    title: str
    draw: Callable[[], None]
    question: Any = None


def lesson(page: Page, steps: Sequence[Step], opening: Callable[[], None]) -> None:
    controls: dict[str, Callable[[], object]] = {"opening": opening, **{step.key: step.draw for step in steps}}
    made = []
    for step in steps:
        question: new.Question | None = step.question
        if step.question is not None:
            given = step.question.given
            question = replace(step.question, given=(f"{step.key}.given",) if given else ())
            controls[f"{step.key}.given"] = given
        made.append(new.Step(step.key, step.title, (step.key,), question))
    lessons.lesson(page, made, ("opening",), controls)
