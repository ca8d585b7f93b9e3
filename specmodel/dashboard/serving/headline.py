"""The headline of the Serving load page: whether speculation pays at the load that is asked for, or what forbids it."""

from specmodel.dashboard.parts.answer import Said
from specmodel.dashboard.serving.band_words import range_text
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.gain_range import gain_range


def said_of_load(answer: LoadAnswer, what: str, translate: Translator) -> Said:
    """The verdict with its headline and reasons; `what` is what drafts, within a sentence."""
    _, verdict = translate, answer.verdict
    reasons = _.sentences(*(_.message(reason) for reason in verdict.reasons))
    return Said(verdict.kind, headline(answer, what, translate), reasons)


def headline(answer: LoadAnswer, what: str, translate: Translator) -> str:
    """Yes or no at this load, in a few words."""
    _, verdict = translate, answer.verdict
    if verdict.kind == "off":
        return _("Speculation is off.")
    gain = verdict.gain or 1.0
    values = {"what": what, "gain": gain, "ratio": 1 / gain, "rate": rate_text(answer.load.request_rate)}
    values["batch"] = answer.load.batch_size
    values["range"] = range_text(*gain_range(answer)) if verdict.which == "unsure" else ""
    texts = {**_not_served(_), **(_at_rate(_) if answer.by_rate else _at_batch(_))}
    key = f"{verdict.kind}:{verdict.which}" if verdict.which else verdict.kind
    if key == "saturated:both" and not answer.num_speculative_tokens:
        key = "saturated:plain"
    return texts[key].format(**values)


def rate_text(rate: float) -> str:
    """A request rate with as many digits as tell it apart from 0.

    >>> rate_text(2.5), rate_text(0.0001)
    ('2.50', '0.0001')
    """
    return f"{rate:,.2f}" if rate >= 0.1 else f"{rate:.3g}"


def _not_served(translate: Translator) -> dict[str, str]:
    _ = translate
    return {
        "does_not_fit:weights": _("No: the model does not fit into memory."),
        "does_not_fit:request": _("No: not even one request of this context fits into memory beside the model."),
        "does_not_fit:drafter": _("No: the drafter does not fit into memory beside the model."),
        "does_not_fit:batch": _("No: a batch of {batch:,} cannot run here with {what}."),
        "saturated:both": _("No: {rate} requests per second saturate the engine, with {what} and without speculation."),
        "saturated:plain": _("No: {rate} requests per second saturate the engine."),
        "saturated:speculation": _(
            "No: {rate} requests per second saturate the engine with {what}, and not without speculation."
        ),
        "prefill_bound:saturated": _(
            "No: prefill eats it. At {rate} requests per second too little time is left for decoding."
        ),
        "prefill_bound:eaten": _("No: prefill eats what {what} wins."),
        "only_with": _(
            "Yes, only with speculation: {rate} requests per second saturate plain decoding, but not {what}."
        ),
        "extrapolated:rate": _(
            "Not known: no passes as large as {rate} requests per second lead to were measured with {what}."
        ),
        "extrapolated": _("Not known: no such pass was measured. Extrapolated it is {gain:.2f}× with {what}."),
    }


def _at_batch(translate: Translator) -> dict[str, str]:
    _ = translate
    return {
        "too_close:unsure": _("Not known well enough at this load: {range} with {what}."),
        "too_close": _("Too close to call at this load: {gain:.2f}× with {what}."),
        "pays": _("Yes, at this load it pays: {gain:.2f}× as fast with {what}."),
        "does_not_pay": _("No, at this load it costs time: {ratio:.2f}× as long with {what}."),
    }


def _at_rate(translate: Translator) -> dict[str, str]:
    _ = translate
    return {
        "too_close:unsure": _("Not known well enough at {rate} requests per second: {range} with {what}."),
        "too_close": _("Too close to call at {rate} requests per second: {gain:.2f}× with {what}."),
        "pays": _("Yes, at {rate} requests per second it pays: an answer comes {gain:.2f}× as fast with {what}."),
        "does_not_pay": _(
            "No, at {rate} requests per second it costs time: an answer takes {ratio:.2f}× as long with {what}."
        ),
    }
