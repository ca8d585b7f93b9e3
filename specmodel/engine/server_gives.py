"""Two runs that are no pair: what the server gives in each, why no speedup is read off them, and what to run instead.

Each ratio here is with ÷ without speculation, as a reader of two reports would form it.
"""

import math
from collections.abc import Iterator

from specmodel.base.messages import Message, Verbatim
from specmodel.engine.case import EngineCase
from specmodel.engine.comparable import Comparability, Condition
from specmodel.engine.sentences import duration, listed, number, sentences
from specmodel.engine.speed import Ratio, measures


def is_unlike(case: EngineCase) -> bool:
    """Whether a baseline was given that is none for this run, and no other time of a plain step is known.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=18.0, batch_size=18.0)
    >>> is_unlike(EngineCase(SpecStats("a", "b", tpot_ms=10.0, batch_size=8.0), plain))
    True
    """
    return case.baseline is not None and case.plain_run is None and case.plain_ms is None


def server_gives(case: EngineCase) -> Message | None:
    """What the server gave with and without speculation, each measure with its ratio; None where both tell nothing.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> plain = SpecStats("a", "b", speculation=False, tpot_ms=18.0, output_tokens_per_s=1000.0)
    >>> fast = SpecStats("a", "b", tpot_ms=10.0, output_tokens_per_s=800.0)
    >>> print(server_gives(EngineCase(fast, plain)))
    The server gives 800 tokens/s instead of 1,000 (0.80×), 8 requests decode at once instead of 18 (0.44×).
    """
    told = list(_measures(case))
    return Message("The server gives {list}.", {"list": listed(told)}) if told else None


def _measures(case: EngineCase) -> Iterator[Message]:
    if case.comparability is None or case.comparability.no_baseline is not None:
        return
    ratios = {each.key: each for each in measures(case)}
    yield from (
        measure_phrase(ratios[key]) for key in ("output_tokens_per_s", "ttft_ms", "request_ms") if key in ratios
    )
    load = case.comparability.condition("requests_in_decode")
    if load is not None:
        text = "{with} requests decode at once instead of {without} ({ratio:.2f}×)"
        yield Message(text, _both(number(load.with_speculation), number(load.without), load.ratio))


def measure_phrase(ratio: Ratio) -> Message:
    """A measure of what the server gives, with and without speculation, as a part of a sentence.

    >>> print(measure_phrase(Ratio("ttft_ms", "", "", 150e3, 220e3, "ms")))
    the first token after 220 s instead of 150 s (1.47×)
    """
    shown = number if ratio.unit == "tokens/s" else duration
    values = _both(shown(ratio.with_speculation), shown(ratio.without), ratio.with_speculation / ratio.without)
    if ratio.unit == "tokens/s":
        return Message("{with} tokens/s instead of {without} ({ratio:.2f}×)", values)
    if ratio.key == "ttft_ms":
        return Message("the first token after {with} instead of {without} ({ratio:.2f}×)", values)
    return Message("a request in {with} instead of {without} ({ratio:.2f}×)", values)


def _both(fast: str, without: str, ratio: float) -> dict[str, object]:
    return {"with": Verbatim(fast), "without": Verbatim(without), "ratio": ratio}


def why_no_pair(found: Comparability) -> Message:
    """Why no speedup is read off two runs, and what to run instead.

    >>> unlike = Comparability((Condition("temperature", 0.0, 1.0, False),))
    >>> print(why_no_pair(unlike))
    The runs are no pair: temperature 1 with speculation and 0 without. Run both at the same temperature.
    """
    if found.no_baseline is not None:
        instead = "Run the same work once more with speculation switched off, and give that file as the baseline."
        return sentences(found.no_baseline, Message(instead))
    reasons = listed([_reason(each) for each in found.unlike])
    why = Message("The runs are no pair: {reasons}.", {"reasons": reasons})
    loads = any(each.key != "temperature" for each in found.unlike)
    meaning = "Their times per output token belong to different loads, so their ratio is no speedup."
    return sentences(why, Message(meaning) if loads else None, *map(_instead, found.unlike))


def _reason(unlike: Condition) -> Message:
    if unlike.key == "temperature":
        text = "temperature {with:g} with speculation and {without:g} without"
        return Message(text, {"with": unlike.with_speculation, "without": unlike.without})
    values = _both(number(unlike.with_speculation), number(unlike.without), unlike.ratio)
    if unlike.key == "context_tokens":
        return Message("{with} tokens of context with speculation and {without} without", values)
    return Message("{with} requests decoding at once with speculation and {without} without", values)


def _instead(unlike: Condition) -> Message:
    if unlike.key == "temperature":
        return Message("Run both at the same temperature.")
    if unlike.key == "context_tokens":
        return Message("Run both with the same prompts and the same output length.")
    most = max(math.floor(min(unlike.with_speculation, unlike.without) * (1 + 1e-9)), 1)
    text = (
        "Run both with the same number of requests in decode: a closed loop without a request rate, for example "
        "--max-concurrency {most} in both, so few that no request waits."
    )
    return Message(text, {"most": most})
