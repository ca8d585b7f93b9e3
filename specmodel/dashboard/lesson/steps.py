"""The steps of a lesson: which parts of the page's answer each holds, and the question that comes before them.

No Streamlit: a page's `answer.py` makes the steps. What comes after an open question waits for its answer.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

LARGER = 1.3
"""How much larger the type of figures is in front of a class."""


@dataclass(frozen=True)
class Question:
    """Something to predict: a text, the range and unit of the answer, the answer, and why it is so, in a sentence.

    `given` names the parts that the guess starts from; they stand beside the question until it is answered.
    """

    text: str
    low: float
    high: float
    step: float
    answer: float
    why: str
    unit: str = ""
    format: str = ".2f"
    given: tuple[str, ...] = ()

    def with_answer_in_range(self) -> "Question":
        """The question, its range made wider where the answer lies outside: the end that is too near is doubled until
        the answer is inside. A low end above 0 stays.

        >>> Question("How many?", 0, 10, 1, 35, "So it is.").with_answer_in_range().high
        40
        """
        low, high = self.low, self.high
        while low > self.answer and low < 0:
            low *= 2
        while high < self.answer:
            high *= 2
        return replace(self, low=low, high=high)

    def show(self, value: float) -> str:
        """A value with its unit.

        >>> Question("", 0, 100, 1, 50, "", "%", ".0f").show(50)
        '50%'
        """
        text = format(value, self.format)
        return f"{text}{self.unit}" if self.unit in ("×", "%", "") else f"{text} {self.unit}"


@dataclass(frozen=True)
class Step:
    """One step of a lesson: its key, its title, the names of the parts that it shows, and perhaps a question first.

    A name that is none of the answer's parts is that of a control, which the page's script draws.
    """

    key: str
    title: str
    parts: tuple[str, ...]
    question: Question | None = None


def open_steps(steps: Sequence[Step], answered: Collection[str]) -> Sequence[Step]:
    """The steps up to the first one whose question is not among the answered ones, by key; all where there is none.

    >>> asked = [Step("a", "A", ()), Step("b", "B", (), Question("?", 0, 1, 1, 1, "")), Step("c", "C", ())]
    >>> [step.key for step in open_steps(asked, ())], len(open_steps(asked, {"b"}))
    (['a', 'b'], 3)
    """
    waiting = (number for number, step in enumerate(steps, 1) if step.question and step.key not in answered)
    return steps[: next(waiting, len(steps))]
