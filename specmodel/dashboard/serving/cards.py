"""The cards of the Serving load page: of a batch by hand, or of a request rate; a dash for what is not served."""

from collections.abc import Callable
from dataclasses import replace

from specmodel.base.messages import N_
from specmodel.base.numbers import SAME
from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.parts.answer import Card, text_card
from specmodel.dashboard.parts.known import Kind, Known, known, known_ranges
from specmodel.dashboard.serving.band_words import off_texts, range_text
from specmodel.dashboard.serving.ranges import ranges
from specmodel.dashboard.serving.words import rate_ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.asked import Served
from specmodel.serving.gain_range import gain_range
from specmodel.serving.load_outcome import LoadOutcome

OFF_BATCH = Quantity(
    "off_batch",
    N_("Off at batch"),
    N_(
        "Batch sizes at which plain decoding is faster than this draft length; below them the same at the dear and the "
        "cheap end of what costs may be, or with the best one where they are exact."
    ),
)
OFF_RATE = Quantity(
    "off_rate",
    N_("Off at request rate"),
    N_("Requests per second at which plain decoding gives a shorter latency; below it the rate where it saturates."),
    unit="/s",
)
RATE_GAIN = Quantity(
    "rate_gain",
    N_("Speedup at this rate"),
    N_(
        "Time of an answer without ÷ with speculation, each with as many requests running as this rate leads to. A "
        "dash where one of them cannot serve it."
    ),
    unit="×",
)
RUNNING = Quantity(
    "running",
    N_("Requests running"),
    N_("Requests in the engine on average at this rate, with speculation; below it without."),
    format=",.1f",
)
LATENCY = Quantity(
    "latency_s",
    N_("Time of an answer"),
    N_("Prefill and decoding of an answer at this rate, with speculation; below it without."),
    unit="s",
)
Row = tuple[Quantity, str, str, Known]
NONE = "–"


def serving_cards(answer: LoadAnswer, before: LoadAnswer | None, what: str, translate: Translator) -> tuple[Card, ...]:
    """The cards: the answer here, where to switch off, and how fast it is; `what` is what drafts."""
    rows = _at_rate(answer, what, translate) if answer.by_rate else _at_batch(answer, before, what, translate)
    rows = [(*row[:3], replace(row[3], kind=_kind(answer))) for row in rows]
    if answer.verdict.kind == "extrapolated":
        rows[0] = (*rows[0][:2], translate("extrapolated"), rows[0][3])
    if answer.verdict.kind == "does_not_fit":
        kept = (OFF_BATCH, OFF_RATE) if answer.verdict.which == "batch" else ()
        none = NONE, translate("does not fit"), known(_kind(answer))
        rows = [row if row[0] in kept else (row[0], *none) for row in rows]
    return tuple(text_card(quantity, value, translate, below, known=number) for quantity, value, below, number in rows)


def _kind(answer: LoadAnswer) -> Kind:
    """What kind of numbers these are: exact means of the model only where the costs of a pass are as they were said."""
    if answer.verdict.kind == "extrapolated":
        return "extrapolated"
    low, high = answer.speedup_range
    return "exact" if high - low <= SAME * high else "assumed"


def _at_batch(answer: LoadAnswer, before: LoadAnswer | None, what: str, translate: Translator) -> list[Row]:
    _, declared, outcome = translate, declarations(LoadOutcome), answer.outcome

    def text(name: str, of: LoadOutcome = outcome) -> str:
        return str(declared[name].show(getattr(of, name), _))

    def row(name: str, below: str) -> Row:
        return declared[name], text(name), below, known("exact", getattr(outcome, name))

    pinned, plain, with_best = _("pinned {value}"), _("plain {value}"), _("best k: {value}")
    best = pinned.format(value=text("best_k", before.outcome)) if before else text("best_speedup")
    off, open_still = off_texts(answer, _)
    at_best = with_best.format(value=ranges(answer.off_at_best, answer.most, _) or _("never"))
    tokens = 1000 * answer.load.batch_size / outcome.plain_ms
    return [
        _gain(answer, before, what, translate),
        row("best_k", best),
        (OFF_BATCH, off, open_still or at_best, known_ranges("exact", answer.off, answer.most)),
        _off_rate(answer, translate),
        row("tpot_ms", plain.format(value=text("plain_ms"))),
        row("tokens_per_s", plain.format(value=declared["tokens_per_s"].show(tokens, _))),
    ]


def _gain(answer: LoadAnswer, before: LoadAnswer | None, what: str, translate: Translator) -> Row:
    """The speedup at this batch, with the pinned one, or what drafts and which speedups the costs leave open."""
    _, declared = translate, declarations(LoadOutcome)["speedup"]
    low, high = answer.speedup_range if answer.ends else (None, None)
    if answer.verdict.kind == "prefill_bound":
        gain, alone = answer.verdict.gain, declared.show(answer.outcome.speedup, _)
        return declared, declared.show(gain, _), _("decoding alone {value}").format(value=alone), known("exact", gain)
    below = _("pinned {value}").format(value=declared.show(before.outcome.speedup, _)) if before else what
    if low is not None and high is not None and not before and high - low >= 0.005:
        below = f"{range_text(low, high)}, {what}"
    gain = answer.outcome.speedup
    return declared, declared.show(gain, _), below, known("exact", gain, low, high)


def _at_rate(answer: LoadAnswer, what: str, translate: Translator) -> list[Row]:
    _, declared = translate, declarations(LoadOutcome)
    gain = answer.verdict.gain

    def both(quantity: Quantity, value: Callable[[Served], float]) -> Row:
        """With speculation, and below it without; a dash where the queue grows without end."""
        sides = [None if side.saturated else value(side) for side in (answer.speculating, answer.plain)]
        ours, theirs = (NONE if side is None else quantity.show(side, _) for side in sides)
        return quantity, ours, _("plain {value}").format(value=theirs), known("exact", sides[0])

    tokens = declared["tokens_per_s"]
    most = [tokens.show(side.tokens_per_s, _) for side in (answer.speculating, answer.plain)]
    served = known("exact", answer.speculating.tokens_per_s)
    ends = gain_range(answer) if gain is not None and answer.ends else (None, None)
    return [
        (RATE_GAIN, RATE_GAIN.show(gain, _), _ranged(answer, what), known("exact", gain, *ends)),
        both(RUNNING, lambda side: side.batch),
        both(LATENCY, lambda side: side.latency_s),
        both(declared["tpot_ms"], lambda side: side.tpot_ms),
        (tokens, most[0], _("plain {value}").format(value=most[1]), served),
        _off_rate(answer, translate),
    ]


def _ranged(answer: LoadAnswer, what: str) -> str:
    """What drafts, after the gains that the costs leave open."""
    low, high = gain_range(answer) if answer.verdict.gain is not None else (1.0, 1.0)
    return f"{range_text(low, high)}, {what}" if high - low >= 0.005 else what


def _off_rate(answer: LoadAnswer, translate: Translator) -> Row:
    """The request rates at which plain decoding has the shorter latency, and the saturation."""
    _ = translate
    saturated = _("saturated at {rate:,.2f}").format(rate=answer.fixed_engine.saturation.rate)
    perhaps = answer.num_speculative_tokens and answer.ends and answer.band.off(answer.num_speculative_tokens)[0]
    text = rate_ranges(answer.off_rates, translate) or (_("perhaps") if perhaps else _("never"))
    return OFF_RATE, text, saturated, known_ranges("exact", answer.off_rates)
