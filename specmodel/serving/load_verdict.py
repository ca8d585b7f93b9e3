"""Whether speculation pays at the load that is asked for: first whether that load can be served at all.

The order of the questions is that of what a person has to know first: does it fit into memory, does the rate saturate
the engine, does prefill eat what is won, were such passes measured; and only then how much faster an answer is.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from specmodel.base.messages import Message
from specmodel.serving.asked import without_prefill
from specmodel.serving.gain_range import gain_range
from specmodel.serving.unserved import LoadVerdict, prefill_words, unserved

if TYPE_CHECKING:
    from specmodel.serving.answer import LoadAnswer


def load_verdict(answer: "LoadAnswer") -> LoadVerdict:
    """The verdict about the batch or the request rate that is asked for.

    >>> from specmodel.serving.answer import LoadAnswer
    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.served_model import Serving
    >>> one = LoadAnswer(Serving(AffinePass(), alpha=0.7), Load(max_sequences=64), 3, 500, most=64, plain_most=64)
    >>> [load_verdict(each).kind for each in (one, one.at(1, request_rate=500, by_rate=True))]
    ['pays', 'saturated']
    """
    return next(_questions(answer))


def _questions(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    yield from unserved(answer)
    yield from _prefill_eats(answer)
    yield from _off(answer)
    yield _gain(answer)


def _prefill_eats(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    """Decoding is faster by more than what counts as equal, and the whole answer is not."""
    tolerance, decoding = answer.load.tolerance, _decoding_gain(answer)
    if answer.num_speculative_tokens and decoding > 1 + tolerance and answer.answer_gain <= 1 + tolerance:
        text = (
            "Decoding is {decoding:.2f} times as fast, but {share:.0%} of an answer's time goes into prefill: the "
            "whole answer is {gain:.2f} times as fast."
        )
        values = {"decoding": decoding, "share": _prefill_share(answer), "gain": answer.answer_gain}
        if answer.load.prefill_ms:
            yield LoadVerdict("prefill_bound", (Message(text, values),), answer.answer_gain, which="eaten")


def _decoding_gain(answer: "LoadAnswer") -> float:
    """How many times as fast an answer is without what its decoding stands still for prefills."""
    if answer.by_rate:
        return answer.plain.tpot_ms / answer.speculating.tpot_ms
    ours, theirs = (without_prefill(each) for each in (answer.fixed_engine, answer.plain_engine))
    return float(theirs.latency_s(answer.batch) / ours.latency_s(answer.batch))


def _prefill_share(answer: "LoadAnswer") -> float:
    """Share of an answer's time in which decoding stands still for prefill, with speculation."""
    if answer.by_rate:
        return answer.speculating.prefill_share
    return float(1 - without_prefill(answer.fixed_engine).latency_s(answer.batch) / answer.latencies[0])


def _off(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    if not answer.num_speculative_tokens:
        yield LoadVerdict("off", (Message("Nothing is drafted: every token costs one plain decoding step."),), 1.0)


def _gain(answer: "LoadAnswer") -> LoadVerdict:
    """Faster, slower, or within what no run of an engine tells apart."""
    tolerance = answer.load.tolerance
    gain = answer.answer_gain if answer.by_rate else answer.outcome.speedup
    close = abs(gain - 1) <= tolerance
    reason = _at_rate(answer, close) if answer.by_rate else _at_batch(answer, gain, close)
    reasons = (reason, *(prefill_words(_prefill_share(answer)) if answer.load.prefill_ms else ()))
    if not answer.measured:
        text = "No pass of {tokens:,.0f} tokens was measured, the largest has {most:,.0f}: its time is extrapolated."
        batch, most = answer.batch, answer.serving.largest_tokens
        tokens = batch * float(answer.serving.verified(answer.num_speculative_tokens))
        beyond = Message(text, {"tokens": tokens, "most": most})
        return LoadVerdict("extrapolated", (beyond, *reasons), gain)
    low, high = gain_range(answer)
    if not close and low < 1 - tolerance and high > 1 + tolerance:
        return LoadVerdict("too_close", (_unsure(answer, low, high),), gain, which="unsure")
    return LoadVerdict("too_close" if close else "pays" if gain > 1 else "does_not_pay", reasons, gain)


def _unsure(answer: "LoadAnswer", low: float, high: float) -> Message:
    """That the costs are not known well enough to say yes or no."""
    values = {
        "batch": answer.batch,
        "tau": float(answer.serving.tau(answer.num_speculative_tokens)),
        "rho": answer.outcome.cost_ratio,
        "low": low,
        "high": high,
    }
    text = (
        "At batch {batch:,.4g} a round emits {tau:.2f} tokens and costs {rho:.2f} plain steps, but the costs are not "
        "known well enough to say whether that is faster: {low:.2f} to {high:.2f}×."
    )
    return Message(text, values)


def _at_batch(answer: "LoadAnswer", speedup: float, close: bool) -> Message:
    values = {
        "tau": float(answer.serving.tau(answer.num_speculative_tokens)),
        "rho": answer.outcome.cost_ratio,
        "batch": answer.load.batch_size,
        "share": answer.load.tolerance,
    }
    if close:
        text = (
            "At batch {batch} a round emits {tau:.2f} tokens and costs {rho:.2f} plain steps: within {share:.1%}, "
            "which no run of an engine tells apart."
        )
    elif speedup > 1:
        text = "At batch {batch} a round emits {tau:.2f} tokens and costs only {rho:.2f} plain steps."
    else:
        text = "At batch {batch} a round emits {tau:.2f} tokens but costs {rho:.2f} plain steps."
    return Message(text, values)


def _at_rate(answer: "LoadAnswer", close: bool) -> Message:
    ours, theirs = answer.speculating, answer.plain
    values = {
        "batch": ours.batch,
        "latency": ours.latency_s,
        "plain_batch": theirs.batch,
        "plain_latency": theirs.latency_s,
        "share": answer.load.tolerance,
    }
    if close:
        text = (
            "An answer takes {latency:,.2f} s with {batch:,.1f} requests running, without speculation "
            "{plain_latency:,.2f} s with {plain_batch:,.1f}: within {share:.1%}, which no run of an engine tells apart."
        )
        return Message(text, values)
    text = (
        "With speculation {batch:,.1f} requests run together and an answer takes {latency:,.2f} s; without it "
        "{plain_batch:,.1f} run and it takes {plain_latency:,.2f} s."
    )
    return Message(text, values)
