"""What the lines of llama-server look like that tell of speculation; `llama_cpp` knows their versions."""

import re

from specmodel.logs._checks import number
from specmodel.logs._printed import draft_length

_RATES = r"\((?P<rates>\d\.\d{3}(?:, \d\.\d{3})*)\)"
SLOT = re.compile(r"\bid(?:_slot=| +)(\d+)(?: \| task +| id_task=)(-?\d+)")
TIME = re.compile(r"(prompt )?eval time *= *(\d+\.\d+) ms / *(\d+) (?:tokens|runs)")
ENDED = re.compile(r"\btotal time *= *\d")
UPTIME = re.compile(r"^(?:\[\d+\] )?(\d+)\.(\d\d)\.(\d{3})\.(\d{3}) ")
DRAFT = re.compile(
    r"draft acceptance(?P<old> rate)? = (?P<rate>\d\.\d+) "
    r"\( *(?P<accepted>\d+) accepted / *(?P<drafted>\d+) generated\)"
    r"(?:.{0,400}?, mean (?P<long>acceptance length|len) = *(?P<length>\d+\.\d+))?"
    rf"(?:.{{0,400}}?, acceptance rate per position = {_RATES})?"
)
POSITIONS = re.compile(rf"acc per pos = {_RATES}")
STATISTICS = re.compile(
    r"statistics +(?P<name>[\w-]+): #calls(?:\(b,g,a\) = *\d+ +\d+ +(?P<calls>\d+)| = *\d+), "
    r"#gen drafts = *(?P<drafts>\d+), #acc drafts = *(?P<hits>\d+), "
    r"#gen tokens = *(?P<drafted>\d+), #acc tokens = *(?P<accepted>\d+)"
    rf"(?:.{{0,400}}?, #mean acc len = *(?P<length>\d+\.\d+))?(?:.{{0,400}}?, #acc rate/pos = {_RATES})?"
    r"(?:.{0,400}?, dur\(b,g,a\) = [\d.]+, (?P<ms>\d+\.\d+), [\d.]+ ms)?"
)
# (?>…) takes the first one in the line and never tries another: a search from each would take quadratic time
SETUP = re.compile(
    r"\A(?>.*?: - ).*?\b(?:n_max|size_m)=(?P<limit>\d+)|\A(?>.*?initializing).* n_slots = (?P<slots>\d+)"
    r"|failed to initialize speculative decoding context: *(?P<failed>.*)"
    r"|adding speculative implementation '(?P<named>[\w-]*)"
)


def rates_of(text: str | None, line: int) -> tuple[float, ...] | None:
    """Printed rates by position; None where there are none.

    >>> rates_of("0.760, 0.590", 1)
    (0.76, 0.59)
    """
    if not text:
        return None
    rates = text.split(", ")
    draft_length(len(rates), line, "acc per pos")
    return tuple(number(each, line, "acc per pos") for each in rates)
