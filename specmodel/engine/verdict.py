"""Whether speculation should be on in a measured engine, and why, in one sentence."""

from specmodel.base.messages import Message
from specmodel.engine.case import EngineCase
from specmodel.model.outcome import Verdict

CLOSE = 0.02
"""Without an interval, speeds within 2 % of plain decoding are called too close."""


def engine_verdict(case: EngineCase) -> Verdict:
    """The verdict on a run: it pays or not where the whole interval of its decode speedup lies on one side of 1.

    `off` where there is nothing to judge: no time of a plain step is known, or nothing was drafted.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> case = EngineCase(SpecStats("a", "b", printed_length=2.0, step_ms=12.0), plain_ms_typed=10.0)
    >>> engine_verdict(case).kind, str(engine_verdict(case).reason)
    ('pays', 'A step emits 2.00 tokens and costs 1.20 plain steps.')
    """
    speedup = case.speedup
    if speedup is None or speedup.value is None:
        return Verdict("off", _no_time(case))
    low = speedup.low if speedup.low is not None else speedup.value * (1 - CLOSE)
    high = speedup.high if speedup.high is not None else speedup.value * (1 + CLOSE)
    if case.stats.num_draft_tokens == 0:
        reason = (
            "Speculation did nothing for this run, which decoded {speedup:.2f}× as fast as the plain one; rejected "
            "drafts are not the reason."
        )
        return Verdict("off", Message(reason, {"speedup": speedup.value}))
    if low <= 1 <= high:
        return Verdict("too_close", _reason(case, "too_close"))
    if speedup.value > 1:
        return Verdict("pays", _reason(case, "pays"))
    return Verdict("does_not_pay", _reason(case, "does_not_pay"))


def _no_time(case: EngineCase) -> Message:
    """What is missing for a verdict, and what it would have to be."""
    numbers = {"tokens": case.tokens_per_step or 1.0, "plain": case.plain_ms or 0.0}
    if case.plain_ms is not None:
        numbers["most"] = numbers["tokens"] * numbers["plain"]
        text = (
            "A step emits {tokens:.2f} tokens. It pays while a step with speculation takes less than {most:.2f} ms, "
            "and these numbers do not hold its time."
        )
        return Message(text, numbers)
    text = (
        "A step emits {tokens:.2f} tokens. It pays while a step with speculation takes less than {tokens:.2f} "
        "plain steps, and these numbers do not hold the time of a plain step."
    )
    return Message(text, numbers)


def _reason(case: EngineCase, kind: str) -> Message:
    if case.rho is None or case.tokens_per_step is None:
        plain, spent = case.ms_per_token
        text = "An output token takes {spent:.2f} ms with speculation and {plain:.2f} ms without."
        return Message(text, {"plain": plain or 0.0, "spent": spent or 0.0})
    numbers = {"tokens": case.tokens_per_step, "rho": case.rho}
    if kind == "too_close":
        text = "A step emits {tokens:.2f} tokens and costs {rho:.2f} plain steps: the counts cannot tell them apart."
        return Message(text, numbers)
    if kind == "pays":
        return Message("A step emits {tokens:.2f} tokens and costs {rho:.2f} plain steps.", numbers)
    return Message("A step emits {tokens:.2f} tokens but costs {rho:.2f} plain steps.", numbers)
