"""One cell of a table that somebody wrote: a number with its marks, a draft length, several acceptances, or nothing."""

import math
import re
from dataclasses import dataclass

EMPTY = re.compile(r"(?:[-–—−.…]*|n\.?/?a\.?|none|null|nan|\?)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:\d[\d,.']*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_AROUND = re.compile(r"\s*(?:±|\+/-|\+-)\s*[\d.,]+\s*%?")
_BEHIND = re.compile(
    r"%|x|×|k|ms|s|sec|tok(?:en)?s?(?:/s(?:ec)?)?|t/s|tps|tok/s(?:/user)?|times|tokens?/s(?:ec(?:ond)?)?", re.IGNORECASE
)
_REST = re.compile(r"\s*[(\[].*[)\]]\s*$")
_MARKS = re.compile(r"[*`_]{1,3}(?=\S)|(?<=\S)[*`_]{1,3}|<[^>]{0,20}>|[🏆✅⭐👑🔥]")
_WHOLE = re.compile(r"(?:k|γ|gamma|n|draft(?:[-_ ]?max)?|mtp|steps)?\s*[=:\-_ ]?\s*(\d{1,4})", re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """A number of a cell: `percent` where a % sign follows, `spread` where ± follows it."""

    value: float
    percent: bool = False
    spread: bool = False
    unit: str = ""


def bare(cell: str) -> str:
    """A cell without what only dresses it: bold, code, tags, medals.

    >>> bare(" **84.2** "), bare("`k=3`"), bare("draft_max")
    ('84.2', 'k=3', 'draft_max')
    """
    text = cell.strip()
    if text[:1] in "*`_<" or text[-1:] in "*`_>" or not text.isascii():
        text = _MARKS.sub("", text)
    return " ".join(text.split())


def is_empty(cell: str) -> bool:
    """Whether nothing stands there: blank, a dash, n/a.

    >>> is_empty(" — "), is_empty("n/a"), is_empty("0")
    (True, True, False)
    """
    return EMPTY.fullmatch(bare(cell)) is not None


def number_of(cell: str) -> Number | None:
    """The number of a cell with its unit; None where it is none. A comma before three digits groups them, else it is
    a decimal comma.

    >>> number_of("**84,2 t/s**"), number_of("1,234.5").value, number_of("57.3 ± 0.4 %").spread, number_of("fast")
    (Number(value=84.2, percent=False, spread=False, unit='t/s'), 1234.5, True, None)
    """
    text = bare(cell).lstrip("~≈= ")
    spread = _AROUND.search(text) is not None
    percent_behind = spread and text.endswith("%")
    text = _REST.sub("", _AROUND.sub("", text))
    found = _NUMBER.match(text)
    if found is None:
        return None
    unit = text[found.end() :].strip()
    if unit and _BEHIND.fullmatch(unit) is None:
        return None
    value = _value(found.group())
    if value is None or not math.isfinite(value):
        return None
    return Number(value * (1024 if unit in ("k", "K") else 1), unit == "%" or percent_behind, spread, unit)


def _value(text: str) -> float | None:
    text = text.replace("'", "")
    if "," in text and "." not in text and not re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+", text):
        text = text.replace(",", ".", 1)
    elif "," in text and not re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?", text):
        return None
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def length_of(cell: str) -> int | None:
    """A draft length: a whole number, alone or as k=3, MTP-2, “4 (default)”; None where it is none.

    >>> length_of("k=3"), length_of("4 (default)"), length_of("16.0"), length_of("2.5"), length_of("off")
    (3, 4, 16, None, None)
    """
    text = _REST.sub("", bare(cell))
    found = _WHOLE.fullmatch(text)
    if found:
        return int(found.group(1))
    number = number_of(text)
    if number is None or number.percent or number.unit or number.value != int(number.value) or number.value < 0:
        return None
    return int(number.value)


def list_of(cell: str) -> list[float] | None:
    """Several shares in one cell, by position; None where they are not several numbers between 0 and 1 (or 100 %).

    >>> list_of("0.76 / 0.59 / 0.45"), list_of("76%, 59%"), list_of("0.76")
    ([0.76, 0.59, 0.45], [0.76, 0.59], None)
    """
    parts = [part for part in re.split(r"\s*[/;|]\s*|,\s+|\s+|(?<=\d),(?=[01]\.)", bare(cell).strip("[]() ")) if part]
    numbers = [number_of(part) for part in parts]
    if len(parts) < 2 or any(each is None or (each.unit and not each.percent) for each in numbers):
        return None
    values = [each.value / (100 if each.percent else 1) for each in numbers if each is not None]
    return values if all(0 <= value <= 1 for value in values) else None
