"""What the Serving load page says: what to set, where to switch off, and what happens at a request rate."""

from collections.abc import Sequence

from specmodel.dashboard.serving.headline import rate_text
from specmodel.dashboard.serving.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import FixedPoint
from specmodel.serving.asked import served
from specmodel.serving.stationary import stationary_batch
from specmodel.serving.whole_answer import whole_answer


def advice(answer: LoadAnswer, translate: Translator) -> str:
    """What to set at this load, and where to switch off; nothing where the engine itself does not fit."""
    _, verdict = translate, answer.verdict
    if verdict.kind == "does_not_fit":
        return _where_off(answer, translate) if verdict.which == "batch" else ""
    here = _by_schedule(answer, translate) if answer.by_rate else _best_here(answer, translate)
    return _.sentences(*filter(None, (here, _where_off(answer, translate))))


def _best_here(answer: LoadAnswer, translate: Translator) -> str:
    _, outcome = translate, answer.outcome
    if outcome.best_k == 0:
        return _("No draft length pays at this batch.")
    if outcome.best_k == answer.num_speculative_tokens:
        return _("No other draft length is faster at this batch.")
    return _("Best here: k = {k}, {speedup:.2f}×.").format(k=outcome.best_k, speedup=outcome.best_speedup)


def _by_schedule(answer: LoadAnswer, translate: Translator) -> str:
    """What an engine gives at the rate that follows the schedule."""
    _, found = translate, served(answer.scheduled_engine, answer.load.request_rate)
    if found.saturated:
        text = _("With the schedule below at most {rate} requests per second are served.")
        return text.format(rate=rate_text(found.requests_per_s))
    return _("With the schedule below an answer takes {latency:,.2f} s.").format(latency=found.latency_s)


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


def at_rate_words(answer: LoadAnswer, what: str, translate: Translator) -> list[str]:
    """What happens at the chosen request rate, with and without speculation; no solution and several are said."""
    _, rate = translate, answer.load.request_rate
    ours, theirs = answer.at_rate()
    lines = [
        _("At {rate} requests per second.").format(rate=rate_text(rate)),
        _rate_line(_("With {what}").format(what=what), ours, answer, translate),
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


def rate_of_batch_words(answer: LoadAnswer, what: str, translate: Translator) -> list[str]:
    """At which request rates the batch by hand runs."""
    _, batch = translate, answer.load.batch_size
    if answer.verdict.kind == "does_not_fit":
        return [_("The batch by hand cannot run here, so no request rate leads to it.")]
    ours, theirs = (float(engine.throughput(batch)) for engine in (answer.fixed_engine, answer.plain_engine))
    text = _("A batch of {batch:,} runs at {ours} requests per second with {what}, at {theirs} without speculation.")
    return [text.format(batch=batch, what=what, ours=rate_text(ours), theirs=rate_text(theirs))]


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


def whole_words(answer: LoadAnswer, translate: Translator) -> list[str]:
    """How much faster a whole answer is, prompt included, beside its decoding; nothing where that is not known."""
    _, found = translate, whole_answer(answer) if answer.verdict.kind != "does_not_fit" else None
    if found is None:
        return []
    how = _("computed as one pass") if found.computed else _("as set")
    values = {"prompt": found.prompt_tokens, "prefill": found.prefill_ms, "how": how, "decoding": found.decoding}
    if found.gain is None:
        text = _(
            "Reading prompts of {prompt:,} tokens takes {prefill:,.0f} ms each ({how}): with them at least one of "
            "the two, with and without speculation, cannot serve this rate."
        )
        return [text.format(**values)]
    text = _(
        "A whole answer is {gain:.2f}× as fast, its decoding {decoding:.2f}×: reading its prompt of {prompt:,} tokens "
        "takes {prefill:,.0f} ms ({how}) either way."
    )
    return [text.format(gain=found.gain, **values)]
