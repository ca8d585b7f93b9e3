"""Whether a load can be served at all: whether it fits into memory, and whether the rate saturates an engine."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from specmodel.base.messages import N_, Message, Verbatim
from specmodel.serving.asked import without_prefill
from specmodel.serving.memory import Capacity

if TYPE_CHECKING:
    from specmodel.serving.answer import LoadAnswer

Kind = Literal[
    "off",
    "pays",
    "does_not_pay",
    "too_close",
    "does_not_fit",
    "saturated",
    "only_with",
    "prefill_bound",
    "extrapolated",
]


@dataclass(frozen=True)
class LoadVerdict:
    """The answer at a load, and why.

    `gain` is how many times as fast with speculation: the time per token at a batch, the time of an answer at a rate;
    None where the two cannot be compared because one of them does not serve the load. `which` tells cases of one kind
    apart: what does not fit (weights, one request, drafter, batch), who is saturated (both, speculation).
    """

    kind: Kind
    reasons: tuple[Message, ...]
    gain: float | None = None
    which: str = ""

    @property
    def reason(self) -> Message:
        """The first of the reasons."""
        return self.reasons[0]

    @property
    def served(self) -> bool:
        """Whether the load can be served with speculation."""
        return self.kind not in ("does_not_fit", "saturated") and self.gain is not None


def unserved(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    """Why the load that is asked for is not served, by one engine or by both; nothing where it is.

    >>> from specmodel.serving.answer import LoadAnswer
    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.served_model import Serving
    >>> one = LoadAnswer(Serving(AffinePass(), alpha=0.7), Load(max_sequences=64), 3, 500, most=64, plain_most=64)
    >>> [each.which for each in unserved(one.at(1, request_rate=500, by_rate=True))], list(unserved(one))
    (['both'], [])
    """
    yield from _memory(answer)
    if not answer.by_rate:
        yield from _batch(answer)
    for verdict in _rate(answer) if answer.by_rate else ():
        unsure = verdict.kind != "prefill_bound" and (cap(answer) == "measured" or not answer.measured)
        yield replace(verdict, kind="extrapolated", which="rate") if unsure else verdict


def _memory(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    """Weights, or the drafter beside them, that leave no room for one request."""
    plain, drafted, context = answer.plain_room, answer.drafted_room, answer.load.context_tokens
    if plain is not None and plain.sequences == 0:
        text = "Weights and one request of {context:,} tokens take {need:,.1f} GB, and {usable:,.1f} GB are there."
        which = "weights" if plain.left_bytes < 0 else "request"
        yield LoadVerdict("does_not_fit", (Message(text, _bytes(plain, context)),), which=which)
    elif answer.num_speculative_tokens and drafted is not None and drafted.sequences == 0:
        text = (
            "With the drafter, weights and one request of {context:,} tokens take {need:,.1f} GB, and {usable:,.1f} GB "
            "are there; without it they fit."
        )
        yield LoadVerdict("does_not_fit", (Message(text, _bytes(drafted, context)),), which="drafter")


def _bytes(room: Capacity, context: int) -> dict[str, float]:
    need = room.weight_bytes + room.sequence_bytes
    return {"context": context, "need": need / 1e9, "usable": room.usable_bytes / 1e9}


def _batch(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    """A batch by hand that is larger than what runs at once."""
    batch, most, plain = answer.load.batch_size, answer.most, answer.plain_most
    values = {"batch": batch, "most": most, "plain": plain, "context": answer.load.context_tokens}
    if batch > plain and cap(answer) == "engine":
        text = "The engine is set to at most {plain:,} requests at once."
        yield LoadVerdict("does_not_fit", (Message(text, values),), which="batch")
    elif batch > plain and cap(answer) == "memory":
        text = "Memory holds {plain:,} requests of {context:,} tokens beside the weights."
        yield LoadVerdict("does_not_fit", (Message(text, values),), which="batch")
    elif most < batch <= plain and answer.num_speculative_tokens:
        text = "Beside the drafter memory holds {most:,} requests of {context:,} tokens, without it {plain:,}."
        yield LoadVerdict("does_not_fit", (Message(text, values),), which="batch")


def _rate(answer: "LoadAnswer") -> Iterator[LoadVerdict]:
    """A rate that one engine or both cannot serve."""
    ours, theirs, rate = answer.speculating, answer.plain, answer.load.request_rate
    if not (ours.saturated or theirs.saturated):
        return
    values = {
        "rate": _rate_text(rate),
        "ours": _rate_text(answer.fixed_engine.saturation.rate),
        "theirs": _rate_text(answer.plain_engine.saturation.rate),
        "most": answer.most,
    }
    share = rate * answer.load.prefill_ms / 1000
    if ours.saturated and theirs.saturated:
        yield _both(answer, values, share)
    elif theirs.saturated:
        text = (
            "Plain decoding serves at most {theirs} requests per second; with speculation {batch:,.1f} run together "
            "and an answer takes {latency:,.2f} s."
        )
        values |= {"batch": ours.batch, "latency": ours.latency_s}
        yield LoadVerdict("only_with", (Message(text, values), *prefill_words(share)))
    else:
        text = (
            "With speculation at most {ours} requests per second are served, and the queue grows without end; without "
            "it {batch:,.1f} requests run together and an answer takes {latency:,.2f} s."
        )
        values |= {"batch": theirs.batch, "latency": theirs.latency_s}
        yield LoadVerdict(
            "saturated", (Message(text, values), *prefill_words(share), *_at_most(answer)), which="speculation"
        )


def _both(answer: "LoadAnswer", values: dict[str, object], share: float) -> LoadVerdict:
    """Neither serves the rate: prefill is why, where one of them would serve it without."""
    engines = (answer.fixed_engine, answer.plain_engine)
    if share >= 1 or any(without_prefill(each).saturation.rate > answer.load.request_rate for each in engines):
        text = "Reading the prompts of {rate} requests per second takes {share:.0%} of the engine's time."
        if share < 1:
            text = (
                "Reading the prompts of {rate} requests per second takes {share:.0%} of the engine's time; what is "
                "left serves at most {ours} with speculation and {theirs} without."
            )
        return LoadVerdict("prefill_bound", (Message(text, {**values, "share": share}),), which="saturated")
    text = (
        "At most {ours} requests per second are served with speculation, {theirs} without: the queue grows without end."
    )
    if not answer.num_speculative_tokens:
        text = "At most {theirs} requests per second are served: the queue grows without end."
    return LoadVerdict("saturated", (Message(text, values), *prefill_words(share), *_at_most(answer)), which="both")


def cap(answer: "LoadAnswer") -> Literal["engine", "measured", "memory"]:
    """What keeps the plain batch from being larger.

    >>> from specmodel.serving.answer import LoadAnswer
    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.served_model import Serving
    >>> cap(LoadAnswer(Serving(AffinePass(), alpha=0.7), Load(max_sequences=64), 3, 500, most=64, plain_most=64))
    'engine'
    """
    if answer.plain_most == answer.load.max_sequences:
        return "engine"
    return "measured" if answer.plain_room is None else "memory"


_CAPS = {
    "engine": N_("At most {most:,} run at once: the engine is set to no more."),
    "memory": N_("At most {most:,} run at once: memory holds no more."),
    "measured": N_("More than {most:,} at once are left out: no larger pass was measured, and they may serve more."),
}


def _at_most(answer: "LoadAnswer") -> tuple[Message, ...]:
    """What keeps more from being served: how many run at once."""
    reason = cap(answer) if answer.most == answer.plain_most else "memory"
    return (Message(_CAPS[reason], {"most": answer.most}),)


def prefill_words(share: float) -> tuple[Message, ...]:
    """What share of the time goes into prefill, where it is worth a word.

    >>> [str(message) for message in prefill_words(0.25)]
    ["Prefill takes 25% of the engine's time."]
    """
    text = "Prefill takes {share:.0%} of the engine's time."
    return (Message(text, {"share": share}),) if share >= 0.005 else ()


def _rate_text(rate: float) -> Verbatim:
    return Verbatim(f"{rate:,.2f}" if rate >= 0.1 else f"{rate:.3g}")
