"""What the Serving load page leaves out: memory where nothing fits, a short context; and what a drafter takes."""

from specmodel.dashboard.parts.answer import Note, Notice, Parts
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.load import Drafter


def limit_parts(at_load: LoadAnswer, translate: Translator) -> Parts:
    """That memory is left out where not even one request fits, and where the context is short."""
    left_out = at_load.verdict.kind == "does_not_fit" and at_load.verdict.which != "batch"
    words = translate("The limit by memory is left out of everything below, as if there were enough.")
    short = _short_context(at_load, translate)
    return {
        "left_out": Notice("warning", words) if left_out else None,
        "short_context": Note(short) if short else None,
    }


def _short_context(at_load: LoadAnswer, translate: Translator) -> str:
    context, output = at_load.load.context_tokens, at_load.output_tokens
    if context >= output / 2:
        return ""
    text = translate(
        "A context of {context:,} is short for answers of {output:,.0f} tokens: it holds half of one on average."
    )
    return text.format(context=context, output=output)


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
