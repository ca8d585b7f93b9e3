"""What a visitor typed beside a measurement, read from the options of the link: a rate, draft
length, times, a mix.

No Streamlit. What cannot be used is left out; the page says so beside the box.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from specmodel import engine
from specmodel.dashboard.session.chosen import Chosen
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.run import EngineRun
from specmodel.measured.definitions import DEFINITIONS, translate_rate
from specmodel.measured.spec_stats import TYPED, Printed, SpecStats


def typed_k(text: str) -> int | None:
    """A whole number from 1 to 64, else None.

    >>> typed_k("3"), typed_k("x"), typed_k("65")
    (3, None, None)
    """
    return int(text) if text.strip().isdigit() and 1 <= int(text) <= 64 else None


def typed_ms(text: str) -> float | None:
    """A time in milliseconds above 0, else None.

    >>> typed_ms("12,5 ms"), typed_ms("0"), typed_ms("soon"), typed_ms("")
    (12.5, None, None, None)
    """
    body = text.strip().removesuffix("ms").strip()
    try:
        value = float(body.replace(",", ".", 1) if body.count(",") == 1 and "." not in body else body)
    except ValueError:
        return None
    return value if 0 < value < 1e7 else None


def typed_shares(text: str, groups: int) -> tuple[float, ...] | None:
    """A mix as shares; None where it is not one number for each group with something above 0 among them.

    >>> typed_shares("1, 3", 2), typed_shares("1, x", 2), typed_shares("", 2)
    ((0.25, 0.75), None, None)
    """
    try:
        numbers = [float(part.strip().removesuffix("%")) for part in text.split(",")]
    except ValueError:
        return None
    if len(numbers) != groups or not all(0 <= number < 1e9 for number in numbers) or not sum(numbers):
        return None
    return tuple(number / sum(numbers) for number in numbers)


def typed_stats(definition: str, values: Sequence[float], k: int | None) -> SpecStats | None:
    """What a typed rate says: one value, or one for each position, of a definition of `DEFINITIONS`.

    None where a number is missing: the value, or the draft length that a single value needs. `StatsError` for a value
    that the definition cannot have.

    >>> typed_stats("per_position", [0.8, 0.4], None).printed_length, typed_stats("accepted_per_drafted", [0.6], None)
    (2.2, None)
    """
    single = not DEFINITIONS[definition].list_of_values
    if not values or (single and k is None):
        return None
    rates = translate_rate(definition, values[0] if single else values, k)
    return SpecStats(
        "",
        TYPED,
        num_speculative_tokens=rates.num_speculative_tokens,
        printed_length=rates.acceptance.mean_acceptance_length,
        accepted_per_position=None if rates.by_position_assumed else rates.acceptance.per_position_acceptance,
        num_rounds=None if rates.by_position_assumed else 1,
        estimated=True,
        printed=(Printed("", values[0], definition),),
    )


def typed_values(text: str) -> list[float]:
    """Numbers with commas between them; per cent where they say so. `ValueError` for what is none.

    >>> typed_values("60 %; 0.4")
    [0.6, 0.4]
    """
    return [_fraction(part.strip()) for part in text.replace(";", ",").split(",") if part.strip()]


def _fraction(text: str) -> float:
    return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)


@dataclass(frozen=True)
class Beside:
    """Draft length where the file has none, times of a plain step, of one with speculation, of one with the drafter
    loaded and nothing drafted; None: not typed."""

    num_speculative_tokens: int | None
    plain_ms: float | None
    round_ms: float | None
    loaded_off_ms: float | None


def typed_beside(chosen: Chosen, run: EngineRun) -> Beside:
    """What was typed beside this run."""
    lacks_k = run.case().num_speculative_tokens is None
    k = typed_k(str(chosen.option("drafted"))) if lacks_k else None
    plain, took, off = (typed_ms(str(chosen.option(key))) for key in ("plain", "took", "loadedoff"))
    return Beside(k, plain, took, off)


def answer_on(chosen: Chosen, run: EngineRun) -> EngineAnswer:
    """The answer on a run with what was typed beside it."""
    beside = typed_beside(chosen, run)
    shares = typed_shares(str(chosen.option("mix")), len(run.groups))
    k, off = beside.num_speculative_tokens, beside.loaded_off_ms
    return engine.answer(run, None, beside.plain_ms, beside.round_ms, k, shares, off)
