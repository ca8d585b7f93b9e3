"""What the Serving load page says: the headline, the cards, where to switch off, and what happens at a request rate."""

from collections.abc import Sequence

from specmodel.base.messages import N_
from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.parts.answer import Card, text_card
from specmodel.dashboard.serving.band_words import off_texts, range_text
from specmodel.dashboard.serving.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import FixedPoint
from specmodel.serving.load_outcome import LoadOutcome
from specmodel.serving.stationary import stationary_batch

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


def headline(answer: LoadAnswer, translate: Translator) -> str:
    """Yes or no at this batch, in a few words."""
    _, outcome, k = translate, answer.outcome, answer.num_speculative_tokens
    kind = answer.verdict.kind
    if kind == "off":
        return _("Speculation is off.")
    low, high = answer.speedup_range
    if kind == "too_close" and abs(outcome.speedup - 1) > answer.load.tolerance:
        text = _("Not known well enough at this load: {range} with k = {k}.")
        return text.format(range=range_text(low, high), k=k)
    if kind == "too_close":
        return _("Too close to call at this load: {speedup:.2f}× with k = {k}.").format(speedup=outcome.speedup, k=k)
    if kind == "pays":
        return _("Yes, at this load it pays: {speedup:.2f}× as fast with k = {k}.").format(speedup=outcome.speedup, k=k)
    return _("No, at this load it costs time: {ratio:.2f}× as long with k = {k}.").format(
        ratio=1 / outcome.speedup, k=k
    )


def advice(answer: LoadAnswer, translate: Translator) -> str:
    """What to set here, and where to switch off."""
    _, outcome = translate, answer.outcome
    if outcome.best_k == 0:
        here = _("No draft length pays at this batch.")
    elif outcome.best_k == answer.num_speculative_tokens:
        here = _("No other draft length is faster at this batch.")
    else:
        here = _("Best here: k = {k}, {speedup:.2f}×.").format(k=outcome.best_k, speedup=outcome.best_speedup)
    return _.sentences(here, _where_off(answer, translate))


def _where_off(answer: LoadAnswer, translate: Translator) -> str:
    _, k = translate, answer.num_speculative_tokens
    if not k:
        return ""
    if not answer.off:
        text = _("With k = {k} speculation is faster at every batch up to {most}.").format(k=k, most=answer.most)
        open_still = answer.ends and answer.band.off(k)[0]
        return _.sentences(text, _("The band of the costs does not say so.")) if open_still else text
    text = _("With k = {k} plain decoding is faster at batch {ranges}.")
    return text.format(k=k, ranges=ranges(answer.off, answer.most, translate))


def serving_cards(answer: LoadAnswer, before: LoadAnswer | None, translate: Translator) -> tuple[Card, ...]:
    """The cards: the answer here, where to switch off, and how fast it is."""
    _, declared, outcome = translate, declarations(LoadOutcome), answer.outcome

    def text(name: str, of: LoadOutcome = outcome) -> str:
        return str(declared[name].show(getattr(of, name), _))

    pinned, plain, with_best = _("pinned {value}"), _("plain {value}"), _("best k: {value}")
    speedup = pinned.format(value=text("speedup", before.outcome)) if before else f"k = {answer.num_speculative_tokens}"
    best = pinned.format(value=text("best_k", before.outcome)) if before else text("best_speedup")
    off, open_still = off_texts(answer, _)
    low, high = answer.speedup_range
    if answer.ends and not before and high - low >= 0.005:
        speedup = f"{range_text(low, high)}, {speedup}"
    at_best = with_best.format(value=ranges(answer.off_at_best, answer.most, _) or _("never"))
    tokens = 1000 * answer.load.batch_size / outcome.plain_ms
    cards: tuple[tuple[Quantity, str, str], ...] = (
        (declared["speedup"], text("speedup"), speedup),
        (declared["best_k"], text("best_k"), best),
        (OFF_BATCH, off, _.listed(filter(None, [at_best, open_still]))),
        (OFF_RATE, *_off_rate(answer, translate)),
        (declared["tpot_ms"], text("tpot_ms"), plain.format(value=text("plain_ms"))),
        (declared["tokens_per_s"], text("tokens_per_s"), plain.format(value=declared["tokens_per_s"].show(tokens, _))),
    )
    return tuple(text_card(quantity, value, _, below) for quantity, value, below in cards)


def _off_rate(answer: LoadAnswer, translate: Translator) -> tuple[str, str]:
    """The request rates at which plain decoding has the shorter latency, and the saturation."""
    _ = translate
    saturated = _("saturated at {rate:,.2f}").format(rate=answer.fixed_engine.saturation.rate)
    perhaps = answer.num_speculative_tokens and answer.ends and answer.band.off(answer.num_speculative_tokens)[0]
    return rate_ranges(answer.off_rates, translate) or (_("perhaps") if perhaps else _("never")), saturated


def rate_ranges(off: Sequence[tuple[float, float]], translate: Translator) -> str:
    """Ranges of request rates in words.

    >>> from specmodel.dashboard.session.translation import translator
    >>> rate_ranges([(0.3, 0.58), (2.0, float("inf"))], translator("en"))
    '0.30–0.58, ≥ 2.00 /s'
    """
    if not off:
        return ""
    if off == ((0.0, float("inf")),):
        return translate("always")
    texts = [f"≥ {low:,.2f}" if high == float("inf") else f"{low:,.2f}–{high:,.2f}" for low, high in off]
    return f"{translate.listed(texts)} /s"


def at_rate_words(answer: LoadAnswer, translate: Translator) -> list[str]:
    """What happens at the chosen request rate, with and without speculation; no solution and several are said."""
    _, rate = translate, answer.load.request_rate
    ours, theirs = answer.at_rate()
    lines = [
        _rate_line(_("With k = {k}").format(k=answer.num_speculative_tokens), ours, answer, translate),
        _rate_line(_("Without speculation"), theirs, answer, translate),
    ]
    fixed = stationary_batch(answer.fixed_engine, rate)
    if ours and fixed is not None:
        low, _middle, high = fixed.quantile()
        swing = _("The batch swings: nine moments in ten it is between {low} and {high}.")
        lines.append(swing.format(low=int(low), high=int(high)))
        if fixed.mean_field_error > 1.05:
            text = _(
                "The mean batch is too kind by {share:.0%}: with arrivals at random an answer takes {latency:,.2f} s."
            )
            lines.append(text.format(share=fixed.mean_field_error - 1, latency=fixed.mean_latency_s))
    return lines


def _rate_line(name: str, points: Sequence[FixedPoint], answer: LoadAnswer, translate: Translator) -> str:
    _ = translate
    if not points:
        return _("{name}: saturated, the queue grows without end.").format(name=name)
    stable = [point for point in points if point.stable] or list(points)
    text = _("{name}: {batch:,.1f} requests in the engine, {latency:,.2f} s an answer.")
    line = text.format(name=name, batch=stable[0].batch, latency=stable[0].latency_s)
    if len(points) > 1:
        others = _.listed([f"{point.batch:,.1f}" for point in points if point is not stable[0]])
        more = _("Other solutions at {batches}: which one it is depends on the past.")
        line = _.sentences(line, more.format(batches=others))
    return line
