"""What of the Serving load page does not fit: memory, the batch, a short context, passes larger than measured ones."""

from specmodel.dashboard.parts.answer import Note, Notice, Parts
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.load import Drafter


def limit_parts(source: PassSource, at_load: LoadAnswer, drafter: Drafter, translate: Translator) -> Parts:
    """Where the weights or the chosen batch do not fit, where the context is short, and where it is extrapolated."""
    too_large = _too_large(source, at_load, drafter, translate)
    short, beyond = _short_context(at_load, translate), _extrapolated(source, at_load, translate)
    return {
        "too_large": Notice("warning", too_large) if too_large else None,
        "short_context": Note(short) if short else None,
        "extrapolated": Notice("warning", beyond) if beyond else None,
    }


def _too_large(source: PassSource, at_load: LoadAnswer, drafter: Drafter, translate: Translator) -> str:
    _ = translate
    plain, drafted = source.room(at_load.load, None), source.room(at_load.load, drafter)
    if plain is not None and plain.sequences == 0:
        text = _("The weights and one request do not fit into {usable:,.0f} GB: the limit by memory is left out below.")
        return text.format(usable=plain.usable_bytes / 1e9)
    if drafted is not None and drafted.sequences == 0:
        text = _("The drafter does not fit beside the weights into {usable:,.0f} GB: its memory is left out below.")
        return text.format(usable=drafted.usable_bytes / 1e9)
    if at_load.load.batch_size <= at_load.most:
        return ""
    if at_load.most == at_load.load.max_sequences:
        reason = _("the engine is set to no more")
    elif source.largest is not None and at_load.plain_most >= int(source.largest):
        reason = _("no larger pass was measured")
    else:
        reason = _("memory holds no more requests")
    text = _("A batch of {batch:,} is beyond the largest one here, {most:,}: {reason}.")
    return text.format(batch=at_load.load.batch_size, most=at_load.most, reason=reason)


def _short_context(at_load: LoadAnswer, translate: Translator) -> str:
    context, output = at_load.load.context_tokens, at_load.output_tokens
    if context >= output / 2:
        return ""
    text = translate(
        "A context of {context:,} is short for answers of {output:,.0f} tokens: it holds half of one on average."
    )
    return text.format(context=context, output=output)


def _extrapolated(source: PassSource, at_load: LoadAnswer, translate: Translator) -> str:
    tokens = at_load.load.batch_size * (at_load.num_speculative_tokens + 1)
    if source.largest is None or tokens <= source.largest:
        return ""
    text = translate("Extrapolated: this batch checks {tokens:,} tokens, the largest measured pass has {most:,.0f}.")
    return text.format(tokens=tokens, most=source.largest)


def memory_words(
    plain: int | None, drafted: int | None, at_load: LoadAnswer, drafter: Drafter, translate: Translator
) -> str:
    """How many requests the drafter takes the room of; `plain` and `drafted` are how many fit without and with it."""
    _ = translate
    limit = _("The engine is set to at most {most} requests at once.").format(most=at_load.load.max_sequences)
    if not drafter.weights_billions:
        unknown = _("The drafter is taken to need no memory: its size is 0 in the sidebar.")
        return _.sentences(unknown, limit)
    if plain is None or drafted is None:
        return limit
    lost = _("The drafter takes the room of {count:,} requests of this context.").format(count=plain - drafted)
    return _.sentences(lost, limit)
