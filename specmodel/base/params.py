"""Declare a quantity once: name, label, unit, symbol, domain, slider, help text and link key on the dataclass field.

All else is derived from it: validation, slider, deep link, CSV columns, tooltips, its entry of the Reference page.
`param()` declares an input, `quantity()` an output; `like()` and `quantity_like()` declare again what is declared
already.
"""

import dataclasses
import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.base.numbers import OutOfDomain, as_number, outside, shortened

WORDS_AS_UNITS = (N_("tokens"), N_("drafts"))
"""Units that are words: they change with the language, unlike ms and ×."""
SAME_EVERYWHERE = N_("the same at every position")


@dataclass(frozen=True)
class Quantity:
    """What a number is: its name, label, definition, unit, symbol, and how many digits it is shown with."""

    name: str
    label: str
    help: str
    unit: str = ""
    symbol: str = ""
    format: str = ",.2f"

    @property
    def letter(self) -> str:
        """The symbol where it is a plain letter that can stand beside a label; empty for t_d and the like."""
        return "" if "_" in self.symbol else self.symbol

    def unit_in(self, translate: Callable[[str], str]) -> str:
        """The unit in the visitor's language, where it is a word."""
        return translate(self.unit) if self.unit in WORDS_AS_UNITS else self.unit

    def show(self, value: Any, translate: Callable[[str], str] = str) -> str:
        """The value as text with its unit; a dash for None, seconds from 10,000 ms on.

        >>> Quantity("tpot_ms", "Time per output token", "", unit="ms").show(15.5312)
        '15.53 ms'
        """
        if value is None:
            return "–"
        if self.unit == "ms" and abs(value) >= 10_000:
            return f"{value / 1000:,.2f} s"
        text = format(value, self.format)
        return f"{text}{self.unit}" if self.unit in ("×", "%") else f"{text} {self.unit_in(translate)}".rstrip()


@dataclass(frozen=True)
class Param(Quantity):
    """An input: a `Quantity` with a default and a hard domain [low, high].

    What a page shows as a slider has `slider`, the low end, the high end and the step of its track, or also `stops`,
    values that it offers instead of even steps.
    """

    default: float = 0
    low: float = 0
    high: float = math.inf
    slider: tuple[float, ...] = ()
    stops: tuple[float, ...] = ()
    key: str = ""
    integer: bool = False

    @property
    def domain(self) -> str:
        """The hard domain as a person reads it.

        >>> Param("alpha", "", "", low=0, high=1).domain
        'between 0 and 1'
        """
        return f"between {self.low:,.10g} and {self.high:,.10g}"

    def text(self, value: Any) -> str:
        """The value as a link writes it; `check` reads it back exactly."""
        return str(value)

    def check(self, value: Any) -> Any:
        """The value as a number inside the domain, or `OutOfDomain`.

        >>> Param("k", "Draft tokens", "", low=0, high=64, integer=True).check("5")
        5
        """
        number = as_number(value)
        if number is None or not self.low <= number <= self.high or (self.integer and number % 1):
            raise outside(self.name, value, self.low, self.high, self.label, whole=self.integer)
        return int(number) if self.integer else number


@dataclass(frozen=True)
class Factors(Param):
    """An input that is a short list of factors, each inside [low, high]; the empty list is its default.

    >>> Factors("shape", "", "", high=100).check("1.02_0.95")
    (1.02, 0.95)
    """

    default: Any = ()
    most: int = 63

    def text(self, value: Any) -> str:
        """Factors with an underscore between them.

        >>> Factors("shape", "", "", high=100).text((1.02, 0.95))
        '1.02_0.95'
        """
        return "_".join(map(str, value))

    def show(self, value: Any, translate: Callable[[str], str] = str) -> str:
        """The factors as a person reads them.

        >>> Factors("shape", "", "").show((1.02, 0.95))
        '1, 1.02, 0.95'
        """
        if not value:
            return translate(SAME_EVERYWHERE)
        return ", ".join(["1", *(f"{factor:.3g}" for factor in value)])

    def check(self, value: Any) -> Any:
        """The factors as a tuple, or `OutOfDomain`."""
        parts = value.split("_") if isinstance(value, str) else value
        numbers = [as_number(part) for part in parts] if isinstance(parts, list | tuple) else [None]
        if len(numbers) > self.most or any(number is None or not self.low <= number <= self.high for number in numbers):
            message = "{name} = {value} is no list of factors from {low} to {high} ({label})"
            values = {"name": self.name, "value": shortened(repr(value), 40), "label": self.label}
            raise OutOfDomain(Message(message, {**values, "low": f"{self.low:,.10g}", "high": f"{self.high:,.10g}"}))
        return tuple(numbers)


