"""A property that is computed once for every answer about the same engine."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Once(Generic[Value]):
    """Depends on neither batch nor request rate: computed once for all answers that `LoadAnswer.at` makes."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, answer: Any, owner: type) -> Value:
        if self.name not in answer.once:
            answer.once[self.name] = self.compute(answer)
        value: Value = answer.once[self.name]
        return value
