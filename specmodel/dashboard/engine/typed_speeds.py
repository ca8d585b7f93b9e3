"""Two speeds and nothing else: tokens per second without and with speculation, each perhaps of several runs.

No Streamlit. Repeats become runs of two settings, so that everything that is said of a sweep is said of them too.
"""

from specmodel.base.messages import Message
from specmodel.measured.spec_stats import TYPED, SpecStats, StatsError

SPEEDS = "speeds"
"""The choice beside the definitions of acceptance: no acceptance is known, two speeds are."""
MOST_RUNS = 50
APART = 3.0
"""Runs of one setting that differ by more than this factor are none."""


def typed_speeds(text: str) -> list[float]:
    """Tokens per second of one or several runs, with commas or spaces between them.

    Raises `StatsError` for what is no number above 0, and for runs that cannot be repeats of one setting.

    >>> typed_speeds("50, 51.5 49 t/s"), typed_speeds("")
    ([50.0, 51.5, 49.0], [])
    """
    found = []
    for part in text.replace(",", " ").replace(";", " ").split():
        if part.lower() in ("t/s", "tok/s", "tokens/s", "tps"):
            continue
        try:
            value = float(part)
        except ValueError:
            value = 0.0
        if not 1e-6 < value < 1e9:
            raise StatsError(Message("“{text}” is no number of tokens per second above 0", {"text": part[:40]}))
        found.append(value)
    if len(found) > MOST_RUNS:
        raise StatsError(Message("more than {limit} runs", {"limit": MOST_RUNS}))
    if found and max(found) > APART * min(found):
        text = "{low:g} and {high:g} tokens per second are too far apart for repeats; a decimal point is a point here"
        raise StatsError(Message(text, {"low": min(found), "high": max(found)}))
    return found


def speeds_stats(without: str, fast: str, k: int | None) -> SpecStats | None:
    """The two speeds as a measurement with a plain run; None while one of them is missing.

    >>> found = speeds_stats("50 50", "80", 3)
    >>> found.tpot_ms, [each.speculation for each in found.parts]
    (12.5, [False, False, True])
    >>> speeds_stats("50", "", 3) is None
    True
    """
    plain, spent = typed_speeds(without), typed_speeds(fast)
    if not plain or not spent:
        return None
    parts = [SpecStats("", TYPED, label="off", speculation=False, tpot_ms=1000 / each) for each in plain]
    label = f"k = {k or '?'}"
    parts += [SpecStats("", TYPED, label=label, num_speculative_tokens=k, tpot_ms=1000 / each) for each in spent]
    return parts[len(plain)].replace(label="", parts=tuple(parts), parts_are_settings=True)