def param(label: str, help: str, **declared: Any) -> Any:
    """Declare an input on a dataclass field; the keywords are those of `Param`.

    >>> @dataclass(frozen=True)
    ... class Engine(Declared):
    ...     batch: int = param("Batch", "Requests at once.", default=1, low=1, high=8, integer=True)
    >>> Engine(batch=4).replace(batch=9)
    Traceback (most recent call last):
    specmodel.base.numbers.OutOfDomain: batch = 9 is not a whole number from 1 to 8 (Batch)
    """
    return field(default=declared["default"], metadata={"declared": (Param, label, help, declared)})


def factors(label: str, help: str, **declared: Any) -> Any:
    """Declare an input that is a list of factors; the keywords are those of `Factors`.

    >>> @dataclass(frozen=True)
    ... class Drafter(Declared):
    ...     shape: tuple[float, ...] = factors("Shape", "", high=9)
    >>> Drafter(shape="1_0.5").shape
    (1.0, 0.5)
    """
    return field(default=(), metadata={"declared": (Factors, label, help, declared)})


def quantity(label: str, help: str, **declared: Any) -> Any:
    """Declare an output on a dataclass field; the keywords are those of `Quantity`.

    >>> @dataclass(frozen=True)
    ... class Answer:
    ...     ms: float = quantity("Time", "How long it takes.", unit="ms")
    >>> declarations(Answer)["ms"].show(Answer(2.5).ms)
    '2.50 ms'
    """
    return field(metadata={"declared": (Quantity, label, help, declared)})


def like(declared: Param, **changes: Any) -> Any:
    """Declare an input that another field declares already; `changes` are what differs, such as its key or default.

    >>> @dataclass(frozen=True)
    ... class Head(Declared):
    ...     chance: float = like(Param("alpha", "Acceptance", "", high=1), default=0.9, key="head")
    >>> declarations(Head)["chance"].label, Head().chance
    ('Acceptance', 0.9)
    """
    metadata = _metadata(type(declared), declared, changes)
    return field(default=changes.get("default", declared.default), metadata=metadata)


def quantity_like(declared: Quantity, **changes: Any) -> Any:
    """Declare an output that another field declares already, as an input or as an output.

    >>> @dataclass(frozen=True)
    ... class Found:
    ...     chance: float = quantity_like(Param("alpha", "Acceptance", "", high=1), format=".1%")
    >>> declarations(Found)["chance"].show(0.25)
    '25.0%'
    """
    return field(metadata=_metadata(Quantity, declared, changes))


def _metadata(kind: type[Quantity], declared: Quantity, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    values = {item.name: getattr(declared, item.name) for item in dataclasses.fields(kind)} | dict(changes)
    del values["name"]
    return {"declared": (kind, values.pop("label"), values.pop("help"), values)}


def declarations(cls: type) -> Mapping[str, Any]:
    """The declared fields of a dataclass, in order: name -> `Param` or `Quantity`.

    >>> @dataclass(frozen=True)
    ... class Head(Declared):
    ...     alpha: float = param("Acceptance", "", default=0.6, high=1)
    >>> declarations(Head)["alpha"].domain
    'between 0 and 1'
    """
    declared: Mapping[str, Any] = _declarations(cls)
    return declared


@cache
def _declarations(cls: Any) -> Mapping[str, Any]:
    fields = {item.name: item.metadata["declared"] for item in dataclasses.fields(cls) if "declared" in item.metadata}
    return {name: kind(name=name, label=label, help=help, **more) for name, (kind, label, help, more) in fields.items()}


class Declared:
    """Base of a frozen dataclass whose fields are declared with `param()`: checks every value when it is made."""

    def __post_init__(self) -> None:
        for name, declared in declarations(type(self)).items():
            if isinstance(declared, Param):
                object.__setattr__(self, name, declared.check(getattr(self, name)))

    def replace(self, **changes: Any) -> Self:
        """A copy with some values changed; a misspelt name raises `UnknownParameter` and suggests the right one."""
        declared = declarations(type(self))
        for name in changes.keys() - declared.keys():
            raise UnknownParameter(name, list(declared))
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


class UnknownParameter(SpecmodelError, TypeError):
    """A parameter name that does not exist; names the closest ones."""

    def __init__(self, name: str, known: list[str]):
        close = difflib.get_close_matches(name, known, n=1) or known
        values = {"name": Verbatim(name), "close": Verbatim(", ".join(close))}
        super().__init__(Message("there is no parameter {name}; did you mean {close}?", values))
