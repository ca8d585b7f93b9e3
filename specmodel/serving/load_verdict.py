"""Whether speculation pays at the load that is asked for: first whether that load can be served at all.

The order of the questions is that of what a person has to know first: does it fit into memory, does the rate saturate
the engine, does prefill eat what is won, were such passes measured; and only then how much faster an answer is.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from specmodel.base.messages import Message
from specmodel.serving.unserved import LoadVerdict, prefill_words, unserved

if TYPE_CHECKING:
    from specmodel.serving.answer import LoadAnswer


def load_verdict(answer: "LoadAnswer") -> LoadVerdict:
    """The verdict about the batch or the request rate that is asked for.

    >>> from specmodel.serving.answer import LoadAnswer
    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.served_model import Serving
    >>> one = LoadAnswer(Serving(AffinePass(), alpha=0.7), Load(), 3, 500, most=64, plain_most=64)
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
    tolerance, decoding = answer.load.tolerance, answer.decoding_gain
    if answer.num_speculative_tokens and decoding > 1 + tolerance and answer.answer_gain <= 1 + tolerance:
        text = (
            "Decoding is {decoding:.2f} times as fast, but {share:.0%} of an answer's time goes into prefill: the "
            "whole answer is {gain:.2f} times as fast."
        )
        values = {"decoding": decoding, "share": answer.prefill_share, "gain": answer.answer_gain}
        if answer.load.prefill_ms:
            yield LoadVerdict("prefill_bound", (Message(text, values),), answer.answer_gain, which="eaten")


def _off(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    if not answer.num_speculative_tokens:
        yield LoadVerdict("off", (Message("Nothing is drafted: every token costs one plain decoding step."),), 1.0)


def _gain(answer: "LoadAnswer") -> LoadVerdict:
    """Faster, slower, or within what no run of an engine tells apart."""
    tolerance = answer.load.tolerance
    gain = answer.answer_gain if answer.by_rate else answer.outcome.speedup
    close = abs(gain - 1) <= tolerance
    reason = _at_rate(answer, close) if answer.by_rate else _at_batch(answer, gain, close)
    reasons = (reason, *(prefill_words(answer.prefill_share) if answer.load.prefill_ms else ()))
    if not answer.measured:
        text = "No pass of {tokens:,.0f} tokens was measured, the largest has {most:,.0f}: its time is extrapolated."
        batch, most = answer.batch, answer.serving.largest_tokens
        tokens = batch * float(answer.serving.verified(answer.num_speculative_tokens))
        beyond = Message(text, {"tokens": tokens, "most": most})
        return LoadVerdict("extrapolated", (beyond, *reasons), gain)
    return LoadVerdict("too_close" if close else "pays" if gain > 1 else "does_not_pay", reasons, gain)


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
